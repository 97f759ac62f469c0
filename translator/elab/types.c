// SPDX-License-Identifier: GPL-2.0-or-later
// Type inference. In: a bound tree without target variables. Out: every expression that gives a
// value is T_LONG or T_STRING, every variable has a type, or an error reports why not.
//
// infer_*() take the type that the context requires and assign it to operands that have none; an operand that has a
// type passes it to its context. The whole script is visited until no further type is determined. Then a last round
// reports: a mismatch shows the location and, as a note, the location that determined the other type.
//
// Longs also carry the debuginfo type they came with (dtype). When those have settled, accesses
// like x->f are resolved, which may determine more of them, and another round begins.
#include "elab/elab.h"
#include "elab/infer.h"
#include "elab/target.h"
#include "parse/parse.h"
#include "session/passes.h"
#include "util/str.h"

#include <string.h>

static const struct want want_any = { .type = T_UNKNOWN };
static const struct want want_nothing = { .nothing = true };
static struct di_type mixed;       // stands for several different debuginfo types

static struct want want(enum type type, const char *why)
{
	return (struct want){ .type = type, .why = why };
}

// Formats the reason for a required type, only in the round that reports.
#define WHY(t, ...) ((t)->report ? str_printf(__VA_ARGS__) : "")

static struct want want_as(const struct infer *t, const struct var *v)
{
	return (struct want){ .type = v->type, .why = WHY(t, "\"%s\" is a", v->name), .loc = v->type_loc };
}

// ---------------------------------------------------------------- learning

static void learn(struct infer *t, enum type *to, struct loc *at, enum type type, struct loc loc)
{
	if (*to != T_UNKNOWN || type == T_UNKNOWN)
		return;
	*to = type;
	*at = loc;
	t->learned = true;
}

static struct di_type *known(struct di_type *dtype)
{
	return dtype == &mixed ? NULL : dtype;
}

static void merge_dtype(struct infer *t, struct di_type **to, struct di_type *from)
{
	if (!from || *to == from || *to == &mixed)
		return;
	if (*to && di_same_type(*to, from))
		return;
	*to = *to ? &mixed : from;
	t->learned = true;
}

static void set_dtype(struct infer *t, struct expr *e, struct di_type *dtype)
{
	if (e->dtype == dtype)
		return;
	e->dtype = dtype;
	t->learned = true;
}

static struct var *decl_of(const struct expr *e)
{
	if (e->kind == E_VAR)
		return e->u.var.decl;
	return e->kind == E_INDEX ? e->u.index.decl : NULL;
}

// ---------------------------------------------------------------- messages

static void mismatch(struct infer *t, const struct expr *e, enum type found, struct want w)
{
	struct var *v = decl_of(e);

	if (!t->report || (v && v->type == T_STATS)) // refuse_stats() has reported it
		return;
	diag_error(e->loc, "type mismatch (%s vs. %s): %s %s%s", type_name(found), type_name(w.type), w.why,
		   type_name(w.type), target_value_advice(e->loc, e->dtype ? e->dtype : w.dtype, w.why));
	if (w.loc.source)
		diag_note(w.loc, "%s %s because of this use", w.why, type_name(w.type));
	if (v && v->type_loc.source)
		diag_note(v->type_loc, "\"%s\" is a %s because of this use", v->name, type_name(v->type));
}

// Reports a variable once: from then on it counts as a long.
static void unresolved_var(struct infer *t, struct expr *e, struct var *v)
{
	if (!t->report)
		return;
	// The statement that determines the type may be missing, or in a library function that is not called.
	if (t->s->incomplete || (t->in_unused && v->set_by_removed) || (e->loc.source && e->loc.source->library)) {
		v->type = T_LONG;
		return;
	}
	access_count_uses(t->s);
	declarations_unresolved(t->s, e->loc, v, t->func, t->probe);
}

// Reports a statistic where a value is required.
static bool refuse_stats(struct infer *t, const struct expr *e, const struct var *v)
{
	if (v->type != T_STATS)
		return false;
	if (t->report)
		diag_error(e->loc, "\"%s\" is a statistic: use @count, @sum, @min, @max or @avg to read it, @hist_log in print(), "
			   "\"<<<\" to add to it", v->name);
	return true;
}

// ---------------------------------------------------------------- variables

