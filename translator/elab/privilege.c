// SPDX-License-Identifier: GPL-2.0-or-later
// --privilege: what a script may do that is not for everybody's eyes; and what is for guru mode. In: checked probes and
// functions. Out: errors, and `own_processes` on probes whose handlers look at run time whose process it is.
//
//   stapdev   anything
//   stapsys   anything but guru mode (options.c)
//   stapusr   begin, end, error, timers, and the user's own processes; C that is marked unprivileged,
//             or, where the process is sure to be the user's own, myproc-unprivileged; no kernel memory
#include "elab/elab.h"
#include "passes.h"
#include "probes/family.h"
#include "util/str.h"

#include <string.h>

#define ONLY "--privilege=stapusr allows "

struct look {
	struct probe *probe;
	bool own;                  // the current process is the user's
	VEC(struct func *) seen;
};

static bool is_process_family(const struct probe_family *f)
{
	static const char *const names[] = { "process", "mark", "process_events" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(f->name, names[i]))
			return true;
	return false;
}

static bool is_timer(const struct probe *p)
{
	return !strcmp(p->family->name, "timer") && str_starts(p->point, "timer.") &&
	       !str_starts(p->point, "timer.profile");
}

static bool runs_anywhere(const struct probe *p)
{
	return !strcmp(p->family->name, "begin_end") || !strcmp(p->family->name, "never") || is_timer(p);
}

static void look_at_func(struct ast_walker *w, struct loc use, struct func *f)
{
	struct look *look = w->data;

	for vec_each(&look->seen, known)
		if (*known == f)
			return;
	vec_push(&look->seen, f);
	if (f->body) {
		ast_walk_stmt(w, &f->body);
	} else if (!(f->pragmas & (PRAGMA_UNPRIVILEGED | PRAGMA_MYPROC))) {
		diag_error(use, "function '%s' may not be used with --privilege=stapusr: its C is not marked "
			   "unprivileged", f->name);
	} else if (!(f->pragmas & PRAGMA_UNPRIVILEGED) && !look->own) {
		diag_error(use, "function '%s' looks at the current process, which need not be the user's own "
			   "in %s; use it in probes of processes", f->name, look->probe->point);
	}
}

static bool look_at_expr(struct ast_walker *w, struct expr **at)
{
	struct look *look = w->data;
	struct expr *e = *at;

	switch (e->kind) {
	case E_CALL:
		for (struct func *f = e->u.call.target; f; f = f->next_overload)
			look_at_func(w, e->loc, f);
		break;
	case E_DEREF:
		if (!e->u.deref.user)
			diag_error(e->loc, "this reads the kernel's memory: " ONLY "memory of the user's processes");
		else if (!look->own)
			diag_error(e->loc, "this reads memory of whatever process is current in %s: " ONLY
				   "memory of the user's processes", look->probe->point);
		break;
	case E_REGISTER:
		if (!e->u.reg.user || !look->own)
			diag_error(e->loc, ONLY "registers of the user's processes only");
		break;
	case E_CONST: case E_EMBEDDED: case E_STATIC:
		if (e->kind == E_EMBEDDED && strstr(e->u.embedded.code, "/* unprivileged */"))
			break;
		diag_error(e->loc, ONLY "C marked unprivileged only");
		break;
	default:
		break;
	}
	return true;
}

static void check_probe(struct session *s, struct probe *p)
{
	struct look look = { .probe = p };
	struct ast_walker w = { .expr = look_at_expr, .data = &look };

	p->own_processes = is_process_family(p->family);
	look.own = p->own_processes || !strcmp(p->family->name, "begin_end");
	if (!look.own && !runs_anywhere(p)) {
		diag_error(p->loc, "probe point %s is not allowed with --privilege=stapusr; allowed are begin, end, "
			   "error, timers and probes of processes", p->written);
		return;
	}
	if (p->condition)
		ast_walk_expr(&w, &p->condition);
	for vec_each(&p->entries, entry)
		ast_walk_expr(&w, entry);
	if (p->body)
		ast_walk_stmt(&w, &p->body);
}

// ---------------------------------------------------------------- guru mode

struct guru_look {
	VEC(struct func *) seen;
	bool found;
};

static bool look_for_guru(struct ast_walker *w, struct expr **at)
{
	struct guru_look *look = w->data;

	for (struct func *f = (*at)->kind == E_CALL ? (*at)->u.call.target : NULL; f && !look->found; f = f->next_overload) {
		bool known = false;

		for vec_each(&look->seen, seen)
			known |= *seen == f;
		if (known)
			continue;
		vec_push(&look->seen, f);
		look->found = f->pragmas & PRAGMA_GURU;
		if (f->body && !look->found)
			ast_walk_stmt(w, &f->body);
	}
	return !look->found;
}

// The library's own calls of what is for gurus are exempt: but who calls a function for which that is all is not.
static bool refuse_guru(struct ast_walker *w, struct expr **at)
{
	struct guru_look look = { 0 };
	struct ast_walker within = { .expr = look_for_guru, .data = &look };
	struct expr *e = *at;

	if (e->kind != E_CALL || !e->u.call.target || (e->loc.source && e->loc.source->library))
		return true;
	if (e->u.call.target->body && !e->u.call.target->source->library)
		return true;       // what it does is looked at where it is written
	look_for_guru(&within, at);
	if (look.found)
		diag_error(e->loc, "'%s' may only be called in guru mode (stap -g)", e->u.call.target->name);
	return true;
}

static void check_guru(struct session *s)
{
	struct ast_walker w = { .expr = refuse_guru };

	for vec_each(&s->script.probes, p)
		if ((*p)->body)
			ast_walk_stmt(&w, &(*p)->body);
	for vec_each(&s->script.funcs, f)
		if ((*f)->used && (*f)->body && !((*f)->source && (*f)->source->library))
			ast_walk_stmt(&w, &(*f)->body);
}

int elab_privilege(struct session *s)
{
	int before = diag_errors();

	if (!s->opt.guru)
		check_guru(s);
	if (s->opt.privilege == PRIVILEGE_STAPUSR)
		for vec_each(&s->script.probes, p)
			check_probe(s, *p);
	if (diag_errors() > before && !s->opt.privilege_given)
		diag_note((struct loc){ 0 }, "--privilege=stapusr is what your groups give you");
	return diag_errors() - before;
}
