/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The expensive checks of a runtime built with -DSTP_DEBUG: contexts, locks, arrays. Each checks an invariant that
 * context.h, context.c or map.c states.
 */
#include "map.h"
#ifdef STP_DEBUG

u64 stp_debug_shared_writes;

/* ------------------------------------------------------------------ contexts */

void stp_debug_idle(const struct stp_ctx_private *v)
{
	STP_CHECK_THAT(!v->c.error && !v->c.error_location && !v->c.fatal);
	STP_CHECK_THAT(!v->out_start && !v->out_lost && !v->dirty);
	STP_CHECK_THAT(!v->ncallers && !v->adding);
	STP_CHECK_THAT(v->c.frame == v->frame_base);
	STP_CHECK_THAT(v->c.nesting == v->nesting_max);
	STP_CHECK_THAT(plat_owns(v));
}

void stp_debug_record(const struct stp_ctx_private *v)
{
	STP_CHECK_THAT(v->busy);
	STP_CHECK_THAT(v->out_start <= v->out && v->out <= v->out_end);
	STP_CHECK_THAT(!v->out_lost || !v->out_start);
}

/* ------------------------------------------------------------------ locks */

/* The padding of a lock holds the number of the CPU that holds it for writing, plus 1. */
void stp_debug_locked(const struct stp_lock_use *use, u32 cpu)
{
	u32 *owner = &use->lock->pad[0];

	STP_CHECK_THAT(!*owner);
	if (use->mode & STP_WRITE)
		*owner = cpu + 1;
}

void stp_debug_unlocked(const struct stp_lock_use *use, u32 cpu)
{
	u32 *owner = &use->lock->pad[0];
	u32 word = __atomic_load_n(&use->lock->word, __ATOMIC_RELAXED);

	if (use->mode & STP_WRITE) {
		STP_CHECK_THAT(word >> 31 && *owner == cpu + 1);
		*owner = 0;
	} else {
		STP_CHECK_THAT(!(word >> 31) && word);
	}
}

static bool takes(const struct stp_probe *p, const struct stp_lock *first, const struct stp_lock *second)
{
	u32 i, seen = 0;

	for (i = 0; i < p->nlocks; i++) {
		if (p->locks[i].lock == first)
			seen = 1;
		else if (p->locks[i].lock == second && seen)
			return true;
	}
	return false;
}

/* Checks that two probes do not take the same locks in different orders. */
static void same_order(const struct stp_probe *p, const struct stp_probe *q)
{
	u32 i, k;

	for (i = 0; i < p->nlocks; i++)
		for (k = i + 1; k < p->nlocks; k++) {
			STP_CHECK_THAT(p->locks[i].lock != p->locks[k].lock);
			STP_CHECK_THAT(!takes(q, p->locks[k].lock, p->locks[i].lock));
		}
}

void stp_debug_lock_order(void)
{
	u32 i, k, n = stp_module.nprobes < 100 ? stp_module.nprobes : 100;

	for (i = 0; i < n; i++)
		for (k = i; k < n; k++)
			same_order(&stp_module.probes[i], &stp_module.probes[k]);
}

/* ------------------------------------------------------------------ arrays */

static bool terminated(const char *s, u32 size)
{
	while (size && *s) {
		s++;
		size--;
	}
	return size;
}

static void check_strings(const struct stp_map *m, const struct stp_elem *e)
{
	u32 i, size = stp_module.limits.string_len;

	for (i = 0; i < m->nkeys; i++)
		if (m->keys[i] == STP_STRING)
			STP_CHECK_THAT(terminated((const char *)e + m->data->key_offset[i], size));
	if (m->value == STP_STRING)
		STP_CHECK_THAT(terminated((const char *)e + m->data->value_offset, size));
}

static bool in_bucket(const struct stp_table *t, const struct stp_elem *e)
{
	const struct stp_elem *at = stp_elem_or_null(t, t->buckets[(u64)e->hash << 32 >> t->shift]);
	u32 n = 0;

	while (at && at != e && n++ < t->count)
		at = stp_elem_or_null(t, at->chain);
	return at == e;
}

/* Checks that the list in order of insertion contains each element in use once, and that the buckets and the free
 * list are consistent with it. */
static void check_table(const struct stp_map *m, const struct stp_table *t)
{
	const struct stp_elem *e;
	u64 size = m->data->elem_size;
	u32 n = 0, spare = 0, at, before = 0;

	STP_CHECK_THAT(t->used <= m->capacity && t->count <= t->used);
	for (at = t->first; at && n <= t->count; before = at, at = e->next, n++) {
		STP_CHECK_THAT((at - 1) % size == 0 && (at - 1) / size < t->used);
		e = stp_elem_at(t, at);
		STP_CHECK_THAT(e->prev == before && in_bucket(t, e));
		check_strings(m, e);
	}
	STP_CHECK_THAT(!at && n == t->count && t->last == before);
	for (at = t->free; at && spare <= t->used; at = stp_elem_at(t, at)->chain)
		spare++;
	STP_CHECK_THAT(n + spare == t->used);
}

void stp_debug_map(const struct stp_map *m)
{
	u32 cpu;

	if (!m->data || !m->data->main.pool)
		return;
	check_table(m, &m->data->main);
	for (cpu = 0; m->data->cpu && cpu < m->data->ncpus; cpu++)
		if (m->data->cpu[cpu] && m->data->cpu[cpu]->pool)
			check_table(m, m->data->cpu[cpu]);
}

#endif
