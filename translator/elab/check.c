// SPDX-License-Identifier: GPL-2.0-or-later
// Checks that do not depend on types. In: declarations as parsed (check_declarations), typed trees (elab_check). Out:
// errors, warnings about probable mistakes, the fields that ast.h gives to `access`, and the `end` probe for globals
// that are never read.
#include "elab/elab.h"
#include "parse/parse.h"
#include "session/passes.h"
#include "util/foreign_words.h"
#include "util/numbers.h"
#include "util/str.h"

#include <string.h>

static bool from_library(struct loc loc)
{
	return loc.source && loc.source->library;
}

// ---------------------------------------------------------------- declarations

// Returns whether a name can refer to both.
static bool visible_together(const struct var *a, const struct var *b)
{
	return (!a->is_private && !b->is_private) || a->loc.source == b->loc.source;
}

// Earlier declarations of the same name.
struct declarations { VEC(void *) at; };

static struct declarations *declarations_of(struct map *all, const char *name)
{
	struct declarations *found = map_get(all, name);

	if (!found) {
		found = NEW(struct declarations);
		map_put(all, name, found);
	}
	return found;
}

static void check_global(struct var *g, const struct declarations *before)
{
	for vec_each(&before->at, it) {
		struct var *other = *it;

		if (!visible_together(g, other))
			continue;
		diag_error(g->loc, "duplicate global \"%s\"", g->name);
		diag_note(other->loc, "first declared here");
		break;
	}
}

static bool visit_next(struct ast_walker *w, struct stmt **s)
{
	if ((*s)->kind == S_NEXT)
		*(bool *)w->data = true;
	return true;
}

static bool has_next(struct func *f)
{
	bool found = false;
	struct ast_walker w = { .stmt = visit_next, .data = &found };

	if (!f->body)
		return true;       // embedded C may use STAP_NEXT
	ast_walk_stmt(&w, &f->body);
	return found;
}

// Overloads of one arity are tried in order, so one that follows a function without `next` is never called.
static void check_overloads(struct func *f, const struct declarations *before)
{
	for vec_each(&before->at, it) {
		struct func *other = *it;

		if (f->params.n != other->params.n || f->priority != other->priority ||
		    f->source != other->source || has_next(other))
			continue;
		diag_warning(f->loc, "duplicate function \"%s\" is never called: the first one does not use \"next\"",
			     f->name);
		diag_note(other->loc, "first defined here");
		return;
	}
}

void check_declarations(struct session *s)
{
	struct map globals = { 0 }, funcs = { 0 };

	for vec_each(&s->script.globals, g) {
		struct declarations *before = declarations_of(&globals, (*g)->name);

		if (!from_library((*g)->loc))
			check_global(*g, before);
		vec_push(&before->at, *g);
	}
	for vec_each(&s->script.funcs, f) {
		struct declarations *before = declarations_of(&funcs, (*f)->name);

		if (!from_library((*f)->loc))
			check_overloads(*f, before);
		vec_push(&before->at, *f);
	}
}

// ---------------------------------------------------------------- control flow

struct control {
	struct session *s;
	struct func *func;         // NULL in a handler
	int loops;
};

struct iteration {
	struct var *array;
	const struct stmt *foreach;
};

static void iterated_var(struct use_walker *w, struct var *v, int use, struct loc loc)
{
	const struct iteration *it = w->data;

	if (v != it->array || !(use & USE_WRITE))
		return;
	diag_error(loc, "\"%s\" is changed inside a foreach loop over it", v->name);
	diag_note(it->foreach->loc, "the loop is here");
}

static void iterated_call(struct use_walker *w, struct func *f, struct loc loc)
{
	const struct iteration *it = w->data;
	access_list writes = { 0 };

	access_func_writes(f, &writes);
	for vec_each(&writes, use) {
		if (use->var != it->array)
			continue;
		diag_error(loc, "\"%s\" changes \"%s\" inside a foreach loop over it", f->name, use->var->name);
		diag_note(it->foreach->loc, "the loop is here");
		return;
	}
}

