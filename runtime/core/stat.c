/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Statistics: adding a value, reading, and merging the statistics of several CPUs. Context: any.
 *
 * The sum wraps around. The variance is exact: it is computed when it is read, from the number of the values, their
 * sum in 128 bits and the sum of their squares in 192 bits, which suffice for 2^64 values.
 */
#include "internal.h"

typedef unsigned __int128 u128;

static u32 out_of_range(u32 bucket)
{
	stp_cut(STP_LOSS_HISTOGRAM, "a value is outside of the range of @hist_linear");
	return bucket;
}

/* Bucket #0 has values below low, the last one those above high; #1 begins at low. */
static u32 linear_bucket(const struct stp_stat_desc *d, s64 v)
{
	u64 n;

	if (STP_UNLIKELY(v < d->low))
		return out_of_range(0);
	n = ((u64)v - (u64)d->low) / (u64)d->step + 1;
	return STP_LIKELY(n < d->buckets - 1) ? (u32)n : out_of_range(d->buckets - 1);
}

static struct stp_squares *squares_of(const struct stp_stat *s, const struct stp_stat_desc *d)
{
	return (struct stp_squares *)&s->hist[d->buckets];
}

static s64 *fine_of(const struct stp_stat *s, const struct stp_stat_desc *d)
{
	return (s64 *)&s->hist[d->buckets] + (d->ops & STP_VARIANCE ? sizeof(struct stp_squares) / 8 : 0);
}

static u32 fine_bucket(s64 v)
{
	u64 size = v < 0 ? 0 - (u64)v : (u64)v;

	return (v < 0 ? STP_FINE_SIZES : 0) + stp_fine_size(size, size < 64 ? 0 : 63 - (u32)__builtin_clzll(size));
}

/* Returns the middle of a bucket, rounded down. */
static s64 fine_value(u32 bucket)
{
	u32 i = bucket % STP_FINE_SIZES, power = i < 64 ? 0 : i / 32 - 1;
	u64 size = i < 64 ? i : ((u64)(i % 32 + 32) << power) + ((1ull << power) - 1) / 2;

	if (bucket >= STP_FINE_SIZES)
		return (s64)(size >> 63 ? 1ull << 63 : 0 - size);
	return (s64)(size >> 63 ? ~0ull >> 1 : size);
}

static void add_square(struct stp_squares *q, u64 sum, s64 v)
{
	u64 size = v < 0 ? 0 - (u64)v : (u64)v;
	u128 square = (u128)size * size, low = (u128)q->word[1] << 64 | q->word[0];

	q->sum_high += (v >> 63) + (sum < (u64)v);
	low += square;
	q->word[0] = (u64)low;
	q->word[1] = (u64)(low >> 64);
	q->word[2] += low < square;
}

/* Called after the count and the sum have been updated. */
void stp_stat_add_slow(struct stp_stat *s, const struct stp_stat_desc *d, s64 v)
{
	if (d->ops & STP_VARIANCE)
		add_square(squares_of(s, d), (u64)s->sum, v);
	if (d->ops & STP_HIST_LOG)
		s->hist[stp_log_bucket(v)]++;
	else if (d->ops & STP_HIST_LINEAR)
		s->hist[linear_bucket(d, v)]++;
	if (d->ops & STP_PERCENTILE)
		fine_of(s, d)[fine_bucket(v)]++;
}

void stp_stat_clear(struct stp_stat *s, const struct stp_stat_desc *d)
{
	plat_memset(s, 0, d->size);
}

/* Adds the words at `from` to those at `to`, the least significant one first. */
static void add_words(u64 *to, const u64 *from, u32 n)
{
	u64 carry = 0, sum;
	u32 i;

	for (i = 0; i < n; i++) {
		sum = to[i] + carry;
		carry = sum < carry;
		to[i] = sum + from[i];
		carry += to[i] < sum;
	}
}

/* Adds a * b to the n words at `to`. */
static void add_product(u64 *to, u32 n, u64 a, u64 b)
{
	u128 product = (u128)a * b;
	u64 words[4] = { (u64)product, (u64)(product >> 64) };

	add_words(to, words, n);
}

