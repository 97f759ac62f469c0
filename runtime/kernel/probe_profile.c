// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * timer.profile: a sample of every CPU at a frequency, in the timer interrupt, with the registers
 * of what it interrupted. A perf event of the software CPU clock on each CPU.
 */
#include "kernel.h"
#include <linux/cpu.h>
#include <linux/perf_event.h>

static void sampled(struct perf_event *event, struct perf_sample_data *data, struct pt_regs *regs)
{
	const struct stp_profile *p = event->overflow_handler_context;
	unsigned long flags;
	struct stp_ctx *c;

	if (!stp_hit_begin(&c, &flags))
		return;
	c->regs = regs;
	c->address = instruction_pointer(regs);
	stp_handler_run(c, p->probe);
	stp_hit_end(c, flags);
}

/* p->state: perf_event pointers by CPU number. */
static void remove(struct stp_profile *p)
{
	struct perf_event **events = p->state;
	int cpu;

	if (!events)
		return;
	for_each_possible_cpu(cpu)
		if (events[cpu])
			perf_event_release_kernel(events[cpu]);
	plat_free(events);
	p->state = NULL;
}

static int add(struct stp_profile *p)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.size = sizeof(attr),
		.sample_period = div64_u64(NSEC_PER_SEC, p->hz ?: HZ),
		.pinned = 1,
	};
	struct perf_event **events = plat_alloc(nr_cpu_ids * sizeof(*events), -1);
	struct perf_event *e;
	int cpu;

	if (!events)
		return -ENOMEM;
	p->state = events;
	for_each_cpu(cpu, &stp_cpus) {
		if (!cpu_online(cpu))
			continue;
		e = perf_event_create_kernel_counter(&attr, cpu, NULL, sampled, p);
		if (IS_ERR(e))
			return PTR_ERR(e);
		events[cpu] = e;
	}
	return 0;
}

static void profile_stop(void *table, u32 n)
{
	struct stp_profile *p = table;
	u32 i;

	for (i = 0; i < n; i++)
		remove(&p[i]);
	synchronize_rcu();         /* an interrupt may still be in the last handler */
}

static int profile_start(void *table, u32 n)
{
	struct stp_profile *p = table;
	char text[80];
	u32 i;
	int err = 0;

	cpus_read_lock();
	for (i = 0; i < n && !err; i++)
		err = add(&p[i]);
	cpus_read_unlock();
	if (!err)
		return 0;
	profile_stop(table, n);
	snprintf(text, sizeof(text), "can't sample the CPUs for timer.profile: error %d", err);
	plat_message(STP_MSG_ERROR, text);
	return err;
}

const struct stp_family_ops stp_profile_family = {
	.name = "profile",
	.start = profile_start,
	.stop = profile_stop,
};
