// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Returns of functions of the kernel and its modules: fprobes, which come by way of ftrace, where the
 * kernel has those that fit; else kretprobes. Return probes that keep about as much a call share one
 * fprobe, for leaving it waits for every task of the machine.
 */
#include "function.h"
#include <linux/ftrace.h>
#include <linux/hash.h>
#include <linux/kprobes.h>
#include <linux/log2.h>
#include <linux/ptrace.h>

#define DATA_MAX   4096                    /* what a return probe keeps a call */
#define FPROBE_CALLS 16384                 /* under way at once, of all functions of an fprobe */

struct return_hit {
	struct kretprobe rp;
	const struct stp_function *f;
};

/* ------------------------------------------------------------------ returns */

/* What @entry() wants is evaluated in the hit of the function's entry. Non-zero: forget this call.
 * Then its return is no hit either. */
static __always_inline int hit_entry(const struct stp_function *f, unsigned long address, void *data,
				     struct pt_regs *regs)
{
	struct stp_ctx_private *v;
	unsigned long flags;
	struct stp_ctx *c;
	int forget = 0;

	if (!stp_hit_enter(&c, &flags))
		return 1;
	v = stp_private(c);
	c->regs = regs;
	c->address = address;
	c->entry = data;
	c->probe = f->probe;
	c->actions = v->actions_max;
	f->entry(c);
	if (unlikely(c->error || v->dirty)) {
		forget = c->error != NULL;
		stp_handler_finish(v);
	}
	stp_hit_end(c, flags);
	return forget;
}

static __always_inline void hit_return(const struct stp_function *f, unsigned long address, void *data,
				       struct pt_regs *regs, bool plain)
{
	unsigned long flags;
	struct stp_ctx *c;

	if (!stp_hit_enter(&c, &flags))
		return;
	c->regs = regs;
	c->address = address;
	c->saved_return = regs_return_value(regs);
	c->entry = data;
	if (plain)
		stp_run_plain(c, f->probe);
	else
		stp_handler_run(c, f->probe);
	stp_hit_end(c, flags);
}

static noinline int entry_unsafe(const struct stp_function *f, unsigned long address, void *data,
				 struct pt_regs *regs)
{
	return stp_hit_refused() ? 1 : hit_entry(f, address, data, regs);
}

static noinline void return_unsafe(const struct stp_function *f, unsigned long address, void *data,
				   struct pt_regs *regs)
{
	if (!stp_hit_refused())
		hit_return(f, address, data, regs, false);
}

/* Without the CPU's context, interrupts as they are, in any context. */
static __always_inline int entry_free(const struct stp_function *f, void *data, struct pt_regs *regs)
{
	struct stp_ctx c __attribute__((__uninitialized__));

	c.regs = regs;
	c.entry = data;
	c.error = NULL;         /* the handler looks whether there is one */
	f->entry(&c);
	return 0;
}

static __always_inline int try_entry(const struct stp_function *f, unsigned long address, void *data,
				     struct pt_regs *regs)
{
	if (f->entry_free)
		return entry_free(f, data, regs);
	return stp_hit_unsafe() ? entry_unsafe(f, address, data, regs) : hit_entry(f, address, data, regs);
}

static __always_inline void try_return(const struct stp_function *f, unsigned long address, void *data,
				       struct pt_regs *regs, bool plain)
{
	if (stp_hit_unsafe())
		return_unsafe(f, address, data, regs);
	else
		hit_return(f, address, data, regs, plain);
}

/* ------------------------------------------------------------------ returns, by kretprobe */

static inline const struct return_hit *hit_of(struct kretprobe_instance *ri)
{
	return container_of(compat_get_kretprobe(ri), struct return_hit, rp);
}

static int return_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	const struct return_hit *h = hit_of(ri);

	return try_entry(h->f, (unsigned long)h->rp.kp.addr, ri->data, regs);
}

static int return_any(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	const struct return_hit *h = hit_of(ri);

	try_return(h->f, (unsigned long)h->rp.kp.addr, ri->data, regs, false);
	return 0;
}

static int return_plain(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	const struct return_hit *h = hit_of(ri);

	try_return(h->f, (unsigned long)h->rp.kp.addr, ri->data, regs, true);
	return 0;
}

/* Calls that may be under way at once. A function that sleeps has one a thread. */
static int maxactive(const struct stp_function *f)
{
	if (f->maxactive > 0)
		return f->maxactive;
	return max_t(int, f->nsites > 64 ? 32 : 256, 4 * num_possible_cpus());
}

