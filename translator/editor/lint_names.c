// SPDX-License-Identifier: GPL-2.0-or-later
// --lint: globals, functions, parameters and variables that are never used, arrays that are never written, elements
// of threads that are never deleted, and conditions whose value is constant.
#include "editor/lint.h"
#include "util/map.h"

#include <string.h>

// A variable of the script: a global, or a parameter or local of the body that is being visited.
struct use {
	const char *name;
	struct loc loc;            // location of the declaration, or of the first assignment
	struct var *global;        // the global, or NULL
	bool parameter, exempt;
	int reads, writes, deletes, sets;  // sets: number of writes by "="
	struct loc set_by_thread;  // location at which an element with a thread's ID as key is set
};

struct names {
	struct session *s;
	struct map globals, locals, called;
	VEC(struct use *) all_locals;
	bool in_return;            // the body belongs to a .return probe
	int exits;                 // number of break, return, next and calls of exit() so far
};

static struct use *use_of(struct names *n, const char *name, struct loc loc)
{
	struct use *u = map_get(&n->locals, name);

	if (!u)
		u = map_get(&n->globals, name);
	if (u)
		return u;
	u = NEW(struct use);
	*u = (struct use){ .name = name, .loc = loc };
	map_put(&n->locals, name, u);
	vec_push(&n->all_locals, u);
	return u;
}

// ---------------------------------------------------------------- constant conditions

// Returns true if the text of the script at the location is a number, not a script argument such as $1.
static bool is_written_number(const struct expr *e)
{
	const char *line = e->loc.source && !e->loc.via ? diag_line(e->loc.source, e->loc.line) : "$";

	return e->kind == E_NUMBER && line[e->loc.column - 1] != '$';
}

static bool visit_effect(struct ast_walker *w, struct expr **e)
{
	bool *found = w->data;

	*found |= (*e)->kind == E_CALL || (*e)->kind == E_INCDEC || (*e)->kind == E_ASSIGN || (*e)->kind == E_EMBEDDED ||
		  (*e)->kind == E_NUMBER;
	return !*found;
}

static bool is_same(struct expr *l, struct expr *r)
{
	struct buf a = { 0 }, b = { 0 };
	bool effect = false;
	struct ast_walker w = { .expr = visit_effect, .data = &effect };

	ast_walk_expr(&w, &l);
	if (effect)
		return false;
	ast_print_expr(&a, l);
	ast_print_expr(&b, r);
	return !strcmp(buf_text(&a), buf_text(&b));
}

// Returns 1 if the value is always true, 0 if always false, -1 if it is not constant.
static int constant_value(struct expr *e)
{
	struct expr *l, *r;

	if (e->kind == E_NUMBER)
		return is_written_number(e) ? e->u.number != 0 : -1;
	if (e->kind == E_UNARY && e->u.un.op == TOK_NOT) {
		int value = constant_value(e->u.un.e);

		return value < 0 ? value : !value;
	}
	if (e->kind != E_BINARY)
		return -1;
	l = e->u.bin.l;
	r = e->u.bin.r;
	switch (e->u.bin.op) {
	case TOK_ANDAND: return !constant_value(l) || !constant_value(r) ? 0 : constant_value(l) & constant_value(r) & 1 &&
		constant_value(l) > 0 && constant_value(r) > 0 ? 1 : -1;
	case TOK_OROR: return constant_value(l) > 0 || constant_value(r) > 0 ? 1 :
		!constant_value(l) && !constant_value(r) ? 0 : -1;
	case TOK_EQ: case TOK_LE: case TOK_GE: return is_same(l, r) ? 1 : -1;
	case TOK_NE: case TOK_LT: case TOK_GT: return is_same(l, r) ? 0 : -1;
	default: return -1;
	}
}

static void check_condition(struct expr *c)
{
	int value = constant_value(c);

	if (value >= 0)
		lint_warn(c->loc, "constant-condition", "this condition is always %s", value ? "true" : "false");
	if (c->kind == E_ASSIGN && c->u.bin.op == TOK_ASSIGN)
		lint_warn(c->loc, "assigned-condition", "an assignment is the condition: did you mean \"==\"?");
}

// ---------------------------------------------------------------- uses

static bool visit_expr(struct ast_walker *w, struct expr **at);

static bool is_thread(const struct expr *e)
{
	return e && e->kind == E_CALL && (!strcmp(e->u.call.name, "tid") || !strcmp(e->u.call.name, "pid"));
}

