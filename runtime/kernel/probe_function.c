// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Functions of the kernel and its modules. The entry of a function is hit by way of ftrace where it
 * can be: with no registers but the arguments where that is enough, else with all. Other places
 * are kprobes. Returns are fprobes, which come by way of ftrace as well, or kretprobes.
 *
 * All entries of one kind share one ftrace_ops, for leaving ftrace waits for every task of the
 * machine, once each ops. With one probe its sites need no telling apart; with more, a table from
 * address to probe does it.
 */
#include "kernel.h"
#include <linux/ftrace.h>
#include <linux/hash.h>
#include <linux/kprobes.h>
#include <linux/log2.h>
#include <linux/ptrace.h>

#define WARN_FIRST 10                      /* places that can't be probed: said one by one */
#define DATA_MAX   4096                    /* what a return probe keeps a call */
#define FPROBE_CALLS 16384                 /* under way at once, of all functions of an fprobe */

struct kprobe_hit {
	struct kprobe kp;
	const struct stp_probe *probe;
};

struct return_hit {
	struct kretprobe rp;
	const struct stp_function *f;
};

static struct {
	struct kprobe **kprobes;           /* each in a struct kprobe_hit */
	struct kretprobe **returns;        /* each in a struct return_hit */
	u32 nkprobes, nreturns;
	u32 armed, failed;
	u32 return_sites;                  /* of all return probes */
	u64 missed;                        /* of those that are gone */
} armed;

/* ------------------------------------------------------------------ what can't be probed */

static const char *reason(const struct stp_site *s, int err)
{
	switch (err) {
	case -ENOENT:
		return s->module ? "the module is not loaded, or has no such function (it has to be loaded "
				   "before the script starts)" : "no such function in the running kernel";
	case -EINVAL: return "the kernel doesn't allow a probe there";
	case -EILSEQ: return "not the start of an instruction";
	case -ENOMEM: return "no memory";
	case -EBUSY:  return "something else patches this place";
	case -ENOSYS:
	case -EOPNOTSUPP: return "this kernel has no such probes";
	}
	return NULL;
}

static void cannot(const struct stp_function *f, const struct stp_site *s, int err)
{
	char text[320], number[24], offset[24] = "";

	if (f->optional)
		return;
	if (armed.failed++ >= WARN_FIRST)
		return;
	snprintf(number, sizeof(number), "error %d", err);
	if (s->offset)
		snprintf(offset, sizeof(offset), "+0x%llx", s->offset);
	snprintf(text, sizeof(text), "can't probe %s%s%s%s%s: %s", s->module ?: "",
		 s->module ? ":" : "", s->symbol, offset, f->is_return ? " (return)" : "",
		 reason(s, err) ?: number);
	plat_message(STP_MSG_WARNING, text);
}

static void say_rest(void)
{
	char text[64];

	if (armed.failed <= WARN_FIRST)
		return;
	snprintf(text, sizeof(text), "can't probe %u more functions", armed.failed - WARN_FIRST);
	plat_message(STP_MSG_WARNING, text);
}

/* ------------------------------------------------------------------ kprobes */

static int kprobe_entry(struct kprobe *kp, struct pt_regs *regs)
{
	unsigned long flags;
	struct stp_ctx *c;

	if (!stp_hit_begin(&c, &flags))
		return 0;
	c->regs = regs;
	c->address = (unsigned long)kp->addr;
	stp_handler_run(c, container_of(kp, struct kprobe_hit, kp)->probe);
	stp_hit_end(c, flags);
	return 0;
}

static void add_kprobe(const struct stp_function *f, const struct stp_site *s)
{
	struct kprobe_hit *h = plat_alloc(sizeof(*h), -1);
	int err = -ENOMEM;

	if (!h)
		return cannot(f, s, err);
	h->probe = f->probe;
	h->kp.addr = (kprobe_opcode_t *)(unsigned long)s->address;
	h->kp.pre_handler = kprobe_entry;
	err = register_kprobe(&h->kp);
	if (err) {
		plat_free(h);
		return cannot(f, s, err);
	}
	armed.kprobes[armed.nkprobes++] = &h->kp;
	armed.armed++;
}

