// SPDX-License-Identifier: GPL-2.0-or-later
// Constant expressions before types are known. In: an expression whose @defined() are numbers, or wait for
// types.c to settle them. Out: its value, if nothing that runs has a part in it.
#include "elab/elab.h"

static bool see_effect(struct ast_walker *w, struct expr **pe)
{
	const struct expr *e = *pe;
	bool *found = w->data;

	switch (e->kind) {
	case E_CALL: case E_ASSIGN: case E_INCDEC: case E_REGEX: *found = true; break;
	case E_PRINT: *found |= !e->u.print.to_string; break;
	case E_EMBEDDED: *found |= !e->u.embedded.pure; break;
	case E_BINARY: *found |= access_may_divide_by_zero(e); break;
	default: break;
	}
	return !*found;
}

// Errs on the side of effects: what a function does is not known yet.
static bool has_effect(struct expr *e)
{
	bool found = false;
	struct ast_walker w = { .expr = see_effect, .data = &found };

	ast_walk_expr(&w, &e);
	return found;
}

static bool is_number(const struct expr *e, bool truth)
{
	return e && e->kind == E_NUMBER && (e->u.number != 0) == truth;
}

// Whether an operand that is zero, or not zero, gives the result by itself.
static bool decides(enum tok op, const struct expr *e)
{
	return ((op == TOK_ANDAND || op == TOK_MUL || op == TOK_AND) && is_number(e, false)) ||
	       (op == TOK_OROR && is_number(e, true));
}

struct expr *constant_absorbed(struct loc loc, enum tok op, const struct expr *l, const struct expr *r,
			       bool l_is_pure, bool r_is_pure)
{
	bool from_left = op == TOK_ANDAND || op == TOK_OROR;   // the right side is not evaluated then

	if ((decides(op, l) && (from_left || r_is_pure)) || (decides(op, r) && l_is_pure))
		return expr_number(loc, op == TOK_OROR);
	return NULL;
}

static bool takes_strings(enum tok op)
{
	return op == TOK_DOT || op == TOK_EQ || op == TOK_NE || op == TOK_LT || op == TOK_LE || op == TOK_GT || op == TOK_GE;
}

static struct expr *binary(const struct session *s, const struct expr *e, bool *waits)
{
	bool wait_l = false, wait_r = false;
	struct expr *l = constant_value(s, e->u.bin.l, &wait_l), *r, *made;
	enum tok op = e->u.bin.op;

	if ((op == TOK_ANDAND || op == TOK_OROR) && decides(op, l))
		return expr_number(e->loc, op == TOK_OROR);
	r = constant_value(s, e->u.bin.r, &wait_r);
	made = constant_absorbed(e->loc, op, l, r, !has_effect(e->u.bin.l), !has_effect(e->u.bin.r));
	if (made)
		return made;
	*waits |= wait_l || wait_r;
	if (!l || !r || l->kind != r->kind || e->u.bin.of_location)
		return NULL;
	if (l->kind == E_STRING && !takes_strings(op))
		return NULL;               // types.c reports it
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
