/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Histograms as text. Context: a handler's.
 *
 * value |-------------------------------------------------- count
 *     4 |                                                    0
 *     8 |@@                                                  2
 *    16 |                                                    0
 *    32 |                                                    0
 *       ~
 *   256 |                                                    0
 *   512 |                                                    0
 *  1024 |@@@@@@@@@@@@                                       12
 *
 * A character of a bar stands for one value, or for as many as make the longest bar fit limits.hist_width. The
 * table begins two rows before the first nonempty bucket and ends two rows after the last one, but a logarithmic
 * one without negative values begins at 0 or above. Of a run of empty rows between nonempty buckets, the first and
 * the last limits.hist_elision rows are printed; "~" replaces those in the middle. A negative limit omits none.
 *
 * limits.hist_terminal selects the form for a terminal: the name and unit of the values, K, M and G or units of
 * time in labels, percentages; 2: also bars of UTF-8 in eighths:
 *
 * size of reads
 * bytes |-------------------- count
 *   512 |██████████▍       81  44%
 *    1K |██▎               18  10%
 *
 * limits.hist_percentiles adds a line; "~" marks a value that is interpolated in its bucket:
 *
 * p50 ~1272, p90 ~1885, p99 ~2024
 */
#include "internal.h"
#include "../include/bounds.h"

_Static_assert(STP_MIN_HIST_WIDTH > 0 && 3 * STP_MAX_HIST_WIDTH < PLAT_RECORD_MAX / 2, "a row fits into a record");

struct shape {
	u32 terminal;              /* limits.hist_terminal, or 0 */
	s32 time;                  /* index of the labels' unit in time_names; -1: the labels are numbers */
	u32 first, last;           /* range of rows to print */
	u32 label_width, count_width;
	s64 max, sum;
};

#define LOG_ZERO 64                /* bucket of 0 in a logarithmic histogram */
#define HEAD_MAX 24                /* maximum length of a unit in the head of the labels */
#define MARGIN 2                   /* empty rows before the first and after the last value */

static s64 log_label(u32 bucket)
{
	if (bucket == LOG_ZERO)
		return 0;
	return (s64)(bucket > 64 ? 1ull << (bucket - 65) : 0 - (1ull << (63 - bucket)));
}

static const char *const time_names[] = { "ns", "us", "ms", "s" };

/* Returns the index of d's unit in time_names for a logarithmic histogram of times, or -1. */
static s32 time_unit(const struct stp_stat_desc *d)
{
	s32 i;

	for (i = 0; i < 4 && d->unit && d->ops & STP_HIST_LOG; i++)
		if (!stp_compare(d->unit, time_names[i]))
			return i;
	return -1;
}

/* Writes n of a unit of time before `end` with three significant digits, as in "1.02ms"; returns its beginning. */
static char *put_time(char *end, u64 n, s32 unit)
{
	u32 rest = 0, digits, decimals, len;

	for (; n >= 1000 && unit < 3; n /= 1000, unit++)
		rest = (u32)(n % 1000);
	len = (u32)stp_strlen(time_names[unit]);
	end -= len;
	plat_memcpy(end, time_names[unit], len);
	decimals = n < 10 ? 2 : n < 100 ? 1 : 0;
	for (digits = decimals; digits < 3; digits++)
		rest /= 10;
	for (; decimals && rest % 10 == 0; decimals--)
		rest /= 10;
	for (digits = decimals; digits; digits--, rest /= 10)
		*--end = (char)('0' + rest % 10);
	if (decimals)
		*--end = '.';
	return stp_digits(end, n);
}

/* Writes a text of label() or put_time(); utf8: with the letter mu for microseconds. */
static void put_label(struct stp_sink *k, const char *text, u32 len, bool utf8)
{
	if (!utf8 || len < 3 || text[len - 2] != 'u') {
		stp_sink_put(k, text, len);
		return;
	}
	stp_sink_put(k, text, len - 2);
	stp_sink_put(k, "\u00b5s", 3);
}

/* Writes a bucket's label to buffer; returns its length. m: selects the form for a terminal, "1K" for 1024;
 * NULL: plain numbers. */
