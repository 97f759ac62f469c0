// SPDX-License-Identifier: GPL-2.0-or-later
// Replaces `$value` by get(), `$value = e` by set(e), `$value .= e` by append(e), before names are bound.
#include "probes/accessor_var.h"
#include "elab/target.h"
#include "util/diag.h"
#include "util/str.h"

#include <string.h>

struct rewriter {
	struct session *s;
	const struct value_variable *variables;
	int n;
	struct ast_walker walker;
};

static const struct value_variable *variable_of(const struct rewriter *r, const struct expr *e)
{
	for (int i = 0; e->kind == E_TARGET && i < r->n; i++)
		if (!strcmp(r->variables[i].name, e->u.target.name))
			return &r->variables[i];
	return NULL;
}

static struct expr *call(struct loc loc, const char *function, struct expr *argument)
{
	struct expr *e = expr_new(E_CALL, loc);

	e->u.call.name = function;
	if (argument)
		vec_push(&e->u.call.args, argument);
	return e;
}

static void assign(struct rewriter *r, struct expr **e, const struct value_variable *v)
{
	enum tok op = (*e)->u.bin.op;
	const char *function = op == TOK_ASSIGN ? v->set : op == TOK_CONCAT_ASSIGN ? v->append : NULL;
	struct loc loc = (*e)->u.bin.l->loc, whole = (*e)->loc;

	ast_walk_expr(&r->walker, &(*e)->u.bin.r);
	*e = (*e)->u.bin.r;                // only one error is reported
	if (!v->set)
		diag_error(loc, "$%s cannot be assigned to here: %s", v->name, v->why_not_set);
	else if (v->guru && !r->s->opt.guru && !(loc.source && loc.source->library))
		diag_error(loc, "$%s can be assigned to only in guru mode (-g)", v->name);
	else if (!function)
		diag_error(whole, "$%s takes %s only", v->name, v->append ? "\"=\" and \".=\"" : "\"=\"");
	else
		*e = call(whole, function, *e);
}

// $$vars and $$locals list the only variable of a family, if it can be read.
static bool is_list(const struct rewriter *r, const struct expr *e)
{
	return e->kind == E_TARGET && r->n == 1 && r->variables->get &&
	       (!strcmp(e->u.target.name, "$vars") || !strcmp(e->u.target.name, "$locals"));
}

static struct expr *list(const struct rewriter *r, struct loc loc)
{
	struct expr *e = target_print_new(loc);

	target_print_text(e, str_printf("%s=", r->variables->name));
	target_print_value(e, 's', 0, call(loc, r->variables->get, NULL));
	return e;
}

static bool visit_expr(struct ast_walker *w, struct expr **e)
{
	struct rewriter *r = w->data;
	const struct value_variable *v;

	if (is_list(r, *e)) {
		*e = list(r, (*e)->loc);
		return false;
	}

	if ((*e)->kind == E_ASSIGN && (v = variable_of(r, (*e)->u.bin.l))) {
		assign(r, e, v);
		return false;
	}
	if ((*e)->kind == E_INCDEC && (v = variable_of(r, (*e)->u.un.e))) {
		diag_error((*e)->loc, "$%s takes %s only", v->name, v->append ? "\"=\" and \".=\"" : "\"=\"");
		*e = expr_number((*e)->loc, 0);
		return false;
	}
	if ((*e)->kind == E_DEFINED && variable_of(r, (*e)->u.op1))
		return false;              // the family reports that it exists
	v = variable_of(r, *e);
	if (v && v->get)
		*e = call((*e)->loc, v->get, NULL);
	else if (v && v->why_not_get)
		diag_error((*e)->loc, "$%s cannot be read here: %s", v->name, v->why_not_get);
	return !v;
}

int value_rewrite(struct session *s, struct probe *p, const struct value_variable *variables, int n)
{
	int before = diag_errors();
	struct rewriter r = { .s = s, .variables = variables, .n = n };

	r.walker = (struct ast_walker){ .expr = visit_expr, .data = &r };
	ast_walk_stmt(&r.walker, &p->body);
	return diag_errors() - before;
}

struct expr *value_name(const struct probe *p, struct loc loc, const char *name)
{
	struct expr *e;

	if (!p->shared_name)
		return expr_string(loc, name);
	e = expr_new(E_EMBEDDED, loc);
	e->u.embedded = embedded_new("/* pragma:runtime */ /* unprivileged */ /* string */ /* pure */ stp_probe_name(c)");
	return e;
}
