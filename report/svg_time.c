// SPDX-License-Identifier: GPL-2.0-or-later
// Draws what a script printed over time, for the svg writer: a heat map of each histogram that was printed more than
// once, and the records that name their thread, as slices and marks in a lane of the thread (slices.h). Memory is
// limited: the columns of a heat map are merged in pairs, and what exceeds the other limits is counted.
#include "svg.h"

#include "event_text.h"
#include "slices.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 200, HEAT_MAPS = 16, LANES = 40, LANE_DEPTH = 64, MARKS = 1 << 14, LABEL_BYTES = 120, LABELS = 110 };

struct column {                            // column of a heat map
	uint64_t time;
	uint64_t sum[PICTURE_BUCKETS];        // counts of all histograms in this column
	int64_t last[PICTURE_BUCKETS];        // counts of the last histogram in it
};

struct heat {                              // the histograms that one probe prints, by their position in a hit
	char *title;
	size_t probe;
	unsigned nth;
	uint64_t printed, each, end_time;  // each: histograms in a column
	bool cleared;                      // a count was less than in the histogram before it
	unsigned ncolumns;
	struct statistic shape;            // limits of the buckets
	struct column columns[COLUMNS];
};

struct mark {
	uint64_t from, to;                 // nanoseconds since the start; equal: a record without an end
	unsigned lane, depth;
	char *label, *end;                 // the text of its records; end: NULL if the record has no end
	bool open;                         // its end is unknown
};

struct lane { int64_t tid; char *name; unsigned depth, rows, open[LANE_DEPTH]; };

struct svg_time {
	struct heat *heats[HEAT_MAPS];
	unsigned nheats, first_heat;       // number of heat maps; index of the first one of this session
	uint64_t hist_seq;                 // sequence number of the last printed histogram
	unsigned hist_nth;                 // its position among those of the same record
	struct slices slices;
	struct lane lanes[LANES];
	unsigned nlanes, first_lane;       // number of lanes; index of the first one of this session
	struct mark *marks;
	size_t nmarks, space;
	uint64_t left;                     // records that are not shown
	uint64_t now;                      // nanoseconds since the session's start; it never decreases
};

static void *grown(void *at, size_t size)
{
	at = realloc(at, size);
	if (!at)
		abort();
	return at;
}

static char *copy(struct text t, size_t most)
{
	size_t len = t.len < most ? t.len : most;
	char *to = grown(NULL, len + 1);

	*text_copy(to, (struct text){ t.at, len }) = 0;
	return to;
}

static struct text text_of(const char *s)
{
	return (struct text){ s, strlen(s) };
}

// Returns the text of a record without its end of line, and without the name and ID of its thread: its lane has them.
static char *label_of(struct text t, const struct event *e)
{
	static const char *const words[] = { "tid=", "pid=", "comm=", "execname=" };
	char *label = copy(t, LABEL_BYTES), *to = label;
	bool skip = false, begins = true;

	for (const char *at = label; *at; at++) {
		for (unsigned i = 0; i < 4 && begins; i++)
			skip |= !strncmp(at, words[i], strlen(words[i]));
		begins = *at == ' ' || *at == '\n';
		skip &= !begins;
		if (!skip)
			*to++ = *at;
	}
	while (to > label && (to[-1] == ' ' || to[-1] == '\n'))
		to--;
	*to = 0;
	if (to > label || !e->probe)
		return label;
	free(label);
	return copy(text_of(e->probe->written), LABEL_BYTES);
}

// --- heat maps ---

static void merge_columns(struct heat *h)
{
	for (unsigned i = 0; i < COLUMNS / 2; i++) {
		struct column *to = &h->columns[i], *a = &h->columns[2 * i], *b = a + 1;

		to->time = a->time;
		for (unsigned k = 0; k < PICTURE_BUCKETS; k++) {
			to->sum[k] = a->sum[k] + b->sum[k];
			to->last[k] = b->last[k];
		}
	}
	h->ncolumns = COLUMNS / 2;
	h->each *= 2;
}

