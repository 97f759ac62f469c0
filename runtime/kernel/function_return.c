// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Returns of functions of the kernel and its modules: fprobes, which come by way of ftrace, where the
 * kernel has those that fit; else kretprobes, led to by ftrace where it can be. Return probes that keep about as
 * much a call form a group that is armed and disarmed as one: leaving ftrace waits for every task of the machine, and
 * a kretprobe that is armed by itself has the kernel walk through all its functions.
 */
#include "function.h"
#include "place.h"
#include <linux/ftrace.h>
#include <linux/hash.h>
#include <linux/kprobes.h>
#include <linux/log2.h>
#include <linux/ptrace.h>

#define DATA_MAX   4096                    /* what a return probe keeps a call */
#define CALLS_MAX 16384                 /* under way at once, of all functions of a group */

struct return_hit {
	struct kretprobe rp;
	const struct stp_function *f;
};

/* ------------------------------------------------------------------ returns */

/* What @entry() wants is evaluated in the hit of the function's entry. Non-zero: forget this call.
 * Then its return is no hit either. */
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

#define FREE_WORK (1 << 30)            /* more than functions without loops can charge */

/* Without the CPU's context, interrupts as they are, in any context but NMI, where the stack suffices. What the entry
 * may look at is set here, in a part of a context, for a whole one takes much stack; to a runtime that checks itself
 * all else is nonsense. */
static noinline __no_stack_protector int entry_free(const struct stp_function *f, void *data, struct pt_regs *regs)
{
	u64 part[offsetof(struct stp_ctx, frame) / 8] __attribute__((__uninitialized__));
	struct stp_ctx *c = (struct stp_ctx *)part;

#ifdef STP_DEBUG
	memset(part, 0xa5, sizeof(part));
#endif
	OPTIMIZER_HIDE_VAR(c);  /* its size: no warning of what lies beyond */
	c->work = FREE_WORK;
	c->regs = regs;
	c->entry = data;
	c->error = NULL;        /* the handler looks whether there is one */
	f->entry(c);
	return 0;
}

static noinline int entry_free_unsafe(const struct stp_function *f, void *data, struct pt_regs *regs)
{
	return stp_hit_refused() ? 1 : entry_free(f, data, regs);
}

/* Each way is a function of its own, which a jump leads to: what the kernel calls needs no frame for the others. */
static __always_inline int try_entry(const struct stp_function *f, unsigned long address, void *data,
				     struct pt_regs *regs)
{
	if (f->entry_free)                             /* not a hit: that is the return */
		return stp_hit_unsafe() ? entry_free_unsafe(f, data, regs) : entry_free(f, data, regs);
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

static __always_inline void kretprobe_return(const struct stp_function *f, unsigned long address, void *data,
					     struct kretprobe_instance *ri, struct pt_regs *regs, bool plain)
{
	unsigned long ip = compat_enter_caller(ri, regs);

