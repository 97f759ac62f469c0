// SPDX-License-Identifier: GPL-2.0-or-later
// Trace events for Perfetto and chrome://tracing. What is printed is an instant in the track of its thread, or of its
// CPU if no argument has the thread. A probe that prints begins a slice if the script also has its .return. Numbers
// that timers print are counters. doc/json.md describes it.
#include "event_text.h"
#include "intern.h"
#include "json_text.h"
#include "writers.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

enum { DEPTH = 64, THREADS_MAX = 1 << 14 };
enum { CPU_TRACKS = 1 << 22 };             // the process of CPUs: greater than all process identifiers

struct thread {
	UT_hash_handle hh;
	int64_t tid;
	unsigned depth;                    // of open slices
	uint32_t pid;
	uint64_t open[DEPTH];              // their pairs
};

enum side { ALONE, ENTRY, RETURN };
struct pairing { uint64_t pair; enum side side; };

struct chrome {
	FILE *out;
	uint64_t start_ns, last_ns, seq;
	struct pairing *probes;
	size_t nprobes;
	struct thread *threads;
	struct intern cpus;                // that have a name
	bool any, in_record;               // `seq` is valid
};

struct track {
	int64_t pid, tid;
	struct text name;                  // of the process, or empty
	bool has_thread;
};

// --- pairs ---

// Returns the probe point without the components that differ between an entry and its return.
static size_t strip(const char *point, char *to, bool *is_return)
{
	static const char *const suffixes[] = { ".return", ".call", ".exported", ".maxactive(" };
	bool in_string = false;                    // quoted text, such as a path, may contain a suffix
	char *at = to;

	*is_return = false;
	while (*point) {
		size_t skip = 0;

		in_string ^= *point == '"';
		for (unsigned i = 0; i < 4 && !skip && !in_string; i++) {
			size_t n = strlen(suffixes[i]);
			bool open = suffixes[i][n - 1] == '(';

			if (strncmp(point, suffixes[i], n) || (!open && point[n] && point[n] != '.'))
				continue;
			skip = open ? strcspn(point, ")") + (strchr(point, ')') != NULL) : n;
			*is_return |= !i;
		}
		if (skip)
			point += skip;
		else
			*at++ = *point++;
	}
	return at - to;
}

static void pair_probes(struct chrome *o, const struct session *s)
{
	struct intern points = { NULL };
	unsigned char *sides = calloc(s->nprobes, 1);
	bool added, is_return;

	free(o->probes);
	o->probes = calloc(s->nprobes, sizeof(*o->probes));
	if (!sides || !o->probes)
		abort();
	for (size_t i = 0; i < s->nprobes; i++) {
		const char *point = s->probes[i].point ? s->probes[i].point : "";
		char *stripped = malloc(strlen(point) + 1);

		if (!stripped)
			abort();
		o->probes[i].pair = intern(&points, stripped, strip(point, stripped, &is_return), &added);
		o->probes[i].side = is_return ? RETURN : ENTRY;
		sides[o->probes[i].pair] |= o->probes[i].side;
		free(stripped);
	}
	for (size_t i = 0; i < s->nprobes; i++)
		if (sides[o->probes[i].pair] != (ENTRY | RETURN))
			o->probes[i].side = ALONE;
	intern_free(&points);
	free(sides);
	o->nprobes = s->nprobes;
}

// --- tracks ---

// Reads what thread_indent() makes, "   12 name(34):".
static bool indent_thread(struct text t, struct track *track)
{
	const char *colon = memmem(t.at, t.len, "):", 2), *at, *name = t.at;
	int64_t tid = 0, digit = 1;

	for (at = colon; at && at > t.at && at[-1] >= '0' && at[-1] <= '9' && digit < 1000000000; digit *= 10)
		tid += (*--at - '0') * digit;
	if (!at || at == colon || at == t.at || *--at != '(')
		return false;
	while (name < at && (*name == ' ' || (*name >= '0' && *name <= '9')))
		name++;
	if (name == t.at)
		return false;
	*track = (struct track){ tid, tid, { name, at - name }, true };
	return true;
}

