// SPDX-License-Identifier: GPL-2.0-or-later
// Copies functions that use $x, @entry() and the like, since these differ from probe to probe. In: bodies with names
// bound. Out: each probe calls its own copies (probe.clones), which target_var.c resolves like the probe's body; the
// originals are unused. Each copy of a probe whose body uses such expressions also gets its own body.
#include "elab/elab.h"
#include "util/numbers.h"
#include "util/str.h"

#include <string.h>

// ---------------------------------------------------------------- find functions

static bool is_context(const struct expr *e)
{
	return e->kind == E_TARGET || e->kind == E_ENTRY || e->kind == E_ATVAR || e->kind == E_PERF;
}

struct function { struct func *func; VEC(int) callers; };

// The calls between functions, from callee to caller.
struct call_graph {
	VEC(struct function) functions;
	struct numbers numbers;    // struct func * -> its number in `functions` + 1
	int caller;                // number of the function whose body is visited
	bool mentions;             // its own body mentions target variables
};

// Returns the function's number. A new function may move all others.
static int number_of(struct call_graph *g, struct func *f)
{
	uint32_t *number = numbers_at(&g->numbers, (uintptr_t)f);

	if (!*number) {
		vec_push(&g->functions, ((struct function){ .func = f }));
		*number = (uint32_t)g->functions.n;
	}
	return (int)*number - 1;
}

static bool visit_call(struct ast_walker *w, struct expr **e)
{
	struct call_graph *g = w->data;

	if ((*e)->kind == E_CALL)
		for (struct func *f = (*e)->u.call.target; f; f = f->next_overload) {
			int callee = number_of(g, f);

			vec_push(&g->functions.at[callee].callers, g->caller);
		}
	g->mentions |= is_context(*e);
	return true;
}

// Finds functions that mention target variables, and all that call them. Returns false if there are none, as in most
// scripts.
static bool find_functions(struct session *s)
{
	struct call_graph g = { 0 };
	struct ast_walker w = { .expr = visit_call, .data = &g };
	VEC(int) found = { 0 };
	bool any = false;

	for vec_each(&s->script.funcs, f) {
		g.mentions = false;
		g.caller = number_of(&g, *f);
		if ((*f)->used && (*f)->body)
			ast_walk_stmt(&w, &(*f)->body);
		if (g.mentions)
			vec_push(&found, g.caller);
	}
	while (found.n) {
		struct function *f = &g.functions.at[found.at[--found.n]];

		if (f->func->in_context ||
		    !session_since(s, f->func->loc, "4.3", "a function that mentions target variables"))
			continue;
		f->func->in_context = any = true;
		for vec_each(&f->callers, caller)
			vec_push(&found, *caller);
	}
	return any;
}

// ---------------------------------------------------------------- copies

struct cloner {
	struct session *s;
	struct probe *probe;
	struct numbers clones;     // struct func * -> the number of its copy in probe->clones + 1
};

struct renamer {
	struct cloner *c;
	VEC(struct var *) copies;  // copies of the variables of the function that is copied
	struct numbers numbers;    // struct var * -> the number of its copy in `copies` + 1
};

static struct func *clone(struct cloner *c, struct func *f);

static struct var *renamed(struct renamer *r, struct var *v)
{
	uint32_t number = v ? *numbers_at(&r->numbers, (uintptr_t)v) : 0;

	return number ? r->copies.at[number - 1] : v;
}

static bool rename_expr(struct ast_walker *w, struct expr **e)
{
	struct renamer *r = w->data;
	struct func *f;

	switch ((*e)->kind) {
	case E_VAR:
		(*e)->u.var.decl = renamed(r, (*e)->u.var.decl);
		break;
	case E_CALL:
		for (f = (*e)->u.call.target; f && !f->in_context; f = f->next_overload)
			;
		if (f)
			(*e)->u.call.target = clone(r->c, (*e)->u.call.target);
		break;
	default:
		break;
	}
	return true;
}

static struct var *copy_var(struct renamer *r, struct var *v)
{
	struct var *copy = NEW(struct var);

	*copy = *v;
	vec_push(&r->copies, copy);
	*numbers_at(&r->numbers, (uintptr_t)v) = (uint32_t)r->copies.n;
	return copy;
}

// Copies f and the overloads after it. A recursive call finds the copy that is in progress.
static struct func *clone(struct cloner *c, struct func *f)
{
	struct renamer r = { .c = c };
	struct ast_walker w = { .expr = rename_expr, .data = &r };
	struct func *copy;
	uint32_t *number;

	if (!f)
		return NULL;
	number = numbers_at(&c->clones, (uintptr_t)f);
	if (*number)
		return c->probe->clones.at[*number - 1];
	copy = NEW(struct func);
	*copy = *f;
	copy->probe = c->probe;
	copy->original = f;
	vec_push(&c->probe->clones, copy);
	*number = (uint32_t)c->probe->clones.n;
	vec_push(&c->s->script.funcs, copy);
	memset(&copy->params, 0, sizeof(copy->params));
	memset(&copy->locals, 0, sizeof(copy->locals));
	for vec_each(&f->params, v)
		vec_push(&copy->params, copy_var(&r, *v));
	for vec_each(&f->locals, v)
		vec_push(&copy->locals, copy_var(&r, *v));
	copy->next_overload = clone(c, f->next_overload);
	if (f->body) {
		copy->body = stmt_copy(f->body);
		ast_walk_stmt(&w, &copy->body);
	}
	return copy;
}

// ---------------------------------------------------------------- probes

// The meaning of a type's name also depends on the probed module, so types are visited as well as variables.
static bool visit_context_or_type(struct ast_walker *w, struct expr **e)
{
	bool *found = w->data;

	*found |= is_context(*e) || (*e)->kind == E_CAST || (*e)->kind == E_ENUM || (*e)->kind == E_ENUMNAME ||
		  (*e)->kind == E_DEFINED;
	for (struct func *f = (*e)->kind == E_CALL ? (*e)->u.call.target : NULL; f; f = f->next_overload)
		*found |= f->in_context;
	return !*found;
}

static bool depends_on_probe(struct probe *p)
{
	bool found = false;
	struct ast_walker w = { .expr = visit_context_or_type, .data = &found };

	ast_walk_stmt(&w, &p->body);
	return found;
}

static void separate_copies(struct session *s)
{
	VEC(struct probe *) all = { 0 };
	int before = s->script.probes.n;

	for vec_each(&s->script.probes, p) {
		vec_push(&all, *p);
		if (!(*p)->copies.n || !depends_on_probe(*p))
			continue;
		for vec_each(&(*p)->copies, copy) {
			(*copy)->body = stmt_copy((*p)->pristine);
			bind_names_of_probe(s, *copy);
			vec_push(&all, *copy);
		}
		memset(&(*p)->copies, 0, sizeof((*p)->copies));
	}
	if (all.n == before)
		return;
	s->script.probes.n = 0;
	for vec_each(&all, p)
		vec_push(&s->script.probes, *p);
	optimize_mark_unused(s);
}

void clone_functions(struct session *s)
{
	int originals = s->script.funcs.n;
	bool any = find_functions(s);

	separate_copies(s);
	if (!any)
		return;
	for vec_each(&s->script.probes, p) {
		struct cloner c = { .s = s, .probe = *p };
		struct renamer r = { .c = &c };
		struct ast_walker w = { .expr = rename_expr, .data = &r };

		ast_walk_stmt(&w, &(*p)->body);
	}
	for (int i = 0; i < originals; i++)
		if (s->script.funcs.at[i]->in_context)
			s->script.funcs.at[i]->used = false;
}
