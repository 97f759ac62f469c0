// SPDX-License-Identifier: GPL-2.0-or-later
// Globals that embedded C accesses: /* pragma:read:G */ permits STAP_GLOBAL_GET_G(), /* pragma:write:G */
// STAP_GLOBAL_SET_G(). In: functions bound to globals. Out: for each such global a script function that reads it,
// one that writes it, as if the embedded C called them (func.accessors), so that types, locks and warnings need no
// special case.
#include "elab/elab.h"
#include "util/str.h"

static struct var *parameter(struct func *f, const char *name, struct loc loc)
{
	struct var *v = NEW(struct var);

	v->name = name;
	v->loc = loc;
	v->kind = VAR_PARAM;
	vec_push(&f->params, v);
	return v;
}

static struct expr *mention(struct var *v, struct loc loc)
{
	struct expr *e = expr_new(E_VAR, loc);

	e->u.var.name = v->name;
	e->u.var.decl = v;
	return e;
}

// Returns G, or G[k1, k2] with parameters of f.
static struct expr *cell(struct func *f, struct var *v, struct loc loc)
{
	struct expr *e;

	if (v->arity <= 0)
		return mention(v, loc);
	e = expr_new(E_INDEX, loc);
	e->u.index.name = v->name;
	e->u.index.decl = v;
	for (int i = 1; i <= v->arity; i++)
		vec_push(&e->u.index.keys, mention(parameter(f, str_printf("k%d", i), loc), loc));
	return e;
}

static struct func *make_accessor(struct session *s, const struct func *of, struct var *v, bool write)
{
	struct func *f = NEW(struct func);
	struct loc loc = of->loc;
	struct expr *e;

	f->name = str_printf("__%s_%s", write ? "set" : "get", v->name);
	f->loc = loc;
	f->source = of->source;
	f->accessed = v;
	f->writes_accessed = write;
	f->used = true;
	e = cell(f, v, loc);
	if (write) {
		e = expr_binary(loc, TOK_ASSIGN, e, mention(parameter(f, "value", loc), loc));
		e->kind = E_ASSIGN;
	}
	f->body = stmt_new(write ? S_EXPR : S_RETURN, loc);
	f->body->u.expr = e;
	vec_push(&s->script.funcs, f);
	return f;
}

static struct func *accessor(struct session *s, const struct func *of, struct var *v, bool write)
{
	for vec_each(&s->script.funcs, f)
		if ((*f)->accessed == v && (*f)->writes_accessed == write)
			return *f;
	return make_accessor(s, of, v, write);
}

static void missing(struct session *s, const struct func *f, const char *name, const char *marker)
{
	diag_error(f->loc, "the embedded C of \"%s\" uses an unknown global \"%s\" (%s%s)%s", f->name, name,
		   marker, name, declarations_similar_globals(s, name, false));
}

static void find(struct session *s, struct func *f, const name_list *names, const char *marker, bool write)
{
	for vec_each(names, name) {
		struct var *v = declarations_find_global(s, *name, f->loc, f->source && f->source->library);

		if (v)
			vec_push(&f->accessors, accessor(s, f, v, write));
		else
			missing(s, f, *name, marker);
	}
}

void accessors_make(struct session *s)
{
	int n = s->script.funcs.n;

	for vec_each(&s->script.embedded, block)
		embedded_names_check(s, (*block)->u.embedded, (*block)->loc);
	for (int i = 0; i < n; i++) {
		struct func *f = s->script.funcs.at[i];

		if (!f->used || !f->embedded)
			continue;
		if (f->embedded_loc.source)
			embedded_names_check(s, f->embedded, f->embedded_loc);
		find(s, f, &f->embedded->reads, "pragma:read:", false);
		find(s, f, &f->embedded->writes, "pragma:write:", true);
	}
}
