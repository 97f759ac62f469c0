/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Perf events: samples on every CPU with the registers of the interrupted code (timer.profile is one of the
 * software CPU clock), and counters of the target process, or of the processes that run a program, that handlers read.
 *
 * A counter of a program is an event on every CPU, whose count is attributed to the running thread: from the
 * switch to it to the switch to another one. So it counts from a thread's first instruction on, and nothing has
 * to be armed when a process starts.
 *
 * A counter of the processor overflows in an NMI, where no handler may run. The NMI saves the registers, and the
 * handler runs in an interrupt as soon as interrupts are on.
 */
#include "kernel.h"
#include <linux/hash.h>
#include <linux/irq_work.h>
#include <linux/perf_event.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/ptrace.h>
#include <linux/tracepoint.h>

struct postponed {
	struct irq_work work;
	const struct stp_perf *perf;       /* NULL: the entry is free */
	struct pt_regs regs;
};
static DEFINE_PER_CPU(struct postponed, postponed);

#define PERF_THROTTLED (~0ull)     /* MAX_INTERRUPTS of kernel/events/core.c */
#define SHORTEST_CLOCK 10000       /* in ns: the minimum period of the kernel's clocks, perf_swevent_hrtimer() */

struct sample {                    /* one per CPU */
	struct perf_event *event;  /* NULL: the CPU is offline */
	u64 due;                   /* clocks: when the newest sample was due, in ns; 0: no sample yet */
	s64 base;                  /* counters: the count when the current thread was switched in */
};

static bool counts_target(const struct stp_perf *p)
{
	return p->counter && !p->program;
}

/* ------------------------------------------------------------------ samples */

/* Until the process that will execute the command of -c does so, it is a fork of stapio. */
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
 * Returns the number of samples of a clock that were due since the last one and did not occur. The clock is a
 * timer, which skips all periods that have elapsed when a handler returns: perf_swevent_hrtimer(), 5.10 to 7.2. The
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
	/* The kernel throttles an event in __perf_event_account_interrupt(), before it calls us, until the next
	 * tick (5.10 to 7.2). */
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

/* ------------------------------------------------------------------ counters of programs */

#define THREAD_BITS 9
#define THREAD_WAYS 8
#define THREADS (THREAD_WAYS << THREAD_BITS)       /* maximum number of threads of a program that have separate
						    * counts */
#define LOST_BITS 13

/*
 * A row belongs to one thread from the first switch to it (or the first read) until it exits. Only the CPU that
 * runs the thread, or switches to or from it, claims, reads and frees the row, with preemption disabled, so no lock
 * is necessary.
 */
struct thread_count {
	struct task_struct *task;      /* NULL: the row is free. It is only compared */
	u64 born;                      /* the thread's start_time, since the memory of `task` may later be
				        * another thread's */
	u64 programs;                  /* number of programs that the thread had executed */
	s64 count;                     /* count up to the last switch from the thread */
};

struct program_count {
	struct thread_count threads[THREADS];
	/* Index: lost_slot(). The start_time of the latest thread with an interval that no row has counted.
	 * Counts of later threads are complete. */
	u64 lost[1 << LOST_BITS];
	struct sample samples[];       /* indexed by CPU number */
};

enum switch_hook { ON_SWITCH, ON_EXEC, ON_EXIT, SWITCH_HOOKS };

static struct {
	struct stp_perf *at;
	u32 n;
} counters;

/* Returns a slot for a thread in the program that it runs. A few threads share a slot. */
static u64 *lost_slot(struct program_count *pc, const struct task_struct *t)
{
	return pc->lost + hash_64((unsigned long)t + t->start_time * 31 + t->self_exec_id, LOST_BITS);
}

static void note_lost(struct program_count *pc, const struct task_struct *t)
{
	u64 *slot = lost_slot(pc, t), born, latest;

	for (born = READ_ONCE(*slot); born < t->start_time; born = latest) {
		latest = cmpxchg64(slot, born, t->start_time);
		if (latest == born)
			return;
	}
}

/*
 * Returns the row of a thread, which is the current or the next one. NULL: it has none; with `make`: all rows of
 * its set are in use, or the thread exits. Since 6.16, an exiting thread can be switched out after on_count_exit(),
 * and no code would free its row.
 */
static struct thread_count *thread_row(struct program_count *pc, struct task_struct *t, bool make)
{
	struct thread_count *set = pc->threads + THREAD_WAYS * hash_ptr(t, THREAD_BITS), *row = NULL;
	u32 i;

