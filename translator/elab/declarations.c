// SPDX-License-Identifier: GPL-2.0-or-later
// Finds declarations of globals and functions by name; parses library files on demand.
//
// A private name is visible in its own file. A library function sees library names only, so that a script's `global
// size` cannot change a tapset function. The bodies of library aliases share the scope of the script's handler, so they
// also see the script's globals. Calls prefer declarations of their own origin: a library's call never reaches a
// script's function.
#include "elab/elab.h"
#include "elab/renamed.h"
#include "parse/parse.h"
#include "resolve/family.h"
#include "util/foreign_words.h"
#include "util/str.h"

#include <string.h>

typedef VEC(struct var *) var_vec;
typedef VEC(struct func *) func_vec;

static bool from_library(struct loc loc)
{
	return loc.source && loc.source->library;
}

// ---------------------------------------------------------------- index

struct declarations {
	struct map globals, functions;     // name -> var_vec, func_vec
	int globals_indexed, functions_indexed;
};

static struct declarations *opened(struct session *s)
{
	if (!s->declarations)
		s->declarations = NEW(struct declarations);
	return s->declarations;
}

// ---------------------------------------------------------------- globals

// Indexes declarations that were added since the last call.
static struct map *global_map(struct session *s)
{
	struct declarations *d = opened(s);
	struct map *map = &d->globals;

	for (; d->globals_indexed < s->script.globals.n; d->globals_indexed++) {
		struct var *v = s->script.globals.at[d->globals_indexed];
		var_vec *same = map_get(map, v->name);

		if (!same) {
			same = NEW(var_vec);
			map_put(map, v->name, same);
		}
		v->arity = v->size_given || v->wrap || !v->init ? -1 : 0;
		vec_push(same, v);
	}
	return map;
}

static struct var *find_global(struct session *s, const char *name, struct loc loc, bool library_only)
{
	var_vec *same = map_get(global_map(s), name);
	struct var *found = NULL;

	if (!same)
		return NULL;
	for vec_each(same, v) {
		if ((*v)->is_private ? (*v)->loc.source != loc.source :
				       library_only && !from_library((*v)->loc))
			continue;
		// A script's own global has precedence over a library's global of the same name.
		if (!found || (from_library(found->loc) && !from_library((*v)->loc)))
			found = *v;
	}
	return found;
}

struct var *declarations_find_global(struct session *s, const char *name, struct loc loc, bool in_library_function)
{
	struct var *v = find_global(s, name, loc, in_library_function);

	if (!v && library_use_global(s, name))
		v = find_global(s, name, loc, in_library_function);
	return v;
}

static void add_globals(const void *session, name_list *out)
{
	for vec_each(&((const struct session *)session)->script.globals, g)
		if (!from_library((*g)->loc))
			vec_push(out, (*g)->name);
}

// Includes globals without a use, since it is unknown whether they are arrays.
static void add_arrays(const void *session, name_list *out)
{
	for vec_each(&((const struct session *)session)->script.globals, g)
		if (!from_library((*g)->loc) && ((*g)->arity || (!(*g)->read && !(*g)->written)))
			vec_push(out, (*g)->name);
}

const char *declarations_similar_globals(struct session *s, const char *name, bool arrays_only)
{
	return diag_similar(name, arrays_only ? add_arrays : add_globals, s);
}

// ---------------------------------------------------------------- functions

static struct map *function_map(struct session *s)
{
	struct declarations *d = opened(s);
	struct map *map = &d->functions;

	for (; d->functions_indexed < s->script.funcs.n; d->functions_indexed++) {
		struct func *f = s->script.funcs.at[d->functions_indexed];
		func_vec *same = map_get(map, f->name);

		if (!same) {
			same = NEW(func_vec);
			map_put(map, f->name, same);
		}
		vec_push(same, f);
	}
	return map;
}

enum origin { FROM_SCRIPT, FROM_LIBRARY };

