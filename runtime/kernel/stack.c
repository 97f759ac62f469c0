// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The space left on the kernel stack of a hit, and hits that are skipped if it is too small.
 *
 * A task's stack is determined from the task. The addresses of a CPU's exception stacks and its interrupt stack are
 * determined before anything is armed, since the kernel does not export them. A stack that is unknown when a hit
 * occurs counts as full: the hit is skipped and counted.
 */
#include "kernel.h"
#include <linux/completion.h>
#include <linux/irq_work.h>
#include <linux/jiffies.h>
#include <linux/sched/task_stack.h>
#include <linux/workqueue.h>

struct cpu_stacks {
	unsigned long irq_low;             /* lowest address of the interrupt stack; 0: unknown */
	unsigned long exceptions;          /* lowest address of the exception stacks; 0: the processor has none */
	struct work_struct work;
	struct irq_work in_interrupt;
};

static DEFINE_PER_CPU(struct cpu_stacks, stacks);
static atomic_t to_learn;
static DECLARE_COMPLETION(learned);

#define LEARN_TIME msecs_to_jiffies(2000)  /* time in which the kernel's workers run once on every CPU */

/* ------------------------------------------------------------------ addresses of the stacks */

/* Context: the interrupt that learn() triggered, with at most one other function below it on the interrupt stack. */
static void learn_in_interrupt(struct irq_work *w)
{
	struct cpu_stacks *s = container_of(w, struct cpu_stacks, in_interrupt);
	unsigned long low = compat_irq_stack_learn(current_stack_pointer, (unsigned long)task_stack_page(current));

	/* The worker runs on another CPU if its own goes offline. */
	if (low && s == this_cpu_ptr(&stacks) && hardirq_count() == HARDIRQ_OFFSET && !softirq_count())
		WRITE_ONCE(s->irq_low, low);
	if (atomic_dec_and_test(&to_learn))
		complete(&learned);
}

/* Context: a worker of the kernel on that CPU, so that the interrupt occurs while the kernel runs on a task's
 * stack, from which processors switch to the interrupt stack. */
static void learn(struct work_struct *work)
{
	struct cpu_stacks *s = container_of(work, struct cpu_stacks, work);

	irq_work_queue(&s->in_interrupt);
}

void stp_stacks_make(void)
{
	struct cpu_stacks *s;
	u32 cpu;

	reinit_completion(&learned);
	atomic_set(&to_learn, cpumask_weight(&stp_cpus));
	for_each_possible_cpu(cpu) {
		s = per_cpu_ptr(&stacks, cpu);
		s->exceptions = compat_exception_stacks(cpu);
		INIT_WORK(&s->work, learn);
		compat_irq_work_init(&s->in_interrupt, learn_in_interrupt);
	}
	if (!COMPAT_IRQ_STACK_LEARNED)
		return;
	for_each_cpu(cpu, &stp_cpus)
		queue_work_on(cpu, system_highpri_wq, &per_cpu_ptr(&stacks, cpu)->work);
	/* The stack of a CPU that is busy for longer is found later. */
	wait_for_completion_timeout(&learned, LEARN_TIME);     /* bounded: by the timeout */
}

void stp_stack_learn(u32 cpu)
{
	struct cpu_stacks *s = per_cpu_ptr(&stacks, cpu);

	if (COMPAT_IRQ_STACK_LEARNED && !READ_ONCE(s->irq_low))
		queue_work_on(cpu, system_highpri_wq, &s->work);
}

void stp_stacks_stop(void)
{
	u32 cpu;

	for_each_possible_cpu(cpu) {
		cancel_work_sync(&per_cpu_ptr(&stacks, cpu)->work);            /* bounded: learn() waits for nothing */
		irq_work_sync(&per_cpu_ptr(&stacks, cpu)->in_interrupt);       /* bounded: it waits for nothing */
	}
}

/* This function must not call a function of the kernel: a probe on that function would recurse. */
unsigned long stp_stack_left(void)
{
	unsigned long sp = current_stack_pointer, left = sp - (unsigned long)task_stack_page(current);
	const struct cpu_stacks *s;

	if (likely(left < THREAD_SIZE))
		return left;
	s = raw_cpu_ptr(&stacks);
	left = sp - READ_ONCE(s->irq_low);
	if (left < IRQ_STACK_SIZE)
		return left;
	return compat_other_stack_left(sp, s->exceptions);
}

/* ------------------------------------------------------------------ hits that are skipped */

/* The translator overwrites these by the values that it computed; the defaults are for compilers that do not
 * report frame sizes. */
#define NEED_UNKNOWN (STP_STACK_MAX / 4 * 3)
static const volatile struct stp_stack_need need __section(STP_STACK_SECTION) = {
	.limit = STP_STACK_MAX, .hit = NEED_UNKNOWN, .call = NEED_UNKNOWN,
};

u64 plat_stack_low(void)
{
	return current_stack_pointer - stp_stack_left() + need.call;
}

u32 stp_stack_needed(void)
{
	return min(max(stp_module.limits.min_stack, need.hit), (u32)STP_STACK_MAX);
}

bool stp_stack_short(void)
{
	if (likely(stp_stack_left() >= stp_stack_needed()))
		return false;
	stp_ctx_skip_stack(raw_cpu_read(stp_cpu_ctx));
	return true;
}

bool stp_hit_refused(void)
{
	if (compat_in_nmi(current_stack_pointer)) {
		stp_lose(STP_LOSS_NMI, 1);
		return true;
	}
	return stp_stack_short();
}
