// SPDX-License-Identifier: GPL-2.0-or-later
// Statistics: <<<, the operators that read them, histograms. A statistic is stored per CPU and merged to be read.
#include "emit/emitter.h"

#include <assert.h>

static struct var *var_of(const struct expr *of)
{
	return of->kind == E_VAR ? of->u.var.decl : of->u.index.decl;
}

const char *emit_stat_of(struct emitter *e, struct expr *of)
{
	const char *t;

	if (of->kind == E_VAR) {
		emit_require_write_lock(e, of->u.var.decl);
		emit_global(e, of->u.var.decl)->walked |= e->programs;
		emit_bpf_use(e, BPF_SCALARS);
		t = temp_text(e);
		cw_line(e->w, "%s = (const char *)stp_scalar_merge(c, &%s);", t,
			operand_global(e, OPERAND_GLOBAL, of->u.var.decl));
		emit_check(e, of->loc);
		return str_printf("(const struct stp_stat *)%s", t);
	}
	return emit_index(e, of).text;
}

// Returns the effects on which reading `of` depends: its keys may be locals.
static unsigned reads_of(const struct expr *of)
{
	return of->kind == E_VAR ? GLOBAL : ARRAY | GLOBAL | LOCAL | WORLD;
}

// Reading an empty statistic gives a count of 0 and, since version 1.5, a sum of 0; other operators fail.
bool emit_stat_fails(const struct emitter *e, const struct expr *x)
{
	return x->u.stat.op != STAT_COUNT &&
	       (x->u.stat.op != STAT_SUM || !session_since(e->s, x->loc, "1.5", "@sum() of an empty statistic"));
}

static const char *function_of(const struct expr *x)
{
	switch (x->u.stat.op) {
	case STAT_PERCENTILE: return "percentile";
	case STAT_VARIANCE: return "variance";
	default: return "get";
	}
}

struct value emit_stat(struct emitter *e, struct expr *x)
{
	static const struct { unsigned op; const char *name; } ops[] = {
		{ STAT_COUNT, ", STP_COUNT" }, { STAT_SUM, ", STP_SUM" }, { STAT_MIN, ", STP_MIN" },
		{ STAT_MAX, ", STP_MAX" }, { STAT_AVG, ", STP_AVG" }, { STAT_VARIANCE, "" },
		{ STAT_PERCENTILE, "" },
	};
	const char *op = NULL, *t, *get;
	bool strict;

	for (int i = 0; i < (int)ARRAY_SIZE(ops); i++)
		if (ops[i].op == x->u.stat.op)
			op = ops[i].name;
	assert(op);
	if (!emit_needs_context(e, x->loc))
		return value_number(0);
	get = emit_stat_of(e, x->u.stat.of);
	strict = emit_stat_fails(e, x);
	if (x->u.stat.op == STAT_PERCENTILE)
		op = str_printf(", %d", (int)x->u.stat.shift->u.number);
	else if (strict && x->u.stat.op == STAT_SUM)
		op = str_printf("%s | STP_NOT_EMPTY", op);
	get = str_printf("stp_stat_%s(c, %s, %s%s)", function_of(x), get, emit_desc(e, var_of(x->u.stat.of)), op);
	if (!strict)
		return value_text(reads_of(x->u.stat.of), true, "%s", get);
	t = temp_long(e);
	cw_line(e->w, "%s = %s;", t, get);
	emit_check(e, x->loc);
	return value_text(0, true, "%s", t);
}

// Reads @hist_log(x)[i].
struct value emit_bucket(struct emitter *e, struct expr *x)
{
	struct expr *of = x->u.index.hist->u.stat.of;
	const char *t, *stat;
	struct value i;

