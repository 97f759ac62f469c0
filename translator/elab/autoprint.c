// SPDX-License-Identifier: GPL-2.0-or-later
// Prints at the end of the script the globals that it writes and never reads. In: typed globals with var.autoprint
// set. Out: one more `end` probe, after all others, as a tree.
//
//   n=5   s="a\nb"   a["k",3]=v, largest value first
//
// Statistics are a table with a row for each key, largest count first, then the histogram of each key. Its head names
// the unit if it follows from the values that the script adds. If it only adds 1, the table has counts alone,
// and no histogram is collected. --compatible prints a line for each key: a["k"] @count=2 @min=1 @max=4 @sum=5 @avg=2
#include "elab/display.h"
#include "elab/elab.h"
#include "util/str.h"

#include <string.h>

enum { MAX_TOGETHER = 16, MAX_NAMES = 1024 };      // numbers that one printf prints; characters of their names

static const char *const after_all_others = "9223372036854775807";

static struct expr *var_ref(struct var *v)
{
	struct expr *e = expr_new(E_VAR, v->loc);

	e->u.var.name = v->name;
	e->u.var.decl = v;
	return e;
}

// Returns v or v[k1, k2].
struct expr *display_operand(struct var *v, const expr_vec *keys)
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

struct expr *display_printf(struct loc loc)
{
	struct expr *e = expr_new(E_PRINT, loc);

	e->u.print.kind = PRINT_PRINTF;
	e->u.print.word = "printf";
	return e;
}

void display_add_text(struct expr *p, const char *text)
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

void display_add_value(struct expr *p, struct expr *value, char conv, uint8_t flags)
{
	struct format_piece piece = { .conv = conv, .flags = flags, .width = -1, .precision = -1 };

	vec_push(&p->u.print.format, piece);
	vec_push(&p->u.print.args, value);
}

static void add_typed(struct expr *p, struct expr *value, enum type type, const struct di_type *dtype)
{
	bool pointer = dtype && dtype->kind == DI_POINTER;

	if (type == T_STRING) {
		display_add_text(p, "\"");
		display_add_value(p, value, 's', STP_FLAG_ALTERNATE);
		display_add_text(p, "\"");
	} else {
		display_add_value(p, value, pointer ? 'x' : 'd', pointer ? STP_FLAG_ALTERNATE : 0);
	}
}

struct expr *display_stat(struct var *v, const expr_vec *keys, unsigned op)
{
	struct expr *e = expr_new(E_STAT, v->loc);

	e->u.stat.op = op;
	e->u.stat.of = display_operand(v, keys);
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
		display_add_text(p, parts[i].text);
		display_add_value(p, display_stat(v, keys, parts[i].op), 'd', 0);
	}
}

// "name" or "name[k1,k2]"
void display_add_name(struct expr *p, struct var *v, const expr_vec *keys)
{
	display_add_text(p, v->name);
	for (int i = 0; i < keys->n; i++) {
		display_add_text(p, i ? "," : "[");
		add_typed(p, expr_copy(keys->at[i]), v->key_types[i], NULL);
	}
	if (keys->n)
		display_add_text(p, "]");
}

// the name, then the value
void display_add_line(struct expr *p, struct var *v, const expr_vec *keys, struct expr *value)
{
	display_add_name(p, v, keys);
	if (v->type == T_STATS) {
		add_stats(p, v, keys);
	} else {
		display_add_text(p, "=");
		add_typed(p, value ? value : display_operand(v, keys), v->type, v->dtype);
	}
	display_add_text(p, "\n");
}

static struct stmt *show(struct var *v, const expr_vec *keys, struct expr *value)
{
	struct stmt *s = stmt_new(S_EXPR, v->loc);

	s->u.expr = display_printf(v->loc);
	display_add_line(s->u.expr, v, keys, value);
	return s;
}

// ---------------------------------------------------------------- statements

// Returns "if (@count(v)) ... else print v @count=0", since @min of an empty statistic is an error.
static struct stmt *show_stats(struct var *v)
{
	struct stmt *s = stmt_new(S_IF, v->loc), *empty = stmt_new(S_EXPR, v->loc);
	expr_vec none = { 0 };