static void infer_keys(struct infer *t, struct var *v, expr_vec *keys)
{
	for (int i = 0; i < keys->n && i < v->arity; i++) {
		struct want w = { .type = v->key_types[i], .loc = v->key_locs[i] };

		if (!keys->at[i])
			continue;
		w.why = WHY(t, "index %d of \"%s\" is a", i + 1, v->name);
		infer_expr(t, &keys->at[i], w);
		learn(t, &v->key_types[i], &v->key_locs[i], keys->at[i]->type, keys->at[i]->loc);
		merge_dtype(t, &v->key_dtypes[i], keys->at[i]->dtype);
		if (t->report)
			target_warn_address(keys->at[i], "this key is");
	}
}

// Infers a scalar or an element, as a value or as the left side of an assignment.
static enum type infer_var(struct infer *t, struct expr *e, struct want w)
{
	struct var *v = decl_of(e);

	if (e->kind == E_INDEX)
		infer_keys(t, v, &e->u.index.keys);
	if (refuse_stats(t, e, v))
		return T_LONG;
	learn(t, &v->type, &v->type_loc, w.type, e->loc);
	if (v->type == T_UNKNOWN)
		unresolved_var(t, e, v);
	set_dtype(t, e, known(v->dtype));
	return v->type;
}

// Infers the operand of @count and similar operators, and of "<<<".
static void infer_stat_operand(struct infer *t, struct expr *e, const char *op)
{
	struct var *v = decl_of(e);

	if (e->kind == E_INDEX)
		infer_keys(t, v, &e->u.index.keys);
	learn(t, &v->type, &v->type_loc, T_STATS, e->loc);
	if (v->type != T_STATS)
		mismatch(t, e, v->type, want(T_STATS, WHY(t, "\"%s\" wants", op)));
	e->type = T_STATS;
}

// ---------------------------------------------------------------- operators

// Infers two operands that must agree: sides of a comparison or an assignment, arms of "?:".
static enum type infer_same(struct infer *t, struct expr **l, struct expr **r, struct want w, const char *why)
{
	struct var *v;
	struct want wr = w;

	infer_expr(t, l, w);
	if ((*l)->type != T_UNKNOWN) {
		v = decl_of(*l);
		wr = v ? want_as(t, v) : want((*l)->type, why);
		wr.dtype = (*l)->dtype;
	}
	infer_expr(t, r, wr);
	if ((*l)->type == T_UNKNOWN && (*r)->type != T_UNKNOWN && !t->report)
		infer_expr(t, l, want((*r)->type, why));
	return (*l)->type != T_UNKNOWN ? (*l)->type : (*r)->type;
}

static enum type infer_binary(struct infer *t, struct expr *e)
{
	enum tok op = e->u.bin.op;
	const char *why;

	switch (op) {
	case TOK_LT: case TOK_LE: case TOK_GT: case TOK_GE: case TOK_EQ: case TOK_NE:
		infer_same(t, &e->u.bin.l, &e->u.bin.r, want_any,
			   WHY(t, "the other side of \"%s\" is a", tok_text(op)));
		return T_LONG;
	case TOK_DOT:
		infer_expr(t, &e->u.bin.l, want(T_STRING, "\".\" requires a"));
		infer_expr(t, &e->u.bin.r, want(T_STRING, "\".\" requires a"));
		return T_STRING;
	default:
		why = WHY(t, "\"%s\" requires a", tok_text(op));
		infer_expr(t, &e->u.bin.l, want(T_LONG, why));
		infer_expr(t, &e->u.bin.r, want(T_LONG, why));
		return T_LONG;
	}
}

static enum type infer_plain_assign(struct infer *t, struct expr *e, struct want w)
{
	struct var *v = decl_of(e->u.bin.l);
	enum type type;

	if (v && v->type == T_STATS) {
		if (t->report)
			diag_error(e->loc, "\"%s\" is a statistic: it cannot be assigned to, add to it with \"<<<\"",
				   v->name);
		return T_LONG;
	}
	w.nothing = false;
	type = infer_same(t, &e->u.bin.l, &e->u.bin.r, w, "the other side of \"=\" is a");
	if (v)
		merge_dtype(t, &v->dtype, e->u.bin.r->dtype);
	set_dtype(t, e, e->u.bin.r->dtype);
	return type;
}

