// SPDX-License-Identifier: GPL-2.0-or-later
// Functions of programs in Python: python3.module("M").function("F"), .call, .return; python2 the same. Either name
// may have wildcards, and F end in "@FILE". The program is run by python/HelperSDT.py.
//
// In:  a matched point.
// Out: a probe (family process) of the function in our library that the helper calls; its handler first checks
//      whether the Python function matches M and F, and $x in it is text from the helper.
#include "elab/elab.h"
#include "resolve/family.h"
#include "util/str.h"

#include <string.h>
#include <unistd.h>

extern const struct probe_family family_process;

// ---------------------------------------------------------------- function patterns

static struct expr *call(struct loc loc, const char *function, const char *argument)
{
	struct expr *e = expr_new(E_CALL, loc);

	e->u.call.name = function;
	if (argument)
		vec_push(&e->u.call.args, expr_string(loc, argument));
	return e;
}

// Returns the glob as a regular expression that matches a whole name or the end of a path.
static const char *pattern_of(const char *glob, const char *start)
{
	struct buf b = { 0 };

	buf_puts(&b, start);
	for (const char *c = glob; *c; c++) {
		if (*c == '*')
			buf_puts(&b, ".*");
		else if (*c == '?')
			buf_puts(&b, ".");
		else if (*c == '[' && strchr(c, ']'))
			buf_puts(&b, c[1] == '!' ? (c++, "[^") : "[");
		else
			buf_printf(&b, "%s%c", strchr("\\.+(){}|^$", *c) ? "\\" : "", *c);
	}
	buf_puts(&b, "$");
	return buf_text(&b);
}

// Returns a condition that is true if function() does not match the glob.
static struct expr *differs(struct loc loc, const char *function, const char *glob, const char *start)
{
	struct expr *e;

	if (!str_is_glob(glob) && !strcmp(start, "^"))
		return expr_binary(loc, TOK_NE, call(loc, function, NULL), expr_string(loc, glob));
	e = expr_new(E_REGEX, loc);
	e->u.regex.l = call(loc, function, NULL);
	e->u.regex.pattern = pattern_of(glob, start);
	e->u.regex.len = strlen(e->u.regex.pattern);
	e->u.regex.negate = true;
	return e;
}

static struct stmt *filter(const struct probe_match *m, int major)
{
	const struct point_part *module = point_find(m->point, "module"), *function = point_find(m->point, "function");
	size_t name = strcspn(function->text, "@");
	struct loc loc = m->point->loc;
	struct stmt *s = stmt_new(S_IF, loc);
	struct expr *e = expr_binary(loc, TOK_NE, call(loc, "__python_major", NULL), expr_number(loc, major));

	e = expr_binary(loc, TOK_OROR, e, differs(loc, "__python_module", module->text, "^"));
	e = expr_binary(loc, TOK_OROR, e, differs(loc, "__python_function", str_ndup(function->text, name), "^"));
	if (function->text[name])
		e = expr_binary(loc, TOK_OROR, e, differs(loc, "__python_file", function->text + name + 1, "(^|/)"));
	s->u.if_.c = e;
	s->u.if_.then = stmt_new(S_NEXT, loc);
	return s;
}

static int check_names(const struct point_part *module, const struct point_part *part)
{
	const char *at = strchr(part->text, '@');

	if (!*module->text)
		diag_error(module->loc, "module(\"\") has an empty name: use \"__main__\" for the program itself, \"*\" "
			   "for any module");
	else if (*part->text == '@' || !*part->text)
		diag_error(part->loc, "\"%s\" does not name a function: use \"NAME\" or \"CLASS.NAME\", optionally "
			   "with \"@FILE\"",
			   part->text);
	else if (strpbrk(at ? at : part->text, ":+"))
		diag_error(part->loc, "only entries and returns of Python functions can be probed, not lines: leave "
			   "out \"%s\"",
			   strpbrk(at ? at : part->text, ":+"));
	else
		return 0;
	return 1;
}

// ---------------------------------------------------------------- variables

struct rewriter {
	struct ast_walker walker;
	bool is_return;
};

static struct expr *variable(const struct rewriter *r, const struct expr *target)
{
	static const struct { const char *name, *function; } known[] = {
		{ "$vars", "__python_vars" }, { "$parms", "__python_parms" }, { "$locals", "__python_locals" },
	};
	const char *name = target->u.target.name;

