// SPDX-License-Identifier: GPL-2.0-or-later
// Evaluates constant expressions before types are known. In: an expression whose @defined() are numbers, or wait for
// types.c to settle them. Out: its value, unless it depends on a variable or a call.
#include "elab/elab.h"

// Considers only embedded C, which is marked pure: effects of other functions are not computed yet.
static bool is_pure(const struct func *f)
{
	bool pure = f != NULL;

	for (; f; f = f->next_overload)
		pure &= func_has(f, PRAGMA_PURE);
	return pure;
}

static bool visit_effect(struct ast_walker *w, struct expr **pe)
{
	const struct expr *e = *pe;
	bool *found = w->data;

	switch (e->kind) {
	case E_CALL: *found |= !is_pure(e->u.call.target); break;
	case E_ASSIGN: case E_INCDEC: case E_REGEX: *found = true; break;
	case E_PRINT: *found |= !e->u.print.to_string; break;
	case E_UNBOUND: *found = true; break;
	case E_EMBEDDED: *found |= !(e->u.embedded->pragmas & PRAGMA_PURE); break;
	case E_BINARY: *found |= access_may_divide_by_zero(e); break;
	default: break;
	}
	return !*found;
}

bool constant_is_pure(const struct expr *e)
{
	struct expr *copy = (struct expr *)e;      // the walk does not change e
	bool found = false;
	struct ast_walker w = { .expr = visit_effect, .data = &found };

	ast_walk_expr(&w, &copy);
	return !found;
}

static bool is_number(const struct expr *e, bool truth)
{
	return e && e->kind == E_NUMBER && (e->u.number != 0) == truth;
}

// Returns whether an operand that is zero, or not zero, determines the result by itself.
static bool decides(enum tok op, const struct expr *e)
{
	return ((op == TOK_ANDAND || op == TOK_MUL || op == TOK_AND) && is_number(e, false)) ||
	       (op == TOK_OROR && is_number(e, true));
}

struct expr *constant_absorbed(const struct expr *e, const struct expr *l, const struct expr *r,
			       bool (*is_pure)(const struct expr *))
{
	enum tok op = e->u.bin.op;
	bool from_left = op == TOK_ANDAND || op == TOK_OROR;   // the left side alone may decide

	if ((decides(op, l) && (from_left || is_pure(e->u.bin.r))) || (decides(op, r) && is_pure(e->u.bin.l)))
		return expr_number(e->loc, op == TOK_OROR);
	return NULL;
}

static bool takes_strings(enum tok op)
{
	return op == TOK_DOT || op == TOK_EQ || op == TOK_NE || op == TOK_LT || op == TOK_LE || op == TOK_GT || op == TOK_GE;
}

static struct expr *binary(const struct session *s, struct expr *e, bool *waits)
{
	bool wait_l = false, wait_r = false;
	struct expr *l, *r, *made;
	enum tok op = e->u.bin.op;

	if (e->u.bin.not_constant)
		return NULL;
	l = constant_value(s, e->u.bin.l, &wait_l);
	if ((op == TOK_ANDAND || op == TOK_OROR) && decides(op, l))
		return expr_number(e->loc, op == TOK_OROR);
	r = constant_value(s, e->u.bin.r, &wait_r);
	if (!takes_strings(op) && ((l && l->kind == E_STRING) || (r && r->kind == E_STRING)))
		return NULL;               // types.c reports it
	made = constant_absorbed(e, l, r, constant_is_pure);
	if (made)
		return made;
	*waits |= wait_l || wait_r;
	e->u.bin.waited = wait_l || wait_r;
	e->u.bin.not_constant = (!l || !r) && !wait_l && !wait_r;
	if (!l || !r || l->kind != r->kind || e->u.bin.of_location)
		return NULL;
	return optimize_fold(s, expr_binary(e->loc, op, l, r));
}

struct expr *constant_value(const struct session *s, struct expr *e, bool *waits)
{
	struct expr *inner;
	bool wait_c = false;

	switch (e->kind) {
	case E_NUMBER: case E_STRING:
		return e;
	case E_DEFINED:
		*waits = true;
		return NULL;
	case E_UNARY:
		inner = constant_value(s, e->u.un.e, waits);
		if (!inner || inner->kind != E_NUMBER)
			return NULL;
		e = expr_copy(e);
		e->u.un.e = inner;
		return optimize_fold(s, e);
	case E_BINARY:
		return binary(s, e, waits);
	case E_COND:
		inner = constant_value(s, e->u.cond.c, &wait_c);
		*waits |= wait_c;
		if (!inner || inner->kind != E_NUMBER)
			return NULL;
		return constant_value(s, inner->u.number ? e->u.cond.a : e->u.cond.b, waits);
	default:
		return NULL;
	}
}

bool constant_may_be(struct expr *e)
{
	bool l, either;

	switch (e->kind) {
	case E_NUMBER: case E_STRING: case E_DEFINED: return true;
	case E_UNARY: return constant_may_be(e->u.un.e);
	case E_COND: return constant_may_be(e->u.cond.c);
	case E_BINARY: break;
	default: return false;
	}
	if (e->u.bin.not_constant)
		return false;
	if (e->u.bin.may_be_constant)
		return true;
	either = e->u.bin.op == TOK_ANDAND || e->u.bin.op == TOK_OROR || e->u.bin.op == TOK_MUL || e->u.bin.op == TOK_AND;
	l = constant_may_be(e->u.bin.l);
	e->u.bin.not_constant = either ? !l && !constant_may_be(e->u.bin.r) : !l || !constant_may_be(e->u.bin.r);
	e->u.bin.may_be_constant = !e->u.bin.not_constant;
	return e->u.bin.may_be_constant;
}
