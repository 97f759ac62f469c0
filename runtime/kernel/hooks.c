/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tracepoints that families use, by name. */
#include "kernel.h"
#include <linux/tracepoint.h>

#ifdef CONFIG_TRACEPOINTS

struct hooks { struct stp_hook *at; u32 n; };

static void note_hook(struct tracepoint *tp, void *data)
{
	const struct hooks *hooks = data;
	u32 i;

	for (i = 0; i < hooks->n; i++)
		if (!strcmp(tp->name, hooks->at[i].name))
			hooks->at[i].point = tp;
}

/* Bounded wait: tracepoint patching (kernel/README.md, "Why waits end"). */
int stp_hooks_arm(struct stp_hook *at, u32 n)
{
	struct hooks hooks = { at, n };
	int err = 0;
	u32 i;

	for_each_kernel_tracepoint(note_hook, &hooks);
	for (i = 0; i < n && !err; i++) {
		if (!at[i].wanted)
			continue;
		err = at[i].point ? tracepoint_probe_register_prio(at[i].point, at[i].function, NULL,
								   TRACEPOINT_DEFAULT_PRIO + at[i].priority) : -ENOENT;
		WRITE_ONCE(at[i].armed, !err);
	}
	return err;
}

/* Bounded wait: tracepoint patching (kernel/README.md, "Why waits end"). */
void stp_hooks_disarm(struct stp_hook *at, u32 n)
{
	bool armed = false;
	u32 i;

	for (i = 0; i < n; i++) {
		if (at[i].armed)
			tracepoint_probe_unregister(at[i].point, at[i].function, NULL);
		armed |= at[i].armed;
		WRITE_ONCE(at[i].armed, false);
	}
	if (armed)
		tracepoint_synchronize_unregister();   /* waits for RCU and SRCU; bounded: handlers have a budget,
						        * lists are finite */
}

#endif
