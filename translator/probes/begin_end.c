// SPDX-License-Identifier: GPL-2.0-or-later
// begin, end, error, each with an optional order; and never.
//
// In: a matched point. Out: one probe, and a table of struct stp_begin for each of the three,
// sorted by order; equal orders stay as written.
#include "elab/elab.h"
#include "emit/emit.h"
#include "resolve/family.h"

#include <stdlib.h>
#include <string.h>

extern const struct probe_family family_begin_end, family_never;

enum when { WHEN_BEGIN, WHEN_END, WHEN_ERROR, WHENS };

static const struct {
	const char *name, *family, *table;
} whens[WHENS] = {
	[WHEN_BEGIN] = { "begin", "begin", "stp_begins" },
	[WHEN_END] = { "end", "end", "stp_ends" },
	[WHEN_ERROR] = { "error", "error", "stp_errors" },
};

struct begin {
	enum when when;
	int64_t order;
	int seq;                   // order in the script, which keeps the sort stable
};

static int begin_resolve(struct session *s, const struct probe_match *m)
{
	const struct point_part *part = &m->point->parts.at[0];
	struct begin *b = NEW(struct begin);

	while (b->when < WHENS && strcmp(whens[b->when].name, part->name))
		b->when++;
	b->order = part->arg_kind == ARG_NUMBER ? part->number : 0;
	probe_add(s, &family_begin_end, m, point_text(m->point), b);
	return 0;
}

static int by_order(const void *a, const void *b)
{
	const struct begin *x = (*(struct probe *const *)a)->data;
	const struct begin *y = (*(struct probe *const *)b)->data;

	if (x->order != y->order)
		return x->order < y->order ? -1 : 1;
	return x->seq - y->seq;
}

static void emit_when(struct session *s, struct cwriter *w, enum when when, struct probe **probes, int n)
{
	VEC(struct probe *) mine = { 0 };

	for (int i = 0; i < n; i++) {
		struct begin *b = probes[i]->data;

		b->seq = i;
		if (b->when == when)
			vec_push(&mine, probes[i]);
	}
	if (!mine.n)
		return;
	qsort(mine.at, (size_t)mine.n, sizeof(*mine.at), by_order);
	cw_line(w, "static struct stp_begin %s[] = {", whens[when].table);
	for (int i = 0; i < mine.n; i++) {
		const struct begin *b = mine.at[i]->data;

		// The smallest s64 has no literal in C.
		cw_line(w, "{ %s, (s64)0x%llxULL }, /* %s */", emit_probe_ref(mine.at[i]),
			(unsigned long long)b->order, mine.at[i]->point);
	}
	cw_line(w, "};");
	emit_family_table(s, whens[when].family, whens[when].table, mine.n);
}

static void begin_emit(struct session *s, struct cwriter *w, struct probe **probes, int n)
{
	for (enum when when = 0; when < WHENS; when++)
		emit_when(s, w, when, probes, n);
}

static const char *const begin_patterns[] = {
	"begin", "begin(number)", "end", "end(number)", "error", "error(number)", NULL,
};

const struct probe_family family_begin_end = {
	.name = "begin_end",
	.not_of_task = true,
	.access = ACCESS_OWN,
	.patterns = begin_patterns,
	.on_user_runtime = true,
	.exclusive = true,
	.resolve = begin_resolve,
	.emit = begin_emit,
};

static int never_resolve(struct session *s, const struct probe_match *m)
{
	probe_add(s, &family_never, m, "never", NULL);
	return 0;
}

static const char *const never_patterns[] = { "never", NULL };

const struct probe_family family_never = {
	.name = "never",
	.not_of_task = true,
	.access = ACCESS_NOTHING,
	.patterns = never_patterns,
	.on_user_runtime = true,
	.exclusive = true,         // it runs alone, so its reads and writes need no locks
	.resolve = never_resolve,
};
