/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Perf events: samples on every CPU with the registers of the interrupted code (timer.profile is one of the
 * software CPU clock), and counters of the target process that handlers read.
 *
 * A counter of the processor overflows in an NMI, where no handler may run. The NMI saves the registers, and the
 * handler runs in an interrupt as soon as interrupts are on.
 */
#include "kernel.h"
#include <linux/irq_work.h>
#include <linux/perf_event.h>
#include <linux/pid.h>
#include <linux/ptrace.h>

struct postponed {
	struct irq_work work;
	const struct stp_perf *perf;       /* NULL: free */
	struct pt_regs regs;
};
static DEFINE_PER_CPU(struct postponed, postponed);

#define PERF_THROTTLED (~0ull)     /* MAX_INTERRUPTS of kernel/events/core.c */
#define SHORTEST_CLOCK 10000       /* ns: the minimum period of the kernel's clocks, perf_swevent_hrtimer() */

struct sample {                    /* one per CPU */
	struct perf_event *event;  /* NULL: the CPU is offline */
	u64 due;                   /* clocks: when the newest sample was due, in ns; 0: no sample yet */
};

/* ------------------------------------------------------------------ samples */

/* The process that will execute the command of -c is a fork of stapio at first. */
static bool is_stapio_still(void)
{
	return current->flags & PF_FORKNOEXEC && current->tgid == stp_session.target &&
	       task_tgid_nr(rcu_dereference_raw(current->real_parent)) == stp_relay_pid(NULL);
}

/* Context: interrupt. */
static bool is_hit(const struct stp_perf *p)
{
	return (!p->in_target || (stp_tree_has(current->tgid) && !is_stapio_still())) &&
	       (!p->program || stp_program_runs(p->program, current->mm));
}

/* Context: interrupt. */
static void run(const struct stp_perf *p, struct pt_regs *regs)
{
	unsigned long flags;
	struct stp_ctx *c;

	if (!is_hit(p))
		return;            /* not a hit: another process */
	if (!stp_hit_begin(&c, &flags))
		return;
	c->regs = regs;
	c->address = instruction_pointer(regs);
	stp_handler_run(c, p->probe);
	stp_hit_end(c, flags);
}

static void run_postponed(struct irq_work *work)
{
	struct postponed *late = container_of(work, struct postponed, work);

	run(late->perf, &late->regs);
	smp_store_release(&late->perf, NULL);
}

static bool is_clock(const struct stp_perf *p)
{
	return p->type == PERF_TYPE_SOFTWARE && p->config <= PERF_COUNT_SW_TASK_CLOCK;
}

/*
 * Returns the number of samples of a clock that were due since the last one and did not arrive. The clock is a
 * timer, which skips all periods that have ended when a handler returns: perf_swevent_hrtimer(), 5.10 to 7.2. The
 * timer has not been restarted when it calls us. A clock that the kernel stops and continues adds a part of a
 * period.
 */
static u64 skipped_ticks(const struct stp_perf *p, struct perf_event *event)
{
	struct sample *s = &((struct sample *)p->state)[event->cpu];
	u64 due = ktime_to_ns(hrtimer_get_expires(&event->hw.hrtimer)), before = s->due;
	u64 period = max_t(u64, event->hw.sample_period, SHORTEST_CLOCK);

	s->due = due;
	return before && due - before > period + period / 2 ? div64_u64(due - before + period / 2, period) - 1 : 0;
}

static void sampled(struct perf_event *event, struct perf_sample_data *data, struct pt_regs *regs)
{
	const struct stp_perf *p = event->overflow_handler_context;
	struct postponed *late = this_cpu_ptr(&postponed);
	/* Throttled: by __perf_event_account_interrupt() before it calls us, 5.10 to 7.2, until the next tick. */
	u64 missed = is_clock(p) ? skipped_ticks(p, event) : event->hw.interrupts == PERF_THROTTLED;

	if (unlikely(missed) && stp_session_running() && (in_nmi() || is_hit(p)))
		stp_lose(STP_LOSS_SAMPLES, missed);
	if (!in_nmi()) {
		run(p, regs);
		return;            /* not a hit: run() has counted it */
	}
	if (late->perf) {
		stp_lose(STP_LOSS_NMI, 1);
		return;
	}
	late->perf = p;
	late->regs = *regs;
	irq_work_queue(&late->work);
}

/* ------------------------------------------------------------------ counters */

