// SPDX-License-Identifier: GPL-2.0-or-later
// Replaces a long statement of a body that is written in parts by several short ones, so that a sum of a thousand
// calls or a chain of a thousand else-if arms is not one part: the time that a compiler takes for a function grows
// faster than the function, and the buffers of its strings would not be reused.
//
// The operand that a statement evaluates first is assigned to a local before it:  println(f(1) + ... + f(n))  becomes
//   cut1 = f(1) + ... + f(40);  cut2 = cut1 + f(41) + ... ;  println(cut7 + ... + f(n))
// A chain of arms is several shorter ones, with a local that says whether the next one is to be evaluated.
#include "emit/emitter.h"
#include "util/str.h"

// Number of nodes of the tree after which a statement is cut. Each operand of a concatenation may require a buffer.
enum { SHORT = 200, SHORT_OF_STRINGS = 50 };

struct cuts {
	struct body *body;
	int nlocals;               // number of locals that were added
};

static bool count_expr(struct ast_walker *w, struct expr **x)
{
	++*(int *)w->data;
	return true;
}

static int nodes(struct expr **x, int n)
{
	int count = 0;
	struct ast_walker w = { .expr = count_expr, .data = &count };

	for (int i = 0; i < n; i++)
		ast_walk_expr(&w, &x[i]);
	return count;
}

static struct expr *new_local(struct cuts *c, enum type type, struct loc loc)
{
	struct expr *x = expr_new(E_VAR, loc);
	struct var *v = NEW(struct var);

	v->name = x->u.var.name = str_printf("cut%d", ++c->nlocals);
	v->kind = VAR_LOCAL;
	v->type = x->type = type;
	v->loc = loc;
	x->u.var.decl = v;
	return x;
}

static struct stmt *assign(const struct expr *local, struct expr *value)
{
	struct stmt *st = stmt_new(S_EXPR, value->loc);
	struct expr *copy = NEW(struct expr);

	*copy = *local;
	st->u.expr = expr_binary(value->loc, TOK_ASSIGN, copy, value);
	st->u.expr->kind = E_ASSIGN;
	st->u.expr->type = local->type;
	st->u.expr->value_unused = true;
	return st;
}

// ---------------------------------------------------------------- expressions

// Returns the operand that x always evaluates, and first; NULL if it has none. *others: number of nodes of the
// other operands.
static struct expr **first_operand(struct expr *x, int *others)
{
	*others = 0;
	switch (x->kind) {
	case E_UNARY:
		return &x->u.un.e;
	case E_BINARY:
		*others = nodes(&x->u.bin.r, 1);
		return x->u.bin.of_location == OF_SCRIPT ? &x->u.bin.l : NULL;
	case E_COND:
		*others = nodes(&x->u.cond.a, 1) + nodes(&x->u.cond.b, 1);
		return &x->u.cond.c;
	case E_ASSIGN:
		return x->u.bin.op == TOK_ASSIGN && x->u.bin.l->kind == E_VAR ? &x->u.bin.r : NULL;
	case E_CALL:
		if (!x->u.call.args.n)
			return NULL;
		*others = nodes(x->u.call.args.at + 1, x->u.call.args.n - 1);
		return &x->u.call.args.at[0];
	case E_PRINT:
		if (!x->u.print.args.n || x->u.print.on_fault)
			return NULL;
		*others = nodes(x->u.print.args.at + 1, x->u.print.args.n - 1);
		return &x->u.print.args.at[0];
	default:
		return NULL;
	}
}

// Returns a statement that assigns the value to the local. A value a ? b : c ? d : ... becomes an else-if chain
// with an arm for each condition.
static struct stmt *assign_by_arms(const struct expr *local, struct expr *value)
{
	struct stmt *first, **at = &first;

	for (; value->kind == E_COND; value = value->u.cond.b) {
		struct stmt *st = stmt_new(S_IF, value->loc);

		st->u.if_.c = value->u.cond.c;
		st->u.if_.then = assign(local, value->u.cond.a);
		*at = st;
		at = &st->u.if_.other;
	}
	*at = assign(local, value);
	return first;
}

static void cut_chain(struct cuts *c, struct stmt *st);

// Moves the expressions that *at evaluates first into statements, which are appended to `before`.
static void cut_expr(struct cuts *c, struct expr **at, struct stmt *before)
{
	VEC(struct expr **) path = { 0 };
	VEC(int) others = { 0 };
	int size = 0, n;

	while (at) {
		vec_push(&path, at);
		at = first_operand(*at, &n);
		vec_push(&others, n);
	}
	for (int i = path.n - 1; i >= 0; i--) {
		struct expr *x = *path.at[i], *local;
		struct stmt *st;

		size += 1 + others.at[i];
		if ((x->kind != E_BINARY && x->kind != E_COND) || (x->type != T_LONG && x->type != T_STRING) ||
		    size < (x->type == T_STRING ? SHORT_OF_STRINGS : SHORT))
			continue;
		local = new_local(c, x->type, x->loc);
		st = assign_by_arms(local, x);
		if (st->kind == S_IF)
			cut_chain(c, st);
		vec_push(&before->u.block, st);
		*path.at[i] = local;
		size = 1;
	}
}

