// SPDX-License-Identifier: GPL-2.0-or-later
// --semantic-keep-going: after a step with errors, removes the probes and functions that have one, and their
// callers, so that the next steps find the errors of the others. An error belongs to the last declaration that
// begins before its location.
#include "elab/elab.h"
#include "util/map.h"
#include "util/str.h"

#include <string.h>

struct finder {
	struct session *s;
	VEC(struct loc) starts;    // start locations of all declarations
	struct map broken;         // keys of the declarations that have errors
	bool calls_broken;
};

static char *key(struct loc loc)
{
	return str_printf("%p:%d:%d", (const void *)loc.source, loc.line, loc.column);
}

static bool before(struct loc a, struct loc b)
{
	return a.line < b.line || (a.line == b.line && a.column <= b.column);
}

// Returns the start of the declaration that contains `loc`; source is NULL if no declaration does.
static struct loc start_of(const struct finder *f, struct loc loc)
{
	struct loc best = { 0 };

	while (loc.via)
		loc = *loc.via->at;
	for vec_each(&f->starts, start)
		if (start->source == loc.source && before(*start, loc) && (!best.source || before(best, *start)))
			best = *start;
	return best;
}

static bool is_broken(const struct finder *f, struct loc loc)
{
	struct loc start = start_of(f, loc);

	return start.source && map_get(&f->broken, key(start));
}

static void find_starts(struct finder *f)
{
	for vec_each(&f->s->script.funcs, it)
		vec_push(&f->starts, (*it)->loc);
	for vec_each(&f->s->script.probe_decls, it)
		vec_push(&f->starts, (*it)->loc);
	for vec_each(&f->s->script.aliases, it)
		vec_push(&f->starts, (*it)->loc);
	for vec_each(&f->s->script.globals, it)
		vec_push(&f->starts, (*it)->loc);
}

// Returns false if an error is outside of all probes and functions, so that its declaration cannot be determined.
static bool find_broken(struct finder *f)
{
	int n;
	const struct loc *locations = diag_error_locations(&n);

	for (int i = 0; i < n; i++) {
		struct loc start = start_of(f, locations[i]);

		if (!start.source)
			return false;
		for vec_each(&f->s->script.globals, g)
			if (!strcmp(key((*g)->loc), key(start)))
				return false;
		map_put(&f->broken, key(start), f);
	}
	return true;
}

static bool visit_call(struct ast_walker *w, struct expr **e)
{
	struct finder *f = w->data;

	if ((*e)->kind == E_CALL && (*e)->u.call.target)
		f->calls_broken |= map_get(&f->broken, key((*e)->u.call.target->loc)) != NULL;
	return true;
}

static bool calls_broken(struct finder *f, struct stmt *body)
{
	struct ast_walker w = { .expr = visit_call, .data = f };

	f->calls_broken = false;
	if (body)
		ast_walk_stmt(&w, &body);
	return f->calls_broken;
}

static bool use_call(struct ast_walker *w, struct expr **e)
{
	struct func *f = (*e)->kind == E_CALL ? (*e)->u.call.target : NULL;

	for (; f && !f->used; f = f->next_overload) {
		f->used = true;
		for vec_each(&f->accessors, a)
			(*a)->used = true;
		if (f->body)
			ast_walk_stmt(w, &f->body);
	}
	return true;
}

static void mark_used(struct session *s)
{
	struct ast_walker w = { .expr = use_call };

	for vec_each(&s->script.funcs, f)
		(*f)->used = false;
	for vec_each(&s->script.probes, p) {
		if ((*p)->condition)
			ast_walk_expr(&w, &(*p)->condition);
		if ((*p)->body)
			ast_walk_stmt(&w, &(*p)->body);
	}
}

static bool probe_is_broken(struct finder *f, struct probe *p)
{
	for vec_each(&p->chain, point)
		if (is_broken(f, (*point)->loc))
			return true;
	return calls_broken(f, p->body);
}

bool elab_drop_broken(struct session *s)
{
	struct finder f = { .s = s };
	bool more = true;
	int n = 0;

	find_starts(&f);
	if (!find_broken(&f))
		return false;
	while (more) {
		more = false;
		for vec_each(&s->script.funcs, it) {
			if (map_get(&f.broken, key((*it)->loc)) || !calls_broken(&f, (*it)->body))
				continue;
			map_put(&f.broken, key((*it)->loc), &f);
			more = true;
		}
	}
	for (int i = 0; i < s->script.probes.n; i++)
		if (!probe_is_broken(&f, s->script.probes.at[i]))
			s->script.probes.at[n++] = s->script.probes.at[i];
	s->script.probes.n = n;
	mark_used(s);
	s->incomplete = diag_options.no_warnings = true;
	return n > 0;
}