// The function adds a value if it is STAP_GLOBAL_SET_x(v) of a statistic.
static void fit_accessor(struct infer *t, struct expr *e)
{
	struct var *v = decl_of(e->u.bin.l);

	if (!t->func || !t->func->accessed || v != t->func->accessed || v->type != T_STATS)
		return;
	e->u.bin.op = TOK_STAT_ADD;
	t->learned = true;
}

static enum type infer_assign(struct infer *t, struct expr *e, struct want w)
{
	const char *why = WHY(t, "\"%s\" requires a", tok_text(e->u.bin.op));
	enum type type = e->u.bin.op == TOK_CONCAT_ASSIGN ? T_STRING : T_LONG;
	enum tok op;

	if (e->u.bin.op == TOK_ASSIGN)
		fit_accessor(t, e);
	op = e->u.bin.op;
	if (op == TOK_ASSIGN)
		return infer_plain_assign(t, e, w);
	if (op == TOK_STAT_ADD)
		infer_stat_operand(t, e->u.bin.l, "<<<");
	else
		infer_expr(t, &e->u.bin.l, want(type, why));
	infer_expr(t, &e->u.bin.r, want(type, why));
	return type;
}

static enum type infer_cond(struct infer *t, struct expr *e, struct want w)
{
	struct expr *a, *b;
	enum type type;

	infer_expr(t, &e->u.cond.c, want(T_LONG, "a condition is a"));
	if (w.nothing) {
		infer_expr(t, &e->u.cond.a, w);
		infer_expr(t, &e->u.cond.b, w);
		type = e->u.cond.a->type;
		return type == e->u.cond.b->type ? type : T_UNKNOWN;
	}
	type = infer_same(t, &e->u.cond.a, &e->u.cond.b, w, "the other side of \":\" is a");
	a = e->u.cond.a;
	b = e->u.cond.b;
	if (!a->dtype || !b->dtype || !strcmp(a->dtype->name, b->dtype->name))
		set_dtype(t, e, a->dtype ? a->dtype : b->dtype);
	return type;
}

// ---------------------------------------------------------------- calls

static bool visit_value(struct ast_walker *w, struct stmt **s)
{
	if ((*s)->kind == S_RETURN && (*s)->u.expr)
		*(bool *)w->data = true;
	return true;
}

static bool returns_value(struct func *f)
{
	bool found = false;
	struct ast_walker w = { .stmt = visit_value, .data = &found };

	if (!f->body)
		return embedded_word(f->embedded, "STAP_RETVALUE") || embedded_has_prefix(f->embedded, "STAP_RETURN");
	ast_walk_stmt(&w, &f->body);
	return found;
}

// All overloads have the call's arguments; the first one whose parameter type is known determines the required
// type. `$value = e` is already a call of a function here, which the script does not mention.
static struct want want_param(const struct infer *t, const struct expr *call, const struct func *f, int i)
{
	bool by_name = !str_starts(f->name, "__") || !call->loc.source || call->loc.source->library;
	struct want w = want_any;

	for (; f && w.type == T_UNKNOWN; f = f->next_overload) {
		struct var *p = f->params.at[i];

		w = want_as(t, p);
		w.why = by_name ? WHY(t, "parameter \"%s\" of \"%s\" is a", p->name, f->name) : "the value here is a";
		if (!by_name)
			w.loc = (struct loc){ 0 };
		else if (!w.loc.source)
			w.loc = p->loc;
	}
	return w;
}

void infer_arg(struct infer *t, struct expr *e, int i)
{
	struct expr **arg = &e->u.call.args.at[i];

	infer_expr(t, arg, want_param(t, e, e->u.call.target, i));
	for (struct func *f = e->u.call.target; f; f = f->next_overload) {
		struct var *p = f->params.at[i];

		learn(t, &p->type, &p->type_loc, (*arg)->type, (*arg)->loc);
		merge_dtype(t, &p->dtype, (*arg)->dtype);
		if (p->type != e->u.call.target->params.at[i]->type)
			mismatch(t, *arg, (*arg)->type, want_param(t, e, f, i));
	}
}

static void infer_args(struct infer *t, struct expr *e)
{
	for (int i = 0; i < e->u.call.args.n; i++)
		if (!e->u.call.args.at[i]->ignored || infer_ignored_arg(t, e, i))
			infer_arg(t, e, i);
}

