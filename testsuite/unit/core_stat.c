/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Statistics compared with plain sums; buckets; merging; scalars and counters. */
#include "core_platform.h"

#define SIZE(buckets) (sizeof(struct stp_stat) + 8 * (buckets) + sizeof(struct stp_squares))
#define ALL (STP_COUNT | STP_SUM | STP_MIN | STP_MAX | STP_AVG | STP_VARIANCE)

static const struct stp_stat_desc plain = { .ops = ALL, .size = SIZE(0) };
static const struct stp_stat_desc logs = { .ops = ALL | STP_HIST_LOG, .buckets = 128, .size = SIZE(128) };
static const struct stp_stat_desc linear = { .ops = STP_HIST_LINEAR, .buckets = 7, .size = SIZE(7), .low = -10,
					     .high = 10, .step = 4 };

struct percpu { s64 adder; struct stp_stat stat; s64 hist[128]; struct stp_squares squares; };
static struct stp_scalar_stat scalar = { "x", { .ops = ALL | STP_HIST_LOG, .buckets = 128, .size = SIZE(128) },
					 __builtin_offsetof(struct percpu, stat), NULL };
static struct stp_scalar_stat *const stats[] = { &scalar };
const struct stp_module stp_module = { .abi = STP_GENERATED_ABI, .limits = LIMITS, .stats = stats, .nstats = 1,
				       .percpu_size = sizeof(struct percpu) };

static struct stp_ctx *c;

static struct stp_stat *fresh(const struct stp_stat_desc *d)
{
	return calloc(1, d->size);
}

static s64 get(const struct stp_stat *s, const struct stp_stat_desc *d, u32 op)
{
	return stp_stat_get(c, s, d, op);
}

static void empty(void)
{
	struct stp_stat *s = fresh(&plain);
	static const u32 failing[] = { STP_MIN, STP_MAX, STP_AVG };
	int i;

	same_number("@count of nothing", get(s, &plain, STP_COUNT), 0);
	same_number("@sum of an absent element", get(NULL, &plain, STP_SUM), 0);
	verdict(!c->error, "neither is an error");
	for (i = 0; i < 3; i++) {
		get(i ? s : NULL, &plain, failing[i]);
		same_text("@min, @max, @avg of nothing are", c->error ? c->error : "", "empty aggregate");
		c->error = NULL;
	}
	free(s);
}

/* The variance does not depend on the base, and n times the squares of the remaining values fit into 128 bits. */
static s64 exact_variance(const s64 *values, int n, s64 base)
{
	__int128 sum = 0, squares = 0, rest;
	int i;

	for (i = 0; i < n; i++) {
		rest = (__int128)values[i] - base;
		sum += rest;
		squares += rest * rest;
	}
	squares = (n * squares - sum * sum) / n / (n - 1);
	return squares > (s64)(~0ull >> 1) ? (s64)(~0ull >> 1) : (s64)squares;
}

static bool all_values(const struct stp_stat *s, const s64 *values, int n, s64 base)
{
	s64 min = values[0], max = values[0];
	u64 sum = 0;
	int i;

	for (i = 0; i < n; i++) {
		sum += (u64)values[i];
		min = values[i] < min ? values[i] : min;
		max = values[i] > max ? values[i] : max;
	}
	return get(s, &plain, STP_COUNT) == n && get(s, &plain, STP_SUM) == (s64)sum && get(s, &plain, STP_MIN) == min &&
	       get(s, &plain, STP_MAX) == max && get(s, &plain, STP_AVG) == (s64)sum / n &&
	       stp_stat_variance(c, s, &plain) == exact_variance(values, n, base);
}

/* Compares n random values, spread over four CPUs, merged in each order. */
static void brute_force(const char *name, int n, s64 base, s64 spread)
{
	struct stp_stat *whole = fresh(&plain), *part[4], *merged = fresh(&plain);
	s64 *values = malloc((size_t)n * sizeof(*values));
	int i, j, order, wrong = 0;

	for (i = 0; i < 4; i++)
		part[i] = fresh(&plain);
	for (i = 0; i < n; i++) {
		values[i] = base + (s64)(random_u64() % (u64)spread);
		stp_stat_add(whole, &plain, values[i]);
		stp_stat_add(part[random_u32() % 4], &plain, values[i]);
	}
	verdict(all_values(whole, values, n, base), "%s", name);
	for (order = 0; order < 256; order++) {
		if ((1 << (order & 3) | 1 << (order >> 2 & 3) | 1 << (order >> 4 & 3) | 1 << (order >> 6)) != 15)
			continue;
		stp_stat_clear(merged, &plain);
		for (j = 0; j < 8; j += 2)
			stp_stat_merge(merged, part[order >> j & 3], &plain);
		wrong += !all_values(merged, values, n, base);
	}
	same_number("orders of merging with other values", wrong, 0);
	for (i = 0; i < 4; i++)
		free(part[i]);
	free(values);
	free(whole);
	free(merged);
}

