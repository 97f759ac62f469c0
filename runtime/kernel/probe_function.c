// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Functions of the kernel and its modules. Function entries use ftrace if possible: with only the arguments if
 * these suffice, else with all registers. Other addresses use kprobes, and returns use kretprobes, which ftrace starts
 * if possible.
 *
 * All entries of one kind share one ftrace_ops, because unregistering an ops waits for every task of the machine.
 * If there is only one probe, its sites need no lookup; otherwise a hash table maps an address to its probes.
 */
#include "function.h"
#include "hash_index.h"
#include <linux/ftrace.h>
#include <linux/hash.h>
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/log2.h>
#include <linux/ptrace.h>
#include <linux/uaccess.h>

/* The kernel optimises kprobes to jumps in batches. For each batch it waits for every task of the machine, during
 * which no probe can be armed. With more kprobes than one batch, they are not optimised. */
#define OPTIMIZED_MAX  256
/* number of kprobes that are armed by one call: the kernel waits once for all of them, and does not reschedule
 * before that */
#define KPROBE_BATCH 1024
/* up to this number, addresses that cannot be probed are reported one by one */
#define WARN_FIRST 10

struct kprobe_hit {
	struct kprobe kp;
	const struct stp_probe *probe;
};

static struct stp_batch *batches;          /* under stp_modules_lock() */
struct stp_function_totals stp_function_totals;

/* ------------------------------------------------------------------ addresses that cannot be probed */

static const char *reason(const struct stp_site *s, int err)
{
	switch (err) {
	case -ENOENT:
		return s->module ? "the module has no such function, or it was in its initialisation code, which was freed" :
				   "no such function in the running kernel";
	case -EINVAL: return "the kernel does not allow a probe there";
	case -EFAULT:
		return "it is in the module's last function, where this kernel would read beyond the module's code";
	case -EILSEQ: return "not the start of an instruction";
	case -ENOMEM: return "no memory";
	case -EBUSY:  return "the instruction is already patched, for instance by another tracer";
	case -ESHUTDOWN:
		return "ftrace or kprobes are disabled (sysctl kernel.ftrace_enabled, /sys/kernel/debug/kprobes/enabled)";
	case -ENOSYS:
	case -EOPNOTSUPP: return "this kernel does not support these probes";
	}
	return NULL;
}

void stp_function_warn_unarmed(const struct stp_function *f, const struct stp_site *s, int err)
{
	char text[320], number[24], offset[24] = "";

	if (f->optional)
		return;
	/* For a wildcard these are expected, for example addresses of jump labels. */
	if (f->wildcard && err == -EINVAL) {
		stp_function_totals.refused++;
		return;
	}
	if (stp_function_totals.failed++ >= WARN_FIRST)
		return;
	snprintf(number, sizeof(number), "error %d", err);
	if (s->offset)
		snprintf(offset, sizeof(offset), "%s0x%llx", *s->symbol ? "+" : "", s->offset);
	snprintf(text, sizeof(text), "cannot probe %s%s%s%s%s: %s", s->module ?: "",
		 s->module ? ":" : "", s->symbol, offset, f->is_return ? " (return)" : "",
		 reason(s, err) ?: number);
	plat_message(STP_MSG_WARNING, text);
}

bool stp_function_skip(const struct stp_function *f, const struct stp_site *s, u32 wild)
{
	if (wild <= STP_RISKY_MAX || !stp_function_is_risky(f, s))
		return false;
	stp_function_totals.skipped++;
	return true;
}

