// SPDX-License-Identifier: GPL-2.0-or-later
// Assignment operators, ++ and --. Order: the keys of the left side, the right side, then one read, change and store.
// The store to an element comes last, so that the right side never sees an incomplete element.
#include "emit/emitter.h"

#include <assert.h>

// Returns the operator inside an assignment operator; TOK_NONE for "=".
static enum tok operator_of(enum tok assign)
{
	switch (assign) {
	case TOK_ADD_ASSIGN:    return TOK_ADD;
	case TOK_SUB_ASSIGN:    return TOK_SUB;
	case TOK_MUL_ASSIGN:    return TOK_MUL;
	case TOK_DIV_ASSIGN:    return TOK_DIV;
	case TOK_MOD_ASSIGN:    return TOK_MOD;
	case TOK_AND_ASSIGN:    return TOK_AND;
	case TOK_OR_ASSIGN:     return TOK_OR;
	case TOK_XOR_ASSIGN:    return TOK_XOR;
	case TOK_SHL_ASSIGN:    return TOK_SHL;
	case TOK_SHR_ASSIGN:    return TOK_SHR;
	case TOK_CONCAT_ASSIGN: return TOK_DOT;
	default:                return TOK_NONE;
	}
}

static unsigned class_of(const struct var *v)
{
	return v->kind == VAR_GLOBAL ? GLOBAL : LOCAL;
}

// Appends v to `to`. The operand must not be the buffer that grows.
static void append(struct emitter *e, const char *to, unsigned class, struct value v)
{
	if (v.reads & class)
		v = value_keep(e, v, T_STRING);
	cw_line(e->w, "stp_append(%s, %s, STP_STRLEN);", to, v.text);
}

// Returns whether x = a . b or x = sprintf(...) can be built in the buffer of x, since the right side does not read
// x.
static bool build_in_place(struct emitter *e, struct var *v, struct expr *r)
{
	bool concat = r->kind == E_BINARY && r->u.bin.op == TOK_DOT;

	if (v->kind == VAR_GLOBAL || emit_mentions(r, v))
		return false;
	if (r->kind == E_PRINT && r->u.print.to_string) {
		for vec_each(&r->u.print.format, p)
			if (p->conv == 'm' || p->conv == 'M')
				return false;
		emit_print(e, r, emit_var(e, v));
		return true;
	}
	if (concat)
		emit_concat(e, r, emit_var(e, v));
	return concat;
}

static bool emit_adder(struct emitter *e, struct var *v, enum tok op, struct value value)
{
	if (!emit_is_adder(v) || (op != TOK_ADD && op != TOK_SUB))
		return false;
	cw_line(e->w, "STP_ADD(%s, %s%s);", operand_global(e, OPERAND_PERCPU, v), op == TOK_SUB ? "0 - " : "",
		value.constant && op == TOK_ADD ? value.text : value_wrap(value));
	return true;
}

static struct value assign_var(struct emitter *e, struct expr *x, bool wanted)
{
	struct var *v = x->u.bin.l->u.var.decl;
	enum tok op = operator_of(x->u.bin.op);
	struct value r;

	if (x->u.bin.op == TOK_STAT_ADD) {
		r = emit_expr(e, x->u.bin.r);
		if (wanted)
			r = value_keep(e, r, T_LONG);
		emit_stat_add(e, x->u.bin.l, NULL, r);
		return r;
	}
	if (op == TOK_NONE && v->type == T_STRING && build_in_place(e, v, x->u.bin.r))
		return value_text(class_of(v), true, "%s", emit_var(e, v));
	r = emit_expr(e, x->u.bin.r);
	if (op == TOK_DOT)
		append(e, emit_var(e, v), class_of(v), r);
	else if (op == TOK_NONE)
		emit_store(e, v, r);
	else if (!emit_adder(e, v, op, r))
		emit_store(e, v, emit_binary(e, op, emit_expr(e, x->u.bin.l), r, T_LONG, x->loc));
	return wanted ? emit_expr(e, x->u.bin.l) : value_number(0);
}

// Assigns to a string element: the value may be stored in the array itself, so it is copied before elements move.
static struct value assign_string_element(struct emitter *e, struct expr *x, struct value *keys,
					  struct value r)
{
	const char *cell;

	if (r.reads & ARRAY)
		r = value_keep(e, r, T_STRING);
	cell = emit_put(e, x->u.bin.l, keys);
	cw_line(e->w, "%s(%s, %s, STP_STRLEN);",
		x->u.bin.op == TOK_CONCAT_ASSIGN ? "stp_append" : "stp_copy", cell, r.text);
	return value_text(ARRAY, false, "(const char *)%s", cell);
}

