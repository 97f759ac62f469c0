// SPDX-License-Identifier: GPL-2.0-or-later
// Functions and statements of programs: process("PATH").function("NAME@FILE"), .return and so on.
//
// In:  a matched point; PATTERN is FUNCTION[@FILE], both may be globs.
// Out: one probe a place, with the variables there; and the table of struct stp_uprobe.
#include "build/build.h"
#include "elab/elab.h"
#include "elab/target.h"
#include "emit/emit.h"
#include "probes/process.h"
#include "util/str.h"

#include <string.h>

extern const struct probe_family family_process;

struct process_probe {         // probe.data
	struct process_site site;
	struct di_function *function;
	uint64_t body;             // where its parameters are in their places
};

// ---------------------------------------------------------------- resolve

struct pattern {
	const char *function, *file;
};

static bool parse_pattern(const struct point_part *part, struct pattern *p)
{
	const char *at = strchr(part->text, '@'), *colon = at ? strchr(at, ':') : NULL;

	p->function = at ? str_ndup(part->text, at - part->text) : part->text;
	p->file = at ? at + 1 : NULL;
	if (colon) {
		diag_error(part->loc, "probes at a line (\"%s\") are not available yet; leave out \"%s\"",
			   part->text, colon);
		return false;
	}
	if (!*p->function || (p->file && !*p->file)) {
		diag_error(part->loc, "\"%s\" is no FUNCTION or FUNCTION@FILE", part->text);
		return false;
	}
	return true;
}

static const char *point_of(const struct probe_match *m, const struct di_module *in, const struct di_function *f)
{
	struct buf b = { 0 };
	bool after = false;

	buf_puts(&b, process_point(m, in));
	for vec_each(&m->point->parts, part) {
		if (!strcmp(part->name, "function")) {
			after = true;
			if (f->file)
				buf_printf(&b, ".function(\"%s@%s:%d\")", f->name, f->file, f->line);
			else
				buf_printf(&b, ".function(\"%s\")", f->name);
		} else if (after && part->arg_kind == ARG_NUMBER) {
			buf_printf(&b, ".%s(%lld)", part->name, (long long)part->number);
		} else if (after) {
			buf_printf(&b, ".%s", part->name);
		}
	}
	return buf_text(&b);
}

static void not_found(const struct di_module *in, const struct point_part *part, const struct pattern *p)
{
	di_names names = { 0 };
	char *near;

	if (p->file && !strstr(di_module_source(in), "DWARF")) {
		diag_error(part->loc, "\"@%s\" can't be told without DWARF debuginfo: %s", p->file, di_advice(in));
		return;
	}
	di_function_names((struct di_module *)in, &names);
	near = str_nearest(p->function, names.at, names.n);
	if (near)
		diag_error(part->loc, "%s has no function \"%s\" (similar: %s)", di_module_name(in), part->text, near);
	else
		diag_error(part->loc, "%s has no function \"%s\": %s", di_module_name(in), part->text, di_advice(in));
}

struct resolution {
	struct session *s;
	const struct probe_match *match;
	struct pattern pattern;
	struct process_site common;
};

// Returns how many probes it made.
static int add_functions(const struct resolution *r, struct di_module *in)
{
	di_functions found = { 0 };
	int n = 0;

	di_find_functions(in, r->pattern.function, r->pattern.file, false, &found);
	for vec_each(&found, f) {
		struct process_probe *data;
		uint64_t offset;

		if (!(*f)->has_address || !di_program_offset(in, (*f)->address, &offset))
			continue;
		data = NEW(struct process_probe);
		data->site = r->common;
		data->site.program = in;
		data->site.name = (*f)->symbol;
		data->site.address = (*f)->address;
		data->function = *f;
		data->body = di_function_body(*f);
		if (!data->site.is_return)
			data->site.address = (*f)->pc = data->body;
		probe_add(r->s, &family_process, r->match, point_of(r->match, in, *f), data);
		n++;
	}
	return n;
}

static int check_maxactive(const struct point_part *part, int64_t *out)
{
	if (!part)
		return 0;
	if (part->number < 1 || part->number > 1 << 20) {
		diag_error(part->loc, "maxactive(%lld) is out of range (1 to %d)", (long long)part->number, 1 << 20);
		return 1;
	}
	*out = part->number;
	return 0;
}

