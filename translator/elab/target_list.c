// SPDX-License-Identifier: GPL-2.0-or-later
// $$vars, $$parms, $$locals and $$return: a sprintf() of the variables that the probe's family lists.
#include "elab/elab.h"
#include "elab/resolver.h"
#include "elab/target.h"
#include "resolve/family.h"
#include "util/str.h"

#include <string.h>

static bool visit_fault(struct ast_walker *w, struct expr **e)
{
	*(bool *)w->data |= (*e)->kind == E_DEREF || (*e)->kind == E_STATIC ||
			    ((*e)->kind == E_BINARY && (*e)->u.bin.of_location);
	return true;
}

static void list_value(struct session *s, struct expr *print, struct expr *e, const struct di_type *dtype)
{
	if (dtype && (di_is_float(dtype) || di_is_x87(dtype)))
		target_print_real(s, print, e, dtype);
	else
		target_print_value(print, 'x', STP_FLAG_ALTERNATE, e);
}

// Prints a number, or "?" if reading it faults.
static void list_number(struct session *s, struct expr *print, struct expr *e)
{
	const struct di_type *dtype = e->dtype;
	bool faults = false;
	struct ast_walker w = { .expr = visit_fault, .data = &faults };
	struct expr *text;

	ast_walk_expr(&w, &e);
	if (!faults) {
		list_value(s, print, e, dtype);
		return;
	}
	text = target_print_new(e->loc);
	text->u.print.on_fault = "?";
	list_value(s, text, e, dtype);
	target_print_value(print, 's', 0, text);
}

// Prints one of $$vars: name=value, or name=? if it cannot be read here.
static void list_variable(struct resolver *r, struct expr *print, struct expr *target, int pretty)
{
	const char *name = target->u.target.name;
	struct expr *e = target;

	target_print_text(print, print->u.print.format.n ? str_printf(" %s=", name) : str_printf("%s=", name));
	if (pretty) {
		e = expr_new(E_ACCESS, target->loc);
		e->u.access.base = target;
		e->u.access.pretty = pretty;
	}
	if (!resolver_is_defined(r, e)) {
		target_print_text(print, "?");
		return;
	}
	resolver_base(r, &e);
	if (pretty)
		target_print_value(print, 's', 0, e);
	else if (e->dtype && type_is_aggregate(e->dtype))
		target_print_text(print, e->dtype->kind == DI_ARRAY ? "[...]" : "{...}");
	else if (e->type == T_STRING)
		target_print_value(print, 's', 0, e);
	else if (e->kind == E_TARGET)      // it is a pointer to a variable that is not in memory
		target_print_text(print, "?");
	else
		list_number(r->s, print, e);
}

bool resolver_lists(struct resolver *r, const char *name)
{
	const struct probe_family *f = r->probe ? r->probe->family : NULL;
	target_names names = { 0 };

	if (f && f->target_names)
		f->target_names(r->s, r->probe, &names);
	for vec_each(&names, n)
		if (!strcmp(n->name, name))
			return true;
	return false;
}

// Returns the kinds of variables in the list NAME, as bits (bit n: kind n); 0: unknown name.
static unsigned kinds_of(const char *name)
{
	static const struct { const char *name; unsigned kinds; } lists[] = {
		{ "vars", 1u << TARGET_PARAMETER | 1u << TARGET_LOCAL }, { "parms", 1u << TARGET_PARAMETER },
		{ "locals", 1u << TARGET_LOCAL }, { "return", 1u << TARGET_RETURN },
	};

	for (size_t i = 0; i < ARRAY_SIZE(lists); i++)
		if (!strcmp(name, lists[i].name))
			return lists[i].kinds;
	return 0;
}

// Reports why a list is empty. It is a warning if patterns can match both functions with variables and functions
// without.
static void report_empty(struct resolver *r, const struct expr *e, unsigned kinds)
{
	const struct probe_family *f = r->probe->family;
	bool error = false;
	bool no_result = kinds == 1u << TARGET_RETURN && !r->is_return;
	const char *why = f->unknown_names && !no_result ? f->unknown_names(r->probe, kinds, &error) : NULL;

	if (why && error)
		diag_error(e->loc, "\"$%s\" is not available: %s", e->u.target.name, why);
	else if (why)
		diag_warning(e->loc, "\"$%s\" is empty in some probes: %s", e->u.target.name, why);
}

static struct expr *variable(struct loc loc, const char *name)
{
	struct expr *e = expr_new(E_TARGET, loc);

	e->u.target.name = name;
	return e;
}

struct expr *resolver_list(struct resolver *r, struct expr *e, int pretty)
{
	const struct probe_family *f = r->probe->family;
	unsigned kinds = kinds_of(e->u.target.name + 1);
	struct expr *print = target_print_new(e->loc);
	target_names names = { 0 };
	struct expr *other = f->double_dollar ? f->double_dollar(r->s, r->probe, e) : NULL;

	if (other)
		return other;
	if (!kinds) {
		target_not_found(e, "this probe", " (similar: $$vars, $$parms, $$locals, $$return)");
		return expr_string(e->loc, "");
	}
	if (f->has_names && !f->has_names(r->probe)) {
		f->target(r->s, r->probe, e);
		return expr_string(e->loc, "");
	}
	if (f->target_names)
		f->target_names(r->s, r->probe, &names);
	for vec_each(&names, n)
		if (kinds >> n->kind & 1)
			list_variable(r, print, variable(e->loc, n->name), pretty);
	// Lists the return register, since the result's type is unknown.
	if (!print->u.print.format.n && kinds == 1u << TARGET_RETURN && r->is_return &&
	    resolver_is_defined(r, variable(e->loc, "return")))
		list_variable(r, print, variable(e->loc, "return"), 0);
	if (!print->u.print.format.n)
		report_empty(r, e, kinds);
	return print->u.print.format.n ? print : expr_string(e->loc, "");
}
