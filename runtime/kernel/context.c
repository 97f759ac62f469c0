// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Contexts of CPUs, and memory: the functions of core/platform.h about CPUs and allocation. The core owns the
 * contexts; this file stores which of them belongs to a CPU.
 */
#include "kernel.h"
#include <linux/delay.h>
#include <linux/log2.h>
#include <linux/random.h>
#include <linux/rcupdate.h>
#include <linux/timex.h>
#include <linux/topology.h>

/* Set before the first probe is armed, and to a closed context before the contexts are freed. */
DEFINE_PER_CPU(struct stp_ctx *, stp_cpu_ctx);

struct cpumask stp_cpus;

/* At a breakpoint, c->regs contains the interrupt flag; begin and end probes run with interrupts enabled. */
bool stp_irqs_were_on(struct stp_ctx *c)
{
	const struct pt_regs *regs = c->regs;

	if (!raw_irqs_disabled() || (regs && user_mode((struct pt_regs *)regs)))
		return true;
	return !raw_irqs_disabled_flags(stp_private(c)->irq_flags) || (regs && compat_irqs_were_on(regs));
}

/* ------------------------------------------------------------------ CPUs */

void stp_cpus_choose(void)
{
	cpumask_copy(&stp_cpus, cpu_online_mask);
}

u32 plat_cpus(void)
{
	return nr_cpu_ids;
}

bool plat_cpu_used(u32 cpu)
{
	return cpumask_test_cpu(cpu, &stp_cpus);
}

void plat_ctx_set(u32 cpu, struct stp_ctx *c)
{
	if (!cpu_possible(cpu))
		return;
	if (c != &stp_ctx_none)
		stp_private(c)->plat = stp_ring_of(cpu);
	WRITE_ONCE(*per_cpu_ptr(&stp_cpu_ctx, cpu), c);
}

struct stp_ctx *plat_ctx_here(void)
{
	return raw_irqs_disabled() ? raw_cpu_read(stp_cpu_ctx) : NULL;
}

/* Bounded wait: us is at most TRYLOCKDELAY. */
void plat_pause(u32 us)
{
	cpu_relax();       /* udelay() may not contain a pause instruction, by which a hypervisor detects the wait */
	udelay(us);
}

u64 plat_cycles(void)
{
	return get_cycles();
}

u64 plat_random(void)
{
	return get_random_u64();
}

u64 plat_cycles_khz(void)
{
	return compat_cycles_khz();
}

void plat_preempt_off(void)
{
	preempt_disable();
}

void plat_preempt_on(void)
{
	preempt_enable();
}

void plat_yield(void)
{
	/* interrupts are disabled in embedded C that holds a lock under which sleeping is forbidden */
	if (!raw_irqs_disabled() && need_resched())
		schedule();        /* bounded: the task stays runnable */
}

/* An exiting process has no pending SIGKILL any more. The thread of handlers in slices is not killed. */
bool plat_killed(void)
{
	return fatal_signal_pending(current) || current->flags & PF_EXITING;
}

/* Handlers of begin, end and error may be preempted and may sleep until their ring has space: no function that they
 * call depends on the current CPU. */
void plat_exclusive_enter(void)
{
	stp_private(&stp_session.exclusive->c)->plat = stp_ring_of(-1);
}

void plat_exclusive_leave(void)
{
}

void stp_adds_slowly(struct stp_ctx_private *v, const struct stp_probe *p, struct stp_ctx *c)
{
	unsigned long flags;

	if (v->closed) {
		stp_ctx_refused(v);
		return;
	}
	/* The time is charged by the next hit if the statistics may be in use, or if the stack is too low for a
	 * message. */
	raw_local_irq_save(flags);
	if (!v->busy && !compat_in_nmi(current_stack_pointer) && stp_stack_left() >= stp_stack_needed())
		stp_adds_charge(v, p);
	raw_local_irq_restore(flags);
	p->handler(c);
}

void (*stp_slices_finish)(void);

/* A handler disables interrupts before it checks whether its context is closed, so RCU waits for it. Bounded wait:
 * handlers have a budget; the other read-side sections are the kernel's own. */
void plat_handlers_wait(void)
{
	u32 cpu;

	synchronize_rcu();
	if (stp_slices_finish)
		stp_slices_finish();       /* bounded: finish() in slices.c */
	for (cpu = 0; cpu < stp_session.ncpus; cpu++)
		STP_CHECK_THAT(!stp_session.ctx[cpu] || !READ_ONCE(stp_session.ctx[cpu]->busy));
}

const char *stp_script_name(void)
{
	return THIS_MODULE->name;
}

/* ------------------------------------------------------------------ checks of the runtime itself */

#ifdef STP_DEBUG
void plat_broken(const char *what, const char *file, int line)
{
	WARN(1, "%s: %s:%d: broken: %s\n", THIS_MODULE->name, file, line, what);
}

bool plat_owns(const struct stp_ctx_private *v)
{
	return v == stp_session.exclusive ||
	       (irqs_disabled() && v->cpu == raw_smp_processor_id() && raw_cpu_read(stp_cpu_ctx) == &v->c);
}

/* _stp_fail=N: the N-th allocation since the module was loaded fails, as do all later ones. */
static unsigned int fail_from;
module_param_named(_stp_fail, fail_from, uint, 0400);
static atomic_t allocations;

static bool may_allocate(void)
{
	STP_CHECK_THAT(!in_atomic() && !irqs_disabled());
	return !fail_from || (unsigned int)atomic_inc_return(&allocations) < fail_from;
}

void stp_memory_check(void)
{
	STP_CHECK_THAT(!stp_session.memory);
}
#else
#define may_allocate() true
#endif

/* ------------------------------------------------------------------ memory */

/* Header of each allocation; the memory after it has the same alignment. */
struct allocation { u64 size; } __aligned(64);

/* kmalloc aligns powers of two to their size, and whole pages in any case. A script that requests more memory
 * than is available gets an error instead of triggering the OOM killer. */
void *plat_alloc(u64 size, s32 cpu)
{
	int node = cpu < 0 ? NUMA_NO_NODE : cpu_to_node(cpu);
	struct allocation *a = NULL;

	size += sizeof(*a);
	if (size <= 2 * PAGE_SIZE)
		size = roundup_pow_of_two(size);
	if (size > INT_MAX || !stp_memory_granted(size))
		return NULL;
	if (may_allocate())
		a = kvzalloc_node(size, GFP_KERNEL | __GFP_RETRY_MAYFAIL | __GFP_NOWARN, node);
	if (!a) {
		stp_memory_return(size);
		return NULL;
	}
	a->size = size;
	return a + 1;
}

u64 plat_memory_available(void)
{
	return (u64)max(si_mem_available(), 1l) << PAGE_SHIFT;
}

void plat_free(void *p)
{
	struct allocation *a = p ? p - sizeof(*a) : NULL;

	if (!a)
		return;
	stp_memory_return(a->size);
	kvfree(a);
}
