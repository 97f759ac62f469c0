/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The platform in a kernel module: declarations that its files share. It must be included first: it includes the
 * kernel's basic headers, then the core's.
 *
 * Life of a module: main.c registers the device. Opening it makes the rings, HELLO makes the session (memory,
 * addresses), START runs it, STOP ends it, and closing the device frees its memory; all in control.c. Hits arrive
 * through probe_*.c, each in the context of its CPU (context.c).
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

/* Finds the stacks of the CPUs, before anything is armed, in at most 2 s; those of busy CPUs later. Process context. */
void stp_stacks_make(void);
/* Does so for a CPU that came online and whose stacks are unknown, in the background. */
void stp_stack_learn(u32 cpu);
void stp_stacks_stop(void);               /* waits until none is searched any more */
/* Returns the bytes left on the current stack, which may be a task's, the interrupt stack or an exception's; 0:
 * unknown. Any context. */
unsigned long stp_stack_left(void);
/* any context: returns true, and counts the hit as skipped, if a handler does not fit on the stack */
bool stp_stack_short(void);
u32 stp_stack_needed(void);               /* bytes of stack that a handler needs */

/* ------------------------------------------------------------------ context.c */

/*
 * Returns whether interrupts were enabled at the hit; then the interrupted code holds no locks of the scheduler or
 * of signals. Any context.
 */
bool stp_irqs_were_on(struct stp_ctx *c);

DECLARE_PER_CPU(struct stp_ctx *, stp_cpu_ctx);

/* slices.c. Each family whose probes may be in slices calls start once and stop once. Both may sleep; start
 * returns 0 or -errno. */
int stp_slices_start(void);
void stp_slices_stop(void);
/* Called by the timer of p, which is in slices: makes the copies and wakes the thread for the remaining part.
 * Counted as missed if that part of the last tick has not ended. Context: interrupt. */
void stp_slices_tick(const struct stp_probe *p);
/* Waits until all pending handlers in slices have run. The gates are closed, and RCU has waited for the last hits.
 * NULL: the thread was not started. Context: may sleep. */
extern void (*stp_slices_finish)(void);
/* Returns the error of a system call whose handler has this outcome, or 0. */
static inline int stp_outcome_error(enum stp_outcome outcome)
{
	return outcome == STP_COMPLETE ? 0 : outcome == STP_SKIPPED ? -EAGAIN : -EIO;
}

/* Runs p and waits for it; argument: c->arguments[0]. Returns -EAGAIN if it was skipped, which is counted (the
 * session does not run, the stack is too low, a lock timed out, the process was killed), or -EIO if it failed,
 * which is reported. Process context, may sleep. */
int stp_slices_request(const struct stp_probe *p, u64 argument);

/* Writes the name of the function at an address of the current process, otherwise the address. NULL: the module
 * has no symbols of programs. Context: any but NMI. */
extern void (*stp_name_user_function)(struct stp_ctx *c, u64 address, char *to, u32 size);

/* CPUs that have a context and a ring: those that were online when the device was first opened. */
extern struct cpumask stp_cpus;
void stp_cpus_choose(void);
#ifdef STP_DEBUG
void stp_memory_check(void);       /* checks that all memory of plat_alloc() has been freed */
#else
#define stp_memory_check() do { } while (0)
#endif

/*
 * Returns true if a hit may have to be skipped: in an NMI, whose stack is small, or with little stack left. The
 * check is quick and has false positives: kprobes' breakpoints look like NMIs, and only a task's stack is aligned
 * to its size. A task's stack is in use if the interrupt counts are all 0 (except in the first and the last
 * functions of an interrupt, which are at the top of its stack). stp_hit_refused() decides, and counts the hits
 * that it refuses.
 */
#define STP_STACK_MAX (THREAD_SIZE / 4)
_Static_assert(STP_MAX_MINSTACKSPACE <= STP_STACK_MAX && !(STP_STACK_MAX & (STP_STACK_MAX - 1)),
	       "the check of the stack covers each value of MINSTACKSPACE");
static __always_inline bool stp_hit_unsafe(void)
{
	return unlikely(preempt_count() & (NMI_MASK | HARDIRQ_MASK | SOFTIRQ_MASK)) ||
	       unlikely(!(current_stack_pointer & (THREAD_SIZE - STP_STACK_MAX)));
}
bool stp_hit_refused(void);

/*
 * One hit: interrupts are disabled (the context belongs to the CPU, and hits in an interrupt would find it in
 * use), enter, handlers, leave. Usage:
 *
 *         if (!stp_hit_begin(&c, &flags))
 *                 return;
 *         c->regs = ...;
 *         stp_handler_run(c, probe);
 *         stp_hit_end(c, flags);
 *
 * Nothing here may be traced, since a hit inside it would recurse. Hence the raw_ functions.
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

/* Returns true if the session has not begun, or has ended: then a hit on this CPU is not counted. Hits on CPUs
 * that came online after the start count as losses, so it returns false for them. */