static void remove_kprobes(void)
{
	u32 i;

	if (armed.nkprobes)
		unregister_kprobes(armed.kprobes, armed.nkprobes);
	for (i = 0; i < armed.nkprobes; i++) {
		armed.missed += armed.kprobes[i]->nmissed;
		plat_free(container_of(armed.kprobes[i], struct kprobe_hit, kp));
	}
	plat_free(armed.kprobes);
	armed.kprobes = NULL;
	armed.nkprobes = 0;
}

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

static void add_return(const struct stp_function *f, const struct stp_site *s)
{
	struct return_hit *h;
	int err = f->entry_size > DATA_MAX ? -E2BIG : -ENOMEM;

	h = err == -ENOMEM ? plat_alloc(sizeof(*h), -1) : NULL;
	if (!h)
		return cannot(f, s, err);
	h->f = f;
	h->rp.kp.addr = (kprobe_opcode_t *)(unsigned long)s->address;
	h->rp.handler = stp_probe_plain(f->probe) ? return_plain : return_any;
	h->rp.entry_handler = f->entry ? return_entry : NULL;
	h->rp.data_size = ALIGN(f->entry_size, 8);
	h->rp.maxactive = maxactive(f);
	err = register_kretprobe(&h->rp);
	if (err) {
		plat_free(h);
		return cannot(f, s, err);
	}
	armed.returns[armed.nreturns++] = &h->rp;
	armed.armed++;
}

/* Calls under way keep an object of the kernel's that no longer leads here. */
static void remove_returns(void)
{
	u32 i;

	if (armed.nreturns)
		unregister_kretprobes(armed.returns, armed.nreturns);
	for (i = 0; i < armed.nreturns; i++) {
		armed.missed += armed.returns[i]->nmissed + armed.returns[i]->kp.nmissed;
		plat_free(container_of(armed.returns[i], struct return_hit, rp));
	}
	plat_free(armed.returns);
	armed.returns = NULL;
	armed.nreturns = 0;
}

/* ------------------------------------------------------------------ what ftrace can do */

#if COMPAT_FTRACE

/*
 * Adds the addresses [from, to) to the filter of ops, and notes in ok[] which of them ftrace
 * knows: all are tried at once, and where that fails, each half.
 */
static void filter(struct ftrace_ops *ops, unsigned long *ips, bool *ok, u32 from, u32 to)
{
	u32 middle = from + (to - from) / 2;
	bool good = !compat_ftrace_set_filter_ips(ops, ips + from, to - from);

	if (good || to - from == 1) {
		memset(ok + from, good, to - from);
		return;
	}
	filter(ops, ips, ok, from, middle);
	filter(ops, ips, ok, middle, to);
}

#endif

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

static struct return_group *groups;

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

static bool fits(const struct return_group *g, const struct stp_function *f)
{
	u32 i;

	if (g->fp.entry_data_size != data_size(f) || g->fixed || f->maxactive > 0)
		return false;
	for (i = 0; i < f->nsites; i++)
		if (f->sites[i].address && return_slot(g, compat_ftrace_ip(f->sites[i].address))->ip)
			return false;
	return true;
}

