// SPDX-License-Identifier: GPL-2.0-or-later
// Gives each foreach its own variables if several loops of a handler use the same name: `foreach (s in a) ...
// foreach (s in b) ...`. In: bound handlers. Out: the same with additional locals, so that stack_values.c can
// decide for each loop.
//
// A variable is divided if it is only mentioned in the bodies of loops that set it.
#include "elab/elab.h"
#include "util/numbers.h"

struct mentions {
	struct numbers all, in_loops, loops;   // indexed by local: mentions; mentions in loops that set it; loops that set it
	struct var *from, *to;
	struct probe *probe;       // the probe or function that is visited; the other is NULL
	struct func *func;
};

static struct var *text_local(const struct expr *e)
{
	return e->kind == E_VAR && e->type == T_STRING && e->u.var.decl->kind == VAR_LOCAL ? e->u.var.decl : NULL;
}

static bool count_mention(struct ast_walker *w, struct expr **e)
{
	struct numbers *count = w->data;
	struct var *v = text_local(*e);

	if (v)
		++*numbers_at(count, (uintptr_t)v);
	return true;
}

static bool count_loop(struct ast_walker *w, struct stmt **at)
{
	struct mentions *m = w->data;
	struct stmt *s = *at;

	if (s->kind != S_FOREACH)
		return true;
	for vec_each(&s->u.foreach.keys, key) {
		struct numbers inside = { 0 };
		struct ast_walker body = { .expr = count_mention, .data = &inside };
		struct var *v = text_local(*key);

		if (!v)
			continue;
		ast_walk_stmt(&body, &s->u.foreach.body);
		*numbers_at(&m->in_loops, (uintptr_t)v) += 1 + *numbers_at(&inside, (uintptr_t)v);
		++*numbers_at(&m->loops, (uintptr_t)v);
	}
	return true;
}

static bool rename_mention(struct ast_walker *w, struct expr **e)
{
	struct mentions *m = w->data;

	if (text_local(*e) == m->from)
		(*e)->u.var.decl = m->to;
	return true;
}

static bool is_shared(struct mentions *m, const struct var *v)
{
	return v && *numbers_at(&m->loops, (uintptr_t)v) > 1 &&
	       *numbers_at(&m->all, (uintptr_t)v) == *numbers_at(&m->in_loops, (uintptr_t)v);
}

static bool divide(struct ast_walker *w, struct stmt **at)
{
	struct mentions *m = w->data;
	struct ast_walker body = { .expr = rename_mention, .data = m };
	struct stmt *s = *at;

	if (s->kind != S_FOREACH)
		return true;
	for vec_each(&s->u.foreach.keys, key) {
		m->from = text_local(*key);
		if (!is_shared(m, m->from))
			continue;
		m->to = NEW(struct var);
		*m->to = *m->from;
		if (m->probe)
			vec_push(&m->probe->locals, m->to);
		else
			vec_push(&m->func->locals, m->to);
		(*key)->u.var.decl = m->to;
		ast_walk_stmt(&body, &s->u.foreach.body);
	}
	return true;
}

static void divide_in(struct mentions *m, struct stmt **body)
{
	struct ast_walker all = { .expr = count_mention, .data = &m->all };
	struct ast_walker loops = { .stmt = count_loop, .data = m }, dividing = { .stmt = divide, .data = m };

	ast_walk_stmt(&all, body);
	ast_walk_stmt(&loops, body);
	ast_walk_stmt(&dividing, body);
}

void loop_vars_divide(struct session *s)
{
	for vec_each(&s->script.probes, p)
		divide_in(&(struct mentions){ .probe = *p }, &(*p)->body);
	for vec_each(&s->script.funcs, f)
		if ((*f)->used && (*f)->body)
			divide_in(&(struct mentions){ .func = *f }, &(*f)->body);
}