	for (i = 0; i < THREAD_WAYS && !row; i++)
		if (READ_ONCE(set[i].task) == t)
			row = &set[i];
	make &= !(t->flags & PF_EXITING);
	for (i = 0; i < THREAD_WAYS && !row && make; i++)
		if (!READ_ONCE(set[i].task) && !cmpxchg(&set[i].task, NULL, t)) {
			row = &set[i];
			row->count = 0;
		}
	if (row && (row->programs != t->self_exec_id || row->born != t->start_time)) {
		row->programs = t->self_exec_id;
		row->born = t->start_time;
		row->count = 0;
	}
	return row;
}

static s64 cpu_count(struct perf_event *e)
{
	if (e->oncpu == raw_smp_processor_id())
		e->pmu->read(e);
	return local64_read(&e->count);
}

/*
 * Returns true if the current thread runs the program. Up to 6.15, a thread that exits has released its memory
 * before sched_process_exit: then its row shows that it did.
 */
static bool runs_program(const struct stp_perf *p)
{
	if (!current->mm && current->flags & PF_EXITING)
		return thread_row(p->state, current, false);
	return stp_program_runs(p->program, current->mm);
}

/* Attributes the count of this CPU to the current thread, if it runs the program. */
static void attribute(struct stp_perf *p, bool counts)
{
	struct program_count *pc = p->state;
	struct sample *s = &pc->samples[raw_smp_processor_id()];
	struct perf_event *e = READ_ONCE(s->event);
	struct thread_count *r;
	s64 now;

	if (!e)
		return;
	now = cpu_count(e);
	if (counts && runs_program(p)) {
		r = thread_row(pc, current, true);
		if (r) {
			r->count += now - s->base;
		} else if (now != s->base && !(current->flags & PF_EXITING)) {
			note_lost(pc, current);
			stp_lose(STP_LOSS_COUNTS, 1);
		}
	}
	s->base = now;
}

static void attribute_all(bool counts)
{
	struct stp_perf *p;

	for (p = counters.at; p < counters.at + counters.n; p++)
		if (p->counter && p->program && p->state)
			attribute(p, counts);
}

/*
 * Adds a row for the next thread now instead of when it is switched out: up to 6.15, a thread that exits has no mm
 * by then, so its program could not be determined. If no row can be added, the thread's counts are incomplete.
 * Context: the scheduler, under its lock, interrupts disabled.
 */
static void on_switch(void *data, bool preempt, struct task_struct *prev, struct task_struct *next)
{
	struct stp_perf *p;

	attribute_all(true);
	for (p = counters.at; p < counters.at + counters.n; p++)
		if (p->counter && p->program && p->state && stp_program_runs(p->program, next->mm) &&
		    !thread_row(p->state, next, true) && !(next->flags & PF_EXITING))
			note_lost(p->state, next);
}

/*
 * Counts up to this point belong to the program that the thread ran before, even if it was switched out when it
 * already had the memory of the new one. Since 7.0, tracepoints leave preemption enabled.
 */
static void on_count_exec(void *data, struct task_struct *task, pid_t old_pid, void *bprm)
{
	struct thread_count *r;
	struct stp_perf *p;

	preempt_disable_notrace();
	attribute_all(false);
	for (p = counters.at; p < counters.at + counters.n; p++) {
		r = p->counter && p->program && p->state && runs_program(p) ? thread_row(p->state, current, true) : NULL;
		if (r)
			r->count = 0;
	}
	preempt_enable_notrace();
}

/* Context: as on_count_exec(), after the handlers of process.end and thread.end. */
static void on_count_exit(void *data, struct task_struct *task)
{
	struct thread_count *r;
	struct stp_perf *p;

	for (p = counters.at; p < counters.at + counters.n; p++) {
		r = p->counter && p->program && p->state ? thread_row(p->state, current, false) : NULL;
		if (r)
			smp_store_release(&r->task, NULL);
	}
}