static void log_buckets(void)
{
	struct stp_stat *s = fresh(&logs);
	int i, wrong = 0;
	s64 v;

	for (i = 0; i < 63; i++) {
		v = (s64)(1ull << i);
		stp_stat_add(s, &logs, v);
		wrong += stp_hist_get(c, s, &logs, 65 + i) != 1;
		stp_stat_add(s, &logs, v + v / 2);
		wrong += stp_hist_get(c, s, &logs, 65 + i) != 2;
		stp_stat_add(s, &logs, -v);
		wrong += stp_hist_get(c, s, &logs, 63 - i) != 1;
	}
	stp_stat_add(s, &logs, 0);
	wrong += stp_hist_get(c, s, &logs, 64) != 1;
	stp_stat_add(s, &logs, (s64)(1ull << 63));
	wrong += stp_hist_get(c, s, &logs, 0) != 1;
	stp_stat_add(s, &logs, (s64)(~0ull >> 1));
	wrong += stp_hist_get(c, s, &logs, 127) != 3;
	same_number("@hist_log: powers of two, their negatives, the extremes", wrong, 0);
	verdict(!c->error, "no error");
	stp_hist_get(c, s, &logs, 128);
	same_text("a bucket that doesn't exist", c->error ? c->error : "", "histogram index out of range");
	c->error = NULL;
	stp_hist_get(c, NULL, &logs, -1);
	verdict(c->error != NULL, "nor does one below 0");
	c->error = NULL;
	free(s);
}

static void linear_buckets(void)
{
	static const s64 want[] = { 3, 4, 4, 4, 4, 4, 5 };
	struct stp_stat *s = fresh(&linear);
	int i, wrong = 0;
	s64 v;

	for (v = -12; v < 14; v++)
		stp_stat_add(s, &linear, v);
	stp_stat_add(s, &linear, (s64)(1ull << 63));
	stp_stat_add(s, &linear, (s64)(~0ull >> 1));
	for (i = 0; i < 7; i++)
		wrong += stp_hist_get(c, s, &linear, i) != want[i];
	same_number("@hist_linear: under, in and over the range", wrong, 0);
	free(s);
}

static void scalars(void)
{
	struct percpu *p;
	int cpu;

	for (cpu = 0; cpu < CPUS; cpu++) {
		p = (struct percpu *)cpu_ctx[cpu]->percpu;
		stp_stat_add(&p->stat, &scalar.desc, 10 * cpu);
		p->adder += cpu + 1;
	}
	verdict(stp_session.exclusive->c.percpu == cpu_ctx[0]->percpu, "begin probes add to the first CPU's");
	same_number("a scalar of four CPUs", get(stp_scalar_merge(c, &scalar), &scalar.desc, STP_SUM), 60);
	same_number("read again", get(stp_scalar_merge(c, &scalar), &scalar.desc, STP_COUNT), 4);
	p = (struct percpu *)cpu_ctx[3]->percpu;
	stp_stat_add(&p->stat, &scalar.desc, -5);
	same_number("added to afterwards", get(stp_scalar_merge(c, &scalar), &scalar.desc, STP_MIN), -5);
	stp_stat_add(&p->stat, &scalar.desc, 7);
	stp_scalar_clear(c, &scalar);
	same_number("cleared", get(stp_scalar_merge(c, &scalar), &scalar.desc, STP_COUNT), 0);
	same_number("an adder sums the CPUs and its base", stp_adder_read(NULL, 0, 100), 110);
	stp_adder_clear(NULL, 0);
	same_number("an adder cleared", stp_adder_read(NULL, 0, 0), 0);
}

int main(void)
{
	session_renew();
	c = cpu_ctx[0];
	empty();
	brute_force("two values", 2, 5, 100);
	brute_force("small values", 3000, 0, 100);
	brute_force("negative values", 3000, -5000, 10000);
	brute_force("nanoseconds", 5000, 1000000, 30000);
	brute_force("equal values", 500, 77, 1);
	brute_force("values near 2^62", 3000, (s64)(1ull << 62), 1000000000);
	brute_force("values near -2^63", 3000, (s64)(1ull << 63), 1000);
	brute_force("values of 50 bits", 3000, -(s64)(1ull << 49), (s64)(1ull << 50));
	brute_force("two values far apart", 2, 0, (s64)(1ull << 60));
	brute_force("the largest values", 2, (s64)(~0ull >> 1), 1);
	log_buckets();
	linear_buckets();
	scalars();
	return finish();
}
