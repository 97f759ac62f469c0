// SPDX-License-Identifier: GPL-2.0-or-later
// Makes the lines of the tables, probes and histograms of stap --monitor.
#include "cells.h"

#include "event_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { VALUE_WIDTH = 14, RATE_WIDTH = 11 };

// Counts characters, not bytes: bytes 10xxxxxx continue one.
static int width_of(const char *text)
{
	int n = 0;

	for (; *text; text++)
		n += ((unsigned char)*text & 0xc0) != 0x80;
	return n;
}

int cells_fit(const char *text, int width)
{
	const char *p = text;

	for (; *p; p++) {
		width -= ((unsigned char)*p & 0xc0) != 0x80;
		if (width < 0)
			break;
	}
	return (int)(p - text);
}

void cells_pad(char *line, size_t size, int width)
{
	size_t len = strlen(line);

	for (int have = width_of(line); have < width && len + 1 < size; have++)
		line[len++] = ' ';
	line[len] = '\0';
}

void cells_plain(char *line, size_t size, const char *text)
{
	size_t n = 0;

	for (; *text && n + 1 < size; text++) {
		if (*text == '\t')
			line[n++] = ' ';
		else if ((unsigned char)*text >= ' ' && *text != 127)
			line[n++] = *text;
	}
	line[n] = '\0';
}

// ---------------------------------------------------------------- sorting

static const struct live_table *sorted;
static unsigned sort_column;
static bool sort_rising;

static int by_number(double a, double b)
{
	return a < b ? -1 : a > b;
}

static int by_integer(int64_t a, int64_t b)
{
	return a < b ? -1 : a > b;
}

static int compare(const void *a, const void *b)
{
	const struct live_row *x = *(struct live_row *const *)a, *y = *(struct live_row *const *)b;
	int order;

	if (!sort_column)
		order = -strcmp(x->key, y->key);       // keys rise where values fall
	else if (sort_column > sorted->ncolumns)
		order = by_number(x->rate, y->rate);
	else if (x->text && y->text)
		order = strcmp(x->text, y->text);
	else
		order = by_integer(x->values[sort_column - 1], y->values[sort_column - 1]);
	if (!order)
		return strcmp(x->key, y->key);
	return sort_rising ? order : -order;
}

struct live_row **cells_sorted(const struct live_table *t, unsigned column, bool rising, const char *filter, size_t *n)
{
	struct live_row **rows = malloc((t->nrows + 1) * sizeof(*rows));

	*n = 0;
	if (!rows)
		return NULL;
	for (size_t i = 0; i < t->nrows; i++)
		if (!t->keyed || strstr(t->rows[i]->key, filter))
			rows[(*n)++] = t->rows[i];
	sorted = t;
	sort_column = column;
	sort_rising = rising;
	qsort(rows, *n, sizeof(*rows), compare);
	return rows;
}

// ---------------------------------------------------------------- tables

// Appends text to a line in a field that is `width` columns wide, aligned to the right.
static void add(char *line, size_t size, int width, const char *text)
{
	size_t len = strlen(line);

	snprintf(line + len, size - len, " %*s", width - 1, text);
}

static int key_width(const struct live_table *t, int width)
{
	int left = width - VALUE_WIDTH * (int)t->ncolumns - RATE_WIDTH;

	return left > 16 ? left : 16;
}

static size_t add_text(char *to, size_t size, size_t used, const char *text, size_t len)
{
	if (len >= size - used)
		len = size - used - 1;
	memcpy(to + used, text, len);
	to[used + len] = '\0';
	return used + len;
}

// Call stacks are shown as their functions, from the innermost to its callers: "inner < middle < main". Other lines
// are separated by spaces.
static void join_lines(char *to, size_t size, const char *key)
{
	const char *newline, *plus;
	size_t used = 0;

	for (*to = '\0'; (newline = strchr(key, '\n')); key = newline + 1) {
		plus = memmem(key, newline - key, "+0x", 3);
		used = add_text(to, size, used, key, (plus ? plus : newline) - key);
		if (newline[1] && newline[1] != ',')
			used = add_text(to, size, used, plus ? " < " : " ", plus ? 3 : 1);
	}
	add_text(to, size, used, key, strlen(key));
}

static void begin_line(char *line, size_t size, const char *key, int width)
{
	char joined[1024], plain[1024];

	join_lines(joined, sizeof(joined), key);
	cells_plain(plain, sizeof(plain), joined);
	snprintf(line, size, "%.*s", cells_fit(plain, width), plain);
	cells_pad(line, size, width);
}