	for (int i = 0; i < ARRAY_SIZE(known); i++)
		if (!strcmp(name, known[i].name))
			return call(target->loc, known[i].function, NULL);
	if (!strcmp(name, "return") || !strcmp(name, "$return")) {
		if (r->is_return)
			return call(target->loc, "__python_return", NULL);
		diag_error(target->loc, "$return is available only in .return probes");
		return expr_string(target->loc, "");
	}
	if (*name != '$')
		return call(target->loc, "__python_value", name);
	diag_error(target->loc, "unknown variable \"$%s\" in a Python probe: use $$vars, $$parms, $$locals or $NAME", name);
	return expr_string(target->loc, "");
}

static bool visit_expr(struct ast_walker *w, struct expr **e)
{
	const struct rewriter *r = w->data;
	struct expr *base;

	switch ((*e)->kind) {
	case E_TARGET:
		*e = variable(r, *e);
		return false;
	case E_ACCESS:
		base = (*e)->u.access.base;
		if (base->kind != E_TARGET)
			return true;
		if ((*e)->u.access.comps.n || (*e)->u.access.address_of)
			diag_error((*e)->loc, "Python variables are strings: \"$%s\" has no members and no address",
				   base->u.target.name);
		*e = variable(r, base);
		return false;
	case E_DEFINED:
		if ((*e)->u.op1->kind != E_TARGET || *(*e)->u.op1->u.target.name == '$')
			return true;
		*e = call((*e)->loc, "__python_has", (*e)->u.op1->u.target.name);
		return false;
	case E_ASSIGN:
		if ((*e)->u.bin.l->kind == E_TARGET)
			diag_error((*e)->u.bin.l->loc, "Python variables cannot be assigned to");
		return true;
	default:
		return true;
	}
}

// ---------------------------------------------------------------- resolve

static struct probe_point *point_in(struct session *s, const struct probe_match *m, bool is_return)
{
	const char *library = str_printf("%s/python/libhelpersdt.so", s->libexec_dir);
	struct point_part process = { .name = "process", .loc = m->point->loc, .arg_kind = ARG_STRING, .text = library };
	struct point_part function = { .name = "function", .loc = m->point->loc, .arg_kind = ARG_STRING,
				       .text = is_return ? "stap_python_return" : "stap_python_call" };
	struct probe_point *p = NEW(struct probe_point);

	if (access(library, R_OK))
		die("cannot find %s, which runs Python programs; build it (make, make install)", library);
	p->loc = m->point->loc;
	p->optional = m->point->optional;
	p->sufficient = m->point->sufficient;
	vec_push(&p->parts, process);
	vec_push(&p->parts, function);
	return p;
}

static void adapt(const struct probe_match *m, struct probe *p, int major, bool is_return)
{
	struct rewriter r = { .is_return = is_return };
	struct stmt *all;

	p->point = point_text(m->point);
	if (!p->body)              // the point is listed (-l), not probed
		return;
	r.walker = (struct ast_walker){ .expr = visit_expr, .data = &r };
	ast_walk_stmt(&r.walker, &p->body);
	all = stmt_new(S_BLOCK, p->body->loc);
	vec_push(&all->u.block, filter(m, major));
	vec_push(&all->u.block, p->body);
	p->body = all;
}

static int python_resolve(struct session *s, const struct probe_match *m)
{
	bool is_return = point_find(m->point, "return");
	int major = str_starts(m->pattern, "python2") ? 2 : 3, first = s->script.probes.n, before = diag_errors();
	struct probe_match in = *m;

	if (check_names(point_find(m->point, "module"), point_find(m->point, "function")))
		return 1;
	in.point = point_in(s, m, is_return);
	in.pattern = "process(string).function(string)";
	if (family_process.resolve(s, &in))
		return 1;
	for (int i = first; i < s->script.probes.n; i++)
		adapt(m, s->script.probes.at[i], major, is_return);
	return diag_errors() - before;
}

#define PYTHON(version) version ".module(string).function(string)", version ".module(string).function(string).call", \
	version ".module(string).function(string).return"

static const char *const patterns[] = { PYTHON("python3"), PYTHON("python2"), NULL };

const struct probe_family family_python = {
	.name = "python",
	.patterns = patterns,
	.resolve = python_resolve,
};