static void add_column(struct heat *h, const struct statistic *hist, uint64_t time)
{
	const struct column *before = h->ncolumns ? &h->columns[h->ncolumns - 1] : NULL;
	struct column *to;

	for (unsigned i = 0; before && i < hist->buckets; i++)
		h->cleared |= hist->hist[i] < before->last[i];
	if (h->printed++ % h->each == 0) {
		if (h->ncolumns == COLUMNS)
			merge_columns(h);
		h->columns[h->ncolumns++] = (struct column){ .time = time };
	}
	to = &h->columns[h->ncolumns - 1];
	for (unsigned i = 0; i < hist->buckets; i++) {
		to->sum[i] += hist->hist[i];
		to->last[i] = hist->hist[i];
	}
	h->end_time = time;
}

static bool same_shape(const struct statistic *a, const struct statistic *b)
{
	return a->buckets == b->buckets && a->low == b->low && a->high == b->high && a->step == b->step;
}

static void histogram(struct svg_time *o, const struct session *s, const struct event *e)
{
	size_t probe = e->probe ? (size_t)(e->probe - s->probes) : SIZE_MAX;
	static struct statistic sums;
	const struct statistic *hist = &sums;
	struct heat *h;

	statistic_for_picture(&sums, e->value->statistic);
	o->hist_nth = o->hist_seq == e->seq ? o->hist_nth + 1 : 0;
	o->hist_seq = e->seq;
	for (unsigned i = o->first_heat; i < o->nheats; i++) {
		h = o->heats[i];
		if (h->probe != probe || h->nth != o->hist_nth || !same_shape(&h->shape, hist))
			continue;
		add_column(h, hist, o->now);
		return;
	}
	if (o->nheats == HEAT_MAPS)
		return;
	h = o->heats[o->nheats++] = calloc(1, sizeof(*h));
	if (!h)
		abort();
	h->title = copy(text_of(e->probe ? e->probe->written : "histogram"), LABEL_BYTES);
	h->probe = probe;
	h->nth = o->hist_nth;
	h->each = 1;
	memcpy(&h->shape, hist, statistic_bytes(hist));
	add_column(h, hist, o->now);
}

// Returns the count of a bucket in a column; if the script never clears the statistic, the increase since
// the preceding column.
static int64_t shown(const struct heat *h, unsigned column, unsigned bucket)
{
	uint64_t before = column ? h->columns[column - 1].last[bucket] : 0;

	return h->cleared ? h->columns[column].sum[bucket] : h->columns[column].last[bucket] - before;
}

static bool is_heat_map(const struct heat *h)
{
	return h->ncolumns > 1 && h->end_time > h->columns[0].time;
}

// The first and the last bucket with values; `first` is greater if there are none.
static void used_buckets(const struct heat *h, unsigned *first, unsigned *last)
{
	*first = PICTURE_BUCKETS;
	*last = 0;
	for (unsigned i = 0; i < h->ncolumns; i++)
		for (unsigned k = 0; k < h->shape.buckets; k++)
			if (shown(h, i, k)) {
				*first = k < *first ? k : *first;
				*last = k > *last ? k : *last;
			}
}

static unsigned heat_height(const struct heat *h)
{
	unsigned first, last;

	used_buckets(h, &first, &last);
	return first > last ? 0 : SVG_TITLE + (last - first + 2) * SVG_ROW + SVG_MARGIN;
}

// --- the timeline ---

static struct lane *lane(struct svg_time *o, const struct track *t)
{
	struct lane *l;

	for (unsigned i = o->first_lane; i < o->nlanes; i++)
		if (o->lanes[i].tid == t->tid)
			return &o->lanes[i];
	if (o->nlanes == LANES)
		return NULL;
	l = &o->lanes[o->nlanes++];
	*l = (struct lane){ .tid = t->tid, .name = copy(t->name, LABEL_BYTES), .rows = 1 };
	return l;
}

static void named(void *to, const struct track *t)
{
	lane(to, t);
}

// end: the text of its last record, or NULL.
static void close_slice(struct svg_time *o, const struct track *t, char *end)
{
	struct lane *l = lane(o, t);
	struct mark *m;

	if (!l || !l->depth || l->open[--l->depth] == MARKS) {   // it is among those that are left out
		free(end);
		return;
	}
	m = &o->marks[l->open[l->depth]];
	m->to = o->now > m->from ? o->now : m->from + 1;
	m->end = end;
	m->open = !end;
}