static void warn_of_skipped(void)
{
	char text[128];

	if (stp_function_totals.skipped) {
		snprintf(text, sizeof(text), "skipped %u functions that ftrace does not trace; name a function to "
			 "probe it anyway", stp_function_totals.skipped);
		plat_message(STP_MSG_WARNING, text);
	}
	if (stp_function_totals.refused) {
		snprintf(text, sizeof(text), "skipped %u addresses where the kernel does not allow a probe",
			 stp_function_totals.refused);
		plat_message(STP_MSG_WARNING, text);
	}
	if (stp_function_totals.failed <= WARN_FIRST)
		return;
	snprintf(text, sizeof(text), "cannot probe %u more functions", stp_function_totals.failed - WARN_FIRST);
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

/*
 * Before it optimises a kprobe, the kernel decodes the function up to its presumed end: for the last function of a
 * module, the end of the pages of the module's code. It decodes the zero padding there as instructions of two
 * bytes, and if their number is odd, the last one extends beyond the end, where nothing may be mapped. This happens
 * even if the kprobe is not optimised. Kernels that stopped at an int3 have memory after the end.
 */
bool stp_kprobe_overruns(const struct stp_site *s)
{
#ifdef CONFIG_OPTPROBES
	static char name[KSYM_SYMBOL_LEN];
	unsigned long offset, size, end, last, i;
	char *at;
	u8 byte;

	if (!s->module && *s->symbol)
		return false;
	sprint_symbol(name, s->address);
	at = strrchr(name, '+');
	if (!at || sscanf(at, "+0x%lx/0x%lx", &offset, &size) != 2)
		return false;
	end = s->address - offset + size;
	if (!get_kernel_nofault(byte, (u8 *)end + MAX_INSN_SIZE - 2))
		return false;
	for (last = end - 1; last > s->address && !get_kernel_nofault(byte, (u8 *)last) && !byte; last--)
		;
	if ((end - 1 - last) % 2)
		return true;
	/* Some of the zeros may be the last bytes of the displacement of a call or jump. */
	for (i = last; i > last - 4 && last < end - 1; i--)
		if (!get_kernel_nofault(byte, (u8 *)i) && (byte == CALL_INSN_OPCODE || byte == JMP32_INSN_OPCODE))
			return true;
	return false;
#else
	return false;
#endif
}

void stp_kprobe_unoptimized(struct kprobe *kp, struct pt_regs *regs, unsigned long flags) { }

void stp_kprobe_check(struct stp_batch *b, const struct stp_function *f, const struct stp_site *s,
		      const struct kprobe *kp)
{
	if (compat_kprobe_hits(kp->addr))
		return;
	b->reported = true;
	stp_function_warn_unarmed(f, s, -ESHUTDOWN);
}

/* Bounded wait: text patching (kernel/README.md, "Why waits end"). */
void stp_kprobe_disarm(const struct stp_batch *b, struct kprobe *kp)
{
	/* KPROBE_FLAG_GONE: the module is being unloaded. */
	if (!b->reported && !(kp->flags & KPROBE_FLAG_GONE) && !compat_kprobe_hits(kp->addr))
		stp_function_totals.disabled++;
	if (kp->flags & KPROBE_FLAG_FTRACE && disable_kprobe(kp))
		kp->flags |= KPROBE_FLAG_DISABLED;
}

#if COMPAT_FTRACE
static void no_callback(unsigned long ip, unsigned long parent, struct ftrace_ops *ops, struct ftrace_regs *regs) { }

/* Bounded wait: text patching (kernel/README.md, "Why waits end"). */
bool stp_ftrace_off(struct stp_batch *b, const struct stp_site *s)
{
	unsigned long address = s->address;
	struct ftrace_ops *ops;
	int err;

	if (b->ftrace_checked || !compat_ftrace_likely(address))
		return b->ftrace_off && compat_ftrace_likely(address);
	ops = plat_alloc(sizeof(*ops), -1);
	if (!ops)
		return false;
	ops->func = (ftrace_func_t)no_callback;
	ops->flags = COMPAT_FTRACE_ARGUMENTS;
	err = stp_ftrace_register(ops, &address, 1);
	if (!err)
		stp_ftrace_unregister(ops, &address, 1);
	b->ftrace_checked = !err || err == -ESHUTDOWN;     /* any other error: ftrace does not know the address */
	b->ftrace_off = err == -ESHUTDOWN;
	compat_ftrace_free_filter(ops);
	plat_free(ops);
	return b->ftrace_off;
}
#else
bool stp_ftrace_off(struct stp_batch *b, const struct stp_site *s) { return false; }
#endif

/* Bounded wait: text patching (kernel/README.md, "Why waits end"). */
static void add_kprobe(struct stp_batch *b, const struct stp_function *f, const struct stp_site *s)
{
	struct kprobe_hit *h = stp_batch_abandoned(b) ? NULL : plat_alloc(sizeof(*h), -1);
	int err = stp_batch_abandoned(b) ? -EINTR : -ENOMEM;

	if (!h)
		return stp_function_warn_unarmed(f, s, err);
	h->probe = f->probe;
	h->kp.addr = (kprobe_opcode_t *)(unsigned long)s->address;
	h->kp.pre_handler = kprobe_entry;
	h->kp.post_handler = b->nkprobes < OPTIMIZED_MAX ? NULL : stp_kprobe_unoptimized;
	err = stp_kprobe_overruns(s) ? -EFAULT : stp_ftrace_off(b, s) ? -ESHUTDOWN : register_kprobe(&h->kp);
	if (err) {
		plat_free(h);
		return stp_function_warn_unarmed(f, s, err);
	}
	b->kprobes[b->nkprobes++] = &h->kp;
	stp_kprobe_check(b, f, s, &h->kp);
}

/* Bounded wait: text patching (kernel/README.md, "Why waits end"). */
static void remove_kprobes(struct stp_batch *b)
{
	u32 i;

	for (i = 0; i < b->nkprobes; i++)
		stp_kprobe_disarm(b, b->kprobes[i]);
	for (i = 0; i < b->nkprobes; i += KPROBE_BATCH) {
		unregister_kprobes(b->kprobes + i, min(b->nkprobes - i, (u32)KPROBE_BATCH));
		cond_resched();
	}
	for (i = 0; i < b->nkprobes; i++) {
		stp_lose(STP_LOSS_MISSED, b->kprobes[i]->nmissed);
		plat_free(container_of(b->kprobes[i], struct kprobe_hit, kp));
	}
	plat_free(b->kprobes);
	b->kprobes = NULL;
	b->nkprobes = 0;
}

/* ------------------------------------------------------------------ entries, by ftrace */

#if COMPAT_FTRACE

#define TRY_PIECE 4096                     /* number of functions that are tried at once */

/* A filter that fails is tried again in two halves, each with its own filter, since kernels copy a whole filter
 * in order to extend it. */
static void try_filter(struct ftrace_ops *scratch, unsigned long *functions, bool *ok, u32 from, u32 to)
{
	u32 middle = from + (to - from) / 2;
	bool good = to - from <= TRY_PIECE &&
		    !compat_ftrace_set_filter_ips(scratch, functions + from, to - from, true);

	if (good || to - from <= 1) {
		memset(ok + from, good, to - from);
		return;
	}
	try_filter(scratch, functions, ok, from, middle);
	try_filter(scratch, functions, ok, middle, to);
}

/* Functions whose code shows that ftrace cannot trace them are not tried: they would split the filter into many
 * pieces. */
int stp_ftrace_known(unsigned long *functions, bool *ok, u32 n)
{
	struct ftrace_ops *scratch = plat_alloc(sizeof(*scratch), -1);
	unsigned long *likely = plat_alloc(n * sizeof(*likely), -1);
	bool *tried = plat_alloc(n, -1);
	u32 i, k = 0, good = 0;

	if (scratch && likely && tried) {
		for (i = 0; i < n; i++) {
			ok[i] = compat_ftrace_likely(functions[i]);
			if (ok[i])
				likely[k++] = functions[i];
		}
		try_filter(scratch, likely, tried, 0, k);
		compat_ftrace_free_filter(scratch);
		for (i = k = 0; i < n; i++) {
			ok[i] = ok[i] && tried[k++];
			if (ok[i])
				functions[good++] = functions[i];
		}
	}
	plat_free(tried);
	plat_free(likely);
	plat_free(scratch);
	return tried && likely && scratch ? good : -ENOMEM;
}

/* Adds all pieces but the first to ops that are registered. Returns 0 or -errno. */
static int grow(struct ftrace_ops *ops, unsigned long *functions, u32 n)
{
	u32 at;
	int err = 0;

	for (at = COMPAT_FTRACE_PIECE; !err && at < n; at += COMPAT_FTRACE_PIECE) {
		cond_resched();
		err = compat_ftrace_set_filter_ips(ops, functions + at, min(n - at, COMPAT_FTRACE_PIECE), false);
	}
	return err;
}

/* Removes all pieces but the first. One that cannot be removed for lack of memory is removed with the first one. */
static void shrink(struct ftrace_ops *ops, unsigned long *functions, u32 n)
{
	int err = 0;

	for (; !err && n > COMPAT_FTRACE_PIECE; n -= COMPAT_FTRACE_PIECE) {
		err = compat_ftrace_unset_filter_ips(ops, functions + n - COMPAT_FTRACE_PIECE, COMPAT_FTRACE_PIECE);
		cond_resched();
	}
}

/* Bounded wait: text patching (kernel/README.md, "Why waits end"). */
int stp_ftrace_register(struct ftrace_ops *ops, unsigned long *functions, u32 n)
{
	int err = compat_ftrace_set_filter_ips(ops, functions, min(n, COMPAT_FTRACE_PIECE), true);

	if (err)
		return err;
	ops->flags |= COMPAT_FTRACE_NEEDED;
	err = register_ftrace_function(ops);
	if (err)
		return err == -EBUSY ? -ESHUTDOWN : err;
	err = grow(ops, functions, n);
	if (err)
		unregister_ftrace_function(ops);
	return err;
}

/* Bounded wait: text patching (kernel/README.md, "Why waits end"). */
void stp_ftrace_unregister(struct ftrace_ops *ops, unsigned long *functions, u32 n)
{
	shrink(ops, functions, n);
	unregister_ftrace_function(ops);
}

struct entry {
	unsigned long address;             /* address of the function */
	const struct stp_function *f;
	const struct stp_site *site;
};

/* An address and one of its probes; `next` is the following probe at the same address, in script order. */
struct entry_slot {
	unsigned long ip;                  /* address of the patched call instruction; 0: the slot is free */
	const struct stp_probe *probe;
	struct entry_slot *next;
};

struct entry_hook {
	struct ftrace_ops ops;
	const struct stp_probe *only;      /* the only probe, or NULL: */
	void (*adds)(struct stp_ctx *c);   /* its handler */
	struct entry_slot *slots;          /* 2^(32 - shift) slots, followed by further ones for collisions */
	struct entry_slot *more;           /* slots to which `next` points */
	u32 shift;
	struct entry *entry;               /* used while arming */
	unsigned long *functions;          /* functions that are hooked */
	u32 n;
	bool armed;
};
#define HOOKS 2                            /* hooks per batch: with arguments, with all registers */

static __always_inline void hit_single(unsigned long ip, struct ftrace_ops *ops,
				     struct ftrace_regs *regs, bool simple)
{
	const struct stp_probe *probe;
	struct compat_ftrace_buffer buffer;
	unsigned long flags;
	struct stp_ctx *c;

	if (!stp_hit_enter(&c, &flags))
		return;
	c->regs = compat_ftrace_regs(regs, &buffer);
	c->address = ip;
	probe = container_of(ops, struct entry_hook, ops)->only;
	if (simple)
		stp_run_simple(c, probe);
	else
		stp_handler_run(c, probe);
	stp_hit_end(c, flags);
}

static __always_inline struct entry_slot *slot_of(const struct entry_hook *h, unsigned long ip)
{
	return &h->slots[stp_hash_index((u32)ip * GOLDEN_RATIO_32, h->shift)];
}

static __always_inline void hit_lookup(unsigned long ip, struct ftrace_ops *ops,
				       struct ftrace_regs *regs, bool simple)
{
	const struct entry_hook *h = container_of(ops, struct entry_hook, ops);
	struct entry_slot *s = slot_of(h, ip);
	struct compat_ftrace_buffer buffer;
	unsigned long flags;
	struct stp_ctx *c;

	for (; s->ip != ip; s++)
		if (!s->ip)
			return;            /* not a hit: not one of our addresses */
	if (!stp_hit_enter(&c, &flags))
		return;
	c->regs = compat_ftrace_regs(regs, &buffer);
	c->address = ip;
	do {
		if (simple)
			stp_run_simple(c, s->probe);
		else
			stp_handler_run(c, s->probe);
		s = s->next;
	} while (s);
	stp_hit_end(c, flags);
}

/* Callbacks are in pairs, so that the compiler saves few registers: the fast one tail-calls the other one for
 * hits that may have to be skipped. */
#define CALLBACK(name, hit, simple)						\
static noinline void name##_unsafe(unsigned long ip, unsigned long parent,	\
				   struct ftrace_ops *ops, struct ftrace_regs *regs) \
{										\
	if (!stp_hit_refused())							\
		hit(ip, ops, regs, simple);					\
}										\
static void name(unsigned long ip, unsigned long parent, struct ftrace_ops *ops, \
		 struct ftrace_regs *regs)					\
{										\
	if (stp_hit_unsafe())							\
		name##_unsafe(ip, parent, ops, regs);				\
	else									\
		hit(ip, ops, regs, simple);					\
}
CALLBACK(entry_single, hit_single, false)
CALLBACK(entry_single_simple, hit_single, true)
CALLBACK(entry_lookup, hit_lookup, false)
CALLBACK(entry_lookup_simple, hit_lookup, true)

