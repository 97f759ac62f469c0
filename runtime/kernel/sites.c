// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where probed functions and variables are: the sites of all function probes, with the address that the build
 * knew (when this is the kernel it looked at), or the one user space finds for us, which may read
 * the kernel's symbol table. And back: the site of an address that was hit.
 */
#include "kernel.h"
#include <linux/sort.h>

/* A hit's address is the site's, or that of the call in a function's first bytes. */
#define ENTRY_BYTES 16

static struct {
	struct stp_site **all;     /* after stp_sites_sort(): by address */
	u32 n;
	struct stp_site **wanted;
	u32 nwanted;
	bool sorted;
} sites;

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

static void add_site(struct stp_site *s, u64 kernel_base, bool same_kernel)
{
	sites.all[sites.n++] = s;
	settle(s, kernel_base, same_kernel);
}

int stp_sites_make(u64 kernel_base, bool same_kernel)
{
	u32 n = count_sites() + stp_module.nstatics, f, i, k, count;

	if (!n)
		return 0;
	sites.all = plat_alloc(n * sizeof(*sites.all), -1);
	sites.wanted = plat_alloc(n * sizeof(*sites.wanted), -1);
	if (!sites.all || !sites.wanted) {
		stp_sites_free();
		return -ENOMEM;
	}
	for (f = 0; f < stp_module.nfamilies; f++) {
		const struct stp_family *family = &stp_module.families[f];

		for (i = 0; family->ops->sites && i < family->n; i++) {
			struct stp_site *s = family->ops->sites(family->table, i, &count);

			for (k = 0; k < count; k++)
				add_site(&s[k], kernel_base, same_kernel);
		}
	}
	for (i = 0; i < stp_module.nstatics; i++)
		settle(&stp_module.statics[i], kernel_base, same_kernel);
	return 0;
}

void stp_sites_free(void)
{
	plat_free(sites.all);
	plat_free(sites.wanted);
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
	s = sites.wanted[index];
	s->address = address ? address + s->offset : 0;
	return 0;
}

/* ------------------------------------------------------------------ addresses */

static int by_address(const void *a, const void *b)
{
	u64 x = (*(struct stp_site *const *)a)->address, y = (*(struct stp_site *const *)b)->address;

	return x < y ? -1 : x > y;
}

/* Context: process, once the addresses are known and before they are hit. */
void stp_sites_sort(void)
{
	if (sites.n)
		sort(sites.all, sites.n, sizeof(*sites.all), by_address, NULL);
	smp_store_release(&sites.sorted, true);
}

const struct stp_site *stp_site_at(u64 address)
{
	u32 low = 0, high = sites.n;

	if (!smp_load_acquire(&sites.sorted))
		return NULL;
	while (low < high) {                       /* the first that is above the address */
		u32 middle = low + (high - low) / 2;

		if (sites.all[middle]->address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || address - sites.all[low - 1]->address >= ENTRY_BYTES)
		return NULL;
	return sites.all[low - 1];
}