	if (!emit_needs_context(e, x->loc))
		return value_number(0);
	i = emit_expr(e, x->u.index.keys.at[0]);
	if (i.reads & emit_effects(e, of))
		i = value_keep(e, i, T_LONG);
	stat = emit_stat_of(e, of);
	t = temp_long(e);
	cw_line(e->w, "%s = stp_hist_get(c, %s, %s, %s);", t, stat, emit_desc(e, var_of(of)), value_long(i));
	emit_check(e, x->loc);
	return value_text(0, true, "%s", t);
}

// Evaluates "i in @hist_log(x)": whether that bucket exists.
struct value emit_in_hist(struct emitter *e, struct expr *x)
{
	struct value i = emit_expr(e, x->u.index.keys.at[0]), v;
	int64_t n = emit_buckets(var_of(x->u.index.hist->u.stat.of));

	v = value_text(i.reads, false, "(u64)%s < %lld", value_operand(i), (long long)n);
	v.boolean = true;
	return v;
}

void emit_stat_add(struct emitter *e, struct expr *l, struct value *keys, struct value v)
{
	struct var *var = var_of(l);
	const char *to;

	if (keys) {
		to = emit_put(e, l, keys);
	} else {
		if (!emit_needs_context(e, l->loc))
			return;
		to = str_printf("(struct stp_stat *)%s", operand_global(e, OPERAND_PERCPU, var));
	}
	cw_line(e->w, "stp_stat_add(%s, %s, %s);", to, emit_desc(e, var), value_long(v));
}

// Writes the loop over the buckets in the order of their counts. Values that are added meanwhile may change the
// order, so the number of passes is limited, too.
static void by_count(struct emitter *e, struct stmt *st, const char *b, long long n, const char *more)
{
	struct expr *of = st->u.foreach.hist->u.stat.of;
	const char *left = temp_long(e), *stat = temp_text(e), *next;

	cw_line(e->w, "%s = (const char *)%s;", stat, emit_stat_of(e, of));
	next = str_printf("stp_hist_next(c, (const struct stp_stat *)%s, %s, %d, ", stat, emit_desc(e, var_of(of)),
			  st->u.foreach.sort_dir);
	cw_line(e->w, "for (%s = %lld, %s = %s-1); %s >= 0 && %s-- > 0%s; %s = %s%s)) {", left, n, b, next, b, left,
		more, b, next, b);
}

// Writes foreach (b in @hist_log(x)) over bucket numbers.
void emit_foreach_bucket(struct emitter *e, struct stmt *st)
{
	struct expr *of = st->u.foreach.hist->u.stat.of;
	struct loop loop = { .outer = e->body->loop };
	const char *b = temp_long(e), *more = "";
	struct work_mark pass;
	long long n = emit_buckets(var_of(of));

	if (e->body->loops_are_functions) {
		emit_bucket_function(e, st, st->u.foreach.limit ? value_long(emit_expr(e, st->u.foreach.limit)) :
				     str_printf("%lld", n), n);
		return;
	}
	if (st->u.foreach.limit) {
		const char *left = temp_long(e);

		cw_line(e->w, "%s = %s;", left, value_long(emit_expr(e, st->u.foreach.limit)));
		more = str_printf(" && %s-- > 0", left);
	}
	if (st->u.foreach.sort_dir && !st->u.foreach.sort_key)
		by_count(e, st, b, n, more);
	else if (st->u.foreach.sort_dir < 0)
		cw_line(e->w, "for (%s = %lld; %s >= 0%s; %s--) {", b, n - 1, b, more, b);
	else
		cw_line(e->w, "for (%s = 0; %s < %lld%s; %s++) {", b, b, n, more, b);
	emit_actions(e, emit_count_stmts(st->u.foreach.body) + 1, st->loc);
	pass = work_begin(e);
	emit_store(e, st->u.foreach.keys.at[0]->u.var.decl, value_text(LOCAL, true, "%s", b));
	e->body->loop = &loop;
	emit_stmt(e, st->u.foreach.body);
	e->body->loop = loop.outer;
	work_end(e, pass, 1, st->loc);
	cw_line(e->w, "}");
}
