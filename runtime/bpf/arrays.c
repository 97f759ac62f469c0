/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Arrays that BPF programs and handlers of this process use: copies them from the programs' tables (bpf_table.h) to the
 * maps of core/map.c, where a handler reads, sorts and changes them, and back. Context: the array's lock is held.
 */
#define _GNU_SOURCE
#include "any_script.h"
#include "client.h"
#include "../core/internal.h"
#include "../core/map.h"
#include "bpf_shared.h"

#include <stdlib.h>
#include <string.h>

/* The header of each table's element, before its keys. */
struct elem_head { u32 chain, next, prev, unused; u64 hash; };

static char *elem_at(const struct stp_shared_map *m, char *table, u32 position)
{
	return table + m->pool + (u64)(position - 1) * m->elem_size;
}

static void keys_of(const struct stp_shared_map *m, char *elem, union stp_val *keys)
{
	const s64 *n = (const s64 *)(elem + m->numbers);
	const char *s = elem + m->strings;
	u32 i;

	for (i = 0; i < m->map->nkeys; i++) {
		if (m->map->keys[i] == STP_STRING) {
			keys[i].s = s;
			s += stp_bpf_layout.text_size;
		} else {
			keys[i].n = *n++;
		}
	}
}

/*
 * Placeholder keys of different processes may become equal when names replace them: then their values, which
 * programs only add to, are summed.
 */
static void complete_keys(struct stp_ctx *c, const struct stp_shared_map *m, union stp_val *keys)
{
	static char *names;
	u32 size = stp_module.limits.string_len, i;

	for (i = 0; i < m->map->nkeys; i++) {
		if (m->map->keys[i] != STP_STRING || *keys[i].s != STP_MARK)
			continue;
		if (!names)
			names = malloc((u64)size * STP_MAX_KEYS);
		/*
		 * An announcement of the mapping may have been received meanwhile. At the end, all records have
		 * been read.
		 */
		if (c != &stp_session.exclusive->c)
			rings_read();
		if (names)
			keys[i].s = user_names_complete(keys[i].s, names + (u64)size * i, size);
	}
}

/* Returns a value, with the names in place of a placeholder. */
static const char *complete_value(struct stp_ctx *c, const char *value)
{
	static char *name;

	if (*value != STP_MARK)
		return value;
	if (!name)
		name = malloc(stp_module.limits.string_len);
	if (c != &stp_session.exclusive->c)
		rings_read();              /* reads announcements, as in complete_keys() */
	return name ? user_names_complete(value, name, stp_module.limits.string_len) : value;
}

static void import_elem(struct stp_ctx *c, const struct stp_shared_map *m, char *elem)
{
	union stp_val keys[STP_MAX_KEYS];
	void *cell;

	keys_of(m, elem, keys);
	complete_keys(c, m, keys);
	cell = m->map->percpu ? (void *)stp_pmap_put(c, m->map, keys) : stp_map_put(c, m->map, keys);
	if (!cell)
		return;
	if (m->map->value == STP_STRING)
		stp_copy(cell, complete_value(c, elem + m->value), stp_module.limits.string_len);
	else if (m->map->value == STP_STATS)
		stp_stat_merge(cell, (struct stp_stat *)(elem + m->value), &m->map->stat);
	else
		*(s64 *)cell += *(s64 *)(elem + m->value);
}

/* An element with an invalid link, which a program may have left, ends the walk. */
void arrays_import(struct stp_ctx *c, const struct stp_shared_map *m, char *table)
{
	const struct stp_table_head *head = (const struct stp_table_head *)table;
	u32 position = head->first, left = head->count;
	s64 work = c->work;

	c->work = 1ll << 60;
	stp_map_clear(c, m->map);
	for (; position && position <= m->capacity && left; left--) {
		import_elem(c, m, elem_at(m, table, position));
		position = ((struct elem_head *)elem_at(m, table, position))->next;
	}
	stp_map_merge(c, m->map);
	c->work = work;
}

