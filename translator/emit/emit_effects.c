// SPDX-License-Identifier: GPL-2.0-or-later
// What evaluating an expression or calling a function may change, and whether it may fail. Asked by
// emit_expr.c to keep the script's order of evaluation with as few temporaries as possible.
#include "emit/emitter.h"

#include <assert.h>
#include <string.h>

struct effects {
	struct emitter *e;
	unsigned changes;
	bool fails, nexts;
	struct func_info *collect; // its callees, NULL: not asked
};

static void change_var(struct effects *fx, const struct var *v)
{
	fx->changes |= v->kind != VAR_GLOBAL ? LOCAL : v->arity > 0 ? ARRAY : GLOBAL;
}

static void change_lvalue(struct effects *fx, const struct expr *l)
{
	if (l->kind == E_VAR) {
		change_var(fx, l->u.var.decl);
	} else if (l->kind == E_DEREF || l->kind == E_REGISTER) {
		fx->changes |= TARGET | WORLD;
		fx->fails = true;
	} else {
		fx->changes |= ARRAY;
		fx->fails = true;
	}
}

static void call_effects(struct effects *fx, struct expr *x)
{
	for (struct func *f = x->u.call.target; f; f = f->next_overload) {
		struct func_info *i = emit_func(fx->e, f);

		fx->changes |= i->effects | (i->plain ? 0 : WORLD);
		fx->fails |= i->fails || i->nexts || (f->type == T_STRING && !i->plain);
		if (fx->collect)
			vec_push(&fx->collect->callees, i);
		if (!i->nexts)
			break;
	}
}

static bool format_fails(const struct expr *x)
{
	for vec_each(&x->u.print.format, p)
		if (p->conv == 'm' || p->conv == 'M')
			return true;
	return false;
}

static bool expr_effects(struct ast_walker *w, struct expr **at)
{
	struct effects *fx = w->data;
	struct expr *x = *at;

	switch (x->kind) {
	case E_ASSIGN:
		change_lvalue(fx, x->u.bin.l);
		fx->fails |= x->u.bin.op == TOK_DIV_ASSIGN || x->u.bin.op == TOK_MOD_ASSIGN;
		break;
	case E_INCDEC:
		change_lvalue(fx, x->u.un.e);
		break;
	case E_CALL:
		call_effects(fx, x);
		break;
	case E_EMBEDDED:
		fx->changes |= WORLD;
		fx->fails = true;
		break;
	case E_PRINT:
		fx->changes |= x->u.print.to_string ? 0 : WORLD;
		fx->fails |= x->u.print.to_string || format_fails(x);
		break;
	case E_REGEX:
		fx->changes |= x->u.regex.keep ? WORLD : 0;
		fx->fails |= x->u.regex.keep;
		break;
	case E_BINARY:
		fx->fails |= x->u.bin.op == TOK_DIV || x->u.bin.op == TOK_MOD || x->type == T_STRING;
		break;
	case E_COND:
		fx->fails |= x->type == T_STRING;
		break;
	case E_DEREF:
	case E_STATIC:
	case E_ENUMNAME:
	case E_HIST:
	case E_HIST_BUCKET:
	case E_REGISTER:
	case E_ENTRY:
		fx->fails = true;
		break;
	case E_STAT:
		fx->fails |= emit_stat_fails(fx->e, x);
		break;
	case E_VAR:
		fx->fails |= x->u.var.decl && x->u.var.decl->kind == VAR_LOCAL && x->type == T_STRING;
		break;
	default:
		break;
	}
	return true;
}

static bool stmt_effects(struct ast_walker *w, struct stmt **at)
{
	struct effects *fx = w->data;
	struct stmt *st = *at;

	switch (st->kind) {
	case S_NEXT:
		fx->nexts = true;
		break;
	case S_DELETE:
		change_lvalue(fx, st->u.expr);
		break;
	case S_FOREACH:
		for vec_each(&st->u.foreach.keys, key)
			change_lvalue(fx, *key);
		if (st->u.foreach.value)
			change_lvalue(fx, st->u.foreach.value);
		fx->fails = true;
		break;
	case S_WHILE:
	case S_FOR:
		fx->fails = true;
		break;
	case S_TRY:
		if (st->u.try_.var)
			change_lvalue(fx, st->u.try_.var);
		break;
	default:
		break;
	}
	return true;
}