static void check_iterated(const struct stmt *s)
{
	struct iteration it = { s->u.foreach.decl, s };
	struct use_walker w = { .var = iterated_var, .call = iterated_call, .data = &it };

	if (it.array)
		use_stmt(&w, s->u.foreach.body);
}

static void check_control(struct control *c, const struct stmt *s);

static void check_loop(struct control *c, const struct stmt *body)
{
	c->loops++;
	check_control(c, body);
	c->loops--;
}

static bool is_overloaded(const struct session *s, const struct func *f)
{
	for vec_each(&s->script.funcs, other)
		if (*other != f && !strcmp((*other)->name, f->name) && (*other)->params.n == f->params.n)
			return true;
	return false;
}

static void check_jump(struct control *c, const struct stmt *s)
{
	switch (s->kind) {
	case S_BREAK:
	case S_CONTINUE:
		if (!c->loops)
			diag_error(s->loc, "\"%s\" outside a loop", s->kind == S_BREAK ? "break" : "continue");
		break;
	case S_NEXT:
		if (c->func && !is_overloaded(c->s, c->func))
			diag_warning(s->loc, "\"next\" has no effect: \"%s\" has no further overload", c->func->name);
		break;
	default:
		break;
	}
}

static void check_control(struct control *c, const struct stmt *s)
{
	if (!s)
		return;
	switch (s->kind) {
	case S_BLOCK:
		for vec_each(&s->u.block, it)
			check_control(c, *it);
		break;
	case S_IF:
		check_control(c, s->u.if_.then);
		check_control(c, s->u.if_.other);
		break;
	case S_TRY:
		check_control(c, s->u.try_.body);
		check_control(c, s->u.try_.handler);
		break;
	case S_WHILE: check_loop(c, s->u.while_.body); break;
	case S_FOR: check_loop(c, s->u.for_.body); break;
	case S_FOREACH:
		if (!c->func || c->func->used)
			check_iterated(s);
		check_loop(c, s->u.foreach.body);
		break;
	default: check_jump(c, s); break;
	}
}

// ---------------------------------------------------------------- warnings

struct warnings {
	struct session *s;
	struct numbers reported;   // variables with a warning: set of struct var *
};

static void warn_unread(struct use_walker *w, struct var *v, int use, struct loc loc)
{
	struct warnings *x = w->data;
	bool suspicious = v->kind == VAR_LOCAL && !v->read && !v->only_updated && !v->in_defined && !v->set_by_removed;

	if (suspicious && (use & USE_WRITE) && !(use & USE_BIND) && numbers_add(&x->reported, v))
		diag_warning(loc, "\"%s\" is assigned but never read", v->name);
}

// A call of a function without a value is a statement of its own, even if the function is empty, like asmlinkage().
static bool is_procedure_call(const struct expr *e)
{
	return e->kind == E_CALL && e->u.call.target->type == T_UNKNOWN;
}

static void warn_effectless(struct use_walker *w, const struct stmt *s)
{
	if (s->kind == S_EXPR && access_pure(s->u.expr) && !is_procedure_call(s->u.expr))
		diag_warning(s->u.expr->loc, "this statement has no effect: its value is not used");
}

static struct var **locals_of(const struct func *f, const struct probe *p, int *n)
{
	*n = f ? f->locals.n : p->locals.n;
	return f ? f->locals.at : p->locals.at;
}

struct visible_scope { struct session *s; const struct var *v; const struct func *f; const struct probe *p; };

static void add_visible(const void *from, name_list *out)
{
	const struct visible_scope *in = from;
	struct var **locals;
	int n;

	locals = locals_of(in->f, in->p, &n);
	for (int i = 0; i < n; i++)
		if (locals[i] != in->v && locals[i]->written)
			vec_push(out, locals[i]->name);
	for (int i = 0; in->f && i < in->f->params.n; i++)
		vec_push(out, in->f->params.at[i]->name);
	for vec_each(&in->s->script.globals, it)
		if (!from_library((*it)->loc))
			vec_push(out, (*it)->name);
}

