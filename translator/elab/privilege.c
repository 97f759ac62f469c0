// SPDX-License-Identifier: GPL-2.0-or-later
// --privilege: refuses scripts that a user's privilege does not allow, and calls that require guru mode. In: checked
// probes and functions. Out: errors, and `own_processes` on probes whose handlers check at run time that the process
// belongs to the user.
//
//   stapdev   anything
//   stapsys   anything but guru mode (options.c)
//   stapusr   begin, end, error, timers, and the user's own processes; C that is marked unprivileged,
//             or, if the process certainly belongs to the user, myproc-unprivileged; no kernel memory
#include "elab/elab.h"
#include "session/passes.h"
#include "resolve/family.h"
#include "util/numbers.h"
#include "util/str.h"

#define ONLY "--privilege=stapusr allows "

struct privilege_check {
	struct probe *probe;
	bool own;                  // the current process belongs to the user
	struct numbers seen;       // functions that were visited: set of struct func *
	const struct expr *call;   // the user's call of a library function that is being checked, or NULL
	int reported;              // number of errors that were reported for that call
};

// Code from a library macro in the user's script belongs to the user.
static bool is_of_library(struct loc loc)
{
	while (loc.via)
		loc = *loc.via->at;
	return loc.source && loc.source->library;
}

// Reports an error in the library once, at the user's call or probe point, with the location in the library as a note.
static void PRINTF_LIKE(3, 4) refuse_at(struct privilege_check *look, struct loc loc, const char *format, ...)
{
	char *why;
	va_list ap;

	va_start(ap, format);
	why = str_vprintf(format, ap);
	va_end(ap);
	if (!is_of_library(loc)) {
		diag_error(loc, "%s", why);
		return;
	}
	if (look->reported++)
		return;
	if (look->call)
		diag_error(look->call->loc, "function \"%s\" may not be used with --privilege=stapusr",
			   look->call->u.call.name);
	else
		diag_error(look->probe->loc, "probe point %s may not be used with --privilege=stapusr",
			   look->probe->written);
	diag_note(loc, "%s", why);
}

static void visit_func(struct ast_walker *w, struct loc use, struct func *f)
{
	struct privilege_check *look = w->data;

	if (!numbers_add(&look->seen, f))
		return;
	if (f->body) {
		ast_walk_stmt(w, &f->body);
	} else if (!func_has(f, PRAGMA_UNPRIVILEGED | PRAGMA_MYPROC)) {
		refuse_at(look, use, "function \"%s\" may not be used with --privilege=stapusr: its C is not marked "
			   "unprivileged", f->name);
	} else if (!func_has(f, PRAGMA_UNPRIVILEGED) && !look->own) {
		refuse_at(look, use, "function \"%s\" accesses the current process, which may be another user's in %s: use "
			   "it in process(...) probes", f->name, look->probe->point);
	}
}

static void visit_call(struct ast_walker *w, const struct expr *e)
{
	struct privilege_check *look = w->data;
	bool is_users = !is_of_library(e->loc);

	if (is_users) {
		look->call = e;
		look->reported = 0;
	}
	for (struct func *f = e->u.call.target; f; f = f->next_overload)
		visit_func(w, e->loc, f);
	if (is_users)
		look->call = NULL;
}

static bool visit_expr(struct ast_walker *w, struct expr **at)
{
	struct privilege_check *look = w->data;
	struct expr *e = *at;

	switch (e->kind) {
	case E_CALL:
		visit_call(w, e);
		break;
	case E_DEREF:
		if (!e->u.deref.user)
			refuse_at(look, e->loc, "this reads kernel memory: " ONLY "only memory of the user's processes");
		else if (!look->own)
			refuse_at(look, e->loc, "this reads memory of the current process, which may be any process in %s: "
				   ONLY "only memory of the user's processes", look->probe->point);
		break;
	case E_REGISTER:
		if (!e->u.reg.user || !look->own)
			refuse_at(look, e->loc, "this reads a register of the kernel or of another user's process: "
				   ONLY "only registers of the user's processes");
		break;
	case E_CONST: case E_EMBEDDED: case E_STATIC:
		if (e->kind == E_EMBEDDED && e->u.embedded->pragmas & PRAGMA_UNPRIVILEGED)
			break;
		refuse_at(look, e->loc, "this embedded C is not marked /* unprivileged */: "
			   ONLY "only C that is");
		break;
	default:
		break;
	}
	return true;
}

