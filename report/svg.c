// SPDX-License-Identifier: GPL-2.0-or-later
// One SVG picture: a flame graph of each array whose keys are call stacks, the largest elements of each other array as
// bars, and the buckets of each histogram; below, what was printed over time (svg_time.c). Memory is limited: frames
// beyond NODES_MAX are added to their callers.
#include "event_text.h"
#include "json_text.h"
#include "stack.h"
#include "svg.h"
#include "writers.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { NODES_MAX = 1 << 18, NAME_MAX_BYTES = 200, BARS = 30, PICTURES_MAX = 64, LOSSES_MAX = 64 };

enum { LABEL = 330, BAR_MAX = 700 };       // in pixels

struct node {
	char *name;
	size_t len;
	uint64_t value;
	struct node *parent, *first, *next, *same_hash;
	unsigned depth;
};

struct bar { char *label; size_t len; int64_t value; };

struct picture {
	char *title;
	struct node *root;                 // root of a flame graph; NULL: another kind of picture
	unsigned depth;
	struct bar bars[PICTURE_BUCKETS];
	unsigned nbars;
	bool sorted;                       // the largest BARS elements, else buckets in their order
	uint64_t elements;
	uint64_t undrawn;                  // stacks that have no width
};

struct svg {
	struct node **hash;
	size_t nodes;
	struct picture *pictures[PICTURES_MAX];
	unsigned npictures, left;          // left: number of pictures that are not drawn
	const struct global *global;       // global of the last picture
	struct svg_time *time;
	char *losses[LOSSES_MAX];          // messages about losses in all sessions
	unsigned nlosses;
};

static void *zeroed(size_t size)
{
	void *at = calloc(1, size);

	if (!at)
		abort();
	return at;
}

static char *copy(const char *from, size_t len)
{
	char *to = zeroed(len + 1);

	text_copy(to, (struct text){ from, len });
	return to;
}

// --- text of XML ---

// XML has no control characters, not even escaped ones.
void svg_put_text(FILE *to, struct text t, size_t most)
{
	bool valid;
	struct text readable = utf8_copy(t, &valid);
	size_t characters = 0;

	for (size_t i = 0; i < readable.len; i++) {
		unsigned char c = readable.at[i];

		if ((c & 0xc0) != 0x80 && ++characters > most) {
			fputs("…", to);
			break;
		}
		if (c == 0xef && !memcmp(readable.at + i, "\xef\xbf", 2) && (unsigned char)readable.at[i + 2] >= 0xbe) {
			fputs("\xef\xbf\xbd", to);         // U+FFFE and U+FFFF are not allowed, either
			i += 2;
		} else if (c == '<' || c == '>' || c == '&') {
			fputs(c == '<' ? "&lt;" : c == '>' ? "&gt;" : "&amp;", to);
		} else {
			putc(c < ' ' || c == 127 ? ' ' : c, to);
		}
	}
	free((char *)readable.at);
}

// --- collecting ---

static struct picture *add_picture(struct svg *o, const char *title)
{
	struct picture *p;

	if (o->npictures == PICTURES_MAX) {
		o->left++;
		return NULL;
	}
	p = o->pictures[o->npictures++] = zeroed(sizeof(*p));
	p->title = copy(title, strlen(title));
	return p;
}

static struct node *child_of(struct svg *o, struct node *parent, struct text name)
{
	uint64_t hash = (uintptr_t)parent * 0x9e3779b97f4a7c15u;
	struct node **at, *n;

	name.len = name.len < NAME_MAX_BYTES ? name.len : NAME_MAX_BYTES;
	for (size_t i = 0; i < name.len; i++)
		hash = (hash ^ (unsigned char)name.at[i]) * 0x100000001b3u;
	at = &o->hash[(hash >> 20) % NODES_MAX];
	for (n = *at; n; n = n->same_hash)
		if (n->parent == parent && n->len == name.len && !memcmp(n->name, name.at, name.len))
			return n;
	if (o->nodes == NODES_MAX)
		return NULL;
	o->nodes++;
	n = zeroed(sizeof(*n));
	*n = (struct node){ copy(name.at, name.len), name.len, 0, parent, NULL, parent->first, *at, parent->depth + 1 };
	parent->first = *at = n;
	return n;
}

struct path { struct svg *o; struct node *at; uint64_t value; unsigned depth; bool full; };