/* Hashes the keys as programs do (bpf_table.h). */
static u64 hash_keys(const struct stp_shared_map *m, const union stp_val *keys)
{
	u64 h = 0, word, zero;
	const char *s;
	u32 i;

	for (i = 0; i < m->map->nkeys; i++)
		if (m->map->keys[i] != STP_STRING)
			h = stp_table_mix(h ^ (u64)keys[i].n);
	for (i = 0; i < m->map->nkeys; i++) {
		if (m->map->keys[i] != STP_STRING)
			continue;
		for (s = keys[i].s;; s += 8) {
			memcpy(&word, s, 8);
			zero = stp_text_end(word);
			if (zero)
				break;
			h = stp_table_mix(h ^ word);
		}
		h = stp_table_mix(h ^ (word & ((zero & -zero) - 1)));
	}
	return stp_table_hash(h);
}

static void export_elem(const struct stp_shared_map *m, char *table, struct stp_elem *e, u32 position)
{
	struct stp_table_head *head = (struct stp_table_head *)table;
	u32 *buckets = (u32 *)(head + 1), *bucket, i;
	char *elem = elem_at(m, table, position), *s = elem + m->strings;
	struct elem_head *own = (struct elem_head *)elem;
	union stp_val keys[STP_MAX_KEYS];
	s64 *n = (s64 *)(elem + m->numbers);

	for (i = 0; i < m->map->nkeys; i++) {
		if (m->map->keys[i] == STP_STRING) {
			keys[i].s = s;
			memset(s, 0, stp_bpf_layout.text_size);
			stp_copy(s, stp_elem_string(m->map, e, i), stp_module.limits.string_len);
			s += stp_bpf_layout.text_size;
		} else {
			keys[i].n = *n++ = stp_elem_long(m->map, e, i);
		}
	}
	memset(elem + m->value, 0, m->value_size);
	if (m->map->value == STP_STRING)
		stp_copy(elem + m->value, stp_elem_value(m->map, e), stp_module.limits.string_len);
	else
		memcpy(elem + m->value, stp_elem_value(m->map, e), m->map->value == STP_STATS ? m->map->stat.size : 8);
	own->hash = hash_keys(m, keys);
	bucket = &buckets[(u32)(own->hash >> 40) & (m->buckets - 1)];
	own->chain = *bucket;
	*bucket = position;
	own->prev = head->last;
	own->next = 0;
	if (head->last)
		((struct elem_head *)elem_at(m, table, head->last))->next = position;
	else
		head->first = position;
	head->last = position;
	head->used = ++head->count;
}

void arrays_copy(const struct stp_shared_map *m, char *to, const char *from)
{
	const struct stp_table_head *head = (const struct stp_table_head *)from;

	memcpy(to, from, sizeof(*head));
	memcpy(to + m->pool, from + m->pool, (u64)(head->used < m->capacity ? head->used : m->capacity) * m->elem_size);
}

void arrays_empty(const struct stp_shared_map *m, char *table)
{
	memset(table, 0, m->pool);     /* clears the header and the buckets */
}

static void add_elem(struct stp_ctx *c, const struct stp_shared_map *m, char *elem)
{
	union stp_val keys[STP_MAX_KEYS];
	void *cell;

	keys_of(m, elem, keys);
	cell = stp_map_put(c, m->map, keys);
	if (!cell)
		return;
	if (m->map->value == STP_STATS)
		stp_stat_merge(cell, (struct stp_stat *)(elem + m->value), &m->map->stat);
	else if (m->map->value == STP_STRING)
		stp_copy(cell, elem + m->value, stp_module.limits.string_len);
	else
		*(s64 *)cell += *(s64 *)(elem + m->value);
}

void arrays_put_back(struct stp_ctx *c, const struct stp_shared_map *m, char *table)
{
	const struct stp_table_head *head = (const struct stp_table_head *)table;
	u32 position = head->first, left = head->count;
	s64 work = c->work;

	c->work = 1ll << 60;
	for (; position && position <= m->capacity && left; left--) {
		add_elem(c, m, elem_at(m, table, position));
		position = ((struct elem_head *)elem_at(m, table, position))->next;
	}
	c->work = work;
	arrays_export(c, m, table);
}

void arrays_export(struct stp_ctx *c, const struct stp_shared_map *m, char *table)
{
	struct stp_foreach all = { .map = m->map };
	struct stp_iter iter;
	struct stp_elem *e;
	s64 work = c->work;
	u32 position = 0;

	c->work = 1ll << 60;
	stp_map_merge(c, m->map);
	arrays_empty(m, table);
	for (e = stp_foreach_first(c, &iter, &all, -1, NULL, 0); e; e = stp_foreach_next(&iter))
		export_elem(m, table, e, ++position);
	c->work = work;
}
