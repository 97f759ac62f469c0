/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Iteration over an array: in the order of insertion, along its list; or sorted, through a table of positions that
 * belongs to the loop. The table has the map's capacity once for merging, and once more for each activation of a
 * recursive function. The sort is stable. Context: a handler with the map's lock.
 */
#include "map.h"
#include "string_words.h"

/* up to this limit, "limit n" maintains a sorted list instead of sorting all elements */
#define SHORT_LIMIT 24

struct order {
	struct stp_ctx *c;
	const struct stp_map *map;
	const struct stp_table *table;
	bool is_string, down;
	u32 offset;                /* offset of the compared cell in an element */
	u32 stat;                  /* STP_* bit if it is a statistic, else 0 */
};

static void set_order(struct order *o, struct stp_ctx *c, const struct stp_foreach *f)
{
	const struct stp_map *m = f->map;

	*o = (struct order){ .c = c, .map = m, .table = &m->data->main, .down = f->dir < 0 };
	if (f->key) {
		o->offset = m->data->key_offset[f->key - 1];
		o->is_string = m->keys[f->key - 1] == STP_STRING;
		return;
	}
	o->offset = m->data->value_offset;
	o->is_string = m->value == STP_STRING;
	if (m->value == STP_STATS)
		o->stat = f->stat ? f->stat : STP_COUNT;
}

static s64 number_of(const struct order *o, const char *cell)
{
	if (o->stat == STP_VARIANCE)
		o->c->work -= STP_WORK_VARIANCE;
	if (o->stat)
		return stp_stat_value((const struct stp_stat *)cell, &o->map->stat, o->stat);
	return stp_load_long(cell);
}

/* Compares like stp_compare(), but only subtracts the work: the next stp_charge() checks the budget. */
static s64 compare_strings(const struct order *o, const char *a, const char *b)
{
	u32 words;
	s64 order = stp_word_compare(a, b, &words);

	o->c->work -= words * (2 * STP_WORK_WORD);
	return order;
}

/* Returns true if the element at position b must precede the one at a. */
static bool out_of_order(const struct order *o, u32 a, u32 b)
{
	const char *cell = (char *)stp_elem_at(o->table, a) + o->offset;
	const char *other = (char *)stp_elem_at(o->table, b) + o->offset;
	s64 x, y;

	if (o->is_string) {
		x = compare_strings(o, cell, other);
		y = 0;
	} else {
		x = number_of(o, cell);
		y = number_of(o, other);
	}
	return o->down ? x < y : x > y;
}

/* Merges the sorted runs from[0..mid) and from[mid..n) into to. Returns false if the budget is used up. */
static bool merge_runs(const struct order *o, u32 *to, const u32 *from, u32 mid, u32 n)
{
	u32 i = 0, j = mid;

	if (!stp_charge(o->c, (u64)n * STP_WORK_MOVE))
		return false;
	while (i < mid && j < n) {
		if (!stp_charge(o->c, STP_WORK_COMPARE))
			return false;
		*to++ = out_of_order(o, from[i], from[j]) ? from[j++] : from[i++];
	}
	while (i < mid)
		*to++ = from[i++];
	while (j < n)
		*to++ = from[j++];
	return true;
}

/* Merge sort, bottom up, alternating between a and spare; returns the one with the result, or NULL if the budget is
 * used up. */
static u32 *sort(const struct order *o, u32 *a, u32 *spare, u32 n)
{
	u32 *swap;
	u32 run, at, mid, len;

	for (run = 1; run < n; run *= 2) {
		for (at = 0; at < n; at += len) {
			len = n - at < 2 * run ? n - at : 2 * run;
			mid = len < run ? len : run;
			if (!merge_runs(o, spare + at, a + at, mid, len))
				return NULL;
		}
		swap = a;
		a = spare;
		spare = swap;
	}
	return a;
}

/* Inserts the element at a position into the sorted list a[0..n) of at most `limit` elements. Returns its new
 * length. */
static u32 insert_sorted(const struct order *o, u32 *a, u32 n, u32 limit, u32 position)
{
	u32 at;

	if (n == limit && !out_of_order(o, a[n - 1], position))
		return n;
	at = n < limit ? n : n - 1;
	for (; at > 0 && out_of_order(o, a[at - 1], position); at--) {
		o->c->work -= STP_WORK_COMPARE;
		a[at] = a[at - 1];
	}
	a[at] = position;
	return n < limit ? n + 1 : n;
}