static u32 label(char *buffer, const struct stp_stat_desc *d, u32 bucket, const struct shape *m)
{
	static const char names[] = "KMGTPE";
	char text[24], *end = text + sizeof(text), *p = end;
	u32 unit = 0;
	s64 v;

	if (d->ops & STP_HIST_LOG)
		v = log_label(bucket);
	else if (bucket == 0)
		v = d->low;
	else if (bucket == d->buckets - 1)
		v = d->high;
	else
		v = (s64)((u64)d->low + (u64)(bucket - 1) * (u64)d->step);
	for (; m && m->terminal && m->time < 0 && d->ops & STP_HIST_LOG && v && v % 1024 == 0; v /= 1024)
		unit++;
	if (unit)
		*--p = names[unit - 1];
	if (m && m->time >= 0 && v)
		p = put_time(p, v < 0 ? 0 - (u64)v : (u64)v, m->time);
	else
		p = stp_digits(p, v < 0 ? 0 - (u64)v : (u64)v);
	if (v < 0)
		*--p = '-';
	if (d->ops & STP_HIST_LINEAR && bucket == 0)
		*--p = '<';
	else if (d->ops & STP_HIST_LINEAR && bucket == d->buckets - 1)
		*--p = '>';
	plat_memcpy(buffer, p, (u64)(end - p));
	return (u32)(end - p);
}

/* Returns the head of the labels' column. */
static const char *head(const struct stp_stat_desc *d, u32 terminal)
{
	if (!terminal || !d->unit || stp_strlen(d->unit) > HEAD_MAX)
		return "value";
	return time_unit(d) >= 0 ? "time" : d->unit;
}

/* Sets the shape of the table. Returns false if all buckets are empty. */
static bool measure(struct shape *m, const struct stp_stat *s, const struct stp_stat_desc *d, u32 terminal)
{
	char buffer[24];
	u32 i, len, min;

	*m = (struct shape){ .terminal = terminal, .time = terminal ? time_unit(d) : -1, .first = d->buckets,
			     .label_width = 5 };
	len = (u32)stp_strlen(head(d, terminal));
	if (len > m->label_width)
		m->label_width = len;
	for (i = 0; i < d->buckets; i++) {
		if (!s->hist[i])
			continue;
		if (m->first == d->buckets)
			m->first = i;
		m->last = i;
		m->sum += s->hist[i];
		if (s->hist[i] > m->max)
			m->max = s->hist[i];
	}
	if (m->max <= 0)
		return false;
	min = d->ops & STP_HIST_LOG && m->first >= LOG_ZERO ? LOG_ZERO : 0;
	m->first = m->first > min + MARGIN ? m->first - MARGIN : min;
	m->last = d->buckets - 1 - m->last > MARGIN ? m->last + MARGIN : d->buckets - 1;
	/* The out-of-range rows of a linear histogram are printed only if they are not empty. */
	if (d->ops & STP_HIST_LINEAR) {
		m->first += m->first == 0 && !s->hist[0];
		m->last -= m->last == d->buckets - 1 && !s->hist[m->last];
	}
	for (i = m->first; i <= m->last; i++) {
		len = label(buffer, d, i, m);
		if (len > m->label_width)
			m->label_width = len;
	}
	m->count_width = (u32)(buffer + sizeof(buffer) - stp_digits(buffer + sizeof(buffer), (u64)m->max));
	return true;
}

/* Writes a bar of n / scale columns; returns the number of columns. */
static u64 put_bar(struct stp_sink *k, u64 n, u64 scale, bool eighths)
{
	static const char *const parts[] = { "", "\u258f", "\u258e", "\u258d", "\u258c", "\u258b", "\u258a", "\u2589" };
	u64 bar = n / scale, part = n % scale * 8 / scale, i;

	if (!eighths) {
		stp_sink_pad(k, '@', bar);
		return bar;
	}
	for (i = 0; i < bar; i++)
		stp_sink_put(k, "\u2588", 3);
	if (part)
		stp_sink_put(k, parts[part], 3);
	return bar + !!part;
}