static void lost(void *to, const struct track *t)
{
	close_slice(to, t, NULL);
}

// Returns the number of the mark, or MARKS if there are too many.
static unsigned add_mark(struct svg_time *o, struct lane *l, struct text text, const struct event *e)
{
	if (o->nmarks == MARKS) {
		o->left++;
		return MARKS;
	}
	if (o->nmarks == o->space)
		o->marks = grown(o->marks, (o->space = o->space ? 2 * o->space : 256) * sizeof(o->marks[0]));
	o->marks[o->nmarks++] = (struct mark){ o->now, o->now, l - o->lanes, l->depth,
						  label_of(text, e), NULL, false };
	return o->nmarks - 1;
}

static void record(struct svg_time *o, const struct session *s, const struct event *e)
{
	struct track track;
	enum phase phase;
	struct text text = event_text(s, e);
	struct lane *l;
	unsigned mark;

	slices_session(&o->slices, s, false);
	phase = slices_record(&o->slices, s, e, &track);
	if (!track.has_thread)
		return;
	l = lane(o, &track);
	if (!l) {
		o->left++;
		return;
	}
	if (track.name.len) {                      // the thread may execute another program now
		free(l->name);
		l->name = copy(track.name, LABEL_BYTES);
	}
	if (phase == SLICE_END) {
		close_slice(o, &track, label_of(text, e));
		return;
	}
	mark = add_mark(o, l, text, e);
	l->rows = l->depth + 1 > l->rows ? l->depth + 1 : l->rows;
	if (phase == SLICE_BEGIN && l->depth < LANE_DEPTH)
		l->open[l->depth++] = mark;
}

// --- drawing ---

static void time_range(const struct svg_time *o, uint64_t *from, uint64_t *to)
{
	*from = UINT64_MAX;
	*to = 0;
	for (size_t i = 0; i < o->nmarks; i++) {
		*from = o->marks[i].from < *from ? o->marks[i].from : *from;
		*to = o->marks[i].to > *to ? o->marks[i].to : *to;
	}
}

static unsigned timeline_height(const struct svg_time *o)
{
	unsigned rows = 1;                         // the row of the axis
	uint64_t from, to;

	time_range(o, &from, &to);
	if (from >= to)
		return 0;
	for (unsigned i = 0; i < o->nlanes; i++)
		rows += 1 + o->lanes[i].rows;
	return SVG_TITLE + rows * SVG_ROW + SVG_MARGIN;
}

static double at_least(double least, double x)
{
	return x < least ? least : x;
}

// The number of bits: each shade of a heat map is twice the count.
static unsigned bits(int64_t n)
{
	return n > 0 ? 64 - __builtin_clzll(n) : 0;
}

struct axis { uint64_t from, to; double left, right; };

static double x_of(const struct axis *a, uint64_t time)
{
	return a->left + (a->right - a->left) * (double)(time - a->from) / (double)(a->to - a->from);
}

static void put_time(FILE *to, uint64_t ns, uint64_t step)
{
	if (step >= 1000000000)
		fprintf(to, "%" PRIu64 " s", ns / 1000000000);
	else if (step >= 1000000)
		fprintf(to, "%.3f s", ns / 1e9);
	else
		fprintf(to, step >= 1000 ? "%.6f s" : "%.9f s", ns / 1e9);
}

// Steps of 1, 2 or 5 times a power of ten, about ten of them.
static void put_axis(FILE *to, const struct axis *a, double y)
{
	static const unsigned factors[] = { 2, 5, 10 };
	uint64_t step = 1, least = (a->to - a->from) / 10, power = 1;

	for (unsigned i = 0; step < least; i++) {
		step = power * factors[i % 3];
		power *= i % 3 == 2 ? 10 : 1;
	}
	for (uint64_t at = (a->from / step + 1) * step; at < a->to && x_of(a, at) < a->right - 30; at += step) {
		fprintf(to, "<text class=\"tick\" x=\"%.1f\" y=\"%.1f\">", x_of(a, at), y + 12);
		put_time(to, at, step);
		fputs("</text>\n", to);
	}
}

static void put_label(FILE *to, const char *class, double x, double y, const char *text, size_t most)
{
	fprintf(to, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\">", class, x, y + 12);
	svg_put_text(to, text_of(text), most);
	fputs("</text>\n", to);
}

