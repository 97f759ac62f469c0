// SPDX-License-Identifier: GPL-2.0-or-later
// Static probes (markers) of <sys/sdt.h> in programs: process("PATH").mark("NAME"), and with their provider
// process("PATH").provider("P").mark("NAME"). Either may have wildcards.
//
// In:  a matched point.
// Out: one probe for each marker, with $arg1 and so on, the variables of the function that contains it, $$name,
//      $$provider; rows of struct stp_uprobe, whose semaphore the kernel increments while it is probed.
#include "elab/elab.h"
#include "elab/target.h"
#include "probes/process.h"
#include "probes/accessor_var.h"
#include "probes/dwarf_point.h"
#include "util/str.h"

#include <string.h>

extern const struct probe_family family_mark;

struct mark_probe {            // probe.data
	struct process_site site;
	const struct di_mark *mark;
};

static const char *point_of(const struct probe_match *m, const struct di_mark *mark)
{
	const char *process = process_point(m, mark->module);

	if (point_find(m->point, "provider"))
		return str_printf("%s.provider(\"%s\").mark(\"%s\")", process, mark->provider, mark->name);
	return str_printf("%s.mark(\"%s\")", process, mark->name);
}

static void add_marks(const void *marks, name_list *out)
{
	for vec_each((const di_marks *)marks, mark)
		vec_push(out, (*mark)->name);
}

static void not_found(const struct process_files *files, const struct point_part *part, const char *provider)
{
	const char *file = di_module_name(files->at.at[0]);
	di_marks all = { 0 };

	for vec_each(&files->at, m)
		di_find_marks(*m, NULL, "*", &all);
	if (!all.n)
		diag_error(part->loc, "%s has no markers: compile it with the macros of <sys/sdt.h>", file);
	else if (provider)
		diag_error(part->loc, "%s has no marker \"%s\" of a provider \"%s\"%s", file, part->text,
			   provider, diag_similar(part->text, add_marks, &all));
	else
		diag_error(part->loc, "%s has no marker "
			   "\"%s\"%s", file, part->text, diag_similar(part->text, add_marks, &all));
	diag_refer("error::sdt");
}

static int mark_resolve(struct session *s, const struct probe_match *m)
{
	const struct point_part *part = point_find(m->point, "mark");
	const struct point_part *provider = point_find(m->point, "provider");
	struct process_files files = { 0 };
	int n = 0;

	if (process_files(s, m, &files))
		return 1;
	for vec_each(&files.at, in) {
		di_marks found = { 0 };

		di_find_marks(*in, provider ? provider->text : NULL, part->text, &found);
		for vec_each(&found, mark) {
			struct mark_probe *data = NEW(struct mark_probe);
			struct probe *p;

			data->site = (struct process_site){
				.program = *in,
				.name = (*mark)->name,
				.address = (*mark)->address,
				.semaphore = (*mark)->semaphore,
				.pid = files.pid,
				.within = files.within,
				.optional = m->point->optional || m->point->sufficient,
			};
			data->mark = *mark;
			p = probe_add(s, &family_mark, m, point_of(m, *mark), data);
			if (str_is_glob(part->text))
				p->shared_name = (*mark)->name;
			n++;
		}
	}
	if (!n)
		not_found(&files, part, provider ? provider->text : NULL);
	return n ? 0 : 1;
}

// Returns the function that contains the marker, or NULL if the program has no DWARF of it.
static const struct di_function *surrounding(const struct mark_probe *d)
{
	const struct di_function *f = di_function_at(d->site.program, d->site.address);

	return f && f->has_types ? f : NULL;
}

// Lists the arguments of a marker as parameters, and the variables of the function around it as locals.
static void mark_names(struct session *s, struct probe *p, target_names *out)
{
	const struct mark_probe *d = p->data;
	const struct di_function *f = surrounding(d);
	target_names locals = { 0 };

	for vec_each(&d->mark->args, arg)
		vec_push(out, ((struct target_name){ arg->name, arg->type->name, TARGET_PARAMETER }));
	if (f)
		dwarf_names(f, false, &locals);
	for vec_each(&locals, n)
		vec_push(out, ((struct target_name){ n->name, n->type, TARGET_LOCAL }));
}