/* Callbacks for a hook with a single probe whose handler only adds: constants, or values of the hit. */
static void entry_adds_constants(unsigned long ip, unsigned long parent, struct ftrace_ops *ops,
				 struct ftrace_regs *regs)
{
	const struct entry_hook *h = container_of(ops, struct entry_hook, ops);
	struct stp_ctx_private *v = stp_adds_begin(true);

	stp_adds_run(v, h->adds, h->only, &v->c);
	stp_adds_end(true);
}

static STP_PART_FRAME void entry_adds_values(unsigned long ip, unsigned long parent, struct ftrace_ops *ops,
					     struct ftrace_regs *regs)
{
	const struct entry_hook *h = container_of(ops, struct entry_hook, ops);
	struct stp_ctx_private *v = stp_adds_begin(true);
	struct compat_ftrace_buffer buffer;
	struct stp_adds adds STP_PART_UNSET;

	adds.regs = compat_ftrace_regs(regs, &buffer);
	adds.percpu = v->c.percpu;
	stp_adds_run(v, h->adds, h->only, (struct stp_ctx *)&adds);
	stp_adds_end(true);
}

static ftrace_func_t only_callback(const struct stp_probe *p)
{
	if (!stp_probe_is_simple(p))
		return (ftrace_func_t)entry_single;
	if (!stp_probe_adds(p))
		return (ftrace_func_t)entry_single_simple;
	return (ftrace_func_t)(p->adds_only == STP_ADDS_CONSTANTS ? entry_adds_constants : entry_adds_values);
}

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

