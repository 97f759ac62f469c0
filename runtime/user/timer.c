/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * timer.* and timer.profile: deadlines for which the loop in main.c waits. A tick that is late by more than an
 * interval replaces the missed ones. timer.profile ticks at 1000 Hz, or the frequency of the probe point, in
 * real time: this process mostly sleeps, so its CPU time hardly advances.
 */
#define _GNU_SOURCE
#include "user.h"
#include "event_probes.h"

#include <stdlib.h>
#include <time.h>


struct timer {
	const struct stp_probe *probe;
	u64 interval_ns, randomize_ns;
	u64 due;                       /* deadline, CLOCK_MONOTONIC, ns */
};

static struct timer *timers;
static unsigned int ntimers;

/* Returns the length of a jiffy, which is the resolution of the coarse clock. */
static u64 jiffy_ns(void)
{
	struct timespec t;

	if (clock_getres(CLOCK_MONOTONIC_COARSE, &t) || (!t.tv_sec && !t.tv_nsec))
		return 4000000;
	return (u64)t.tv_sec * 1000000000 + (u64)t.tv_nsec;
}

/* Returns a random time, uniform in interval +- randomize. */
static u64 next_interval(const struct timer *t)
{
	u64 r = t->randomize_ns;

	if (!r)
		return t->interval_ns;
	return t->interval_ns - r + (u64)stp_random(user_ctx, (s64)(2 * r + 1));
}

static int add(const struct stp_probe *probe, u64 interval_ns, u64 randomize_ns)
{
	struct timer *more = realloc(timers, (ntimers + 1) * sizeof(*timers)), *t;

	if (!more) {
		plat_message(STP_MSG_ERROR, "no memory for a timer");
		return -12;
	}
	timers = more;
	t = &timers[ntimers++];
	*t = (struct timer){ probe, interval_ns ? interval_ns : 1, randomize_ns, 0 };
	t->due = user_now_ns() + next_interval(t);
	return 0;
}

u64 user_timer_next(void)
{
	u64 due = ~0ull;
	unsigned int i;

	for (i = 0; i < ntimers; i++)
		if (timers[i].due < due)
			due = timers[i].due;
	return due;
}

static void fire(struct timer *t, u64 now)
{
	struct stp_ctx *c = user_ctx;

	t->due += next_interval(t);
	if (t->due <= now) {
		if (stp_session_running())
			stp_lose(STP_LOSS_TICKS, (now - t->due) / t->interval_ns + 1);
		t->due = now + next_interval(t);
	}
	if (!stp_ctx_enter(c))
		return;
	c->regs = NULL;
	c->address = 0;
	event_probes_enter(t->probe);
	stp_handler_run(c, t->probe);
	event_probes_leave(t->probe);
	stp_ctx_leave(c);
}

/* Runs due timers in the order of their deadlines, each at most once per call. */
void user_timer_run(void)
{
	u64 now = user_now_ns(), due;
	unsigned int i;

	while ((due = user_timer_next()) <= now && !user_stop) {
		for (i = 0; timers[i].due != due; i++)
			;
		fire(&timers[i], now);
	}
}

static int start_timers(void *table, u32 n)
{
	struct stp_timer *t = table, *end = t + n;
	u64 unit;
	int err = 0;

	for (; t < end && !err; t++) {
		unit = t->jiffies ? jiffy_ns() : 1;
		err = add(t->probe, t->interval_ns * unit, t->randomize_ns * unit);
	}
	return err;
}

static void stop(void *table, u32 n)
{
	free(timers);
	timers = NULL;
	ntimers = 0;
}

const struct stp_family_ops stp_timer_family = { "timer", start_timers, stop };
