// SPDX-License-Identifier: GPL-2.0-or-later
// Functions and statements of programs: process("PATH").function(PATTERN)[.call|.inline|.exported|
// .label(L)|.callee(F)[.call|.return]|.callees|.return[.maxactive(N)]],
// process("PATH").statement(PATTERN)[.nearest]; of their libraries with process("PATH").library("PATH").
//
// In:  a matched point; dwarf_point.h describes a PATTERN.
// Out: one probe for each address, with the variables there; rows of struct stp_uprobe.
#include "elab/elab.h"
#include "probes/dwarf_point.h"
#include "probes/process.h"
#include "util/str.h"

#include <string.h>

extern const struct probe_family family_process;

struct process_probe {         // probe.data
	struct process_site site;
	struct di_function *function;
	bool early;                // the probe is at the entry, before the parameters are stored in their locations
};

// ---------------------------------------------------------------- resolve

struct resolution {
	struct session *s;
	const struct probe_match *match;
	struct dwarf_point point;
	struct process_site common;
	bool exported;
};

static const char *point_of(const struct probe_match *m, const struct di_function *f)
{
	struct buf b = { 0 };

	buf_puts(&b, process_point(m, f->module));
	dwarf_point_text(m, f, &b);
	return buf_text(&b);
}

static bool add_function(const struct resolution *r, struct di_function *f)
{
	struct process_probe *data = NEW(struct process_probe);
	uint64_t body = f->pc || !f->has_address ? f->pc : di_function_body(f), offset;
	bool at_entry = r->point.is_return || f->returns;      // the caller is determined from the stack at the
							       // entry
	struct probe *p;

	data->site = r->common;
	data->site.program = f->module;
	data->site.name = f->symbol;
	data->function = f;
	data->early = at_entry && body != f->address;
	if (!at_entry && !f->is_inline && body != f->address)
		f->pc = body;
	data->site.address = f->pc ? f->pc : f->address;
	if ((!f->has_address && !f->pc) || !di_program_offset(f->module, data->site.address, &offset))
		return false;
	p = probe_add(r->s, &family_process, r->match, point_of(r->match, f), data);
	dwarf_point_guard(p, f, r->point.is_return);
	if (probe_list_variables(r->s, r->match, p))
		di_forget(f->module);
	return true;
}

// Returns whether return probes are allowed. They replace the return address on the stack, which breaks Go
// programs, so these require guru mode.
static bool may_return(const struct resolution *r, const struct di_module *in)
{
	if (!r->common.is_return || r->s->opt.list || r->s->opt.guru || !di_program_moves_stacks(in))
		return true;
	diag_error(r->match->point->loc, "%s: return probes crash a Go program when it moves a stack; probe "
		   "statements before its returns, or use guru mode (-g)", process_point(r->match, in));
	return false;
}

// A symbol without debuginfo, in a program that has debuginfo, is assembler code: it may be reached by a jump,
// without a return address on the stack. It is probed only if it is named without a wildcard.
static bool is_skipped(const struct resolution *r, const struct di_function *f)
{
	return r->common.is_return && !r->point.by_address && str_is_glob(r->point.pattern.function) && !f->has_types &&
	       di_module_source(f->module) == DI_SOURCE_DWARF;
}

// At a program's first function the stack has argc instead of a return address, which a return probe would
// overwrite.
static bool is_first(const struct resolution *r, struct di_module *in, const struct di_function *f)
{
	uint64_t entry = di_program_entry(in);

	return r->common.is_return && (!strcmp(f->symbol, "_start") || (entry && (f->pc ? f->pc : f->address) == entry));
}

// Returns the number of probes that it added.
static int add_functions(const struct resolution *r, struct di_module *in, struct buf *why)
{
	di_functions found = { 0 };
	int n = 0;

	di_want_dwarf(in);
	dwarf_point_find(&r->point, in, &found, why);
	for vec_each(&found, f) {
		if ((r->exported && !di_program_exports(in, (*f)->symbol)) || is_skipped(r, *f))
			continue;
		if (!is_first(r, in, *f))
			n += add_function(r, *f);
		else if (!why->len)
			buf_puts(why, "the program starts there, so it never returns; probe the end of the process "
				 "with .end");
	}
	if (r->exported && !n && found.n)
		buf_puts(why, "it exists, but not as a symbol of the dynamic linker");
	return n;
}