/* Bytes per entry while its hook is armed: at most four slots, and one more for collisions. */
#define ENTRY_BYTES (sizeof(void *) + HOOKS * sizeof(struct entry) + 6 * sizeof(struct entry_slot) + sizeof(long))

/* At least half of the slots are free. */
static int make_slots(struct entry_hook *h)
{
	u32 i, bits = stp_hash_bits(2ull * h->n);

	h->slots = plat_alloc((h->n + (1ul << bits)) * sizeof(*h->slots), -1);
	h->more = plat_alloc(h->n * sizeof(*h->more), -1);
	if (!h->slots || !h->more)
		return -ENOMEM;
	h->shift = 32 - bits;
	for (i = 0; i < h->n; i++)
		add_slot(h, &h->more[i], &h->entry[i]);
	return 0;
}

/* Leaves the functions that ftrace can hook to ftrace, and passes the others to kprobes. */
static int split_filter(struct stp_batch *b, struct entry_hook *h)
{
	bool *ok = plat_alloc(h->n, -1);
	u32 i, n = h->n, wild = 0;
	int err = -ENOMEM;

	h->functions = plat_alloc(n * sizeof(*h->functions), -1);
	for (i = 0; h->functions && i < n; i++)
		h->functions[i] = h->entry[i].address;
	if (h->functions && ok)
		err = min(stp_ftrace_known(h->functions, ok, n), 0);
	if (!err) {
		h->n = 0;
		for (i = 0; i < n; i++)
			wild += !ok[i] && stp_function_is_risky(h->entry[i].f, h->entry[i].site);
		for (i = 0; i < n; i++) {
			if (ok[i])
				h->entry[h->n++] = h->entry[i];
			else if (!stp_function_skip(h->entry[i].f, h->entry[i].site, wild))
				add_kprobe(b, h->entry[i].f, h->entry[i].site);
		}
	}
	plat_free(ok);
	return err;
}

