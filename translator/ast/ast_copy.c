// SPDX-License-Identifier: GPL-2.0-or-later
// Makes deep copies of expressions and statements: every node is new; declarations (struct var, struct func), names and
// types are shared.
#include "ast/ast.h"

// Copies the array of a vector whose struct was copied; the elements are still shared.
#define OWN_ARRAY(v) do {									\
	if ((v)->n) {										\
		(v)->at = mem_grow((v)->at, (v)->n * sizeof(*(v)->at), (v)->n * sizeof(*(v)->at)); \
		(v)->capacity = (v)->n;								\
	}											\
} while (0)

static struct expr *copy(const struct expr *e)
{
	return e ? expr_copy(e) : NULL;
}

static void copy_list(expr_vec *list)
{
	OWN_ARRAY(list);
	for vec_each(list, e)
		*e = copy(*e);
}

static void copy_components(struct expr *e)
{
	OWN_ARRAY(&e->u.access.comps);
	for vec_each(&e->u.access.comps, c)
		c->index = copy(c->index);
}

static void copy_children(struct expr *e)
{
	switch (e->kind) {
	case E_NUMBER: case E_STRING: case E_VAR: case E_EMBEDDED: case E_TARGET: case E_ATVAR:
	case E_PERF: case E_CONST: case E_ENUM: case E_STATIC: case E_OFFSET: case E_UNBOUND:
		break;
	case E_INDEX: case E_IN: case E_HIST_BUCKET:
		e->u.index.hist = copy(e->u.index.hist);
		copy_list(&e->u.index.keys);
		break;
	case E_CALL:
		copy_list(&e->u.call.args);
		break;
	case E_UNARY: case E_INCDEC:
		e->u.un.e = copy(e->u.un.e);
		break;
	case E_BINARY: case E_ASSIGN:
		e->u.bin.l = copy(e->u.bin.l);
		e->u.bin.r = copy(e->u.bin.r);
		break;
	case E_COND:
		e->u.cond.c = copy(e->u.cond.c);
		e->u.cond.a = copy(e->u.cond.a);
		e->u.cond.b = copy(e->u.cond.b);
		break;
	case E_REGEX:
		e->u.regex.l = copy(e->u.regex.l);
		break;
	case E_STAT: case E_HIST:
		e->u.stat.of = copy(e->u.stat.of);
		e->u.stat.shift = copy(e->u.stat.shift);
		break;
	case E_PRINT:
		e->u.print.delimiter = copy(e->u.print.delimiter);
		OWN_ARRAY(&e->u.print.format);
		copy_list(&e->u.print.args);
		break;
	case E_CAST: case E_ENUMNAME:
		e->u.cast.e = copy(e->u.cast.e);
		break;
	case E_ACCESS:
		e->u.access.base = copy(e->u.access.base);
		copy_components(e);
		break;
	case E_DEFINED: case E_PROBEWRITE:
		e->u.op1 = copy(e->u.op1);
		break;
	case E_ENTRY:
		e->u.entry.e = copy(e->u.entry.e);
		break;
	case E_REGISTER:
		e->u.reg.number_expr = copy(e->u.reg.number_expr);
		break;
	case E_DEREF:
		e->u.deref.addr = copy(e->u.deref.addr);
		e->u.deref.size_expr = copy(e->u.deref.size_expr);
		break;
	}
}

struct expr *expr_copy(const struct expr *e)
{
	struct expr *c = NEW(struct expr);

	*c = *e;
	copy_children(c);
	return c;
}

static struct stmt *copy_stmt(const struct stmt *s)
{
	return s ? stmt_copy(s) : NULL;
}

static void copy_foreach(struct stmt *s)
{
	OWN_ARRAY(&s->u.foreach.keys);
	for vec_each(&s->u.foreach.keys, k)
		*k = copy(*k);
	copy_list(&s->u.foreach.slice);
	s->u.foreach.value = copy(s->u.foreach.value);
	s->u.foreach.hist = copy(s->u.foreach.hist);
	s->u.foreach.limit = copy(s->u.foreach.limit);
	s->u.foreach.body = copy_stmt(s->u.foreach.body);
}

struct stmt *stmt_copy(const struct stmt *from)
{
	struct stmt *s = NEW(struct stmt);

	*s = *from;
	switch (s->kind) {
	case S_EMPTY: case S_BREAK: case S_CONTINUE: case S_NEXT:
		break;
	case S_EXPR: case S_RETURN: case S_DELETE:
		s->u.expr = copy(s->u.expr);
		break;
	case S_BLOCK:
		OWN_ARRAY(&s->u.block);
		for vec_each(&s->u.block, it)
			*it = copy_stmt(*it);
		break;
	case S_IF:
		s->u.if_.c = copy(s->u.if_.c);
		s->u.if_.then = copy_stmt(s->u.if_.then);
		s->u.if_.other = copy_stmt(s->u.if_.other);
		break;
	case S_WHILE:
		s->u.while_.c = copy(s->u.while_.c);
		s->u.while_.body = copy_stmt(s->u.while_.body);
		break;
	case S_FOR:
		s->u.for_.init = copy(s->u.for_.init);
		s->u.for_.c = copy(s->u.for_.c);
		s->u.for_.step = copy_stmt(s->u.for_.step);
		s->u.for_.body = copy_stmt(s->u.for_.body);
		break;
	case S_FOREACH:
		copy_foreach(s);
		break;
	case S_TRY:
		s->u.try_.body = copy_stmt(s->u.try_.body);
		s->u.try_.handler = copy_stmt(s->u.try_.handler);
		s->u.try_.var = copy(s->u.try_.var);
		break;
	}
	return s;
}
