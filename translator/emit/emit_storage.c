// SPDX-License-Identifier: GPL-2.0-or-later
// The script's globals as static data, and the tables through which the runtime finds them. Only globals that an
// emitted function uses are written.
#include "elab/elab.h"
#include "emit/emitter.h"

#include <assert.h>
#include <inttypes.h>

static bool is_scalar_stat(const struct var *v)
{
	return v->type == T_STATS && v->arity <= 0;
}

struct global *emit_global(struct emitter *e, struct var *v)
{
	struct global g = { .var = v };

	assert(v->kind == VAR_GLOBAL);
	if (!v->index) {
		g.name = emit_unique(e, "g_", v->name);
		vec_push(&e->globals, g);
		v->index = e->globals.n;
	}
	return &e->globals.at[v->index - 1];
}

const char *emit_desc(struct emitter *e, struct var *v)
{
	return operand_global(e, OPERAND_DESCRIPTION, v);
}

void emit_require_write_lock(struct emitter *e, struct var *v)
{
	map_put(&e->caller->needs_write_lock, emit_global(e, v)->name, v);
}

int64_t emit_buckets(const struct var *v)
{
	if (v->stat_ops & STAT_HIST_LOG)
		return 128;
	if (v->stat_ops & STAT_HIST_LINEAR)
		return (int64_t)hist_linear_buckets(v->hist_low, v->hist_high, v->hist_step);
	return 0;
}

// Returns a C expression for the bytes of a statistic: struct stp_stat, and its buckets and sums, which follow it.
static const char *stat_size(const struct var *v)
{
	return str_printf("sizeof(struct stp_stat) + %" PRId64 " * 8%s%s", emit_buckets(v),
			  v->stat_ops & STAT_VARIANCE ? " + sizeof(struct stp_squares)" : "",
			  v->stat_ops & STAT_PERCENTILE ? " + STP_FINE_BUCKETS * 8" : "");
}

// Name and unit are used only on a terminal and in records; the display of an unread global has its own title.
static const char *names_for_people(const struct emitter *e, const struct var *v)
{
	struct buf b = { 0 };

	if (!session_limit(e->s, LIMIT_HIST_TERMINAL) && !e->s->opt.records)
		return "";
	if (v->label && !v->autoprint)
		buf_printf(&b, ", .label = STP_CLIENT_TEXT(%s)", emit_c_string(v->label));
	if (v->unit)
		buf_printf(&b, ", .unit = STP_CLIENT_TEXT(%s)", emit_c_string(v->unit));
	return buf_text(&b);
}

const char *emit_desc_text(const struct emitter *e, const struct var *v)
{
	return str_printf("{ .ops = %u, .buckets = %" PRId64 ", .size = %s, .low = %s, .high = %s, .step = %s%s }",
			  v->stat_ops, emit_buckets(v), stat_size(v), value_number(v->hist_low).text, value_number(v->hist_high).text,
			  value_number(v->hist_step).text, names_for_people(e, v));
}

// Writes the description of a statistic's data as a macro, for the runtime's table and for the constant with which
// stp_stat_add() is expanded.
static void write_stat_desc(const struct emitter *e, struct cwriter *w, const struct global *g)
{
	cw_line(w, "#define %s_DESC %s", g->name, emit_desc_text(e, g->var));
	cw_line(w, "static const struct stp_stat_desc %s_desc = %s_DESC;", g->name, g->name);
}

static int64_t map_capacity(const struct emitter *e, const struct var *v)
{
	return v->max_size ? v->max_size : session_limit(e->s, LIMIT_MAXMAPENTRIES);
}

static void write_map(struct emitter *e, struct cwriter *w, const struct global *g)
{
	static const char *const types[] = { "0", "STP_LONG", "STP_STRING", "STP_STATS" };
	const struct var *v = g->var;
	int64_t capacity = map_capacity(e, v);
	struct buf keys = { 0 };

	for (int i = 0; i < v->arity; i++)
		buf_printf(&keys, "%s%s", i ? ", " : "", types[v->key_types[i] ? v->key_types[i] : T_LONG]);
	if (e->s->opt.bpf_runtime)
		cw_line(w, "#ifndef STP_BPF");
	cw_line(w, "static struct stp_map %s = {", g->name);
	cw_line(w, ".name = \"%s\", .nkeys = %d, .keys = { %s }, .value = %s,", v->name, v->arity,
		buf_text(&keys), types[v->type ? v->type : T_LONG]);
	cw_line(w, ".capacity = %" PRId64 ", .sized = %s, .wrap = %s, .percpu = %s,", capacity,
		v->max_size ? "true" : "false", v->wrap ? "true" : "false",
		access_is_merged(v) && !v->is_copy ? "true" : "false");
	if (v->type == T_STATS)
		cw_line(w, ".stat = %s_DESC,", g->name);
	cw_line(w, "};");
	if (e->s->opt.bpf_runtime)
		cw_line(w, "#endif");
}