/*
 * Reads an event. For the current task's own event, the processor has the newest part. Events that outnumber the
 * processor's counters are multiplexed: the kernel updates the times during which each was enabled and running when
 * it switches them, so that these times are at most one rotation old.
 */
static s64 read_event(struct perf_event *e)
{
	u64 enabled, running;

	if (e->oncpu == raw_smp_processor_id())
		e->pmu->read(e);
	enabled = READ_ONCE(e->total_time_enabled) + atomic64_read(&e->child_total_time_enabled);
	running = READ_ONCE(e->total_time_running) + atomic64_read(&e->child_total_time_running);
	return stp_scaled(local64_read(&e->count) + atomic64_read(&e->child_count), enabled, running);
}

/* Returns true if the counted process runs here, and the event has not been scheduled since it started. */
static bool was_never_scheduled(struct perf_event *e)
{
	return e->hw.target == current && e->oncpu < 0 && !READ_ONCE(e->total_time_running) && !local64_read(&e->count);
}

static s64 read_counter(struct stp_ctx *c, const struct stp_perf *p)
{
	struct perf_event *e = READ_ONCE(p->state);

	if (p->absent) {
		stp_error(c, "the perf counter \"%s\" is not available on this machine", p->counter);
		return 0;
	}
	if (!e)
		return p->last;
	if (was_never_scheduled(e)) {
		stp_error(c, "the perf counter \"%s\" has not counted yet: the processor's counters are in use by other events",
			  p->counter);
		return 0;
	}
	return read_event(e);
}

s64 stp_perf_read(struct stp_ctx *c, const char *counter)
{
	u32 f, i;

	for (f = 0; f < stp_module.nfamilies; f++) {
		const struct stp_perf *table = stp_module.families[f].table;

		if (stp_module.families[f].ops != &stp_perf_family)
			continue;
		for (i = 0; i < stp_module.families[f].n; i++)
			if (table[i].counter && !strcmp(table[i].counter, counter))
				return read_counter(c, &table[i]);
	}
	stp_error(c, "the perf counter \"%s\" is not available in this script", counter);
	return 0;
}

/* Ends: the kernel takes its locks of events and interrupts a CPU, or finds that it is offline. */
static int add_counter(struct stp_perf *p, struct perf_event_attr *attr)
{
	struct task_struct *task;
	struct perf_event *e;

	rcu_read_lock();
	task = pid_task(find_vpid(stp_session.target), PIDTYPE_PID);
	if (task)
		get_task_struct(task);
	rcu_read_unlock();
	if (!task)
		return -ESRCH;
	e = perf_event_create_kernel_counter(attr, -1, task, NULL, NULL);
	put_task_struct(task);
	if (IS_ERR(e))
		return PTR_ERR(e);
	p->state = e;
	return 0;
}

/* ------------------------------------------------------------------ arming */

/* A pinned event for which the processor has no free counter is in this state, and never counts. Ends: the kernel
 * takes its locks of events and interrupts a CPU, or finds that it is offline. */
static void release_sample(struct perf_event *e)
{
	if (READ_ONCE(e->state) == PERF_EVENT_STATE_ERROR)
		stp_lose(STP_LOSS_COUNTERS, 1);
	perf_event_release_kernel(e);
}

/* p->state: one event for a counter, else an array of struct sample by CPU number; under stp_hotplug_lock(). Ends:
 * the kernel takes its locks of events and interrupts a CPU, or finds that it is offline. */
static void remove(struct stp_perf *p)
{
	struct sample *samples = p->state;
	u64 count, enabled, running;
	int cpu;

	if (p->state && p->counter) {
		count = perf_event_read_value(p->state, &enabled, &running);
		p->last = stp_scaled(count, enabled, running);
		perf_event_release_kernel(p->state);
	}
	for_each_possible_cpu(cpu)
		if (samples && !p->counter && samples[cpu].event)
			release_sample(samples[cpu].event);
	if (!p->counter)
		plat_free(samples);
	p->state = NULL;
}

/* An offline CPU gets its event when it comes online. Ends: the kernel takes its locks of events and interrupts a
 * CPU, or finds that it is offline. */
static int add_sample(struct stp_perf *p, struct perf_event_attr *attr, int cpu)
{
	struct perf_event *e = perf_event_create_kernel_counter(attr, cpu, NULL, sampled, p);

	if (IS_ERR(e))
		return cpu_online(cpu) ? PTR_ERR(e) : 0;
	((struct sample *)p->state)[cpu].event = e;
	return 0;
}

