/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Handlers in slices: handlers that may sort or print for a long time. They are handlers of timers and procfs files
 * that walk through data and use no state of the interrupted code (translator/emit/emit_slices.c). Such a handler
 * runs as begin probes do, in process context and preemptible, without locks. It works on copies of the globals
 * that other probes use. All copies are made at once, by a hit that holds all the locks: that of the timer. Data
 * that the handler deletes as a whole is moved instead of copied: values that others add later are read the next
 * time, and each value is read once. If only a part of a handler sorts or prints, the rest is executed by that
 * hit, and copies are made only if it reaches that part.
 *
 * One of them runs at a time, and never together with begin, end and error probes; the platform ensures this.
 */
#include "map.h"

/* Empties copies before the next exchange. No other code uses them, so this may take long. */
static void prepare(struct stp_ctx *c, const struct stp_take *t)
{
	if (t->kind != STP_TAKE_MAP)
		return;
	stp_map_clear(c, t->to);
}

/* Does everything that may fail first, so that nothing is removed unless all copies succeed. */
static bool copy_one(struct stp_ctx *c, const struct stp_take *t)
{
	struct stp_scalar_stat *from = t->from, *to = t->to;

	switch (t->kind) {
	case STP_TAKE_MAP:
		return t->clear ? stp_map_merge(c, t->from), !c->error : stp_map_copy(c, t->from, t->to);
	case STP_TAKE_STAT:
		stp_scalar_merge(c, from);
		if (c->error || !stp_charge(c, (u64)from->desc.size / 8 * STP_WORK_BUCKET))
			return false;
		plat_memcpy(to->merged, from->merged, from->desc.size);
		return true;
	case STP_TAKE_LONG:
		*(s64 *)t->to = *(s64 *)t->from;
		return true;
	case STP_TAKE_ADDER:
		*(s64 *)t->to = stp_adder_read(c, t->offset, *(s64 *)t->from);
		return true;
	case STP_TAKE_STRING:
		stp_copy(t->to, t->from, stp_module.limits.string_len);
		return true;
	}
	return false;
}

static void clear_one(const struct stp_take *t)
{
	struct stp_scalar_stat *stat = t->from;

	switch (t->kind) {
	case STP_TAKE_MAP:
		stp_map_exchange(t->from, t->to);
		return;
	case STP_TAKE_STAT:
		stp_stat_clear(stat->merged, &stat->desc);
		return;
	case STP_TAKE_ADDER:
		stp_adder_clear(NULL, t->offset);
		*(s64 *)t->from = t->number;
		return;
	case STP_TAKE_LONG:
		*(s64 *)t->from = t->number;
		return;
	case STP_TAKE_STRING:
		stp_copy(t->from, t->text ? t->text : "", stp_module.limits.string_len);
		return;
	}
}

/* After an error nothing is removed: error probes read all values. */
void stp_take(struct stp_ctx *c)
{
	const struct stp_take *t = c->probe->takes, *end = t + c->probe->ntakes;

	for (; t < end; t++)
		if (!copy_one(c, t))
			return;
	for (t = c->probe->takes; t < end; t++)
		if (t->clear)
			clear_one(t);
	c->saved_return = 1;
}

void stp_slices_prepare(const struct stp_probe *p)
{
	struct stp_ctx *c = &stp_session.exclusive->c;
	const struct stp_take *t = p->before->takes, *end = t + p->before->ntakes;

	c->probe = p->before;              /* the probe's work is not limited */
	for (; t < end; t++)
		prepare(c, t);
}
