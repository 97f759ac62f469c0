/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CPUs that go and come again while a script runs. What the kernel counts on a CPU (perf events, debug
 * registers) is gone with it and isn't made again by itself; the families that have some are told of each
 * of our CPUs that is back. In a worker: where the kernel tells, events can't be made, for that waits for
 * the coming to be over.
 */
#include "kernel.h"
#include <linux/cpuhotplug.h>
#include <linux/mutex.h>
#include <linux/workqueue.h>

static void tell(struct work_struct *work);

static struct {
	struct mutex lock;                 /* over what the families have on CPUs, and the rest of this */
	struct work_struct work;
	struct cpumask back;               /* to be told; atomic */
	u32 users;
	int state;                         /* the kernel's number for us; 0 or less: we aren't called */
} hotplug = {
	.lock = __MUTEX_INITIALIZER(hotplug.lock),
	.work = __WORK_INITIALIZER(hotplug.work, tell),
};

/* Ends: its holders make, release and read events, and never wait for a CPU that comes: tell() runs in a worker. */
void stp_hotplug_lock(void)
{
	mutex_lock(&hotplug.lock);
}

void stp_hotplug_unlock(void)
{
	mutex_unlock(&hotplug.lock);
}

static void tell(struct work_struct *work)
{
	u32 cpu, i;

	mutex_lock(&hotplug.lock);     /* ends: see stp_hotplug_lock() */
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

/* Context: the CPU's own thread, while the machine waits for it. */
static int online(unsigned int cpu)
{
	if (cpumask_test_cpu(cpu, &stp_cpus)) {
		cpumask_set_cpu(cpu, &hotplug.back);
		schedule_work(&hotplug.work);
	}
	return 0;
}

/* Ends: waits for CPUs that come or go at the moment; online() waits for nothing. Without hotplug.lock. */
void stp_hotplug_start(void)
{
	if (hotplug.users++)
		return;
	hotplug.state = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, THIS_MODULE->name, online, NULL);
	if (hotplug.state <= 0)
		plat_message(STP_MSG_WARNING, "a CPU that goes and comes again won't be seen to do so");
}

/* Ends: as stp_hotplug_start(). */
void stp_hotplug_stop(void)
{
	if (--hotplug.users)
		return;
	if (hotplug.state > 0)
		cpuhp_remove_state_nocalls(hotplug.state);
	hotplug.state = 0;
	cancel_work_sync(&hotplug.work);       /* ends: without the lock that the work takes */
}
