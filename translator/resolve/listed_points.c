// SPDX-License-Identifier: GPL-2.0-or-later
// Points that are only listed (-l, -L): they are stored as strings instead of probes, so that memory grows only
// with the printed text.
#include "resolve/resolve.h"
#include "util/diag.h"
#include "util/str.h"

#include <assert.h>

bool probe_list(struct session *s, const struct probe_match *m, const char *point)
{
	struct listed_point listed = { .decl = m->decl, .point = m->chain_len > 1 ? point_text(m->chain[0]) : point };

	if (!s->opt.list || s->opt.list_vars)
		return false;
	vec_push(&s->script.listed, listed);
	return true;
}

// ---------------------------------------------------------------- variables

void listed_variable(name_list *list, const char *name, const char *type)
{
	struct buf b = { 0 };

	buf_printf(&b, "%s:", name);
	for (; *type; type++)
		if (*type != ' ' || type[1] != '*')
			buf_putc(&b, *type);
	vec_push(list, (const char *)str_ndup(b.text, b.len));
}

// Returns false for a variable that has a name and a type but no location at this address: it is optimised out, or
// not yet set.
static bool can_be_read(struct session *s, struct probe *p, const char *name)
{
	struct expr *e = expr_new(E_TARGET, p->loc);
	bool can;

	e->u.target.name = name;
	diag_quiet_push();
	can = p->family->target(s, p, e);
	diag_quiet_pop();
	return can;
}

static void add_variables(struct session *s, struct probe *p, name_list *list)
{
	target_names names = { 0 };

	if (!p->family->target_names || !p->family->target)
		return;
	p->family->target_names(s, p, &names);
	for vec_each(&names, n)
		if (can_be_read(s, p, n->name))
			listed_variable(list, str_printf("$%s", n->name), n->type);
}

struct listed_details *probe_details(struct session *s, struct probe *p)
{
	struct listed_details *details = NEW(struct listed_details);

	add_variables(s, p, &details->variables);
	if (s->opt.list_source && p->family->source)
		details->source = p->family->source(p);
	return details;
}

// A point that was found through an alias also has the alias's locals, whose types are inferred later. A family that
// resolves another point than the one that was written (python.c) adapts the probe.
bool probe_list_variables(struct session *s, const struct probe_match *m, struct probe *last)
{
	struct listed_point listed = { .decl = last->decl, .point = last->point };

	if (!s->opt.list_vars || m->chain_len > 1 || m->point != m->chain[0] || last->family->as_aliases)
		return false;
	assert(s->script.probes.at[s->script.probes.n - 1] == last);
	s->script.probes.at[--s->script.probes.n] = NULL;
	listed.details = probe_details(s, last);
	vec_push(&s->script.listed, listed);
	return true;
}
