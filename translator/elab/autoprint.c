// SPDX-License-Identifier: GPL-2.0-or-later
// Prints at the end of the script the globals that it writes and never reads. In: typed globals with var.autoprint
// set. Out: one more `end` probe, after all others, as a tree.
//
//   n=5   s="a\nb"   st @count=2 @min=1 @max=4 @sum=5 @avg=2   a["k",3]=v, largest value first
#include "elab/elab.h"
#include "util/str.h"

#include <string.h>

enum { MAX_TOGETHER = 8 };         // numbers that one printf prints

static const char *const after_all_others = "9223372036854775807";

static struct expr *var_ref(struct var *v)
{
	struct expr *e = expr_new(E_VAR, v->loc);

	e->u.var.name = v->name;
	e->u.var.decl = v;
	return e;
}

// Returns v or v[k1, k2].
static struct expr *operand(struct var *v, const expr_vec *keys)
{
	struct expr *e;

	if (!keys->n)
		return var_ref(v);
	e = expr_new(E_INDEX, v->loc);
	e->u.index.name = v->name;
	e->u.index.decl = v;
	for vec_each(keys, k)
		vec_push(&e->u.index.keys, expr_copy(*k));
	return e;
}

// ---------------------------------------------------------------- printf

static struct expr *printf_new(struct loc loc)
{
	struct expr *e = expr_new(E_PRINT, loc);

	e->u.print.kind = PRINT_PRINTF;
	e->u.print.word = "printf";
	return e;
}

static void add_text(struct expr *p, const char *text)
{
	struct format_piece piece = { .text = text, .len = strlen(text), .width = -1, .precision = -1 };
	struct format_piece *last = p->u.print.format.n ? &p->u.print.format.at[p->u.print.format.n - 1] : NULL;

	if (last && !last->conv) {
		last->text = str_printf("%s%s", last->text, text);
		last->len += piece.len;
		return;
	}
	vec_push(&p->u.print.format, piece);
}

static void add_value(struct expr *p, struct expr *value, char conv, char flag)
{
	struct format_piece piece = { .conv = conv, .flag = flag, .width = -1, .precision = -1 };

	vec_push(&p->u.print.format, piece);
	vec_push(&p->u.print.args, value);
}

static void add_typed(struct expr *p, struct expr *value, enum type type, const struct di_type *dtype)
{
	bool pointer = dtype && dtype->kind == DI_POINTER;

	if (type == T_STRING) {
		add_text(p, "\"");
		add_value(p, value, 's', '#');
		add_text(p, "\"");
	} else {
		add_value(p, value, pointer ? 'x' : 'd', pointer ? '#' : 0);
	}
}

static struct expr *stat_of(struct var *v, const expr_vec *keys, unsigned op)
{
	struct expr *e = expr_new(E_STAT, v->loc);

	e->u.stat.op = op;
	e->u.stat.of = operand(v, keys);
	return e;
}

static void add_stats(struct expr *p, struct var *v, const expr_vec *keys)
{
	static const struct {
		const char *text;
		unsigned op;
	} parts[] = {
		{ " @count=", STAT_COUNT }, { " @min=", STAT_MIN }, { " @max=", STAT_MAX },
		{ " @sum=", STAT_SUM }, { " @avg=", STAT_AVG },
	};

	for (int i = 0; i < (int)ARRAY_SIZE(parts); i++) {
		add_text(p, parts[i].text);
		add_value(p, stat_of(v, keys, parts[i].op), 'd', 0);
	}
}

// "name" or "name[k1,k2]", then the value.
static void add_line(struct expr *p, struct var *v, const expr_vec *keys, struct expr *value)
{
	add_text(p, v->name);
	for (int i = 0; i < keys->n; i++) {
		add_text(p, i ? "," : "[");
		add_typed(p, expr_copy(keys->at[i]), v->key_types[i], NULL);
	}
	if (keys->n)
		add_text(p, "]");
	if (v->type == T_STATS) {
		add_stats(p, v, keys);
	} else {
		add_text(p, "=");
		add_typed(p, value ? value : operand(v, keys), v->type, v->dtype);
	}
	add_text(p, "\n");
}