static void put_share(struct stp_sink *k, u64 n, u64 sum)
{
	char buffer[24], *end = buffer + sizeof(buffer), *p;

	for (; sum >> 40; sum >>= 1)
		n >>= 1;
	*--end = '%';
	p = stp_digits(end, 200 * n < sum ? 1 : (n * 100 + sum / 2) / sum);
	if (200 * n < sum)
		*--p = '<';
	end = buffer + sizeof(buffer);
	stp_sink_pad(k, ' ', 5 - (u64)(end - p));
	stp_sink_put(k, p, (u32)(end - p));
}

static void put_row(struct stp_sink *k, const struct stp_stat *s, const struct stp_stat_desc *d,
		    const struct shape *m, u32 bucket)
{
	char buffer[24], *end = buffer + sizeof(buffer), *p;
	u64 width = stp_module.limits.hist_width;
	u64 n = (u64)s->hist[bucket], scale = ((u64)m->max + width - 1) / width, bar;
	u32 len;

	len = label(buffer, d, bucket, m);
	stp_sink_pad(k, ' ', m->label_width - len);
	put_label(k, buffer, len, m->terminal == 2);
	stp_sink_put(k, " |", 2);
	bar = put_bar(k, n, scale, m->terminal == 2);
	p = stp_digits(end, n);
	len = (u32)(end - p);
	stp_sink_pad(k, ' ', width - bar + 1 + m->count_width - len);
	stp_sink_put(k, p, len);
	if (m->terminal && n)
		put_share(k, n, (u64)m->sum);
	stp_sink_put(k, "\n", 1);
}

/* Returns the number of successive empty buckets, starting at this one. */
static u32 empty_run(const struct stp_stat *s, const struct shape *m, u32 bucket)
{
	u32 n = 0;

	while (bucket + n <= m->last && !s->hist[bucket + n])
		n++;
	return n;
}

/* Returns the number of rows that are printed at each end of the run that starts at this bucket; `run` if all are. */
static u32 rows_of_run(const struct shape *m, u32 bucket, u32 run)
{
	s64 limit = stp_module.limits.hist_elision;

	if (limit < 0 || 2 * limit >= run || bucket == m->first || bucket + run > m->last)
		return run;
	return (u32)limit;
}

static void put_rows(struct stp_sink *k, const struct stp_stat *s, const struct stp_stat_desc *d,
		     const struct shape *m, u32 from, u32 to)
{
	for (; from < to; from++)
		put_row(k, s, d, m, from);
}

/* ------------------------------------------------------------------ percentiles */

/* Sets the minimum and maximum value of a bucket. Returns false for a bucket without a bound. */
static bool range_of(const struct stp_stat_desc *d, u32 bucket, s64 *low, s64 *high)
{
	u64 size;

	if (d->ops & STP_HIST_LINEAR) {
		*low = (s64)((u64)d->low + (u64)(bucket - 1) * (u64)d->step);
		*high = (s64)((u64)*low + (u64)d->step - 1);
		return bucket && bucket < d->buckets - 1;
	}
	if (bucket >= LOG_ZERO) {
		size = bucket > LOG_ZERO ? 1ull << (bucket - LOG_ZERO - 1) : 0;
		*low = (s64)size;
		*high = (s64)(size ? 2 * size - 1 : 0);
	} else {
		size = 1ull << (LOG_ZERO - 1 - bucket);
		*high = (s64)(0 - size);
		*low = bucket ? (s64)(1 - 2 * size) : *high;
	}
	return true;
}

/* Returns the k-th of n values (from 1) that are evenly spread over the range. */
static s64 interpolate(s64 low, s64 high, u64 k, u64 n)
{
	u64 width = (u64)high - (u64)low, at, of;

	for (; n >> 30; n >>= 1)
		k >>= 1;
	at = k ? 2 * k - 1 : 0;
	of = 2 * n;
	return (s64)((u64)low + width / of * at + width % of * at / of);
}