static struct return_group *make_group(const struct stp_function *f)
{
	struct return_group *g = plat_alloc(sizeof(*g), -1);
	u32 n = f->maxactive > 0 ? f->nsites : armed.return_sites;
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
	g->next = groups;
	groups = g;
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
static bool add_fprobe(const struct stp_function *f)
{
	struct return_group *g = groups;
	u32 i;

	if (f->entry_size > DATA_MAX || !f->nsites)
		return false;
	while (g && !fits(g, f))
		g = g->next;
	if (!g)
		g = make_group(f);
	if (!g)
		return false;
	for (i = 0; i < f->nsites; i++) {
		if (f->sites[i].address)
			add_return_slot(g, f, &f->sites[i]);
		else
			cannot(f, &f->sites[i], -ENOENT);
	}
	if (g->only != f)
		g->only = NULL;
	g->plain &= stp_probe_plain(f->probe);
	g->entry |= f->entry != NULL;
	g->calls += (u64)f->nsites * maxactive(f);
	return true;
}

/* Hands what ftrace can't do to kretprobes, and the rest to the fprobe. */
static int arm_group(struct return_group *g, unsigned long *ips, bool *ok)
{
	struct ftrace_ops *tried = plat_alloc(sizeof(*tried), -1);
	u32 i, k, n = 0;
	int err;

	if (!tried)
		return -ENOMEM;
	for (i = k = 0; i <= ~0u >> g->shift; i++)
		if (g->slots[i].ip)
			ips[k++] = g->slots[i].site->address;
	filter(tried, ips, ok, 0, g->n);
	compat_ftrace_free_filter(tried);
	plat_free(tried);
	for (k = 0; k < g->n; k++)
		if (ok[k])
			ips[n++] = ips[k];
	g->fp.entry_handler = !g->entry ? NULL : g->only ? only_entry : lookup_entry;
	g->fp.exit_handler = g->only ? (g->plain ? only_plain : only_any) :
				       (g->plain ? lookup_plain : lookup_any);
	g->fp.nr_maxactive = min_t(u64, g->calls, max(FPROBE_CALLS, g->fixed));
	err = n ? register_fprobe_ips(&g->fp, ips, n) : 0;
	if (err)
		return err;
	g->armed = n;
	armed.armed += n;
	for (i = k = 0; i <= ~0u >> g->shift; i++)
		if (g->slots[i].ip && !ok[k++])
			add_return(g->slots[i].f, g->slots[i].site);
	return 0;
}

static void finish_fprobes(void)
{
	unsigned long *ips = groups ? plat_alloc(armed.return_sites * sizeof(*ips), -1) : NULL;
	bool *ok = groups ? plat_alloc(armed.return_sites, -1) : NULL;
	struct return_group *g;
	u32 i;

	for (g = groups; g; g = g->next) {
		if (!g->n || (ips && ok && !arm_group(g, ips, ok)))
			continue;
		for (i = 0; i <= ~0u >> g->shift; i++)
			if (g->slots[i].ip)
				add_return(g->slots[i].f, g->slots[i].site);
	}
	plat_free(ips);
	plat_free(ok);
}

static void remove_fprobes(void)
{
	struct return_group *g;

	while ((g = groups)) {
		groups = g->next;
		armed.missed += g->fp.nmissed;     /* before: calls in the meantime are counted, too */
		if (g->armed)
			unregister_fprobe(&g->fp);
		plat_free(g->slots);
		plat_free(g);
	}
}

#else

static bool add_fprobe(const struct stp_function *f) { return false; }
static void finish_fprobes(void) { }
static void remove_fprobes(void) { }

#endif

/* ------------------------------------------------------------------ entries, by ftrace */

#if COMPAT_FTRACE

struct entry {
	unsigned long address;             /* of the function */
	const struct stp_function *f;
	const struct stp_site *site;
};

/* A place and a probe of it; `next` is the following probe of the place, in script order. */
struct entry_slot {
	unsigned long ip;                  /* of the patched call; 0: free */
	const struct stp_probe *probe;
	struct entry_slot *next;
};

static struct entry_hook {
	struct ftrace_ops ops;
	const struct stp_probe *only;      /* the one probe there is, or NULL: */
	struct entry_slot *slots;          /* 2^(32 - shift) of them, then room to run over */
	struct entry_slot *more;           /* what `next` leads to */
	u32 shift;
	struct entry *entry;               /* while arming */
	u32 n;
	bool armed;
} hooks[2];                                /* with arguments, with all registers */

static __always_inline void hit_only(unsigned long ip, struct ftrace_ops *ops,
				     struct ftrace_regs *regs, bool plain)
{
	const struct stp_probe *probe;
	unsigned long flags;
	struct stp_ctx *c;

	if (!stp_hit_enter(&c, &flags))
		return;
	c->regs = compat_ftrace_regs(regs);
	c->address = ip;
	probe = container_of(ops, struct entry_hook, ops)->only;
	if (plain)
		stp_run_plain(c, probe);
	else
		stp_handler_run(c, probe);
	stp_hit_end(c, flags);
}

static __always_inline struct entry_slot *slot_of(const struct entry_hook *h, unsigned long ip)
{
	return &h->slots[(u32)ip * GOLDEN_RATIO_32 >> h->shift];
}

static __always_inline void hit_lookup(unsigned long ip, struct ftrace_ops *ops,
				       struct ftrace_regs *regs, bool plain)
{
	const struct entry_hook *h = container_of(ops, struct entry_hook, ops);
	struct entry_slot *s = slot_of(h, ip);
	unsigned long flags;
	struct stp_ctx *c;

