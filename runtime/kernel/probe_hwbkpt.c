/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hardware watchpoints on the kernel's data: a debug register of each CPU.
 *
 * A hit comes after the access, in the processor's debug exception. That has a stack of its own,
 * which stp_hit_refused() would take for an NMI's; it has room for a handler.
 */
#include "kernel.h"
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <linux/ptrace.h>

static void accessed(struct perf_event *event, struct perf_sample_data *data, struct pt_regs *regs)
{
	const struct stp_hwbkpt *w = event->overflow_handler_context;
	unsigned long flags;
	struct stp_ctx *c;

	if (!stp_hit_enter(&c, &flags))
		return;
	c->regs = regs;
	c->address = instruction_pointer(regs);
	stp_handler_run(c, w->probe);
	stp_hit_end(c, flags);
}

static int add(struct stp_hwbkpt *w)
{
	struct perf_event * __percpu *events;
	struct perf_event_attr attr;

	if (!w->site.address)
		return -ENOENT;
	hw_breakpoint_init(&attr);
	attr.bp_addr = w->site.address;
	attr.bp_len = w->length;
	attr.bp_type = w->reads ? HW_BREAKPOINT_RW : HW_BREAKPOINT_W;
	events = register_wide_hw_breakpoint(&attr, accessed, w);
	if (IS_ERR((void __force *)events))
		return PTR_ERR((void __force *)events);
	w->state = (void __force *)events;
	return 0;
}

static void hwbkpt_stop(void *table, u32 n)
{
	struct stp_hwbkpt *w = table;
	u32 i;

	for (i = 0; i < n; i++) {
		if (w[i].state)
			unregister_wide_hw_breakpoint((struct perf_event * __percpu *)w[i].state);
		w[i].state = NULL;
	}
	synchronize_rcu();         /* an exception may still be in the last handler */
}

static const char *reason(int err)
{
	switch (err) {
	case -ENOENT: return "the running kernel has no symbol of this name";
	case -ENOSPC: case -EBUSY: return "the processor has no debug register left";
	case -EINVAL: return "the processor can't watch this address with this length (it must be a multiple of it)";
	}
	return "the kernel refused it";
}

static int hwbkpt_start(void *table, u32 n)
{
	struct stp_hwbkpt *w = table;
	char text[240];
	int err = 0;
	u32 i;

	for (i = 0; i < n; i++) {
		err = add(&w[i]);
		if (!err || w[i].optional)
			continue;
		snprintf(text, sizeof(text), "%s can't be armed: %s (error %d)", w[i].probe->point, reason(err), err);
		plat_message(STP_MSG_ERROR, text);
		hwbkpt_stop(table, n);
		return err;
	}
	return 0;
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
	.sites = hwbkpt_sites,
};