static void add_frame(void *to, const struct frame *f)
{
	struct path *path = to;
	struct node *n = path->full ? NULL : child_of(path->o, path->at, f->name);

	path->full |= !n;
	if (!n)
		return;
	n->value += path->value;
	path->at = n;
	path->depth = n->depth > path->depth ? n->depth : path->depth;
}

static void add_stack(struct svg *o, struct picture *p, const struct session *s, const struct event *e)
{
	struct path path = { o, p->root, (uint64_t)stack_value(e), p->depth, false };

	if (stack_value(e) <= 0) {
		p->undrawn++;
		return;
	}
	p->root->value += path.value;
	stack_frames(s, e, add_frame, &path);
	p->depth = path.depth;
}

static struct text keys_text(const struct event *e, char *to, size_t size)
{
	size_t n = 0;

	for (unsigned i = 0; i < e->ncells && n + 32 < size; i++) {
		const struct cell *c = &e->cells[i];

		if (i)
			n += snprintf(to + n, size - n, ", ");
		if (c->type == CELL_NUMBER) {
			n += snprintf(to + n, size - n, "%" PRId64, c->number);
		} else {
			size_t len = c->text.len < size - n - 32 ? c->text.len : size - n - 32;

			n = text_copy(to + n, (struct text){ c->text.at, len }) - to;
		}
	}
	return (struct text){ to, n };
}

// Inserts an element of an array if it is among the largest.
static void add_element(struct picture *p, const struct event *e)
{
	int64_t value = e->value->type == CELL_STATISTIC ? e->value->statistic->count : e->value->number;
	char label[NAME_MAX_BYTES];
	unsigned at = p->nbars;
	struct text t;

	p->elements++;
	while (at && p->bars[at - 1].value < value)
		at--;
	if (at == BARS)
		return;
	if (p->nbars == BARS)
		free(p->bars[--p->nbars].label);
	memmove(p->bars + at + 1, p->bars + at, (p->nbars++ - at) * sizeof(p->bars[0]));
	t = keys_text(e, label, sizeof(label));
	p->bars[at] = (struct bar){ copy(t.at, t.len), t.len, value };
}

// Returns "NAME: LABEL (UNIT)", as far as they are known.
static const char *histogram_title(const struct event *e)
{
	static char title[2 * NAME_MAX_BYTES];
	struct text label = e->value->statistic->label, unit = e->value->statistic->unit;

	snprintf(title, sizeof(title), "%s%s%.*s%s%.*s%s", e->global->name, label.len ? ": " : "", (int)label.len, label.at,
		 unit.len ? " (" : "", (int)unit.len, unit.at, unit.len ? ")" : "");
	return title;
}

static void add_histogram(struct svg *o, const struct event *e)
{
	struct picture *p = add_picture(o, histogram_title(e));
	static struct statistic sums;
	const struct statistic *s = &sums;
	int64_t low, high;
	char label[64];
	int len;

	statistic_for_picture(&sums, e->value->statistic);
	for (unsigned i = 0; p && i < s->buckets; i++) {
		bucket_limits(s, i, &low, &high);
		if (!s->hist[i])
			continue;
		len = low == INT64_MIN ? snprintf(label, sizeof(label), "≤ %" PRId64, high) :
		      high == INT64_MAX ? snprintf(label, sizeof(label), "≥ %" PRId64, low) :
		      low == high ? snprintf(label, sizeof(label), "%" PRId64, low) :
		      snprintf(label, sizeof(label), "%" PRId64 " – %" PRId64, low, high);
		p->bars[p->nbars++] = (struct bar){ copy(label, len), len, s->hist[i] };
	}
}

static void value(struct svg *o, const struct session *s, const struct event *e)
{
	struct picture *p = o->npictures && !o->left ? o->pictures[o->npictures - 1] : NULL;
	bool stack = stack_is_key(e);

	if (e->value->type == CELL_TEXT || (!e->ncells && e->value->type == CELL_NUMBER))
		return;
	if (!e->ncells) {
		if (e->value->statistic->buckets && e->value->statistic->count)
			add_histogram(o, e);
		return;
	}
	if (o->left && o->global == e->global)
		return;
	if (!p || o->global != e->global || stack != (p->root != NULL))
		p = add_picture(o, e->global->name);
	o->global = e->global;
	if (!p)
		return;
	if (stack && !p->root)
		p->root = zeroed(sizeof(*p->root));
	p->sorted = !stack;
	if (stack)
		add_stack(o, p, s, e);
	else
		add_element(p, e);
}

