/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CPUs that come online while a script runs. The kernel removes the perf events and debug registers of a CPU that
 * goes offline and does not create them again; the families that use these are notified of each CPU that is online
 * again. They are also notified of a CPU that was offline when the script started: it has no context, so that its
 * hits are counted as lost, but without an event there would be nothing to count. The notification runs in a worker:
 * in the kernel's own callback events cannot be created, because that would wait for the end of the callback.
 */
#include "kernel.h"
#include <linux/cpuhotplug.h>
#include <linux/mutex.h>
#include <linux/workqueue.h>

static void notify_families(struct work_struct *work);

static struct {
	struct mutex lock;                 /* protects the families' per-CPU objects and the other members */
	struct work_struct work;
	struct cpumask back;               /* CPUs of which families will be notified; atomic */
	u32 users;
	int state;                         /* the kernel's ID of our callback; 0 or less: not registered */
} hotplug = {
	.lock = __MUTEX_INITIALIZER(hotplug.lock),
	.work = __WORK_INITIALIZER(hotplug.work, notify_families),
};

/* Bounded wait: its holders create, release and read events, and never wait for a CPU to come online:
 * notify_families() runs in a worker. */
void stp_hotplug_lock(void)
{
	mutex_lock(&hotplug.lock);
}

void stp_hotplug_unlock(void)
{
	mutex_unlock(&hotplug.lock);
}

static void notify_families(struct work_struct *work)
{
	u32 cpu, i;

	mutex_lock(&hotplug.lock);     /* bounded: see stp_hotplug_lock() */
	for (cpu = 0; cpu < nr_cpu_ids; cpu++) {
		if (!cpumask_test_and_clear_cpu(cpu, &hotplug.back))
			continue;
		for (i = 0; i < stp_module.nfamilies; i++) {
			const struct stp_family *f = &stp_module.families[i];

			if (f->ops->cpu_back)
				f->ops->cpu_back(f->table, f->n, cpu);
		}
	}
	mutex_unlock(&hotplug.lock);
}

/* Context: the CPU's own thread, during hotplug. */
static int online(unsigned int cpu)
{
	cpumask_set_cpu(cpu, &hotplug.back);
	schedule_work(&hotplug.work);
	return 0;
}

/* Bounded wait: for hotplug in progress; online() waits for nothing. Called without hotplug.lock. */
void stp_hotplug_start(void)
{
	if (hotplug.users++)
		return;
	hotplug.state = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, THIS_MODULE->name, online, NULL);
	if (hotplug.state <= 0)
		plat_message(STP_MSG_WARNING, "cannot watch CPU hotplug: a CPU that comes online later is not sampled, and data is "
			     "not watched on it");
}

/* Bounded wait: as in stp_hotplug_start(). */
void stp_hotplug_stop(void)
{
	if (--hotplug.users)
		return;
	if (hotplug.state > 0)
		cpuhp_remove_state_nocalls(hotplug.state);
	hotplug.state = 0;
	cancel_work_sync(&hotplug.work);       /* bounded: this function does not hold the lock that the work takes */
}