static void no_value(struct infer *t, const struct expr *e, struct func *f)
{
	if (!t->report)
		return;
	if (returns_value(f))
		diag_error(e->loc, "unresolved type of function \"%s\"", f->name);
	else
		diag_error(e->loc, "\"%s\" returns no value", f->name);
	diag_note(f->loc, "\"%s\" is defined here", f->name);
}

static enum type infer_call(struct infer *t, struct expr *e, struct want w)
{
	struct func *first = e->u.call.target;

	infer_args(t, e);
	if (infer_broken_call(t, first))
		return first->type;
	for (struct func *f = first; f; f = f->next_overload) {
		if (f->type == T_UNKNOWN && w.type != T_UNKNOWN) // a function that returns nothing has the value 0 or ""
			learn(t, &f->type, &f->type_loc, w.type, e->loc);
		learn(t, &first->type, &first->type_loc, f->type, f->type_loc);
		if (f->type == T_UNKNOWN && returns_value(f))
			learn(t, &f->type, &f->type_loc, first->type, first->type_loc);
		if (t->report && f != first && f->type != first->type && !w.nothing) {
			diag_error(f->loc, "type mismatch (%s vs. %s): overloads of \"%s\" differ",
				   type_name(f->type), type_name(first->type), f->name);
			diag_note(first->loc, "the first overload is here");
		}
	}
	if (first->type == T_UNKNOWN && !w.nothing)
		no_value(t, e, first);
	set_dtype(t, e, known(first->dtype));
	return first->type;
}

// ---------------------------------------------------------------- printing

static void infer_printf(struct infer *t, struct expr *e)
{
	int next = 0, n = e->u.print.args.n;

	for vec_each(&e->u.print.format, p) {
		int stars = p->conv ? p->width_star + p->precision_star : 0;

		for (int i = 0; i < stars && next < n; i++)
			infer_expr(t, &e->u.print.args.at[next++], want(T_LONG, "\"*\" in a format requires a"));
		if (p->conv && next < n)
			infer_expr(t, &e->u.print.args.at[next++],
				   want(p->conv == 's' ? T_STRING : T_LONG,
					WHY(t, "%%%c requires a", p->conv)));
		if (t->report && next && p->conv && strchr("diu", p->conv))
			target_check_printed(e->u.print.args.at[next - 1]);
	}
}

static void infer_hist(struct infer *t, struct expr *e)
{
	infer_stat_operand(t, e->u.stat.of, e->u.stat.op == STAT_HIST_LOG ? "@hist_log" : "@hist_linear");
	e->type = T_STATS;
}

static enum type infer_print(struct infer *t, struct expr *e)
{
	expr_vec *args = &e->u.print.args;
	enum type type = e->u.print.to_string ? T_STRING : T_LONG;

	if (e->u.print.kind == PRINT_PRINTF) {
		infer_printf(t, e);
		return type;
	}
	for vec_each(args, arg) {
		bool plain = e->u.print.kind == PRINT_PRINT || e->u.print.kind == PRINT_PRINTLN;

		if ((*arg)->kind == E_HIST && args->n == 1 && plain)
			infer_hist(t, *arg);
		else
			infer_expr(t, arg, want_any);
		if (t->report)
			target_check_printed(*arg);
	}
	return type;
}

// ---------------------------------------------------------------- debuginfo

// "p[1]->f" was parsed as an access to the value p[1], which may be a struct: changes it to an access to p.
static void join_accesses(struct expr *e)
{
	struct expr *inner = e->u.access.base, joined = *e;

	if (inner->kind != E_ACCESS || inner->u.access.pretty || inner->u.access.address_of)
		return;
	join_accesses(inner);
	joined.u.access.base = inner->u.access.base;
	joined.u.access.comps.n = joined.u.access.comps.capacity = 0;
	joined.u.access.comps.at = NULL;
	for vec_each(&inner->u.access.comps, c)
		vec_push(&joined.u.access.comps, *c);
	for vec_each(&e->u.access.comps, c)
		vec_push(&joined.u.access.comps, *c);
	*e = joined;
}

static enum type infer_access(struct infer *t, struct expr **pe)
{
	struct expr *e = *pe, *made;
	struct expr *base;

