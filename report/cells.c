// SPDX-License-Identifier: GPL-2.0-or-later
// Makes the lines of the tables, probes and histograms of stap --monitor.
#include "cells.h"

#include "event_text.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

enum { VALUE_WIDTH = 14, RATE_WIDTH = 11, KEY_WIDTH_MIN = 6 };

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

// Returns the bytes of the character at `text`, at least 1. *columns: those that it takes; -1: it cannot be shown,
// since it is a control character or is not valid in the encoding of the locale.
static size_t character(const char *text, int *columns)
{
	mbstate_t state = { 0 };
	wchar_t c;
	size_t n = mbrtowc(&c, text, strnlen(text, MB_LEN_MAX), &state);

	*columns = n && n <= MB_LEN_MAX ? wcwidth(c) : -1;
	return n && n <= MB_LEN_MAX ? n : 1;
}

static int width_of(const char *text)
{
	int all = 0, columns;

	for (; *text; all += columns > 0 ? columns : 0)
		text += character(text, &columns);
	return all;
}

int cells_fit(const char *text, int width)
{
	const char *p = text;
	int columns;

	while (*p) {
		size_t n = character(p, &columns);

		width -= columns > 0 ? columns : 0;
		if (width < 0)
			break;
		p += n;
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
	size_t used = 0, n;
	int columns;

	for (; *text && used + MB_LEN_MAX < size; text += n) {
		n = character(text, &columns);
		if (*text == '\t') {
			line[used++] = ' ';
		} else if (columns >= 0) {
			memcpy(line + used, text, n);
			used += n;
		} else if (n > 1 || (unsigned char)*text > 127) {
			line[used++] = '?';
		}
	}
	line[used] = '\0';
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

// Appends text to a line in a field that is `width` columns wide, aligned to the right. The text has a column a byte.
static void add(char *line, size_t size, int width, const char *text)
{
	size_t len = strlen(line);

	snprintf(line + len, size - len, " %*s", width - 1, text);
}

static int column_width(const struct live_table *t, unsigned column)
{
	int digits = t->widths[column] + 2;

	return digits > VALUE_WIDTH ? digits : VALUE_WIDTH;
}

// The columns of a table that fit beside its keys: a narrow screen has no rates, then fewer values.
struct layout { int key; unsigned columns; bool rates; };

static struct layout layout_of(const struct live_table *t, int width)
{
	struct layout l = { width, 0, t->ncolumns > 0 };

	for (; l.columns < t->ncolumns && l.key >= column_width(t, l.columns) + KEY_WIDTH_MIN; l.columns++)
		l.key -= column_width(t, l.columns);
	l.rates = l.columns && l.columns == t->ncolumns && l.key >= RATE_WIDTH + KEY_WIDTH_MIN;
	l.key -= l.rates ? RATE_WIDTH : 0;
	return l;
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
	struct layout l = layout_of(t, width);
	char name[256], largest[64] = "";

	if (t->limit && t->nrows >= t->limit)
		snprintf(largest, sizeof(largest), " (the %zu largest)", t->limit);
	snprintf(name, sizeof(name), "%s%s%s%s", t->name, column || !t->keyed ? "" : " ", column || !t->keyed ? "" : mark,
		 largest);
	begin_line(line, size, name, l.key);
	for (unsigned i = 0; i < l.columns; i++) {
		snprintf(name, sizeof(name), "%s%s", t->columns[i], !t->keyed || column != i + 1 ? "" : rising ? " ^" : " v");
		add(line, size, column_width(t, i), name);
	}
	snprintf(name, sizeof(name), "/s%s", !t->keyed || column != t->ncolumns + 1 ? "" : rising ? " ^" : " v");
	if (l.rates)
		add(line, size, RATE_WIDTH, name);
	cells_pad(line, size, width);
}

// A text ends where a number would. A longer one begins further to the left and ends at the edge.
static void text_row(char *line, size_t size, const struct live_row *r, int key, int end, int width)
{
	char text[1024], joined[1024];
	int columns, from;

	join_lines(joined, sizeof(joined), r->text);
	cells_plain(text, sizeof(text), joined);
	columns = width_of(text);
	from = end < width ? end : width;
	from = columns + key / 2 < from ? from - columns : key / 2;
	begin_line(line, size, r->key, from > 1 ? from - 1 : 0);
	cells_pad(line, size, from);
	text[cells_fit(text, width - from)] = '\0';
	snprintf(line + strlen(line), size - strlen(line), "%s", text);
	cells_pad(line, size, width);
}

void cells_row(char *line, size_t size, const struct live_table *t, const struct live_row *r, int width)
{
	struct layout l = layout_of(t, width);
	char value[64];

	if (r->text) {
		text_row(line, size, r, l.key, l.key + (t->ncolumns ? column_width(t, 0) : VALUE_WIDTH), width);
		return;
	}
	begin_line(line, size, r->key, l.key);
	for (unsigned i = 0; i < l.columns; i++) {
		snprintf(value, sizeof(value), "%" PRId64, r->values[i]);
		add(line, size, column_width(t, i), value);
	}
	snprintf(value, sizeof(value), "%.1f", r->rate);
	if (l.rates)
		add(line, size, RATE_WIDTH, value);
	cells_pad(line, size, width);
}

// ---------------------------------------------------------------- probes

enum { HITS_WIDTH = 14, COST_WIDTH = 10, SHARE_WIDTH = 9 };

// Writes the columns that fit beside the name.
static void probe_line(char *line, size_t size, const char *name, const char *const *columns, int width)
{
	static const int widths[] = { HITS_WIDTH, RATE_WIDTH, COST_WIDTH, SHARE_WIDTH };
	unsigned n = 0;
	int left = width;

	for (; n < ARRAY_SIZE(widths) && left >= widths[n] + KEY_WIDTH_MIN; n++)
		left -= widths[n];
	begin_line(line, size, name, left);
	for (unsigned i = 0; i < n; i++)
		add(line, size, widths[i], columns[i]);
	cells_pad(line, size, width);
}

void cells_probe_head(char *line, size_t size, int width)
{
	probe_line(line, size, "probe", (const char *[]){ "hits", "hits/s", "ns a hit", "% of CPU" }, width);
}

void cells_probe(char *line, size_t size, const struct live_probe *p, int width)
{
	const char *file = strrchr(p->where, '/') ? strrchr(p->where, '/') + 1 : p->where;
	char text[512], hits[32], rate[32], cost[32], share[32];

	snprintf(text, sizeof(text), "%s%s%s  %s", p->off ? "[off] " : "", p->written,
		 p->points > 1 ? " (several points)" : "", file);
	snprintf(hits, sizeof(hits), "%" PRIu64, p->hits);
	snprintf(rate, sizeof(rate), "%.1f", p->hits_rate);
	snprintf(cost, sizeof(cost), "%" PRIu64, p->hits ? p->ns / p->hits : 0);
	snprintf(share, sizeof(share), "%.3f", p->ns_rate / 1e7);
	probe_line(line, size, text, (const char *[]){ hits, rate, cost, share }, width);
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
	for (unsigned k = 0; k < s->buckets; k++) {
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
