// SPDX-License-Identifier: GPL-2.0-or-later
// kernel.trace("[SYSTEM:]NAME") has the arguments by name, kernel.tracepoint("NAME") by number:
// $arg1, $arg2... Either may have wildcards; module("M").trace() and .tracepoint() are of a module, which
// kernel.trace() finds by itself when the system or the name begins as its own: "ext4:*", "nbd_send_request".
//
// In:  a matched point.
// Out: one probe for each tracepoint, whose variables are the arguments the kernel calls it with; and the
//      table of struct stp_tracepoint.
#include "target/kernel.h"
#include "debuginfo/debuginfo.h"
#include "elab/elab.h"
#include "elab/target.h"
#include "emit/emit.h"
#include "resolve/family.h"
#include "probes/accessor_var.h"
#include "util/str.h"
#include "util/trace_events.h"

#include <fnmatch.h>
#include <string.h>

extern const struct probe_family family_tracepoint;

struct tracepoint_probe {      // probe.data
	const struct di_tracepoint *tracepoint;
	const char *system;        // "" if the system cannot be determined
	const char *module;        // NULL: it is in the kernel's image
	bool by_number;
	bool optional;
};

enum { MAX_ARGUMENTS = 12 };   // STP_ARGUMENTS of generated.h

// ---------------------------------------------------------------- resolve

struct pattern {
	const char *system;        // NULL: any system
	const char *name;
};

static bool parse_pattern(const struct point_part *part, struct pattern *p)
{
	const char *colon = strchr(part->text, ':');

	p->system = colon ? str_ndup(part->text, colon - part->text) : NULL;
	p->name = colon ? colon + 1 : part->text;
	if (*p->name && (!p->system || *p->system))
		return true;
	diag_error(part->loc, "invalid name \"%s\" of a tracepoint: use NAME or SYSTEM:NAME", part->text);
	return false;
}

// A tracepoint whose system cannot be determined matches any system.
static bool system_matches(const struct pattern *p, const char *system)
{
	if (!p->system || (!*system && !str_is_glob(p->name)))
		return true;
	return !fnmatch(p->system, system, 0);
}

// Returns "sched:sched_switch", or the name alone.
static const char *full_name(const char *system, const char *name)
{
	return *system ? str_printf("%s:%s", system, name) : name;
}

static const char *point_of(const struct point_part *part, const char *module, const char *system, const char *name)
{
	const char *in = module ? str_printf("module(\"%s\")", module) : "kernel";

	return str_printf("%s.%s(\"%s\")", in, part->name, full_name(system, name));
}

struct all_tracepoints { struct di_module *kernel; bool with_system; };

static void add_tracepoints(const void *from, name_list *out)
{
	const struct all_tracepoints *all = from;

	di_tracepoint_names(all->kernel, out);
	for (int i = 0; all->with_system && i < out->n; i++)
		out->at[i] = full_name(di_tracepoint_system(all->kernel, out->at[i]), out->at[i]);
}

static int not_found(struct session *s, const struct point_part *part, const struct pattern *p)
{
	struct di_module *kernel = di_kernel(s);
	struct all_tracepoints all = { kernel, p->system };
	di_names names = { 0 };
	bool systems = false;
	const char *advice = trace_event_advice(part->text), *similar;

	if (advice) {
		diag_error(part->loc, "kernel.%s(\"%s\") not found: %s", part->name, part->text, advice);
		return 1;
	}
	di_tracepoint_names(kernel, &names);
	if (!names.n) {
		diag_error(part->loc, "tracepoints require the kernel's BTF (CONFIG_DEBUG_INFO_BTF), which %s does "
			   "not have", di_module_source_text(kernel));
		return 1;
	}
	for (int i = 0; p->system && !systems && i < names.n; i++)
		systems = *di_tracepoint_system(kernel, names.at[i]) != 0;
	if (p->system && !systems) {
		diag_error(part->loc, "the system \"%s:\" cannot be determined without the kernel's headers; %s", p->system,
			   kernel_headers_advice(s->kernel));
		return 1;
	}
	similar = diag_similar(part->text, add_tracepoints, &all);
	diag_error(part->loc, "kernel.%s(\"%s\") not found%s", part->name, part->text,
		   *similar ? similar : "; -l with kernel.trace(\"*\") lists all");
	diag_refer("error::pass2");
	return 1;
}