// Visits the left side of an assignment. op: TOK_ASSIGN and the like, TOK_INC.
static void visit_target(struct ast_walker *w, struct expr *l, enum tok op, bool value_used)
{
	struct names *n = w->data;
	struct use *u;

	if (l->kind != E_VAR && l->kind != E_INDEX) {
		ast_walk_expr(w, &l);
		return;
	}
	u = use_of(n, l->kind == E_VAR ? l->u.var.name : l->u.index.name, l->loc);
	u->writes++;
	u->sets += op == TOK_ASSIGN;
	u->reads += value_used;
	if (l->kind != E_INDEX)
		return;
	for vec_each(&l->u.index.keys, key) {
		if (*key)
			ast_walk_expr(w, key);
		if (is_thread(*key) && op == TOK_ASSIGN && !n->in_return && !u->set_by_thread.source)
			u->set_by_thread = l->loc;
	}
}

static bool visit_expr(struct ast_walker *w, struct expr **at)
{
	struct names *n = w->data;
	struct expr *e = *at;

	switch (e->kind) {
	case E_VAR: use_of(n, e->u.var.name, e->loc)->reads++; break;
	case E_INDEX: case E_IN:
		if (e->u.index.name)
			use_of(n, e->u.index.name, e->loc)->reads++;
		break;
	case E_CALL:
		map_put(&n->called, e->u.call.name, e);
		n->exits += !strcmp(e->u.call.name, "exit");
		break;
	case E_COND: check_condition(e->u.cond.c); break;
	case E_ASSIGN:
		visit_target(w, e->u.bin.l, e->u.bin.op, true);
		ast_walk_expr(w, &e->u.bin.r);
		return false;
	case E_INCDEC:
		visit_target(w, e->u.un.e, e->u.un.op, true);
		return false;
	default: break;
	}
	return true;
}

// Visits an expression whose value is not used.
static void visit_unused_value(struct ast_walker *w, struct expr *e)
{
	if (e->kind == E_ASSIGN) {
		visit_target(w, e->u.bin.l, e->u.bin.op, false);
		ast_walk_expr(w, &e->u.bin.r);
	} else if (e->kind == E_INCDEC) {
		visit_target(w, e->u.un.e, e->u.un.op, false);
	} else {
		ast_walk_expr(w, &e);
	}
}

static void visit_delete(struct ast_walker *w, struct expr *e)
{
	struct names *n = w->data;

	use_of(n, e->kind == E_VAR ? e->u.var.name : e->u.index.name, e->loc)->deletes++;
	if (e->kind == E_INDEX)
		for vec_each(&e->u.index.keys, key)
			if (*key)
				ast_walk_expr(w, key);
}

static void visit_foreach(struct names *n, struct stmt *s)
{
	for vec_each(&s->u.foreach.keys, key)
		use_of(n, (*key)->u.var.name, (*key)->loc)->exempt = true;
	if (s->u.foreach.value)
		use_of(n, s->u.foreach.value->u.var.name, s->u.foreach.value->loc)->exempt = true;
	if (s->u.foreach.array)
		use_of(n, s->u.foreach.array, s->u.foreach.array_loc)->reads++;
}

// Reports "while (1)" only if nothing in it ends it.
static void visit_while(struct ast_walker *w, struct stmt *s)
{
	struct names *n = w->data;
	int before = n->exits;

	ast_walk_expr(w, &s->u.while_.c);
	ast_walk_stmt(w, &s->u.while_.body);
	if (constant_value(s->u.while_.c) != 1 || n->exits == before)
		check_condition(s->u.while_.c);
}

static bool visit_stmt(struct ast_walker *w, struct stmt **at)
{
	struct names *n = w->data;
	struct stmt *s = *at;

	switch (s->kind) {
	case S_EXPR: visit_unused_value(w, s->u.expr); return false;
	case S_DELETE: visit_delete(w, s->u.expr); return false;
	case S_IF: check_condition(s->u.if_.c); break;
	case S_WHILE: visit_while(w, s); return false;
	case S_FOR:
		if (s->u.for_.init) {
			visit_unused_value(w, s->u.for_.init);
			s->u.for_.init->value_unused = true;
		}
		break;
	case S_FOREACH: visit_foreach(n, s); break;
	case S_TRY:
		if (s->u.try_.var)
			use_of(n, s->u.try_.var->u.var.name, s->u.try_.var->loc)->exempt = true;
		break;
	case S_BREAK: case S_RETURN: case S_NEXT: n->exits++; break;
	default: break;
	}
	return true;
}

static void visit_body(struct names *n, struct stmt *body)
{
	struct ast_walker w = { .expr = visit_expr, .stmt = visit_stmt, .data = n };

	if (body)
		ast_walk_stmt(&w, &body);
}

// ---------------------------------------------------------------- functions and probes

static void begin_body(struct names *n)
{
	n->locals = (struct map){ 0 };
	n->all_locals.n = 0;
}

