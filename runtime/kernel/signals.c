// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Signals that handlers send by raise(). To send a signal, the kernel takes locks and allocates memory, which a
 * handler must not do: it may run with interrupts disabled without the knowledge of the kernel's lock checking, and
 * with PREEMPT_RT these locks sleep. So they are sent after the handler by an interrupt of the same CPU, or with
 * PREEMPT_RT by the kernel's thread for such work.
 */
#include "kernel.h"
#include <linux/irq_work.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>

static DEFINE_PER_CPU(struct signals {
	struct irq_work work;
	struct task_struct *to;    /* holds a reference; NULL: none */
	u64 pending;               /* bit N - 1: signal N */
	bool used;                 /* `work` has been initialised */
}, signals);

static void send(struct irq_work *work)
{
	struct signals *s = container_of(work, struct signals, work);
	struct task_struct *to;
	unsigned long flags;
	u64 pending;

	raw_local_irq_save(flags);
	to = s->to;
	pending = s->pending;
	s->to = NULL;
	s->pending = 0;
	raw_local_irq_restore(flags);
	if (!to)
		return;
	for (; pending; pending &= pending - 1)
		send_sig(__ffs64(pending) + 1, to, 1);
	put_task_struct(to);
}

void stp_raise(struct stp_ctx *c, s64 signal)
{
	const char *problem = NULL;
	unsigned long flags;
	struct signals *s;

	if (signal < 1 || signal > _NSIG) {
		stp_error(c, "invalid signal %lld: use 1 to %d", signal, _NSIG);
		return;
	}
	if (!stp_irqs_were_on(c) || in_nmi()) {
		stp_error(c, "signals cannot be sent while interrupts are disabled: the kernel may hold the locks "
			     "that sending requires");
		return;
	}
	raw_local_irq_save(flags);
	s = raw_cpu_ptr(&signals);
	if (!s->used) {
		init_irq_work(&s->work, send);
		s->used = true;
	}
	if (s->to && s->to != current) {
		problem = "a signal to another task is still being sent on this CPU";
	} else {
		if (!s->to)
			get_task_struct(current);
		s->to = current;
		s->pending |= 1ull << (signal - 1);
		irq_work_queue(&s->work);
	}
	raw_local_irq_restore(flags);
	if (problem)
		stp_error(c, "%s", problem);
}

void stp_signals_stop(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		if (per_cpu_ptr(&signals, cpu)->used)
			irq_work_sync(&per_cpu_ptr(&signals, cpu)->work);      /* bounded: it waits for nothing */
}