	join_accesses(e);
	infer_expr(t, &e->u.access.base, want(T_LONG, "\"->\" and \"[]\" require a"));
	for vec_each(&e->u.access.comps, c)
		if (c->kind == COMP_INDEX)
			infer_expr(t, &c->index, want(T_LONG, "an index is a"));
	base = e->u.access.base;
	if (!base->dtype) {
		t->untyped |= t->resolve;
		if (t->report)
			declarations_refuse_access(t->s, e, t->probe);
		return e->u.access.pretty ? T_STRING : T_LONG;
	}
	if (!t->resolve)
		return e->u.access.pretty ? T_STRING : T_LONG;
	made = e->u.access.is_lvalue ? target_lvalue(base, e) : target_access(t->s, base, e);
	if (!made)                 // an error was reported, so later steps don't run
		made = expr_number(e->loc, 0);
	made->value_unused = e->value_unused;
	*pe = made;
	t->learned = true;
	return made->type ? made->type : T_LONG;
}

// Without a type name, the type is that of the value.
static enum type infer_enumname(struct infer *t, struct expr *e)
{
	struct expr *value;

	infer_expr(t, &e->u.cast.e, want(T_LONG, "@enumname requires a"));
	value = e->u.cast.e;
	if (!e->u.cast.type_name && value->dtype && value->dtype->kind == DI_ENUM)
		set_dtype(t, e, value->dtype);
	if (t->report && !e->dtype)
		diag_error(e->loc, "the enum of this value cannot be determined: give it with @enumname(value, "
			   "\"type\")");
	return T_STRING;
}

static enum type infer_entry(struct infer *t, struct expr *e)
{
	const struct probe *p = t->probe ? t->probe : t->func ? t->func->probe : NULL;
	const struct expr *saved = p && e->u.entry.slot < p->entries.n ? p->entries.at[e->u.entry.slot] : NULL;

	if (saved)
		set_dtype(t, e, saved->dtype);
	if (saved && saved->type == T_UNKNOWN && !t->resolve && !t->report)
		return T_UNKNOWN;
	return saved && saved->type == T_STRING ? T_STRING : T_LONG;
}

// ---------------------------------------------------------------- expressions

static enum type infer_in(struct infer *t, struct expr *e)
{
	if (e->u.index.hist) {
		infer_hist(t, e->u.index.hist);
		for vec_each(&e->u.index.keys, k)
			if (*k)
				infer_expr(t, k, want(T_LONG, "the bucket of a histogram is a"));
	} else {
		infer_keys(t, e->u.index.decl, &e->u.index.keys);
	}
	return T_LONG;
}

static enum type infer_unary(struct infer *t, struct expr *e)
{
	infer_expr(t, &e->u.un.e, want(T_LONG, WHY(t, "\"%s\" requires a", tok_text(e->u.un.op))));
	return T_LONG;
}

static void check_size(const struct expr *e)
{
	int64_t n = e->u.number;

	if (n != 1 && n != 2 && n != 4 && n != 8)
		diag_error(e->loc, "invalid size %lld: 1, 2, 4 or 8 bytes can be read at once", (long long)n);
}

static enum type infer_raw(struct infer *t, struct expr *e)
{
	if (e->kind == E_REGISTER) {
		if (e->u.reg.number_expr)
			infer_expr(t, &e->u.reg.number_expr, want(T_LONG, "a register's number is a"));
		return T_LONG;
	}
	infer_expr(t, &e->u.deref.addr, want(T_LONG, "an address is a"));
	if (e->u.deref.size_expr)
		infer_expr(t, &e->u.deref.size_expr, want(T_LONG, "a size is a"));
	if (t->report && e->u.deref.size_expr && e->u.deref.size_expr->kind == E_NUMBER)
		check_size(e->u.deref.size_expr);
	return T_LONG;
}

static enum type infer_kind(struct infer *t, struct expr **pe, struct want w)
{
	struct expr *e = *pe;