	for (; s->ip != ip; s++)
		if (!s->ip)
			return;
	if (!stp_hit_enter(&c, &flags))
		return;
	c->regs = compat_ftrace_regs(regs);
	c->address = ip;
	do {
		if (plain)
			stp_run_plain(c, s->probe);
		else
			stp_handler_run(c, s->probe);
		s = s->next;
	} while (s);
	stp_hit_end(c, flags);
}

/* The callbacks come in pairs, for the compiler then needs to save few registers: the quick one
 * tail-calls the other for what may have to be refused. */
#define CALLBACK(name, hit, plain)						\
static noinline void name##_unsafe(unsigned long ip, unsigned long parent,	\
				   struct ftrace_ops *ops, struct ftrace_regs *regs) \
{										\
	if (!stp_hit_refused())							\
		hit(ip, ops, regs, plain);					\
}										\
static void name(unsigned long ip, unsigned long parent, struct ftrace_ops *ops, \
		 struct ftrace_regs *regs)					\
{										\
	if (stp_hit_unsafe())							\
		name##_unsafe(ip, parent, ops, regs);				\
	else									\
		hit(ip, ops, regs, plain);					\
}
CALLBACK(entry_only, hit_only, false)
CALLBACK(entry_only_plain, hit_only, true)
CALLBACK(entry_lookup, hit_lookup, false)
CALLBACK(entry_lookup_plain, hit_lookup, true)

static void add_slot(struct entry_hook *h, struct entry_slot *more, const struct entry *e)
{
	unsigned long ip = compat_ftrace_ip(e->address);
	struct entry_slot *s = slot_of(h, ip);

	while (s->ip && s->ip != ip)
		s++;
	if (s->ip) {
		while (s->next)
			s = s->next;
		s = s->next = more;
	}
	s->ip = ip;
	s->probe = e->f->probe;
}

/* Half of the slots stay free. */
static int make_slots(struct entry_hook *h)
{
	u32 i, bits = ilog2(roundup_pow_of_two(2 * h->n));

	h->slots = plat_alloc((h->n + (1ul << bits)) * sizeof(*h->slots), -1);
	h->more = plat_alloc(h->n * sizeof(*h->more), -1);
	if (!h->slots || !h->more)
		return -ENOMEM;
	h->shift = 32 - bits;
	for (i = 0; i < h->n; i++)
		add_slot(h, &h->more[i], &h->entry[i]);
	return 0;
}

/* Keeps what ftrace can do, and hands the rest to kprobes. */
static int settle_filter(struct entry_hook *h)
{
	unsigned long *ips = plat_alloc(h->n * sizeof(*ips), -1);
	bool *ok = plat_alloc(h->n, -1);
	u32 i, n = h->n;

	if (ips && ok) {
		for (i = 0; i < n; i++)
			ips[i] = h->entry[i].address;
		filter(&h->ops, ips, ok, 0, n);
		h->n = 0;
		for (i = 0; i < n; i++) {
			if (ok[i])
				h->entry[h->n++] = h->entry[i];
			else
				add_kprobe(h->entry[i].f, h->entry[i].site);
		}
	}
	i = ips && ok;
	plat_free(ips);
	plat_free(ok);
	return i ? 0 : -ENOMEM;
}

static void choose_callback(struct entry_hook *h)
{
	bool same = true, plain = true;
	u32 i;

	for (i = 0; i < h->n; i++) {
		same &= h->entry[i].f == h->entry[0].f;
		plain &= stp_probe_plain(h->entry[i].f->probe);
	}
	h->only = same ? h->entry[0].f->probe : NULL;
	if (same)
		h->ops.func = (ftrace_func_t)(plain ? entry_only_plain : entry_only);
	else
		h->ops.func = (ftrace_func_t)(plain ? entry_lookup_plain : entry_lookup);
}

static int arm_entries(struct entry_hook *h)
{
	int err;

	err = settle_filter(h);
	if (err || !h->n)
		return err;
	choose_callback(h);
	err = h->only ? 0 : make_slots(h);
	if (err)
		return err;
	h->ops.flags |= h == &hooks[1] ? FTRACE_OPS_FL_SAVE_REGS : COMPAT_FTRACE_ARGUMENTS;
	err = register_ftrace_function(&h->ops);
	if (err)
		return err;
	h->armed = true;
	armed.armed += h->n;
	return 0;
}

