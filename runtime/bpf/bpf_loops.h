/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Loops of programs. The body of a loop is a global function, which the verifier follows once; it is called until
 * its result is not STP_LOOP_NEXT. The verifier follows each pass of the loop around the call, up to about 8,000; a
 * loop of more passes is divided into two nested ones.
 */
#ifndef BPF_LOOPS_H
#define BPF_LOOPS_H

#define STP_LOOP_BATCH 1000        /* number of passes of an inner loop */

#define STP_LOOP_FUNCTION(name) STP_GLOBAL_FUNCTION int name(struct stp_slot *slot_)
/* The frame of the surrounding handler or function. It is the innermost one while the loop runs. */
#define STP_LOOP_FRAME(type)							\
	struct stp_ctx *c = slot_ ? &slot_->c : NULL;				\
	type *f = slot_ ? bpf_last_frame(slot_, sizeof(*f)) : NULL;		\
	if (!c || !f)								\
		return STP_LOOP_FAIL

STP_INLINE void *bpf_last_frame(struct stp_slot *s, u32 size)
{
	u32 at = s->frame_at - size;

	STP_HIDE(at);
	return at > STP_FRAMES_SIZE - size ? NULL : &s->frames[at];
}

/* Defines functions that call `name` up to STP_LOOP_BATCH times, and up to STP_LOOP_BATCH squared times. */
#define STP_LOOP_DRIVER(name) STP_LOOP_DRIVER_(name)       /* expands `name`, which may be a macro */
#define STP_LOOP_DRIVER_(name)							\
STP_LOOP_BATCHES(name, name##_batch)						\
STP_LOOP_BATCHES(name##_batch, name##_batches)
#define STP_LOOP_BATCHES(called, name)						\
STP_GLOBAL_FUNCTION int name(struct stp_slot *s)				\
{										\
	int r = STP_LOOP_NEXT;							\
	u32 i;									\
										\
	if (!s)									\
		return STP_LOOP_FAIL;						\
	_Pragma("nounroll")							\
	for (i = 0; i < STP_LOOP_BATCH && r == STP_LOOP_NEXT; i++)		\
		r = called(s);							\
	return r;								\
}

/* Calls a function with a driver up to `most` times. */
#define STP_REPEAT(s, name, most) STP_REPEAT_(s, name, most)
#define STP_REPEAT_(s, name, most) ((most) <= 2 * STP_LOOP_BATCH ? STP_TIMES(s, name, most) :	\
	(most) / STP_LOOP_BATCH <= 2 * STP_LOOP_BATCH ? STP_TIMES(s, name##_batch, (most) / STP_LOOP_BATCH + 1) :	\
	STP_TIMES(s, name##_batches, (most) / STP_LOOP_BATCH / STP_LOOP_BATCH + 1))
#define STP_TIMES(s, name, n) ({						\
	int r_ = STP_LOOP_NEXT;							\
	u32 i_;									\
										\
	_Pragma("nounroll")							\
	for (i_ = 0; i_ < (n) && r_ == STP_LOOP_NEXT; i_++)			\
		r_ = name(s);							\
	r_;									\
})
/* Each pass takes a statement of the budget, so the budget limits the loop. */
#define STP_LOOP(c, name, leave, fail) do {					\
	int loop_ = STP_REPEAT(STP_SLOT(c), name, STP_ACTIONS_MAX + 1);		\
										\
	if (loop_ == STP_LOOP_LEAVE)						\
		goto leave;							\
	if (loop_ == STP_LOOP_FAIL)						\
		goto fail;							\
} while (0)

#undef STP_ACTIONS
#define STP_ACTIONS(c, n, location, label) do {					\
	if (STP_UNLIKELY(((c)->actions -= (n)) < 0)) {				\
		bpf_fatal(c, STP_BPF_ACTIONS);					\
		bpf_where(c, __LINE__);						\
		goto label;							\
	}									\
} while (0)

/* ------------------------------------------------------------------ foreach */

/* The position of a foreach loop. Unsorted: `at` is the next element of the list; sorted: `at` counts elements. Of a
 * loop over the buckets of a histogram: `at` is the last bucket. */
struct stp_cursor { s64 left; u32 at, started; };

#define stp_limit(n) ({ s64 limit_ = (n); limit_ < 0 ? 0 : limit_; })
#define STP_ELEM_LONG(map, e, key, nth) ((e)->n[nth])
#define STP_ELEM_STRING(map, e, key, nth) ((const char *)&(e)->s[nth])
#define STP_ELEM_VALUE(map, e) ((void *)(e)->value)

#define STP_LIST_BEGIN(c, loop, map, cursor, limit, any, ...) do {		\
	(cursor)->left = (limit);						\
	(cursor)->at = map##_table.head.first;					\
	(cursor)->started = 0;							\
} while (0)
/* As in core/foreach.c, the link is read after the body has run. */
#define STP_LIST_NEXT(c, loop, map, cursor, elem)				\
	struct map##_elem *elem = map##_list_next(cursor)
#define STP_WALK_BEGIN(c, loop, map, cursor, limit, any, ...) do {		\
	const union stp_val *slice_ = __VA_ARGS__;					\
										\
	(cursor)->left = (limit);						\
	(cursor)->at = 0;							\
	if (slice_)								\
		map##_slice_keys(STP_SLOT(c), slice_, any);			\
	loop##_begin(STP_SLOT(c), slice_ ? (any) : ~0u);			\
} while (0)
#define STP_WALK_NEXT(c, loop, map, cursor, elem)				\
	struct map##_elem *elem = loop##_next(cursor)

#endif