	try_return(f, address, data, regs, plain);
	compat_leave_caller(regs, ip);
}

static int return_any(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	const struct return_hit *h = hit_of(ri);

	kretprobe_return(h->f, (unsigned long)h->rp.kp.addr, ri->data, ri, regs, false);
	return 0;
}

static int return_plain(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	const struct return_hit *h = hit_of(ri);

	kretprobe_return(h->f, (unsigned long)h->rp.kp.addr, ri->data, ri, regs, true);
	return 0;
}

/* Calls that may be under way at once. A function that sleeps has one a thread. */
static int maxactive(const struct stp_function *f)
{
	if (f->maxactive > 0)
		return f->maxactive;
	return max_t(int, f->nsites > 64 ? 32 : 256, 4 * num_possible_cpus());
}

/* What the kernel allocates for a call that may be in progress, of a kretprobe or an fprobe. */
static u64 instance_bytes(const struct stp_function *f)
{
	return roundup_pow_of_two(sizeof(struct kretprobe_instance) + sizeof(void *) + ALIGN(f->entry_size, 8));
}

/* Probes that don't say how many share groups by what they keep a call, each of CALLS_MAX calls at the most. */
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

/* What comes back on another stack. Kernels refuse a kretprobe there, but not where functions begin with an ENDBR. */
static bool switches_stacks(const struct stp_site *s)
{
	return !s->module && !strcmp(s->symbol, "__switch_to");
}

/* Ends: text is patched (kernel/README.md, "Why waits end"). */
static void add_return(struct stp_batch *b, const struct stp_function *f, const struct stp_site *s)
{
	struct return_hit *h;
	int err = f->entry_size > DATA_MAX ? -E2BIG : switches_stacks(s) ? -EINVAL :
		  stp_kprobe_overruns(s) ? -EFAULT : -ENOMEM;

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

/* Calls under way keep an object of the kernel's that no longer leads here.
 * Ends: text is patched (kernel/README.md, "Why waits end"). */
static void remove_kretprobes(struct stp_batch *b)
{
	u32 i;

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
	unsigned long ip;                  /* of the patched call; 0: free */
	const struct stp_function *f;
	const struct stp_site *site;
	bool refused;                      /* the kernel won't have a return probe there */
};

/* No function is in a group twice, for there is room for one probe's data a call. */
struct return_group {
#if COMPAT_FPROBE
	struct fprobe fp;
	const struct stp_function *only;   /* the one probe there is, or NULL */
#else
	struct kretprobe rp;               /* keeps the calls of all; is not armed itself */
	struct ftrace_ops ops;             /* leads them there */
#endif
	struct return_slot *slots;         /* 2^(32 - shift) of them, at least half of them free */
	u32 shift;
	u32 n;
	u32 data_size;                     /* what it keeps of a call, for @entry() */
	u64 calls;                         /* that may be under way at once */
	int fixed;                         /* the script said how many */
	bool entry, plain, armed;
	int settled;                       /* 0 or -errno */
	unsigned long *functions;          /* what is hooked */
	struct return_group *next;
};

/* The place's slot, or the free one where it would be. */
static __always_inline struct return_slot *return_slot(const struct return_group *g, unsigned long ip)
{
	u32 at = stp_place((u32)ip * GOLDEN_RATIO_32, g->shift);

	while (g->slots[at].ip && g->slots[at].ip != ip)
		at = (at + 1) & stp_place(~0u, g->shift);
	return &g->slots[at];
}

/* ------------------------------------------------------------------ a group's hook: an fprobe */

#if COMPAT_FPROBE

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

/* The one probe of all slots, or NULL. */
static const struct stp_function *only_function(const struct return_group *g)
{
	const struct stp_function *f = NULL;
	u32 i;

	for (i = 0; i <= stp_place(~0u, g->shift); i++) {
		if (!g->slots[i].ip)
			continue;
		if (f && f != g->slots[i].f)
			return NULL;
		f = g->slots[i].f;
	}
	return f;
}

/* Ends: text is patched (kernel/README.md, "Why waits end"). */
static int hook_group(struct return_group *g, unsigned long *functions, u32 n)
{
	int err;

	g->only = only_function(g);
	g->fp.entry_data_size = g->data_size;
	g->fp.entry_handler = !g->entry ? NULL : g->only ? only_entry : lookup_entry;
	g->fp.exit_handler = g->only ? (g->plain ? only_plain : only_any) :
				       (g->plain ? lookup_plain : lookup_any);
	g->fp.nr_maxactive = min_t(u64, g->calls, max(CALLS_MAX, g->fixed));
	err = register_fprobe_ips(&g->fp, functions, min(n, COMPAT_FTRACE_PIECE));
	if (err)
		return err;
	err = stp_ftrace_grow(&g->fp.ops, functions, n);
	if (err)
		unregister_fprobe(&g->fp);
	return err;
}

/* Ends: text is patched (kernel/README.md, "Why waits end"). */
static void unhook_group(struct return_group *g)
{
	stp_ftrace_shrink(&g->fp.ops, g->functions, g->n);
	stp_lose(STP_LOSS_RETURNS, g->fp.nmissed);   /* before: calls in the meantime are counted, too */
	unregister_fprobe(&g->fp);
}

#else

/* ------------------------------------------------------------------ a group's hook: a kretprobe behind ftrace */

/* On its way from the callback to the kretprobe's; of interrupts in between, each puts back what it found. */
static DEFINE_PER_CPU(const struct return_slot *, entering);

struct return_data {
	const struct return_slot *slot;
	s64 entry[];
};

static int group_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct return_data *d = (void *)ri->data;
	const struct return_slot *s = d->slot = __this_cpu_read(entering);

	return s->f->entry ? try_entry(s->f, s->ip, d->entry, regs) : 0;
}

static int group_any(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct return_data *d = (void *)ri->data;

	kretprobe_return(d->slot->f, d->slot->ip, d->entry, ri, regs, false);
	return 0;
}

static int group_plain(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct return_data *d = (void *)ri->data;

	kretprobe_return(d->slot->f, d->slot->ip, d->entry, ri, regs, true);
	return 0;
}

/* ftrace lets no other in before this one is out, and keeps it on its CPU: see the flag below. */
static void enter_group(unsigned long ip, unsigned long parent, struct ftrace_ops *ops, struct ftrace_regs *regs)
{
	struct return_group *g = container_of(ops, struct return_group, ops);
	const struct return_slot *s = return_slot(g, ip), *before = __this_cpu_read(entering);

	if (!s->ip)
		return;
	__this_cpu_write(entering, s);
	g->rp.kp.pre_handler(&g->rp.kp, (struct pt_regs *)regs);
	__this_cpu_write(entering, before);
}

/* Ends: text is patched (kernel/README.md, "Why waits end"). */
static int hook_group(struct return_group *g, unsigned long *functions, u32 n)
{
	int err;

	g->rp.kp.addr = (kprobe_opcode_t *)functions[0];
	g->rp.kp.flags = KPROBE_FLAG_DISABLED;
	g->rp.entry_handler = group_entry;
	g->rp.handler = g->plain ? group_plain : group_any;
	g->rp.data_size = sizeof(struct return_data) + g->data_size;
	g->rp.maxactive = min_t(u64, g->calls, max(CALLS_MAX, g->fixed));
	err = register_kretprobe(&g->rp);
	if (err)
		return err;
	g->ops.func = (ftrace_func_t)enter_group;
	g->ops.flags = FTRACE_OPS_FL_SAVE_REGS | COMPAT_FTRACE_RECURSION;
	err = stp_ftrace_register(&g->ops, functions, n);
	if (err)
		unregister_kretprobe(&g->rp);
	return err;
}

/* Ends: text is patched (kernel/README.md, "Why waits end"). */
static void unhook_group(struct return_group *g)
{
	stp_ftrace_unregister(&g->ops, g->functions, g->n);
	unregister_kretprobe(&g->rp);
	stp_lose(STP_LOSS_RETURNS, g->rp.nmissed);
}

#endif

/* ------------------------------------------------------------------ making groups */

/* What a group keeps of a call: few sizes make few groups. */
static u32 data_size(const struct stp_function *f)
{
	return f->entry_size ? roundup_pow_of_two(max_t(u32, f->entry_size, 8)) : 0;
}

static bool fits(const struct stp_batch *b, const struct return_group *g, const struct stp_function *f)
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
	u32 bits = stp_place_bits(2ull * n);