static void add_return(struct stp_batch *b, const struct stp_function *f, const struct stp_site *s)
{
	struct return_hit *h;
	int err = f->entry_size > DATA_MAX ? -E2BIG : -ENOMEM;

	h = err == -ENOMEM ? plat_alloc(sizeof(*h), -1) : NULL;
	if (!h)
		return stp_function_cannot(f, s, err);
	h->f = f;
	h->rp.kp.addr = (kprobe_opcode_t *)(unsigned long)s->address;
	h->rp.handler = stp_probe_plain(f->probe) ? return_plain : return_any;
	h->rp.entry_handler = f->entry ? return_entry : NULL;
	h->rp.data_size = ALIGN(f->entry_size, 8);
	h->rp.maxactive = maxactive(f);
	err = register_kretprobe(&h->rp);
	if (err) {
		plat_free(h);
		return stp_function_cannot(f, s, err);
	}
	b->kretprobes[b->nkretprobes++] = &h->rp;
	stp_function_totals.armed++;
}

/* Calls under way keep an object of the kernel's that no longer leads here. */
static void remove_kretprobes(struct stp_batch *b)
{
	u32 i;

	if (b->nkretprobes)
		unregister_kretprobes(b->kretprobes, b->nkretprobes);
	for (i = 0; i < b->nkretprobes; i++) {
		stp_function_totals.missed_returns += b->kretprobes[i]->nmissed;
		stp_function_totals.missed += b->kretprobes[i]->kp.nmissed;
		plat_free(container_of(b->kretprobes[i], struct return_hit, rp));
	}
	plat_free(b->kretprobes);
	b->kretprobes = NULL;
	b->nkretprobes = 0;
}

/* ------------------------------------------------------------------ returns, by fprobe */

#if COMPAT_FPROBE

struct return_slot {
	unsigned long ip;                  /* of the patched call; 0: free */
	const struct stp_function *f;
	const struct stp_site *site;
};

/*
 * An fprobe for many return probes that keep about as much a call: leaving it waits for every task of
 * the machine. No function is in it twice, for the fprobe has room for one probe's data a call.
 */
struct return_group {
	struct fprobe fp;
	const struct stp_function *only;   /* the one probe there is, or NULL: */
	struct return_slot *slots;         /* 2^(32 - shift) of them, at least half of them free */
	u32 shift;
	u32 n;
	u64 calls;                         /* that may be under way at once */
	int fixed;                         /* the script said how many */
	bool entry, plain, armed;
	struct return_group *next;
};

#define group_of(p) container_of(p, struct return_group, fp)

static int only_entry(struct fprobe *fp, unsigned long ip, unsigned long caller, struct pt_regs *regs,
		      void *data)
{
	return try_entry(group_of(fp)->only, ip, data, regs);
}

static void only_any(struct fprobe *fp, unsigned long ip, unsigned long caller, struct pt_regs *regs,
		     void *data)
{
	try_return(group_of(fp)->only, ip, data, regs, false);
}

static void only_plain(struct fprobe *fp, unsigned long ip, unsigned long caller, struct pt_regs *regs,
		       void *data)
{
	try_return(group_of(fp)->only, ip, data, regs, true);
}

/* The place's slot, or the free one where it would be. */
static __always_inline struct return_slot *return_slot(const struct return_group *g, unsigned long ip)
{
	u32 at = (u32)ip * GOLDEN_RATIO_32 >> g->shift;

	while (g->slots[at].ip && g->slots[at].ip != ip)
		at = (at + 1) & (~0u >> g->shift);
	return &g->slots[at];
}

static int lookup_entry(struct fprobe *fp, unsigned long ip, unsigned long caller, struct pt_regs *regs,
			void *data)
{
	const struct stp_function *f = return_slot(group_of(fp), ip)->f;

	return !f ? 1 : f->entry ? try_entry(f, ip, data, regs) : 0;
}

static void lookup_any(struct fprobe *fp, unsigned long ip, unsigned long caller, struct pt_regs *regs,
		       void *data)
{
	const struct stp_function *f = return_slot(group_of(fp), ip)->f;

	if (f)
		try_return(f, ip, data, regs, false);
}

static void lookup_plain(struct fprobe *fp, unsigned long ip, unsigned long caller, struct pt_regs *regs,
			 void *data)
{
	const struct stp_function *f = return_slot(group_of(fp), ip)->f;

	if (f)
		try_return(f, ip, data, regs, true);
}

/* What the group keeps of a call: few sizes make few groups. */
static size_t data_size(const struct stp_function *f)
{
	return f->entry_size ? roundup_pow_of_two(max_t(size_t, f->entry_size, 8)) : 0;
}

static bool fits(const struct stp_batch *b, const struct return_group *g, const struct stp_function *f)
{
	const struct stp_site *s;

	if (g->fp.entry_data_size != data_size(f) || g->fixed || f->maxactive > 0)
		return false;
	for (s = f->sites; s < f->sites + f->nsites; s++)
		if (stp_batch_has(b, s) && return_slot(g, compat_ftrace_ip(s->address))->ip)
			return false;
	return true;
}

static struct return_group *make_group(struct stp_batch *b, const struct stp_function *f)
{
	struct return_group *g = plat_alloc(sizeof(*g), -1);
	u32 n = f->maxactive > 0 ? min(f->nsites, b->returns) : b->returns;
	u32 bits = ilog2(roundup_pow_of_two(2 * n));