// A function that is not in the program may be in a library that it is linked with.
static void note_library(const struct resolution *r, struct di_module *program)
{
	const char *name = r->point.pattern.function, *why;
	di_names paths = { 0 }, names = { 0 };

	if (!name || str_is_glob(name) || r->point.by_address || !diag_prints())
		return;
	di_program_libraries(program, &paths, &names);
	for vec_each(&paths, path) {
		struct di_module *library = di_program(r->s, *path, &why);
		di_functions found = { 0 };

		if (library)
			di_find_functions(library, name, NULL, DI_INLINES_NONE, &found);
		if (!found.n)
			continue;
		diag_note(r->point.part->loc, "\"%s\" is a function of a library of the program: write process(\"%s\").%s(\"%s\")",
			  name, *path, r->point.part->name, name);
		return;
	}
}

static int process_resolve(struct session *s, const struct probe_match *m)
{
	struct process_files files = { 0 };
	struct buf why = { 0 };
	struct resolution r = {
		.s = s,
		.match = m,
		.exported = point_find(m->point, "exported"),
		.common = {
			.is_return = point_find(m->point, "return"),
			.optional = m->point->optional || m->point->sufficient,
		},
	};
	int n = 0;

	if (!dwarf_point_parse(s, m, &r.point) || process_files(s, m, &files))
		return 1;
	r.common.maxactive = r.point.maxactive;
	r.common.pid = files.pid;
	r.common.within = files.within;
	for vec_each(&files.at, in) {
		if (!may_return(&r, *in))
			return 1;
		n += add_functions(&r, *in, &why);
	}
	if (!n)
		dwarf_point_not_found(&r.point, files.at.at[0], process_point(m, files.at.at[0]), &why);
	if (!n && !why.len && files.at.n == 1)
		note_library(&r, files.at.at[0]);
	return n ? 0 : 1;
}

// ---------------------------------------------------------------- variables

static void process_names(struct session *s, struct probe *p, target_names *out)
{
	const struct process_probe *d = p->data;

	dwarf_names(d->function, d->site.is_return, out);
}

static const char *process_unknown_names(const struct probe *p, unsigned kinds, bool *error)
{
	const struct process_probe *d = p->data;

	return dwarf_unknown_names(d->function, kinds, error);
}

static struct expr *process_target(struct session *s, struct probe *p, struct expr *target)
{
	const struct process_probe *d = p->data;
	struct di_variable v;

	if (d->early && di_entry_parameter(d->function, target->u.target.name, &v))
		return target_variable(target->loc, &v);
	return dwarf_target(d->function, d->site.is_return, target);
}

static struct di_module *process_module(const struct probe *p)
{
	const struct process_probe *d = p->data;

	return d->site.program;
}

static struct source_line process_source(const struct probe *p)
{
	const struct process_probe *d = p->data;

	return dwarf_source_line(d->function);
}

// ---------------------------------------------------------------- emit

static void process_emit(struct session *s, struct cwriter *w, struct probe **probes, int n)
{
	process_emit_sites(s, w, probes, n, "stp_process_functions");
}

#define OF(object)									\
	object ".function(string)", object ".function(string).call",			\
	object ".function(string).inline", object ".function(string).exported",		\
	object ".function(string).label(string)", object ".function(string).return",	\
	object ".function(string).return.maxactive(number)",				\
	object ".function(string).callee(string)", object ".function(string).callee(string).call", \
	object ".function(string).callee(string).return", object ".function(string).callees", \
	object ".function(string).callees(number)",					\
	object ".function(number)", object ".function(number).call",			\
	object ".function(number).return", object ".function(number).return.maxactive(number)", \
	object ".statement(string)", object ".statement(string).nearest",		\
	object ".statement(number)"

static const char *const patterns[] = {
	OF("process"), OF("process(string)"), OF("process(number)"),
	OF("process.library(string)"), OF("process(string).library(string)"), OF("process(number).library(string)"),
	NULL,
};

const struct probe_family family_process = {
	.name = "process",
	.access = ACCESS_PROCESS,
	.patterns = patterns,
	.resolve = process_resolve,
	.target = process_target,
	.target_names = process_names,
	.unknown_names = process_unknown_names,
	.module = process_module,
	.source = process_source,
	.address = process_address,
	.emit = process_emit,
	.bpf_program = process_bpf_program,
	.bpf_registers = true,
	.bpf_calls = process_bpf_calls,
};