static int process_resolve(struct session *s, const struct probe_match *m)
{
	const struct point_part *part = point_find(m->point, "function");
	struct process_files files = { 0 };
	struct resolution r = {
		.s = s,
		.match = m,
		.common = {
			.is_return = point_find(m->point, "return"),
			.optional = m->point->optional || m->point->sufficient,
		},
	};
	int n = 0;

	if (check_maxactive(point_find(m->point, "maxactive"), &r.common.maxactive) ||
	    !parse_pattern(part, &r.pattern) || process_files(s, m, &files))
		return 1;
	r.common.pid = files.pid;
	for vec_each(&files.at, in)
		n += add_functions(&r, *in);
	if (!n)
		not_found(files.at.at[0], part, &r.pattern);
	return n ? 0 : 1;
}

// ---------------------------------------------------------------- variables

static void list_variables(const struct di_function *f, bool params_only, struct buf *list)
{
	struct buf names = { 0 };
	char *save = NULL;

	di_variable_names(f, params_only, &names);
	for (char *n = strtok_r(buf_text(&names), "\n", &save); n; n = strtok_r(NULL, "\n", &save)) {
		struct di_variable v;

		if (di_find_variable(f, n, &v))
			buf_printf(list, "$%s:%s\n", n, v.type->name);
	}
}

static void process_names(struct session *s, struct probe *p, struct buf *list)
{
	const struct process_probe *d = p->data;
	struct di_location loc;
	struct di_type *type = d->site.is_return ? di_return(d->function, &loc) : NULL;

	if (type)
		buf_printf(list, "$return:%s\n", type->name);
	list_variables(d->function, false, list);
}

static void process_parameters(struct session *s, struct probe *p, struct buf *list)
{
	const struct process_probe *d = p->data;

	list_variables(d->function, true, list);
}

static struct expr *return_value(const struct process_probe *d, struct expr *target)
{
	struct di_variable v = { .name = "$return" };

	if (!d->site.is_return) {
		diag_error(target->loc, "$return is for .return probes");
		return NULL;
	}
	v.type = di_return(d->function, &v.loc);
	if (v.type)
		return target_variable(target->loc, &v);
	if (d->function->has_types)
		diag_error(target->loc, "the function '%s' returns nothing", d->function->name);
	else
		diag_error(target->loc, "the type of what '%s' returns is not known: %s", d->function->name,
			   di_advice(d->site.program));
	return NULL;
}

static struct expr *process_target(struct session *s, struct probe *p, struct expr *target)
{
	const struct process_probe *d = p->data;
	const char *name = target->u.target.name;
	struct buf names = { 0 };
	struct di_variable v;
	int64_t number;

	if (!strcmp(name, "return"))
		return return_value(d, target);
	if (d->site.is_return && d->body != d->function->address && di_entry_parameter(d->function, name, &v))
		return target_variable(target->loc, &v);
	if (di_find_variable(d->function, name, &v)) {
		di_program_relocate(d->site.program, &v.loc, d->site.address);
		return target_variable(target->loc, &v);
	}
	if (!d->function->has_types) {
		diag_error(target->loc, "unable to find local '%s': the variables of '%s' are not known from the %s; %s",
			   name, d->function->name, di_module_source(d->site.program), di_advice(d->site.program));
		return NULL;
	}
	if (di_find_enumerator(d->site.program, name, &number))
		return expr_number(target->loc, number);
	di_variable_names(d->function, false, &names);
	diag_error(target->loc, "unable to find local '%s' in %s%s", name, d->function->name,
		   target_similar(name, &names));
	return NULL;
}

static struct di_module *process_module(const struct probe *p)
{
	const struct process_probe *d = p->data;

	return d->site.program;
}

// ---------------------------------------------------------------- emit

static void process_emit(struct session *s, struct cwriter *w, struct probe **probes, int n)
{
	process_emit_sites(s, w, probes, n, "stp_process_functions");
}

#define OF_FUNCTION(process)                                                     \
	process ".function(string)", process ".function(string).call",          \
	process ".function(string).return", process ".function(string).return.maxactive(number)"

static const char *const patterns[] = {
	OF_FUNCTION("process"), OF_FUNCTION("process(string)"), OF_FUNCTION("process(number)"), NULL,
};

const struct probe_family family_process = {
	.name = "process",
	.patterns = patterns,
	.resolve = process_resolve,
	.target = process_target,
	.target_names = process_names,
	.parameter_names = process_parameters,
	.module = process_module,
	.emit = process_emit,
};
