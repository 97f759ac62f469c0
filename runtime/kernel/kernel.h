/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The platform in a kernel module: what its files offer each other. Include this first; it brings
 * the kernel's basic headers, then the core's.
 *
 * Life of a module: main.c registers the device. Its opening makes the rings, HELLO the session
 * (memory, addresses), START runs it, STOP ends it, closing the device then frees what it had; all in
 * control.c. Hits arrive through probe_*.c, each in the context of its CPU (context.c).
 */
#ifndef KERNEL_KERNEL_H
#define KERNEL_KERNEL_H

#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/errno.h>
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/vmalloc.h>

#define STP_TYPES_GIVEN
#include "../include/bounds.h"
#include "../core/context.h"
#include "../core/session.h"
#include "../include/stack.h"
#include "compat.h"

/* ------------------------------------------------------------------ stack.c */

/* Before anything is armed: finds the CPUs' stacks, in 2 s at most. Process context. */
void stp_stacks_make(void);
/* Bytes left on the stack that runs now, be it a task's, the interrupts' or an exception's; 0: unknown. Any context. */
unsigned long stp_stack_left(void);
bool stp_stack_short(void);                /* any context: a handler doesn't fit any more; counted as skipped */
u32 stp_stack_needed(void);               /* bytes that must be left of a stack for a handler */

/* ------------------------------------------------------------------ context.c */

DECLARE_PER_CPU(struct stp_ctx *, stp_cpu_ctx);

/* slices.c. Families whose probes may be in slices start it once and stop it once. May sleep; 0 or -errno. */
int stp_slices_start(void);
void stp_slices_stop(void);
/* A tick of p, which is in slices: makes the copies and has the thread run the rest. It is counted as missed if the
 * rest of the last tick has not ended. Context: interrupt. */
void stp_slices_tick(const struct stp_probe *p);
/* Waits until what is due has run. Gates are closed, and RCU has waited for the last hits. NULL: no thread. Context:
 * may sleep. */
extern void (*stp_slices_finish)(void);
/* Runs p, and waits for it; argument: c->arguments[0]. False, and counted: the session does not run (any more), the
 * stack is too full, a lock timeout, or the process was killed. Process context, may sleep. */
bool stp_slices_request(const struct stp_probe *p, u64 argument);

/* CPUs that have a context and a ring: those online when the device was first opened. */
extern struct cpumask stp_cpus;
void stp_cpus_choose(void);
#ifdef STP_DEBUG
void stp_memory_check(void);       /* all of plat_alloc() has been freed */
#else
#define stp_memory_check() do { } while (0)
#endif

/*
 * A hit that must perhaps be refused: in an NMI, whose stack is small, or with little stack left.
 * Quick and too strict: kprobes' breakpoints look like NMIs, and only a task's stack is aligned to
 * its size, which is what is in use where the counts of interrupts are all 0 (but for the first and the last
 * functions of an interrupt, which are at the top of its stack). stp_hit_refused() decides, and counts what it refuses.
 */
#define STP_STACK_MOST (THREAD_SIZE / 4)
_Static_assert(STP_MOST_MINSTACKSPACE <= STP_STACK_MOST && !(STP_STACK_MOST & (STP_STACK_MOST - 1)),
	       "MINSTACKSPACE is what is checked");
static __always_inline bool stp_hit_unsafe(void)
{
	return unlikely(preempt_count() & (NMI_MASK | HARDIRQ_MASK | SOFTIRQ_MASK)) ||
	       unlikely(!(current_stack_pointer & (THREAD_SIZE - STP_STACK_MOST)));
}
bool stp_hit_refused(void);

/*
 * One hit: interrupts off (the context is the CPU's, and what an interrupt's own hits would find
 * is a busy context), in, the handlers, out. Use:
 *
 *	if (!stp_hit_begin(&c, &flags))
 *		return;
 *	c->regs = ...;
 *	stp_handler_run(c, probe);
 *	stp_hit_end(c, flags);
 *
 * Nothing here may be traced: a hit inside it would recurse. Hence the raw_ functions.
 */
static __always_inline bool stp_hit_enter(struct stp_ctx **c, unsigned long *flags)
{
	raw_local_irq_save(*flags);
	*c = raw_cpu_read(stp_cpu_ctx);
	if (likely(stp_ctx_enter(*c))) {
		stp_private(*c)->irq_flags = *flags;
		return true;
	}
	raw_local_irq_restore(*flags);
	return false;
}

static __always_inline bool stp_hit_begin(struct stp_ctx **c, unsigned long *flags)
{
	return !(stp_hit_unsafe() && stp_hit_refused()) && stp_hit_enter(c, flags);
}

static __always_inline void stp_hit_end(struct stp_ctx *c, unsigned long flags)
{
	stp_ctx_leave(c);
	raw_local_irq_restore(flags);
}

/* A probe whose handler needs nothing made ready: no locks, no condition, no count of statements.
 * stp_run_plain() is stp_handler_run() for those. */
static inline bool stp_probe_plain(const struct stp_probe *p)
{
	return !p->nlocks && !p->condition && !p->needs_actions;
}

