// SPDX-License-Identifier: GPL-2.0-or-later
// Steps of pass 2 for lists (-L, --dump-functions), which show the types of declarations without errors. In:
// script.probes after elab_match_probes(). Out: locals and functions with those types that can be inferred.
#include "elab/elab.h"
#include "session/passes.h"

static bool visit_unbound(struct ast_walker *w, struct expr **e)
{
	bool *broken = w->data;

	switch ((*e)->kind) {
	case E_CALL: *broken |= !(*e)->u.call.target; break;
	case E_VAR: *broken |= !(*e)->u.var.decl; break;
	case E_INDEX: case E_IN: *broken |= !(*e)->u.index.decl && !(*e)->u.index.hist; break;
	default: break;
	}
	return !*broken;
}

static bool visit_unbound_stmt(struct ast_walker *w, struct stmt **s)
{
	bool *broken = w->data;

	*broken |= (*s)->kind == S_FOREACH && !(*s)->u.foreach.decl && !(*s)->u.foreach.hist;
	return !*broken;
}

static bool drop_broken(struct ast_walker *walker, struct stmt **s)
{
	bool broken = false;
	struct ast_walker w = { .expr = visit_unbound, .stmt = visit_unbound_stmt, .data = &broken };

	if ((*s)->kind == S_BLOCK)
		return true;
	ast_walk_stmt(&w, s);
	if (broken)
		*s = stmt_new(S_EMPTY, (*s)->loc);
	return false;
}

static void drop_broken_of(struct stmt **body)
{
	struct ast_walker w = { .stmt = drop_broken };

	if (*body)
		ast_walk_stmt(&w, body);
}

// Removes statements with unresolved names, which the steps after bind_names.c cannot handle.
static int drop_unbound(struct session *s)
{
	for vec_each(&s->script.probes, p)
		drop_broken_of(&(*p)->body);
	for vec_each(&s->script.funcs, f)
		drop_broken_of(&(*f)->body);
	return 0;
}

void elab_types_for_lists(struct session *s)
{
	static int (*const steps[])(struct session *) = { elab_bind_names, drop_unbound, elab_targets, elab_types };

	for (size_t i = 0; i < ARRAY_SIZE(steps); i++)
		steps[i](s);
}