	if (g)
		g->slots = plat_alloc(sizeof(*g->slots) << bits, -1);
	if (!g || !g->slots) {
		plat_free(g);
		return NULL;
	}
	g->shift = 32 - bits;
	g->fp.entry_data_size = data_size(f);
	g->fixed = f->maxactive;
	g->plain = true;
	g->only = f;
	g->next = b->groups;
	b->groups = g;
	return g;
}

static void add_return_slot(struct return_group *g, const struct stp_function *f, const struct stp_site *s)
{
	unsigned long ip = compat_ftrace_ip(s->address);
	struct return_slot *slot = return_slot(g, ip);

	g->n += !slot->ip;
	*slot = (struct return_slot){ ip, f, s };
}

/* False: kretprobes then. */
static bool add_fprobe(struct stp_batch *b, const struct stp_function *f)
{
	struct return_group *g = b->groups;
	const struct stp_site *s;

	if (f->entry_size > DATA_MAX)
		return false;
	while (g && !fits(b, g, f))
		g = g->next;
	if (!g)
		g = make_group(b, f);
	if (!g)
		return false;
	for (s = f->sites; s < f->sites + f->nsites; s++) {
		if (!stp_batch_has(b, s))
			continue;
		add_return_slot(g, f, s);
		g->calls += maxactive(f);
	}
	if (g->only != f)
		g->only = NULL;
	g->plain &= stp_probe_plain(f->probe);
	g->entry |= f->entry != NULL;
	return true;
}

/* Hands what ftrace can't do to kretprobes, and the rest to the fprobe. */
static int arm_group(struct stp_batch *b, struct return_group *g, unsigned long *ips, bool *ok)
{
	struct ftrace_ops *tried = plat_alloc(sizeof(*tried), -1);
	u32 i, k;
	int err, n;

	if (!tried)
		return -ENOMEM;
	for (i = k = 0; i <= ~0u >> g->shift; i++)
		if (g->slots[i].ip)
			ips[k++] = g->slots[i].site->address;
	n = stp_ftrace_filter(tried, ips, ok, g->n);
	compat_ftrace_free_filter(tried);
	plat_free(tried);
	if (n < 0)
		return n;
	g->fp.entry_handler = !g->entry ? NULL : g->only ? only_entry : lookup_entry;
	g->fp.exit_handler = g->only ? (g->plain ? only_plain : only_any) :
				       (g->plain ? lookup_plain : lookup_any);
	g->fp.nr_maxactive = min_t(u64, g->calls, max(FPROBE_CALLS, g->fixed));
	err = n ? register_fprobe_ips(&g->fp, ips, n) : 0;
	if (err)
		return err;
	g->armed = n;
	stp_function_totals.armed += n;
	for (i = k = 0; i <= ~0u >> g->shift; i++)
		if (g->slots[i].ip && !ok[k++])
			add_return(b, g->slots[i].f, g->slots[i].site);
	return 0;
}

static void finish_fprobes(struct stp_batch *b)
{
	unsigned long *ips = b->groups ? plat_alloc(b->returns * sizeof(*ips), -1) : NULL;
	bool *ok = b->groups ? plat_alloc(b->returns, -1) : NULL;
	struct return_group *g;
	u32 i;

	for (g = b->groups; g; g = g->next) {
		if (!g->n || (ips && ok && !arm_group(b, g, ips, ok)))
			continue;
		for (i = 0; i <= ~0u >> g->shift; i++)
			if (g->slots[i].ip)
				add_return(b, g->slots[i].f, g->slots[i].site);
	}
	plat_free(ips);
	plat_free(ok);
}

static void remove_fprobes(struct stp_batch *b)
{
	struct return_group *g;

	while ((g = b->groups)) {
		b->groups = g->next;
		stp_function_totals.missed_returns += g->fp.nmissed;   /* before: calls in the meantime are counted, too */
		if (g->armed)
			unregister_fprobe(&g->fp);
		plat_free(g->slots);
		plat_free(g);
	}
}

#else

static bool add_fprobe(struct stp_batch *b, const struct stp_function *f) { return false; }
static void finish_fprobes(struct stp_batch *b) { }
static void remove_fprobes(struct stp_batch *b) { }

#endif

/* ------------------------------------------------------------------ for the family */

int stp_returns_prepare(struct stp_batch *b)
{
	b->kretprobes = plat_alloc(b->returns * sizeof(*b->kretprobes), -1);
	return b->kretprobes || !b->returns ? 0 : -ENOMEM;
}

void stp_returns_add(struct stp_batch *b, const struct stp_function *f)
{
	u32 i;

	if (add_fprobe(b, f))
		return;
	for (i = 0; i < f->nsites; i++)
		if (stp_batch_has(b, &f->sites[i]))
			add_return(b, f, &f->sites[i]);
}

void stp_returns_arm(struct stp_batch *b)
{
	finish_fprobes(b);
}

void stp_returns_remove(struct stp_batch *b)
{
	remove_fprobes(b);
	remove_kretprobes(b);
}