static void check_locals(struct names *n, const char *function)
{
	for vec_each(&n->all_locals, it) {
		struct use *u = *it;

		if (u->exempt || *u->name == '_' || *u->name == '$' || u->reads)
			continue;
		if (u->parameter && !u->writes)
			lint_warn(u->loc, "unused-parameter", "parameter \"%s\" of \"%s\" is never used: remove it, or begin its "
				  "name with \"_\"", u->name, function);
		else if (!u->parameter && u->writes)
			lint_warn(u->loc, "unread-variable", "\"%s\" is assigned but never read", u->name);
	}
}

static void visit_function(struct names *n, struct func *f)
{
	begin_body(n);
	for vec_each(&f->params, p) {
		struct use *u = use_of(n, (*p)->name, (*p)->loc);

		if (u->global) {
			u = NEW(struct use);
			*u = (struct use){ .name = (*p)->name, .loc = (*p)->loc };
			map_put(&n->locals, u->name, u);
			vec_push(&n->all_locals, u);
		}
		u->parameter = true;
	}
	visit_body(n, f->body);
	if (f->body)
		check_locals(n, f->name);
}

static bool is_return(const struct probe_decl *d)
{
	for vec_each(&d->points, point)
		for vec_each(&(*point)->parts, part)
			if (!strcmp(part->name, "return") || !strcmp(part->name, "end"))
				return true;
	return false;
}

static void visit_probe(struct names *n, struct probe_decl *d)
{
	struct ast_walker w = { .expr = visit_expr, .stmt = visit_stmt, .data = n };

	begin_body(n);
	n->in_return = is_return(d);
	for vec_each(&d->points, point)
		if ((*point)->condition)
			ast_walk_expr(&w, &(*point)->condition);
	visit_body(n, d->body);
	visit_body(n, d->epilogue_body);
	n->in_return = false;
	// Variables of an alias are not reported: the probes that use it may need them.
	if (!d->alias_names.n)
		check_locals(n, NULL);
}

// ---------------------------------------------------------------- globals

// Returns true if the C uses the name, or a name that contains it, such as STAP_GLOBAL_GET_name.
static bool uses_name(const struct embedded *c, const char *name)
{
	for vec_each(&c->words, word)
		if (!strcmp(word->name, name) || str_ends(word->name, str_printf("_%s", name)))
			return true;
	return str_in_list(&c->reads, name) || str_in_list(&c->writes, name);
}

// Returns true if embedded C of the script uses the name.
static bool in_embedded(const struct session *s, const char *name)
{
	for vec_each(&s->script.funcs, f)
		if ((*f)->embedded && uses_name((*f)->embedded, name))
			return true;
	for vec_each(&s->script.embedded, e)
		if (uses_name((*e)->u.embedded, name))
			return true;
	return false;
}

static bool is_given(const struct session *s, const char *name)
{
	for vec_each(&s->opt.globals, g)
		if (!strcmp(g->name, name))
			return true;
	return false;
}

static void check_global(struct names *n, const struct use *u)
{
	bool used = u->reads || u->writes || u->deletes;

	if (in_embedded(n->s, u->name))
		return;
	if (!used)
		lint_warn(u->loc, "unused-global", "global \"%s\" is never used: remove it", u->name);
	else if (!u->writes && !u->global->init && !is_given(n->s, u->name))
		lint_warn(u->loc, "never-written", "global \"%s\" is %s, but the script never writes it", u->name,
			  u->reads ? "read" : "deleted");
	else if (!u->reads && n->s->opt.no_autoprint)
		lint_warn(u->loc, "never-read", "global \"%s\" is written, but the script never reads it", u->name);
	if (u->set_by_thread.source && !u->deletes && !u->global->wrap)
		lint_warn(u->set_by_thread, "never-deleted", "elements of \"%s\" stay when their threads exit: delete them, or "
			  "declare \"global %s%%\", which drops the oldest", u->name, u->name);
}

void lint_names(struct session *s)
{
	struct names n = { .s = s };
	VEC(struct use *) globals = { 0 };

	for vec_each(&s->script.globals, g) {
		struct use *u = NEW(struct use);

		*u = (struct use){ .name = (*g)->name, .loc = (*g)->loc, .global = *g };
		map_put(&n.globals, u->name, u);
		vec_push(&globals, u);
	}
	for vec_each(&s->script.funcs, f)
		visit_function(&n, *f);
	for vec_each(&s->script.aliases, d)
		visit_probe(&n, *d);
	for vec_each(&s->script.probe_decls, d)
		visit_probe(&n, *d);
	for vec_each(&globals, u)
		check_global(&n, *u);
	for vec_each(&s->script.funcs, f)
		if (!map_get(&n.called, (*f)->name))
			lint_warn((*f)->loc, "unused-function", "function \"%s\" is never called: remove it", (*f)->name);
}
