// SPDX-License-Identifier: GPL-2.0-or-later
// Calls of a program to functions of libraries: process("PATH").plt[("NAME")][.return],
// at the entries of its procedure linkage table. NAME may have wildcards.
//
// In:  a matched point.
// Out: one probe for each entry, with $$name; rows of struct stp_uprobe.
#include "elab/elab.h"
#include "elab/target.h"
#include "probes/process.h"
#include "probes/accessor_var.h"
#include "util/str.h"

#include <string.h>

extern const struct probe_family family_plt;

static void add_entries(const void *entries, name_list *out)
{
	for vec_each((const di_plt *)entries, entry)
		vec_push(out, entry->name);
}

static void not_found(const struct process_files *files, const struct point_part *part)
{
	const char *file = di_module_name(files->at.at[0]);
	di_plt all = { 0 };

	for vec_each(&files->at, m)
		di_find_plt(*m, "*", &all);
	if (!all.n) {
		diag_error(part->loc, "%s has no procedure linkage table: it calls no library, or calls it "
			   "directly", file);
		return;
	}
	diag_error(part->loc, "%s calls no function \"%s\" through its procedure linkage table%s", file, part->text,
		   diag_similar(part->text, add_entries, &all));
}

static void add_entry(struct session *s, const struct probe_match *m, const struct process_files *files,
		      struct di_module *in, const struct di_plt_entry *entry)
{
	const struct point_part *part = point_find(m->point, "plt");
	bool named = part->arg_kind == ARG_STRING && !str_is_glob(part->text);
	struct process_site *site = NEW(struct process_site);
	bool is_return = point_find(m->point, "return");
	struct probe *p;

	*site = (struct process_site){
		.program = in,
		.name = entry->name,
		.address = entry->address,
		.pid = files->pid,
		.within = files->within,
		.is_return = is_return,
		.optional = m->point->optional || m->point->sufficient,
	};
	p = probe_add(s, &family_plt, m, str_printf("%s.plt(\"%s\")%s", process_point(m, in), entry->name,
						is_return ? ".return" : ""), site);
	if (!named)
		p->shared_name = entry->name;
}

static int plt_resolve(struct session *s, const struct probe_match *m)
{
	const struct point_part *part = point_find(m->point, "plt");
	struct process_files files = { 0 };
	int n = 0;

	if (process_files(s, m, &files))
		return 1;
	for vec_each(&files.at, in) {
		di_plt found = { 0 };

		di_find_plt(*in, part->arg_kind == ARG_STRING ? part->text : "*", &found);
		for vec_each(&found, entry)
			add_entry(s, m, &files, *in, entry);
		n += found.n;
	}
	if (!n)
		not_found(&files, part);
	return n ? 0 : 1;
}

static struct expr *plt_target(struct session *s, struct probe *p, struct expr *target)
{
	return target_not_found(target, "a probe of the procedure linkage table", ": it has $$name only");
}

static bool plt_has_names(const struct probe *p)
{
	return false;
}

static struct expr *plt_double_dollar(struct session *s, struct probe *p, struct expr *target)
{
	const struct process_site *site = p->data;

	return strcmp(target->u.target.name, "$name") ? NULL : value_name(p, target->loc, site->name);
}

static void plt_emit(struct session *s, struct cwriter *w, struct probe **probes, int n)
{
	process_emit_sites(s, w, probes, n, "stp_process_plt");
}

#define PLT(process) process ".plt", process ".plt(string)", process ".plt.return", process ".plt(string).return"

static const char *const patterns[] = {
	PLT("process"), PLT("process(string)"), PLT("process(number)"),
	PLT("process.library(string)"), PLT("process(string).library(string)"),
	PLT("process(number).library(string)"), NULL,
};

const struct probe_family family_plt = {
	.name = "plt",
	.access = ACCESS_PROCESS,
	.patterns = patterns,
	.resolve = plt_resolve,
	.target = plt_target,
	.has_names = plt_has_names,
	.double_dollar = plt_double_dollar,
	.address = process_address,
	.emit = plt_emit,
	.bpf_program = process_bpf_program,
	.bpf_registers = true,
	.bpf_calls = process_bpf_calls,
};
