// SPDX-License-Identifier: GPL-2.0-or-later
/* Handlers in slices, in a module: core/slices.c says what they are. */
#include "kernel.h"
#include <linux/mutex.h>

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

bool stp_run_in_slices(const struct stp_probe *p, u64 argument)
{
	bool done = false;

	/* Ends: the one that runs does, see plat_handlers_wait(). */
	if (mutex_lock_killable(&stp_slices_lock)) {
		stp_lose(STP_LOSS_OUTSIDE, 1);
		return false;
	}
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
