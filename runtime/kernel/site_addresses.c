// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Addresses of probed functions and variables: the sites of all function probes, with the address that is known
 * since the build (if this is the same kernel), or the address that user space finds, which may read the kernel's
 * symbol table. Also the reverse: the site of an address that was hit.
 */
#include "kernel.h"
#include <linux/rcupdate.h>
#include <linux/sort.h>

/* The address of a hit is that of the site, or of the call instruction in the function's first bytes. */
#define ENTRY_BYTES 16

static struct {
	struct stp_site **all;     /* sites of probes, followed by sites of variables */
	u32 n;                     /* number of sites of probes */
	struct stp_site **wanted;
	u32 nwanted, answered;     /* number of sites for which user space finds an address; number of answers,
				    * which are in order */
	struct sorted *sorted;     /* protected by RCU */
} sites;

struct sorted {                    /* sites of probes, by address */
	u32 n;
	struct stp_site *at[];
};

static u32 count_sites(void)
{
	u32 f, i, n, all = 0;

	for (f = 0; f < stp_module.nfamilies; f++) {
		const struct stp_family *family = &stp_module.families[f];

		for (i = 0; family->ops->sites && i < family->n; i++) {
			family->ops->sites(family->table, i, &n);
			all += n;
		}
	}
	return all;
}

static void settle(struct stp_site *s, u64 kernel_base, bool same_kernel)
{
	if (!*s->symbol)
		s->address = s->offset;
	else if (!s->module && s->base_offset && same_kernel && kernel_base)
		s->address = kernel_base + s->base_offset + s->offset;
	else
		sites.wanted[sites.nwanted++] = s;
}

static void list_sites(void)
{
	u32 f, i, k, count;

	for (f = 0; f < stp_module.nfamilies; f++) {
		const struct stp_family *family = &stp_module.families[f];

		for (i = 0; family->ops->sites && i < family->n; i++) {
			struct stp_site *s = family->ops->sites(family->table, i, &count);

			for (k = 0; k < count; k++)
				sites.all[sites.n++] = &s[k];
		}
	}
	for (i = 0; i < stp_module.nstatics; i++)
		sites.all[sites.n + i] = &stp_module.statics[i];
}

int stp_sites_make(u64 kernel_base, bool same_kernel)
{
	u32 n = count_sites() + stp_module.nstatics, i;

	if (!n)
		return 0;
	sites.all = plat_alloc(n * sizeof(*sites.all), -1);
	sites.wanted = plat_alloc(n * sizeof(*sites.wanted), -1);
	if (!sites.all || !sites.wanted) {
		stp_sites_free();
		return -ENOMEM;
	}
	list_sites();
	for (i = 0; i < n; i++)
		settle(sites.all[i], kernel_base, same_kernel);
	if (stp_modules_make(sites.all, n)) {
		stp_sites_free();
		return -ENOMEM;
	}
	return 0;
}

void stp_sites_free(void)
{
	stp_modules_free();
	plat_free(sites.all);
	plat_free(sites.wanted);
	plat_free(sites.sorted);
	memset(&sites, 0, sizeof(sites));
}

/* ------------------------------------------------------------------ names */

const struct stp_site *stp_site_wanted(u32 index)
{
	return index < sites.nwanted ? sites.wanted[index] : NULL;
}

int stp_site_found(u32 index, u64 address)
{
	struct stp_site *s;

	if (index >= sites.nwanted)
		return -EINVAL;
	if (index != sites.answered)   /* staprun, which is trusted, has answered this one; the relay may not
				        * change it */
		return -EPERM;
	s = sites.wanted[sites.answered++];
	if (s->module)
		stp_modules_found(s, address ? address + s->base_offset + s->offset : 0);
	else
		s->address = address ? address + s->offset : 0;
	return 0;
}

/* ------------------------------------------------------------------ addresses */

static int by_address(const void *a, const void *b)
{
	u64 x = (*(struct stp_site *const *)a)->address, y = (*(struct stp_site *const *)b)->address;

	return x < y ? -1 : x > y;
}

/* If there is no memory for a new table, the previous one remains, and some addresses have no site. */
void stp_sites_sort(void)
{
	struct sorted *old = sites.sorted, *new;

	if (!sites.n)
		return;
	new = plat_alloc(sizeof(*new) + sites.n * sizeof(new->at[0]), -1);
	if (!new)
		return;
	new->n = sites.n;
	memcpy(new->at, sites.all, sites.n * sizeof(new->at[0]));
	sort(new->at, new->n, sizeof(new->at[0]), by_address, NULL);
	smp_store_release(&sites.sorted, new);
	if (old)
		synchronize_rcu();         /* bounded: hits use it with interrupts off */
	plat_free(old);
}

const struct stp_site *stp_site_at(u64 address)
{
	const struct sorted *sorted = smp_load_acquire(&sites.sorted);
	u32 low = 0, high = sorted ? sorted->n : 0;

	while (low < high) {                       /* finds the first one above the address */
		u32 middle = low + (high - low) / 2;

		if (sorted->at[middle]->address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || address - sorted->at[low - 1]->address >= ENTRY_BYTES)
		return NULL;
	return sorted->at[low - 1];
}