// Collects functions of `origin` that `call` may refer to, by priority, then in order of declaration. nargs -1: any
// number.
static void candidates(struct session *s, const struct expr *call, enum origin origin, int nargs, func_vec *out)
{
	func_vec *same = map_get(function_map(s), call->u.call.name);

	if (!same)
		return;
	for vec_each(same, it) {
		struct func *f = *it;
		bool library = f->source && f->source->library;
		int at;

		if (library != (origin == FROM_LIBRARY) || (nargs >= 0 && f->params.n != nargs))
			continue;
		if (f->is_private && f->source != call->loc.source)
			continue;
		vec_push(out, f);
		for (at = out->n - 1; at > 0 && out->at[at - 1]->priority > f->priority &&
				      out->at[at - 1]->source && f->source &&
				      out->at[at - 1]->source->library == f->source->library; at--)
			out->at[at] = out->at[at - 1];
		out->at[at] = f;
	}
}

static bool visit_next(struct ast_walker *w, struct stmt **s)
{
	if ((*s)->kind == S_NEXT)
		*(bool *)w->data = true;
	return true;
}

static bool may_pass_on(struct func *f)
{
	bool found = false;
	struct ast_walker w = { .stmt = visit_next, .data = &found };

	if (!f->body)
		return f->embedded && embedded_word(f->embedded, "STAP_NEXT");
	ast_walk_stmt(&w, &f->body);
	return found;
}

static bool last_may_pass_on(const func_vec *v)
{
	return v->n && may_pass_on(v->at[v->n - 1]);
}

// Links overloads up to the last one that `next` can reach.
static struct func *chain_overloads(func_vec *v)
{
	for (int i = 0; i + 1 < v->n && may_pass_on(v->at[i]); i++)
		v->at[i]->next_overload = v->at[i + 1];
	return v->at[0];
}

static void add_functions(const void *session, name_list *out)
{
	struct session *s = (struct session *)session;

	parse_print_words(out);
	library_function_names(s, out);
	for vec_each(&s->script.funcs, f)
		if (!(*f)->source || !(*f)->source->library)
			vec_push(out, (*f)->name);
}

// Notes that another file has a private global or function of this name.
static void note_private(struct session *s, struct loc loc, const char *word)
{
	const char *file = library_private(s, word);

	for vec_each(&s->script.globals, v)
		if ((*v)->is_private && (*v)->loc.source != loc.source && !strcmp((*v)->name, word))
			file = (*v)->loc.source->name;
	for vec_each(&s->script.funcs, f)
		if ((*f)->is_private && (*f)->source != loc.source && !strcmp((*f)->name, word))
			file = (*f)->source->name;
	if (file && !from_library(loc))
		diag_note(loc, "\"%s\" is private to the file %s", word, file);
}

static bool is_function_name(struct session *s, const char *word)
{
	name_list names = { 0 };

	add_functions(s, &names);
	return str_in_list(&names, word);
}

// Aliases may define variables.
const char *declarations_list_variables(const struct probe *p)
{
	if (!p || !p->family || (!p->family->target_names && p->chain.n < 2))
		return "";
	return "; stap -L POINT lists the variables of a probe point";
}

// Adds notes about other declarations to which a word may refer, after it was bound as a variable.
static void note_similar(struct session *s, struct loc loc, const char *word)
{
	note_private(s, loc, word);
	if (renamed_private("variables", word))
		diag_note(loc, "%s", renamed_private("variables", word));
	if (is_function_name(s, word))
		diag_note(loc, "\"%s\" is also a function: call it as %s(...)", word, word);
	else
		parse_hint_keyword(loc, word);
}

bool declarations_is_target(struct session *s, struct probe *p, const char *name)
{
	target_names names = { 0 };

	if (!p || !p->family || !p->family->target_names || !p->family->target)
		return false;
	p->family->target_names(s, p, &names);
	for vec_each(&names, t)
		if (!strcmp(t->name, name))
			return true;
	return false;
}

// Reports a local that is never assigned, if it is a word of another language, or a target variable without "$".
// Returns false if it is neither.
static bool refuse_name(struct session *s, struct loc loc, const struct var *v, const struct probe *p)
{
	bool misspelt = v->kind != VAR_GLOBAL && !v->written;
	const char *advice = misspelt ? foreign_word_value(v->name) : NULL;

	if (advice)
		diag_error(loc, "unresolved name \"%s\": %s", v->name, advice);
	else if (misspelt && declarations_is_target(s, (struct probe *)p, v->name))
		diag_error(loc, "unresolved name \"%s\": write $%s", v->name, v->name);
	else
		return false;
	return true;
}

