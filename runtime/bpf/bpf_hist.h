/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The text of a histogram as a string: part of bpf_program.h. Does the same as core/hist.c, in steps, each a function
 * that is verified once; their state is in the slot. Context: a hit.
 */
#ifndef BPF_HIST_H
#define BPF_HIST_H

#define STP_LOG_ZERO 64                /* bucket of 0 in a logarithmic histogram */
#define STP_HIST_MARGIN 2              /* empty rows before the first and after the last value */
#define STP_NO_ROW (~0u)

STP_WORD_FUNCTION(bpf_hist_word, hist, STP_HIST_WORDS)

/* The slot's copy of a bucket; in the rows that are printed, an empty bucket has minus the length of the run of empty
 * buckets that begins with it. */
STP_INLINE u64 bpf_hist_count(struct stp_slot *s, u32 bucket)
{
	u64 *n = bpf_hist_word(s, bucket);

	return n && (s64)*n > 0 ? *n : 0;
}

/* Visits one bucket: finds the first and the last one that is not empty. */
STP_GLOBAL_FUNCTION int bpf_hist_measure(struct stp_slot *s)
{
	struct stp_hist_text *h = s ? &s->hist_text : NULL;
	u64 n;

	if (!s || h->row >= h->buckets)
		return STP_LOOP_BREAK;
	n = bpf_hist_count(s, h->row);
	if (n) {
		h->first = h->first == STP_NO_ROW ? h->row : h->first;
		h->last = h->row;
		h->max = n > h->max ? n : h->max;
		h->sum += n;
	}
	h->row++;
	return STP_LOOP_NEXT;
}
STP_LOOP_DRIVER(bpf_hist_measure)

STP_GLOBAL_FUNCTION u64 bpf_hist_label(const struct stp_slot *s, u32 bucket)
{
	const struct stp_hist_text *h = s ? &s->hist_text : NULL;

	if (!s)
		return 0;
	if (h->is_log && bucket == STP_LOG_ZERO)
		return 0;
	if (h->is_log)
		return bucket > 64 ? 1ull << ((bucket - 65) & 63) : 0 - (1ull << ((63 - bucket) & 63));
	if (!bucket)
		return (u64)h->low;
	return bucket == h->buckets - 1 ? (u64)h->high : (u64)h->low + (u64)(bucket - 1) * h->step;
}

/* Returns the character before the label of a linear histogram's first or last bucket, or 0. */
STP_INLINE u32 bpf_hist_sign(const struct stp_slot *s, u32 bucket)
{
	if (s->hist_text.is_log)
		return 0;
	return !bucket ? '<' : bucket == s->hist_text.buckets - 1 ? '>' : 0;
}

STP_GLOBAL_FUNCTION int bpf_hist_label_size(const struct stp_slot *s, u32 bucket)
{
	s64 v;

	if (!s)
		return 0;
	v = (s64)bpf_hist_label(s, bucket);
	return (bpf_hist_sign(s, bucket) != 0) + (v < 0) + bpf_digits(bpf_size(v), 10);
}

/* Visits one row, from the last to the first: measures its label and the run of empty buckets. */
STP_GLOBAL_FUNCTION int bpf_hist_width(struct stp_slot *s)
{
	struct stp_hist_text *h = s ? &s->hist_text : NULL;
	u64 *n, *next;
	u32 size;

	if (!s || h->row < h->first || h->row > h->last)
		return STP_LOOP_BREAK;
	size = (u32)bpf_hist_label_size(s, h->row);
	h->label_width = size > h->label_width ? size : h->label_width;
	n = bpf_hist_word(s, h->row);
	next = h->row < h->last ? bpf_hist_word(s, h->row + 1) : NULL;
	if (n && !*n)
		*n = (next && (s64)*next < 0 ? *next : 0) - 1;
	h->row--;
	return STP_LOOP_NEXT;
}
STP_LOOP_DRIVER(bpf_hist_width)

STP_INLINE u32 bpf_hist_put_label(struct stp_slot *s, u32 at, u32 bucket)
{
	u32 sign = bpf_hist_sign(s, bucket);

	at = (u32)bpf_pad(&s->quoted, at, sign, sign != 0);
	return (u32)bpf_put_number(&s->quoted, at, bpf_hist_label(s, bucket), bpf_spec('d', 0, -1, -1));
}

