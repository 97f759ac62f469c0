// SPDX-License-Identifier: GPL-2.0-or-later
// Evaluates @defined() of accesses to values that have a debuginfo type. In: conditions that elab_targets() could
// not evaluate, with their branches as written in the script. Out: the remaining branches, resolved.
#include "elab/infer.h"

static const struct want want_condition = { .type = T_LONG, .why = "a condition is a" };

static bool visit_untyped(struct ast_walker *w, struct expr **e)
{
	*(bool *)w->data |= (*e)->kind == E_ACCESS || (*e)->waits;
	return true;
}

bool target_is_untyped(struct expr *e)
{
	bool found = false;
	struct ast_walker w = { .expr = visit_untyped, .data = &found };

	ast_walk_expr(&w, &e);
	return found;
}

// Infers a copy of the expression without messages; returns whether that succeeds.
static bool is_defined(struct infer *t, const struct expr *e, bool *untyped)
{
	struct expr *copy = expr_copy(e);
	bool give_up = t->give_up;         // give_up applies once in a round, to this operator, so not to one in
					   // the copy
	int errors;

	t->give_up = false;
	diag_quiet_push();
	infer_expr(t, &copy, (struct want){ .type = T_UNKNOWN });
	errors = diag_quiet_pop();
	t->give_up = give_up;
	*untyped = target_is_untyped(copy);
	return !errors;
}

void infer_defined(struct infer *t, struct expr **pe)
{
	struct expr *e = *pe;
	bool learned = t->learned, untyped, defined;

	if (!t->resolve) {
		infer_expr(t, &e->u.op1, (struct want){ .type = T_UNKNOWN });
		return;
	}
	defined = is_defined(t, e->u.op1, &untyped);
	if (defined && untyped && !t->give_up) {
		t->learned = learned;      // the copy is discarded
		t->waits = true;
		return;
	}
	if (defined && untyped)
		defined = t->give_up = false;
	*pe = expr_number(e->loc, defined);
	t->learned = true;
}

static void resume(struct infer *t, struct expr **e)
{
	if (*e)
		target_resume(t->s, t->probe, t->func, e, NULL);
}

static void resume_stmt(struct infer *t, struct stmt **s)
{
	if (*s)
		target_resume(t->s, t->probe, t->func, NULL, s);
}

// Infers the condition. Returns false if it is not known yet. `value` becomes NULL if it is known only at run time.
static bool settle(struct infer *t, struct expr **c, const struct expr **value)
{
	bool waits = false;

	infer_expr(t, c, want_condition);
	if ((*c)->waits)
		return false;
	*value = constant_value(t->s, *c, &waits);
	if (*value && (*value)->kind != E_NUMBER)
		*value = NULL;
	t->learned |= *value || !waits;
	return *value || !waits;
}

bool infer_waiting(struct infer *t, struct expr **pe)
{
	struct expr *e = *pe;
	const struct expr *value;

	if (!settle(t, e->kind == E_COND ? &e->u.cond.c : &e->u.bin.l, &value))
		return false;
	e->waits = false;
	if (e->kind == E_COND && value) {
		*pe = value->u.number ? e->u.cond.a : e->u.cond.b;
		(*pe)->value_unused = e->value_unused;
		resume(t, pe);
	} else if (e->kind == E_COND) {
		resume(t, &e->u.cond.a);
		resume(t, &e->u.cond.b);
	} else if (value && (e->u.bin.op == TOK_OROR) == (value->u.number != 0)) {
		*pe = expr_number(e->loc, e->u.bin.op == TOK_OROR);
	} else {
		resume(t, &e->u.bin.r);
	}
	return true;
}

bool infer_waiting_stmt(struct infer *t, struct stmt *s)
{
	const struct expr *value;
	struct stmt *branch;

	if (!settle(t, target_condition(s), &value))
		return false;
	s->waits = false;
	if (value && (s->kind == S_IF || !value->u.number)) {
		branch = target_branch(s, value->u.number);
		if (s->kind == S_IF)       // a loop's first expression is always resolved
			resume_stmt(t, &branch);
		*s = *branch;
		return true;
	}
	if (s->kind == S_IF) {
		resume_stmt(t, &s->u.if_.then);
		resume_stmt(t, &s->u.if_.other);
	} else if (s->kind == S_WHILE) {
		resume_stmt(t, &s->u.while_.body);
	} else {
		resume_stmt(t, &s->u.for_.step);
		resume_stmt(t, &s->u.for_.body);
	}
	return true;
}
