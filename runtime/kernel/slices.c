// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Handlers in slices, in a module: core/slices.c says what they are. One thread of the session runs all of them, so
 * that a process that reads a procfs file cannot hold up timers, whatever its priority or its limits are.
 */
#include "kernel.h"
#include <linux/bitmap.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/mutex.h>
#include <linux/wait.h>

/* A procfs file's: the process waits until it is over. */
struct request {
	const struct stp_probe *probe;
	u64 argument;
	bool done, over;
};

static u32 users;                  /* families that have started it */
static struct task_struct *thread; /* NULL: no handler is in slices */
static unsigned long *due;         /* a bit for each probe of the module */
static struct request *request;
static DEFINE_MUTEX(request_lock);
static DECLARE_WAIT_QUEUE_HEAD(over);

/* The hit that makes the copies. Without copies it still finds out whether a handler may run here and now. */
static bool take(const struct stp_probe *before)
{
	unsigned long flags;
	struct stp_ctx *c;
	bool done = true;

	if (!stp_hit_begin(&c, &flags))
		return false;
	c->regs = NULL;
	c->address = 0;
	if (before) {
		c->saved_return = 0;
		stp_handler_run(c, before);
		done = c->saved_return;
	}
	stp_hit_end(c, flags);
	return done;
}

static bool run(const struct stp_probe *p, u64 argument)
{
	bool done = false;

	mutex_lock(&stp_slices_lock);      /* ends: plat_handlers_wait() only takes it and releases it */
	if (stp_session_running()) {
		if (p->before)
			stp_slices_prepare(p);
		done = take(p->before);
		if (p->before)
			stp_slices_taken(p);
		if (done)
			stp_slices_run(p, argument);
	} else {
		stp_lose(STP_LOSS_OUTSIDE, 1);
	}
	mutex_unlock(&stp_slices_lock);
	return done;
}

/* ------------------------------------------------------------------ the thread */

static void run_request(void)
{
	struct request *r = smp_load_acquire(&request);

	if (!r)
		return;
	WRITE_ONCE(request, NULL);
	r->done = run(r->probe, r->argument);
	smp_store_release(&r->over, true); /* from here on it may be gone */
	wake_up(&over);
}

static void run_due(void)
{
	u32 i;

	for_each_set_bit(i, due, stp_module.nprobes) {
		if (test_and_clear_bit(i, due))
			run(&stp_module.probes[i], 0);
		run_request();
	}
	run_request();
}

static bool any_due(void)
{
	return READ_ONCE(request) || !bitmap_empty(due, stp_module.nprobes);
}

/* After `ticks` of timers' handlers, which have at most half of the time. Requests do not wait. Ends: after as many. */
static void rest(unsigned long ticks)
{
	unsigned long until = jiffies + ticks;
	long left;

	while (!stp_module.limits.no_overload && (left = (long)(until - jiffies)) > 0 && stp_session_running()) {
		set_current_state(TASK_IDLE);
		if (!READ_ONCE(request) && !kthread_should_stop())
			schedule_timeout(left);
		__set_current_state(TASK_RUNNING);
		run_request();
	}
}

/* Ends: stp_slices_stop() wakes it; handlers end soon when the session does not run: breathe() in core/context.c. */
static int run_thread(void *unused)
{
	unsigned long from;

	while (!kthread_should_stop()) {
		set_current_state(TASK_IDLE);
		if (!any_due() && !kthread_should_stop())
			schedule();
		__set_current_state(TASK_RUNNING);
		from = jiffies;
		run_due();
		rest(jiffies - from);
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

int stp_slices_start(void)
{
	struct task_struct *made;

	if (users++ || !needs_thread())
		return 0;
	due = plat_alloc(BITS_TO_LONGS(stp_module.nprobes) * sizeof(*due), -1);
	made = due ? kthread_run(run_thread, NULL, "%s", THIS_MODULE->name) : ERR_PTR(-ENOMEM);
	if (!IS_ERR(made)) {
		thread = made;
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
		kthread_stop(thread);      /* ends: see run_thread() */
	thread = NULL;
	if (due)
		stp_lose(STP_LOSS_OUTSIDE, bitmap_weight(due, stp_module.nprobes));
	plat_free(due);
	due = NULL;
}

void stp_slices_wake(const struct stp_probe *p)
{
	if (test_and_set_bit(p - stp_module.probes, due) && stp_session_running())
		stp_lose(STP_LOSS_TICKS, 1);
	wake_up_process(thread);
}

bool stp_slices_request(const struct stp_probe *p, u64 argument)
{
	struct request r = { .probe = p, .argument = argument };

	/* Ends: the process can be killed while it waits for others. */
	if (mutex_lock_killable(&request_lock)) {
		stp_lose(STP_LOSS_OUTSIDE, 1);
		return false;
	}
	smp_store_release(&request, &r);
	wake_up_process(thread);
	wait_event_idle(over, smp_load_acquire(&r.over));  /* ends: the thread runs until procfs files are removed */
	mutex_unlock(&request_lock);
	return r.done;
}