struct assigned { const struct var *v; bool found; };

static bool visit_assigned(struct ast_walker *w, struct expr **e)
{
	struct assigned *a = w->data;
	const struct expr *l = (*e)->kind == E_ASSIGN ? (*e)->u.bin.l : (*e)->kind == E_INCDEC ? (*e)->u.un.e : NULL;

	a->found |= l && l->kind == E_VAR && l->u.var.decl == a->v;
	return !a->found;
}

// While types are inferred, v->written is not yet set.
static bool is_assigned(const struct var *v, const struct probe *p)
{
	struct assigned a = { v, false };
	struct ast_walker w = { .expr = visit_assigned, .data = &a };
	struct stmt *body = p ? p->body : NULL;

	if (body)
		ast_walk_stmt(&w, &body);
	return a.found;
}

void declarations_refuse_access(struct session *s, const struct expr *e, const struct probe *p)
{
	const struct expr *base = e->u.access.base;
	bool is_local = base->kind == E_VAR && base->u.var.decl->kind != VAR_GLOBAL;

	if (base->kind == E_VAR && !is_assigned(base->u.var.decl, p) && refuse_name(s, base->loc, base->u.var.decl, p))
		base->u.var.decl->type = T_LONG;       // an error is reported once
	else if (is_local && !e->u.access.pretty && e->u.access.comps.n == 1 && e->u.access.comps.at[0].kind == COMP_INDEX)
		diag_error(e->loc, "\"%s\" is a local variable, but arrays must be global: add \"global %s\"",
			   base->u.var.name, base->u.var.name);
	else
		diag_error(e->loc, "the debuginfo type of this value cannot be determined: give it with @cast(value, \"type\")");
}

// The handlers of a declaration's probes mention the same names. If a name is not a local, the family has replaced
// it by a variable of the probe.
static bool lacks(const struct probe *p, const char *name)
{
	for vec_each(&p->locals, v)
		if (!strcmp((*v)->name, name))
			return !(*v)->written;
	return false;
}

const char *declarations_lacking(struct session *s, const char *name, const struct probe *p)
{
	enum { NAMED = 5 };
	name_list points = { 0 };
	struct buf b = { 0 };
	bool some = false;

	for vec_each(&s->script.probes, it) {
		if (!p || (*it)->decl != p->decl)
			continue;
		if (!lacks(*it, name))
			some = true;
		else if (!str_in_list(&points, (*it)->written))
			vec_push(&points, (*it)->written);
	}
	if (!some || !points.n)
		return NULL;
	for (int i = 0; i < points.n && i < NAMED; i++)
		buf_printf(&b, "%s%s", i ? ", " : "", points.at[i]);
	return str_printf("%s%s %s not have it, other probes of this handler do", b.text, points.n > NAMED ?
			  str_printf(" and %d more", points.n - NAMED) : "", points.n == 1 ? "does" : "do");
}

static void unresolved(struct session *s, struct loc loc, const struct var *v, const struct func *f,
		       const struct probe *p)
{
	bool misspelt = v->kind != VAR_GLOBAL && !v->written;
	const char *similar = "", *lacking = misspelt ? declarations_lacking(s, v->name, p) : NULL;

	if (lacking) {
		diag_error(loc, "unresolved name \"%s\": %s", v->name, lacking);
		return;
	}
	if (refuse_name(s, loc, v, p))
		return;
	if (misspelt && parse_is_declaring(v->name)) {
		diag_error(loc, "\"%s\" does not declare a variable: variables are not declared; their types follow from their "
			   "values", v->name);
		return;
	}
	if (misspelt && is_function_name(s, v->name) && !renamed_private("variables", v->name)) {
		diag_error(loc, "unresolved name \"%s\": it is a function: call it as %s(...)", v->name, v->name);
		return;
	}
	if (misspelt && !*(similar = check_similar_names(s, v, f, p)))
		similar = str_printf(", since no value is assigned to it%s", declarations_list_variables(p));
	diag_error(loc, "unresolved type of \"%s\": it may be a long or a string%s", v->name, similar);
	if (v->kind != VAR_GLOBAL)
		note_similar(s, loc, v->name);
}

