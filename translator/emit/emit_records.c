// SPDX-License-Identifier: GPL-2.0-or-later
// Tables that describe a module's output to its reader: its formats and its globals. In: the tables of formats that
// printing statements have made, the storage of the globals. Out: stp_records of the generated C, with --merge the
// globals that hosts send.
#include "emit/emitter.h"

#include <string.h>

static void write_formats(struct emitter *e, struct cwriter *w)
{
	if (!e->format_tables.n)
		return;
	cw_line(w, "static const struct stp_described_format stp_formats[] = {");
	for vec_each(&e->format_tables, f)
		cw_line(w, "{ %s, %d },", f->name, f->n);
	cw_line(w, "};");
}

// Which keys and values of a global are stack values.
static const char *stack_bits(const struct var *v)
{
	unsigned lists = v->stacks[STACK_ADDRESSES], all = v->stacks[STACK_NAMES] | lists;

	if (!all)
		return "";
	return str_printf(lists ? ".stacks = %u, .lists = %u, " : ".stacks = %u, ", all, lists);
}

static void write_global(struct cwriter *w, const struct global *g)
{
	const struct var *v = g->var;
	const char *kind = v->arity ? "MAP" : v->type == T_STATS ? "STAT" : v->type == T_STRING ? "STRING" : "LONG";
	bool adder = emit_is_adder(v);

	cw_line(w, "{ .name = \"%s\", %s%s.kind = STP_TAKE_%s, .at = %s%s%s },", v->name,
		stack_bits(v),
		v->label ? str_printf(".label = %s, ", emit_c_string(v->label)) : "", kind,
		!v->arity && v->type == T_STRING ? "" : "&", g->name,
		adder ? str_printf(", .adder = true, .offset = __builtin_offsetof(struct percpu, %s)", g->name) : "");
}

// Writes the globals that hosts send with --merge, in the order of their numbers.
static int write_merged_globals(struct emitter *e, struct cwriter *w, const char *head)
{
	int n = 0;

	cw_line(w, "%s = {", head);
	for (int number = 1; number <= e->s->script.globals.n; number++)
		for vec_each(&e->globals, g) {
			if (g->var->merged != number || g->var->is_copy)
				continue;
			n++;
			write_global(w, g);
		}
	cw_line(w, "};");
	return n;
}

void emit_merged_globals(struct emitter *e, struct cwriter *w)
{
	int n = write_merged_globals(e, w, "const struct stp_described_global stp_merged_globals[]");

	cw_line(w, "const u32 stp_nmerged_globals = %d;", n);
}

void emit_merged_tables(struct emitter *e, struct cwriter *w)
{
	int n = write_merged_globals(e, w, "static const struct stp_described_global stp_described_globals[]");

	cw_line(w, "static const struct stp_records stp_records = {");
	cw_line(w, ".ops = &stp_merge_ops, .as_text = true, .globals = stp_described_globals, .nglobals = %d,", n);
	cw_line(w, "};");
}

static bool is_of_monitor(struct loc loc)
{
	return loc.source && !strcmp(loc.source->name, MONITOR_SOURCE);
}

static int write_globals(struct emitter *e, struct cwriter *w)
{
	int n = 0;

	for vec_each(&e->globals, g) {
		if (g->var->is_copy || is_of_monitor(g->var->loc))
			continue;
		if (!n++)
			cw_line(w, "static const struct stp_described_global stp_described_globals[] = {");
		write_global(w, g);
	}
	if (n)
		cw_line(w, "};");
	return n;
}

// Writes the user's texts, one after the other, each on lines of its own.
static void write_script(struct emitter *e, struct cwriter *w)
{
	struct buf text = { 0 };

	for vec_each(&e->s->sources, s) {
		if (!strcmp((*s)->name, MONITOR_SOURCE) || !strcmp((*s)->name, TIMEOUT_SOURCE))
			continue;
		if (text.len && text.text[text.len - 1] != '\n')
			buf_printf(&text, "\n");
		buf_add(&text, (*s)->text, (*s)->len);
	}
	cw_line(w, ".script = %s,", emit_c_string(buf_text(&text)));
}

// Writes the options on which the handlers depend, in one form: -DNAME=VALUE.
static int write_options(struct emitter *e, struct cwriter *w)
{
	const struct options *o = &e->s->opt;
	int n = (int)o->defines.n + o->guru + o->compatible_given;

	if (!n)
		return 0;
	cw_line(w, "static const char *const stp_options[] = {");
	if (o->guru)
		cw_line(w, "\"-g\",");
	if (o->compatible_given)
		cw_line(w, "%s,", emit_c_string(str_printf("--compatible=%s", o->compatible)));
	for vec_each(&o->defines, d)
		cw_line(w, "%s,", emit_c_string(str_printf("-D%s=%s", d->name, d->value)));
	cw_line(w, "};");
	return n;
}

bool emit_times_hits(const struct session *s)
{
	return s->opt.timing || (s->opt.records && s->opt.merge != MERGE_HOST);
}

void emit_record_tables(struct emitter *e, struct cwriter *w)
{
	int n, options;

	write_formats(e, w);
	n = write_globals(e, w);
	options = write_options(e, w);
	cw_line(w, "static const struct stp_records stp_records = {");
	cw_line(w, ".ops = &stp_record_ops,");
	write_script(e, w);
	if (options)
		cw_line(w, ".options = stp_options, .noptions = %d,", options);
	if (e->format_tables.n)
		cw_line(w, ".formats = stp_formats, .nformats = %d,", (int)e->format_tables.n);
	if (n)
		cw_line(w, ".globals = stp_described_globals, .nglobals = %d,", n);
	cw_line(w, "};");
}