	s->u.if_.c = display_stat(v, &none, STAT_COUNT);
	s->u.if_.then = show(v, &none, NULL);
	empty->u.expr = display_printf(v->loc);
	display_add_text(empty->u.expr, str_printf("%s @count=0\n", v->name));
	s->u.if_.other = empty;
	return s;
}

// Makes a local of the probe, with a number that makes its name unique.
struct expr *display_local(struct probe *p, struct var *v, const char *what, enum type type)
{
	struct var *local = NEW(struct var);

	local->name = str_printf("%s_%s%d", v->name, what, p->locals.n);
	local->loc = v->loc;
	local->kind = VAR_LOCAL;
	local->type = type;
	vec_push(&p->locals, local);
	return var_ref(local);
}

// Returns a loop over v, whose body is yet to be set; the keys are added to `keys`.
struct stmt *display_loop(struct probe *p, struct var *v, expr_vec *keys)
{
	struct stmt *s = stmt_new(S_FOREACH, v->loc);

	for (int i = 0; i < v->arity; i++)
		vec_push(keys, display_local(p, v, "key", v->key_types[i]));
	for vec_each(keys, k)
		vec_push(&s->u.foreach.keys, *k);
	s->u.foreach.array = v->name;
	s->u.foreach.array_loc = v->loc;
	s->u.foreach.decl = v;
	s->u.foreach.sort_dir = -1;
	if (v->type == T_STATS)
		s->u.foreach.sort_stat = STAT_COUNT;
	return s;
}

static struct stmt *show_array(struct probe *p, struct var *v)
{
	expr_vec keys = { 0 };
	struct stmt *s = display_loop(p, v, &keys);

	if (v->type == T_STATS) {
		s->u.foreach.body = show(v, &keys, NULL);
	} else {
		s->u.foreach.value = display_local(p, v, "value", v->type);
		s->u.foreach.body = show(v, &keys, expr_copy(s->u.foreach.value));
	}
	return s;
}

// ---------------------------------------------------------------- tables of statistics

static const struct {
	const char *title;
	unsigned op;
	int width;
} columns[] = {
	{ "count", STAT_COUNT, 10 }, { "min", STAT_MIN, 12 }, { "avg", STAT_AVG, 12 }, { "max", STAT_MAX, 12 },
	{ "sum", STAT_SUM, 16 },
};

enum { NAME_WIDTH = 28 };

struct stmt *display_statement(struct expr *e)
{
	struct stmt *s = stmt_new(S_EXPR, e->loc);

	s->u.expr = e;
	return s;
}

static const char *title_of(const struct var *v)
{
	return v->label ? v->label : v->name;
}

static struct stmt *table_head(const struct var *v)
{
	struct expr *p = display_printf(v->loc);
	struct buf b = { 0 };

	buf_printf(&b, "%-*s", NAME_WIDTH, v->unit ? str_printf("%s (%s)", title_of(v), v->unit) : title_of(v));
	for (int i = 0; i < (v->varies ? (int)ARRAY_SIZE(columns) : 1); i++)
		buf_printf(&b, " %*s", columns[i].width, columns[i].title);
	display_add_text(p, str_printf("%s\n", buf_text(&b)));
	return display_statement(p);
}

static struct stmt *table_row(struct var *v, const expr_vec *keys, int ncolumns)
{
	struct expr *p = display_printf(v->loc), *name = display_printf(v->loc);

	name->u.print.word = "sprintf";
	name->u.print.to_string = true;
	if (keys->n)
		display_add_name(name, v, keys);
	else
		display_add_text(name, " ");
	display_add_value(p, name, 's', STP_FLAG_LEFT);
	p->u.print.format.at[0].width = NAME_WIDTH;
	for (int i = 0; i < ncolumns; i++) {
		display_add_text(p, " ");
		display_add_value(p, display_stat(v, keys, columns[i].op), 'd', 0);
		p->u.print.format.at[p->u.print.format.n - 1].width = columns[i].width;
	}
	display_add_text(p, "\n");
	return display_statement(p);
}