// A value without a type that is assigned or passed to `to`: "x" is unresolved because of "nsecs" in "x = nsecs".
struct cause {
	const struct var *to;
	const struct expr *value;                  // E_VAR: a name that is never assigned, or NULL
	const struct expr *other;                  // E_VAR or E_INDEX: a variable that is assigned, or NULL
};

static const struct var *variable_of(const struct expr *e)
{
	return e->kind == E_VAR ? e->u.var.decl : e->kind == E_INDEX ? e->u.index.decl : NULL;
}

static void add_cause(struct cause *c, const struct expr *value)
{
	const struct var *v = variable_of(value);

	if (!v || v == c->to || v->type != T_UNKNOWN)
		return;
	if (v->kind == VAR_LOCAL && !v->written && !c->value)
		c->value = value;
	else if (!c->other)
		c->other = value;
}

static bool visit_cause(struct ast_walker *w, struct expr **pe)
{
	struct cause *c = w->data;
	const struct expr *e = *pe;

	if (e->kind == E_ASSIGN && e->u.bin.op == TOK_ASSIGN && variable_of(e->u.bin.l) == c->to)
		add_cause(c, e->u.bin.r);
	for (int i = 0; e->kind == E_CALL && c->to->kind == VAR_PARAM && i < e->u.call.args.n; i++)
		if (e->u.call.target && i < e->u.call.target->params.n && e->u.call.target->params.at[i] == c->to)
			add_cause(c, e->u.call.args.at[i]);
	return !c->value;
}

// Finds the name that is never assigned and whose value `v` has, and its function or probe.
static const struct expr *find_cause(struct session *s, const struct var *v, const struct func **f,
				     const struct probe **p)
{
	enum { CHAIN = 8 };

	for (int i = 0; v && i < CHAIN; i++) {
		struct cause c = { .to = v };
		struct ast_walker w = { .expr = visit_cause, .data = &c };

		for (int n = 0; n < s->script.probes.n && !c.value; n++) {
			*f = NULL;
			*p = s->script.probes.at[n];
			if ((*p)->body)
				ast_walk_stmt(&w, &s->script.probes.at[n]->body);
		}
		for (int n = 0; n < s->script.funcs.n && !c.value; n++) {
			*f = s->script.funcs.at[n];
			*p = NULL;
			if ((*f)->body)
				ast_walk_stmt(&w, &s->script.funcs.at[n]->body);
		}
		if (c.value)
			return c.value;
		v = c.other ? variable_of(c.other) : NULL;
	}
	return NULL;
}

void declarations_unresolved(struct session *s, struct loc loc, struct var *v, const struct func *f,
			     const struct probe *p)
{
	const struct func *function = f;
	const struct probe *probe = p;
	const struct expr *cause = v->written || v->kind == VAR_PARAM ? find_cause(s, v, &function, &probe) : NULL;

	v->type = T_LONG;                          // an error is reported once
	if (!cause) {
		unresolved(s, loc, v, f, p);
		return;
	}
	unresolved(s, cause->loc, cause->u.var.decl, function, probe);
	cause->u.var.decl->type = T_LONG;
}

static void unknown_function(struct session *s, const struct expr *call)
{
	static const char *const variables[] = { "name", "argstr", "retstr", "retval", "filename", "pathname", "devname" };

	const char *advice = foreign_word_call(call->u.call.name);

	if (!advice)
		advice = foreign_word_value(call->u.call.name);
	if (advice) {
		diag_error(call->loc, "unresolved function \"%s\": %s", call->u.call.name, advice);
		return;
	}
	diag_error(call->loc, "unresolved function \"%s\"%s", call->u.call.name,
		   diag_similar(call->u.call.name, add_functions, s));
	parse_hint_keyword(call->loc, call->u.call.name);
	note_private(s, call->loc, call->u.call.name);
	if (!from_library(call->loc) && renamed_private("functions", call->u.call.name))
		diag_note(call->loc, "%s", renamed_private("functions", call->u.call.name));
	for (size_t i = 0; !call->u.call.args.n && i < ARRAY_SIZE(variables); i++)
		if (!strcmp(variables[i], call->u.call.name))
			diag_note(call->loc, "\"%s\" is a variable of the library's probes: write it without "
				  "()", variables[i]);
}

