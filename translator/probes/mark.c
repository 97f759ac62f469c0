// SPDX-License-Identifier: GPL-2.0-or-later
// Static probes (markers) of <sys/sdt.h> in programs: process("PATH").mark("NAME"), and with their provider
// process("PATH").provider("P").mark("NAME"). Either may have wildcards.
//
// In:  a matched point.
// Out: one probe for each marker, with $arg1 and so on, $$name, $$provider; rows of struct stp_uprobe, whose
//      semaphore the kernel increments while it is probed.
#include "elab/elab.h"
#include "elab/target.h"
#include "probes/process.h"
#include "probes/accessor_var.h"
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
		diag_error(part->loc, "%s has no markers: compile it with those of <sys/sdt.h>", file);
	else if (provider)
		diag_error(part->loc, "%s has no marker \"%s\" of a provider \"%s\"%s", file, part->text,
			   provider, diag_similar(part->text, add_marks, &all));
	else
		diag_error(part->loc, "%s has no marker "
			   "\"%s\"%s", file, part->text, diag_similar(part->text, add_marks, &all));
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

static void mark_names(struct session *s, struct probe *p, target_names *out)
{
	const struct mark_probe *d = p->data;

	for vec_each(&d->mark->args, arg)
		vec_push(out, ((struct target_name){ arg->name, arg->type->name, TARGET_PARAMETER }));
}

static struct expr *mark_target(struct session *s, struct probe *p, struct expr *target)
{
	const struct mark_probe *d = p->data;

	for vec_each(&d->mark->args, arg) {
		if (strcmp(arg->name, target->u.target.name))
			continue;
		if (arg->loc.kind == DI_LOC_NONE) {
			diag_error(target->loc, "the argument $%s of the marker \"%s\" is not in a register or in "
				   "memory that a probe can read", arg->name, d->mark->name);
			return NULL;
		}
		return target_variable(target->loc, arg);
	}
	if (d->mark->args.n)
		diag_error(target->loc, "unable to find '$%s': the marker \"%s\" has $arg1 to "
			   "$arg%d", target->u.target.name,
			   d->mark->name, d->mark->args.n);
	else
		diag_error(target->loc, "unable to find '$%s': the marker \"%s\" has no "
			   "arguments", target->u.target.name,
			   d->mark->name);
	return NULL;
}

static struct expr *mark_meta(struct session *s, struct probe *p, struct expr *target)
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
	.meta = mark_meta,
	.module = mark_module,
	.emit = mark_emit,
};