static void choose_callback(struct entry_hook *h)
{
	bool same = true, simple = true;
	u32 i;

	for (i = 0; i < h->n; i++) {
		same &= h->entry[i].f == h->entry[0].f;
		simple &= stp_probe_is_simple(h->entry[i].f->probe);
	}
	h->only = same ? h->entry[0].f->probe : NULL;
	h->adds = same ? h->only->handler : NULL;
	if (same)
		h->ops.func = only_callback(h->only);
	else
		h->ops.func = (ftrace_func_t)(simple ? entry_lookup_simple : entry_lookup);
}

static int arm_entries(struct stp_batch *b, struct entry_hook *h)
{
	int err;

	err = split_filter(b, h);
	if (err || !h->n)
		return err;
	choose_callback(h);
	err = h->only ? 0 : make_slots(h);
	if (err)
		return err;
	h->ops.flags |= h == &b->hooks[1] ? FTRACE_OPS_FL_SAVE_REGS : COMPAT_FTRACE_ARGUMENTS;
	err = stp_ftrace_register(&h->ops, h->functions, h->n);
	if (err)
		return err;
	h->armed = true;
	return 0;
}

static void remove_entries(struct stp_batch *b)
{
	u32 i;

	for (i = 0; b->hooks && i < HOOKS; i++) {
		struct entry_hook *h = &b->hooks[i];

		if (h->armed)
			stp_ftrace_unregister(&h->ops, h->functions, h->n);
		compat_ftrace_free_filter(&h->ops);
		plat_free(h->functions);
		plat_free(h->slots);
		plat_free(h->more);
		plat_free(h->entry);
	}
	plat_free(b->hooks);
}

