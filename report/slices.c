// SPDX-License-Identifier: GPL-2.0-or-later
// Pairs the records of probes with those of their returns, by thread. The thread of a record is an argument named tid
// or pid, or what thread_indent() prints.
#include "slices.h"

#include "event_text.h"
#include "intern.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

enum { DEPTH = 64, THREADS_MAX = 1 << 14 };

struct thread {
	UT_hash_handle hh;
	int64_t tid;
	unsigned depth;                    // number of open slices
	uint32_t pid;
	uint64_t open[DEPTH];              // struct pairing.pair of each open slice
};

enum side { ALONE, ENTRY, RETURN };
struct pairing { uint64_t pair; enum side side; };

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

static void pair_probes(struct slices *o, const struct session *s)
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

// Parses the text that thread_indent() returns, "   12 name(34):".
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
	struct track t = { .name = { "", 0 } };

	if (e->kind == EVENT_PRINT)
		each_argument(e, read_argument, &t);
	if (!t.has_thread)
		t = (struct track){ CPU_TRACKS, CPU_TRACKS + 1 + (int64_t)e->cpu, { "", 0 } };
	return t;
}

// --- slices ---

static void end_slices(struct slices *o, struct thread *t, unsigned depth)
{
	struct track track = { t->pid, t->tid, { "", 0 }, true };

	for (; t->depth > depth; t->depth--)
		o->lost(o->to, &track);
}

static void end_all(struct slices *o)
{
	struct thread *at, *next;

	HASH_ITER(hh, o->threads, at, next) {
		end_slices(o, at, 0);
		HASH_DEL(o->threads, at);
		free(at);
	}
}

static struct thread *thread(struct slices *o, const struct track *track)
{
	struct thread *t;

	HASH_FIND(hh, o->threads, &track->tid, sizeof(track->tid), t);
	if (t)
		return t;
	if (HASH_COUNT(o->threads) >= THREADS_MAX)
		end_all(o);
	t = calloc(1, sizeof(*t));
	if (!t)
		abort();
	t->tid = track->tid;
	t->pid = track->pid;
	HASH_ADD(hh, o->threads, tid, sizeof(t->tid), t);
	if (track->name.len)
		o->named(o->to, track);
	return t;
}

static enum phase phase_of(struct slices *o, const struct session *s, const struct event *e, struct thread *t)
{
	const struct pairing *p;

	if (!e->probe || !t)
		return INSTANT;
	p = &o->probes[e->probe - s->probes];
	if (p->side == ENTRY && t->depth < DEPTH) {
		t->open[t->depth++] = p->pair;
		return SLICE_BEGIN;
	}
	for (unsigned depth = t->depth; p->side == RETURN && depth--; ) {
		if (t->open[depth] != p->pair)
			continue;
		end_slices(o, t, depth + 1);           // their returns were lost
		t->depth--;
		return SLICE_END;
	}
	return INSTANT;
}

enum phase slices_record(struct slices *o, const struct session *s, const struct event *e, struct track *t)
{
	bool first = !o->in_record || o->seq != e->seq;
	struct thread *thread_of;

	*t = track_of(e);
	thread_of = t->has_thread ? thread(o, t) : NULL;
	o->seq = e->seq;
	o->in_record = true;
	return first ? phase_of(o, s, e, thread_of) : INSTANT;
}

void slices_session(struct slices *o, const struct session *s, bool begins)
{
	if (begins)
		end_all(o);
	if (begins || o->nprobes != s->nprobes)
		pair_probes(o, s);
}

void slices_free(struct slices *o)
{
	end_all(o);
	free(o->probes);
}