static __always_inline void stp_run_plain(struct stp_ctx *c, const struct stp_probe *p)
{
	struct stp_ctx_private *v = stp_private(c);

	if (unlikely(--v->sample_in < 0)) {
		stp_handler_timed(c, p);
		return;
	}
	c->probe = p;
	p->handler(c);
	if (unlikely(c->error || v->dirty))
		stp_handler_finish(v);
}

/* ------------------------------------------------------------------ ring.c */

struct vm_area_struct;

int stp_rings_make(void);          /* may sleep; 0 or -ENOMEM. Once made they stay */
void stp_rings_shrink(void);       /* may sleep; the same as stp_rings_free(), but for the header's page */
void stp_rings_free(void);         /* may sleep; nothing may be mapped or produced any more */
int stp_rings_map(struct vm_area_struct *vma);
bool stp_rings_half_full(void);    /* any context: one of them is */
void stp_rings_conclude(const struct stp_summary *s);      /* for who reads the header once the session has stopped */
void stp_rings_settle(void);       /* before somebody attaches again; may sleep */
void *stp_ring_of(int cpu);        /* for stp_ctx_private.plat; -1: the process context's */

/* ------------------------------------------------------------------ control.c */

void stp_control_wake(void);       /* any context: something for poll() */
bool stp_reader_lives(void);       /* somebody has the device open and isn't leaving */
bool stp_detached(void);           /* any context: the reader left on purpose, and none reads again yet */
int stp_control_init(void);
void stp_control_exit(void);       /* stops what runs, frees everything */

/* ------------------------------------------------------------------ deref.c */

void stp_deref_init(void);

/* ------------------------------------------------------------------ sites.c */

/* Before start: settles the addresses that the build gave, lists the other names. */
int stp_sites_make(u64 kernel_base, bool same_kernel);     /* 0 or -ENOMEM */
void stp_sites_free(void);
const struct stp_site *stp_site_wanted(u32 index);         /* NULL: there are no more */
int stp_site_found(u32 index, u64 address);                /* 0 or -EINVAL */
void stp_sites_sort(void);
/* The site whose hit has this address; NULL none. Any context. */
const struct stp_site *stp_site_at(u64 address);

/* ------------------------------------------------------------------ modules.c */

/*
 * The kernel's modules that sites are in: while they come and go, their sites have addresses or 0,
 * and the families are told. Process context.
 */
int stp_modules_make(struct stp_site **sites, u32 n);      /* those without a module are passed over */
void stp_modules_free(void);
void stp_modules_lock(void);               /* holds modules back; families are told under it */
void stp_modules_unlock(void);
const char *stp_modules_name(u32 i);       /* NULL: there are no more. The sites have the same pointer */
bool stp_modules_here(u32 i);              /* under the lock: it is loaded */
bool stp_modules_refused(u32 i);           /* under the lock: it is, but of another build, and this was said */
/* What user space found for a site; passed over when the module came or went since. */
void stp_modules_found(struct stp_site *s, u64 address);

/* ------------------------------------------------------------------ program.c */

struct file;
struct inode;
struct mm_struct;

/* The file of p, opened once for all that use it. NULL: *err is why, negative. Process context. */
struct inode *stp_program_open(struct stp_program *p, int *err);
void stp_program_close(struct stp_program *p);
bool stp_program_is(const struct stp_program *p, const struct file *file);     /* opened; any context */
/* Whether the process of that memory, or NULL, runs it. The memory stays: the process's own hit, task_lock() or RCU. */
bool stp_program_runs(const struct stp_program *p, struct mm_struct *mm);
const char *stp_program_reason(int err);       /* NULL: none of program.c's */

/* ------------------------------------------------------------------ hotplug.c */

/* For families with .cpu_back, which is called under the lock: when they start and stop. Process context. */
void stp_hotplug_start(void);
void stp_hotplug_stop(void);               /* without the lock */
void stp_hotplug_lock(void);
void stp_hotplug_unlock(void);

/* ------------------------------------------------------------------ task.c */

int stp_namespaces_take(s32 process);          /* 0: the current one; 0 or -ESRCH. Context: process */
void stp_namespaces_drop(void);                /* safe without the other */

/* ------------------------------------------------------------------ tree.c */

/*
 * The processes that a script of -c or -x is about: the target and what it starts, also after their
 * parents are gone. Without a target that is every process. start and stop: process context, may be
 * nested.
 */
int stp_tree_start(void);                      /* 0 or -errno */
void stp_tree_stop(void);
extern unsigned long *stp_tree_bits;           /* by process id; NULL: every process */
/* A process makes another, which is listed among the processes already: who sets the bits of all that are there
 * may have found it, and its parent just now. Any context. */
static inline void stp_hand_on(unsigned long *bits, pid_t parent, pid_t child)
{
	if (!test_bit(parent, bits)) {
		clear_bit(child, bits);
		smp_mb__after_atomic();
	}
	if (test_bit(parent, bits))
		set_bit(child, bits);
}
static __always_inline bool stp_tree_has(pid_t tgid)       /* any context */
{
	const unsigned long *bits = READ_ONCE(stp_tree_bits);

	return !bits || test_bit(tgid, bits);
}

#endif
