// SPDX-License-Identifier: GPL-2.0-or-later
// timer.s(N), .ms ... .ns, .hz, .jiffies, each except hz with an optional .randomize(M).
//
// In: a matched point. Out: one probe, and the table of struct stp_timer (intervals in ns, or in
// jiffies when .jiffies is set).
#include "elab/elab.h"
#include "emit/emit.h"
#include "resolve/family.h"

#include <string.h>

extern const struct probe_family family_timer;

static const int64_t ns_per_day = 24LL * 3600 * 1000000000;
enum { MIN_NS = 100000, MAX_JIFFIES = 1000000, MAX_HZ = 1000000000 / MIN_NS };

static const struct unit {
	const char *name;
	int64_t ns;                // 0: the unit is jiffies; -1: N is a frequency
} units[] = {
	{ "s", 1000000000 }, { "sec", 1000000000 }, { "ms", 1000000 }, { "msec", 1000000 },
	{ "us", 1000 }, { "usec", 1000 }, { "ns", 1 }, { "nsec", 1 }, { "jiffies", 0 }, { "hz", -1 },
};

struct timer {
	int64_t interval, randomize; // both in ns or jiffies
	bool jiffies;
};

static int check_hz(const struct point_part *part)
{
	if (part->number >= 1 && part->number <= MAX_HZ)
		return 0;
	diag_error(part->loc, "timer frequency %s is out of range (1 to %d per second)",
		   part->number_text, MAX_HZ);
	return 1;
}

// Sets t from the part "ms(10)". Returns the number of errors.
static int set_interval(struct timer *t, const struct unit *u, const struct point_part *part)
{
	if (u->ns == -1) {
		if (check_hz(part))
			return 1;
		t->interval = 1000000000 / part->number;
		return 0;
	}
	if (!u->ns) {
		t->jiffies = true;
		t->interval = part->number;
		if (t->interval >= 1 && t->interval <= MAX_JIFFIES)
			return 0;
		diag_error(part->loc, "timer interval %s is out of range (1 to %d jiffies)",
			   part->number_text, MAX_JIFFIES);
		return 1;
	}
	if (part->number > 0 && part->number <= ns_per_day / u->ns && part->number * u->ns >= MIN_NS) {
		t->interval = part->number * u->ns;
		return 0;
	}
	diag_error(part->loc, "timer interval %s %s is out of range (100 microseconds to 1 day)",
		   part->number_text, u->name);
	return 1;
}

static int set_randomize(struct timer *t, const struct unit *u, const struct point_part *interval,
			 const struct point_part *part)
{
	if (part->number < 0 || part->number > interval->number) {
		diag_error(part->loc, "timer randomization %s is out of range (0 to the interval, %lld)",
			   part->number_text, (long long)interval->number);
		return 1;
	}
	t->randomize = u->ns ? part->number * u->ns : part->number;
	return 0;
}

static int timer_resolve(struct session *s, const struct probe_match *m)
{
	const struct point_part *interval = &m->point->parts.at[1];
	const struct point_part *randomize = point_find(m->point, "randomize");
	struct timer *t = NEW(struct timer);
	const struct unit *u = units;

	while (strcmp(u->name, interval->name))
		u++;
	if (set_interval(t, u, interval))
		return 1;
	if (randomize && set_randomize(t, u, interval, randomize))
		return 1;
	probe_add(s, &family_timer, m, point_text(m->point), t);
	return 0;
}

static void timer_emit(struct session *s, struct cwriter *w, struct probe **probes, int n)
{
	cw_line(w, "static struct stp_timer stp_timers[] = {");
	for (int i = 0; i < n; i++) {
		const struct timer *t = probes[i]->data;

		cw_line(w, "{ .probe = %s, .interval_ns = %lldULL, .randomize_ns = %lldULL, .jiffies = %s }, /* %s */",
			emit_probe_ref(probes[i]), (long long)t->interval, (long long)t->randomize,
			t->jiffies ? "true" : "false", probes[i]->point);
	}
	cw_line(w, "};");
	emit_family_table(s, "timer", "stp_timers", n);
}

static const char *const timer_patterns[] = {
	"timer.s(number)", "timer.s(number).randomize(number)",
	"timer.sec(number)", "timer.sec(number).randomize(number)",
	"timer.ms(number)", "timer.ms(number).randomize(number)",
	"timer.msec(number)", "timer.msec(number).randomize(number)",
	"timer.us(number)", "timer.us(number).randomize(number)",
	"timer.usec(number)", "timer.usec(number).randomize(number)",
	"timer.ns(number)", "timer.ns(number).randomize(number)",
	"timer.nsec(number)", "timer.nsec(number).randomize(number)",
	"timer.jiffies(number)", "timer.jiffies(number).randomize(number)",
	"timer.hz(number)",
	NULL,
};

const struct probe_family family_timer = {
	.name = "timer",
	.not_of_task = true,
	.access = ACCESS_NOTHING,
	.arrival_ns = 1000,
	.patterns = timer_patterns,
	.on_user_runtime = true,
	.in_slices = true,
	.resolve = timer_resolve,
	.emit = timer_emit,
};
