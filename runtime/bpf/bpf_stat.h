/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Statistics in programs. A scalar statistic is in each slot: a hit adds to the one in its slot; a hit that reads
 * it computes the sum over all slots in its slot. Hits that add hold its lock, too, so that no slot changes
 * meanwhile.
 */
#ifndef BPF_STAT_H
#define BPF_STAT_H

/* Does the same as stp_log_bucket(), by shifts: BPF does not count leading zeros. */
STP_INLINE u32 bpf_log_bucket(s64 v)
{
	u64 u = v < 0 ? 0 - (u64)v : (u64)v;
	u32 n = 0;

	if (!u)
		return 64;
#pragma unroll
	for (u32 bits = 32; bits; bits /= 2) {
		if (u >> bits) {
			n += bits;
			u >>= bits;
		}
	}
	return v > 0 ? 65 + n : 63 - n;
}

STP_INLINE u32 bpf_linear_bucket(const struct stp_stat_desc *d, s64 v)
{
	u64 n;

	if (v < d->low) {
		bpf_lose(STP_LOSS_HISTOGRAM);
		return 0;
	}
	n = ((u64)v - (u64)d->low) / (u64)d->step + 1;
	if (n < d->buckets - 1)
		return (u32)n;
	bpf_lose(STP_LOSS_HISTOGRAM);
	return d->buckets - 1;
}

/* ------------------------------------------------------------------ numbers of several words, as in core/stat.c */

#ifdef STP_USES_VARIANCE
STP_INLINE u64 bpf_product(u64 a, u64 b, u64 *high)
{
	u64 al = (u32)a, ah = a >> 32, bl = (u32)b, bh = b >> 32, low = al * bl, middle = ah * bl + (low >> 32);
	u64 other = al * bh + (u32)middle;

	*high = ah * bh + (middle >> 32) + (other >> 32);
	return other << 32 | (u32)low;
}

/* Adds the words high:low to a number of n words, at word `at`. */
STP_INLINE void bpf_add_words(u64 *to, u32 at, u32 n, u64 low, u64 high)
{
	u64 more[2] = { low, high }, carry = 0, sum;
	u32 i;

#pragma unroll
	for (i = 0; i < 4; i++) {
		u64 word = i < at || i > at + 1 ? 0 : more[i - at];

		if (i < at || i >= n)
			continue;
		sum = to[i] + carry;
		carry = sum < carry;
		to[i] = sum + word;
		carry += to[i] < sum;
	}
}

STP_GLOBAL_FUNCTION int bpf_add_square(struct stp_squares *q, u64 sum, s64 v)
{
	u64 size = v < 0 ? 0 - (u64)v : (u64)v, low, high;

	if (!q)
		return 0;
	q->sum_high += (v >> 63) + (sum < (u64)v);
	low = bpf_product(size, size, &high);
	bpf_add_words(q->word, 0, 3, low, high);
	return 0;
}

struct bpf_division { u64 high, low, word, by_high, by_low, digits; };

/* Computes one digit of the quotient. */
STP_GLOBAL_FUNCTION int bpf_divide_step(struct bpf_division *d)
{
	bool carry;

	if (!d)
		return 0;
	carry = d->high >> 63;
	d->high = d->high << 1 | d->low >> 63;
	d->low = d->low << 1 | d->word >> 63;
	d->word <<= 1;
	d->digits <<= 1;
	if (!carry && (d->high < d->by_high || (d->high == d->by_high && d->low < d->by_low)))
		return 0;
	d->high -= d->by_high + (d->low < d->by_low);
	d->low -= d->by_low;
	d->digits |= 1;
	return 0;
}

/* Returns number / by_high:by_low, or the largest s64 if the quotient is larger. */
STP_INLINE s64 bpf_quotient(const u64 *number, u64 by_high, u64 by_low)
{
	struct bpf_division d = { .high = number[2], .low = number[1], .word = number[0], .by_high = by_high,
				  .by_low = by_low };
	u32 i;

	if (number[3] || d.high > by_high || (d.high == by_high && d.low >= by_low))
		return (s64)(~0ull >> 1);
	for (i = 0; i < 64; i++)
		bpf_divide_step(&d);
	return (s64)(d.digits >> 63 ? ~0ull >> 1 : d.digits);
}

