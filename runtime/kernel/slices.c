// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Handlers in slices (see core/slices.c) in a module. One thread per session runs all of them, so that a process
 * that reads a procfs file cannot delay timers, regardless of its priority or its limits.
 */
#include "kernel.h"
#include <linux/bitmap.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/mutex.h>
#include <linux/wait.h>

/* Request for a procfs file: the process waits until it is complete, or until the process is killed. */
struct request {
	const struct stp_probe *probe;
	u64 argument;              /* not 0 */
	int err;
	bool over;
};

static DEFINE_MUTEX(lock);         /* held while a handler in slices runs: one at a time */
static u32 users;                  /* number of families that have started the thread */
static struct task_struct *thread; /* NULL: no probe is in slices */
static unsigned long *due;         /* a bit for each probe of the module: its copies are made and in use */
static struct request *request;
static DEFINE_MUTEX(request_lock);
static DECLARE_WAIT_QUEUE_HEAD(over);

/*
 * Delivers the hit that makes the copies, which are empty, and runs the part of the handler that is not in slices.
 * Without such a part the hit only checks whether a handler may run at this time. Returns as stp_slices_request().
 * *taken: the remaining part of the handler must run. Context: any but NMI.
 */
static int take(const struct stp_probe *p, u64 argument, bool *taken)
{
	unsigned long flags;
	struct stp_ctx *c;
	int err;

	*taken = false;
	if (!stp_hit_begin(&c, &flags))
		return -EAGAIN;
	stp_private(c)->outcome = STP_COMPLETE;
	c->regs = NULL;
	c->address = 0;
	c->arguments[0] = argument;
	c->saved_return = !p->before;
	if (p->before)
		stp_handler_run(c, p->before);
	*taken = c->saved_return;
	err = stp_outcome_error(stp_private(c)->outcome);
	stp_hit_end(c, flags);
	return err;
}

/* Called with `lock` held. */
static int run(const struct stp_probe *p, u64 argument)
{
	enum stp_outcome outcome = stp_slices_run(p, argument);

	if (p->before)
		stp_slices_prepare(p);
	return stp_outcome_error(outcome);
}

/* ------------------------------------------------------------------ the thread */

/* Each kind uses at most half of a processor: after its work it pauses for the same time. Times below a tick are
 * summed. */
static struct share {
	u64 owed, after;           /* in nanoseconds: time worked, and end of the pause (ktime_get()) */
} timers, requests;

static void work_done(struct share *s, u64 from)
{
	u64 now = ktime_get_ns();

	s->owed += now - from;
	if (s->owed < TICK_NSEC)
		return;
	s->after = now + s->owed;
	s->owed = 0;
}

static bool run_request(void)
{
	struct request *r = xchg(&request, NULL);
	bool taken;
	int err;

	if (!r)
		return false;
	mutex_lock(&lock);      /* bounded: finish() only takes it and releases it */
	r->err = take(r->probe, r->argument, &taken);
	err = taken ? run(r->probe, r->argument) : 0;
	if (!r->err)
		r->err = err;
	mutex_unlock(&lock);
	smp_store_release(&r->over, true); /* afterwards the requester may free it */
	wake_up(&over);
	return true;
}

static bool run_due(void)
{
	bool any = false;
	u32 i;

	for_each_set_bit(i, due, stp_module.nprobes) {
		smp_rmb();              /* pairs with the barrier in stp_slices_tick() */
		mutex_lock(&lock);      /* bounded: finish() only takes it and releases it */
		run(&stp_module.probes[i], 0);
		mutex_unlock(&lock);
		clear_bit_unlock(i, due);
		any = true;
	}
	wake_up(&over);
	return any;
}

static long until(const struct share *s)
{
	s64 left = (s64)(s->after - ktime_get_ns());

	if (stp_module.limits.no_overload || !stp_session_running() || left <= 0)
		return 0;
	return (long)nsecs_to_jiffies((u64)left) + 1;
}