/* Returns number / by, or the largest s64 if the quotient is larger. */
static s64 quotient(const u64 *number, u128 by)
{
	u128 rest = (u128)number[2] << 64 | number[1];
	u64 digits = 0;
	bool carry;
	int i;

	if (number[3] || rest >= by)
		return (s64)(~0ull >> 1);
	for (i = 63; i >= 0; i--) {
		carry = rest >> 127;
		rest = rest << 1 | (number[0] >> i & 1);
		digits <<= 1;
		if (carry || rest >= by) {
			rest -= by;
			digits |= 1;
		}
	}
	return (s64)(digits >> 63 ? ~0ull >> 1 : digits);
}

/* Returns (count * squares - sum^2) / (count * (count - 1)). */
static s64 variance(const struct stp_stat *s, const struct stp_squares *q)
{
	u64 count = (u64)s->count, minus[4] = {}, of[4] = {}, low = (u64)s->sum, high = (u64)q->sum_high;
	u32 i;

	if (count < 2)
		return 0;
	if (q->sum_high < 0) {
		low = 0 - low;
		high = ~high + !low;
	}
	for (i = 0; i < 3; i++)
		add_product(of + i, 4 - i, count, q->word[i]);
	add_product(minus, 4, low, low);
	add_product(minus + 1, 3, low, high);
	add_product(minus + 1, 3, low, high);
	add_product(minus + 2, 2, high, high);
	for (i = 0; i < 4; i++)
		minus[i] = ~minus[i];
	add_words(of, minus, 4);
	add_words(of, (const u64[]){ 1, 0, 0, 0 }, 4);
	return quotient(of, (u128)count * (count - 1));
}

static void merge_squares(struct stp_stat *to, const struct stp_stat *from, const struct stp_stat_desc *d)
{
	struct stp_squares *q = squares_of(to, d), *more = squares_of(from, d);

	q->sum_high += more->sum_high + ((u64)to->sum < (u64)from->sum);
	add_words(q->word, more->word, 3);
}

void stp_stat_merge(struct stp_stat *to, const struct stp_stat *from, const struct stp_stat_desc *d)
{
	u32 i;

	if (!from->count)
		return;
	if (!to->count) {
		plat_memcpy(to, from, d->size);
		return;
	}
	if (from->min < to->min)
		to->min = from->min;
	if (from->max > to->max)
		to->max = from->max;
	to->count += from->count;
	to->sum = (s64)((u64)to->sum + (u64)from->sum);
	if (d->ops & STP_VARIANCE)
		merge_squares(to, from, d);
	if (d->ops & (STP_HIST_LOG | STP_HIST_LINEAR))
		for (i = 0; i < d->buckets; i++)
			to->hist[i] += from->hist[i];
	if (d->ops & STP_PERCENTILE)
		for (i = 0; i < STP_FINE_BUCKETS; i++)
			fine_of(to, d)[i] += fine_of(from, d)[i];
}

s64 stp_stat_value(const struct stp_stat *s, const struct stp_stat_desc *d, u32 op)
{
	if (!s->count)
		return 0;
	switch (op) {
	case STP_COUNT: return s->count;
	case STP_SUM: return s->sum;
	case STP_MIN: return s->min;
	case STP_MAX: return s->max;
	case STP_AVG: return s->sum / s->count;
	case STP_VARIANCE: return variance(s, squares_of(s, d));
	}
	return 0;
}

s64 stp_stat_get(struct stp_ctx *c, const struct stp_stat *s, const struct stp_stat_desc *d, u32 op)
{
	if (s && s->count)
		return stp_stat_value(s, d, op & ~(u32)STP_NOT_EMPTY);
	if (op != STP_COUNT && op != STP_SUM)
		stp_error(c, "empty aggregate");
	return 0;
}

s64 stp_stat_variance(struct stp_ctx *c, const struct stp_stat *s, const struct stp_stat_desc *d)
{
	return stp_stat_get(c, s, d, STP_VARIANCE);
}

/* Returns the bucket of the value with the number `rank`, starting at 1, in ascending order: the negative ones
 * are first, the largest absolute value first. */
static u32 bucket_of_rank(const s64 *fine, u64 rank)
{
	u64 seen = 0;
	u32 i;

	for (i = STP_FINE_BUCKETS; i-- > STP_FINE_SIZES; ) {
		seen += (u64)fine[i];
		if (seen >= rank)
			return i;
	}
	for (i = 0; i < STP_FINE_SIZES - 1; i++) {
		seen += (u64)fine[i];
		if (seen >= rank)
			break;
	}
	return i;
}