static int prepare_entries(struct stp_batch *b)
{
	u32 i;

	b->hooks = plat_alloc(HOOKS * sizeof(*b->hooks), -1);
	for (i = 0; b->hooks && i < HOOKS; i++) {
		b->hooks[i].entry = plat_alloc(b->entries * sizeof(struct entry), -1);
		if (!b->hooks[i].entry)
			return -ENOMEM;
	}
	return b->hooks ? 0 : -ENOMEM;
}

static void add_entry(struct stp_batch *b, const struct stp_function *f, const struct stp_site *s)
{
	struct entry_hook *h = &b->hooks[f->needs_all_regs];

	h->entry[h->n++] = (struct entry){ s->address, f, s };
}

/* If ftrace is out of memory, kprobes are used. If it is disabled, kprobes at function entries would never hit. */
static void finish_entries(struct stp_batch *b)
{
	u32 i, k;
	int err;

	for (i = 0; i < HOOKS; i++) {
		struct entry_hook *h = &b->hooks[i];

		err = h->n ? arm_entries(b, h) : 0;
		for (k = 0; err && k < h->n; k++) {
			if (err == -ESHUTDOWN)
				stp_function_warn_unarmed(h->entry[k].f, h->entry[k].site, err);
			else
				add_kprobe(b, h->entry[k].f, h->entry[k].site);
		}
		plat_free(h->entry);
		h->entry = NULL;
	}
}