/* Returns (count * squares - sum^2) / (count * (count - 1)). */
STP_GLOBAL_FUNCTION u64 bpf_variance(const struct stp_stat *s, const struct stp_squares *q)
{
	u64 count, minus[4] = { 0 }, of[4] = { 0 }, low, high, a, b;
	u32 i;

	if (!s || !q || s->count < 2)
		return 0;
	count = (u64)s->count;
	low = (u64)s->sum;
	high = (u64)q->sum_high;
	if (q->sum_high < 0) {
		low = 0 - low;
		high = ~high + !low;
	}
#pragma unroll
	for (i = 0; i < 3; i++) {
		a = bpf_product(count, q->word[i], &b);
		bpf_add_words(of, i, 4, a, b);
	}
	a = bpf_product(low, low, &b);
	bpf_add_words(minus, 0, 4, a, b);
	a = bpf_product(low, high, &b);
	bpf_add_words(minus, 1, 4, a, b);
	bpf_add_words(minus, 1, 4, a, b);
	a = bpf_product(high, high, &b);
	bpf_add_words(minus, 2, 4, a, b);
	bpf_add_words(of, 0, 4, ~minus[0], ~minus[1]);
	bpf_add_words(of, 2, 4, ~minus[2], ~minus[3]);
	bpf_add_words(of, 0, 4, 1, 0);
	a = bpf_product(count, count - 1, &b);
	return (u64)bpf_quotient(of, b, a);
}

#else
#define bpf_add_square(q, sum, v) ((void)0)
#define bpf_variance(s, q) 0
#endif

/* ------------------------------------------------------------------ adding, reading */

/* Does the same as stp_stat_add_slow() of core/stat.c for STP_PERCENTILE. */
STP_INLINE void bpf_fine_add(struct stp_stat *s, const struct stp_stat_desc *d, s64 v)
{
	u64 size = v < 0 ? 0 - (u64)v : (u64)v;
	u32 log = bpf_log_bucket(v), power = log > 64 ? log - 65 : 63 - log;
	u32 at = (v < 0 ? STP_FINE_SIZES : 0) + stp_fine_size(size, power & 63);

	STP_HIDE(at);
	if (at < STP_FINE_BUCKETS)
		s->hist[d->buckets + (d->ops & STP_VARIANCE ? sizeof(struct stp_squares) / 8 : 0) + at]++;
}

/* Adds v. The members of the descriptor are constants, so only code for the values that the script reads is
 * compiled. */
STP_INLINE void bpf_stat_add(struct stp_stat *s, const struct stp_stat_desc *d, s64 v)
{
	u32 at;

	if (d->ops & (STP_MIN | STP_MAX)) {
		if (!s->count || v < s->min)
			s->min = v;
		if (!s->count || v > s->max)
			s->max = v;
	}
	s->count++;
	s->sum += v;
	if (d->ops & STP_VARIANCE)
		bpf_add_square((struct stp_squares *)&s->hist[d->buckets], (u64)s->sum, v);
	if (d->ops & STP_PERCENTILE)
		bpf_fine_add(s, d, v);
	if (!(d->ops & (STP_HIST_LOG | STP_HIST_LINEAR)))
		return;
	at = d->ops & STP_HIST_LOG ? bpf_log_bucket(v) : bpf_linear_bucket(d, v);
	STP_HIDE(at);
	if (at < d->buckets)
		s->hist[at]++;
}
#define stp_stat_add bpf_stat_add

/* Does the same as stp_stat_value(). */
STP_INLINE s64 bpf_stat_value(const struct stp_stat *s, u32 op)
{
	if (!s->count)
		return 0;
	switch (op) {
	case STP_COUNT: return s->count;
	case STP_SUM: return s->sum;
	case STP_MIN: return s->min;
	case STP_MAX: return s->max;
	case STP_AVG: return stp_div_by(s->sum, s->count);
	}
	return 0;
}

STP_INLINE s64 bpf_stat_get(struct stp_ctx *c, const struct stp_stat *s, const struct stp_stat_desc *d, u32 op)
{
	if (s && s->count && op == STP_VARIANCE)
		return (s64)bpf_variance(s, (const struct stp_squares *)&s->hist[d->buckets]);
	if (s && s->count)
		return bpf_stat_value(s, op & ~(u32)STP_NOT_EMPTY);
	if (op != STP_COUNT && op != STP_SUM)
		bpf_error(c, STP_BPF_EMPTY, 0);
	return 0;
}
#define stp_stat_get(c, s, d, op) bpf_stat_get(c, s, d, op)
#define stp_stat_variance(c, s, d) bpf_stat_get(c, s, d, STP_VARIANCE)

