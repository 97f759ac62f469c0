// SPDX-License-Identifier: GPL-2.0-or-later
// Finds unused statements, before names, target variables and types are required. In: bound bodies with
// value_unused set, effects of functions. Out: stmt.unused of statements without effect, of assignments to locals
// that are never read, of chains of such assignments, of branches and loops that contain nothing else, and of code
// after a jump; var.reads of parameters. An error in such a statement removes it with a warning; without errors it
// remains.
#include "elab/elab.h"
#include "elab/infer.h"
#include "parse/parse.h"

// A statement (also an if or a loop) that is unused if nothing in it is used.
struct item {
	struct stmt *stmt;
	int parent;                // index in finder.items, or -1
	int used;                  // number of its effects, of locals that it sets and that are read, and of used
				   // statements in it
};

struct store { int item, next; };       // next: the next store to the variable, or -1

struct finder {
	VEC(struct item) items;
	VEC(struct store) stores;
	VEC(struct var *) unread;
	int item;                  // the item whose stores are being collected
};

static void forget(struct use_walker *w, struct var *v, int use, struct loc loc)
{
	v->reads = v->in_defined;
	v->stores = -1;
}

static void add_read(struct use_walker *w, struct var *v, int use, struct loc loc)
{
	v->reads += (use & USE_READ) != 0;
}

static void drop_read(struct use_walker *w, struct var *v, int use, struct loc loc)
{
	struct finder *f = w->data;

	if (v->kind != VAR_GLOBAL && (use & USE_READ) && --v->reads == 0)
		vec_push(&f->unread, v);
}

static void add_store(struct use_walker *w, struct var *v, int use, struct loc loc)
{
	struct finder *f = w->data;

	if (v->kind == VAR_GLOBAL || !(use & USE_WRITE) || !v->reads)
		return;
	vec_push(&f->stores, ((struct store){ f->item, v->stores }));
	v->stores = f->stores.n - 1;
	f->items.at[f->item].used++;
}

// Calls visit for each expression that the statement itself evaluates, but not for those of nested statements.
static void own_expressions(struct finder *f, const struct stmt *s, void (*visit)(struct finder *, const struct expr *))
{
	const struct expr *own[2] = { 0 };

	switch (s->kind) {
	case S_EXPR: own[0] = s->u.expr; break;
	case S_IF: own[0] = s->u.if_.c; break;
	case S_WHILE: own[0] = s->u.while_.c; break;
	case S_FOR: own[0] = s->u.for_.init, own[1] = s->u.for_.c; break;
	case S_FOREACH:
		own[0] = s->u.foreach.limit;
		own[1] = s->u.foreach.hist;
		for vec_each(&s->u.foreach.slice, k)
			if (*k)
				visit(f, *k);
		break;
	default: break;
	}
	for (int i = 0; i < 2; i++)
		if (own[i])
			visit(f, own[i]);
}

static void add_effects(struct finder *f, const struct expr *e)
{
	struct use_walker w = { .var = add_store, .data = f };

	f->items.at[f->item].used += !access_only_sets_locals(e);
	use_expr(&w, e);
}

static void drop_reads(struct finder *f, const struct expr *e)
{
	struct use_walker w = { .var = drop_read, .data = f };

	use_expr(&w, e);
}

// Removes the reads in statements that are never executed, except those that were already unused.
static void drop_statement(struct finder *f, struct stmt *s)
{
	struct use_walker w = { .var = drop_read, .data = f };

	if (!s || s->unused)
		return;
	s->unused = s->kind != S_BLOCK;
	own_expressions(f, s, drop_reads);
	switch (s->kind) {
	case S_BLOCK:
		for vec_each(&s->u.block, it)
			drop_statement(f, *it);
		break;
	case S_IF:
		drop_statement(f, s->u.if_.then);
		drop_statement(f, s->u.if_.other);
		break;
	case S_WHILE: drop_statement(f, s->u.while_.body); break;
	case S_FOR:
		drop_statement(f, s->u.for_.step);
		drop_statement(f, s->u.for_.body);
		break;
	case S_FOREACH: drop_statement(f, s->u.foreach.body); break;
	case S_TRY:
		drop_statement(f, s->u.try_.body);
		drop_statement(f, s->u.try_.handler);
		break;
	case S_EXPR: break;
	default: use_stmt(&w, s);
	}
}