/* Context: a handler of a probe of a process that runs the program, or ran it until it released its memory. */
static s64 read_thread(struct stp_ctx *c, const struct stp_perf *p)
{
	struct program_count *pc = READ_ONCE(p->state);
	struct sample *s = pc ? &pc->samples[raw_smp_processor_id()] : NULL;
	struct perf_event *e = s ? READ_ONCE(s->event) : NULL;
	struct thread_count *r;

	if (!e || (current->mm && !stp_program_runs(p->program, current->mm)))
		return 0;
	r = thread_row(pc, current, true);
	if (READ_ONCE(e->state) == PERF_EVENT_STATE_ERROR)
		stp_error(c, "the perf counter \"%s\" does not count: the processor's counters are in use by other events",
			  p->counter);
	else if ((!r && !(current->flags & PF_EXITING)) || READ_ONCE(*lost_slot(pc, current)) >= current->start_time)
		stp_error(c, "the perf counter \"%s\" is incomplete for this thread: too many threads run \"%s\" (at most "
			  "%d are counted, fewer if their hashes collide)", p->counter, p->program->path, THREADS);
	else
		return (r ? r->count : 0) + cpu_count(e) - s->base;
	return 0;
}

/* A program's counts begin before the handlers of process.begin, and end after those of process.end. */
static struct stp_hook switch_hooks[SWITCH_HOOKS] = {
	[ON_SWITCH] = { "sched_switch", on_switch, .wanted = true },
	[ON_EXEC] = { "sched_process_exec", on_count_exec, .wanted = true, .priority = 1 },
	[ON_EXIT] = { "sched_process_exit", on_count_exit, .wanted = true, .priority = -1 },
};

static bool has_switch_hooks(void)
{
	return READ_ONCE(switch_hooks[SWITCH_HOOKS - 1].armed);
}

/*
 * Enables the events of counters of programs after the hooks: otherwise, the first thread that is switched out on a
 * CPU would be attributed everything that the CPU had counted. Bounded wait: as in remove().
 */
static void enable_counters(struct stp_perf *table, u32 n)
{
	struct program_count *pc;
	u32 i, cpu;

	stp_hotplug_lock();
	for (i = 0; i < n; i++) {
		pc = table[i].counter && table[i].program ? table[i].state : NULL;
		for (cpu = 0; pc && cpu < nr_cpu_ids; cpu++)
			if (pc->samples[cpu].event)
				perf_event_enable(pc->samples[cpu].event);
	}
	stp_hotplug_unlock();
}

static int start_counters(struct stp_perf *table, u32 n)
{
	bool wanted = false;
	int err;
	u32 i;

	for (i = 0; i < n; i++)
		wanted |= table[i].counter && table[i].program && table[i].state;
	counters.at = table;
	counters.n = n;
	if (!wanted)
		return 0;
	err = stp_hooks_arm(switch_hooks, SWITCH_HOOKS);
	if (err)
		plat_message(STP_MSG_ERROR, "counters of programs require the tracepoints sched_switch, "
			     "sched_process_exec and sched_process_exit");
	else
		enable_counters(table, n);
	return err;
}

/* ------------------------------------------------------------------ counters */

/*
 * Reads an event. For an event of the current task, the processor has the newest part of the count. Events that
 * outnumber the processor's counters are multiplexed: when the kernel switches them, it updates the times during
 * which each was enabled and running, so these times are at most one rotation old.
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

/* Returns true if the counted process runs on this CPU, and the event has not been scheduled since the process
 * started. */
static bool was_never_scheduled(struct perf_event *e)
{
	return e->hw.target == current && e->oncpu < 0 && !READ_ONCE(e->total_time_running) && !local64_read(&e->count);
}