static void put_percentile(struct stp_sink *k, const struct stp_stat *s, const struct stp_stat_desc *d,
			   const struct shape *m, u64 percentage)
{
	char buffer[24], *end = buffer + sizeof(buffer), *p;
	u64 count = 0, before = 0, rank;
	s64 low, high;
	u32 i;

	for (i = 0; i < d->buckets; i++)
		count += (u64)s->hist[i];
	rank = count / 100 * percentage + (count % 100 * percentage + 99) / 100;
	for (i = 0; i < d->buckets - 1 && before + (u64)s->hist[i] < rank; i++)
		before += (u64)s->hist[i];
	p = stp_digits(end, percentage);
	stp_sink_put(k, "p", 1);
	stp_sink_put(k, p, (u32)(end - p));
	stp_sink_put(k, " ", 1);
	if (!range_of(d, i, &low, &high)) {
		stp_sink_put(k, buffer, label(buffer, d, i, NULL));
		return;
	}
	if (d->ops & STP_MIN && s->min > low)
		low = s->min;
	if (d->ops & STP_MAX && s->max < high)
		high = s->max;
	if (low != high)
		stp_sink_put(k, "~", 1);
	low = interpolate(low, high, rank - before, (u64)s->hist[i]);
	if (m->time >= 0 && low)
		p = put_time(end, low < 0 ? 0 - (u64)low : (u64)low, m->time);
	else
		p = stp_digits(end, low < 0 ? 0 - (u64)low : (u64)low);
	if (low < 0)
		*--p = '-';
	put_label(k, p, (u32)(end - p), m->terminal == 2);
}

static void put_percentiles(struct stp_sink *k, const struct stp_stat *s, const struct stp_stat_desc *d,
			    const struct shape *m)
{
	put_percentile(k, s, d, m, 50);
	stp_sink_put(k, ", ", 2);
	put_percentile(k, s, d, m, 90);
	stp_sink_put(k, ", ", 2);
	put_percentile(k, s, d, m, 99);
	stp_sink_put(k, "\n", 1);
}

/* ------------------------------------------------------------------ the table */

void stp_put_hist(struct stp_ctx *c, struct stp_sink *k, const struct stp_stat *s, const struct stp_stat_desc *d,
		  u32 terminal)
{
	u64 width = stp_module.limits.hist_width;
	u64 cost = STP_WORK_ROW + (terminal == 2 ? 8 : 2) * width + (terminal ? STP_WORK_TERMINAL_ROW : 0);
	struct shape m;
	u32 i, run, rows;

	if (!stp_charge(c, (u64)d->buckets * (STP_WORK_BUCKET + STP_WORK_LABEL)))
		return;
	if (!s || !measure(&m, s, d, terminal)) {
		stp_error(c, "empty aggregate");
		return;
	}
	if (terminal && d->label) {
		stp_sink_put(k, d->label, (u32)stp_strlen(d->label));
		stp_sink_put(k, "\n", 1);
	}
	stp_sink_pad(k, ' ', m.label_width - (u32)stp_strlen(head(d, terminal)));
	stp_sink_put(k, head(d, terminal), (u32)stp_strlen(head(d, terminal)));
	stp_sink_put(k, " |", 2);
	stp_sink_pad(k, '-', width);
	stp_sink_put(k, " count\n", 7);
	for (i = m.first; i <= m.last; i += run) {
		run = empty_run(s, &m, i);
		rows = rows_of_run(&m, i, run);
		if (!run)
			run = rows = 1;
		if (!stp_charge(c, (rows < run ? 2 * rows + 1 : rows) * cost))
			return;
		put_rows(k, s, d, &m, i, i + rows);
		if (rows == run)
			continue;
		stp_sink_pad(k, ' ', m.label_width + 1);
		stp_sink_put(k, "~\n", 2);
		put_rows(k, s, d, &m, i + run - rows, i + run);
	}
	if (stp_module.limits.hist_percentiles) {
		if (!stp_charge(c, (u64)d->buckets * (6 * STP_WORK_BUCKET) + STP_WORK_ROW))
			return;
		put_percentiles(k, s, d, &m);
	}
	stp_sink_put(k, "\n", 1);
}

void stp_print_hist(struct stp_ctx *c, const struct stp_stat *s, const struct stp_stat_desc *d)
{
	struct stp_sink k;

	if (!stp_sink_record(&k, c))
		return;
	stp_put_hist(c, &k, s, d, stp_module.limits.hist_terminal);
	stp_sink_close(&k);
}

void stp_sprint_hist(struct stp_ctx *c, char *to, u32 size, const struct stp_stat *s,
		     const struct stp_stat_desc *d)
{
	struct stp_sink k = stp_sink_buffer(to, size);

	stp_put_hist(c, &k, s, d, 0);
	stp_sink_close(&k);
}
