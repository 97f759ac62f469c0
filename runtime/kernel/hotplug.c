/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CPUs that come online while a script runs. The kernel removes the perf events and debug registers of a CPU that
 * goes offline and does not create them again; the families that use these are notified of each CPU that is online
 * again. They are also notified of a CPU that was offline when the script started: it has no context, so that its
 * hits are counted as lost, but without an event there would be nothing to count. The notification runs in a worker:
 * during a step of the hotplug events cannot be created, because that would wait for its end.
 */
#include "kernel.h"
#include <linux/cpuhotplug.h>
#include <linux/mutex.h>
#include <linux/workqueue.h>

static void notify_of_cpus(struct work_struct *work);

static struct {
	struct mutex lock;                 /* protects the families' per-CPU objects and the other members */
	struct work_struct work;
	struct cpumask back;               /* CPUs of which families will be notified; atomic */
} hotplug = {
	.lock = __MUTEX_INITIALIZER(hotplug.lock),
	.work = __WORK_INITIALIZER(hotplug.work, notify_of_cpus),
};

/* Bounded wait: its holders create, release and read events, and never wait for a CPU to come online:
 * notify_of_cpus() runs in a worker. */
void stp_hotplug_lock(void)
{
	mutex_lock(&hotplug.lock);
}

void stp_hotplug_unlock(void)
{
	mutex_unlock(&hotplug.lock);
}

static void notify_of_cpus(struct work_struct *work)
{
	u32 cpu, i;

	mutex_lock(&hotplug.lock);     /* bounded: see stp_hotplug_lock() */
	for (cpu = 0; cpu < nr_cpu_ids; cpu++) {
		if (!cpumask_test_and_clear_cpu(cpu, &hotplug.back))
			continue;
		stp_stack_learn(cpu);
		for (i = 0; i < stp_module.nfamilies; i++) {
			const struct stp_family *f = &stp_module.families[i];

			if (f->ops->cpu_back)
				f->ops->cpu_back(f->table, f->n, cpu);
		}
	}
	mutex_unlock(&hotplug.lock);
}

/* Returns true if the script has probes that may be hit on any CPU. */
static bool has_probes(void)
{
	u32 i;

	for (i = 0; i < stp_module.nfamilies; i++)
		if (stp_module.families[i].ops->start)
			return true;
	return false;
}

/*
 * Called before each step of a CPU's hotplug, by another CPU until it is online. A CPU that comes online executes
 * code before it can handle exceptions, such as faults in loads of a handler. So it has no context then, and its hits
 * are counted as lost.
 */
static void on_step(void *data, unsigned int cpu, int target, int step, int (*function)(unsigned int))
{
	bool runs = cpu_online(cpu) && cpumask_test_cpu(cpu, &stp_cpus);

	plat_ctx_set(cpu, runs ? &stp_session.ctx[cpu]->c : &stp_ctx_none);
}

/* Called after each step. The last one of a CPU that comes online makes it active. */
static void on_step_end(void *data, unsigned int cpu, int state, int step, int error)
{
	if (step != CPUHP_AP_ACTIVE || error || !cpu_active(cpu))
		return;
	cpumask_set_cpu(cpu, &hotplug.back);
	schedule_work(&hotplug.work);
}

/* Callbacks of the kernel (cpuhp_setup_state()) are not used, since their number is limited, and the kernel warns
 * about one too many. */
static struct stp_hook hotplug_hooks[] = {
	{ "cpuhp_enter", on_step, .wanted = true },
	{ "cpuhp_exit", on_step_end, .wanted = true },
};

/* Bounded wait: tracepoint patching (kernel/README.md, "Why waits end"). */
void stp_hotplug_start(void)
{
	if (has_probes() && stp_hooks_arm(hotplug_hooks, ARRAY_SIZE(hotplug_hooks)))
		plat_message(STP_MSG_WARNING, "cannot watch CPU hotplug: a CPU that comes online later is not sampled, and data is "
			     "not watched on it");
}

/* Bounded wait: tracepoint patching; the work takes locks of events. Called when the families have stopped. */
void stp_hotplug_stop(void)
{
	stp_hooks_disarm(hotplug_hooks, ARRAY_SIZE(hotplug_hooks));
	cancel_work_sync(&hotplug.work);       /* bounded: this function does not hold the lock that the work takes */
}