STP_INLINE u32 bpf_hist_put_row(struct stp_slot *s, u32 at, u32 bucket)
{
	const struct stp_hist_text *h = &s->hist_text;
	u64 n = bpf_hist_count(s, bucket), scale = (h->max + STP_HIST_WIDTH - 1) / STP_HIST_WIDTH;
	u32 bar = (u32)(n / scale), size = (u32)bpf_hist_label_size(s, bucket);

	at = (u32)bpf_pad(&s->quoted, at, ' ', h->label_width - size);
	at = bpf_hist_put_label(s, at, bucket);
	at = (u32)bpf_put_at(&s->quoted, at, STP_AS_TEXT(STP_LITERAL(" |")));
	at = (u32)bpf_pad(&s->quoted, at, '@', bar);
	at = (u32)bpf_put_number(&s->quoted, at, n, bpf_spec('d', 0, STP_HIST_WIDTH - bar + 1 + h->count_width, -1));
	return (u32)bpf_pad(&s->quoted, at, '\n', 1);
}

/* Determines the rows that are omitted of a run of empty buckets. */
STP_INLINE void bpf_hist_omit(struct stp_hist_text *h, u64 run)
{
	h->run_end = h->row + (u32)run;
	if (STP_HIST_ELISION < 0 || 2 * STP_HIST_ELISION >= (s64)run || h->row == h->first || h->run_end > h->last)
		return;
	h->omit_from = h->row + STP_HIST_ELISION;
	h->omit_to = h->run_end - STP_HIST_ELISION;
}

/* Writes one row, or "~" for those that are omitted. */
STP_GLOBAL_FUNCTION int bpf_hist_rows(struct stp_slot *s)
{
	struct stp_hist_text *h = s ? &s->hist_text : NULL;
	u64 *n;

	if (!s || h->row > h->last || h->at > STP_TEXT_MAX)
		return STP_LOOP_BREAK;
	n = bpf_hist_word(s, h->row);
	if (n && (s64)*n < 0 && h->row >= h->run_end)
		bpf_hist_omit(h, 0 - *n);
	if (h->row == h->omit_from) {
		h->at = (u32)bpf_pad(&s->quoted, h->at, ' ', h->label_width + 1);
		h->at = (u32)bpf_put_at(&s->quoted, h->at, STP_AS_TEXT(STP_LITERAL("~\n")));
		h->row = h->omit_to;
		h->omit_from = STP_NO_ROW;
		return STP_LOOP_NEXT;
	}
	h->at = bpf_hist_put_row(s, h->at, h->row);
	h->row++;
	return STP_LOOP_NEXT;
}
STP_LOOP_DRIVER(bpf_hist_rows)

/* ------------------------------------------------------------------ percentiles */

#if STP_HIST_PERCENTILES
/* Visits one bucket, up to that of the value with this rank. */
STP_GLOBAL_FUNCTION int bpf_hist_find_rank(struct stp_slot *s)
{
	struct stp_hist_text *h = s ? &s->hist_text : NULL;
	u64 n;

	if (!s || h->row + 1 >= h->buckets)
		return STP_LOOP_BREAK;
	n = bpf_hist_count(s, h->row);
	if (h->before + n >= h->rank)
		return STP_LOOP_BREAK;
	h->before += n;
	h->row++;
	return STP_LOOP_NEXT;
}
STP_LOOP_DRIVER(bpf_hist_find_rank)

STP_GLOBAL_FUNCTION u64 bpf_hist_interpolate(u64 low, u64 high, u64 k, u64 n)
{
	u64 width = high - low, at, of;
	u32 i;

	for (i = 0; i < 34 && n >> 30; i++) {
		n >>= 1;
		k >>= 1;
	}
	at = k ? 2 * k - 1 : 0;
	of = 2 * n;
	return low + width / of * at + width % of * at / of;
}

/* Writes the value of a bucket's range that has the rank. */
STP_INLINE u32 bpf_hist_put_value(struct stp_slot *s, u32 at)
{
	const struct stp_hist_text *h = &s->hist_text;
	u64 label = bpf_hist_label(s, h->row), low = label, high = label;

	if (bpf_hist_sign(s, h->row))
		return bpf_hist_put_label(s, at, h->row);
	if (!h->is_log)
		high = low + h->step - 1;
	else if (h->row > STP_LOG_ZERO)
		high = 2 * label - 1;
	else if (h->row && h->row < STP_LOG_ZERO)
		low = 2 * label + 1;
	at = (u32)bpf_pad(&s->quoted, at, '~', low != high);
	low = bpf_hist_interpolate(low, high, h->rank - h->before, bpf_hist_count(s, h->row));
	return (u32)bpf_put_number(&s->quoted, at, low, bpf_spec('d', 0, -1, -1));
}