void cells_head(char *line, size_t size, const struct live_table *t, unsigned column, bool rising, int width)
{
	const char *mark = rising ? "^" : "v";
	char name[256];

	snprintf(name, sizeof(name), "%s%s%s", t->name, column || !t->keyed ? "" : " ", column || !t->keyed ? "" : mark);
	begin_line(line, size, name, key_width(t, width));
	for (unsigned i = 0; i < t->ncolumns; i++) {
		snprintf(name, sizeof(name), "%s%s", t->columns[i], !t->keyed || column != i + 1 ? "" : rising ? " ^" : " v");
		add(line, size, VALUE_WIDTH, name);
	}
	snprintf(name, sizeof(name), "/s%s", !t->keyed || column != t->ncolumns + 1 ? "" : rising ? " ^" : " v");
	if (t->ncolumns)
		add(line, size, RATE_WIDTH, name);
	cells_pad(line, size, width);
}

void cells_row(char *line, size_t size, const struct live_table *t, const struct live_row *r, int width)
{
	char value[64];

	begin_line(line, size, r->text && !t->keyed ? r->text : r->key, key_width(t, width));
	if (r->text && t->keyed) {
		snprintf(value, sizeof(value), "%.60s", r->text);
		add(line, size, VALUE_WIDTH, value);
		return;
	}
	for (unsigned i = 0; i < t->ncolumns; i++) {
		snprintf(value, sizeof(value), "%" PRId64, r->values[i]);
		add(line, size, VALUE_WIDTH, value);
	}
	snprintf(value, sizeof(value), "%.1f", r->rate);
	if (t->ncolumns)
		add(line, size, RATE_WIDTH, value);
	cells_pad(line, size, width);
}

// ---------------------------------------------------------------- probes

enum { HITS_WIDTH = 14, COST_WIDTH = 10, SHARE_WIDTH = 9 };

static int probe_width(int width)
{
	int left = width - HITS_WIDTH - RATE_WIDTH - COST_WIDTH - SHARE_WIDTH;

	return left > 20 ? left : 20;
}

void cells_probe_head(char *line, size_t size, int width)
{
	begin_line(line, size, "probe", probe_width(width));
	add(line, size, HITS_WIDTH, "hits");
	add(line, size, RATE_WIDTH, "hits/s");
	add(line, size, COST_WIDTH, "ns a hit");
	add(line, size, SHARE_WIDTH, "% of CPU");
	cells_pad(line, size, width);
}

void cells_probe(char *line, size_t size, const struct live_probe *p, int width)
{
	const char *file = strrchr(p->where, '/') ? strrchr(p->where, '/') + 1 : p->where;
	char text[512];

	snprintf(text, sizeof(text), "%s%s%s  %s", p->off ? "[off] " : "", p->written,
		 p->points > 1 ? " (several points)" : "", file);
	begin_line(line, size, text, probe_width(width));
	snprintf(text, sizeof(text), "%" PRIu64, p->hits);
	add(line, size, HITS_WIDTH, text);
	snprintf(text, sizeof(text), "%.1f", p->hits_rate);
	add(line, size, RATE_WIDTH, text);
	snprintf(text, sizeof(text), "%" PRIu64, p->hits ? p->ns / p->hits : 0);
	add(line, size, COST_WIDTH, text);
	snprintf(text, sizeof(text), "%.3f", p->ns_rate / 1e7);
	add(line, size, SHARE_WIDTH, text);
	cells_pad(line, size, width);
}

// ---------------------------------------------------------------- histograms

static void short_number(char *to, size_t size, int64_t n)
{
	static const char units[] = " KMGTPE";
	double x = (double)n;
	int i = 0;

	for (; (x >= 1024 || x <= -1024) && units[i + 1]; i++)
		x /= 1024;
	snprintf(to, size, i ? "%.4g%c" : "%.4g", x, units[i]);
}

void cells_bar(char *line, size_t size, const struct statistic *s, unsigned i, unsigned n, int width, bool utf8)
{
	unsigned first = 0, last = 0, from, bucket;
	int64_t most = 1, all = 0, low, high;
	char text[32], label[80], bar[512] = "";
	int length, space = width - 34;

	*line = '\0';
	for (unsigned k = 0; k < s->buckets && k < CELL_BUCKETS; k++) {
		if (!s->hist[k])
			continue;
		first = all ? first : k;
		last = k;
		all += s->hist[k];
		most = s->hist[k] > most ? s->hist[k] : most;
	}
	from = last - first >= n ? last - n + 1 : first;       // the largest values, if there are more buckets than rows
	bucket = from + i;
	if (!all || bucket > last || i >= n)
		return;
	bucket_limits(s, bucket, &low, &high);
	length = space > 0 ? (int)((double)s->hist[bucket] / (double)most * space + 0.5) : 0;
	for (int k = 0; k < length && strlen(bar) + 4 < sizeof(bar); k++)
		strcat(bar, utf8 ? "█" : "#");
	short_number(text, sizeof(text), from > first && !i ? high : low);
	snprintf(label, sizeof(label), "%s%s", from > first && !i ? "<= " : "", text);
	snprintf(line, size, "%10s %12" PRId64 " %5.1f%% %s", label, s->hist[bucket],
		 100.0 * (double)s->hist[bucket] / (double)all, bar);
}