static void add_loss(struct svg *o, struct text t)
{
	if (o->nlosses < LOSSES_MAX)
		o->losses[o->nlosses++] = copy(t.at, t.len);
}

// --- drawing ---

static void put_rectangle(FILE *to, const char *class, double x, double y, double width)
{
	fprintf(to, "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\"/>", class, x, y, width,
		SVG_ROW - 1);
}

unsigned svg_colour(struct text name)
{
	unsigned hash = 5381;

	for (size_t i = 0; i < name.len; i++)
		hash = hash * 33 ^ (unsigned char)name.at[i];
	return hash / 8 % SVG_COLOURS;
}

static void put_node(FILE *to, const struct node *n, double x, double scale, double bottom, uint64_t whole)
{
	double width = n->value * scale;
	char class[16];

	if (width < 0.5)
		return;
	snprintf(class, sizeof(class), "f%u", svg_colour((struct text){ n->name, n->len }));
	fputs("<g><title>", to);
	svg_put_text(to, (struct text){ n->name, n->len }, NAME_MAX_BYTES);
	fprintf(to, " (%" PRIu64 ", %.1f %%)</title>", n->value, 100.0 * n->value / whole);
	put_rectangle(to, class, x, bottom - (n->depth + 1) * SVG_ROW, width - 0.5);
	if (width > 4 * SVG_CHARACTER) {
		fprintf(to, "<text class=\"frame\" x=\"%.1f\" y=\"%.1f\">", x + 3, bottom - n->depth * SVG_ROW - 5);
		svg_put_text(to, (struct text){ n->name, n->len }, width / SVG_CHARACTER - 1);
		fputs("</text>", to);
	}
	fputs("</g>\n", to);
	for (const struct node *c = n->first; c; c = c->next) {
		put_node(to, c, x, scale, bottom, whole);
		x += c->value * scale;
	}
}

static unsigned height_of(const struct picture *p)
{
	return SVG_TITLE + SVG_ROW * (p->root ? p->depth + 1 : p->nbars) + SVG_MARGIN;
}

static void put_bars(FILE *to, const struct picture *p, double y)
{
	int64_t most = 1;

	for (unsigned i = 0; i < p->nbars; i++)
		most = p->bars[i].value > most ? p->bars[i].value : most;
	for (unsigned i = 0; i < p->nbars; i++, y += SVG_ROW) {
		const struct bar *b = &p->bars[i];
		double width = b->value > 0 ? (double)b->value / most * BAR_MAX : 0;

		fprintf(to, "<text class=\"label\" x=\"%d\" y=\"%.1f\">", LABEL - 6, y + 12);
		svg_put_text(to, (struct text){ b->label, b->len }, LABEL / SVG_CHARACTER - 2);
		fputs("</text>", to);
		put_rectangle(to, "bar", LABEL, y, width);
		fprintf(to, "<text x=\"%.1f\" y=\"%.1f\">%" PRId64 "</text>\n", LABEL + width + 6, y + 12, b->value);
	}
}

static void put_picture(FILE *to, struct picture *p, double y)
{
	fprintf(to, "<text class=\"title\" x=\"%d\" y=\"%.1f\">", SVG_MARGIN, y + 22);
	svg_put_text(to, (struct text){ p->title, strlen(p->title) }, NAME_MAX_BYTES);
	if (p->sorted && p->elements > p->nbars)
		fprintf(to, ", the largest %u of %" PRIu64 " elements", p->nbars, p->elements);
	if (p->undrawn)
		fprintf(to, " (%" PRIu64 " stack%s of value 0 or less not drawn)", p->undrawn, p->undrawn == 1 ? "" : "s");
	fputs("</text>\n", to);
	if (!p->root) {
		put_bars(to, p, y + SVG_TITLE);
		return;
	}
	p->root->name = p->title;
	p->root->len = strlen(p->title);
	if (p->root->value)
		put_node(to, p->root, SVG_MARGIN, (double)(SVG_WIDTH - 2 * SVG_MARGIN) / p->root->value,
			 y + height_of(p) - SVG_MARGIN, p->root->value);
}