static void put_bucket_name(FILE *to, const struct heat *h, unsigned bucket, double y)
{
	int64_t low, high;
	char name[32];

	bucket_limits(&h->shape, bucket, &low, &high);
	if (low == INT64_MIN)
		snprintf(name, sizeof(name), "≤ %" PRId64, high);
	else
		snprintf(name, sizeof(name), "%" PRId64, low);
	put_label(to, "label", LABELS - 6, y, name, 20);
}

static int compare_numbers(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

// The usual time between columns: where the script printed nothing for longer, nothing is drawn.
static uint64_t interval(const struct heat *h)
{
	uint64_t between[COLUMNS];

	for (unsigned i = 1; i < h->ncolumns; i++)
		between[i - 1] = h->columns[i].time - h->columns[i - 1].time;
	qsort(between, h->ncolumns - 1, sizeof(between[0]), compare_numbers);
	return between[(h->ncolumns - 1) / 2];
}

static void put_heat(FILE *to, const struct heat *h, double y)
{
	unsigned first, last;
	int64_t most = 1;
	uint64_t step = interval(h);
	struct axis a = { h->columns[0].time, h->columns[h->ncolumns - 1].time + step + 1, LABELS, SVG_WIDTH - SVG_MARGIN };

	used_buckets(h, &first, &last);
	for (unsigned i = 0; i < h->ncolumns; i++)
		for (unsigned k = first; k <= last; k++)
			most = shown(h, i, k) > most ? shown(h, i, k) : most;
	fprintf(to, "<text class=\"title\" x=\"%d\" y=\"%.1f\">", SVG_MARGIN, y + 22);
	svg_put_text(to, text_of(h->title), LABEL_BYTES);
	fprintf(to, ": %" PRIu64 " histograms over time, at most %" PRId64 " values in a cell%s</text>\n", h->printed, most,
		h->cleared ? "" : " (each column shows the increase)");
	y += SVG_TITLE;
	for (unsigned k = last + 1; k-- > first; y += SVG_ROW) {
		put_bucket_name(to, h, k, y);
		for (unsigned i = 0; i < h->ncolumns; i++) {
			uint64_t from = h->columns[i].time, to_next = i + 1 < h->ncolumns ? h->columns[i + 1].time - from : step;
			double x = x_of(&a, from), end = x_of(&a, from + (to_next < 2 * step ? to_next : step));
			int64_t n = shown(h, i, k);

			if (n > 0)
				fprintf(to, "<rect class=\"heat\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" "
					"fill-opacity=\"%.2f\"><title>%" PRId64 "</title></rect>\n", x, y, at_least(0.5, end - x - 0.5),
					SVG_ROW - 1, 0.15 + 0.85 * bits(n) / bits(most), n);
		}
	}
	put_axis(to, &a, y);
}

static void put_mark(FILE *to, const struct mark *m, const struct axis *a, double y, unsigned same)
{
	double x = x_of(a, m->from), width = m->to > m->from ? at_least(0.5, x_of(a, m->to) - x) : 2;

	if (x + width > SVG_WIDTH)
		x = SVG_WIDTH - width;
	fputs("<g><title>", to);
	svg_put_text(to, text_of(m->label), LABEL_BYTES);
	if (same)
		fprintf(to, " and %u more", same);
	if (m->end) {
		fputs(" – ", to);
		svg_put_text(to, text_of(m->end), LABEL_BYTES);
	}
	if (m->open)
		fputs(" (without an end)", to);
	else if (m->to > m->from)
		fprintf(to, " (%.3f us)", (m->to - m->from) / 1e3);
	fprintf(to, "</title><rect class=\"%s", m->open ? "open " : m->to > m->from ? "" : "mark");
	if (m->to > m->from)
		fprintf(to, "f%u", svg_colour((struct text){ m->label, strcspn(m->label, " (=") }));
	fprintf(to, "\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\"/>", x, y, width, SVG_ROW - 1);
	if (width > 4 * SVG_CHARACTER)
		put_label(to, "frame", x + 3, y, m->label, (width - 6) / (SVG_CHARACTER + 0.3));
	fputs("</g>\n", to);
}

static void put_lane(FILE *to, const struct svg_time *o, unsigned number, const struct axis *a, double y)
{
	const struct lane *l = &o->lanes[number];
	char title[LABEL_BYTES + 32];

	snprintf(title, sizeof(title), *l->name ? "%s (%" PRId64 ")" : "%sthread %" PRId64, l->name, l->tid);
	put_label(to, "lane", SVG_MARGIN, y, title, LABEL_BYTES);
	y += SVG_ROW;
	for (size_t i = 0; i < o->nmarks; i++) {
		const struct mark *m = &o->marks[i];
		double x = x_of(a, m->from);
		unsigned same = 0;

		if (m->lane != number)
			continue;
		// records that are less than two pixels apart are one mark
		for (size_t k = i + 1; m->to == m->from && k < o->nmarks && x_of(a, o->marks[k].from) < x + 2; k++)
			if (o->marks[k].lane == number && o->marks[k].to == o->marks[k].from && o->marks[k].depth == m->depth) {
				same++;
				i = k;
			} else if (o->marks[k].lane == number) {
				break;
			}
		put_mark(to, m, a, y + m->depth * SVG_ROW, same);
	}
}

static void put_timeline(FILE *to, const struct svg_time *o, double y)
{
	struct axis a = { .left = SVG_MARGIN, .right = SVG_WIDTH - SVG_MARGIN };

	time_range(o, &a.from, &a.to);
	fprintf(to, "<text class=\"title\" x=\"%d\" y=\"%.1f\">printed records by thread", SVG_MARGIN, y + 22);
	if (o->left)
		fprintf(to, ", without %" PRIu64 " more", o->left);
	fputs("</text>\n", to);
	y += SVG_TITLE;
	for (unsigned i = 0; i < o->nlanes; y += SVG_ROW * (1 + o->lanes[i++].rows))
		put_lane(to, o, i, &a, y);
	put_axis(to, &a, y);
}

// --- the interface ---

static void start_slices(struct svg_time *o)
{
	o->slices = (struct slices){ .to = o, .named = named, .lost = lost };
}

struct svg_time *svg_time_new(void)
{
	struct svg_time *o = calloc(1, sizeof(*o));

	if (!o)
		abort();
	start_slices(o);
	o->hist_seq = UINT64_MAX;
	return o;
}

void svg_time_event(struct svg_time *o, const struct session *s, const struct event *e)
{
	if (e->kind == EVENT_BEGIN) {
		slices_session(&o->slices, s, true);
		o->first_heat = o->nheats;
		o->first_lane = o->nlanes;
		o->hist_seq = UINT64_MAX;
		o->now = 0;
	}
	if ((e->kind != EVENT_PRINT && e->kind != EVENT_TEXT && e->kind != EVENT_HIST) || is_display(e))
		return;
	if (e->time_ns > s->start_ns && e->time_ns - s->start_ns > o->now)
		o->now = e->time_ns - s->start_ns;
	if (e->kind == EVENT_HIST)
		histogram(o, s, e);
	else
		record(o, s, e);
}

unsigned svg_time_height(struct svg_time *o)
{
	unsigned height;

	slices_free(&o->slices);                   // ends the open ones
	start_slices(o);
	height = timeline_height(o);
	for (unsigned i = 0; i < o->nheats; i++)
		height += is_heat_map(o->heats[i]) ? heat_height(o->heats[i]) : 0;
	return height;
}

void svg_time_draw(FILE *to, const struct svg_time *o, double y)
{
	for (unsigned i = 0; i < o->nheats; i++)
		if (is_heat_map(o->heats[i]) && heat_height(o->heats[i])) {
			put_heat(to, o->heats[i], y);
			y += heat_height(o->heats[i]);
		}
	if (timeline_height(o))
		put_timeline(to, o, y);
}

void svg_time_free(struct svg_time *o)
{
	slices_free(&o->slices);
	for (unsigned i = 0; i < o->nheats; i++) {
		free(o->heats[i]->title);
		free(o->heats[i]);
	}
	for (unsigned i = 0; i < o->nlanes; i++)
		free(o->lanes[i].name);
	for (size_t i = 0; i < o->nmarks; i++) {
		free(o->marks[i].label);
		free(o->marks[i].end);
	}
	free(o->marks);
	free(o);
}