static s64 read_counter(struct stp_ctx *c, const struct stp_perf *p)
{
	struct perf_event *e;

	if (p->absent) {
		stp_error(c, "the perf counter \"%s\" is not available on this machine", p->counter);
		return 0;
	}
	if (p->program)
		return read_thread(c, p);
	e = READ_ONCE(p->state);
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

/* Bounded wait: the kernel takes its locks of events and interrupts a CPU, or finds that it is offline. */
static int add_counter(struct stp_perf *p, struct perf_event_attr *attr)
{
	struct task_struct *task;
	struct perf_event *e;

	rcu_read_lock();
	task = pid_task(find_pid_ns(stp_session.target, &init_pid_ns), PIDTYPE_PID);
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

/*
 * A pinned event for which the processor has no free counter is in PERF_EVENT_STATE_ERROR, and never counts.
 * Bounded wait: perf_event_release_kernel() takes locks of events, and interrupts a CPU, unless this is offline.
 */
static void release_sample(struct perf_event *e)
{
	if (READ_ONCE(e->state) == PERF_EVENT_STATE_ERROR)
		stp_lose(STP_LOSS_COUNTERS, 1);
	perf_event_release_kernel(e);
}

/* p->state: an event for a counter of the target, a struct program_count for a counter of a program, otherwise
 * an array of struct sample by CPU number; under stp_hotplug_lock(). Returns NULL for the first two. */
static struct sample *samples_of(const struct stp_perf *p)
{
	struct program_count *pc = p->state;

	return !pc || counts_target(p) ? NULL : p->counter ? pc->samples : p->state;
}

/* Bounded wait: the kernel takes its locks of events and interrupts a CPU, or finds that it is offline. */
static void remove(struct stp_perf *p)
{
	struct sample *samples = samples_of(p);
	u64 count, enabled, running;
	int cpu;

	if (p->state && counts_target(p)) {
		count = perf_event_read_value(p->state, &enabled, &running);
		p->last = stp_scaled(count, enabled, running);
		perf_event_release_kernel(p->state);
	}
	for_each_possible_cpu(cpu)
		if (samples && samples[cpu].event)
			release_sample(samples[cpu].event);
	if (samples)
		plat_free(p->state);
	p->state = NULL;
}

/*
 * A CPU that is offline gets its event when it comes online. A CPU is active only after our callback of hotplug.c was
 * called for it, so the error of one that is not active, or was not, does not count. Bounded wait: the kernel takes its
 * locks of events and interrupts a CPU, or finds that it is offline.
 */
static int add_sample(struct stp_perf *p, struct perf_event_attr *attr, int cpu)
{
	bool active = cpu_active(cpu);
	struct perf_event *e = perf_event_create_kernel_counter(attr, cpu, NULL, p->counter ? NULL : sampled, p);

	if (IS_ERR(e))
		return active && cpu_active(cpu) ? PTR_ERR(e) : 0;
	WRITE_ONCE(samples_of(p)[cpu].event, e);
	if (p->counter && has_switch_hooks())
		perf_event_enable(e);
	return 0;
}

static u64 state_bytes(const struct stp_perf *p)
{
	return nr_cpu_ids * sizeof(struct sample) + (p->counter ? sizeof(struct program_count) : 0);
}

static int add_samples(struct stp_perf *p, struct perf_event_attr *attr)
{
	int cpu, err = 0;

	p->state = plat_alloc(state_bytes(p), -1);
	if (!p->state)
		return -ENOMEM;
	for_each_possible_cpu(cpu) {
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
		.pinned = !counts_target(p),
		.disabled = p->counter && p->program,      /* enable_counters() enables it */
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

	if (counts_target(p))
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
	/* The kernel also returns -ENOENT for missing counters. A program that could not be opened has no users. */
	bool unopened = p->program && !p->program->users;
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

	stp_hooks_disarm(switch_hooks, SWITCH_HOOKS);
	stp_hotplug_lock();
	for (i = 0; i < n; i++)
		remove(&p[i]);
	stp_hotplug_unlock();
	for_each_possible_cpu(cpu)
		irq_work_sync(per_cpu_ptr(&postponed.work, cpu));      /* bounded: its handler has a budget, no event queues it */
	synchronize_rcu();         /* an interrupt may still be in the last handler; bounded: handlers have a budget */
	for (i = 0; i < n; i++)
		if (p[i].program && p[i].program->users)
			stp_program_close(p[i].program);
	stp_tree_stop();
}

static u64 perf_memory(const void *table, u32 n)
{
	const struct stp_perf *p;
	u64 bytes = 0;

	for (p = table; p < (const struct stp_perf *)table + n; p++)
		bytes += p->counter && p->program ? state_bytes(p) : 0;
	return bytes;
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
	if (err)
		report_failure(&p[i - 1], err);
	else
		err = start_counters(table, n);
	if (err)
		perf_stop(table, n);
	return err;
}

static void perf_cpu_back(void *table, u32 n, u32 cpu)
{
	struct stp_perf *p;

	for (p = table; p < (struct stp_perf *)table + n; p++) {
		struct perf_event_attr attr = attributes(p);
		struct sample *samples = samples_of(p);
		struct perf_event *before;

		if (!samples)
			continue;
		before = samples[cpu].event;
		WRITE_ONCE(samples[cpu].event, NULL);
		if (before && p->counter)
			tracepoint_synchronize_unregister();   /* bounded: on_switch() reads a finite list */
		if (before)
			release_sample(before);
		samples[cpu] = (struct sample){ .due = 0 };
		if (add_sample(p, &attr, cpu))
			plat_message(STP_MSG_WARNING, "cannot sample on a CPU that came online");
	}
}

const struct stp_family_ops stp_perf_family = {
	.name = "perf",
	.memory = perf_memory,
	.start = perf_start,
	.stop = perf_stop,
	.cpu_back = perf_cpu_back,
};