	if (g)
		g->slots = plat_alloc((u64)sizeof(*g->slots) << bits, -1);
	if (!g || !g->slots) {
		plat_free(g);
		return NULL;
	}
	g->shift = 32 - bits;
	g->data_size = data_size(f);
	g->fixed = f->maxactive;
	g->plain = true;
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

/* False: kretprobes then. */
static bool add_to_group(struct stp_batch *b, const struct stp_function *f)
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
	g->plain &= stp_probe_plain(f->probe);
	g->entry |= f->entry != NULL;
	return true;
}

static int never_hit(struct kretprobe_instance *ri, struct pt_regs *regs) { return 0; }

static bool is_doubtful(const struct return_slot *s)
{
	return s->ip && (!s->f->allowed || switches_stacks(s->site));
}

/* Where the kernel wouldn't have a kretprobe (what switches stacks, what returns go through themselves) there
 * is to be none: each is made, without arming it, which has the kernel walk through all its jump labels. What it
 * was known to allow when the module was built needs none of that.
 * Ends: text is patched (kernel/README.md, "Why waits end"). */
static int check_slots(struct stp_batch *b, struct return_group *g)
{
	struct kretprobe *rp, **made;
	u32 i, n;
	int err;

	for (i = n = 0; i <= stp_place(~0u, g->shift); i++)
		n += is_doubtful(&g->slots[i]);
	if (!n)
		return 0;
	rp = plat_alloc(n * sizeof(*rp), -1);
	made = plat_alloc(n * sizeof(*made), -1);
	err = rp && made ? 0 : -ENOMEM;
	for (i = n = 0; !err && i <= stp_place(~0u, g->shift); i++) {
		struct return_slot *s = &g->slots[i];

		if (!is_doubtful(s))
			continue;
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
		add_return(b, s->f, s->site);  /* says why not */
	}
	if (n)
		unregister_kretprobes(made, n);
	plat_free(rp);
	plat_free(made);
	return err;
}

