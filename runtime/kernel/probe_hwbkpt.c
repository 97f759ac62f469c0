/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hardware watchpoints. On kernel data: a debug register of each CPU. On data of the target process: a debug
 * register of each of its threads, including new ones.
 *
 * A hit occurs after the access, in the processor's debug exception. On x86-64 this exception has its own stack of
 * EXCEPTION_STKSZ bytes, which stp_hit_refused() would mistake for an NMI's; only the space left on it is checked.
 */
#include "kernel.h"
#include "../include/watchpoint_errors.h"
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/ptrace.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>

static void accessed(struct perf_event *event, struct perf_sample_data *data, struct pt_regs *regs)
{
	const struct stp_hwbkpt *w = event->overflow_handler_context;
	unsigned long flags;
	struct stp_ctx *c;

	if (stp_stack_short() || !stp_hit_enter(&c, &flags))
		return;
	c->regs = regs;
	c->address = instruction_pointer(regs);
	stp_handler_run(c, w->probe);
	stp_hit_end(c, flags);
}

/* Watchpoints of a target process: one for each thread that existed at the start. */
struct watched {
	u32 n;
	struct perf_event *at[];
};

/* Bounded wait: as in remove() of probe_perf.c. */
static void remove_watchpoints(struct watched *s)
{
	while (s->n)
		unregister_hw_breakpoint(s->at[--s->n]);
	plat_free(s);
}

#define WATCHED_MAX 1024               /* maximum number of existing threads of a target */

static bool is_among(const struct task_struct *task, struct task_struct *const *at, u32 n)
{
	while (n && at[n - 1] != task)
		n--;
	return n;
}

/* Collects the target's threads, with a reference to each; at most `max`. Threads in `known` are omitted, and
 * the others are counted as threads that are not watched. Context: process. */
static u32 threads_of_target(struct task_struct **at, u32 max, struct task_struct *const *known, u32 nknown)
{
	struct task_struct *leader, *task;
	u32 n = 0;

	rcu_read_lock();
	leader = pid_task(find_pid_ns(stp_session.target, &init_pid_ns), PIDTYPE_TGID);
	if (leader)
		for_each_thread(leader, task) {
			if (is_among(task, known, nknown))
				continue;
			if (n < max)
				at[n++] = get_task_struct(task);
			else if (known)
				stp_lose(STP_LOSS_THREADS, 1);
		}
	rcu_read_unlock();
	return n;
}

/* Returns the difference between load address and link address of a position-independent program. */
static u64 load_offset(struct task_struct *task, u64 start_code)
{
	struct mm_struct *mm = get_task_mm(task);
	u64 offset = mm ? mm->start_code - start_code : 0;

	if (mm)
		mmput(mm);
	return offset;
}

/* Bounded wait: as in add_sample() of probe_perf.c, for WATCHED_MAX threads. */
static int add_in_target(struct stp_hwbkpt *w, struct perf_event_attr *attr)
{
	struct task_struct **tasks = plat_alloc(WATCHED_MAX * sizeof(tasks[0]), -1);
	struct watched *s = plat_alloc(sizeof(*s) + WATCHED_MAX * sizeof(s->at[0]), -1);
	u32 n = tasks && s ? threads_of_target(tasks, WATCHED_MAX, NULL, 0) : 0, i;
	int err = !tasks || !s ? -ENOMEM : n ? 0 : -ESRCH;

	if (!err && w->start_code)
		attr->bp_addr += load_offset(tasks[0], w->start_code);
	attr->inherit = 1;
	for (i = 0; i < n; i++) {
		struct perf_event *event = err ? NULL : register_user_hw_breakpoint(attr, accessed, w, tasks[i]);

		if (event && !IS_ERR(event))
			s->at[s->n++] = event;
		else if (event && PTR_ERR(event) != -ESRCH)    /* the thread has exited meanwhile */
			err = PTR_ERR(event);
	}
	/* Counts threads beyond the limit, and threads that started meanwhile: some of the latter have inherited
	 * a watchpoint. */
	if (!err)
		threads_of_target(NULL, 0, tasks, n);
	for (i = 0; i < n; i++)
		put_task_struct(tasks[i]);
	if (err && s) {
		remove_watchpoints(s);
		s = NULL;
	}
	plat_free(tasks);
	w->state = s;
	return err;
}

static void set_attributes(const struct stp_hwbkpt *w, struct perf_event_attr *attr)
{
	hw_breakpoint_init(attr);
	attr->bp_addr = w->site.address;
	attr->bp_len = w->length;
	attr->bp_type = w->reads ? HW_BREAKPOINT_RW : HW_BREAKPOINT_W;
}

static unsigned long trial;
static u32 trial_hits;

static void trial_hit(struct perf_event *event, struct perf_sample_data *data, struct pt_regs *regs)
{
	WRITE_ONCE(trial_hits, trial_hits + 1);
}

/* Writes to memory that is watched for this thread. Returns 0 if that is a hit, or if it cannot be tried because all
 * debug registers are in use, which add() reports then; -EOPNOTSUPP if nothing is hit. Context: process.
 * Bounded wait: as in add_sample() of probe_perf.c. */
static int try_watchpoint(void)
{
	struct perf_event_attr attr;
	struct perf_event *event;

	hw_breakpoint_init(&attr);
	attr.bp_addr = (unsigned long)&trial;
	attr.bp_len = sizeof(trial);
	attr.bp_type = HW_BREAKPOINT_W;
	event = register_user_hw_breakpoint(&attr, trial_hit, NULL, current);
	if (IS_ERR(event))
		return 0;
	WRITE_ONCE(trial_hits, 0);     /* a plain store could be moved past the next one */
	WRITE_ONCE(trial, 1);
	unregister_hw_breakpoint(event);
	return READ_ONCE(trial_hits) ? 0 : -EOPNOTSUPP;
}

