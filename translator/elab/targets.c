// SPDX-License-Identifier: GPL-2.0-or-later
// Resolves target variables in all probes and in the functions that they call. In: bodies with bound names. Out:
// bodies as described in target_var.c, without optional probe points that lack a variable.
#include "elab/elab.h"
#include "elab/resolver.h"
#include "session/passes.h"
#include "resolve/family.h"

// Resolves the functions that were called, and those that they call: a probe's own copies, or functions that depend on
// no probe.
static void resolve_called(struct resolver *r)
{
	for (int i = 0; i < r->called.n; i++)
		if (r->called.at[i]->body && r->called.at[i]->probe == r->probe)
			ast_walk_stmt(&r->walker, &r->called.at[i]->body);
}

bool probe_is_return(const struct probe *p)
{
	const struct probe_point *last = probe_matched_point(p);

	return last && point_find(last, "return") && !p->family->own_returns;
}

static void resolver_enter(struct resolver *r, struct probe *p)
{
	r->probe = p;
	r->is_return = p && probe_is_return(p);
	resolver_init(r);
}

static void resolve_probe(struct resolver *r, struct probe *p)
{
	resolver_enter(r, p);
	r->in_condition = true;
	if (p->condition)
		ast_walk_expr(&r->walker, &p->condition);
	r->in_condition = false;
	if (p->body)
		ast_walk_stmt(&r->walker, &p->body);
	resolve_called(r);
}

// Static variables of the probed program need no lookup at run time; other programs' variables do.
static bool visit_static(struct ast_walker *w, struct expr **e)
{
	if ((*e)->kind == E_STATIC)
		(*e)->u.fixed.external = (*e)->u.fixed.variable->user && (*e)->u.fixed.variable->home != w->data;
	return true;
}

// Sets u.fixed.external in the resolved expression or statement, and in the entries from `entries` on.
static void settle_statics(struct resolver *r, struct expr **e, struct stmt **st, int entries)
{
	struct probe *p = r->probe;
	struct ast_walker w = { .expr = visit_static, .data = p->family->module ? p->family->module(p) : NULL };

	if (e)
		ast_walk_expr(&w, e);
	else if (*st)
		ast_walk_stmt(&w, st);
	for (int i = entries; i < p->entries.n; i++)
		ast_walk_expr(&w, &p->entries.at[i]);
	for vec_each(&r->called, f)
		if ((*f)->body && (*f)->probe == p)
			ast_walk_stmt(&w, &(*f)->body);
}

static void report_unknown(struct resolver *r)
{
	for vec_each(&r->unknown, report)
		diag_report(*report);
}

static bool visit_unbound(struct ast_walker *w, struct expr **e)
{
	*(bool *)w->data |= (*e)->kind == E_UNBOUND;
	return !*(bool *)w->data;
}

// Reports unknown names in a function that is never called, unless a condition removes them. Changes nothing.
static void check_uncalled(struct session *s, const struct func *f)
{
	struct resolver r = { .s = s };
	bool found = false;
	struct ast_walker w = { .expr = visit_unbound, .data = &found };
	struct stmt *body = f->body ? stmt_copy(f->body) : NULL;

	if (!body)
		return;
	ast_walk_stmt(&w, &body);
	if (!found)
		return;
	resolver_init(&r);
	diag_quiet_push();
	ast_walk_stmt(&r.walker, &body);
	diag_quiet_pop();
	for vec_each(&r.called, called)
		(*called)->is_called = false;
	report_unknown(&r);
}

static bool is_optional(const struct probe *p)
{
	for vec_each(&p->chain, point)
		if ((*point)->optional || (*point)->sufficient)
			return true;
	return false;
}

// Optional probe points are excluded, since an error drops the whole probe.
static void mark_unused(struct session *s)
{
	if (s->opt.no_optimize || s->opt.list || s->opt.list_vars)
		return;
	access_compute_effects(s);
	for vec_each(&s->script.probes, p)
		if ((*p)->body && !is_optional(*p))
			unused_mark((*p)->body);
	for vec_each(&s->script.funcs, f)
		if ((*f)->used && (*f)->body)
			unused_mark((*f)->body);
}

// Resolves the probe, and adds the functions that it calls to those of `shared`. Returns false if it must be removed:
// an optional point lacks a variable.
static bool resolve_or_remove(struct resolver *shared, struct probe *p)
{
	struct resolver r = { .s = shared->s };
	bool optional = is_optional(p), removed;

	if (optional)
		diag_quiet_push();
	resolve_probe(&r, p);
	removed = optional && diag_quiet_pop();
	report_unknown(&r);
	if (!removed)
		settle_statics(&r, NULL, &p->body, 0);
	for vec_each(&r.called, f) {
		(*f)->is_called = !removed;
		if (!removed && !(*f)->probe)
			vec_push(&shared->called, *f);
	}
	return !removed;
}

int elab_targets(struct session *s)
{
	struct resolver shared = { .s = s };
	int before = diag_errors(), n = 0;

	clone_functions(s);
	mark_unused(s);
	for (int i = 0; i < s->script.probes.n; i++)
		if (resolve_or_remove(&shared, s->script.probes.at[i]))
			s->script.probes.at[n++] = s->script.probes.at[i];
	s->script.probes.n = n;
	// Functions are listed even if they are never called.
	for (int i = 0; s->opt.dump == DUMP_FUNCTIONS && i < s->script.funcs.n; i++)
		resolver_note_call(&shared, s->script.funcs.at[i]);
	resolver_init(&shared);
	resolve_called(&shared);
	report_unknown(&shared);
	for vec_each(&s->script.funcs, f) {
		(*f)->used &= (*f)->is_called || (*f)->accessed;
		if (!(*f)->is_called && (*f)->source && !(*f)->source->library)
			check_uncalled(s, *f);
	}
	unused_mark_functions(s);
	return diag_errors() - before;
}

void target_resume(struct session *s, struct probe *p, struct func *f, struct expr **e, struct stmt **st)
{
	struct resolver r = { .s = s }, shared = { .s = s };
	int entries;

	resolver_enter(&r, p ? p : f->probe);
	entries = r.probe ? r.probe->entries.n : 0;
	for (int i = 0; i < entries; i++)
		vec_push(&r.entries, "");  // saved by an earlier call: the empty text is equal to no other
	if (e)
		ast_walk_expr(&r.walker, e);
	else if (*st)
		ast_walk_stmt(&r.walker, st);
	resolve_called(&r);
	if (r.probe)
		settle_statics(&r, e, st, entries);
	for vec_each(&r.called, it) {
		(*it)->used = true;
		if (r.probe && !(*it)->probe)
			vec_push(&shared.called, *it);
	}
	resolver_init(&shared);
	resolve_called(&shared);
	report_unknown(&r);
	report_unknown(&shared);
	for vec_each(&shared.called, it)
		(*it)->used = true;
}