	switch (e->kind) {
	case E_NUMBER: case E_CONST: case E_PERF: case E_STATIC: case E_OFFSET: return T_LONG;
	case E_STRING: return T_STRING;
	case E_EMBEDDED: return e->u.embedded->pragmas & PRAGMA_STRING ? T_STRING : T_LONG;
	case E_VAR: case E_INDEX: return infer_var(t, e, w);
	case E_CALL: return infer_call(t, e, w);
	case E_UNARY: case E_INCDEC: return infer_unary(t, e);
	case E_BINARY: case E_COND:
		if (e->waits)
			return infer_waiting(t, pe) ? infer_kind(t, pe, w) : e->kind == E_COND ? T_UNKNOWN : T_LONG;
		return e->kind == E_COND ? infer_cond(t, e, w) : infer_binary(t, e);
	case E_DEFINED:
		infer_defined(t, pe);
		return T_LONG;
	case E_ASSIGN: return infer_assign(t, e, w);
	case E_IN: case E_HIST_BUCKET: return infer_in(t, e);
	case E_PRINT: return infer_print(t, e);
	case E_ACCESS: return infer_access(t, pe);
	case E_ENTRY: return infer_entry(t, e);
	case E_REGISTER: case E_DEREF: return infer_raw(t, e);
	case E_REGEX:
		infer_expr(t, &e->u.regex.l, want(T_STRING, "a regular expression is matched with a"));
		return T_LONG;
	case E_STAT:
		infer_stat_operand(t, e->u.stat.of, "@count, @sum ...");
		return T_LONG;
	case E_ENUMNAME: return infer_enumname(t, e);
	case E_HIST: break;        // the parser accepts it only as an operand of infer_hist()
	case E_TARGET: case E_CAST: case E_ATVAR: case E_PROBEWRITE: case E_ENUM: case E_UNBOUND:
		if (t->report)
			diag_error(e->loc, "this requires debuginfo, which is not available here");
		return T_LONG;
	}
	return T_UNKNOWN;
}

void infer_expr(struct infer *t, struct expr **pe, struct want w)
{
	enum type type = infer_kind(t, pe, w);
	struct expr *e = *pe;

	if (e->type != type) {
		e->type = type;
		t->learned = true;
	}
	if (type != T_UNKNOWN && w.type != T_UNKNOWN && type != w.type)
		mismatch(t, e, type, w);
	if (t->report)
		target_check_arithmetic(e, t->func);
}

// ---------------------------------------------------------------- statements

static const struct want condition = { .type = T_LONG, .why = "a condition is a" };

static void foreach_checks(struct infer *t, const struct stmt *s, const struct var *v)
{
	if (s->u.foreach.sort_stat && v->type != T_STATS)
		diag_error(s->u.foreach.array_loc, "\"%s\" is not an array of statistics, so no @operator can sort it", v->name);
	if (s->u.foreach.value && v->type == T_STATS)
		diag_error(s->u.foreach.value->loc, "\"%s\" holds statistics: foreach cannot yield them as values; use "
			   "@count(%s[...]) and so on", v->name, v->name);
}

static void foreach_keys(struct infer *t, struct stmt *s, struct var *v)
{
	for (int i = 0; i < s->u.foreach.keys.n; i++) {
		struct expr **k = &s->u.foreach.keys.at[i];
		struct want w = { .type = v->key_types[i], .loc = v->key_locs[i] };

		w.why = WHY(t, "index %d of \"%s\" is a", i + 1, v->name);
		infer_expr(t, k, w);
		learn(t, &v->key_types[i], &v->key_locs[i], (*k)->type, (*k)->loc);
		merge_dtype(t, &(*k)->u.var.decl->dtype, known(v->key_dtypes[i]));
	}
}

static void infer_foreach(struct infer *t, struct stmt *s)
{
	struct var *v = s->u.foreach.decl, *value;

	if (s->u.foreach.limit)
		infer_expr(t, &s->u.foreach.limit, want(T_LONG, "a limit is a"));
	if (!v) {
		infer_hist(t, s->u.foreach.hist);
		infer_expr(t, &s->u.foreach.keys.at[0], want(T_LONG, "the bucket of a histogram is a"));
		infer_stmt(t, s->u.foreach.body);
		return;
	}
	infer_keys(t, v, &s->u.foreach.slice);
	foreach_keys(t, s, v);
	if (t->report)
		foreach_checks(t, s, v);
	if (v->type == T_STATS && s->u.foreach.sort_dir && !s->u.foreach.sort_key && !s->u.foreach.sort_stat)
		s->u.foreach.sort_stat = STAT_COUNT;
	if (s->u.foreach.sort_stat)
		learn(t, &v->type, &v->type_loc, T_STATS, s->u.foreach.array_loc);
	if (s->u.foreach.value && v->type != T_STATS) {
		value = s->u.foreach.value->u.var.decl;
		infer_expr(t, &s->u.foreach.value, want_as(t, v));
		learn(t, &v->type, &v->type_loc, s->u.foreach.value->type, s->u.foreach.value->loc);
		merge_dtype(t, &value->dtype, known(v->dtype));
	}
	infer_stmt(t, s->u.foreach.body);
}