static void release(struct finder *f, int item)
{
	while (item >= 0 && --f->items.at[item].used == 0) {
		struct stmt *s = f->items.at[item].stmt;

		if (s->unused)
			return;
		s->unused = true;
		own_expressions(f, s, drop_reads);
		if (s->kind == S_TRY)
			drop_statement(f, s->u.try_.handler);
		item = f->items.at[item].parent;
	}
}

// "local x = 1" is a declaration of another language, and remains an error.
static bool is_declaring(const struct stmt *s)
{
	return s->kind == S_EXPR && s->u.expr->kind == E_VAR && parse_is_declaring(s->u.expr->u.var.name);
}

bool unused_leaves(const struct stmt *s)
{
	switch (s->kind) {
	case S_RETURN: case S_NEXT: case S_BREAK: case S_CONTINUE: return true;
	case S_BLOCK: return s->u.block.n && unused_leaves(s->u.block.at[s->u.block.n - 1]);
	case S_IF: return s->u.if_.other && unused_leaves(s->u.if_.then) && unused_leaves(s->u.if_.other);
	default: return false;
	}
}

static void find(struct finder *f, struct stmt *s, int parent);

static void find_in_block(struct finder *f, struct stmt *block, int parent)
{
	struct use_walker w = { .var = drop_read, .data = f };
	bool left = false;

	for vec_each(&block->u.block, it) {
		if (!left) {
			find(f, *it, parent);
			left = unused_leaves(*it);
			continue;
		}
		(*it)->unused = true;
		use_stmt(&w, *it);
	}
}

static void find_parts(struct finder *f, struct stmt *s, int item)
{
	switch (s->kind) {
	case S_IF:
		find(f, s->u.if_.then, item);
		if (s->u.if_.other)
			find(f, s->u.if_.other, item);
		break;
	case S_WHILE: find(f, s->u.while_.body, item); break;
	case S_FOR:
		if (s->u.for_.step)
			find(f, s->u.for_.step, item);
		find(f, s->u.for_.body, item);
		break;
	case S_FOREACH: find(f, s->u.foreach.body, item); break;
	case S_TRY:
		find(f, s->u.try_.body, item);
		if (s->u.try_.handler)
			find(f, s->u.try_.handler, -1);
		break;
	default: break;
	}
}

// Variables that foreach and catch set are bound by the statement, which counts as a store.
static void add_bound(struct finder *f, const struct stmt *s)
{
	struct use_walker w = { .var = add_store, .data = f };

	if (s->kind == S_FOREACH) {
		for vec_each(&s->u.foreach.keys, k)
			add_store(&w, (*k)->u.var.decl, USE_WRITE, s->loc);
		if (s->u.foreach.value)
			add_store(&w, s->u.foreach.value->u.var.decl, USE_WRITE, s->loc);
	}
}

static bool may_be_unused(const struct stmt *s)
{
	switch (s->kind) {
	case S_EXPR: return !is_declaring(s);
	case S_IF: case S_WHILE: case S_FOR: case S_FOREACH: case S_TRY: return true;
	default: return false;
	}
}

// Collects the statement and those in it as items. An item holds an additional reference while its statements are
// counted.
static void find(struct finder *f, struct stmt *s, int parent)
{
	int item = f->items.n;

	s->unused = false;
	if (s->kind == S_EMPTY)
		return;
	if (s->kind == S_BLOCK) {
		find_in_block(f, s, parent);
		return;
	}
	if (parent >= 0)
		f->items.at[parent].used++;
	vec_push(&f->items, ((struct item){ s, parent, 1 + !may_be_unused(s) }));
	f->item = item;
	own_expressions(f, s, add_effects);
	add_bound(f, s);
	find_parts(f, s, item);
	release(f, item);
}

void unused_mark(struct stmt *body)
{
	struct finder f = { 0 };
	struct use_walker clear = { .var = forget }, count = { .var = add_read };

	use_stmt(&clear, body);
	use_stmt(&count, body);
	find(&f, body, -1);
	while (f.unread.n) {
		struct var *v = f.unread.at[--f.unread.n];

		for (int i = v->stores; i >= 0; i = f.stores.at[i].next)
			release(&f, f.stores.at[i].item);
		v->stores = -1;
	}
}

bool unused_argument(const struct expr *call, int i)
{
	for (const struct func *f = call->u.call.target; f; f = f->next_overload)
		if (!f->body || f->params.at[i]->reads)
			return false;
	return call->u.call.target && access_pure(call->u.call.args.at[i]);
}

