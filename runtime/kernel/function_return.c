// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Returns of functions of the kernel and its modules: by kretprobes, started from ftrace if possible. Return probes
 * that save a similar amount of data per call form a group with one kretprobe that is armed and disarmed together:
 * unregistering an ftrace_ops waits for every task of the machine, and for each kretprobe that is armed separately
 * the kernel scans all its functions.
 */
#include "function.h"
#include "hash_index.h"
#include <linux/ftrace.h>
#include <linux/hash.h>
#include <linux/kprobes.h>
#include <linux/log2.h>
#include <linux/ptrace.h>

#define DATA_MAX   4096                    /* maximum size of the data that a return probe saves per call */
#define CALLS_MAX 16384                 /* maximum number of calls in progress, for all functions of a group */

struct return_hit {
	struct kretprobe rp;
	const struct stp_function *f;
};

/* ------------------------------------------------------------------ returns */

/* Evaluates @entry() expressions in a hit at the function's entry. Returns nonzero if the call is not recorded;
 * then its return is not a hit either. */
static noinline int hit_entry(const struct stp_function *f, unsigned long address, void *data, struct pt_regs *regs)
{
	unsigned long flags;
	struct stp_ctx *c;
	int forget;

	if (!stp_hit_enter(&c, &flags))
		return 1;
	c->regs = regs;
	c->address = address;
	c->entry = data;
	forget = !stp_entry_run(c, f->probe, f->entry);
	stp_hit_end(c, flags);
	return forget;
}

static __always_inline void hit_return(const struct stp_function *f, unsigned long address, void *data,
				       struct pt_regs *regs, bool simple)
{
	unsigned long flags;
	struct stp_ctx *c;

	if (!stp_hit_enter(&c, &flags))
		return;
	c->regs = regs;
	c->address = address;
	c->saved_return = regs_return_value(regs);
	c->entry = data;
	if (simple)
		stp_run_simple(c, f->probe);
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

static noinline int entry_free_unsafe(const struct stp_function *f, void *data, struct pt_regs *regs)
{
	return stp_hit_refused() ? 1 : f->entry_free(regs, data);
}

static __always_inline bool has_entry(const struct stp_function *f)
{
	return f->entry_free || f->entry;
}

/* Each path is a separate function, reached by a jump, so that the kernel's callback needs no stack frame for the
 * others. */
static __always_inline int try_entry(const struct stp_function *f, unsigned long address, void *data,
				     struct pt_regs *regs)
{
	if (f->entry_free)                             /* not a hit: the return is one */
		return stp_hit_unsafe() ? entry_free_unsafe(f, data, regs) : f->entry_free(regs, data);
	return stp_hit_unsafe() ? entry_unsafe(f, address, data, regs) : hit_entry(f, address, data, regs);
}

static __always_inline void try_return(const struct stp_function *f, unsigned long address, void *data,
				       struct pt_regs *regs, bool simple)
{
	if (stp_hit_unsafe())
		return_unsafe(f, address, data, regs);
	else
		hit_return(f, address, data, regs, simple);
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

static __always_inline void kretprobe_return(const struct stp_function *f, unsigned long address, void *data,
					     struct kretprobe_instance *ri, struct pt_regs *regs, bool simple)
{
	unsigned long ip = compat_enter_caller(ri, regs);

