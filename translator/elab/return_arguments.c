// SPDX-License-Identifier: GPL-2.0-or-later
// Warnings of calls such as int_arg(1) in .return probes: at the return of a function the registers of its arguments
// have other values. In: probes and functions with bound calls. Out: warnings.
#include "elab/elab.h"
#include "resolve/family.h"
#include "util/numbers.h"

#include <string.h>

struct search {
	struct numbers seen;       // functions that were visited: set of struct func *
	struct numbers *reported;  // calls that have a warning: set of struct expr *
	bool found;                // in the library: an argument is read
};

static bool is_of_library(const struct func *f)
{
	return f->source && f->source->library;
}

static bool find_argument(struct ast_walker *w, struct expr **at)
{
	struct search *search = w->data;

	for (struct func *f = (*at)->kind == E_CALL ? (*at)->u.call.target : NULL; f; f = f->next_overload) {
		search->found |= !strcmp(f->name, "__argument");
		if (f->body && numbers_add(&search->seen, f))
			ast_walk_stmt(w, &f->body);
	}
	return !search->found;
}

static bool reads_argument(struct expr *call)
{
	struct search search = { 0 };
	struct ast_walker w = { .expr = find_argument, .data = &search };

	ast_walk_expr(&w, &call);
	return search.found;
}

static bool visit_call(struct ast_walker *w, struct expr **at)
{
	struct search *search = w->data;
	struct expr *e = *at;
	struct func *f = e->kind == E_CALL ? e->u.call.target : NULL;

	if (!f)
		return e->kind != E_ENTRY;
	if (is_of_library(f)) {
		if (!e->loc.source->library && reads_argument(e) && numbers_add(search->reported, e))
			diag_warning(e->loc, "%s() reads a register that may have another value at the return of the "
				     "function; write @entry(%s(...)) for its value at the entry", f->name, f->name);
		return true;
	}
	for (; f; f = f->next_overload)
		if (f->body && numbers_add(&search->seen, f))
			ast_walk_stmt(w, &f->body);
	return true;
}

void return_arguments_check(struct session *s)
{
	struct numbers reported = { 0 };

	for vec_each(&s->script.probes, p) {
		struct search search = { .reported = &reported };
		struct ast_walker w = { .expr = visit_call, .data = &search };

		if (!probe_is_return(*p) || (*p)->family->arguments_at_return)
			continue;
		if ((*p)->body)
			ast_walk_stmt(&w, &(*p)->body);
	}
}