static void wrong_count(const struct expr *call, const func_vec *any)
{
	int wanted = any->at[0]->params.n, given = call->u.call.args.n;

	diag_error(call->loc, "\"%s\" takes %d argument%s, %d given", call->u.call.name, wanted,
		   wanted == 1 ? "" : "s", given);
	for vec_each(any, f)
		diag_note((*f)->loc, "\"%s\" is defined here", (*f)->name);
	if (foreign_word_other(call->u.call.name))
		diag_note(call->loc, "%s", foreign_word_other(call->u.call.name));
}

struct func *declarations_find_function(struct session *s, struct expr *call)
{
	enum origin first = from_library(call->loc) ? FROM_LIBRARY : FROM_SCRIPT;
	enum origin second = first == FROM_LIBRARY ? FROM_SCRIPT : FROM_LIBRARY;
	int nargs = call->u.call.args.n;
	func_vec found = { 0 };

	if (first == FROM_LIBRARY)
		library_use_function(s, call->u.call.name);
	candidates(s, call, first, nargs, &found);
	if (!found.n || (first == FROM_SCRIPT && last_may_pass_on(&found))) {
		if (second == FROM_LIBRARY)
			library_use_function(s, call->u.call.name);
		candidates(s, call, second, nargs, &found);
	}
	if (found.n)
		return chain_overloads(&found);
	candidates(s, call, FROM_SCRIPT, -1, &found);
	candidates(s, call, FROM_LIBRARY, -1, &found);
	if (found.n)
		wrong_count(call, &found);
	else
		unknown_function(s, call);
	return NULL;
}

void declarations_no_array(struct session *s, const char *name, struct loc loc)
{
	if (foreign_word_value(name)) {
		diag_error(loc, "unresolved array \"%s\": %s", name, foreign_word_value(name));
		return;
	}
	diag_error(loc, "unresolved array \"%s\", missing \"global %s\"?%s", name, name,
		   declarations_similar_globals(s, name, true));
	note_private(s, loc, name);
	if (renamed_private("variables", name))
		diag_note(loc, "%s", renamed_private("variables", name));
}

void declarations_no_statistic(struct session *s, const struct expr *of)
{
	const char *name = of->u.var.name;

	diag_error(of->loc, "\"%s\" is not a global, but statistics must be: add \"global %s\"%s", name, name,
		   declarations_similar_globals(s, name, false));
	note_private(s, of->loc, name);
}

static struct var *stat_decl(const struct expr *of)
{
	return of->kind == E_VAR ? of->u.var.decl : of->kind == E_INDEX ? of->u.index.decl : NULL;
}

bool declarations_has_global(struct session *s, const struct expr *e)
{
	const struct expr *stat = e->kind == E_STAT ? e : e->u.index.hist;

	if (!stat && e->u.index.decl)
		return true;
	if (!stat) {
		declarations_no_array(s, e->u.index.name, e->loc);
		return false;
	}
	if (stat_decl(stat->u.stat.of))
		return true;
	if (stat->u.stat.of->kind == E_VAR)
		declarations_no_statistic(s, stat->u.stat.of);
	else
		declarations_no_array(s, stat->u.stat.of->u.index.name, stat->u.stat.of->loc);
	return false;
}

static void add_counters(const void *session, name_list *out)
{
	for vec_each(&((const struct session *)session)->script.probes, p) {
		const struct probe_point *last = (*p)->chain.n ? (*p)->chain.at[(*p)->chain.n - 1] : NULL;
		const struct point_part *counter = last ? point_find(last, "counter") : NULL;

		if (counter && counter->arg_kind == ARG_STRING)
			vec_push(out, counter->text);
	}
}

bool declarations_find_counter(struct session *s, const struct expr *e)
{
	const char *name = e->u.text1.text, *similar;
	name_list names = { 0 };

	add_counters(s, &names);
	for vec_each(&names, it)
		if (!strcmp(*it, name))
			return true;
	similar = diag_similar(name, add_counters, s);
	if (*similar) {
		diag_error(e->loc, "perf counter \"%s\" not found%s", name, similar);
		return false;
	}
	diag_error(e->loc, "perf counter \"%s\" not found: define it by a probe, for instance "
		   "perf.type(0).config(1).counter(\"%s\") { }", name, name);
	return false;
}