static void write_scalar(struct emitter *e, struct cwriter *w, const struct global *g)
{
	const struct expr *init = g->var->init;
	int64_t max = emit_string_len(e) - 1;

	if (e->s->opt.bpf_runtime)
		emit_bpf_scalar(e, w, g);
	else if (g->var->type == T_STRING)
		cw_line(w, "static char %s[STP_STRLEN] = %s;", g->name, init && init->kind == E_STRING ?
			emit_c_string(str_printf("%.*s", (int)max, init->u.string.bytes)) : "\"\"");
	else if (init && init->kind == E_NUMBER)
		cw_line(w, "static s64 %s = %s;", g->name, value_number(init->u.number).text);
	else
		cw_line(w, "static s64 %s;", g->name);
}

static void write_percpu(struct emitter *e, struct cwriter *w)
{
	bool any = e->keeps_matches;

	if (any) {
		cw_line(w, "#define STP_MATCH ((struct stp_match *)(%s + __builtin_offsetof(struct percpu, match)))",
			e->s->opt.bpf_runtime ? "STP_PERCPU(c)" : "c->percpu");
		cw_line(w, "struct percpu {");
		cw_line(w, "u64 match[(sizeof(struct stp_match) + 2 * STP_STRLEN + 7) / 8];");
	}
	for vec_each(&e->globals, g) {
		if (!emit_is_adder(g->var) && !is_scalar_stat(g->var))
			continue;
		if (!any)
			cw_line(w, "struct percpu {");
		any = true;
		if (emit_is_adder(g->var))
			cw_line(w, "u64 %s;", g->name);
		else
			cw_line(w, "s64 %s[(%s) / 8];", g->name, stat_size(g->var));
	}
	e->percpu = any;
	if (!any && e->s->opt.bpf_runtime)
		cw_line(w, "struct percpu { };");
	if (!any)
		return;
	cw_line(w, "};");
	cw_line(w, "#define PERCPU ((struct percpu *)%s)", e->s->opt.bpf_runtime ? "STP_PERCPU(c)" : "c->percpu");
	if (e->percpu_offsets)
		cw_line(w, "#define PERCPU_OFFSET(global) __builtin_offsetof(struct percpu, global)");
	cw_blank(w);
}

static void write_global(struct emitter *e, struct cwriter *w, const struct global *g)
{
	const struct var *v = g->var;

	cw_line(w, "/* global %s at %s */", v->name, emit_comment_text(emit_location_text(v->loc)));
	if (v->type == T_STATS)
		write_stat_desc(e, w, g);
	if (v->arity > 0)
		write_map(e, w, g);
	else if (v->type == T_STATS)
		cw_line(w, "static struct stp_scalar_stat %s = { .name = \"%s\", .desc = %s_DESC, "
			".offset = __builtin_offsetof(struct percpu, %s) };", g->name, v->name, g->name, g->name);
	else
		write_scalar(e, w, g);
	if (g->locked && e->s->opt.bpf_runtime)
		cw_line(w, "STP_LOCK(lock_%s, %d);", g->name + 2, emit_bpf_lock_number(e, g));
	if (v->arity > 0 && e->s->opt.bpf_runtime)
		emit_bpf_map(e, w, g, stat_size(v), map_capacity(e, v));
	if (g->locked && !e->s->opt.bpf_runtime)
		cw_line(w, "static struct stp_lock lock_%s%s;", g->name + 2,
			access_is_merged(v) ? " = { .added = true }" : "");
}

void emit_storage(struct emitter *e, struct cwriter *w)
{
	write_percpu(e, w);
	for vec_each(&e->globals, g)
		write_global(e, w, g);
	if (e->globals.n)
		cw_blank(w);
}

static bool is_map(const struct var *v)
{
	return v->arity > 0;
}

static int write_pointers(struct emitter *e, struct cwriter *w, const char *head, bool (*wanted)(const struct var *))
{
	int n = 0;

	for vec_each(&e->globals, g) {
		if (!wanted(g->var))
			continue;
		if (!n++)
			cw_line(w, "%s = {", head);
		cw_line(w, "&%s,", g->name);
	}
	if (n)
		cw_line(w, "};");
	return n;
}

static int write_settable(struct emitter *e, struct cwriter *w)
{
	int n = 0;

	for vec_each(&e->globals, g) {
		if (is_map(g->var) || g->var->type == T_STATS || g->var->is_copy)
			continue;
		if (!n++)
			cw_line(w, "static const struct stp_global stp_globals[] = {");
		cw_line(w, "{ \"%s\", %s, %s%s },", g->var->name,
			g->var->type == T_STRING ? "STP_STRING" : "STP_LONG",
			g->var->type == T_STRING ? "" : "&", g->name);
	}
	if (n)
		cw_line(w, "};");
	return n;
}

void emit_global_tables(struct emitter *e, struct cwriter *w)
{
	e->maps = write_pointers(e, w, "static struct stp_map *const stp_maps[]", is_map);
	e->stats = write_pointers(e, w, "static struct stp_scalar_stat *const stp_stats[]", is_scalar_stat);
	e->settable = write_settable(e, w);
	if (!e->foreachs)
		return;
	cw_line(w, "static struct stp_foreach *const stp_foreachs[] = {");
	for (int i = 1; i <= e->foreachs; i++)
		cw_line(w, "&foreach%d,", i);
	cw_line(w, "};");
}
