// SPDX-License-Identifier: GPL-2.0-or-later
// Finds target variables, their types and members for completion and hover. In: the text of a probe point. It is
// resolved alone, so errors elsewhere in the script do not matter.
#include "server/variables.h"
#include "elab/elab.h"
#include "parse/parse.h"
#include "session/passes.h"

#include <string.h>

struct probe *variables_probe(struct request *r, const char *point)
{
	const char *text = str_printf("probe %s {}", point);

	feature_source(r, text, strlen(text));
	if (pass_parse(r->s))
		return NULL;
	r->choose_target(r->s);
	elab_match_probes(r->s);
	return r->s->script.probes.n ? r->s->script.probes.at[0] : NULL;
}

const char *variables_c_type(const char *type)
{
	struct buf b = { 0 };

	for (; *type; type++)
		if (*type != ' ' || type[1] != '*')
			buf_putc(&b, *type);
	return buf_text(&b);
}

void variables_list(struct request *r, struct probe *p, target_names *out)
{
	target_names names = { 0 };

	if (p->family->target_names && p->family->target)
		p->family->target_names(r->s, p, &names);
	for vec_each(&names, n)
		vec_push(out, ((struct target_name){ str_printf("$%s", n->name), variables_c_type(n->type) }));
	if (p->chain.n > 1 || p->family->as_aliases) {
		elab_bind_names(r->s);
		for vec_each(&p->locals, v)
			if (!str_starts((*v)->name, "__"))
				vec_push(out, ((struct target_name){ (*v)->name, "variable of the alias" }));
	}
}

// Returns the type of "$name" in the probe, or NULL.
static struct di_type *type_of_variable(struct request *r, struct probe *p, const char *name)
{
	struct expr *e = expr_new(E_TARGET, p->loc);

	if (*name != '$' || !p->family->target)
		return NULL;
	e->u.target.name = name + 1;
	e = p->family->target(r->s, p, e);
	return e ? e->dtype : NULL;
}

struct di_type *variables_aggregate(struct di_type *t)
{
	while (t && (t->kind == DI_POINTER || t->kind == DI_ARRAY))
		t = di_target(t);
	return t && (t->kind == DI_STRUCT || t->kind == DI_UNION) ? t : NULL;
}

// Returns the name whose index ends with the token "]".
static const struct source_token *before_index(const struct cursor *c, const struct source_token *t)
{
	int depth = 0;

	for (; t && t->kind != TOK_LBRACE; t = token_before(c, t)) {
		depth += (t->kind == TOK_RBRACKET) - (t->kind == TOK_LBRACKET);
		if (!depth && t->kind == TOK_IDENT)
			return t;
	}
	return NULL;
}

struct di_type *variables_chain(struct request *r, struct probe *p, const struct cursor *c,
				const struct source_token *last)
{
	const struct source_token *arrow, *before;
	struct di_member member;
	struct di_type *t;

	if (last && last->kind == TOK_RBRACKET)
		last = before_index(c, last);
	if (!last || last->kind != TOK_IDENT)
		return NULL;
	if (*last->text == '$')
		return type_of_variable(r, p, token_text(last));
	arrow = token_before(c, last);
	before = arrow && arrow->kind == TOK_ARROW ? token_before(c, arrow) : NULL;
	t = before ? variables_aggregate(variables_chain(r, p, c, before)) : NULL;
	return t && di_find_member(t, token_text(last), &member) ? member.type : NULL;
}