static struct value assign_long_element(struct emitter *e, struct expr *x, struct value *keys,
					struct value r, bool wanted)
{
	enum tok op = operator_of(x->u.bin.op);
	struct value v;
	const char *cell;

	if (wanted || (r.reads & ARRAY))
		r = value_keep(e, r, T_LONG);
	if (!wanted && emit_element_adder(e, x->u.bin.l, keys, op, r))
		return r;
	cell = emit_put(e, x->u.bin.l, keys);
	if (op == TOK_NONE) {
		cw_line(e->w, "*(s64 *)%s = %s;", cell, value_long(r));
		return r;
	}
	if (!wanted && (op == TOK_ADD || op == TOK_SUB)) {
		cw_line(e->w, "*(u64 *)%s %s= %s;", cell, tok_text(op),
			r.constant ? r.text : value_wrap(r));
		return r;
	}
	v = emit_binary(e, op, value_text(ARRAY, true, "*(s64 *)%s", cell), r, T_LONG, x->loc);
	cw_line(e->w, "*(s64 *)%s = %s;", cell, value_long(v));
	return value_text(ARRAY, true, "*(s64 *)%s", cell);
}

static struct value assign_element(struct emitter *e, struct expr *x, bool wanted)
{
	struct expr *l = x->u.bin.l;
	int n = l->u.index.keys.n;
	struct expr **xs = NEW_ARRAY(struct expr *, n + 1);
	struct value *v = NEW_ARRAY(struct value, n + 1), r;

	for (int i = 0; i < n; i++)
		xs[i] = l->u.index.keys.at[i];
	xs[n] = x->u.bin.r;
	emit_values(e, xs, n + 1, v);
	r = v[n];
	if (x->u.bin.op == TOK_STAT_ADD) {
		if (wanted || (r.reads & ARRAY))
			r = value_keep(e, r, T_LONG);
		emit_stat_add(e, l, v, r);
		return r;
	}
	if (l->u.index.decl->type == T_STRING)
		return assign_string_element(e, x, v, r);
	return assign_long_element(e, x, v, r, wanted);
}

struct value emit_assign(struct emitter *e, struct expr *x, bool wanted)
{
	struct expr *l = x->u.bin.l;

	if (l->kind == E_VAR)
		return assign_var(e, x, wanted);
	if (l->kind == E_INDEX)
		return assign_element(e, x, wanted);
	assert(l->kind == E_DEREF || l->kind == E_REGISTER);
	return emit_target_assign(e, x, operator_of(x->u.bin.op));
}

static struct value incdec_var(struct emitter *e, struct expr *x, bool wanted)
{
	struct expr *l = x->u.un.e;
	struct var *v = l->u.var.decl;
	enum tok op = x->u.un.op == TOK_INC ? TOK_ADD : TOK_SUB;
	struct value old = value_number(0);

	if (wanted && !x->u.un.prefix)
		old = value_keep(e, emit_expr(e, l), T_LONG);
	if (!emit_adder(e, v, op, value_number(1)))
		emit_store(e, v, emit_binary(e, op, emit_expr(e, l), value_number(1), T_LONG, x->loc));
	if (!wanted || !x->u.un.prefix)
		return old;
	return emit_expr(e, l);
}

static struct value incdec_element(struct emitter *e, struct expr *x, bool wanted)
{
	struct expr *l = x->u.un.e;
	struct value *keys = NEW_ARRAY(struct value, l->u.index.keys.n + 1), now;
	const char *cell, *op = x->u.un.op == TOK_INC ? "+=" : "-=";

	emit_values(e, l->u.index.keys.at, l->u.index.keys.n, keys);
	if (!wanted && emit_element_adder(e, l, keys, x->u.un.op == TOK_INC ? TOK_ADD : TOK_SUB, value_number(1)))
		return value_number(0);
	cell = emit_put(e, l, keys);
	now = value_text(ARRAY, true, "*(s64 *)%s", cell);
	if (wanted && !x->u.un.prefix)
		now = value_keep(e, now, T_LONG);
	cw_line(e->w, "*(u64 *)%s %s 1;", cell, op);
	return now;
}

struct value emit_incdec(struct emitter *e, struct expr *x, bool wanted)
{
	struct expr *l = x->u.un.e;

	if (l->kind == E_VAR)
		return incdec_var(e, x, wanted);
	if (l->kind == E_INDEX)
		return incdec_element(e, x, wanted);
	assert(l->kind == E_DEREF || l->kind == E_REGISTER);
	return emit_target_incdec(e, x);
}