static bool calls_valueless(const struct expr *e)
{
	struct func *f = e->kind == E_CALL ? e->u.call.target : NULL;

	return f && f->type == T_UNKNOWN && (f->body || !returns_value(f));
}

// Changes "return f()", where f returns nothing, to { f() return }.
static void return_valueless(struct infer *t, struct stmt *s)
{
	struct stmt *call = stmt_new(S_EXPR, s->loc), *block = stmt_new(S_BLOCK, s->loc);

	call->u.expr = s->u.expr;
	call->u.expr->value_unused = true;
	vec_push(&block->u.block, call);
	vec_push(&block->u.block, stmt_new(S_RETURN, s->loc));
	*s = *block;
	infer_stmt(t, s);
}

static void infer_return(struct infer *t, struct stmt *s)
{
	struct func *f = t->func;
	struct want w;

	if (!s->u.expr) {
		if (t->report && f && f->type != T_UNKNOWN) {
			diag_error(s->loc, "this return lacks a value: \"%s\" returns a %s", f->name, type_name(f->type));
			diag_note(f->explicit_type ? f->loc : f->type_loc, "its type is declared here");
		}
		return;
	}
	if (!f) {                  // check.c reports it
		infer_expr(t, &s->u.expr, want_any);
		return;
	}
	if (t->report && f->type == T_UNKNOWN && calls_valueless(s->u.expr)) {
		return_valueless(t, s);
		return;
	}
	w = (struct want){ .type = f->type, .why = WHY(t, "\"%s\" returns a", f->name), .loc = f->type_loc };
	infer_expr(t, &s->u.expr, w);
	learn(t, &f->type, &f->type_loc, s->u.expr->type, s->u.expr->loc);
	merge_dtype(t, &f->dtype, s->u.expr->dtype);
}

static void infer_delete(struct infer *t, struct expr *e)
{
	if (e->kind == E_INDEX)
		infer_keys(t, e->u.index.decl, &e->u.index.keys);
	e->type = decl_of(e)->type;
}

static void maybe_expr(struct infer *t, struct expr **pe, struct want w)
{
	if (*pe)
		infer_expr(t, pe, w);
}

void infer_stmt(struct infer *t, struct stmt *s)
{
	// The remaining branch may itself depend on types.
	while (s && s->waits)
		if (!infer_waiting_stmt(t, s))
			return;
	if (!s || (s->unused && !infer_unused(t, s)))
		return;
	switch (s->kind) {
	case S_EMPTY: case S_BREAK: case S_CONTINUE: case S_NEXT: break;
	case S_EXPR: infer_expr(t, &s->u.expr, want_nothing); break;
	case S_RETURN: infer_return(t, s); break;
	case S_DELETE: infer_delete(t, s->u.expr); break;
	case S_FOREACH: infer_foreach(t, s); break;
	case S_BLOCK:
		for (int i = 0, n = s->u.block.n; i < n; i++)
			infer_stmt(t, s->u.block.at[t->statements_backwards ? n - 1 - i : i]);
		break;
	case S_IF:
		infer_expr(t, &s->u.if_.c, condition);
		infer_stmt(t, s->u.if_.then);
		infer_stmt(t, s->u.if_.other);
		break;
	case S_WHILE:
		infer_expr(t, &s->u.while_.c, condition);
		infer_stmt(t, s->u.while_.body);
		break;
	case S_FOR:
		maybe_expr(t, &s->u.for_.init, want_nothing);
		maybe_expr(t, &s->u.for_.c, condition);
		infer_stmt(t, s->u.for_.step);
		infer_stmt(t, s->u.for_.body);
		break;
	case S_TRY:
		infer_stmt(t, s->u.try_.body);
		maybe_expr(t, &s->u.try_.var, want(T_STRING, "the text of an error is a"));
		infer_stmt(t, s->u.try_.handler);
		break;
	}
}

// ---------------------------------------------------------------- the script

static void infer_entries(struct infer *t, struct probe *p)
{
	t->probe = p;
	for vec_each(&p->entries, e)
		infer_expr(t, e, want_any);
	t->probe = NULL;
}

