/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Interface between the two parts of the function family: probe_function.c (the family, function entries, addresses
 * inside functions) and function_return.c. All functions: process context, one at a time.
 */
#ifndef KERNEL_FUNCTION_H
#define KERNEL_FUNCTION_H

#include "kernel.h"

/* Counts for both parts since the family started. */
struct stp_function_totals {
	u32 failed, skipped;           /* addresses that failed; addresses that were skipped since ftrace does
				        * not know them */
	u32 refused;                       /* addresses of wildcards that the kernel refused */
	u32 disabled;                      /* kprobes that hit when they were armed, but not when they were removed */
};
extern struct stp_function_totals stp_function_totals;

/*
 * The addresses in the kernel image, or in one of its modules. They are armed and disarmed together, when the
 * script starts and ends or the module is loaded and unloaded.
 */
struct stp_batch {
	const char *module;                /* name of the module as in its sites; NULL: the kernel image */
	bool again;                        /* armed again: addresses that have disappeared were armed before */
	bool ftrace_checked, ftrace_off;   /* stp_ftrace_off() */
	bool reported;                     /* kprobes that do not hit were reported when they were armed */
	bool starting;                     /* the process that starts the session arms it, and may be killed
					    * meanwhile */
	u32 entries, returns;              /* number of addresses that are known */
	/* probe_function.c */
	struct kprobe **kprobes;
	u32 nkprobes;
	struct entry_hook *hooks;
	/* function_return.c */
	struct kretprobe **kretprobes;
	u32 nkretprobes;
	struct return_group *groups;
	struct stp_batch *next;
};

static inline bool stp_batch_has(const struct stp_batch *b, const struct stp_site *s)
{
	return s->address && s->module == b->module;
}

/* Returns true if the remaining addresses need not be armed any more, since all will be removed. Arming may take
 * long. */
static inline bool stp_batch_abandoned(const struct stp_batch *b)
{
	return b->starting && plat_killed();
}

/* ------------------------------------------------------------------ probe_function.c */

/* Warns that the address cannot be probed, unless that is expected. err: 0 or negative. */
void stp_function_warn_unarmed(const struct stp_function *f, const struct stp_site *s, int err);

/*
 * Functions that ftrace cannot hook were often excluded because probes use them; a kprobe or kretprobe there may
 * recurse infinitely. Arming each also takes long. Therefore they are skipped if a wildcard matches many of them.
 */
#define STP_RISKY_MAX 64
static inline bool stp_function_is_risky(const struct stp_function *f, const struct stp_site *s)
{
	return f->wildcard && !s->module;
}
/* wild: the number of addresses for which stp_function_is_risky(). Returns true, and counts the address, if it
 * is skipped. */
bool stp_function_skip(const struct stp_function *f, const struct stp_site *s, u32 wild);

/* Returns true if the kernel would read beyond mapped memory in order to place a kprobe there. */
bool stp_kprobe_overruns(const struct stp_site *s);

/* Returns true if a kprobe at this address would use ftrace, which is disabled. Such a kprobe would never be hit, and
 * kernels would later find that the state of ftrace is inconsistent, warn, and stop tracing (5.10: ftrace_shutdown()).
 * Context: process. Waits once per batch, as long as unregistering an ftrace_ops does. */
bool stp_ftrace_off(struct stp_batch *b, const struct stp_site *s);

struct kprobe;
struct pt_regs;
/*
 * To be called before a kprobe or kretprobe is unregistered. Without memory, kernels cannot remove the address of one
 * that uses ftrace from the filter of their callback. They then count it as disarmed, but leave it enabled and, when it
 * is unregistered, in their table (5.10 to 7.2: __disarm_kprobe_ftrace(), __unregister_kprobe_top()). Marked as
 * disabled, it is unregistered, and the callback ignores addresses without a kprobe (kprobe_ftrace_handler()). A
 * second try would be counted again, and kprobes of other tracers would no longer be hit. May sleep.
 */
void stp_kprobe_disarm(const struct stp_batch *b, struct kprobe *kp);

/* Reports the function if its kprobe, which is armed, does not hit. */
void stp_kprobe_check(struct stp_batch *b, const struct stp_function *f, const struct stp_site *s,
		      const struct kprobe *kp);

/* A post_handler for kprobes that the kernel must not optimise: kprobes that have one are not turned into jumps. */
void stp_kprobe_unoptimized(struct kprobe *kp, struct pt_regs *regs, unsigned long flags);

/* Moves the functions that ftrace can trace to the front, and stores in ok[] which they are. Returns their
 * number, or -errno. */
struct ftrace_ops;
int stp_ftrace_known(unsigned long *functions, bool *ok, u32 n);

/* Registers and unregisters ops for n functions that ftrace can trace, in pieces, since the kernel does not
 * reschedule while it patches all functions that one call adds or removes. Register returns 0 or -errno: -ESHUTDOWN
 * if ftrace is disabled. */
int stp_ftrace_register(struct ftrace_ops *ops, unsigned long *functions, u32 n);
void stp_ftrace_unregister(struct ftrace_ops *ops, unsigned long *functions, u32 n);

/* ------------------------------------------------------------------ function_return.c */

/* Called in this order; remove is also called after a failure. */
int stp_returns_prepare(struct stp_batch *b);          /* 0 or -ENOMEM */
u64 stp_returns_memory(const void *functions, u32 n);  /* returns the memory for calls in progress, in bytes */
void stp_returns_add(struct stp_batch *b, const struct stp_function *f);
void stp_returns_arm(struct stp_batch *b);
void stp_returns_remove(struct stp_batch *b);

#endif