static __always_inline bool stp_hit_outside(void)
{
	struct stp_ctx *c = raw_cpu_read(stp_cpu_ctx);

	return READ_ONCE(stp_private(c)->closed) && c != &stp_ctx_none;
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

/* Returns true for a probe whose handler needs no preparation: no locks, no condition, no count of statements.
 * Then stp_run_simple() can replace stp_handler_run(). */
static inline bool stp_probe_is_simple(const struct stp_probe *p)
{
	return !p->nlocks && !p->condition && !p->needs_actions;
}

static __always_inline void stp_run_simple(struct stp_ctx *c, const struct stp_probe *p)
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

/*
 * Hits of a probe whose handler only adds to counters of its CPU (adds_only). Each addition is one instruction, so
 * the handler may be interrupted by another hit, even by an NMI, and needs neither the CPU's context nor interrupts
 * off. Preemption is off, so that the counters are those of this CPU, and plat_handlers_wait() waits for it. It
 * uses less stack than the code that called it, so the stack is not checked. Usage, where `preemptible` is false if
 * the caller has preemption off:
 *
 *         v = stp_adds_begin(preemptible);
 *         stp_adds_run(v, probe->handler, probe, &v->c);      (or a struct stp_adds instead of v->c)
 *         stp_adds_end(preemptible);
 */
#define STP_ADDS_ARGUMENTS 5
struct stp_adds { const void *regs; u8 *percpu; u64 arguments[STP_ADDS_ARGUMENTS]; };
_Static_assert(offsetof(struct stp_adds, percpu) == offsetof(struct stp_ctx, percpu) &&
	       offsetof(struct stp_adds, arguments) == offsetof(struct stp_ctx, arguments), "begin of struct stp_ctx");

static inline bool stp_probe_adds(const struct stp_probe *p)
{
	return STP_ADD_IS_WHOLE && p->adds_only && stp_probe_is_simple(p);
}

static __always_inline struct stp_ctx_private *stp_adds_begin(bool preemptible)
{
	if (preemptible)
		preempt_disable_notrace();
	return stp_private(raw_cpu_read(stp_cpu_ctx));
}

/* Counts a hit outside of the session; otherwise charges the time of STP_ADDS_SAMPLE hits and runs the handler.
 * Any context, including NMI; preemption disabled. */
void stp_adds_slowly(struct stp_ctx_private *v, const struct stp_probe *p, struct stp_ctx *c);

/* If an interrupt occurs between the read and the write of adds_in, the next charge is delayed until another hit. */
static __always_inline void stp_adds_run(struct stp_ctx_private *v, void (*handler)(struct stp_ctx *c),
					 const struct stp_probe *p, struct stp_ctx *c)
{
	STP_BARRIER();     /* cheaper by one instruction than a volatile read */
	if (likely(!v->closed) && likely(--v->adds_in >= 0))
		handler(c);
	else
		stp_adds_slowly(v, p, c);
}

static __always_inline void stp_adds_end(bool preemptible)
{
	if (preemptible)
		preempt_enable_notrace();
}

/* ------------------------------------------------------------------ ring.c */

struct vm_area_struct;

int stp_rings_make(void);          /* may sleep; returns 0, also if the rings exist, or -ENOMEM */
void stp_rings_shrink(void);       /* frees the rings except the header's page; may sleep */
void stp_rings_free(void);         /* called when they are not mapped and not written any more; may sleep */
int stp_rings_map(struct vm_area_struct *vma);
bool stp_rings_half_full(void);    /* any context: returns true if a ring is at least half full */
/* completes the header for processes that read it after the session has stopped */
void stp_rings_finish(const struct stp_summary *s);
void stp_rings_sync(void);       /* called before a process attaches again; may sleep */
void *stp_ring_of(int cpu);        /* returns stp_ctx_private.plat; cpu -1: the ring of the process context */

/* ------------------------------------------------------------------ control.c */

void stp_control_wake(void);       /* any context: wakes poll() */
bool stp_reader_alive(void);       /* the device is open and not being closed */
bool stp_detached(void);           /* any context: the reader has detached, and no new reader has mapped the
				    * rings yet */
int stp_control_init(void);
void stp_control_exit(void);       /* stops the session and frees everything */

/* ------------------------------------------------------------------ deref.c */

void stp_deref_init(void);

/* ------------------------------------------------------------------ signals.c */

void stp_signals_stop(void);       /* waits for signals that handlers have sent; may sleep */

/* ------------------------------------------------------------------ site_addresses.c */

/* Before start: resolves the addresses that are known since the build, and lists the names that user space must
 * resolve. */
int stp_sites_make(u64 kernel_base, bool same_kernel);     /* 0 or -ENOMEM */
void stp_sites_free(void);
const struct stp_site *stp_site_wanted(u32 index);         /* returns NULL at the end */
int stp_site_found(u32 index, u64 address);                /* 0 or -EINVAL */
void stp_sites_sort(void);
/* Returns the site with this address, or NULL. Any context. */
const struct stp_site *stp_site_at(u64 address);

/* ------------------------------------------------------------------ unloaded.c */

void stp_unloaded_start(void);             /* process context */
void stp_unloaded_stop(void);
/* Writes the name of an address in a module that has been unloaded, as stp_address_name() does. Any context. */
void stp_unloaded_name(u64 address, char *text, bool with_offset);

/* ------------------------------------------------------------------ modules.c */

/*
 * Kernel modules that contain sites: when they are loaded and unloaded, their sites get addresses or 0, and the
 * families are notified. Process context.
 */
int stp_modules_make(struct stp_site **sites, u32 n);      /* sites without a module are ignored */
void stp_modules_free(void);
/* excludes loading and unloading; the families are notified under this lock */
void stp_modules_lock(void);
void stp_modules_unlock(void);
const char *stp_modules_name(u32 i);       /* returns NULL at the end. The sites share this pointer */
bool stp_modules_loaded(u32 i);              /* under the lock: whether the module is loaded */
/* under the lock: whether the module is loaded but is from another build, which was reported */
bool stp_modules_refused(u32 i);
/* Returns the build ID of a module, of STP_BUILD_ID_LEN bytes; NULL: it has none. Context: may sleep. */
const u8 *stp_module_build_id(const struct module *mod);
/* Returns true if the module, which is loaded or being loaded, is of another build than the script's. Reports it
 * unless the module has sites, for which it has already been reported. Context: process, while the session runs. */
bool stp_module_is_other_build(const struct module *mod);
/* Stores the address that user space found for a site of a module, or of any module; ignored if the module was loaded
 * or unloaded since. */
void stp_modules_found(struct stp_site *s, u64 address);

/* ------------------------------------------------------------------ program.c */

struct file;
struct inode;
struct mm_struct;

/* Opens the file of p, once for all users. Returns NULL on failure, with a negative *err. Process context. */
struct inode *stp_program_open(struct stp_program *p, int *err);
void stp_program_close(struct stp_program *p);
bool stp_program_is(const struct stp_program *p, const struct file *file);     /* requires that p is opened; any
									        * context */
/* Returns true if the process with this memory (which may be NULL) runs the program. The caller ensures that mm
 * stays valid: by a hit of the process itself, by task_lock() or by RCU. */
bool stp_program_runs(const struct stp_program *p, struct mm_struct *mm);
const char *stp_program_reason(int err);       /* NULL: it is not an error of program.c */

/* ------------------------------------------------------------------ hotplug.c */

/* Called before the families start, and after they have stopped. Process context. */
void stp_hotplug_start(void);
void stp_hotplug_stop(void);               /* safe if it was not started; called without the lock */
/* .cpu_back of families is called under this lock. */
void stp_hotplug_lock(void);
void stp_hotplug_unlock(void);

/* ------------------------------------------------------------------ task.c */

/* takes references to the namespaces of this process, 0: the current one; returns 0 or -ESRCH. Context: process */
int stp_namespaces_take(s32 process);
void stp_namespaces_drop(void);                /* safe if no references were taken */

/* ------------------------------------------------------------------ hooks.c */

struct stp_hook {
	const char *name;              /* name of a tracepoint */
	void *function;
	bool wanted, armed;
	int priority;                  /* priority among functions of a tracepoint: higher ones are called first */
	struct tracepoint *point;      /* private to hooks.c */
};
/* Registers the functions for the tracepoints that are wanted. Returns 0 or -errno; -ENOENT for an unknown
 * tracepoint: then some may be armed. Context: process */
int stp_hooks_arm(struct stp_hook *hooks, u32 n);
/* Safe if not all are armed. Returns after the last call of a function has ended. Context: process */
void stp_hooks_disarm(struct stp_hook *hooks, u32 n);

/* ------------------------------------------------------------------ process_tree.c */

/*
 * The processes that a script with -c or -x traces: the target and its descendants, also after their parents have
 * exited. Without a target, every process. start and stop: process context, may be nested.
 */
int stp_tree_start(void);                      /* 0 or -errno */
void stp_tree_stop(void);
extern unsigned long *stp_tree_bits;           /* bits by process ID; NULL: every process is traced */
/* Copies the bit of a process to its new child. The child is already in the list of processes: code that sets
 * the bits of all processes may have set the child's bit before the parent's. Any context. */
static inline void stp_inherit_bit(unsigned long *bits, pid_t parent, pid_t child)
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
