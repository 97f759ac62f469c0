/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A foreach loop in programs that is sorted or visits a slice: it first lists the elements, then sorts the list, as
 * core/foreach.c does. Included once for each such loop, with these macros, which it undefines:
 *
 *	STP_WALK_NAME       foreach3        STP_WALK_MAP   g_m
 *	STP_WALK_DIRECTION  0: unsorted     STP_WALK_CELL  n[0], s[0], value[0]: the compared part of an element
 *	STP_WALK_KIND       STP_LONG, STP_STRING, STP_STATS: of the cell
 *	STP_WALK_STAT       the value of statistics that is compared
 *	STP_WALK_HIST       the number of buckets of the statistics
 *
 * Context: a hit that holds the array's lock, which makes it the only one in this loop.
 */
#ifdef STP_BPF
#define STP_WALK_(suffix) STP_JOIN(STP_WALK_NAME, suffix)
#define STP_WALK_OF(suffix) STP_JOIN(STP_WALK_MAP, suffix)
#define STP_WALK_CAPACITY STP_WALK_OF(_capacity)

enum { STP_WALK_(_by_variance) = STP_WALK_KIND == STP_STATS && STP_WALK_STAT == STP_VARIANCE };
struct STP_WALK_(_walk) {
	u32 n;                         /* number of elements, in order[from] */
	u32 from, run;                 /* length of the runs that are sorted */
	/* positions in the two runs that are merged, their ends, and the position where the result is written */
	u32 i, middle, j, end, to;
	u32 order[2][STP_WALK_OF(_buckets)];
	/* the variances of the elements, computed once for each */
	s64 variance[STP_WALK_(_by_variance) ? STP_WALK_OF(_buckets) : 1];
};
struct STP_WALK_(_walk) STP_WALK_(_walk) SEC(".bss.walks");

STP_INLINE struct STP_WALK_OF(_elem) *STP_WALK_(_element)(u32 at)
{
	u32 k = at - 1;

	STP_HIDE(k);
	if (k >= STP_WALK_CAPACITY)
		return NULL;
	STP_HIDE(k);
	return &STP_WALK_OF(_table).pool[k];
}

STP_INLINE u64 STP_WALK_(_variance)(const struct STP_WALK_OF(_elem) *e)
{
	u32 squares = STP_WALK_(_by_variance) ? sizeof(struct stp_stat) / 8 + STP_WALK_HIST : 0;

	return bpf_variance((const struct stp_stat *)e->value, (const struct stp_squares *)&e->value[squares]);
}

/* Appends the element that the slot's walk has reached, if it is in the slice. */
STP_GLOBAL_FUNCTION int STP_WALK_(_list)(struct stp_slot *s)
{
	struct STP_WALK_(_walk) *w = &STP_WALK_(_walk);
	struct STP_WALK_OF(_elem) *e = s ? STP_WALK_(_element)(s->walk_at) : NULL;

	if (!s || !e || w->n >= STP_WALK_CAPACITY)
		return STP_LOOP_BREAK;
	if (STP_WALK_OF(_in_slice)(s, e)) {
		w->order[0][STP_INDEX(w->n++, STP_WALK_OF(_buckets))] = s->walk_at;
		if (STP_WALK_(_by_variance))
			w->variance[STP_INDEX(s->walk_at, STP_WALK_OF(_buckets))] = (s64)STP_WALK_(_variance)(e);
	}
	s->walk_at = e->next;
	return STP_LOOP_NEXT;
}
STP_LOOP_DRIVER(STP_WALK_(_list))

