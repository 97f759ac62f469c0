// SPDX-License-Identifier: GPL-2.0-or-later
// Checks that the script's globals suit the formats of -f and --output, before a run that would have no result. In:
// the options, the types of the globals. Out: errors.
#include "elab/elab.h"
#include "session/passes.h"

#include "output_formats.h"
#include "util/diag.h"
#include "util/str.h"

#include <string.h>

static bool can_have_stacks(const struct var *v)
{
	if (v->type == T_STRING)
		return false;
	for (int i = 0; i < v->arity; i++)
		if (v->key_types[i] == T_STRING)
			return true;
	return false;
}

static char *type_text(const struct var *v)
{
	static const char *const single[] = { "of unknown type", "a number", "a string", "statistics" };
	static const char *const plural[] = { "values of unknown type", "numbers", "strings", "statistics" };
	struct buf b = { 0 };

	if (v->arity <= 0)
		return str_dup(single[v->type]);
	buf_printf(&b, "an array of %s with the keys (", plural[v->type]);
	for (int i = 0; i < v->arity; i++)
		buf_printf(&b, "%s%s", i ? ", " : "", v->key_types[i] == T_STRING ? "string" : "number");
	buf_putc(&b, ')');
	return buf_text(&b);
}

static void check(struct session *s, const char *format, size_t len)
{
	bool any = false;

	if (!format_takes_stacks(format, len))
		return;
	for vec_each(&s->script.globals, v)
		if (can_have_stacks(*v))
			return;
	diag_error((struct loc){ 0 }, "the format \"%.*s\" requires an array of numbers or statistics whose keys are call "
		   "stacks, such as count[backtrace()]", (int)len, format);
	for vec_each(&s->script.globals, v) {
		if (!str_starts((*v)->name, "__"))
			diag_note((*v)->loc, "\"%s\" is %s", (*v)->name, type_text(*v));
		any = true;
	}
	if (!any)
		diag_note((struct loc){ 0 }, "the script has no globals");
}

int elab_output_formats(struct session *s)
{
	struct options *o = &s->opt;
	int before = diag_errors();

	if (o->output_format)
		check(s, o->output_format, strlen(o->output_format));
	for vec_each(&o->outputs, output)
		check(s, *output, strcspn(*output, ":"));
	return diag_errors() - before;
}