static void read_argument(void *to, const char *name, const struct cell *c)
{
	struct track *track = to;

	if (c->type == CELL_TEXT) {
		if (!strcmp(name, "comm") || !strcmp(name, "execname"))
			track->name = c->text;
		else if (!track->has_thread)
			indent_thread(c->text, track);
		return;
	}
	if (c->number <= 0 || c->number >= CPU_TRACKS)
		return;
	if (!strcmp(name, "tid")) {
		track->tid = c->number;
		track->pid = track->pid ? track->pid : c->number;
		track->has_thread = true;
	} else if (!strcmp(name, "pid")) {
		track->pid = c->number;
		track->tid = track->tid ? track->tid : c->number;
		track->has_thread = true;
	}
}

static struct track track_of(const struct event *e)
{
	struct track t = { 0 };

	if (e->kind == EVENT_PRINT)
		each_argument(e, read_argument, &t);
	if (!t.has_thread)
		t = (struct track){ CPU_TRACKS, CPU_TRACKS + 1 + (int64_t)e->cpu, { "", 0 } };
	return t;
}

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

static void end_slices(struct chrome *o, struct thread *t, unsigned depth)
{
	struct track track = { t->pid, t->tid };

	for (; t->depth > depth; t->depth--) {
		begin_event(o, "E", &track, o->last_ns);
		putc('}', o->out);
	}
}

static void forget_threads(struct chrome *o)
{
	struct thread *at, *next;

	HASH_ITER(hh, o->threads, at, next) {
		end_slices(o, at, 0);
		HASH_DEL(o->threads, at);
		free(at);
	}
}

static struct thread *thread(struct chrome *o, const struct track *track)
{
	struct thread *t;

	HASH_FIND(hh, o->threads, &track->tid, sizeof(track->tid), t);
	if (t)
		return t;
	if (HASH_COUNT(o->threads) >= THREADS_MAX)
		forget_threads(o);
	t = calloc(1, sizeof(*t));
	if (!t)
		abort();
	t->tid = track->tid;
	t->pid = track->pid;
	HASH_ADD(hh, o->threads, tid, sizeof(t->tid), t);
	if (track->name.len)
		name_track(o, track, "thread_name", track->name);
	return t;
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

// Returns the phase of the first statement of a hit: begin or end of a slice, else an instant.
static const char *phase(struct chrome *o, const struct session *s, const struct event *e, struct thread *t)
{
	const struct pairing *p;

	if (!e->probe || !t)
		return "i";
	p = &o->probes[e->probe - s->probes];
	if (p->side == ENTRY && t->depth < DEPTH) {
		t->open[t->depth++] = p->pair;
		return "B";
	}
	for (unsigned depth = t->depth; p->side == RETURN && depth--; ) {
		if (t->open[depth] != p->pair)
			continue;
		end_slices(o, t, depth + 1);           // their returns were lost
		t->depth--;
		return "E";
	}
	return "i";
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
	struct track track = track_of(e);
	bool first = !o->in_record || o->seq != e->seq;
	struct thread *t = track.has_thread ? thread(o, &track) : NULL;
	const char *kind = "i";

	o->seq = e->seq;
	o->in_record = true;
	if (!t)
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
	if (first)
		kind = phase(o, s, e, t);
	begin_event(o, kind, &track, e->time_ns);
	if (*kind == 'i')
		fputs(",\"s\":\"t\"", o->out);
	put_string(o, ",\"name\":", e->probe ? e->probe->written : "");
	put_text(o, s, e);
}

// Warnings, errors and losses are instants through all tracks. Those without a time have that of the last record.
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
		fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n", o->out);
	}
	if (e->kind == EVENT_BEGIN)
		forget_threads(o);                     // of another session
	if (e->kind == EVENT_BEGIN || o->nprobes != s->nprobes)
		pair_probes(o, s);
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
	forget_threads(o);
	rc = fputs("]}\n", o->out) < 0 ? -errno : 0;
	intern_free(&o->cpus);
	free(o->probes);
	free(o);
	out->state = NULL;
	return rc;
}

const struct writer chrome_writer = { "chrome", "trace events for Perfetto and chrome://tracing", event, finish };