/* Returns the first element to visit from this position on. */
static struct stp_elem *next_in_list(const struct stp_iter *it, u32 position)
{
	struct stp_elem *e = stp_elem_or_null(&it->f->map->data->main, position);

	if (!it->slice || !e)
		return e;
	return stp_map_slice_next(it->c, it->f->map, e, it->slice, it->any);
}

/* Fills the loop's table with the elements to visit, in order. Returns their number, or 0 if the budget is used
 * up. */
static u32 collect(struct stp_iter *it, s64 limit)
{
	u32 *order = it->order, *sorted;
	struct stp_elem *e;
	struct order o;
	u32 n = 0, i;

	set_order(&o, it->c, it->f);
	e = next_in_list(it, it->f->map->data->main.first);
	if (limit > 0 && limit <= SHORT_LIMIT) {
		for (; e; e = next_in_list(it, e->next)) {
			if (!stp_charge(it->c, STP_WORK_ELEMENT + STP_WORK_COMPARE))
				return 0;
			n = insert_sorted(&o, order, n, (u32)limit, stp_elem_position(o.table, e));
		}
		return n;
	}
	for (; e; e = next_in_list(it, e->next)) {
		if (!stp_charge(it->c, STP_WORK_ELEMENT))
			return 0;
		order[n++] = stp_elem_position(o.table, e);
	}
	sorted = sort(&o, order, it->f->order, n);
	if (!sorted)
		return 0;
	if (sorted != order)
		for (i = 0; i < n; i++)
			order[i] = sorted[i];
	return n;
}

/* Returns the maximum number of activations of the loop at a time: one for each nesting depth, from 0 to the
 * limit. */
static u64 activations(const struct stp_foreach *f)
{
	return f->recursive ? (u64)stp_module.limits.nesting + 2 : 1;
}

/* Activations of a recursive function differ in depth, so that each has its own table and none is released. */
static u32 *order_of(struct stp_ctx *c, const struct stp_foreach *f)
{
	u64 depth = f->recursive ? (u64)(stp_private(c)->nesting_max - c->nesting) : 0;

	STP_CHECK_THAT(depth < activations(f));
	return f->order + (1 + depth) * f->map->capacity;
}

struct stp_elem *stp_foreach_first(struct stp_ctx *c, struct stp_iter *it, struct stp_foreach *f, s64 limit,
				   const union stp_val *slice, u32 any)
{
	u32 n;

	*it = (struct stp_iter){ .c = c, .f = f, .left = limit, .slice = slice, .any = any };
	if (limit == 0)
		return NULL;
	if (!f->dir) {
		it->elem = next_in_list(it, f->map->data->main.first);
		return it->elem;
	}
	it->order = order_of(c, f);
	n = collect(it, limit);
	if (limit < 0 || limit > n)
		it->left = n;
	it->elem = it->left ? stp_elem_at(&f->map->data->main, it->order[0]) : NULL;
	return it->elem;
}

struct stp_elem *stp_foreach_next(struct stp_iter *it)
{
	if (it->left > 0 && --it->left == 0)
		return NULL;
	it->elem = it->f->dir ? stp_elem_at(&it->f->map->data->main, it->order[++it->at])
			      : next_in_list(it, it->elem->next);
	return it->elem;
}

s64 stp_elem_long(const struct stp_map *m, const struct stp_elem *e, u32 key)
{
	return stp_load_long((const char *)e + m->data->key_offset[key]);
}

const char *stp_elem_string(const struct stp_map *m, const struct stp_elem *e, u32 key)
{
	return (const char *)e + m->data->key_offset[key];
}

void *stp_elem_value(const struct stp_map *m, const struct stp_elem *e)
{
	return (char *)e + m->data->value_offset;
}

static u64 foreach_bytes(const struct stp_foreach *f)
{
	return f->dir ? (1 + activations(f)) * f->map->capacity * sizeof(f->order[0]) : 0;
}

static int foreach_make(struct stp_foreach *f)
{
	if (!f->dir)
		return 0;
	f->order = plat_alloc(foreach_bytes(f), -1);
	return f->order ? 0 : -STP_ENOMEM;
}

static void foreach_free(struct stp_foreach *f)
{
	plat_free(f->order);
	f->order = NULL;
}

const struct stp_array_ops stp_array_ops = {
	.map_bytes = stp_map_bytes,
	.map_make = stp_map_make,
	.map_free = stp_map_free,
	.foreach_bytes = foreach_bytes,
	.foreach_make = foreach_make,
	.foreach_free = foreach_free,
};