const char *check_similar_names(struct session *s, const struct var *v, const struct func *f, const struct probe *p)
{
	struct visible_scope in = { s, v, f, p };

	return diag_similar(v->name, add_visible, &in);
}

static const char *advice(struct session *s, const struct var *v, const struct func *f, const struct probe *p)
{
	const char *lacking = v->written ? NULL : declarations_lacking(s, v->name, p);
	const char *similar = check_similar_names(s, v, f, p);
	name_list functions = { 0 };

	if (lacking)
		return str_printf(": %s", lacking);
	if (foreign_word_value(v->name))
		return str_printf(": %s", foreign_word_value(v->name));
	library_function_names(s, &functions);
	if (!v->written && str_in_list(&functions, v->name))
		return str_printf(": write %s(), which is a function", v->name);
	if (!v->written && declarations_is_target(s, (struct probe *)p, v->name))
		return str_printf(": write $%s", v->name);
	if (*similar || !v->written)
		return *similar ? similar : declarations_list_variables(p);
	return str_printf(": it is 0 or empty at the start of each call; write \"global %s\" to count over all", v->name);
}

static void warn_locals(struct session *s, const struct func *f, const struct probe *p)
{
	struct var **locals;
	int n;

	locals = locals_of(f, p, &n);
	for (int i = 0; i < n; i++) {
		struct var *v = locals[i];

		if ((v->read || v->written) && v->only_updated && !v->set_by_removed)
			diag_warning(v->loc, "never-assigned local variable \"%s\"%s", v->name,
				     diag_prints_warnings() ? advice(s, v, f, p) : "");
	}
}

// An alias sets variables of which its users need only some, so only variables that the probe itself sets are
// reported.
static void check_body(struct session *s, struct func *f, struct probe *p)
{
	struct control c = { .s = s, .func = f };
	struct warnings x = { .s = s };
	struct use_walker w = { .stmt = warn_effectless, .data = &x };
	struct stmt *body = f ? f->body : p->body;

	if (!body)
		return;
	check_control(&c, body);
	warn_locals(s, f, p);
	if (f || p->chain.n == 1)
		w.var = warn_unread;
	use_stmt(&w, body);
}

// Functions with target variables are called as copies.
static void find_used_copies(struct session *s)
{
	for vec_each(&s->script.funcs, f)
		if ((*f)->used && (*f)->original)
			(*f)->original->used_as_copy = true;
}

static void check_unused(struct session *s, struct func *f)
{
	struct control c = { .s = s, .func = f };

	check_control(&c, f->body);
	if (!f->used_as_copy)
		diag_warning(f->loc, "function \"%s\" is never called", f->name);
}

void check_names_of_settings(struct session *s)
{
	int n = 0;

	for vec_each(&s->opt.globals, it) {
		bool found = false, is_private = false;

		for vec_each(&s->script.globals, g) {
			found |= !strcmp((*g)->name, it->name) && !(*g)->is_private;
			is_private |= !strcmp((*g)->name, it->name) && (*g)->is_private;
		}
		if (found)
			s->opt.globals.at[n++] = *it;
		else if (is_private)
			diag_warning((struct loc){ 0 }, "-G %s: ignored: \"%s\" is private to its file", it->name, it->name);
		else
			diag_warning((struct loc){ 0 }, "-G %s: ignored: the script has no global \"%s\"%s", it->name, it->name,
				     declarations_similar_globals(s, it->name, false));
	}
	s->opt.globals.n = n;
}