static void infer_probe(struct infer *t, struct probe *p)
{
	t->probe = p;
	maybe_expr(t, &p->condition, condition);
	infer_stmt(t, p->body);
	t->probe = NULL;
}

// -G NAME=VALUE determines the type of a global if the script does not.
static void infer_option(struct infer *t, struct var *g)
{
	for vec_each(&t->s->opt.globals, it) {
		int64_t n;

		if (strcmp(it->name, g->name) || g->is_private)
			continue;
		learn(t, &g->type, &g->type_loc, str_long(it->value, &n) == STR_NOT_A_NUMBER ? T_STRING : T_LONG, g->loc);
	}
}

// Functions are inferred before probes: a body determines its parameters' types, and a call that differs is
// reported. Types propagate along the call graph in both directions, so the direction alternates with each round.
static void infer_script(struct infer *t)
{
	int n = t->s->script.funcs.n;

	t->learned = false;
	for vec_each(&t->s->script.globals, it) {
		struct var *g = *it;

		if (!g->init && t->resolve)
			infer_option(t, g);
		if (!g->init)
			continue;
		infer_expr(t, &g->init, want_as(t, g));
		learn(t, &g->type, &g->type_loc, g->init->type, g->init->loc);
	}
	for vec_each(&t->s->script.probes, p)
		infer_entries(t, *p);
	for (int i = 0; i < n; i++)
		infer_function(t, t->s->script.funcs.at[t->backwards && !t->report ? n - 1 - i : i]);
	for vec_each(&t->s->script.probes, p)
		infer_probe(t, *p);
	t->backwards = !t->backwards;
}

// Sets the type of variables that no use determines: they are only declared, or only deleted.
static void settle_var(struct var *v)
{
	if (v->type == T_UNKNOWN)
		v->type = T_LONG;
	for (int i = 0; i < v->arity; i++)
		if (v->key_types[i] == T_UNKNOWN)
			v->key_types[i] = T_LONG;
	v->dtype = known(v->dtype);
}

static void settle(struct session *s)
{
	for vec_each(&s->script.globals, v)
		settle_var(*v);
	for vec_each(&s->script.funcs, it) {
		struct func *f = *it;

		for vec_each(&f->params, v)
			settle_var(*v);
		for vec_each(&f->locals, v)
			settle_var(*v);
		f->dtype = known(f->dtype);
	}
	for vec_each(&s->script.probes, p)
		for vec_each(&(*p)->locals, v)
			settle_var(*v);
}

// Applies the types that embedded C functions declare by pragma:type. Debuginfo is read only if a member is
// accessed and nothing else determines the type. The user runtime does not read the kernel's debuginfo: the access
// itself is an error.
static bool learn_declared(struct infer *t)
{
	struct target_where w = { .s = t->s };
	bool learned = false;

	if (!t->untyped || t->s->opt.user_runtime)
		return false;
	for vec_each(&t->s->script.funcs, it) {
		struct func *f = *it;
		struct di_type *type;

		if (!f->used || !f->embedded || !f->embedded->points_to || f->dtype)
			continue;
		type = target_find_type(&w, f->embedded_loc, "pragma:type", f->embedded->points_to, "kernel");
		if (!type)
			return false;
		f->dtype = di_pointer_to(type);
		learned = true;
	}
	return learned;
}

// Repeats rounds until one determines no more types.
static void infer_all(struct infer *t)
{
	bool more;

	do {
		int rounds = 0;

		t->untyped = false;
		do {
			t->resolve = t->statements_backwards = false;
			for (infer_script(t); t->learned; infer_script(t))
				t->statements_backwards = !t->statements_backwards;
			t->resolve = true;
			t->waits = false;
			t->statements_backwards = rounds++ % 2 && !t->give_up;
			infer_script(t);
		} while (t->learned);
		t->statements_backwards = false;
		more = learn_declared(t);
		t->give_up = t->waits && !more;
	} while (more || t->give_up);
}

int elab_types(struct session *s)
{
	struct infer t = { .s = s };
	int before = diag_errors();

	infer_all(&t);
	t.unused = true;
	infer_all(&t);
	t.report = true;
	infer_broken(&t);
	infer_script(&t);
	settle(s);
	return diag_errors() - before;
}