s64 stp_stat_percentile(struct stp_ctx *c, const struct stp_stat *s, const struct stp_stat_desc *d, u32 percentage)
{
	u64 count = s ? (u64)s->count : 0, rank;

	if (!count) {
		stp_error(c, "empty aggregate");
		return 0;
	}
	if (!stp_charge(c, STP_FINE_BUCKETS * STP_WORK_BUCKET))
		return 0;
	rank = count / 100 * percentage + (count % 100 * percentage + 99) / 100;
	return fine_value(bucket_of_rank(fine_of(s, d), rank ? rank : 1));
}

s64 stp_hist_get(struct stp_ctx *c, const struct stp_stat *s, const struct stp_stat_desc *d, s64 bucket)
{
	if (s && s->count && bucket >= 0 && bucket < d->buckets)
		return s->hist[bucket];
	stp_error(c, s && s->count ? "histogram index out of range" : "empty aggregate");
	return 0;
}

/* Returns true if bucket a precedes b in the order of counts; equal counts are ordered by bucket number. */
static bool bucket_before(const struct stp_stat *s, s64 a, s64 b, int dir)
{
	if (s->hist[a] != s->hist[b])
		return dir > 0 ? s->hist[a] < s->hist[b] : s->hist[a] > s->hist[b];
	return a < b;
}

/* Returns the bucket after `last` by count, ascending (dir > 0) or descending; last < 0: the first bucket;
 * returns -1 at the end. */
s64 stp_hist_next(struct stp_ctx *c, const struct stp_stat *s, const struct stp_stat_desc *d, int dir, s64 last)
{
	s64 best = -1, i;

	if (!s)
		return last + 1 < d->buckets ? last + 1 : -1;
	if (!stp_charge(c, (u64)d->buckets * (3 * STP_WORK_BUCKET)))
		return -1;
	for (i = 0; i < d->buckets; i++)
		if ((last < 0 || bucket_before(s, last, i, dir)) && (best < 0 || bucket_before(s, i, best, dir)))
			best = i;
	return best;
}

/* ------------------------------------------------------------------ scalars, adders */

static struct stp_stat *scalar_of(const struct stp_scalar_stat *g, u32 cpu)
{
	return (struct stp_stat *)(stp_session.percpu[cpu] + g->offset);
}

/* Moves the values of the CPUs into `merged`. The caller's lock excludes writers; the lock here excludes a
 * second reader. It is not taken by begin, end and error probes and handlers in slices, which may be preempted
 * and have no other reader, since hits would wait for them. */
const struct stp_stat *stp_scalar_merge(struct stp_ctx *c, struct stp_scalar_stat *g)
{
	static u32 moving;
	struct stp_spin spin = {};
	struct stp_stat *s;
	bool alone = stp_private(c) == stp_session.exclusive;
	u32 cpu;

	while (!alone && __atomic_exchange_n(&moving, 1, __ATOMIC_ACQUIRE)) {      /* waits as in stp_map_merge() */
		if (stp_spin(&spin, STP_MERGE_WAIT_MS))
			continue;
		stp_error(c, "lock timeout: another CPU computes the sums of statistics");
		return g->merged;
	}
	for (cpu = 0; cpu < stp_session.ncpus; cpu++) {
		if (!stp_session.percpu[cpu])
			continue;
		s = scalar_of(g, cpu);
		if (!stp_charge(c, STP_WORK_CPU))
			break;
		if (!s->count)
			continue;
		if (!stp_charge(c, STP_WORK_MERGE + (u64)g->desc.size / 8 * (2 * STP_WORK_BUCKET)))
			break;
		stp_stat_merge(g->merged, s, &g->desc);
		stp_stat_clear(s, &g->desc);
	}
	if (!alone)
		__atomic_store_n(&moving, 0, __ATOMIC_RELEASE);
	return g->merged;
}

void stp_scalar_clear(struct stp_ctx *c, struct stp_scalar_stat *g)
{
	u64 cost = STP_WORK_CPU + (u64)g->desc.size / 8 * STP_WORK_BUCKET;
	u32 cpu;

	for (cpu = 0; cpu < stp_session.ncpus; cpu++) {
		if (!stp_session.percpu[cpu])
			continue;
		if (!stp_charge(c, cost))
			return;
		stp_stat_clear(scalar_of(g, cpu), &g->desc);
	}
	stp_stat_clear(g->merged, &g->desc);
}
