/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Handlers that sort or print as long as they need: those of timers and procfs files that walk through data and use
 * nothing of what they interrupted (translator/emit/emit_slices.c). Such a handler works on copies of the globals that
 * other probes use. All copies are made at one moment, by a hit that has all the locks: that of the tick. Then it runs
 * as begin probes do, in process context and preemptible, without a lock. What it deletes as a whole it takes away in
 * that moment: what others add later is there the next time, and each value is seen once. Where only a part of a
 * handler sorts or prints, the rest is that hit, and copies are made only if it reaches that part.
 *
 * One of them runs at a time; the platform sees to that, and to it that begin, end and error probes wait.
 */
#include "map.h"

/* Makes copies empty, to be exchanged. Nobody else looks at them, so that this may take its time. */
static void prepare(struct stp_ctx *c, const struct stp_take *t)
{
	if (t->kind != STP_TAKE_MAP)
		return;
	((struct stp_map *)t->to)->data->moved = 0;
	stp_map_clear(c, t->to);
}

/* All that may fail, so that nothing is taken away before all can be. */
static bool copy_one(struct stp_ctx *c, const struct stp_take *t)
{
	struct stp_scalar_stat *from = t->from, *to = t->to;

	switch (t->kind) {
	case STP_TAKE_MAP:
		return t->clear ? stp_map_merge(c, t->from), !c->error : stp_map_copy(c, t->from, t->to);
	case STP_TAKE_STAT:
		stp_scalar_merge(c, from);
		if (c->error || !stp_charge(c, (u64)from->desc.buckets * STP_WORK_BUCKET))
			return false;
		plat_memcpy(to->merged, from->merged, from->desc.size);
		return true;
	case STP_TAKE_LONG:
		*(s64 *)t->to = *(s64 *)t->from;
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
	case STP_TAKE_LONG:
		*(s64 *)t->from = t->number;
		return;
	case STP_TAKE_STRING:
		stp_copy(t->from, t->text ? t->text : "", stp_module.limits.string_len);
		return;
	}
}

/* After an error nothing is taken away: error probes see all values. */
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
	struct stp_ctx *c = &stp_session.alone->c;
	const struct stp_take *t = p->before->takes, *end = t + p->before->ntakes;

	c->probe = p->before;              /* its work has no limit */
	for (; t < end; t++)
		prepare(c, t);
}

void stp_slices_taken(const struct stp_probe *p)
{
	struct stp_ctx *c = &stp_session.alone->c;
	const struct stp_take *t = p->before->takes, *end = t + p->before->ntakes;

	c->probe = p->before;              /* its work has no limit */
	for (; t < end; t++)
		if (t->kind == STP_TAKE_MAP)
			stp_map_copied(c, t->to);
}
