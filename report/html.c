// SPDX-License-Identifier: GPL-2.0-or-later
// A report that browsers show without a network: html/ has its scripts, and each session is an element with lines of
// JSON, the objects of doc/json.md and those that are described here. It is written as the events arrive. Memory grows
// with the distinct frames of call stacks only; the size of the report, with the logarithm of the number of records.
#include "event_text.h"
#include "html_files.h"
#include "json.h"
#include "intern.h"
#include "stack.h"

#include <errno.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

// Limits of a session. After SAMPLE records or SAMPLE_BYTES, only every second record is shown; after as many again,
// every fourth; and so on. Histograms are counted apart, by the hits that print them, since heat maps are made of them.
enum { SAMPLE = 5000, SAMPLE_BYTES = 1 << 19, VALUES_MAX = 100000, MESSAGES_MAX = 500 };

// Every step-th record is shown; the other two count since `step` changed.
struct sample { uint64_t step, shown, bytes; };

struct page {
	bool in_session;
	struct intern frames;              // names of frames that were written
	struct frame_numbers numbers;      // in `frames`
	uint64_t printed, values, messages, gaps;
	struct sample prints, hists;
	uint64_t hist_hits, hist_seq;      // number of hits that printed histograms, and the record of the last one
	uint64_t nth;                      // position of a histogram among those of a hit
	uint64_t *records;                 // number of records of each probe
	size_t nrecords;
};

// "<" would end the element; in JSON it occurs in strings only. Returns the number of bytes.
static size_t put(struct output *out, struct json_object *o)
{
	size_t len;
	const char *at = json_object_to_json_string_length(o, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE, &len);

	for (size_t i = 0; i < len; i++)
		if (at[i] == '<')
			fputs("\\u003c", out->file);
		else
			putc(at[i], out->file);
	putc('\n', out->file);
	json_object_put(o);
	return len;
}

static struct json_object *object(const char *type)
{
	struct json_object *o = json_object_new_object();

	json_object_object_add(o, "type", json_object_new_string(type));
	return o;
}

static void add_number(struct json_object *o, const char *name, int64_t n)
{
	json_object_object_add(o, name, json_object_new_int64(n));
}

static void add_string(struct json_object *o, const char *name, const char *s)
{
	json_object_object_add(o, name, json_text((struct text){ s, strlen(s) }));
}

// --- sessions ---

// The browser requests nothing: the policy of the page forbids it.
static const char head[] =
	"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'unsafe-inline'; "
	"style-src 'unsafe-inline'; img-src data:\">\n<link rel=\"icon\" href=\"data:,\">\n"
	"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	"<meta name=\"color-scheme\" content=\"light dark\">\n<title>stap report</title>\n";
static const char body[] =
	"</head>\n<body>\n<noscript>This report requires JavaScript.</noscript>\n<main id=\"report\"></main>\n";

// {"type":"counts"}: the number of records of each probe, and of those that are not shown.
static void end_session(struct output *out)
{
	struct page *page = out->state;
	struct json_object *counts = object("counts"), *records = json_object_new_array();

	if (!page->in_session) {
		json_object_put(counts);
		json_object_put(records);
		return;
	}
	for (size_t i = 0; i < page->nrecords; i++)
		json_object_array_add(records, json_object_new_int64(page->records[i]));
	json_object_object_add(counts, "records", records);
	add_number(counts, "printed", page->printed);
	add_number(counts, "values_left", page->values > VALUES_MAX ? page->values - VALUES_MAX : 0);
	add_number(counts, "messages_left", page->messages > MESSAGES_MAX ? page->messages - MESSAGES_MAX : 0);
	put(out, counts);
	fputs("</script>\n", out->file);
	intern_free(&page->frames);
	free(page->records);
	*page = (struct page){ 0 };
}

static void begin_session(struct output *out, const struct session *s, const struct event *e)
{
	struct page *page = out->state;

	if (!page) {
		page = out->state = calloc(1, sizeof(*page));
		if (!page)
			abort();
		fputs(head, out->file);
		html_put_files(out->file);
		fputs(body, out->file);
	}
	end_session(out);
	page->in_session = true;
	page->prints.step = page->hists.step = 1;
	fputs("<script type=\"application/json\" class=\"session\">\n", out->file);
	put(out, json_event(out, s, e));
}

// {"type":"probe"} for each probe that printed, in the order of their numbers.
static void describe_probes(struct output *out, const struct session *s, size_t n)
{
	struct page *page = out->state;

	if (n <= page->nrecords)
		return;
	page->records = realloc(page->records, n * sizeof(page->records[0]));
	if (!page->records)
		abort();
	for (size_t i = page->nrecords; i < n; i++) {
		struct json_object *o = object("probe");
		const struct probe *p = &s->probes[i];

		page->records[i] = 0;
		add_string(o, "probe", p->written ? p->written : "");
		add_string(o, "place", p->where ? p->where : "");
		put(out, o);
	}
	page->nrecords = n;
}

// --- events ---

static void count_histogram(struct page *page, const struct event *e)
{
	bool follows = page->hist_hits && page->hist_seq == e->seq;

	page->nth = follows ? page->nth + 1 : 0;
	page->hist_hits += !follows;
	page->hist_seq = e->seq;
}