STP_GLOBAL_FUNCTION int bpf_hist_percentile(struct stp_slot *s, u32 percentage, u32 after)
{
	struct stp_hist_text *h = s ? &s->hist_text : NULL;
	u32 at;

	if (!s)
		return 0;
	h->rank = h->sum / 100 * percentage + (h->sum % 100 * percentage + 99) / 100;
	h->before = h->row = 0;
	STP_REPEAT(s, bpf_hist_find_rank, STP_HIST_WORDS + 1);
	at = (u32)bpf_pad(&s->quoted, h->at, 'p', 1);
	at = (u32)bpf_put_number(&s->quoted, at, percentage, bpf_spec('d', 0, -1, -1));
	at = bpf_hist_put_value(s, (u32)bpf_pad(&s->quoted, at, ' ', 1));
	at = (u32)bpf_pad(&s->quoted, at, after, 1);
	h->at = (u32)bpf_pad(&s->quoted, at, ' ', after == ',');
	return 0;
}
#endif

/* ------------------------------------------------------------------ the table */

/* Sets the range of rows, and the width of the columns. */
STP_INLINE void bpf_hist_shape(struct stp_slot *s)
{
	struct stp_hist_text *h = &s->hist_text;
	u32 min = h->is_log && h->first >= STP_LOG_ZERO ? STP_LOG_ZERO : 0, end = h->buckets - 1;

	h->first = h->first > min + STP_HIST_MARGIN ? h->first - STP_HIST_MARGIN : min;
	h->last = end - h->last > STP_HIST_MARGIN ? h->last + STP_HIST_MARGIN : end;
	if (!h->is_log) {
		h->first += h->first == 0 && !bpf_hist_count(s, 0);
		h->last -= h->last == end && !bpf_hist_count(s, end);
	}
	h->label_width = 5;
	h->row = h->last;
	STP_REPEAT(s, bpf_hist_width, STP_HIST_WORDS + 1);
	h->count_width = (u32)bpf_digits(h->max, 10);
}

/* Writes the text of the histogram in the slot to s->quoted. Returns 0 if all buckets are empty. */
STP_GLOBAL_FUNCTION int bpf_hist_text(struct stp_slot *s)
{
	struct stp_hist_text *h = s ? &s->hist_text : NULL;
	u32 at;

	if (!s)
		return 0;
	h->row = h->last = 0;
	h->max = h->sum = 0;
	h->first = h->omit_from = STP_NO_ROW;
	STP_REPEAT(s, bpf_hist_measure, STP_HIST_WORDS + 1);
	if (h->first == STP_NO_ROW)
		return 0;
	bpf_hist_shape(s);
	at = (u32)bpf_pad(&s->quoted, 0, ' ', h->label_width - 5);
	at = (u32)bpf_put_at(&s->quoted, at, STP_AS_TEXT(STP_LITERAL("value |")));
	at = (u32)bpf_pad(&s->quoted, at, '-', STP_HIST_WIDTH);
	h->at = (u32)bpf_put_at(&s->quoted, at, STP_AS_TEXT(STP_LITERAL(" count\n")));
	h->row = h->first;
	h->run_end = 0;
	STP_REPEAT(s, bpf_hist_rows, 2 * STP_HIST_WORDS + 1);
#if STP_HIST_PERCENTILES
	bpf_hist_percentile(s, 50, ',');
	bpf_hist_percentile(s, 90, ',');
	bpf_hist_percentile(s, 99, '\n');
#endif
	bpf_end_at(&s->quoted, (u32)bpf_pad(&s->quoted, h->at, '\n', 1));
	return 1;
}

STP_INLINE void bpf_sprint_hist(struct stp_ctx *c, struct stp_text *to, const struct stp_stat *stat,
				const struct stp_stat_desc *d)
{
	struct stp_slot *s = STP_SLOT(c);
	u32 i;

	if (!stat) {
		bpf_error(c, STP_BPF_EMPTY, 0);
		return;
	}
	_Pragma("nounroll")
	for (i = 0; i < d->buckets; i++) {
		__asm__ volatile("");       /* prevents the compiler from calling memcpy() */
		s->hist[i] = (u64)stat->hist[i];
	}
	s->hist_text.low = d->low;
	s->hist_text.high = d->high;
	s->hist_text.step = (u64)d->step;
	s->hist_text.buckets = d->buckets;
	s->hist_text.is_log = d->ops & STP_HIST_LOG;
	if (bpf_hist_text(s))
		bpf_copy(to, &s->quoted);
	else
		bpf_error(c, STP_BPF_EMPTY, 0);
}
#define stp_sprint_hist(c, to, size, s, d) bpf_sprint_hist(c, (struct stp_text *)(to), s, d)

#endif