static int add_samples(struct stp_perf *p, struct perf_event_attr *attr)
{
	int cpu, err = 0;

	p->state = plat_alloc(nr_cpu_ids * sizeof(struct sample), -1);
	if (!p->state)
		return -ENOMEM;
	for_each_cpu(cpu, &stp_cpus) {
		err = add_sample(p, attr, cpu);
		if (err)
			break;
	}
	return err;
}

static struct perf_event_attr attributes(const struct stp_perf *p)
{
	struct perf_event_attr attr = {
		.type = p->type,
		.config = p->config,
		.size = sizeof(attr),
		.sample_period = p->period ?: NSEC_PER_SEC / HZ,
		.pinned = !p->counter,
	};

	if (p->counter) {
		attr.sample_period = 0;
	} else if (p->per_second) {
		attr.freq = 1;
		attr.sample_freq = p->hz;
	}
	return attr;
}

static int add(struct stp_perf *p)
{
	struct perf_event_attr attr = attributes(p);
	int err = 0;

	if (p->counter)
		return add_counter(p, &attr);
	if (p->program)
		stp_program_open(p->program, &err);
	return err ?: add_samples(p, &attr);
}

static const char *reason(int err)
{
	switch (err) {
	case -ENOENT: case -EOPNOTSUPP: case -ENODEV: return "this machine does not support the event";
	case -EINVAL: return "the kernel rejects the event's type, config or period";
	case -EBUSY: case -ENOSPC: return "all counters of the processor are in use";
	case -ESRCH: return ".counter requires a target process (-c or -x)";
	case -ENOMEM: return "no memory";
	}
	return NULL;
}

static void report_failure(const struct stp_perf *p, int err)
{
	/* The kernel returns -ENOENT for missing counters, too. Counters open no program, and a program that could
	 * not be opened has no users. */
	bool unopened = p->program && !p->counter && !p->program->users;
	const char *why = unopened && stp_program_reason(err) ? stp_program_reason(err) : reason(err);
	char text[200], number[24];

	snprintf(number, sizeof(number), "error %d", err);
	snprintf(text, sizeof(text), "cannot arm %s: %s", p->probe->point, why ?: number);
	plat_message(STP_MSG_ERROR, text);
}

static void perf_stop(void *table, u32 n)
{
	struct stp_perf *p = table;
	int cpu;
	u32 i;

	stp_hotplug_lock();
	for (i = 0; i < n; i++)
		remove(&p[i]);
	stp_hotplug_unlock();
	stp_hotplug_stop();
	for_each_possible_cpu(cpu)
		irq_work_sync(per_cpu_ptr(&postponed.work, cpu));      /* ends: its handler has a budget, no event queues it */
	synchronize_rcu();         /* an interrupt may still be in the last handler; ends: handlers have a budget */
	for (i = 0; i < n; i++)
		if (p[i].program && p[i].program->users)
			stp_program_close(p[i].program);
	stp_tree_stop();
}

static int perf_start(void *table, u32 n)
{
	struct stp_perf *p = table;
	int err, cpu;
	u32 i;

	for_each_possible_cpu(cpu)
		init_irq_work(per_cpu_ptr(&postponed.work, cpu), run_postponed);
	err = stp_tree_start();
	if (err)
		return err;
	stp_hotplug_start();
	stp_hotplug_lock();
	for (i = 0; i < n && !err; i++) {
		err = add(&p[i]);
		p[i].absent = err && p[i].optional;
		if (!p[i].absent)
			continue;
		err = 0;
		remove(&p[i]);
	}
	stp_hotplug_unlock();
	if (!err)
		return 0;
	report_failure(&p[i - 1], err);
	perf_stop(table, n);
	return err;
}

static void perf_cpu_back(void *table, u32 n, u32 cpu)
{
	struct stp_perf *p;

	for (p = table; p < (struct stp_perf *)table + n; p++) {
		struct perf_event_attr attr = attributes(p);
		struct sample *samples = p->state;

		if (!samples || p->counter)
			continue;
		if (samples[cpu].event)
			release_sample(samples[cpu].event);
		samples[cpu] = (struct sample){ .due = 0 };
		if (add_sample(p, &attr, cpu))
			plat_message(STP_MSG_WARNING, "a CPU that was offline is no longer sampled, although it is online again");
	}
}

const struct stp_family_ops stp_perf_family = {
	.name = "perf",
	.start = perf_start,
	.stop = perf_stop,
	.cpu_back = perf_cpu_back,
};