static struct stmt *histogram(struct var *v, const expr_vec *keys, const char *unit)
{
	struct stmt *block = stmt_new(S_BLOCK, v->loc);
	struct expr *title = display_printf(v->loc), *hist = expr_new(E_HIST, v->loc), *print = expr_new(E_PRINT, v->loc);

	display_add_name(title, v, keys);
	display_add_text(title, unit ? str_printf(" (%s)\n", unit) : "\n");
	hist->u.stat.op = STAT_HIST_LOG;
	hist->u.stat.of = display_operand(v, keys);
	print->u.print.kind = PRINT_PRINT;
	print->u.print.word = "print";
	vec_push(&print->u.print.args, hist);
	vec_push(&block->u.block, display_statement(title));
	vec_push(&block->u.block, display_statement(print));
	return block;
}

// The row of an empty statistic has only the count, since @min of it is an error.
static void show_scalar_table(struct probe *p, struct var *v)
{
	struct stmt *s = stmt_new(S_IF, v->loc), *full = stmt_new(S_BLOCK, v->loc);
	expr_vec none = { 0 };

	vec_push(&full->u.block, table_row(v, &none, ARRAY_SIZE(columns)));
	vec_push(&full->u.block, histogram(v, &none, v->unit));
	s->u.if_.c = display_stat(v, &none, STAT_COUNT);
	s->u.if_.then = full;
	s->u.if_.other = table_row(v, &none, 1);
	vec_push(&p->body->u.block, table_head(v));
	vec_push(&p->body->u.block, v->varies ? s : table_row(v, &none, 1));
}

static void show_array_table(struct probe *p, struct var *v)
{
	expr_vec keys = { 0 }, again = { 0 };
	struct stmt *rows = display_loop(p, v, &keys), *histograms;

	rows->u.foreach.body = table_row(v, &keys, v->varies ? ARRAY_SIZE(columns) : 1);
	vec_push(&p->body->u.block, table_head(v));
	vec_push(&p->body->u.block, rows);
	if (!v->varies)
		return;
	histograms = display_loop(p, v, &again);
	histograms->u.foreach.body = histogram(v, &again, v->unit);
	vec_push(&p->body->u.block, histograms);
}

static void show_table(struct probe *p, struct var *v)
{
	if (v->arity)
		show_array_table(p, v);
	else
		show_scalar_table(p, v);
}

// ---------------------------------------------------------------- the probe

struct probe *display_probe(struct session *s, const struct point_part *parts, int n)
{
	struct probe_decl *d = NEW(struct probe_decl);
	struct probe_point *point = NEW(struct probe_point);
	int before = s->script.probes.n;

	for (int i = 0; i < n; i++)
		vec_push(&point->parts, parts[i]);
	vec_push(&d->points, point);
	d->body = stmt_new(S_BLOCK, (struct loc){ 0 });
	vec_push(&s->script.probe_decls, d);
	match_new_decls(s);
	return s->script.probes.n > before ? s->script.probes.at[before] : NULL;
}

static struct probe *end_probe(struct session *s)
{
	const struct point_part end = { .name = "end", .arg_kind = ARG_NUMBER, .text = after_all_others, .number = INT64_MAX };

	return display_probe(s, &end, 1);
}

bool autoprint_add(struct session *s)
{
	struct probe *p = NULL;
	struct expr *numbers = NULL;       // the preceding printf of numbers, to which more are added
	size_t names = 0;

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
		if (numbers && !v->arity && v->type == T_LONG && numbers->u.print.args.n < MAX_TOGETHER &&
		    names + strlen(v->name) <= MAX_NAMES) {
			display_add_line(numbers, v, &none, NULL);
			names += strlen(v->name);
			continue;
		}
		if (v->type == T_STATS && !s->opt.compatible_given) {
			show_table(p, v);
			numbers = NULL;
			continue;
		}
		if (v->arity)
			shown = show_array(p, v);
		else
			shown = v->type == T_STATS ? show_stats(v) : show(v, &none, NULL);
		numbers = !v->arity && v->type == T_LONG ? shown->u.expr : NULL;
		names = strlen(v->name);
		vec_push(&p->body->u.block, shown);
	}
	if (p)
		bind_names_of_probe(s, p);
	return p != NULL;
}