struct resolution {
	struct session *s;
	const struct probe_match *match;
	const struct point_part *part;
	struct pattern pattern;
};

// Returns the number of probes that it added.
static int add_of(const struct resolution *r, struct di_module *m)
{
	const struct point_part *module = point_find(r->match->point, "module");
	di_tracepoints found = { 0 };
	int n = 0;

	di_find_tracepoints(m, r->pattern.name, &found);
	for vec_each(&found, t) {
		const char *system = di_tracepoint_system(di_kernel(r->s), (*t)->name);
		struct tracepoint_probe *data;
		struct probe *p;

		if (!system_matches(&r->pattern, system))
			continue;
		data = NEW(struct tracepoint_probe);
		data->tracepoint = *t;
		data->system = system;
		data->module = m == di_kernel(r->s) ? NULL : di_module_name(m);
		data->by_number = !strcmp(r->part->name, "tracepoint");
		data->optional = r->match->point->optional || r->match->point->sufficient;
		p = probe_add(r->s, &family_tracepoint, r->match,
			      point_of(r->part, module ? di_module_name(m) : NULL, system, (*t)->name), data);
		if (str_is_glob(r->pattern.name))
			p->shared_name = (*t)->name;
		n++;
	}
	return n;
}

// Adds tracepoints of modules whose names are the first words of the text, up to a wildcard: for "nfs_read_*" the
// modules nfs and nfs_read.
static int add_of_modules_like(const struct resolution *r, const char *text)
{
	size_t literal = strcspn(text, "*?[");
	int n = 0;

	for (size_t i = 1; i <= literal; i++) {
		const char *name = text[i] == '_' || i == literal ? str_ndup(text, i) : NULL;
		struct di_module *m = name ? di_kernel_module(r->s, name) : NULL;

		n += m ? add_of(r, m) : 0;
	}
	return n;
}

static int add_of_any_module(const struct resolution *r)
{
	const char *system = r->pattern.system;
	int n = 0;

	if (!system && !str_is_glob(r->pattern.name))
		system = di_tracepoint_system(di_kernel(r->s), r->pattern.name);
	if (system && *system)
		n = add_of_modules_like(r, system);
	return n ? n : add_of_modules_like(r, r->pattern.name);
}

static int tracepoint_resolve(struct session *s, const struct probe_match *m)
{
	const struct point_part *part = &m->point->parts.at[1], *module = point_find(m->point, "module");
	struct resolution r = { .s = s, .match = m, .part = part };
	struct di_module *in = NULL;
	int n;

	if (!parse_pattern(part, &r.pattern))
		return 1;
	if (module) {
		in = di_kernel_module(s, module->text);
		if (in && add_of(&r, in))
			return 0;
		if (in)
			diag_error(part->loc, "the module \"%s\" has no tracepoint \"%s\" in its BTF or DWARF",
				   module->text, part->text);
		else
			diag_error(module->loc, "the kernel %s has no module \"%s\"%s", s->kernel->release, module->text,
				   di_module_is_builtin(s, module->text) ? ": it is part of the kernel, use kernel" :
				   di_suggest_modules(s, module->text));
		return 1;
	}
	n = add_of(&r, di_kernel(s));
	if (!n || r.pattern.system || str_is_glob(r.pattern.name))
		n += add_of_any_module(&r);
	return n ? 0 : not_found(s, part, &r.pattern);
}

static struct di_module *tracepoint_module(const struct probe *p)
{
	const struct tracepoint_probe *d = p->data;

	return d->tracepoint->module;
}

// ---------------------------------------------------------------- variables

static const char *argument_name(const struct tracepoint_probe *d, int i)
{
	return d->by_number ? str_printf("arg%d", i + 1) : d->tracepoint->args.at[i].name;
}