#if STP_WALK_DIRECTION
/* Returns whether element b must precede a. */
STP_GLOBAL_FUNCTION int STP_WALK_(_out_of_order)(u32 a, u32 b)
{
	const struct STP_WALK_OF(_elem) *e = STP_WALK_(_element)(a), *f = STP_WALK_(_element)(b);
	const struct STP_WALK_(_walk) *w = &STP_WALK_(_walk);
	s64 x, y;

	if (!e || !f)
		return 0;
	if (STP_WALK_KIND == STP_STRING) {
		x = bpf_compare((const struct stp_text *)&e->STP_WALK_CELL, (const struct stp_text *)&f->STP_WALK_CELL);
		y = 0;
	} else if (STP_WALK_(_by_variance)) {
		x = w->variance[STP_INDEX(a, STP_WALK_OF(_buckets))];
		y = w->variance[STP_INDEX(b, STP_WALK_OF(_buckets))];
	} else if (STP_WALK_KIND == STP_STATS) {
		x = bpf_stat_value((const struct stp_stat *)&e->STP_WALK_CELL, STP_WALK_STAT);
		y = bpf_stat_value((const struct stp_stat *)&f->STP_WALK_CELL, STP_WALK_STAT);
	} else {
		x = *(const s64 *)&e->STP_WALK_CELL;
		y = *(const s64 *)&f->STP_WALK_CELL;
	}
	return STP_WALK_DIRECTION < 0 ? x < y : x > y;
}

STP_INLINE u32 STP_WALK_(_at)(u32 i)
{
	struct STP_WALK_(_walk) *w = &STP_WALK_(_walk);

	return w->order[w->from & 1][STP_INDEX(i, STP_WALK_OF(_buckets))];
}

/* Determines the next two runs, after those that end at `end`. */
STP_INLINE bool STP_WALK_(_next_runs)(void)
{
	struct STP_WALK_(_walk) *w = &STP_WALK_(_walk);
	u32 left;

	if (w->end >= w->n) {
		w->run *= 2;
		w->from ^= 1;
		w->end = w->to = 0;
		if (w->run >= w->n)
			return false;
	}
	left = w->n - w->end;
	w->i = w->end;
	w->middle = w->j = w->i + (left < w->run ? left : w->run);
	w->end = w->i + (left < 2 * w->run ? left : 2 * w->run);
	return true;
}

/* A step of the merge sort: moves one element to the other table. */
STP_GLOBAL_FUNCTION int STP_WALK_(_sort)(struct stp_slot *s)
{
	struct STP_WALK_(_walk) *w = &STP_WALK_(_walk);
	u32 at;

	if (!s)
		return STP_LOOP_BREAK;
	if (w->i >= w->middle && w->j >= w->end && !STP_WALK_(_next_runs)())
		return STP_LOOP_BREAK;
	if (w->i < w->middle && (w->j >= w->end || !STP_WALK_(_out_of_order)(STP_WALK_(_at)(w->i), STP_WALK_(_at)(w->j))))
		at = STP_WALK_(_at)(w->i++);
	else
		at = STP_WALK_(_at)(w->j++);
	w->order[(w->from & 1) ^ 1][STP_INDEX(w->to++, STP_WALK_OF(_buckets))] = at;
	return STP_LOOP_NEXT;
}
STP_LOOP_DRIVER(STP_WALK_(_sort))
#endif

STP_INLINE void STP_WALK_(_begin)(struct stp_slot *s, u32 any)
{
	struct STP_WALK_(_walk) *w = &STP_WALK_(_walk);

	w->n = w->from = w->i = w->middle = w->j = w->to = 0;
	s->walk_any = any;
	s->walk_at = STP_WALK_OF(_table).head.first;
	STP_REPEAT(s, STP_WALK_(_list), STP_WALK_CAPACITY + 1);
#if STP_WALK_DIRECTION
	w->run = 1;
	w->end = 0;
	w->from = 0;
	if (w->n < 2)
		return;
	w->middle = w->j = 1;
	w->end = 2;
	STP_REPEAT(s, STP_WALK_(_sort), STP_WALK_CAPACITY * 32 + 1);
#endif
}

STP_INLINE struct STP_WALK_OF(_elem) *STP_WALK_(_next)(struct stp_cursor *cursor)
{
	struct STP_WALK_(_walk) *w = &STP_WALK_(_walk);
	u32 i = cursor->at++;

	if (!cursor->left || i >= w->n)
		return NULL;
	cursor->left--;
	return STP_WALK_(_element)(w->order[w->from & 1][STP_INDEX(i, STP_WALK_OF(_buckets))]);
}
#endif

#undef STP_WALK_NAME
#undef STP_WALK_MAP
#undef STP_WALK_DIRECTION
#undef STP_WALK_CELL
#undef STP_WALK_KIND
#undef STP_WALK_STAT
#undef STP_WALK_HIST