/* What has no slot any more, for it isn't the group's. */
static void give_away(struct stp_batch *b, struct return_group *g, struct return_slot *s)
{
	s->refused = true;
	g->n--;
	add_return(b, s->f, s->site);
}

/* What ftrace doesn't know. */
static void give_unknown(struct stp_batch *b, struct return_group *g, const bool *ok)
{
	u32 i, k, wild = 0;

	for (i = k = 0; i <= stp_place(~0u, g->shift); i++)
		if (g->slots[i].ip && !g->slots[i].refused && !ok[k++])
			wild += stp_function_is_wild(g->slots[i].f, g->slots[i].site);
	for (i = k = 0; i <= stp_place(~0u, g->shift); i++) {
		struct return_slot *s = &g->slots[i];

		if (!s->ip || s->refused || ok[k++])
			continue;
		if (!stp_function_pass_over(s->f, s->site, wild)) {
			give_away(b, g, s);
			continue;
		}
		s->refused = true;
		g->n--;
	}
}

/* Hands what ftrace can't do to kretprobes. */
static int settle_group(struct stp_batch *b, struct return_group *g)
{
	bool *ok = NULL;
	u32 i, k, n;
	int err = check_slots(b, g);

	n = g->n;
	if (err || !n)
		return err;
	g->functions = plat_alloc(n * sizeof(*g->functions), -1);
	ok = plat_alloc(n, -1);
	for (i = k = 0; g->functions && ok && i <= stp_place(~0u, g->shift); i++)
		if (g->slots[i].ip && !g->slots[i].refused)
			g->functions[k++] = g->slots[i].site->address;
	err = k ? min(stp_ftrace_known(g->functions, ok, n), 0) : -ENOMEM;
	if (!err)
		give_unknown(b, g, ok);
	plat_free(ok);
	return err;
}

/* Last: what arms the others may be in the group. */
static void arm_group(struct stp_batch *b, struct return_group *g, int err)
{
	u32 i;

	if (!err && g->n)
		err = hook_group(g, g->functions, g->n);
	for (i = 0; err && i <= stp_place(~0u, g->shift); i++)
		if (g->slots[i].ip && !g->slots[i].refused)
			give_away(b, g, &g->slots[i]);
	g->armed = g->n;
	stp_function_totals.armed += g->n;
}

static void arm_groups(struct stp_batch *b)
{
	struct return_group *g;

	for (g = b->groups; g; g = g->next)
		g->settled = settle_group(b, g);
	for (g = b->groups; g; g = g->next)
		arm_group(b, g, g->settled);
}

static void remove_groups(struct stp_batch *b)
{
	struct return_group *g;

	while ((g = b->groups)) {
		b->groups = g->next;
		if (g->armed)
			unhook_group(g);
#if !COMPAT_FPROBE
		compat_ftrace_free_filter(&g->ops);
#endif
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

/* ------------------------------------------------------------------ for the family */

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
