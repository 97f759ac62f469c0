/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the two halves of the function family offer each other: probe_function.c (the family, the
 * entries of functions, places inside) and function_return.c. All of it: process context, one at
 * a time.
 */
#ifndef KERNEL_FUNCTION_H
#define KERNEL_FUNCTION_H

#include "kernel.h"

/* Of both halves, since the family started. */
struct stp_function_totals {
	u32 armed, failed, passed_over;    /* places; the latter for ftrace doesn't know them */
	u32 refused;                       /* of wildcards, by the kernel */
};
extern struct stp_function_totals stp_function_totals;

/*
 * The places of the kernel's image, or of one of its modules: they are armed and disarmed together, when
 * the script starts and ends or the module comes and goes.
 */
struct stp_batch {
	const char *module;                /* as in its sites; NULL: the image */
	bool again;                        /* what it hasn't any more was armed before */
	u32 entries, returns;              /* places that have an address */
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

/* ------------------------------------------------------------------ probe_function.c */

/* Warns that the place can't be probed, unless that is no error; err: 0 or negative. */
void stp_function_cannot(const struct stp_function *f, const struct stp_site *s, int err);

/*
 * What ftrace doesn't know was often kept from it, for probes go through it themselves; a kprobe or kretprobe there may
 * be hit without end. And each takes long to arm. So those of wildcards aren't armed if there are many.
 */
#define STP_WILD_MAX 64
static inline bool stp_function_is_wild(const struct stp_function *f, const struct stp_site *s)
{
	return f->wildcard && !s->module;
}
/* `wild`: how many places are like that. True: this one is, and was counted. */
bool stp_function_pass_over(const struct stp_function *f, const struct stp_site *s, u32 wild);

/* Whether the kernel, to have a kprobe there, would read where nothing is. */
bool stp_kprobe_overruns(const struct stp_site *s);

/* The post_handler of kprobes that the kernel is to leave as they are: it makes no jumps of such. */
struct kprobe;
struct pt_regs;
void stp_kprobe_stays(struct kprobe *kp, struct pt_regs *regs, unsigned long flags);

/* Moves those of the functions that ftrace knows to the front, and notes in ok[] which they were. How many, or
 * -errno. */
struct ftrace_ops;
int stp_ftrace_known(unsigned long *functions, bool *ok, u32 n);

/* Registers ops for n functions that ftrace knows, and unregisters them. Both in pieces, for the kernel lets nobody
 * else run on the CPU while it patches what an ops got or lost at once. */
int stp_ftrace_register(struct ftrace_ops *ops, unsigned long *functions, u32 n);      /* 0 or -errno */
void stp_ftrace_unregister(struct ftrace_ops *ops, unsigned long *functions, u32 n);
/* Of what is registered otherwise: all but the first piece come once it is, and go before it does. What there is no
 * memory to take away with goes with the first. */
int stp_ftrace_grow(struct ftrace_ops *ops, unsigned long *functions, u32 n);          /* 0 or -errno */
void stp_ftrace_shrink(struct ftrace_ops *ops, unsigned long *functions, u32 n);

/* ------------------------------------------------------------------ function_return.c */

/* In this order; remove also after a failure. */
int stp_returns_prepare(struct stp_batch *b);          /* 0 or -ENOMEM */
u64 stp_returns_memory(const void *functions, u32 n);  /* of calls in progress */
void stp_returns_add(struct stp_batch *b, const struct stp_function *f);
void stp_returns_arm(struct stp_batch *b);
void stp_returns_remove(struct stp_batch *b);

#endif
