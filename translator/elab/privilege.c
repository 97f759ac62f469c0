// SPDX-License-Identifier: GPL-2.0-or-later
// What --privilege=stapusr leaves: probes that show nothing of other users, and functions whose C code
// is marked so. In: a checked script. Out: errors. stapsys may use everything but guru mode, which
// options.c refuses.
#include "elab/elab.h"
#include "passes.h"
#include "util/str.h"

#include <string.h>

static bool is_allowed(const struct probe *p)
{
	static const char *const families[] = { "begin", "end", "error", "never", "timer", "process" };
	const struct probe_point *last = p->chain.n ? p->chain.at[p->chain.n - 1] : NULL;
	const char *first = last && last->parts.n ? last->parts.at[0].name : p->family->name;

	if (last && point_find(last, "profile"))
		return false;
	for (const char *const *f = families; f < END(families); f++)
		if (!strcmp(*f, first))
			return true;
	return false;
}

static bool see_expr(struct ast_walker *w, struct expr **e)
{
	if ((*e)->kind == E_DEREF && !(*e)->u.deref.user)
		diag_error((*e)->loc, "kernel memory may not be read with --privilege=stapusr");
	else if ((*e)->kind == E_EMBEDDED && !strstr((*e)->u.embedded.code, "unprivileged */"))
		diag_error((*e)->loc, "this embedded C is not marked /* unprivileged */: it may not be used with "
			   "--privilege=stapusr");
	return true;
}

int elab_privilege(struct session *s)
{
	struct ast_walker w = { .expr = see_expr };
	int before = diag_errors();

	if (s->opt.privilege != PRIVILEGE_STAPUSR)
		return 0;
	for vec_each(&s->script.probes, p) {
		if (!is_allowed(*p))
			diag_error((*p)->loc, "probe point %s is not allowed with --privilege=stapusr", (*p)->written);
		ast_walk_stmt(&w, &(*p)->body);
	}
	for vec_each(&s->script.funcs, it) {
		struct func *f = *it;

		if (!f->used)
			continue;
		if (f->body)
			ast_walk_stmt(&w, &f->body);
		else if (!(f->pragmas & (PRAGMA_UNPRIVILEGED | PRAGMA_MYPROC)))
			diag_error(f->loc, "the function '%s' may not be used with --privilege=stapusr: its C code is not "
				   "marked /* unprivileged */", f->name);
	}
	return diag_errors() - before;
}
