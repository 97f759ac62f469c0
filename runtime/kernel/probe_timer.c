// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Timers. Intervals in units of time use high-resolution timers, whose handlers run in their interrupt; intervals
 * in jiffies use the timer wheel, whose handlers run in its softirq. Each probe has one timer for the whole
 * machine: it fires on the CPU that started it, or where that CPU's timers were migrated. For handlers in slices
 * the hit copies the globals, and a thread runs the rest (slices.c).
 */
#include "kernel.h"
#include <linux/hrtimer.h>
#include <linux/random.h>
#include <linux/timer.h>

struct timer {
	const struct stp_timer *t;
	union {
		struct hrtimer high;
		struct timer_list wheel;
	};
	u64 random;                /* state of next_interval()'s generator, not 0 */
};

static void hit(struct timer *s)
{
	const struct stp_probe *probe = s->t->probe;
	unsigned long flags;
	struct stp_ctx *c;

	if (probe->in_slices) {
		stp_slices_tick(probe);
		return;                    /* not a hit: stp_slices_tick() counts it */
	}
	if (!stp_hit_begin(&c, &flags))
		return;
	c->regs = NULL;
	c->address = 0;
	stp_handler_run(c, probe);
	stp_hit_end(c, flags);
}

/* Returns a random time in interval - randomize ... interval + randomize, at least 1. It does not use the kernel's
 * generator, which takes locks that a probed function may hold. */
static u64 next_interval(struct timer *s)
{
	const struct stp_timer *t = s->t;
	u64 n;

	if (!t->randomize_ns)
		return t->interval_ns;
	s->random ^= s->random << 13;
	s->random ^= s->random >> 7;
	s->random ^= s->random << 17;
	div64_u64_rem(s->random, 2 * t->randomize_ns + 1, &n);
	n += t->interval_ns;
	return n > t->randomize_ns ? n - t->randomize_ns : 1;
}

/* passed: the number of intervals that have elapsed at the end of the handler. All except one had no hit. */
static void count_ticks(u64 passed)
{
	if (unlikely(passed > 1) && stp_session_running())
		stp_lose(STP_LOSS_TICKS, passed - 1);
}

/*
 * Sets the time of the next tick and returns the number of intervals that have elapsed. With .randomize() one
 * interval may be much shorter than the elapsed time, so the others are counted by their mean, interval_ns.
 */
static u64 forward(struct timer *s)
{
	u64 first = next_interval(s), passed, rest;
	ktime_t now = ktime_get();
	s64 late = ktime_to_ns(ktime_sub(now, hrtimer_get_expires(&s->high)));

	if (!s->t->randomize_ns || late < (s64)first)
		return hrtimer_forward_now(&s->high, ns_to_ktime(first));
	passed = 2 + div64_u64_rem(late - first, s->t->interval_ns, &rest);
	hrtimer_set_expires(&s->high, ktime_add_ns(now, next_interval(s) - rest));
	return passed;
}

static enum hrtimer_restart high_fired(struct hrtimer *h)
{
	struct timer *s = container_of(h, struct timer, high);

	hit(s);
	count_ticks(forward(s));
	return HRTIMER_RESTART;
}

static void wheel_fired(struct timer_list *w)
{
	struct timer *s = container_of(w, struct timer, wheel);

	hit(s);
	count_ticks(1 + (jiffies - w->expires) / (unsigned long)s->t->interval_ns);
	mod_timer(w, jiffies + next_interval(s));
}

static void arm(struct timer *s)
{
	if (s->t->jiffies) {
		timer_setup(&s->wheel, wheel_fired, 0);
		mod_timer(&s->wheel, jiffies + next_interval(s));
	} else {
		compat_hrtimer_setup(&s->high, high_fired, HRTIMER_MODE_REL_HARD);
		hrtimer_start(&s->high, ns_to_ktime(next_interval(s)), HRTIMER_MODE_REL_HARD);
	}
}

/* Bounded wait: for one run of a handler, which has a budget. A handler that runs continuously stops before: the
 * gates are closed, and a hit with a closed gate only restarts the timer. */
static void disarm(struct timer *s)
{
	if (s->t->jiffies)
		compat_timer_delete_sync(&s->wheel);
	else
		hrtimer_cancel(&s->high);
}

/* ------------------------------------------------------------------ the family */

static void timer_stop(void *table, u32 n)
{
	struct stp_timer *t = table;
	u32 i;

	for (i = 0; i < n; i++)
		if (t[i].state)
			disarm(t[i].state);
	stp_slices_stop();
	for (i = 0; i < n; i++) {
		plat_free(t[i].state);
		t[i].state = NULL;
	}
}

static int make(struct stp_timer *t, u32 n)
{
	u32 i;

	for (i = 0; i < n; i++) {
		struct timer *s = plat_alloc(sizeof(*s), -1);

		if (!s)
			return -ENOMEM;
		s->t = &t[i];
		s->random = get_random_u32() | 1ull << 32;
		t[i].state = s;
	}
	return stp_slices_start();
}

static int timer_start(void *table, u32 n)
{
	struct stp_timer *t = table;
	int err = make(t, n);
	u32 i;

	if (err) {
		for (i = 0; i < n; i++) {
			plat_free(t[i].state);
			t[i].state = NULL;
		}
		plat_message(STP_MSG_ERROR, "no memory for timer probes");
		return err;
	}
	for (i = 0; i < n; i++)
		arm(t[i].state);
	return 0;
}

const struct stp_family_ops stp_timer_family = {
	.name = "timer",
	.start = timer_start,
	.stop = timer_stop,
};