	try_return(f, address, data, regs, simple);
	compat_leave_caller(regs, ip);
}

static int return_any(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	const struct return_hit *h = hit_of(ri);

	kretprobe_return(h->f, (unsigned long)h->rp.kp.addr, ri->data, ri, regs, false);
	return 0;
}

static int return_simple(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	const struct return_hit *h = hit_of(ri);

	kretprobe_return(h->f, (unsigned long)h->rp.kp.addr, ri->data, ri, regs, true);
	return 0;
}

/* Maximum number of calls in progress. A function that sleeps may have one per thread. */
static int maxactive(const struct stp_function *f)
{
	if (f->maxactive > 0)
		return f->maxactive;
	return max_t(int, f->nsites > 64 ? 32 : 256, 4 * num_possible_cpus());
}

/* Bytes that the kernel allocates per call in progress, for a kretprobe. */
static u64 instance_bytes(const struct stp_function *f)
{
	return roundup_pow_of_two(sizeof(struct kretprobe_instance) + sizeof(void *) + ALIGN(f->entry_size, 8));
}

/* Probes without .maxactive share groups by the size of their data per call, each group with at most CALLS_MAX
 * calls. */
u64 stp_returns_memory(const void *functions, u32 n)
{
	const struct stp_function *f = functions, *end = f + n;
	u64 shared[ilog2(DATA_MAX) + 2] = {}, bytes = 0, calls, *of;

	for (; f < end; f++) {
		if (!f->is_return || f->entry_size > DATA_MAX)
			continue;
		calls = (u64)maxactive(f) * f->nsites;
		if (COMPAT_RETURN_GROUPS && f->maxactive > 0)
			calls = min_t(u64, calls, max(CALLS_MAX, f->maxactive));
		of = &shared[f->entry_size ? ilog2(f->entry_size) + 1 : 0];
		if (COMPAT_RETURN_GROUPS && f->maxactive <= 0)
			calls = min(calls, CALLS_MAX - min_t(u64, *of, CALLS_MAX));
		*of += f->maxactive > 0 ? 0 : calls;
		bytes += calls * instance_bytes(f);
	}
	return bytes;
}

/* Returns true for functions that return on another stack. Kernels refuse a kretprobe there, but not if functions
 * begin with an ENDBR. */
static bool switches_stacks(const struct stp_site *s)
{
	return !s->module && !strcmp(s->symbol, "__switch_to");
}

/* Bounded wait: text patching (kernel/README.md, "Why waits end"). */
static void add_return(struct stp_batch *b, const struct stp_function *f, const struct stp_site *s)
{
	struct return_hit *h;
	int err = stp_batch_abandoned(b) ? -EINTR : f->entry_size > DATA_MAX ? -E2BIG : switches_stacks(s) ? -EINVAL :
		  stp_kprobe_overruns(s) ? -EFAULT : stp_ftrace_off(b, s) ? -ESHUTDOWN : -ENOMEM;

	h = err == -ENOMEM ? plat_alloc(sizeof(*h), -1) : NULL;
	if (!h)
		return stp_function_warn_unarmed(f, s, err);
	h->f = f;
	h->rp.kp.addr = (kprobe_opcode_t *)(unsigned long)s->address;
	h->rp.handler = stp_probe_is_simple(f->probe) ? return_simple : return_any;
	h->rp.entry_handler = has_entry(f) ? return_entry : NULL;
	h->rp.data_size = ALIGN(f->entry_size, 8);
	h->rp.maxactive = maxactive(f);
	err = register_kretprobe(&h->rp);
	if (err) {
		plat_free(h);
		return stp_function_warn_unarmed(f, s, err);
	}
	b->kretprobes[b->nkretprobes++] = &h->rp;
	stp_kprobe_check(b, f, s, &h->rp.kp);
}

/* Calls in progress have a kernel object that no longer points to the module. Bounded wait: text patching
 * (kernel/README.md, "Why waits end"). */
static void remove_kretprobes(struct stp_batch *b)
{
	u32 i;

	for (i = 0; i < b->nkretprobes; i++)
		stp_kprobe_disarm(b, &b->kretprobes[i]->kp);
	if (b->nkretprobes)
		unregister_kretprobes(b->kretprobes, b->nkretprobes);
	for (i = 0; i < b->nkretprobes; i++) {
		stp_lose(STP_LOSS_RETURNS, b->kretprobes[i]->nmissed);
		stp_lose(STP_LOSS_MISSED, b->kretprobes[i]->kp.nmissed);
		plat_free(container_of(b->kretprobes[i], struct return_hit, rp));
	}
	plat_free(b->kretprobes);
	b->kretprobes = NULL;
	b->nkretprobes = 0;
}

#if COMPAT_RETURN_GROUPS
/* ------------------------------------------------------------------ groups */

struct return_slot {
	unsigned long ip;                  /* address of the patched call instruction; 0: the slot is free */
	const struct stp_function *f;
	const struct stp_site *site;
	bool refused;                      /* the kernel does not allow a return probe there */
};

/* A group contains each function once, since it saves the data of one probe per call. */
struct return_group {
	struct kretprobe rp;               /* it has the objects of all calls, but is not armed itself */
	struct ftrace_ops ops;             /* calls `rp` at function entries */
	const struct return_slot *only;    /* the slot of the only function, or NULL */
	bool all_regs;                     /* a probe uses registers other than arguments, sp and ip */
	struct return_slot *slots;         /* 2^(32 - shift) slots, at least half of them free */
	u32 shift;
	u32 n;
	u32 data_size;                     /* bytes saved per call, for @entry() */
	u64 calls;                         /* maximum number of calls in progress */
	int fixed;                         /* number given in the script */
	bool simple, armed;
	int result;                       /* 0 or -errno */
	unsigned long *functions;          /* functions that are hooked */
	struct return_group *next;
};

/* Returns the slot of this address, or the free slot to insert it. */
static __always_inline struct return_slot *return_slot(const struct return_group *g, unsigned long ip)
{
	u32 at = stp_hash_index((u32)ip * GOLDEN_RATIO_32, g->shift);

	while (g->slots[at].ip && g->slots[at].ip != ip)
		at = (at + 1) & stp_hash_index(~0u, g->shift);
	return &g->slots[at];
}

/* ------------------------------------------------------------------ a group's hook */

/*
 * The slot of the call for which the callback runs on this CPU. The callback passes the slot to the kretprobe, and
 * detects recursion, since the kernel's functions that the kretprobe calls may be in the group. There is one for
 * NMIs and breakpoints, whose preempt_count() has NMI_MASK, and one for all other contexts, none of which
 * interrupts the callback, since it disables interrupts. ftrace's own check for recursion would take more
 * instructions than the rest of the callback.
 */
static DEFINE_PER_CPU(struct { const struct return_slot *nmi; const struct return_slot *other; }, entering);
static const struct return_slot recorded;
#define RECORDED (&recorded)               /* instead of the slot: the kretprobe has an object for the call */

static __always_inline const struct return_slot *entering_slot(bool nmi)
{
	return nmi ? raw_cpu_read(entering.nmi) : raw_cpu_read(entering.other);
}

static __always_inline void set_entering_slot(bool nmi, const struct return_slot *s)
{
	if (nmi)
		raw_cpu_write(entering.nmi, s);
	else
		raw_cpu_write(entering.other, s);
}

struct return_data {
	const struct return_slot *slot;
	s64 entry[];
};

static __always_inline int record_call(struct kretprobe_instance *ri, struct pt_regs *regs, bool nmi)
{
	struct return_data *d = (void *)ri->data;
	const struct return_slot *s = d->slot = entering_slot(nmi);

	set_entering_slot(nmi, RECORDED);
	return has_entry(s->f) ? try_entry(s->f, s->ip, d->entry, regs) : 0;
}

static noinline int record_call_in_nmi(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	return record_call(ri, regs, true);
}

static int group_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	return unlikely(preempt_count() & NMI_MASK) ? record_call_in_nmi(ri, regs) : record_call(ri, regs, false);
}

static __always_inline void group_return(struct rethook_node *node, struct pt_regs *regs, bool simple)
{
	struct kretprobe_instance *ri = container_of(node, struct kretprobe_instance, node);
	struct return_data *d = (void *)ri->data;

	kretprobe_return(d->slot->f, d->slot->ip, d->entry, ri, regs, simple);
}

static __always_inline void return_of_any(struct rethook_node *node, struct pt_regs *regs)
{
	group_return(node, regs, false);
}

static __always_inline void return_of_simple(struct rethook_node *node, struct pt_regs *regs)
{
	group_return(node, regs, true);
}

COMPAT_RETHOOK_HANDLER(group_any, return_of_any)
COMPAT_RETHOOK_HANDLER(group_simple, return_of_simple)

/* Never called: see COMPAT_RETHOOK_HANDLER. */
static int no_handler(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	return 0;
}

/* Counts a call whose return will not be a hit. The kernel's own count is not atomic. */
static noinline void lose_call(enum stp_loss reason)
{
	stp_lose(stp_hit_outside() ? STP_LOSS_OUTSIDE : reason, 1);
}

static __always_inline void enter_call(struct return_group *g, const struct return_slot *s, struct pt_regs *regs,
				       bool nmi)
{
	if (unlikely(entering_slot(nmi)))
		return lose_call(STP_LOSS_MISSED);
	set_entering_slot(nmi, s);
	g->rp.kp.pre_handler(&g->rp.kp, regs);
	if (unlikely(entering_slot(nmi) != RECORDED))
		lose_call(STP_LOSS_RETURNS);
	set_entering_slot(nmi, NULL);
}

static noinline void enter_call_in_nmi(struct return_group *g, const struct return_slot *s, struct pt_regs *regs)
{
	enter_call(g, s, regs, true);
}

/* With lockdep preemption is disabled, too: it does not see that interrupts are, and kretprobes make it check that
 * one of both is. */
static void enter_group(unsigned long ip, unsigned long parent, struct ftrace_ops *ops, struct ftrace_regs *regs)
{
	struct return_group *g = container_of(ops, struct return_group, ops);
	const struct return_slot *s = g->only;
	unsigned long flags;

	if (!s)
		s = return_slot(g, ip);
	if (s->ip != ip)
		return;
	if (IS_ENABLED(CONFIG_TRACE_IRQFLAGS))
		preempt_disable_notrace();
	raw_local_irq_save(flags);
	if (unlikely(preempt_count() & NMI_MASK))
		enter_call_in_nmi(g, s, (struct pt_regs *)regs);
	else
		enter_call(g, s, (struct pt_regs *)regs, false);
	raw_local_irq_restore(flags);
	if (IS_ENABLED(CONFIG_TRACE_IRQFLAGS))
		preempt_enable_notrace();
}

static const struct return_slot *only_slot(const struct return_group *g)
{
	u32 i;

	for (i = 0; g->n == 1 && i <= stp_hash_index(~0u, g->shift); i++)
		if (g->slots[i].ip && !g->slots[i].refused)
			return &g->slots[i];
	return NULL;
}

/* Bounded wait: text patching (kernel/README.md, "Why waits end"). */
static int hook_group(struct return_group *g, unsigned long *functions, u32 n)
{
	int err;

	g->rp.kp.addr = (kprobe_opcode_t *)functions[0];
	g->rp.kp.flags = KPROBE_FLAG_DISABLED;
	g->rp.entry_handler = group_entry;
	g->rp.handler = no_handler;
	g->rp.data_size = sizeof(struct return_data) + g->data_size;
	g->rp.maxactive = min_t(u64, g->calls, max(CALLS_MAX, g->fixed));
	err = register_kretprobe(&g->rp);
	if (err)
		return err;
	g->rp.rh->handler = g->simple ? compat_rethook_handler(group_simple) : compat_rethook_handler(group_any);
	g->only = only_slot(g);
	g->ops.func = (ftrace_func_t)enter_group;
	g->ops.flags = g->all_regs ? FTRACE_OPS_FL_SAVE_REGS : COMPAT_FTRACE_ARGUMENTS;
	err = stp_ftrace_register(&g->ops, functions, n);
	if (err)
		unregister_kretprobe(&g->rp);
	return err;
}

/* Bounded wait: text patching (kernel/README.md, "Why waits end"). */
static void unhook_group(struct return_group *g)
{
	stp_ftrace_unregister(&g->ops, g->functions, g->n);
	unregister_kretprobe(&g->rp);
}

/* ------------------------------------------------------------------ formation of groups */

/* The kernel's limit for a kretprobe is DATA_MAX. */
#define GROUP_DATA_MAX ((u32)(DATA_MAX - sizeof(struct return_data)))

/* Returns the data size of the group for a function, rounded so that there are few groups. */
static u32 data_size(const struct stp_function *f)
{
	return f->entry_size ? min(roundup_pow_of_two(max_t(u32, f->entry_size, 8)), GROUP_DATA_MAX) : 0;
}

static bool fits_group(const struct stp_batch *b, const struct return_group *g, const struct stp_function *f)
{
	const struct stp_site *s;

	if (g->data_size != data_size(f) || g->fixed || f->maxactive > 0)
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
	u32 bits = stp_hash_bits(2ull * n);

	if (g)
		g->slots = plat_alloc((u64)sizeof(*g->slots) << bits, -1);
	if (!g || !g->slots) {
		plat_free(g);
		return NULL;
	}
	g->shift = 32 - bits;
	g->data_size = data_size(f);
	g->fixed = f->maxactive;
	g->simple = true;
	g->next = b->groups;
	b->groups = g;
	return g;
}

static void add_return_slot(struct return_group *g, const struct stp_function *f, const struct stp_site *s)
{
	unsigned long ip = compat_ftrace_ip(s->address);
	struct return_slot *slot = return_slot(g, ip);

	g->n += !slot->ip;
	*slot = (struct return_slot){ .ip = ip, .f = f, .site = s };
}

/* Returns false if a kretprobe must be used instead. */
static bool add_to_group(struct stp_batch *b, const struct stp_function *f)
{
	struct return_group *g = b->groups;
	const struct stp_site *s;

	if (f->entry_size > GROUP_DATA_MAX)
		return false;
	while (g && !fits_group(b, g, f))
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
	g->simple &= stp_probe_is_simple(f->probe);
	g->all_regs |= f->needs_all_regs;
	return true;
}

static int never_hit(struct kretprobe_instance *ri, struct pt_regs *regs) { return 0; }

static bool is_doubtful(const struct return_slot *s)
{
	return s->ip && (!s->f->allowed || switches_stacks(s->site));
}

/* Removes functions that the kernel does not allow return probes on (functions that switch stacks or that return
 * probes use themselves): a kretprobe is made for each, without arming it, for which the kernel scans all its jump
 * labels. Functions that were known to be allowed when the module was built are not checked. Bounded wait: text
 * patching (kernel/README.md, "Why waits end"). */
static int check_slots(struct stp_batch *b, struct return_group *g)
{
	struct kretprobe *rp, **made;
	u32 i, n;
	int err;

	for (i = n = 0; i <= stp_hash_index(~0u, g->shift); i++)
		n += is_doubtful(&g->slots[i]);
	if (!n)
		return 0;
	rp = plat_alloc(n * sizeof(*rp), -1);
	made = plat_alloc(n * sizeof(*made), -1);
	err = rp && made ? 0 : -ENOMEM;
	for (i = n = 0; !err && i <= stp_hash_index(~0u, g->shift); i++) {
		struct return_slot *s = &g->slots[i];

		if (!is_doubtful(s))
			continue;
		if (stp_batch_abandoned(b)) {
			err = -EINTR;
			break;
		}
		rp[n].kp.addr = (kprobe_opcode_t *)(unsigned long)s->site->address;
		rp[n].kp.flags = KPROBE_FLAG_DISABLED;
		rp[n].handler = never_hit;
		rp[n].maxactive = 1;
		s->refused = switches_stacks(s->site) || register_kretprobe(&rp[n]);
		if (!s->refused) {
			made[n] = &rp[n];
			n++;
			continue;
		}
		memset(&rp[n], 0, sizeof(rp[n]));
		g->n--;
		add_return(b, s->f, s->site);  /* add_return() reports the reason */
	}
	if (n)
		unregister_kretprobes(made, n);
	plat_free(rp);
	plat_free(made);
	return err;
}

/* Handles a function that does not belong to the group and has no slot any more. err: why not; if ftrace is disabled,
 * a kretprobe at a function that ftrace knows would never hit. */
static void move_to_kretprobe(struct stp_batch *b, struct return_group *g, struct return_slot *s, int err)
{
	s->refused = true;
	g->n--;
	if (err == -ESHUTDOWN)
		stp_function_warn_unarmed(s->f, s->site, err);
	else
		add_return(b, s->f, s->site);
}

/* Removes functions that ftrace does not know. */
static void remove_unknown(struct stp_batch *b, struct return_group *g, const bool *ok)
{
	u32 i, k, wild = 0;

	for (i = k = 0; i <= stp_hash_index(~0u, g->shift); i++)
		if (g->slots[i].ip && !g->slots[i].refused && !ok[k++])
			wild += stp_function_is_risky(g->slots[i].f, g->slots[i].site);
	for (i = k = 0; i <= stp_hash_index(~0u, g->shift); i++) {
		struct return_slot *s = &g->slots[i];

		if (!s->ip || s->refused || ok[k++])
			continue;
		if (!stp_function_skip(s->f, s->site, wild)) {
			move_to_kretprobe(b, g, s, 0);
			continue;
		}
		s->refused = true;
		g->n--;
	}
}

/* Passes functions that ftrace cannot hook to kretprobes. */
static int resolve_group(struct stp_batch *b, struct return_group *g)
{
	bool *ok = NULL;
	u32 i, k, n;
	int err = check_slots(b, g);

	n = g->n;
	if (err || !n)
		return err;
	g->functions = plat_alloc(n * sizeof(*g->functions), -1);
	ok = plat_alloc(n, -1);
	for (i = k = 0; g->functions && ok && i <= stp_hash_index(~0u, g->shift); i++)
		if (g->slots[i].ip && !g->slots[i].refused)
			g->functions[k++] = g->slots[i].site->address;
	err = k ? min(stp_ftrace_known(g->functions, ok, n), 0) : -ENOMEM;
	if (!err)
		remove_unknown(b, g, ok);
	plat_free(ok);
	return err;
}

/* Called last, since functions that arming uses may be in the group. */
static void arm_group(struct stp_batch *b, struct return_group *g, int err)
{
	u32 i;

	if (!err && g->n)
		err = hook_group(g, g->functions, g->n);
	for (i = 0; err && i <= stp_hash_index(~0u, g->shift); i++)
		if (g->slots[i].ip && !g->slots[i].refused)
			move_to_kretprobe(b, g, &g->slots[i], err);
	g->armed = g->n;
}

static void arm_groups(struct stp_batch *b)
{
	struct return_group *g;

	for (g = b->groups; g; g = g->next)
		g->result = resolve_group(b, g);
	for (g = b->groups; g; g = g->next)
		arm_group(b, g, g->result);
}

static void remove_groups(struct stp_batch *b)
{
	struct return_group *g;

	while ((g = b->groups)) {
		b->groups = g->next;
		if (g->armed)
			unhook_group(g);
		compat_ftrace_free_filter(&g->ops);
		plat_free(g->functions);
		plat_free(g->slots);
		plat_free(g);
	}
}

#else

static bool add_to_group(struct stp_batch *b, const struct stp_function *f) { return false; }
static void arm_groups(struct stp_batch *b) { }
static void remove_groups(struct stp_batch *b) { }

#endif

/* ------------------------------------------------------------------ interface to the family */

int stp_returns_prepare(struct stp_batch *b)
{
	b->kretprobes = plat_alloc(b->returns * sizeof(*b->kretprobes), -1);
	return b->kretprobes || !b->returns ? 0 : -ENOMEM;
}

void stp_returns_add(struct stp_batch *b, const struct stp_function *f)
{
	u32 i;

	if (add_to_group(b, f))
		return;
	for (i = 0; i < f->nsites; i++)
		if (stp_batch_has(b, &f->sites[i]))
			add_return(b, f, &f->sites[i]);
}

void stp_returns_arm(struct stp_batch *b)
{
	arm_groups(b);
}

void stp_returns_remove(struct stp_batch *b)
{
	remove_groups(b);
	remove_kretprobes(b);
}
