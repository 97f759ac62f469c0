// SPDX-License-Identifier: GPL-2.0-or-later
// Visits expressions and statements. It is the only file that lists the children of every node, in the order of
// evaluation. Absent children (NULL) are not visited.
#include "ast/ast.h"

static void visit(struct ast_walker *w, struct expr **e)
{
	if (*e)
		ast_walk_expr(w, e);
}

static void visit_list(struct ast_walker *w, expr_vec *list)
{
	for (int i = 0; i < list->n; i++) // a callback may add to the list
		visit(w, &list->at[i]);
}

static void visit_children(struct ast_walker *w, struct expr *e)
{
	switch (e->kind) {
	case E_NUMBER: case E_STRING: case E_VAR: case E_EMBEDDED: case E_TARGET: case E_ATVAR:
	case E_PERF: case E_CONST: case E_ENUM: case E_STATIC: case E_OFFSET: case E_UNBOUND:
		break;
	case E_INDEX: case E_IN: case E_HIST_BUCKET:
		visit(w, &e->u.index.hist);
		visit_list(w, &e->u.index.keys);
		break;
	case E_CALL:
		visit_list(w, &e->u.call.args);
		break;
	case E_UNARY: case E_INCDEC:
		visit(w, &e->u.un.e);
		break;
	case E_BINARY: case E_ASSIGN:
		visit(w, &e->u.bin.l);
		visit(w, &e->u.bin.r);
		break;
	case E_COND:
		visit(w, &e->u.cond.c);
		visit(w, &e->u.cond.a);
		visit(w, &e->u.cond.b);
		break;
	case E_REGEX:
		visit(w, &e->u.regex.l);
		break;
	case E_STAT: case E_HIST:
		visit(w, &e->u.stat.of);
		visit(w, &e->u.stat.shift);
		break;
	case E_PRINT:
		visit(w, &e->u.print.delimiter);
		visit_list(w, &e->u.print.args);
		break;
	case E_CAST: case E_ENUMNAME:
		visit(w, &e->u.cast.e);
		break;
	case E_ACCESS:
		visit(w, &e->u.access.base);
		for (int i = 0; i < e->u.access.comps.n; i++)
			visit(w, &e->u.access.comps.at[i].index);
		break;
	case E_DEFINED: case E_PROBEWRITE:
		visit(w, &e->u.op1);
		break;
	case E_ENTRY:
		visit(w, &e->u.entry.e);
		break;
	case E_REGISTER:
		visit(w, &e->u.reg.number_expr);
		break;
	case E_DEREF:
		visit(w, &e->u.deref.size_expr);
		visit(w, &e->u.deref.addr);
		break;
	}
}

void ast_walk_expr(struct ast_walker *w, struct expr **e)
{
	if (!w->expr || w->expr(w, e))
		visit_children(w, *e);
	if (w->expr_after)
		w->expr_after(w, e);
}

static void visit_stmt(struct ast_walker *w, struct stmt **s)
{
	if (*s)
		ast_walk_stmt(w, s);
}

static void visit_foreach(struct ast_walker *w, struct stmt *s)
{
	for (int i = 0; i < s->u.foreach.keys.n; i++)
		visit(w, &s->u.foreach.keys.at[i]);
	visit(w, &s->u.foreach.value);
	visit(w, &s->u.foreach.hist);
	visit_list(w, &s->u.foreach.slice);
	visit(w, &s->u.foreach.limit);
	visit_stmt(w, &s->u.foreach.body);
}

static void visit_stmt_children(struct ast_walker *w, struct stmt *s)
{
	switch (s->kind) {
	case S_EMPTY: case S_BREAK: case S_CONTINUE: case S_NEXT:
		break;
	case S_EXPR: case S_RETURN: case S_DELETE:
		visit(w, &s->u.expr);
		break;
	case S_BLOCK:
		for (int i = 0; i < s->u.block.n; i++)
			visit_stmt(w, &s->u.block.at[i]);
		break;
	case S_IF:
		visit(w, &s->u.if_.c);
		visit_stmt(w, &s->u.if_.then);
		visit_stmt(w, &s->u.if_.other);
		break;
	case S_WHILE:
		visit(w, &s->u.while_.c);
		visit_stmt(w, &s->u.while_.body);
		break;
	case S_FOR:
		visit(w, &s->u.for_.init);
		visit(w, &s->u.for_.c);
		visit_stmt(w, &s->u.for_.step);
		visit_stmt(w, &s->u.for_.body);
		break;
	case S_FOREACH:
		visit_foreach(w, s);
		break;
	case S_TRY:
		visit_stmt(w, &s->u.try_.body);
		visit(w, &s->u.try_.var);
		visit_stmt(w, &s->u.try_.handler);
		break;
	}
}

void ast_walk_stmt(struct ast_walker *w, struct stmt **s)
{
	if (!w->stmt || w->stmt(w, s))
		visit_stmt_children(w, *s);
	if (w->stmt_after)
		w->stmt_after(w, s);
}