#else

#define ENTRY_BYTES sizeof(struct kprobe_hit)

static int prepare_entries(struct stp_batch *b) { return 0; }
static void add_entry(struct stp_batch *b, const struct stp_function *f, const struct stp_site *s)
{
	add_kprobe(b, f, s);
}
static void finish_entries(struct stp_batch *b) { }
static void remove_entries(struct stp_batch *b) { }

#endif

/* ------------------------------------------------------------------ batches */

static void remove_batch(struct stp_batch *b)
{
	remove_entries(b);
	remove_kprobes(b);
	stp_returns_remove(b);
	plat_free(b);
}

static void count_sites(struct stp_batch *b, const struct stp_function *f, u32 n)
{
	u32 i, k;

	for (i = 0; i < n; i++)
		for (k = 0; k < f[i].nsites; k++)
			if (stp_batch_has(b, &f[i].sites[k]))
				*(f[i].is_return ? &b->returns : &b->entries) += 1;
}

static void add_sites(struct stp_batch *b, const struct stp_function *f)
{
	u32 i, n = 0;

	for (i = 0; i < f->nsites; i++) {
		const struct stp_site *s = &f->sites[i];

		if (s->module == b->module && !s->address && !b->again)
			stp_function_warn_unarmed(f, s, -ENOENT);
		if (!stp_batch_has(b, s))
			continue;
		n++;
		if (!f->is_return && s->offset)
			add_kprobe(b, f, s);
		else if (!f->is_return)
			add_entry(b, f, s);
	}
	if (n && f->is_return)
		stp_returns_add(b, f);
}

/* Arms the sites in the kernel image, or in a module that is loaded. */
static int arm_batch(const struct stp_function *f, u32 n, const char *module, bool again, bool starting)
{
	struct stp_batch *b = plat_alloc(sizeof(*b), -1);
	u32 i;

	if (!b)
		return -ENOMEM;
	b->module = module;
	b->again = again;
	b->starting = starting;
	count_sites(b, f, n);
	/* Entries and returns that ftrace cannot hook become kprobes. */
	b->kprobes = plat_alloc(b->entries * sizeof(*b->kprobes), -1);
	if (!b->kprobes || stp_returns_prepare(b) || prepare_entries(b)) {
		remove_batch(b);
		return -ENOMEM;
	}
	for (i = 0; i < n; i++)
		add_sites(b, &f[i]);
	stp_returns_arm(b);
	finish_entries(b);
	b->next = batches;
	batches = b;
	return stp_batch_abandoned(b) ? -EINTR : 0;
}

/* ------------------------------------------------------------------ the family */

static bool started;                       /* under stp_modules_lock() */

static void remove_all(void)
{
	struct stp_batch *b;

	while ((b = batches)) {
		batches = b->next;
		remove_batch(b);
	}
}

static void function_stop(void *table, u32 n)
{
	char text[160];

	stp_modules_lock();
	started = false;
	remove_all();
	stp_modules_unlock();
	if (!stp_function_totals.disabled)
		return;
	snprintf(text, sizeof(text), "kprobes were disabled while the script ran: hits of %u functions or statements "
		 "may be missing", stp_function_totals.disabled);
	plat_message(STP_MSG_WARNING, text);
}

