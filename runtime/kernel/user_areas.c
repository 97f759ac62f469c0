/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lock of a process's mappings, for handlers that read them. Releasing it may wake up a waiter, which takes
 * locks of the scheduler. If the interrupted code may hold these (it has interrupts disabled, as in a context
 * switch), an interrupt of this CPU releases the lock after interrupts are enabled again. Until then this CPU holds
 * the lock, and later handlers use it. The memory of the process is not freed meanwhile: the process does not exit
 * inside such code, and since 6.0 its exit takes the lock for writing. Before 6.0, a process that leaves this CPU
 * would have to exit on another one before this CPU, at the end of the switch, enables interrupts (the same applies
 * to stack maps of BPF).
 */
#include "user_areas.h"
#include <linux/irq_work.h>
#include <linux/mm.h>
#include <linux/mmap_lock.h>

static DEFINE_PER_CPU(struct late {
	struct irq_work work;
	struct mm_struct *mm;      /* the memory whose lock is held while `work` is queued; NULL: none */
}, late);
static u32 users;

static void release(struct irq_work *work)
{
	struct late *l = container_of(work, struct late, work);
	struct mm_struct *mm = l->mm;

	WRITE_ONCE(l->mm, NULL);
	mmap_read_unlock_non_owner(mm);
}

void stp_areas_start(void)
{
	int cpu;

	if (users++)
		return;
	for_each_possible_cpu(cpu)
		compat_irq_work_init(&per_cpu_ptr(&late, cpu)->work, release);
}

void stp_areas_stop(void)
{
	int cpu;

	if (--users)
		return;
	for_each_possible_cpu(cpu)
		irq_work_sync(&per_cpu_ptr(&late, cpu)->work);         /* bounded: it waits for nothing */
}

bool stp_areas_begin(struct stp_ctx *c)
{
	struct mm_struct *mm = current->mm, *held = raw_cpu_read(late.mm);

	if (!mm)
		return false;
	if (stp_irqs_were_on(c))
		return mmap_read_trylock(mm);
	/* Not done in an interrupt, which may have interrupted release() itself, nor with PREEMPT_RT, where
	 * taking the lock may sleep. */
	if (!held)
		return !in_hardirq() && !IS_ENABLED(CONFIG_PREEMPT_RT) && mmap_read_trylock(mm);
	if (held != mm)
		return false;
	rwsem_acquire_read(&mm->mmap_lock.dep_map, 0, 1, _RET_IP_);
	return true;
}

void stp_areas_end(struct stp_ctx *c)
{
	struct late *l = raw_cpu_ptr(&late);
	struct mm_struct *mm = current->mm;

	if (stp_irqs_were_on(c)) {
		mmap_read_unlock(mm);
		return;
	}
	rwsem_release(&mm->mmap_lock.dep_map, _RET_IP_);               /* informs lockdep, since release() runs
								        * in another context */
	if (!l->mm) {
		l->mm = mm;
		irq_work_queue(&l->work);
	}
}