// $$vars of a marker lists its arguments, which are known even if the locals of the function around it are not.
static const char *mark_unknown_names(const struct probe *p, unsigned kinds, bool *error)
{
	const struct mark_probe *d = p->data;

	return kinds != 1u << TARGET_LOCAL || surrounding(d) ? NULL :
		str_printf("%s has no DWARF debuginfo for the function of the marker; %s", di_module_name(d->site.program),
			   di_advice(d->site.program));
}

static bool has_variable(const struct mark_probe *d, const char *name)
{
	const struct di_function *f = surrounding(d);
	struct di_variable v;
	int64_t number;

	return f && strcmp(name, "return") && (di_find_variable(f, name, &v) || di_function_enumerator(f, name, &number));
}

static void add_names(const void *probe, name_list *out)
{
	target_names names = { 0 };

	mark_names(NULL, (struct probe *)probe, &names);
	for vec_each(&names, n)
		vec_push(out, str_printf("$%s", n->name));
}

static struct expr *mark_target(struct session *s, struct probe *p, struct expr *target)
{
	const struct mark_probe *d = p->data;
	const char *name = target->u.target.name;

	for vec_each(&d->mark->args, arg) {
		if (strcmp(arg->name, name))
			continue;
		if (arg->loc.kind == DI_LOC_NONE) {
			diag_error(target->loc, "the argument $%s of the marker \"%s\" is not in a register or in "
				   "memory that a probe can read", arg->name, d->mark->name);
			return NULL;
		}
		return target_variable(target->loc, arg);
	}
	if (has_variable(d, name) || (di_want_dwarf(d->site.program) && has_variable(d, name)))
		return dwarf_target(surrounding(d), false, target);
	return target_not_found(target, str_printf("the marker \"%s\"", d->mark->name),
				str_printf(": it has %s%s%s",
					   d->mark->args.n ? str_printf("$arg1 to $arg%d", d->mark->args.n) : "no arguments",
					   surrounding(d) ? "" : str_printf(", and without DWARF debuginfo no other variables; %s",
									    di_advice(d->site.program)),
					   diag_similar(str_printf("$%s", name), add_names, p)));
}

static struct expr *mark_double_dollar(struct session *s, struct probe *p, struct expr *target)
{
	const struct mark_probe *d = p->data;

	if (!strcmp(target->u.target.name, "$name"))
		return value_name(p, target->loc, d->mark->name);
	if (!strcmp(target->u.target.name, "$provider"))
		return expr_string(target->loc, d->mark->provider);
	return NULL;
}

static void mark_emit(struct session *s, struct cwriter *w, struct probe **probes, int n)
{
	process_emit_sites(s, w, probes, n, "stp_process_marks");
}

#define MARK(process) process ".mark(string)", process ".provider(string).mark(string)"

static const char *const patterns[] = {
	MARK("process"), MARK("process(string)"), MARK("process(number)"),
	MARK("process.library(string)"), MARK("process(string).library(string)"),
	MARK("process(number).library(string)"), NULL,
};

static struct di_module *mark_module(const struct probe *p)
{
	const struct mark_probe *d = p->data;

	return d->site.program;
}

const struct probe_family family_mark = {
	.name = "mark",
	.access = ACCESS_PROCESS,
	.patterns = patterns,
	.resolve = mark_resolve,
	.target = mark_target,
	.target_names = mark_names,
	.unknown_names = mark_unknown_names,
	.double_dollar = mark_double_dollar,
	.module = mark_module,
	.address = process_address,
	.emit = mark_emit,
	.bpf_program = process_bpf_program,
	.bpf_registers = true,
	.bpf_calls = process_bpf_calls,
};