static long idle_ticks(void)
{
	long left = MAX_SCHEDULE_TIMEOUT;

	if (!bitmap_empty(due, stp_module.nprobes))
		left = min(left, until(&timers));
	if (READ_ONCE(request))
		left = min(left, until(&requests));
	return kthread_should_stop() ? 0 : left;
}

/* Bounded wait: stp_slices_stop() wakes it; handlers end soon when the session does not run: yield_cpu() in
 * core/context.c. */
static int run_thread(void *unused)
{
	long left;
	u64 from;

	while (!kthread_should_stop()) {
		set_current_state(TASK_IDLE);
		left = idle_ticks();
		if (left)
			schedule_timeout(left);    /* bounded: by the pause */
		__set_current_state(TASK_RUNNING);
		from = ktime_get_ns();
		if (!until(&timers) && run_due())
			work_done(&timers, from);
		from = ktime_get_ns();
		if (!until(&requests) && run_request())
			work_done(&requests, from);
	}
	return 0;
}

static bool needs_thread(void)
{
	u32 i;

	for (i = 0; i < stp_module.nprobes; i++)
		if (stp_module.probes[i].in_slices)
			return true;
	return false;
}

static void finish(void)
{
	wake_up_process(thread);
	/* Bounded wait: no new requests arrive. The work of pending handlers is limited (yield_cpu() in core/context.c), and
	 * each waits at most two seconds for a reader that makes no progress. */
	wait_event_idle(over, bitmap_empty(due, stp_module.nprobes));
	mutex_lock(&lock);      /* bounded: likewise, after the running request; later ones are refused */
	mutex_unlock(&lock);
}

int stp_slices_start(void)
{
	struct task_struct *made;

	if (users++ || !needs_thread())
		return 0;
	due = plat_alloc(BITS_TO_LONGS(stp_module.nprobes) * sizeof(*due), -1);
	made = due ? kthread_run(run_thread, NULL, "%s", THIS_MODULE->name) : ERR_PTR(-ENOMEM);
	if (!IS_ERR(made)) {
		thread = made;
		stp_slices_finish = finish;
		return 0;
	}
	stp_slices_stop();
	return PTR_ERR(made);
}

void stp_slices_stop(void)
{
	if (--users)
		return;
	if (thread)
		kthread_stop(thread);      /* bounded: see run_thread() */
	stp_slices_finish = NULL;
	thread = NULL;
	plat_free(due);
	due = NULL;
}

void stp_slices_tick(const struct stp_probe *p)
{
	bool taken;

	if (smp_load_acquire(&due[BIT_WORD(p - stp_module.probes)]) & BIT_MASK(p - stp_module.probes)) {
		stp_lose(stp_session_running() ? STP_LOSS_TICKS : STP_LOSS_OUTSIDE, 1);
		return;
	}
	take(p, 0, &taken);
	if (!taken)
		return;
	smp_mb__before_atomic();   /* orders the copies before the bit, which the thread reads in run_due() */
	set_bit(p - stp_module.probes, due);
	wake_up_process(thread);
}

int stp_slices_request(const struct stp_probe *p, u64 argument)
{
	struct request r = { .probe = p, .argument = argument, .err = -EAGAIN };

	/* Bounded wait: the process can be killed while it waits for others. */
	if (mutex_lock_killable(&request_lock)) {
		stp_lose(STP_LOSS_OUTSIDE, 1);
		return r.err;
	}
	smp_store_release(&request, &r);
	wake_up_process(thread);
	/* Bounded wait: the thread runs until procfs files are removed, and the process can be killed. */
	if (wait_event_killable(over, smp_load_acquire(&r.over)) && cmpxchg(&request, &r, NULL) == &r) {
		stp_lose(STP_LOSS_OUTSIDE, 1);
	} else if (!smp_load_acquire(&r.over)) {
		WRITE_ONCE(stp_session.unwanted, argument);
		/* bounded: yield_cpu() in core/context.c ends the handler */
		wait_event_idle(over, smp_load_acquire(&r.over));
		WRITE_ONCE(stp_session.unwanted, 0);
	}
	mutex_unlock(&request_lock);
	return r.err;
}