// Losses are drawn above the pictures, which they make incomplete.
static void put_losses(FILE *to, const struct svg *o)
{
	for (unsigned i = 0; i < o->nlosses; i++) {
		fprintf(to, "<text class=\"lost\" x=\"%d\" y=\"%u\">", SVG_MARGIN, SVG_MARGIN + i * SVG_ROW + 12);
		svg_put_text(to, (struct text){ o->losses[i], strlen(o->losses[i]) }, NAME_MAX_BYTES);
		fputs("</text>\n", to);
	}
}

static const char style[] =
	"<style>text { font: 12px monospace; fill: #1c2126 } .page { fill: #fff } .title { font-size: 16px } "
	".label { text-anchor: end } .frame { fill: #14181c } .bar { fill: #9fc5ee } .lost { fill: #c62828 } "
	".f0 { fill: #f2a65a } .f1 { fill: #f4b942 } .f2 { fill: #ee8959 } .f3 { fill: #f7c873 } .f4 { fill: #e99b6c } "
	".f5 { fill: #f0d080 } .heat { fill: #c62828 } .mark { fill: #1c2126 } .lane { font-weight: bold } "
	".open { fill-opacity: 0.4 } .tick { text-anchor: middle } "
	"@media (prefers-color-scheme: dark) { text { fill: #e3e7eb } .page { fill: #14181c } "
	".frame { fill: #14181c } .bar { fill: #2b5b91 } .lost { fill: #ff8a80 } "
	".heat { fill: #ff8a80 } .mark { fill: #e3e7eb } }</style>\n";

static void draw(FILE *to, struct svg *o)
{
	unsigned y = o->nlosses ? SVG_MARGIN + o->nlosses * SVG_ROW : 0, height = SVG_MARGIN + y;
	unsigned over_time = svg_time_height(o->time);

	for (unsigned i = 0; i < o->npictures; i++)
		height += height_of(o->pictures[i]);
	height += over_time + ((!o->npictures && !over_time) || o->left ? SVG_TITLE : 0);
	fprintf(to, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %u\" width=\"%d\" height=\"%u\">\n%s"
		"<rect class=\"page\" width=\"100%%\" height=\"100%%\"/>\n", SVG_WIDTH, height, SVG_WIDTH, height, style);
	put_losses(to, o);
	for (unsigned i = 0; i < o->npictures; y += height_of(o->pictures[i++]))
		put_picture(to, o->pictures[i], y);
	if (over_time)
		svg_time_draw(to, o->time, y);
	else if (!o->npictures)
		fprintf(to, "<text x=\"%d\" y=\"%u\">no array and no histogram has a value</text>\n", SVG_MARGIN, y + 22);
	if (o->left)
		fprintf(to, "<text x=\"%d\" y=\"%u\">%u more pictures are left out</text>\n", SVG_MARGIN, y + over_time + 22,
			o->left);
	fputs("</svg>\n", to);
}

// --- the writer ---

static int event(struct output *out, const struct session *s, const struct event *e)
{
	struct svg *o = out->state;

	if (!o) {
		o = out->state = zeroed(sizeof(*o));
		o->hash = zeroed(NODES_MAX * sizeof(o->hash[0]));
		o->time = svg_time_new();
	}
	if (e->kind == EVENT_BEGIN)
		o->global = NULL;                  // the picture belongs to the previous session
	if (e->kind == EVENT_VALUE)
		value(o, s, e);
	svg_time_event(o->time, s, e);
	if (e->kind == EVENT_LOSS)
		add_loss(o, e->text);
	return 0;
}

static int finish(struct output *out)
{
	struct svg *o = out->state;

	if (!o)
		return 0;
	draw(out->file, o);
	for (size_t i = 0; o->nodes && i < NODES_MAX; i++)
		for (struct node *n = o->hash[i], *next; n; n = next) {
			next = n->same_hash;
			free(n->name);
			free(n);
		}
	for (unsigned i = 0; i < o->npictures; i++) {
		struct picture *p = o->pictures[i];

		for (unsigned k = 0; k < p->nbars; k++)
			free(p->bars[k].label);
		free(p->root);
		free(p->title);
		free(p);
	}
	for (unsigned i = 0; i < o->nlosses; i++)
		free(o->losses[i]);
	svg_time_free(o->time);
	free(o->hash);
	free(o);
	out->state = NULL;
	return ferror(out->file) ? errno ? -errno : -EIO : 0;
}

const struct writer svg_writer = { "svg", "a picture of the arrays, histograms and printed records", event, finish };
