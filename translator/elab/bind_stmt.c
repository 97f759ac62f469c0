// SPDX-License-Identifier: GPL-2.0-or-later
// Binds the names of statements, and decides what may be removed although a name in it is unknown: a statement
// without effect, and a branch that a constant condition or @defined() excludes. In: a body. Out: the same with
// declarations, or with E_UNBOUND in place of a statement or operand, which target_var.c reports unless it is
// removed.
#include "elab/bind.h"
#include "session/passes.h"

#include <assert.h>

// ---------------------------------------------------------------- parts

bool bind_may_leave_out(struct binder *b, struct expr *condition)
{
	return b->position == IN_BODY && !b->in_defined && condition && constant_may_be(condition);
}

static bool begin_part(struct binder *b)
{
	if (!b->is_optional || b->holds)
		return false;
	b->holds = true;
	diag_hold_push();
	return true;
}

// Ends a part that begin_part() began. Returns NULL if all names in it are bound.
static struct expr *end_part(struct binder *b, struct loc loc)
{
	struct expr *unbound;

	b->holds = false;
	if (!diag_hold_pop())
		return NULL;
	unbound = expr_new(E_UNBOUND, loc);
	unbound->u.unbound = diag_held_report();
	return unbound;
}

void bind_part(struct binder *b, struct expr *e)
{
	bool began = begin_part(b);
	struct expr *unbound;

	bind_expr(b, e);
	unbound = began ? end_part(b, e->loc) : NULL;
	if (unbound)
		*e = *unbound;
}

// ---------------------------------------------------------------- statements

static void bind_foreach_array(struct binder *b, struct stmt *s)
{
	struct var *v = s->u.foreach.decl;
	int keys = s->u.foreach.keys.n;

	if (!v)
		v = bind_find_array(b, s->u.foreach.array, s->u.foreach.array_loc);
	if (!v)
		return;
	s->u.foreach.decl = v;
	bind_set_arity(v, keys, s->u.foreach.array_loc);
	if (s->u.foreach.slice.n && s->u.foreach.slice.n != keys)
		diag_error(s->u.foreach.array_loc, "\"%s\" has %d ind%s, but its slice has %d", v->name, keys,
			   keys == 1 ? "ex" : "ices", s->u.foreach.slice.n);
	v->stat_ops |= s->u.foreach.sort_stat;
}

static void bind_foreach(struct binder *b, struct stmt *s)
{
	for vec_each(&s->u.foreach.slice, k)
		if (*k)
			bind_expr(b, *k);
	bind_expr(b, s->u.foreach.limit);
	if (s->u.foreach.hist) {
		bind_expr(b, s->u.foreach.hist);
		if (s->u.foreach.keys.n != 1)
			diag_error(s->loc, "a histogram has exactly one index: the bucket");
	} else {
		bind_foreach_array(b, s);
	}
	for vec_each(&s->u.foreach.keys, k)
		bind_var(b, *k);
	if (s->u.foreach.value)
		bind_var(b, s->u.foreach.value);
	bind_stmt(b, s->u.foreach.body);
}

// Binds the operand of delete: a local, a scalar, a statistic or a whole array; a[k], a[*, k].
static void bind_delete(struct binder *b, struct expr *e)
{
	struct var *v;

	switch (e->kind) {
	case E_INDEX:
		bind_index(b, e);
		return;
	case E_VAR:
		if (e->u.var.decl)
			return;
		v = map_get(&b->locals, e->u.var.name);
		if (!v)
			v = declarations_find_global(b->s, e->u.var.name, e->loc, bind_in_library(b));
		e->u.var.decl = v ? v : bind_new_local(b, e->u.var.name, e->loc);
		return;
	default:
		assert(!"the parser lets only variables be deleted");
	}
}

static bool may_be_unused(struct binder *b, struct expr *e)
{
	bool adds = e->kind == E_ASSIGN && e->u.bin.op == TOK_STAT_ADD && e->u.bin.l->kind == E_VAR &&
		    !declarations_find_global(b->s, e->u.bin.l->u.var.name, e->loc, bind_in_library(b));

	return !b->s->opt.no_optimize && constant_is_pure(adds ? e->u.bin.r : e);
}