STP_INLINE s64 bpf_hist_get(struct stp_ctx *c, const struct stp_stat *s, const struct stp_stat_desc *d, s64 bucket)
{
	u32 at = bucket >= 0 && bucket < d->buckets ? (u32)bucket : d->buckets;

	STP_HIDE(at);
	if (s && s->count && at < d->buckets)
		return s->hist[at];
	bpf_error(c, s && s->count ? STP_BPF_BUCKET : STP_BPF_EMPTY, 0);
	return 0;
}
#define stp_hist_get(c, s, d, bucket) bpf_hist_get(c, s, d, bucket)

/*
 * Does the same as stp_hist_next(). The counts have no sign bit, so that the highest bit of a difference is their
 * order. Masks instead of branches: the verifier would follow both ways of each branch, for each bucket.
 */
STP_INLINE s64 bpf_hist_next(const struct stp_stat *s, const struct stp_stat_desc *d, int dir, s64 last)
{
	u64 best = ~0ull, least = 1ull << 62, from, sign = dir < 0 ? ~0ull : 0, count, more, same, take;
	u32 i, at = (u32)last;

	if (!s)
		return last + 1 < d->buckets ? last + 1 : -1;
	STP_HIDE(at);
	from = at < d->buckets ? ((u64)s->hist[at] ^ sign) - sign : 0 - (1ull << 62);
	_Pragma("nounroll")
	for (i = 0; i < d->buckets; i++) {
		count = ((u64)s->hist[i] ^ sign) - sign;
		more = from - count;
		same = ~(more | (count - from));
		take = 0 - (((more | (same & ((u64)last - i))) & (count - least)) >> 63);
		STP_HIDE(take);
		best = (i & take) | (best & ~take);
		least = (count & take) | (least & ~take);
	}
	return (s64)best;
}
#define stp_hist_next(c, s, d, dir, last) bpf_hist_next(s, d, dir, last)

/* Defines a function that returns the address of a word of an array of the slot; NULL beyond its end. The second
 * STP_HIDE() prevents the compiler from computing the address before the check. */
#define STP_WORD_FUNCTION(name, array, words)					\
STP_INLINE u64 *name(struct stp_slot *s, u32 i)					\
{										\
	STP_HIDE(i);								\
	if (i >= (words))							\
		return NULL;							\
	STP_HIDE(i);								\
	return &s->array[i];							\
}

/* ------------------------------------------------------------------ scalar statistics */

#ifdef STP_USES_SCALARS
/* A walk over the slots: walk_at is the number of the slot, walk_any the offset of the statistic in words,
 * walk_found the number of its words after count, sum, min and max. */
STP_WORD_FUNCTION(bpf_percpu_word, percpu, STP_PERCPU_WORDS)
STP_WORD_FUNCTION(bpf_merged_word, merged, STP_MERGED_WORDS)

/* Adds the buckets of a slot; or the squares, with the carry between their words. */
STP_INLINE void bpf_merge_words(struct stp_slot *to, struct stp_slot *from, u32 first, u32 n, bool carries)
{
	u64 *a, *b, carry = 0, sum;
	u32 i;

	for (i = 0; i < STP_PERCPU_WORDS; i++) {
		if (i >= n)
			break;
		a = bpf_merged_word(to, first + i);
		b = bpf_percpu_word(from, first + i);
		if (!a || !b)
			break;
		sum = *a + (carries ? carry : 0);
		carry = sum < *a;
		*a = sum + *b;
		carry += *a < sum;
	}
}

#define STP_WALK_SQUARES (1u << 31)    /* bit of walk_found: a struct stp_squares follows */

STP_INLINE void bpf_merge_squares(struct stp_slot *s, struct stp_slot *from, u32 at, u64 sum, u64 more)
{
	u64 *high = bpf_merged_word(s, at), *high_more = bpf_percpu_word(from, at);

	if (!high || !high_more)
		return;
	*high += *high_more + (sum < more);
	bpf_merge_words(s, from, at + 1, 3, true);
}

