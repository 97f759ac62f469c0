// SPDX-License-Identifier: GPL-2.0-or-later
// Reports which variables a tree uses, and how. In: a bound tree. Out: one callback for each mention, so
// that access, checks and the optimiser agree on what reads and what writes.
//
// An assignment whose value is not used only writes: `n += 2` alone doesn't make n "read", though it needs the old
// value (USE_UPDATE). They are marked by value_unused.
#include "elab/elab.h"

static void mention(struct use_walker *w, struct var *v, int use, struct loc loc)
{
	if (v && w->var)
		w->var(w, v, use, loc);
}

static void each(struct use_walker *w, const expr_vec *v)
{
	for vec_each(v, e)
		if (*e)
			use_expr(w, *e);
}

// Visits the left side of an assignment; its keys are read.
static void target(struct use_walker *w, const struct expr *l, int use)
{
	if (w->expr)
		w->expr(w, l);
	if (l->kind == E_VAR) {
		mention(w, l->u.var.decl, use, l->loc);
	} else if (l->kind == E_INDEX) {
		each(w, &l->u.index.keys);
		mention(w, l->u.index.decl, use, l->loc);
	} else {
		use_expr(w, l);
	}
}

static void assign(struct use_walker *w, const struct expr *e)
{
	enum tok op = e->u.bin.op;
	int use = USE_WRITE;

	use_expr(w, e->u.bin.r);
	if (op == TOK_STAT_ADD)
		use |= USE_ADD;    // its value is the right side's
	else if (op != TOK_ASSIGN)
		use |= USE_UPDATE | (e->value_unused && !access_may_divide_by_zero(e) ? 0 : USE_READ);
	if (e->value_unused && (op == TOK_ADD_ASSIGN || op == TOK_SUB_ASSIGN))
		use |= USE_ADD;
	target(w, e->u.bin.l, use);
}

static void index_use(struct use_walker *w, const struct expr *e)
{
	each(w, &e->u.index.keys);
	if (e->u.index.hist)
		use_expr(w, e->u.index.hist);
	else
		mention(w, e->u.index.decl, USE_READ, e->loc);
}

static void call(struct use_walker *w, const struct expr *e)
{
	each(w, &e->u.call.args);
	if (w->call)
		for (struct func *f = e->u.call.target; f; f = f->next_overload)
			w->call(w, f, e->loc);
}

static void access(struct use_walker *w, const struct expr *e)
{
	use_expr(w, e->u.access.base);
	for vec_each(&e->u.access.comps, c)
		if (c->kind == COMP_INDEX)
			use_expr(w, c->index);
}

static void visit_optional(struct use_walker *w, const struct expr *e)
{
	if (e)
		use_expr(w, e);
}

void use_expr(struct use_walker *w, const struct expr *e)
{
	if (w->expr)
		w->expr(w, e);
	switch (e->kind) {
	case E_NUMBER: case E_STRING: case E_TARGET: case E_ATVAR: case E_PERF: case E_ENUM: case E_CONST:
	case E_EMBEDDED: case E_STATIC: case E_OFFSET: case E_UNBOUND: break;
	case E_ENTRY: break;       // its expression is visited with the probe's entries
	case E_VAR: mention(w, e->u.var.decl, USE_READ, e->loc); break;
	case E_INDEX: case E_IN: case E_HIST_BUCKET: index_use(w, e); break;
	case E_CALL: call(w, e); break;
	case E_UNARY: use_expr(w, e->u.un.e); break;
	case E_INCDEC:
		target(w, e->u.un.e, USE_WRITE | USE_UPDATE | (e->value_unused ? USE_ADD : USE_READ));
		break;
	case E_BINARY:
		use_expr(w, e->u.bin.l);
		use_expr(w, e->u.bin.r);
		break;
	case E_COND:
		use_expr(w, e->u.cond.c);
		use_expr(w, e->u.cond.a);
		use_expr(w, e->u.cond.b);
		break;
	case E_ASSIGN: assign(w, e); break;
	case E_REGEX: use_expr(w, e->u.regex.l); break;
	case E_STAT: case E_HIST: use_expr(w, e->u.stat.of); break;
	case E_PRINT: each(w, &e->u.print.args); break;
	case E_CAST: case E_ENUMNAME: use_expr(w, e->u.cast.e); break;
	case E_ACCESS: access(w, e); break;
	case E_DEFINED: case E_PROBEWRITE: use_expr(w, e->u.op1); break;
	case E_REGISTER: visit_optional(w, e->u.reg.number_expr); break;
	case E_DEREF:
		visit_optional(w, e->u.deref.addr);
		visit_optional(w, e->u.deref.size_expr);
		break;
	}
}

static void foreach(struct use_walker *w, const struct stmt *s)
{
	each(w, &s->u.foreach.slice);
	visit_optional(w, s->u.foreach.limit);
	if (s->u.foreach.hist)
		use_expr(w, s->u.foreach.hist);
	else
		mention(w, s->u.foreach.decl, USE_READ, s->u.foreach.array_loc);
	for vec_each(&s->u.foreach.keys, k)
		target(w, *k, USE_WRITE | USE_BIND);
	if (s->u.foreach.value)
		target(w, s->u.foreach.value, USE_WRITE | USE_BIND);
	use_stmt(w, s->u.foreach.body);
}

static void maybe_stmt(struct use_walker *w, const struct stmt *s)
{
	if (s)
		use_stmt(w, s);
}

void use_stmt(struct use_walker *w, const struct stmt *s)
{
	bool is_loop = s->kind == S_FOREACH || s->kind == S_WHILE || s->kind == S_FOR;

	if (w->stmt)
		w->stmt(w, s);
	w->loops += is_loop;
	switch (s->kind) {
	case S_EMPTY: case S_BREAK: case S_CONTINUE: case S_NEXT: break;
	case S_EXPR: case S_RETURN: visit_optional(w, s->u.expr); break;
	case S_DELETE: target(w, s->u.expr, USE_WRITE); break;
	case S_FOREACH: foreach(w, s); break;
	case S_BLOCK:
		for vec_each(&s->u.block, it)
			use_stmt(w, *it);
		break;
	case S_IF:
		use_expr(w, s->u.if_.c);
		maybe_stmt(w, s->u.if_.then);
		maybe_stmt(w, s->u.if_.other);
		break;
	case S_WHILE:
		use_expr(w, s->u.while_.c);
		maybe_stmt(w, s->u.while_.body);
		break;
	case S_FOR:
		visit_optional(w, s->u.for_.init);
		visit_optional(w, s->u.for_.c);
		maybe_stmt(w, s->u.for_.step);
		maybe_stmt(w, s->u.for_.body);
		break;
	case S_TRY:
		use_stmt(w, s->u.try_.body);
		if (s->u.try_.var)
			target(w, s->u.try_.var, USE_WRITE | USE_BIND);
		maybe_stmt(w, s->u.try_.handler);
		break;
	}
	w->loops -= is_loop;
}

void use_func(struct use_walker *w, const struct func *f)
{
	if (f->body)
		use_stmt(w, f->body);
	for vec_each(&f->accessors, a)
		if (w->call)
			w->call(w, *a, f->loc);
}

void use_probe(struct use_walker *w, const struct probe *p)
{
	each(w, &p->entries);
	use_stmt(w, p->body);
}