static void tracepoint_names(struct session *s, struct probe *p, target_names *out)
{
	const struct tracepoint_probe *d = p->data;

	for (int i = 0; i < d->tracepoint->args.n; i++) {
		const struct di_type *t = d->tracepoint->args.at[i].type;

		vec_push(out, ((struct target_name){ argument_name(d, i), t ? t->name : "unknown", TARGET_PARAMETER }));
	}
}

static struct expr *no_such_argument(const struct tracepoint_probe *d, const struct expr *target)
{
	const char *name = target->u.target.name;
	const struct trace_field *field = trace_event_field(d->tracepoint->name, name);
	name_list names = { 0 };

	for (int i = 0; i < d->tracepoint->args.n; i++)
		vec_push(&names, argument_name(d, i));
	if (field && !d->by_number)
		return target_not_found(target, str_printf("the tracepoint \"%s\"", d->tracepoint->name),
					str_printf(": it is a field of the trace event, write %s", trace_field_value(field)));
	return target_not_found(target, str_printf("the tracepoint \"%s\"", d->tracepoint->name),
				names.n ? target_similar(name, &names) : ": it has no arguments");
}

static struct expr *tracepoint_target(struct session *s, struct probe *p, struct expr *target)
{
	const struct tracepoint_probe *d = p->data;
	const struct di_tracepoint *t = d->tracepoint;

	for (int i = 0; i < t->args.n; i++) {
		if (strcmp(argument_name(d, i), target->u.target.name))
			continue;
		if (t->args.at[i].type && i < MAX_ARGUMENTS)
			return target_variable(target->loc, &t->args.at[i]);
		if (i < MAX_ARGUMENTS)
			diag_error(target->loc, "argument %d of the tracepoint %s cannot be read: its type is unknown", i + 1, t->name);
		else
			diag_error(target->loc, "argument %d of the tracepoint %s cannot be read: only the first %d can",
				   i + 1, t->name, MAX_ARGUMENTS);
		return NULL;
	}
	return no_such_argument(d, target);
}

static struct expr *tracepoint_double_dollar(struct session *s, struct probe *p, struct expr *target)
{
	const struct tracepoint_probe *d = p->data;

	if (!strcmp(target->u.target.name, "$name"))
		return value_name(p, target->loc, d->tracepoint->name);
	if (!strcmp(target->u.target.name, "$system"))
		return expr_string(target->loc, d->system);
	return NULL;
}

// ---------------------------------------------------------------- emit

static void tracepoint_emit(struct session *s, struct cwriter *w, struct probe **probes, int n)
{
	cw_line(w, "static struct stp_tracepoint stp_tracepoints[] = {");
	for (int i = 0; i < n; i++) {
		const struct tracepoint_probe *d = probes[i]->data;

		cw_line(w, "{ .probe = %s, .name = %s, .arguments = %d%s%s },", emit_probe_ref(probes[i]),
			emit_c_string(d->tracepoint->name), emit_arguments_read(probes[i]),
			d->optional ? ", .optional = true" : "",
			d->module ? str_printf(", .module = %s", emit_c_string(d->module)) : "");
	}
	cw_line(w, "};");
	emit_family_table(s, "tracepoint", "stp_tracepoints", n);
}

static void tracepoint_bpf_program(struct session *s, const struct probe *p, struct cwriter *w, const char *rest)
{
	cw_line(w, "STP_ON_TRACEPOINT(%d, %s)", emit_arguments_read(p), rest);
}

static const char *const patterns[] = {
	"kernel.trace(string)", "kernel.tracepoint(string)", "module(string).trace(string)",
	"module(string).tracepoint(string)", NULL,
};

const struct probe_family family_tracepoint = {
	.name = "tracepoint",
	.arrival_ns = 50,
	.bpf_program = tracepoint_bpf_program,
	.patterns = patterns,
	.resolve = tracepoint_resolve,
	.target = tracepoint_target,
	.target_names = tracepoint_names,
	.double_dollar = tracepoint_double_dollar,
	.module = tracepoint_module,
	.emit = tracepoint_emit,
};
