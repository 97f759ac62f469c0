// SPDX-License-Identifier: GPL-2.0-or-later
// Trace events for Perfetto and chrome://tracing. Each printed record is an instant in the track of its thread, or
// of its CPU if no argument identifies the thread. A probe that prints begins a slice if the script also has its
// .return. Numbers that timers print are counters. doc/json.md describes it.
#include "event_text.h"
#include "intern.h"
#include "json_text.h"
#include "slices.h"
#include "writers.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct chrome {
	FILE *out;
	uint64_t start_ns, last_ns;
	struct slices slices;
	struct intern cpus;                // CPUs whose name was written
	bool any;
};

// --- tracks ---

static void begin_event(struct chrome *o, const char *phase, const struct track *t, uint64_t time_ns)
{
	uint64_t ns = time_ns > o->start_ns ? time_ns - o->start_ns : 0;

	fputs(o->any ? ",\n" : "", o->out);
	fprintf(o->out, "{\"ph\":\"%s\",\"pid\":%" PRId64 ",\"tid\":%" PRId64 ",\"ts\":%" PRIu64 ".%03u", phase, t->pid,
		t->tid, ns / 1000, (unsigned)(ns % 1000));
	o->any = true;
	o->last_ns = time_ns;
}

static void put_string(struct chrome *o, const char *before, const char *s)
{
	fputs(before, o->out);
	put_json_string(o->out, (struct text){ s, strlen(s) });
}

static void name_track(struct chrome *o, const struct track *t, const char *what, struct text name)
{
	begin_event(o, "M", t, o->start_ns);
	put_string(o, ",\"name\":", what);
	fputs(",\"args\":{\"name\":", o->out);
	put_json_string(o->out, name);
	fputs("}}", o->out);
}

static void name_cpu(struct chrome *o, const struct track *t)
{
	char name[32];
	bool added;

	if (!intern(&o->cpus, &t->tid, sizeof(t->tid), &added) && added)
		name_track(o, t, "process_name", (struct text){ "CPUs", 4 });
	if (added)
		name_track(o, t, "thread_name", (struct text){ name, snprintf(name, sizeof(name), "CPU %lld",
									      (long long)t->tid - CPU_TRACKS - 1) });
}

static void name_thread(void *to, const struct track *t)
{
	name_track(to, t, "thread_name", t->name);
}

static void end_slice(void *to, const struct track *t)
{
	struct chrome *o = to;

	begin_event(o, "E", t, o->last_ns);
	putc('}', o->out);
}

// --- events ---

static void put_text(struct chrome *o, const struct session *s, const struct event *e)
{
	struct text t = event_text(s, e);

	while (t.len && t.at[t.len - 1] == '\n')
		t.len--;
	fputs(",\"args\":{\"text\":", o->out);
	put_json_string(o->out, t);
	fputs("}}", o->out);
}

struct counter { struct chrome *o; bool any; };

static void put_counter(void *to, const char *name, const struct cell *c)
{
	struct counter *counter = to;

	if (c->type != CELL_NUMBER)
		return;
	put_string(counter->o, counter->any ? "," : "", name);
	fprintf(counter->o->out, ":%" PRId64, c->number);
	counter->any = true;
}

static bool is_counter(const struct event *e)
{
	bool any = false;

	for (unsigned i = 0; i < e->ncells; i++)
		any |= e->cells[i].type == CELL_NUMBER;
	return any && e->kind == EVENT_PRINT && e->probe && !strncmp(e->probe->point, "timer.", 6);
}

static void print(struct chrome *o, const struct session *s, const struct event *e)
{
	static const char *const phases[] = { [INSTANT] = "i", [SLICE_BEGIN] = "B", [SLICE_END] = "E" };
	struct track track;
	enum phase phase = slices_record(&o->slices, s, e, &track);

	if (!track.has_thread)
		name_cpu(o, &track);
	if (is_counter(e)) {
		struct counter counter = { o };

		begin_event(o, "C", &track, e->time_ns);
		put_string(o, ",\"name\":", e->probe->written);
		fputs(",\"args\":{", o->out);
		each_argument(e, put_counter, &counter);
		fputs("}}", o->out);
		return;
	}
	begin_event(o, phases[phase], &track, e->time_ns);
	if (phase == INSTANT)
		fputs(",\"s\":\"t\"", o->out);
	put_string(o, ",\"name\":", e->probe ? e->probe->written : "");
	put_text(o, s, e);
}

// Warnings, errors and losses are instants in all tracks. Those without a time get the time of the last record.
static void message(struct chrome *o, const struct event *e)
{
	static const char *const names[] = { [EVENT_WARNING] = "warning", [EVENT_ERROR] = "error", [EVENT_GAP] = "lost here",
					     [EVENT_LOSS] = "lost" };
	struct track all = { CPU_TRACKS, CPU_TRACKS };

	begin_event(o, "i", &all, e->kind == EVENT_GAP && e->time_ns > o->start_ns ? e->time_ns : o->last_ns);
	put_string(o, ",\"s\":\"g\",\"name\":", names[e->kind]);
	fputs(",\"args\":{\"text\":", o->out);
	put_json_string(o->out, e->text);
	if (e->kind == EVENT_LOSS || e->kind == EVENT_GAP)
		fprintf(o->out, ",\"count\":%" PRIu64, e->count);
	fputs("}}", o->out);
}

static int event(struct output *out, const struct session *s, const struct event *e)
{
	struct chrome *o = out->state;

	if (!o) {
		o = out->state = calloc(1, sizeof(*o));
		if (!o)
			abort();
		o->out = out->file;
		o->start_ns = o->last_ns = s->start_ns;
		o->slices = (struct slices){ .to = o, .named = name_thread, .lost = end_slice };
		fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n", o->out);
	}
	slices_session(&o->slices, s, e->kind == EVENT_BEGIN);
	switch (e->kind) {
	case EVENT_PRINT: case EVENT_TEXT: case EVENT_HIST:
		if (!is_display(e))
			print(o, s, e);
		break;
	case EVENT_WARNING: case EVENT_ERROR: case EVENT_GAP: case EVENT_LOSS: message(o, e); break;
	default: break;
	}
	return ferror(o->out) ? -errno : 0;
}

static int finish(struct output *out)
{
	struct chrome *o = out->state;
	int rc;

	if (!o)
		return 0;
	slices_free(&o->slices);
	rc = fputs("]}\n", o->out) < 0 ? -errno : 0;
	intern_free(&o->cpus);
	free(o);
	out->state = NULL;
	return rc;
}

const struct writer chrome_writer = { "chrome", "trace events for Perfetto and chrome://tracing", event, finish };