static struct stmt *show(struct var *v, const expr_vec *keys, struct expr *value)
{
	struct stmt *s = stmt_new(S_EXPR, v->loc);

	s->u.expr = printf_new(v->loc);
	add_line(s->u.expr, v, keys, value);
	return s;
}

// ---------------------------------------------------------------- statements

// @min of an empty statistic would be an error: if (@count(v)) ... else "v @count=0".
static struct stmt *show_stats(struct var *v)
{
	struct stmt *s = stmt_new(S_IF, v->loc), *empty = stmt_new(S_EXPR, v->loc);
	expr_vec none = { 0 };

	s->u.if_.c = stat_of(v, &none, STAT_COUNT);
	s->u.if_.then = show(v, &none, NULL);
	empty->u.expr = printf_new(v->loc);
	add_text(empty->u.expr, str_printf("%s @count=0\n", v->name));
	s->u.if_.other = empty;
	return s;
}

// Makes a local of the probe, with a number that makes its name unique.
static struct expr *fresh(struct probe *p, struct var *v, const char *what, enum type type)
{
	struct var *local = NEW(struct var);

	local->name = str_printf("%s_%s%d", v->name, what, p->locals.n);
	local->loc = v->loc;
	local->kind = VAR_LOCAL;
	local->type = type;
	vec_push(&p->locals, local);
	return var_ref(local);
}

static struct stmt *show_array(struct probe *p, struct var *v)
{
	struct stmt *s = stmt_new(S_FOREACH, v->loc);
	expr_vec keys = { 0 };

	for (int i = 0; i < v->arity; i++)
		vec_push(&keys, fresh(p, v, "key", v->key_types[i]));
	for vec_each(&keys, k)
		vec_push(&s->u.foreach.keys, *k);
	s->u.foreach.array = v->name;
	s->u.foreach.array_loc = v->loc;
	s->u.foreach.decl = v;
	s->u.foreach.sort_dir = -1;
	if (v->type == T_STATS) {
		s->u.foreach.sort_stat = STAT_COUNT;
		s->u.foreach.body = show(v, &keys, NULL);
	} else {
		s->u.foreach.value = fresh(p, v, "value", v->type);
		s->u.foreach.body = show(v, &keys, expr_copy(s->u.foreach.value));
	}
	return s;
}

static struct probe *end_probe(struct session *s)
{
	struct probe_decl *d = NEW(struct probe_decl);
	struct probe_point *point = NEW(struct probe_point);
	struct point_part part = { .name = "end", .arg_kind = ARG_NUMBER, .text = after_all_others };
	int before = s->script.probes.n;

	part.number = INT64_MAX;
	vec_push(&point->parts, part);
	vec_push(&d->points, point);
	d->body = stmt_new(S_BLOCK, (struct loc){ 0 });
	vec_push(&s->script.probe_decls, d);
	match_new_decls(s);
	return s->script.probes.n > before ? s->script.probes.at[before] : NULL;
}

bool autoprint_add(struct session *s)
{
	struct probe *p = NULL;
	struct expr *numbers = NULL;       // the printf of numbers directly before, for more of them

	for (int i = 0; i < s->script.globals.n; i++) {
		struct var *v = s->script.globals.at[i];
		expr_vec none = { 0 };
		struct stmt *shown;

		if (!v->autoprint)
			continue;
		if (!p)
			p = end_probe(s);
		if (v->dtype && !session_since(s, v->loc, "1.4", "showing a pointer in hexadecimal"))
			v->dtype = NULL;
		if (numbers && !v->arity && v->type == T_LONG && numbers->u.print.args.n < MAX_TOGETHER) {
			add_line(numbers, v, &none, NULL);
			continue;
		}
		if (v->arity)
			shown = show_array(p, v);
		else
			shown = v->type == T_STATS ? show_stats(v) : show(v, &none, NULL);
		numbers = !v->arity && v->type == T_LONG ? shown->u.expr : NULL;
		vec_push(&p->body->u.block, shown);
	}
	if (p)
		bind_names_of_probe(s, p);
	return p != NULL;
}