/* Result of try_watchpoint() when the session started. */
static int undelivered;

/* Bounded wait: as in add_sample() of probe_perf.c; and for CPU hotplug. */
static int add(struct stp_hwbkpt *w)
{
	struct perf_event * __percpu *events;
	struct perf_event_attr attr;

	if (undelivered)
		return undelivered;
	set_attributes(w, &attr);
	if (w->in_target)
		return add_in_target(w, &attr);
	events = register_wide_hw_breakpoint(&attr, accessed, w);
	if (IS_ERR((void __force *)events))
		return PTR_ERR((void __force *)events);
	w->state = (void __force *)events;
	return 0;
}

/* Bounded wait: as in remove() of probe_perf.c. */
static void remove(struct stp_hwbkpt *w)
{
	if (w->state && w->in_target)
		remove_watchpoints(w->state);
	else if (w->state)
		unregister_wide_hw_breakpoint((struct perf_event * __percpu *)w->state);
	w->state = NULL;
}

static bool started;                       /* under stp_modules_lock() */

static void hwbkpt_stop(void *table, u32 n)
{
	struct stp_hwbkpt *w = table;
	u32 i;

	stp_modules_lock();
	stp_hotplug_lock();
	started = false;
	for (i = 0; i < n; i++)
		remove(&w[i]);
	stp_hotplug_unlock();
	stp_modules_unlock();
	synchronize_rcu();         /* an exception may still be in the last handler; bounded: handlers have a budget */
}

static void report(u32 message, const struct stp_hwbkpt *w, int err)
{
	const char *reason = stp_watchpoint_error(err);
	char text[240];

	snprintf(text, sizeof(text), "cannot arm %s: %s (error %d)", w->probe->point,
		 reason ? reason : "the kernel refused the watchpoint", err);
	plat_message(message, text);
}

/* The symbol may be in a module that is not loaded yet. */
static bool may_be_loaded_later(const struct stp_hwbkpt *w)
{
	return w->site.symbol && !w->site.address;
}

static void warn_of_missing_symbol(const struct stp_hwbkpt *w)
{
	char text[300];

	if (w->optional)
		return;
	snprintf(text, sizeof(text), "%s: the running kernel and its modules have no symbol of this name; the probe will be"
		 " armed when a module that has it is loaded", w->probe->point);
	plat_message(STP_MSG_WARNING, text);
}

/* Returns 0, or the error of the last failure. */
static int add_all(struct stp_hwbkpt *w, const struct stp_hwbkpt *end)
{
	int err = 0;

	for (; w < end && !err; w++) {
		if (may_be_loaded_later(w) && !undelivered) {
			warn_of_missing_symbol(w);
			continue;
		}
		err = add(w);
		if (w->optional)
			err = 0;
		if (err)
			report(STP_MSG_ERROR, w, err);
	}
	return err;
}

static int hwbkpt_start(void *table, u32 n)
{
	struct stp_hwbkpt *w = table;
	int err;

	stp_modules_lock();
	stp_hotplug_lock();
	undelivered = n ? try_watchpoint() : 0;
	err = add_all(w, w + n);
	started = !err;
	stp_hotplug_unlock();
	stp_modules_unlock();
	if (err)
		hwbkpt_stop(table, n);
	return err;
}

/* Called under stp_modules_lock(). Memory of a module that is unloaded may be reused for other data, which is
 * not watched. */
static void hwbkpt_module(void *table, u32 n, const char *module, bool comes)
{
	struct stp_hwbkpt *w, *end = (struct stp_hwbkpt *)table + n;
	int err;

	if (!started || *module)
		return;
	stp_hotplug_lock();
	for (w = table; w < end; w++) {
		if (may_be_loaded_later(w))
			remove(w);
		if (w->state || !w->site.symbol || !w->site.address)
			continue;
		err = add(w);
		if (err && !w->optional)
			report(STP_MSG_WARNING, w, err);
	}
	stp_hotplug_unlock();
}

/* Bounded wait: as in add_sample() of probe_perf.c. */
static void hwbkpt_cpu_back(void *table, u32 n, u32 cpu)
{
	struct perf_event_attr attr;
	struct stp_hwbkpt *w;

	for (w = table; w < (struct stp_hwbkpt *)table + n; w++) {
		struct perf_event **event;
		bool active = cpu_active(cpu);

		if (!w->state || w->in_target)
			continue;
		event = per_cpu_ptr((struct perf_event * __percpu *)w->state, cpu);
		unregister_hw_breakpoint(*event);
		set_attributes(w, &attr);
		*event = perf_event_create_kernel_counter(&attr, cpu, NULL, accessed, w);
		if (!IS_ERR(*event))
			continue;
		*event = NULL;
		if (active && cpu_active(cpu))         /* otherwise it goes offline again */
			plat_message(STP_MSG_WARNING, "cannot watch data on a CPU that came online");
	}
}

static struct stp_site *hwbkpt_sites(void *table, u32 i, u32 *n)
{
	struct stp_hwbkpt *w = (struct stp_hwbkpt *)table + i;

	*n = w->site.symbol ? 1 : 0;
	return &w->site;
}

const struct stp_family_ops stp_hwbkpt_family = {
	.name = "hwbkpt",
	.start = hwbkpt_start,
	.stop = hwbkpt_stop,
	.cpu_back = hwbkpt_cpu_back,
	.sites = hwbkpt_sites,
	.module = hwbkpt_module,
};
