// SPDX-License-Identifier: GPL-2.0-or-later
// Determines what evaluating an expression or calling a function may change, and whether it may fail, so that
// emit_expr.c can keep the script's order of evaluation with few temporaries.
#include "emit/emitter.h"

#include <string.h>

struct effects {
	struct emitter *e;
	unsigned changes;
	bool fails, nexts;
	struct func_info *collect; // if not NULL: collects its callees
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

		fx->changes |= i->effects | (i->pure_value ? 0 : WORLD);
		fx->fails |= i->fails || i->nexts || (f->type == T_STRING && !i->pure_value);
		if (fx->collect)
			emit_add_callee(fx->collect, i);
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

// Functions and macros of generated.h that embedded C may call without a check for an error. They never set one.
static const char *const infallible[] = {
	"STAP_NEXT", "STAP_RETURN", "STAP_RETURN_POINTER", "if", "for", "while", "switch", "sizeof",
	"__builtin_bswap16", "__builtin_bswap32", "__builtin_bswap64", "__builtin_clzll",
	"stp_copy", "stp_strlen", "stp_cpu", "stp_current_task", "stp_egid", "stp_euid", "stp_execname", "stp_exit",
	"stp_hostname",
	"stp_gettimeofday_ns", "stp_gid", "stp_is_users_process", "stp_ktime_ns", "stp_log", "stp_pgrp", "stp_pid",
	"stp_pid_namespace", "stp_pn",
	"stp_pp", "stp_ppid", "stp_probefunc", "stp_probemod", "stp_relay_pid", "stp_remote_id", "stp_remote_uri", "stp_sid",
	"stp_speculation_lost", "stp_switch_file", "stp_syscall_kernel_name", "stp_syscall_name",
	"stp_syscall_unquoted",
	"stp_target", "stp_task_is_32bit", "stp_thread_start", "stp_tid", "stp_timezone_s", "stp_uid", "stp_user_namespace",
	"stp_value_get", "stp_warn",
};

static bool is_infallible(const char *name)
{
	for (const char *const *p = infallible; p < END(infallible); p++)
		if (!strcmp(*p, name))
			return true;
	return false;
}

// C that includes headers may fail, as may C that calls a function of the runtime that is not listed as infallible.
static bool embedded_fails(const struct embedded *c)
{
	if (!(c->pragmas & PRAGMA_RUNTIME))
		return true;
	for vec_each(&c->words, word)
		if (word->calls && !is_infallible(word->name))
			return true;
	return false;
}

static void find_effects(struct emitter *e, struct func_info *i)
{
	struct func *f = i->func;
	struct effects fx = { .e = e, .collect = i };
	struct ast_walker w = { .expr = expr_effects, .stmt = stmt_effects, .data = &fx };

	if (f->body) {
		ast_walk_stmt(&w, &f->body);
		i->effects = fx.changes & ~LOCAL;
		i->fails = fx.fails || f->recursive || parts_long(f->body);
		i->nexts = fx.nexts;
	} else {
		i->effects = func_has(f, PRAGMA_PURE) ? 0 : WORLD;
		i->fails = embedded_fails(f->embedded);
		i->nexts = embedded_word(f->embedded, "STAP_NEXT") != NULL;
		i->fails |= f->accessors.n > 0;
		i->pointer = emit_returns_pointer(f);
		emit_accessor_callees(e, i);
	}
	for vec_each(&f->params, v)
		i->fails |= f->body && (*v)->type == T_STRING && emit_assigns(f->body, *v);
	i->pure_value = (f->type == T_LONG || i->pointer) && !i->effects && !i->fails && !i->nexts;
}

// Returns the entry of the function, which will be emitted. In a call cycle, while its own body is being visited,
// the worst effects are assumed.
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
	find_effects(e, i);
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