unsigned emit_effects(struct emitter *e, struct expr *x)
{
	struct effects fx = { .e = e };
	struct ast_walker w = { .expr = expr_effects, .stmt = stmt_effects, .data = &fx };

	if (!x)
		return 0;
	ast_walk_expr(&w, &x);
	return fx.changes;
}

// Embedded C that sees the runtime only can only fail through its functions that do.
static bool embedded_fails(const char *text)
{
	static const char *const failing[] = { "STAP_ERROR", "error", "fatal", "load", "store", "div", "_mod",
		"stat_get", "hist_get", "_put", "printf", "PRINTF", "actions", "frame", "stp_matched", "stp_system",
		"stp_charge", "stp_find", "stp_span", "stp_take", "stp_wide" };

	if (!strstr(text, "pragma:runtime"))
		return true;
	for (const char *const *p = failing; p < END(failing); p++)
		if (strstr(text, *p))
			return true;
	return false;
}

static void look_at(struct emitter *e, struct func_info *i)
{
	struct func *f = i->func;
	struct effects fx = { .e = e, .collect = i };
	struct ast_walker w = { .expr = expr_effects, .stmt = stmt_effects, .data = &fx };

	if (f->body) {
		ast_walk_stmt(&w, &f->body);
		i->effects = fx.changes & ~LOCAL;
		i->fails = fx.fails || f->recursive;
		i->nexts = fx.nexts;
	} else {
		i->effects = f->pragmas & PRAGMA_PURE ? 0 : WORLD;
		i->fails = embedded_fails(f->embedded);
		i->nexts = strstr(f->embedded, "STAP_NEXT") != NULL;
		i->fails |= f->accessors.n > 0;
		i->pointer = emit_returns_pointer(f);
		emit_accessor_callees(e, i);
	}
	for vec_each(&f->params, v)
		i->fails |= f->body && (*v)->type == T_STRING && emit_assigns(f->body, *v);
	i->plain = (f->type == T_LONG || i->pointer) && !i->effects && !i->fails && !i->nexts;
}

// The function's entry; it will be emitted. While it is looked at itself (a cycle) the worst is
// assumed of it.
struct func_info *emit_func(struct emitter *e, struct func *f)
{
	struct func_info *i;

	if (f->index)
		return e->funcs.at[f->index - 1];
	i = NEW(struct func_info);
	i->func = f;
	i->name = emit_unique(e, "f_", f->name);
	map_put(&e->func_names, i->name, i);
	i->effects = GLOBAL | ARRAY | WORLD;
	i->fails = i->nexts = true;
	i->nexts = f->next_overload != NULL;
	i->state = LOOKING;
	vec_push(&e->funcs, i);
	f->index = e->funcs.n;
	look_at(e, i);
	i->state = SEEN;
	return i;
}

struct mention { const struct var *var; bool assigned_only, found; };

static bool is_var(const struct expr *x, const struct var *v)
{
	return x && x->kind == E_VAR && x->u.var.decl == v;
}

static bool mention_expr(struct ast_walker *w, struct expr **at)
{
	struct mention *m = w->data;
	struct expr *x = *at;

	if (!m->assigned_only)
		m->found |= is_var(x, m->var);
	else if (x->kind == E_ASSIGN)
		m->found |= is_var(x->u.bin.l, m->var);
	else if (x->kind == E_INCDEC)
		m->found |= is_var(x->u.un.e, m->var);
	return true;
}

static bool mention_stmt(struct ast_walker *w, struct stmt **at)
{
	struct mention *m = w->data;
	struct stmt *st = *at;

	if (st->kind == S_FOREACH) {
		for vec_each(&st->u.foreach.keys, key)
			m->found |= is_var(*key, m->var);
		m->found |= is_var(st->u.foreach.value, m->var);
	} else if (st->kind == S_TRY) {
		m->found |= is_var(st->u.try_.var, m->var);
	} else if (st->kind == S_DELETE) {
		m->found |= is_var(st->u.expr, m->var);
	}
	return true;
}

bool emit_mentions(struct expr *x, const struct var *v)
{
	struct mention m = { .var = v };
	struct ast_walker w = { .expr = mention_expr, .data = &m };

	ast_walk_expr(&w, &x);
	return m.found;
}

bool emit_assigns(struct stmt *body, const struct var *v)
{
	struct mention m = { .var = v, .assigned_only = true };
	struct ast_walker w = { .expr = mention_expr, .stmt = mention_stmt, .data = &m };

	ast_walk_stmt(&w, &body);
	return m.found;
}
