// SPDX-License-Identifier: GPL-2.0-or-later
// --monitor: prints the globals while the script runs, for the screen. In: typed globals of the user's script. Out: a
// timer probe for each array, and one for the others. Their lines are those of autoprint.c:
//
//   n=5   a["k",3]=7   s["k"] @count=2 @sum=5 @avg=2, then the histogram of s["k"] if the script uses one
//
// Before the lines of an array comes "NAME --- LIMIT". Only LIMIT elements are printed, in the order of their values.
#include "elab/display.h"
#include "util/str.h"

#include <string.h>

enum { ELEMENTS_MAX = 200, ACTIONS_EACH = 5 };

static bool is_shown(const struct var *v)
{
	const struct source *source = v->loc.source;

	return source && !source->library && strcmp(source->name, MONITOR_SOURCE) && (v->written || v->read) &&
	       !v->only_on_hosts && (v->type == T_LONG || v->type == T_STRING || v->type == T_STATS);
}

static struct probe *timer_probe(struct session *s)
{
	const struct point_part parts[] = {
		{ .name = "timer" }, { .name = "s", .arg_kind = ARG_NUMBER, .text = s->opt.monitor },
	};
	struct point_part part[2];

	memcpy(part, parts, sizeof(part));
	str_number(s->opt.monitor, 1, INT64_MAX, &part[1].number);
	return display_probe(s, part, ARRAY_SIZE(part));
}

static int64_t elements_shown(struct session *s)
{
	int64_t allowed = session_limit(s, LIMIT_MAXACTION) / ACTIONS_EACH - 1;

	return allowed < 1 ? 1 : allowed < ELEMENTS_MAX ? allowed : ELEMENTS_MAX;
}

static struct stmt *head(struct session *s, struct var *v)
{
	struct expr *print = display_printf(v->loc);

	display_add_text(print, str_printf("%s --- %lld\n", v->name, (long long)elements_shown(s)));
	return display_statement(print);
}

// A hit needs extra time for the minimum and the maximum, so each is printed only if the script uses it.
static struct stmt *statistic_line(struct var *v, const expr_vec *keys)
{
	static const struct { const char *text; unsigned op; } parts[] = {
		{ " @count=", STAT_COUNT }, { " @sum=", STAT_SUM }, { " @avg=", STAT_AVG }, { " @min=", STAT_MIN },
		{ " @max=", STAT_MAX },
	};
	struct expr *print = display_printf(v->loc);

	display_add_name(print, v, keys);
	for (int i = 0; i < (int)ARRAY_SIZE(parts); i++) {
		if ((parts[i].op == STAT_MIN || parts[i].op == STAT_MAX) && !(v->stat_ops & parts[i].op))
			continue;
		display_add_text(print, parts[i].text);
		display_add_value(print, display_stat(v, keys, parts[i].op), 'd', 0);
	}
	display_add_text(print, "\n");
	return display_statement(print);
}

static struct stmt *histogram(struct var *v, const expr_vec *keys)
{
	struct expr *hist = expr_new(E_HIST, v->loc), *print = expr_new(E_PRINT, v->loc);

	hist->u.stat.op = v->stat_ops & (STAT_HIST_LOG | STAT_HIST_LINEAR);
	hist->u.stat.low = v->hist_low;
	hist->u.stat.high = v->hist_high;
	hist->u.stat.step = v->hist_step;
	hist->u.stat.of = display_operand(v, keys);
	print->u.print.kind = PRINT_PRINT;
	print->u.print.word = "print";
	vec_push(&print->u.print.args, hist);
	return display_statement(print);
}

static struct stmt *line(struct var *v, const expr_vec *keys, struct expr *value)
{
	struct stmt *block = stmt_new(S_BLOCK, v->loc);
	struct expr *print;

	if (v->type == T_STATS) {
		vec_push(&block->u.block, statistic_line(v, keys));
		if (v->stat_ops & (STAT_HIST_LOG | STAT_HIST_LINEAR))
			vec_push(&block->u.block, histogram(v, keys));
		return block;
	}
	print = display_printf(v->loc);
	display_add_line(print, v, keys, value);
	vec_push(&block->u.block, display_statement(print));
	return block;
}

// The average of an empty statistic is an error, so only the count is printed.
static struct stmt *scalar(struct var *v)
{
	struct stmt *s = stmt_new(S_IF, v->loc);
	expr_vec none = { 0 };

	if (v->type != T_STATS)
		return line(v, &none, NULL);
	s->u.if_.c = display_stat(v, &none, STAT_COUNT);
	s->u.if_.then = line(v, &none, NULL);
	return s;
}

static struct stmt *elements(struct session *s, struct probe *p, struct var *v)
{
	struct expr *value = NULL, *limit = expr_new(E_NUMBER, v->loc);
	expr_vec keys = { 0 };
	struct stmt *loop = display_loop(p, v, &keys);

	limit->u.number = elements_shown(s);
	loop->u.foreach.limit = limit;
	if (v->type != T_STATS) {
		loop->u.foreach.value = display_local(p, v, "value", v->type);
		value = expr_copy(loop->u.foreach.value);
	}
	loop->u.foreach.body = line(v, &keys, value);
	return loop;
}

static struct probe *show_array(struct session *s, struct var *v)
{
	struct probe *p = timer_probe(s);

	if (p) {
		vec_push(&p->body->u.block, head(s, v));
		vec_push(&p->body->u.block, elements(s, p, v));
		bind_names_of_probe(s, p);
	}
	return p;
}

bool monitor_add(struct session *s)
{
	struct probe *scalars = NULL;
	int n = s->script.globals.n;
	bool any = false;

	if (!s->opt.monitor)
		return false;
	for (int i = 0; i < n; i++) {
		struct var *v = s->script.globals.at[i];

		if (!is_shown(v))
			continue;
		any = true;
		if (v->arity > 0) {
			show_array(s, v);
			continue;
		}
		if (!scalars)
			scalars = timer_probe(s);
		if (scalars)
			vec_push(&scalars->body->u.block, scalar(v));
	}
	if (scalars)
		bind_names_of_probe(s, scalars);
	return any;
}