// A statement without effect may use undeclared names: it is removed later.
static void bind_unused_expr(struct binder *b, struct stmt *s)
{
	diag_hold_push();
	bind_expr(b, s->u.expr);
	if (diag_hold_pop())
		unused_drop(s);
}

// Makes a statement of the assignment that begins a loop, so that it can be removed if nothing uses the variable.
static void separate_for_init(struct binder *b, struct stmt *s)
{
	const struct expr *init = s->u.for_.init;
	struct stmt *loop, *first;

	if (!init || init->kind != E_ASSIGN || init->u.bin.l->kind != E_VAR || init->u.bin.r->kind == E_NUMBER ||
	    init->u.bin.r->kind == E_STRING || init->u.bin.r->kind == E_VAR || b->s->opt.no_optimize)
		return;
	first = stmt_new(S_EXPR, init->loc);
	first->u.expr = s->u.for_.init;
	loop = stmt_new(S_FOR, s->loc);
	*loop = *s;
	loop->u.for_.init = NULL;
	*s = *stmt_new(S_BLOCK, s->loc);
	vec_push(&s->u.block, first);
	vec_push(&s->u.block, loop);
}

static void bind_simple(struct binder *b, struct stmt *s)
{
	switch (s->kind) {
	case S_EXPR:
		if (may_be_unused(b, s->u.expr))
			bind_unused_expr(b, s);
		else
			bind_expr(b, s->u.expr);
		break;
	case S_RETURN: bind_expr(b, s->u.expr); break;
	case S_DELETE: bind_delete(b, s->u.expr); break;
	case S_FOREACH: bind_foreach(b, s); break;
	default: break;            // no names are bound here
	}
}

// Binds a statement in a branch that a condition may remove. If it contains an unknown name, it is removed as a
// whole.
static void bind_part_stmt(struct binder *b, struct stmt *s)
{
	bool began = begin_part(b);
	struct expr *unbound;

	bind_simple(b, s);
	unbound = began ? end_part(b, s->loc) : NULL;
	if (!unbound)
		return;
	*s = (struct stmt){ .kind = S_EXPR, .loc = s->loc };
	s->u.expr = unbound;
}

static void bind_branch(struct binder *b, bool is_optional, struct stmt *s)
{
	bool outer = b->is_optional;

	b->is_optional |= is_optional;
	bind_stmt(b, s);
	b->is_optional = outer;
}

// Returns whether the condition may remove branches.
static bool bind_condition(struct binder *b, struct expr *c)
{
	if (c)
		bind_part(b, c);
	return bind_may_leave_out(b, c);
}

void bind_stmt(struct binder *b, struct stmt *s)
{
	bool optional;

	if (!s)
		return;
	if (s->kind == S_FOR)
		separate_for_init(b, s);
	switch (s->kind) {
	case S_BLOCK:
		for vec_each(&s->u.block, it)
			bind_stmt(b, *it);
		break;
	case S_IF:
		optional = bind_condition(b, s->u.if_.c);
		bind_branch(b, optional, s->u.if_.then);
		bind_branch(b, optional, s->u.if_.other);
		break;
	case S_WHILE:
		optional = bind_condition(b, s->u.while_.c);
		bind_branch(b, optional, s->u.while_.body);
		break;
	case S_FOR:
		if (s->u.for_.init)
			bind_part(b, s->u.for_.init);
		optional = bind_condition(b, s->u.for_.c);
		bind_branch(b, optional, s->u.for_.step);
		bind_branch(b, optional, s->u.for_.body);
		break;
	case S_TRY:
		bind_stmt(b, s->u.try_.body);
		if (s->u.try_.var)
			bind_var(b, s->u.try_.var);
		bind_stmt(b, s->u.try_.handler);
		break;
	default:
		bind_part_stmt(b, s);
	}
}