static void count_shown(struct sample *sample, size_t bytes)
{
	sample->bytes += bytes;
	if (++sample->shown < SAMPLE && sample->bytes < SAMPLE_BYTES)
		return;
	*sample = (struct sample){ .step = 2 * sample->step };
}

// As `print` and `hist` of doc/json.md, with the number of the record, the nanoseconds since the session's start, and
// the number of the probe, from 0; -1: none of the script's. `nth` is the position of a histogram among those that one
// hit printed, from 0.
static void printed(struct output *out, const struct session *s, const struct event *e)
{
	struct page *page = out->state;
	bool hist = e->kind == EVENT_HIST;
	struct sample *sample = hist ? &page->hists : &page->prints;
	int64_t probe = e->probe ? e->probe - s->probes : -1;
	uint64_t n = page->printed++;
	struct json_object *o;

	if (probe >= 0) {
		describe_probes(out, s, probe + 1);
		page->records[probe]++;
	}
	if (hist)
		count_histogram(page, e);
	if ((hist ? page->hist_hits - 1 : n) % sample->step)
		return;
	o = hist ? json_event(out, s, e) : object("print");
	if (hist)
		add_number(o, "nth", page->nth);
	add_number(o, "n", n);
	add_number(o, "time", e->time_ns - s->start_ns);
	add_number(o, "cpu", e->cpu);
	add_number(o, "probe", probe);
	json_object_object_del(o, "place");
	json_object_object_add(o, "text", json_text(event_text(s, e)));
	count_shown(sample, put(out, o));
}

struct frame_list { struct output *out; struct json_object *list; };

// {"type":"frame"} for each name, when it occurs first; stacks have their numbers.
static void add_frame(void *to, const struct frame *f)
{
	struct frame_list *list = to;
	struct page *page = list->out->state;
	bool added = false;
	uint64_t i;

	if (!frame_find_number(&page->numbers, f, &i)) {
		i = intern(&page->frames, f->name.at, f->name.len, &added);
		frame_add_number(&page->numbers, f, i);
	}
	if (added) {
		struct json_object *o = object("frame");

		json_object_object_add(o, "name", json_text(f->name));
		put(list->out, o);
	}
	json_object_array_add(list->list, json_object_new_int64((int64_t)i));
}

static void value(struct output *out, const struct session *s, const struct event *e)
{
	struct page *page = out->state;
	struct frame_list frames = { .out = out };
	struct json_object *o;

	if (page->values++ >= VALUES_MAX)
		return;
	if (!stack_is_key(e)) {
		put(out, json_event(out, s, e));
		return;
	}
	frames.list = json_object_new_array();
	stack_frames(s, e, add_frame, &frames);
	o = object("stack");
	add_string(o, "name", e->global->name);
	json_object_object_add(o, "frames", frames.list);
	add_number(o, "value", stack_value(e));
	put(out, o);
}

// {"type":"costs"}: the hits of each probe, and the nanoseconds of all of them and of the longest one.
static void costs(struct output *out, const struct session *s)
{
	struct json_object *o = object("costs"), *hits = json_object_new_array(), *sum = json_object_new_array(),
			   *max = json_object_new_array();

	for (size_t i = 0; i < s->nprobes; i++) {
		const struct probe *p = &s->probes[i];

		json_object_array_add(hits, json_object_new_int64(p->hits));
		json_object_array_add(sum, json_object_new_int64(p->sum_ns));
		json_object_array_add(max, json_object_new_int64(p->max_ns));
	}
	json_object_object_add(o, "hits", hits);
	json_object_object_add(o, "sum", sum);
	json_object_object_add(o, "max", max);
	put(out, o);
}

// {"type":"gap"} with the number of the record before which something was lost.
static void gap(struct output *out, const struct session *s, const struct event *e)
{
	struct page *page = out->state;
	struct json_object *o = json_event(out, s, e);

	if (page->gaps++ >= MESSAGES_MAX) {
		json_object_put(o);
		return;
	}
	add_number(o, "n", page->printed);
	add_number(o, "time", e->time_ns - s->start_ns);
	put(out, o);
}

static int status_of(struct output *out)
{
	return !ferror(out->file) ? 0 : errno ? -errno : -EIO;
}

static int event(struct output *out, const struct session *s, const struct event *e)
{
	struct page *page = out->state;

	if (is_display(e))
		return 0;
	out->safe = true;                          // JavaScript's numbers are doubles
	switch (e->kind) {
	case EVENT_BEGIN: begin_session(out, s, e); break;
	case EVENT_PRINT: case EVENT_TEXT: case EVENT_HIST: printed(out, s, e); break;
	case EVENT_VALUE: value(out, s, e); break;
	case EVENT_WARNING: case EVENT_ERROR:
		if (page->messages++ < MESSAGES_MAX)
			put(out, json_event(out, s, e));
		break;
	case EVENT_GAP: gap(out, s, e); break;
	case EVENT_LOSS: put(out, json_event(out, s, e)); break;
	case EVENT_END:
		describe_probes(out, s, s->nprobes);
		costs(out, s);
		put(out, json_event(out, s, e));
		break;
	}
	return status_of(out);
}

static int finish(struct output *out)
{
	if (!out->state)
		return 0;
	end_session(out);
	fputs("</body>\n</html>\n", out->file);
	free(out->state);
	out->state = NULL;
	return status_of(out);
}

const struct writer html_writer = { "html", "a page with pictures of the globals, for browsers", event, finish };