/* A missing module is not an error, since it may be loaded later. */
static void warn_of_missing_module(const struct stp_function *f, u32 n, const char *module)
{
	char text[160];
	u32 i, k;

	for (i = 0; i < n; i++) {
		for (k = 0; k < f[i].nsites && !f[i].optional; k++) {
			if (f[i].sites[k].module != module)
				continue;
			snprintf(text, sizeof(text), "the module %s is not loaded: its probes will be armed when it is loaded",
				 module);
			plat_message(STP_MSG_WARNING, text);
			return;
		}
	}
}

/* Returns the number of modules that are not loaded yet, or -errno. */
static int arm_all(const struct stp_function *f, u32 n)
{
	const char *module;
	int waiting = 0, err;
	u32 i;

	err = arm_batch(f, n, NULL, false, true);
	for (i = 0; !err && (module = stp_modules_name(i)); i++) {
		if (stp_modules_loaded(i)) {
			err = arm_batch(f, n, module, false, true);
		} else {
			if (!stp_modules_refused(i))
				warn_of_missing_module(f, n, module);
			waiting++;
		}
	}
	return err ?: waiting;
}

static int function_start(void *table, u32 n)
{
	int err;

	stp_modules_lock();
	stp_function_totals = (struct stp_function_totals){ 0 };
	stp_sites_sort();
	err = arm_all(table, n);
	if (err == -ENOMEM)
		plat_message(STP_MSG_ERROR, "no memory for function probes");
	else if (err >= 0)
		warn_of_skipped();
	started = err >= 0;
	if (err < 0)
		remove_all();
	stp_modules_unlock();
	return min(err, 0);
}

/* A module that was armed before its initialisation ended is armed again after it, since the memory of the
 * initialisation is freed. */
static void function_module(void *table, u32 n, const char *module, bool comes)
{
	struct stp_batch **at, *b;
	bool again = false;

	if (!started || !*module)      /* every module with functions to probe is in the list */
		return;
	for (at = &batches; (b = *at); at = &b->next) {
		if (b->module != module)
			continue;
		*at = b->next;
		remove_batch(b);
		again = true;
		break;
	}
	if (comes && arm_batch(table, n, module, again, false))
		plat_message(STP_MSG_WARNING, "no memory for the function probes of a module");
}

static void function_expand(void *table, const void *runs, u32 nruns)
{
	const struct stp_function_run *run = runs, *end = run + nruns;
	struct stp_function *f = table;
	u32 i;

	for (; run < end; run++) {
		for (i = 0; i < run->n; i++) {
			*f = run->row;
			f->probe += i;
			f->sites += i;
			f->packed += i;
			f++;
		}
	}
}

static struct stp_site *function_sites(void *table, u32 i, u32 *n)
{
	struct stp_function *f = (struct stp_function *)table + i;
	u32 k;

	for (k = 0; f->packed && !f->sites[0].symbol && k < f->nsites; k++) {
		const struct stp_packed_site *p = &f->packed[f->nsites - 1 - k];

		f->sites[f->nsites - 1 - k] = (struct stp_site){
			.symbol = f->names + p->symbol,
			.module = p->module ? f->names + p->module : NULL,
			.base_offset = p->base_offset,
			.offset = p->offset,
		};
	}
	*n = f->nsites;
	return f->sites;
}

/* Returns need about as much memory as entries. */
static u64 function_tables(const void *table, u32 n)
{
	const struct stp_function *f = table, *end = f + n;
	u64 sites = 0;

	for (; f < end; f++)
		sites += f->nsites;
	return sites * ENTRY_BYTES;
}

const struct stp_family_ops stp_function_family = {
	.name = "function",
	.memory = stp_returns_memory,
	.tables = function_tables,
	.start = function_start,
	.stop = function_stop,
	.expand = function_expand,
	.sites = function_sites,
	.module = function_module,
};