// -G name=value requires that the global is a scalar of the value's type.
static void check_settings(struct session *s)
{
	for vec_each(&s->opt.globals, it)
		for vec_each(&s->script.globals, g) {
			enum str_long is;
			int64_t n;

			if (strcmp((*g)->name, it->name) || (*g)->is_private)
				continue;
			is = str_long(it->value, &n);
			if ((*g)->arity || (*g)->type == T_STATS)
				diag_error((*g)->loc, "-G %s: \"%s\" is %s; only a number or a string can be set", it->name,
					   it->name, (*g)->arity ? "an array" : "a statistic");
			else if ((*g)->type == T_LONG && is == STR_NOT_A_NUMBER)
				diag_error((*g)->loc, "-G %s: \"%s\" is a long, \"%s\" is not a number", it->name, it->name,
					   it->value);
			else if ((*g)->type == T_LONG && is == STR_TOO_LARGE)
				diag_error((*g)->loc, "-G %s: \"%s\" does not fit into a long (%lld to %lld, or up to 16"
					   " hexadecimal digits)", it->name, it->value, (long long)INT64_MIN, (long long)INT64_MAX);
			else if ((*g)->type == T_STRING && (int64_t)strlen(it->value) >= session_limit(s, LIMIT_MAXSTRINGLEN))
				diag_error((*g)->loc, "-G %s: the value is longer than a string may be (%lld bytes); use a larger"
					   " -DMAXSTRINGLEN", it->name, (long long)session_limit(s, LIMIT_MAXSTRINGLEN) - 1);
		}
}

// ---------------------------------------------------------------- target() without a process

// Comparisons of the script with target(), and whether it uses target() otherwise, as in if (!target()).
struct target_uses { struct loc loc; int compared, all; };

static bool is_call(const struct expr *e, const char *name)
{
	return e->kind == E_CALL && !e->u.call.args.n && !strcmp(e->u.call.name, name);
}

static bool is_task_id(const struct expr *e)
{
	return is_call(e, "pid") || is_call(e, "tid") || is_call(e, "ppid");
}

static bool visit_target(struct ast_walker *w, struct expr **pe)
{
	const struct expr *e = *pe;
	struct target_uses *u = w->data;

	u->all += e->kind == E_CALL && str_starts(e->u.call.name, "target");
	if (e->kind == E_BINARY && (e->u.bin.op == TOK_EQ || e->u.bin.op == TOK_NE) &&
	    ((is_call(e->u.bin.l, "target") && is_task_id(e->u.bin.r)) ||
	     (is_call(e->u.bin.r, "target") && is_task_id(e->u.bin.l)))) {
		if (!u->compared++)
			u->loc = e->loc;
	}
	return true;
}

// if (pid() == target()) without -c and -x selects nothing, so the script prints nothing.
static void warn_without_process(struct session *s)
{
	struct target_uses u = { 0 };
	struct ast_walker w = { .expr = visit_target, .data = &u };

	if (s->opt.command || s->opt.target_pid || s->opt.last_pass < 5 || s->opt.list || s->opt.language_server)
		return;
	for vec_each(&s->script.probes, p)
		if ((*p)->body && !from_library((*p)->loc))
			ast_walk_stmt(&w, &(*p)->body);
	for vec_each(&s->script.funcs, f)
		if ((*f)->body && (*f)->used && !from_library((*f)->loc))
			ast_walk_stmt(&w, &(*f)->body);
	if (u.compared && u.compared == u.all)
		diag_warning(u.loc, "target() is 0: select a process by -c COMMAND or -x PID");
}

int elab_check(struct session *s)
{
	int before = diag_errors();

	check_settings(s);
	warn_without_process(s);
	optimize_mark_unused(s);
	access_count_uses(s);
	access_compute(s);
	find_used_copies(s);
	for vec_each(&s->script.probes, p)
		check_body(s, NULL, *p);
	for vec_each(&s->script.funcs, f)
		if ((*f)->used)
			check_body(s, *f, NULL);
		else if ((*f)->source && !(*f)->source->library)
			check_unused(s, *f);
	return_arguments_check(s);
	if (diag_errors() > before)
		return diag_errors() - before;
	global_labels_find(s);
	if (s->opt.merge)
		merge_mark(s);
	if ((int)autoprint_add(s) | monitor_add(s)) {
		elab_types(s);
		access_count_uses(s);
		access_compute(s);
	}
	return diag_errors() - before;
}