static void check_probe(struct session *s, struct probe *p)
{
	struct privilege_check look = { .probe = p };
	struct ast_walker w = { .expr = visit_expr, .data = &look };
	enum probe_access access = p->family->access_of ? p->family->access_of(p) : p->family->access;

	p->own_processes = access == ACCESS_PROCESS;
	look.own = access == ACCESS_PROCESS || access == ACCESS_OWN;
	if (access == ACCESS_KERNEL) {
		diag_error(p->loc, "probe point %s is not allowed with --privilege=stapusr; use begin, end, error, "
			   "timers or probes of processes", p->written);
		return;
	}
	if (p->condition)
		ast_walk_expr(&w, &p->condition);
	for vec_each(&p->entries, entry)
		ast_walk_expr(&w, entry);
	if (p->body)
		ast_walk_stmt(&w, &p->body);
}

// ---------------------------------------------------------------- guru mode and --runtime=user

typedef bool refused_fn(const struct session *s, const struct func *f);

static bool requires_guru(const struct session *s, const struct func *f)
{
	return func_has(f, PRAGMA_GURU);
}

static bool find_const(struct ast_walker *w, struct expr **at)
{
	bool *found = w->data;

	*found |= (*at)->kind == E_CONST;
	return !*found;
}

// Embedded C of the library that requires the kernel's headers.
static bool needs_kernel(const struct session *s, const struct func *f)
{
	bool found = false;
	struct ast_walker w = { .expr = find_const, .data = &found };
	struct stmt *body = f->body;

	if (!f->source || !str_starts(f->source->name, s->tapset_dir))
		return false;
	if (body)
		ast_walk_stmt(&w, &body);
	return body ? found : !func_has(f, PRAGMA_RUNTIME | PRAGMA_USERSPACE);
}

static bool is_written_by_user(const struct func *f)
{
	return f->body && !(f->source && f->source->library);
}

static bool find_refused(struct ast_walker *w, struct expr **at)
{
	bool *found = w->data;

	for (struct func *f = (*at)->kind == E_CALL ? (*at)->u.call.target : NULL; f; f = f->next_overload)
		*found |= f->is_refused;
	return !*found;
}

// Sets is_refused on functions that `refused` selects, and on library functions that call them.
static void spread(struct session *s, refused_fn *refused)
{
	bool more = true;

	for vec_each(&s->script.funcs, f)
		(*f)->is_refused = (*f)->used && refused(s, *f);
	while (more) {
		more = false;
		for vec_each(&s->script.funcs, f) {
			bool found = false;
			struct ast_walker w = { .expr = find_refused, .data = &found };

			if (!(*f)->used || (*f)->is_refused || !(*f)->body || is_written_by_user(*f))
				continue;
			ast_walk_stmt(&w, &(*f)->body);
			more |= (*f)->is_refused = found;
		}
	}
}

void elab_mark_guru(struct session *s)
{
	for vec_each(&s->script.funcs, f)
		(*f)->used = true;
	spread(s, requires_guru);
}

struct refusal {
	refused_fn *refused;
	bool library_may;          // library aliases may call functions that the user must not call
	const char *message;       // a format for the name of the function
};

static bool refuse(struct ast_walker *w, struct expr **at)
{
	const struct refusal *r = w->data;
	const struct expr *e = *at;

	if (e->kind != E_CALL || (r->library_may && e->loc.source && e->loc.source->library))
		return true;
	for (struct func *f = e->u.call.target; f; f = f->next_overload)
		if (f->is_refused && !is_written_by_user(f)) {
			diag_error(e->loc, r->message, f->name);
			break;
		}
	return true;
}

static void refuse_calls(struct session *s, const struct refusal *r)
{
	struct ast_walker w = { .expr = refuse, .data = (void *)r };

	spread(s, r->refused);
	for vec_each(&s->script.probes, p)
		if ((*p)->body)
			ast_walk_stmt(&w, &(*p)->body);
	for vec_each(&s->script.funcs, f)
		if ((*f)->used && is_written_by_user(*f))
			ast_walk_stmt(&w, &(*f)->body);
}

int elab_privilege(struct session *s)
{
	int before = diag_errors(), own;

	if (!s->opt.guru)
		refuse_calls(s, &(struct refusal){ requires_guru, true, "\"%s\" may only be called in guru mode (stap -g)" });
	if (s->opt.user_runtime)
		refuse_calls(s, &(struct refusal){ needs_kernel, false, "\"%s\" requires the kernel: leave out "
			     "--runtime=user" });
	own = diag_errors();
	if (s->opt.privilege == PRIVILEGE_STAPUSR)
		for vec_each(&s->script.probes, p)
			check_probe(s, *p);
	if (diag_errors() > own && !s->opt.privilege_given)
		diag_note((struct loc){ 0 }, "--privilege=stapusr follows from your groups");
	return diag_errors() - before;
}