STP_GLOBAL_FUNCTION int bpf_merge_slot(struct stp_slot *s)
{
	u32 at = s ? s->walk_at++ : 0, word = s ? s->walk_any : 0, n = s ? s->walk_found & ~STP_WALK_SQUARES : 0;
	struct stp_slot *from = bpf_map_lookup_elem(&stp_slots, &at);
	struct stp_stat *to, *more;

	STP_HIDE(word);
	if (!s || !from || word > STP_PERCPU_WORDS - 4 || word > STP_MERGED_WORDS - 4)
		return STP_LOOP_BREAK;
	to = (struct stp_stat *)&s->merged[word];
	more = (struct stp_stat *)&from->percpu[word];
	if (!more->count)
		return STP_LOOP_NEXT;
	if (!to->count || more->min < to->min)
		to->min = more->min;
	if (!to->count || more->max > to->max)
		to->max = more->max;
	to->count += more->count;
	to->sum += more->sum;
	bpf_merge_words(s, from, word + 4, n, false);
	if (s->walk_found & STP_WALK_SQUARES)
		bpf_merge_squares(s, from, word + 4 + n, (u64)to->sum, (u64)more->sum);
	return STP_LOOP_NEXT;
}
STP_LOOP_DRIVER(bpf_merge_slot)

STP_GLOBAL_FUNCTION int bpf_clear_slot(struct stp_slot *s)
{
	u32 at = s ? s->walk_at++ : 0, n = s ? (s->walk_found & ~STP_WALK_SQUARES) + 8 : 0, i;
	struct stp_slot *of = bpf_map_lookup_elem(&stp_slots, &at);
	u64 *word;

	if (!s || !of)
		return STP_LOOP_BREAK;
	n -= s->walk_found & STP_WALK_SQUARES ? 0 : 4;
	for (i = 0; i < STP_PERCPU_WORDS; i++) {
		word = i < n ? bpf_percpu_word(of, s->walk_any + i) : NULL;
		if (!word)
			break;
		*word = 0;
	}
	return STP_LOOP_NEXT;
}
STP_LOOP_DRIVER(bpf_clear_slot)

/* An upper limit of the number of slots: NR_CPUS is at most 8,192. */
#define STP_SLOTS_MAX (8192 * STP_SLOTS_PER_CPU)

STP_INLINE void bpf_walk_slots(struct stp_slot *s, u32 offset, const struct stp_stat_desc *d)
{
	s->walk_at = 0;
	s->walk_any = offset / 8;
	s->walk_found = d->buckets | (d->ops & STP_VARIANCE ? STP_WALK_SQUARES : 0);
}

STP_INLINE const struct stp_stat *bpf_scalar_merge(struct stp_ctx *c, u32 offset, const struct stp_stat_desc *d)
{
	struct stp_slot *s = STP_SLOT(c);
	u32 i;

	for (i = 0; i < d->size / 8; i++) {
		__asm__ volatile("");       /* prevents the compiler from calling memset() */
		s->merged[offset / 8 + i] = 0;
	}
	bpf_walk_slots(s, offset, d);
	STP_REPEAT(s, bpf_merge_slot, STP_SLOTS_MAX);
	return (const struct stp_stat *)&s->merged[offset / 8];
}
#define stp_scalar_merge(c, g) bpf_scalar_merge(c, (g)->offset, &(g)->desc)
#define stp_scalar_merged(c, g) ((const struct stp_stat *)&STP_SLOT(c)->merged[(g)->offset / 8])

STP_INLINE void bpf_scalar_clear(struct stp_ctx *c, u32 offset, const struct stp_stat_desc *d)
{
	bpf_walk_slots(STP_SLOT(c), offset, d);
	STP_REPEAT(STP_SLOT(c), bpf_clear_slot, STP_SLOTS_MAX);
}
#define stp_scalar_clear(c, g) bpf_scalar_clear(c, (g)->offset, &(g)->desc)

#endif

/* ------------------------------------------------------------------ printing */

/* Sends a histogram, which the client prints: the smallest and the largest value if they are known, and the buckets. */
STP_INLINE void bpf_print_hist(struct stp_ctx *c, u32 line, const struct stp_stat *s, const struct stp_stat_desc *d)
{
	struct stp_slot *slot = STP_SLOT(c);
	u32 i, at;

	if (!s || !s->count) {
		bpf_error(c, STP_BPF_EMPTY, 0);
		return;
	}
	bpf_item(slot, STP_ITEM_HIST, line, d->buckets + 3);
	at = slot->record_len + 1;
	STP_HIDE(at);
	if (at > STP_RECORD_WORDS - d->buckets - 2)
		return;
	slot->record[at] = (u64)s->min;
	slot->record[at + 1] = (u64)s->max;
	_Pragma("nounroll")
	for (i = 0; i < d->buckets; i++) {
		__asm__ volatile("");       /* prevents the compiler from calling memcpy() */
		slot->record[at + 2 + i] = (u64)s->hist[i];
	}
	slot->record_len = at + d->buckets + 1;
}
#define stp_print_hist(c, s, d) bpf_print_hist(c, __LINE__, s, d)

#endif