// If the expression that st evaluates first is long, changes st to a block that evaluates parts of this expression
// one after the other, and ends in a copy of st that uses their values.
static void cut_first(struct cuts *c, struct stmt *st, size_t member)
{
	struct stmt *copy = NEW(struct stmt), *block = stmt_new(S_BLOCK, st->loc);

	*copy = *st;
	cut_expr(c, (struct expr **)((char *)copy + member), block);
	if (!block->u.block.n)
		return;
	vec_push(&block->u.block, copy);
	*st = *block;
}

// ---------------------------------------------------------------- chains of arms

static int arm_nodes(const struct cuts *c, struct stmt *arm)
{
	struct stmt *then = arm->u.if_.then;
	int n = nodes(&arm->u.if_.c, 1);

	return n + (then->kind == S_EXPR ? nodes(&then->u.expr, 1) : (int)*numbers_at(&c->body->parts.sizes, (uintptr_t)then));
}

// Returns whether no arm except the first takes or releases locks.
static bool may_cut(const struct cuts *c, const struct stmt *arm)
{
	for (arm = arm->u.if_.other; arm && arm->kind == S_IF; arm = arm->u.if_.other)
		if (arm == c->body->locks.from || arm == c->body->locks.to)
			return false;
	return true;
}

// Appends a chain that is executed if the previous ones executed no arm.
static void add_chain(struct stmt *block, const struct expr *more, struct stmt *chain)
{
	struct stmt *st = stmt_new(S_IF, chain->loc), *then = stmt_new(S_BLOCK, chain->loc);
	struct expr *condition = NEW(struct expr);

	*condition = *more;
	vec_push(&then->u.block, assign(more, expr_number(chain->loc, 0)));
	vec_push(&then->u.block, chain);
	st->u.if_.c = condition;
	st->u.if_.then = then;
	vec_push(&block->u.block, st);
}

// Replaces a long chain by a block of shorter chains.
static void cut_chain(struct cuts *c, struct stmt *st)
{
	struct stmt *chain = NEW(struct stmt), *block = stmt_new(S_BLOCK, st->loc), *next;
	struct expr *more = NULL;
	int size = 0;

	if (!may_cut(c, st))
		return;
	*chain = *st;
	for (struct stmt *arm = chain; ; arm = next) {
		size += arm_nodes(c, arm);
		next = arm->u.if_.other;
		if (!next || next->kind != S_IF)
			break;
		if (size < SHORT)
			continue;
		if (!more) {
			more = new_local(c, T_LONG, st->loc);
			vec_push(&block->u.block, assign(more, expr_number(st->loc, 1)));
		}
		arm->u.if_.other = assign(more, expr_number(st->loc, 1));
		add_chain(block, more, chain);
		chain = next;
		size = 0;
	}
	if (!more)
		return;
	add_chain(block, more, chain);
	*st = *block;
	parts_make_long(c->body, st);
}

// ---------------------------------------------------------------- statements

static void cut(struct cuts *c, struct stmt *st);

static void cut_if(struct cuts *c, struct stmt *st)
{
	struct stmt *arm = st;

	for (; arm && arm->kind == S_IF; arm = arm->u.if_.other)
		cut(c, arm->u.if_.then);
	if (arm)
		cut(c, arm);
	cut_chain(c, st);
	if (st->kind == S_IF)
		cut_first(c, st, offsetof(struct stmt, u.if_.c));
}

static void cut(struct cuts *c, struct stmt *st)
{
	if (!parts_cut(c->body, st))
		return;
	switch (st->kind) {
	case S_EXPR: case S_RETURN:
		cut_first(c, st, offsetof(struct stmt, u.expr));
		break;
	case S_BLOCK:
		for vec_each(&st->u.block, it)
			cut(c, *it);
		break;
	case S_IF:
		cut_if(c, st);
		break;
	case S_WHILE:
		cut(c, st->u.while_.body);
		break;
	case S_FOR:
		cut(c, st->u.for_.body);
		break;
	case S_FOREACH:
		cut(c, st->u.foreach.body);
		break;
	case S_TRY:
		cut(c, st->u.try_.body);
		cut(c, st->u.try_.handler);
		break;
	default:
		break;
	}
}

void cuts_make(struct body *b, struct stmt *st)
{
	cut(&(struct cuts){ .body = b }, st);
}