static void remove_entries(void)
{
	u32 i;

	for (i = 0; i < 2; i++) {
		struct entry_hook *h = &hooks[i];

		if (h->armed)
			unregister_ftrace_function(&h->ops);
		compat_ftrace_free_filter(&h->ops);
		plat_free(h->slots);
		plat_free(h->more);
		plat_free(h->entry);
		memset(h, 0, sizeof(*h));
	}
}

static int prepare_entries(u32 nsites)
{
	u32 i;

	for (i = 0; i < 2; i++) {
		hooks[i].entry = plat_alloc(nsites * sizeof(struct entry), -1);
		if (!hooks[i].entry)
			return -ENOMEM;
	}
	return 0;
}

static void add_entry(const struct stp_function *f, const struct stp_site *s)
{
	struct entry_hook *h = &hooks[f->needs_all_regs];

	h->entry[h->n++] = (struct entry){ s->address, f, s };
}

/* ftrace won't have them at all (disabled, no memory): kprobes then. */
static void finish_entries(void)
{
	u32 i, k;

	for (i = 0; i < 2; i++) {
		struct entry_hook *h = &hooks[i];

		if (h->n && arm_entries(h))
			for (k = 0; k < h->n; k++)
				add_kprobe(h->entry[k].f, h->entry[k].site);
		plat_free(h->entry);
		h->entry = NULL;
	}
}

#else

static int prepare_entries(u32 nsites) { return 0; }
static void add_entry(const struct stp_function *f, const struct stp_site *s) { add_kprobe(f, s); }
static void finish_entries(void) { }
static void remove_entries(void) { }

#endif

/* ------------------------------------------------------------------ the family */

static void function_stop(void *table, u32 n)
{
	remove_entries();
	remove_kprobes();
	remove_fprobes();
	remove_returns();
	armed.armed = 0;
}

static void add_site(const struct stp_function *f, const struct stp_site *s)
{
	if (!s->address)
		cannot(f, s, -ENOENT);
	else if (f->is_return)
		add_return(f, s);
	else if (s->offset)
		add_kprobe(f, s);
	else
		add_entry(f, s);
}

static int prepare(const struct stp_function *f, u32 n)
{
	u32 i, nsites = 0, nreturns = 0;

	for (i = 0; i < n; i++) {
		nsites += f[i].nsites;
		nreturns += f[i].is_return ? f[i].nsites : 0;
	}
	armed.return_sites = nreturns;
	armed.kprobes = plat_alloc(nsites * sizeof(*armed.kprobes), -1);
	armed.returns = plat_alloc(nsites * sizeof(*armed.returns), -1);
	if (!armed.kprobes || !armed.returns)
		return -ENOMEM;
	return prepare_entries(nsites);
}

static int function_start(void *table, u32 n)
{
	const struct stp_function *f = table;
	u32 i, k;
	int err;

	armed.failed = 0;
	stp_sites_sort();
	err = prepare(f, n);
	if (err) {
		function_stop(table, n);
		plat_message(STP_MSG_ERROR, "no memory for function probes");
		return err;
	}
	for (i = 0; i < n; i++) {
		if (f[i].is_return && add_fprobe(&f[i]))
			continue;
		for (k = 0; k < f[i].nsites; k++)
			add_site(&f[i], &f[i].sites[k]);
	}
	finish_fprobes();
	finish_entries();
	say_rest();
	if (armed.armed || !armed.failed)
		return 0;
	function_stop(table, n);
	plat_message(STP_MSG_ERROR, "none of the function probes could be armed");
	return -ENOENT;
}

static u64 function_missed(void)
{
	return armed.missed;
}

static struct stp_site *function_sites(void *table, u32 i, u32 *n)
{
	struct stp_function *f = (struct stp_function *)table + i;

	*n = f->nsites;
	return f->sites;
}

const struct stp_family_ops stp_function_family = {
	.name = "function",
	.start = function_start,
	.stop = function_stop,
	.missed = function_missed,
	.sites = function_sites,
};