// Suppresses warnings about variables that a removed statement would have set.
static void suppress_warning(struct use_walker *w, struct var *v, int use, struct loc loc)
{
	v->set_by_removed |= (use & USE_WRITE) != 0;
}

static void warn(struct loc loc)
{
	if (loc.source && loc.source->library)
		return;
	diag_warn_held(loc, "this code is never used, so it was left out (an error with -u)");
}

void unused_drop(struct stmt *s)
{
	struct use_walker w = { .var = suppress_warning };

	warn(s->loc);
	use_stmt(&w, s);
	*s = (struct stmt){ .kind = S_EMPTY, .loc = s->loc };
}

void unused_drop_argument(struct expr **e)
{
	warn((*e)->loc);
	*e = expr_number((*e)->loc, 0);
	(*e)->ignored = (*e)->is_placeholder = true;
}

// ---------------------------------------------------------------- functions

static bool visit_used_stmt(struct ast_walker *w, struct stmt **s)
{
	return !(*s)->unused;
}

static bool visit_used_expr(struct ast_walker *w, struct expr **e)
{
	struct func *f = (*e)->kind == E_CALL ? (*e)->u.call.target : NULL;

	if ((*e)->ignored)
		return false;
	for (; f && f->only_unused; f = f->next_overload) {
		f->only_unused = false;
		if (f->body)
			ast_walk_stmt(w, &f->body);
	}
	return true;
}

void unused_mark_functions(struct session *s)
{
	struct ast_walker w = { .expr = visit_used_expr, .stmt = visit_used_stmt };

	for vec_each(&s->script.funcs, f)
		(*f)->only_unused = !s->opt.no_optimize && (*f)->used && !(*f)->accessed && (*f)->body;
	for vec_each(&s->script.probes, p) {
		for vec_each(&(*p)->entries, e)
			ast_walk_expr(&w, e);
		if ((*p)->body)
			ast_walk_stmt(&w, &(*p)->body);
	}
}

void infer_function(struct infer *t, struct func *f)
{
	if (!f->used || (f->only_unused && (!t->unused || t->report)))
		return;
	t->func = f;
	infer_stmt(t, f->body);
	t->func = NULL;
}

bool infer_broken_call(struct infer *t, const struct func *f)
{
	for (; f && !f->broken; f = f->next_overload)
		;
	if (f && t->report)
		diag_error(f->broken_at, "%s", f->broken);
	return f;
}

// Functions are visited in alternating order, since an error propagates to one level of callers in each round.
void infer_broken(struct infer *t)
{
	int n = t->s->script.funcs.n;
	bool more, backwards = false;

	do {
		more = false;
		for (int i = 0; i < n; i++) {
			struct func *f = t->s->script.funcs.at[backwards ? n - 1 - i : i];

			if (!f->used || !f->only_unused || f->broken)
				continue;
			diag_hold_push();
			t->func = f;
			infer_stmt(t, f->body);
			t->func = NULL;
			if (!diag_hold_pop())
				continue;
			f->broken = diag_quiet_first();
			f->broken_at = diag_quiet_location();
			more = true;
		}
		backwards = !backwards;
	} while (more);
}

// ---------------------------------------------------------------- types

bool infer_unused(struct infer *t, struct stmt *s)
{
	if (t->in_unused || !t->unused || (!t->report && !t->resolve))
		return t->in_unused || t->unused;
	s->unused = false;
	t->in_unused = true;
	diag_hold_push();
	infer_stmt(t, s);
	s->unused = true;
	t->in_unused = false;
	if (diag_hold_pop())
		unused_drop(s);
	return false;
}

// Changes the placeholder 0 of an argument to "" if the parameter is a string. Returns false if it is not, or if
// its type is not determined yet.
static bool take_type(struct expr *placeholder, const struct var *parameter)
{
	if (parameter->type != T_STRING)
		return false;
	*placeholder = *expr_string(placeholder->loc, "");
	return true;
}

bool infer_ignored_arg(struct infer *t, struct expr *e, int i)
{
	struct expr **arg = &e->u.call.args.at[i];

	if ((*arg)->is_placeholder)
		return take_type(*arg, e->u.call.target->params.at[i]);
	if (t->in_unused || !t->unused || (!t->report && !t->resolve))
		return t->in_unused || t->unused;
	t->in_unused = true;
	diag_hold_push();
	infer_arg(t, e, i);
	t->in_unused = false;
	if (!diag_hold_pop())
		return false;
	unused_drop_argument(arg);
	return take_type(*arg, e->u.call.target->params.at[i]);
}
