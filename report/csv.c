// SPDX-License-Identifier: GPL-2.0-or-later
// The globals as comma-separated values (RFC 4180): a table for each of them, headed by the names of its columns.
// The last table lists the losses, if there are any.
#include "event_text.h"
#include "writers.h"

#include <errno.h>
#include <string.h>

static void put_text(FILE *to, struct text t)
{
	putc('"', to);
	for (size_t i = 0; i < t.len; i++) {
		if (t.at[i] == '"')
			putc('"', to);
		putc(t.at[i], to);
	}
	putc('"', to);
}

static void put_cell(FILE *to, const struct cell *c)
{
	const struct statistic *s = c->statistic;

	if (c->type == CELL_NUMBER)
		fprintf(to, "%lld", (long long)c->number);
	else if (c->type == CELL_TEXT)
		put_text(to, c->text);
	else
		fprintf(to, "%lld,%lld,%lld", (long long)s->count, (long long)s->sum, (long long)statistic_average(s));
}

static void put_head(FILE *to, const struct global *g, bool first)
{
	fputs(first ? "" : "\r\n", to);
	fputs("global", to);
	for (unsigned i = 0; i < g->keys; i++)
		fprintf(to, ",key%u", i + 1);
	fputs(g->type == CELL_STATISTIC ? ",count,sum,avg\r\n" : ",value\r\n", to);
}

static int put_loss(struct output *out, const struct event *e)
{
	// out->state identifies the open table: the address of its global, or this address for the table of losses.
	static const char table;

	if (out->state != &table)
		fprintf(out->file, "%slost,count\r\n", out->state ? "\r\n" : "");
	out->state = (void *)&table;
	put_text(out->file, e->text);
	return fprintf(out->file, ",%llu\r\n", (unsigned long long)e->count) < 0 ? -errno : 0;
}

static int event(struct output *out, const struct session *s, const struct event *e)
{
	if (e->kind == EVENT_BEGIN)
		out->state = NULL;                 // a new session: no table is open
	if (e->kind == EVENT_LOSS)
		return put_loss(out, e);
	if (e->kind != EVENT_VALUE)
		return 0;
	if (out->state != e->global)
		put_head(out->file, e->global, !out->state);
	out->state = (void *)e->global;
	fputs(e->global->name, out->file);
	for (unsigned i = 0; i < e->ncells; i++) {
		putc(',', out->file);
		put_cell(out->file, &e->cells[i]);
	}
	putc(',', out->file);
	put_cell(out->file, e->value);
	return fputs("\r\n", out->file) < 0 ? -errno : 0;
}

const struct writer csv_writer = { "csv", "the globals' values at the end as comma-separated values", event };
