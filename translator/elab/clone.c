// SPDX-License-Identifier: GPL-2.0-or-later
// Copies functions that use $x, @entry() and the like, since these differ from probe to probe. In: bodies with names
// bound. Out: each probe calls its own copies (probe.clones), which target_var.c resolves like the probe's body; the
// originals are unused. Each copy of a probe whose body uses such expressions also gets its own body.
#include "elab/elab.h"
#include "util/str.h"

#include <string.h>

// ---------------------------------------------------------------- find functions

static bool visit_context(struct ast_walker *w, struct expr **e)
{
	bool *found = w->data;

	switch ((*e)->kind) {
	case E_TARGET: case E_ENTRY: case E_ATVAR: case E_PERF:
		*found = true;
		break;
	case E_CALL:
		for (struct func *f = (*e)->u.call.target; f; f = f->next_overload)
			*found |= f->in_context;
		break;
	default:
		break;
	}
	return !*found;
}

static bool mentions_context(struct func *f)
{
	bool found = false;
	struct ast_walker w = { .expr = visit_context, .data = &found };

	if (f->body)
		ast_walk_stmt(&w, &f->body);
	return found;
}

// Returns false if no function mentions target variables, as in most scripts.
static bool find_functions(struct session *s)
{
	bool any = false, changed;

	do {
		changed = false;
		for vec_each(&s->script.funcs, it) {
			struct func *f = *it;

			if (!f->used || f->in_context || !mentions_context(f) ||
			    !session_since(s, f->loc, "4.3", "a function that mentions target variables"))
				continue;
			f->in_context = changed = any = true;
		}
	} while (changed);
	return any;
}

// ---------------------------------------------------------------- copies

struct variable { struct var *old, *new; };

struct cloner {
	struct session *s;
	struct probe *probe;
	VEC(struct func *) originals;   // originals.at[i] became probe->clones.at[i]
};

struct renamer {
	struct cloner *c;
	VEC(struct variable) vars; // of the function that is copied
};

static struct func *clone(struct cloner *c, struct func *f);

static struct var *renamed(struct renamer *r, struct var *v)
{
	for vec_each(&r->vars, it)
		if (it->old == v)
			return it->new;
	return v;
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
	vec_push(&r->vars, ((struct variable){ v, copy }));
	return copy;
}

// Copies f and the overloads after it. A recursive call finds the copy that is in progress.
static struct func *clone(struct cloner *c, struct func *f)
{
	struct renamer r = { .c = c };
	struct ast_walker w = { .expr = rename_expr, .data = &r };
	struct func *copy;

	if (!f)
		return NULL;
	for (int i = 0; i < c->originals.n; i++)
		if (c->originals.at[i] == f)
			return c->probe->clones.at[i];
	copy = NEW(struct func);
	*copy = *f;
	copy->probe = c->probe;
	vec_push(&c->originals, f);
	vec_push(&c->probe->clones, copy);
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

// The meaning of a type's name also depends on the probed module, so types count beside variables.
static bool visit_context_or_type(struct ast_walker *w, struct expr **e)
{
	bool *found = w->data;

	*found |= (*e)->kind == E_CAST || (*e)->kind == E_ENUM || (*e)->kind == E_ENUMNAME || (*e)->kind == E_DEFINED;
	return visit_context(w, e);
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
