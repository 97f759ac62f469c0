// SPDX-License-Identifier: GPL-2.0-or-later
// Functions and statements of the kernel and its modules: kernel.function(PATTERN)[.call|.inline|
// .exported|.label(L)|.return[.maxactive(N)]], kernel.statement(PATTERN)[.nearest], both also
// with module(NAME), kernel.statement(ADDRESS).absolute; and kprobe.function(NAME)[.return[.maxactive(N)]],
// kprobe.module(NAME).function(NAME), which have no variables.
//
// In:  a matched point; dwarf_point.h describes a PATTERN.
// Out: one probe for each address, with the variables there. Each inlined copy has an address.
#include "target/kernel.h"
#include "elab/elab.h"
#include "probes/blocklist.h"
#include "probes/dwarf_point.h"
#include "probes/function.h"
#include "util/str.h"

#include <fnmatch.h>
#include <string.h>

extern const struct probe_family family_function;

// ---------------------------------------------------------------- resolve

// Returns the point as pp() does, with the source line if it is known. b: a buffer that each call overwrites.
static const char *point_of(const struct probe_match *m, const struct di_function *f, const char *module, struct buf *b)
{
	b->len = 0;
	for vec_each(&m->point->parts, part) {
		if (!strcmp(part->name, "function") || !strcmp(part->name, "statement"))
			break;
		if (b->len)
			buf_putc(b, '.');
		buf_puts(b, part->name);
		if (part->arg_kind == ARG_STRING)
			buf_printf(b, "(\"%s\")", module ? module : part->text);
	}
	dwarf_point_text(m, f, b);
	return str_ndup(b->text, b->len);
}

static int no_module(struct session *s, const struct point_part *part)
{
	name_list names = { 0 };

	if (di_module_is_builtin(s, part->text)) {
		diag_error(part->loc, "\"%s\" is part of the kernel, not a module: use kernel.function", part->text);
		return 1;
	}
	di_kernel_module_names(s, &names);
	if (names.n)
		diag_error(part->loc, "the kernel %s has no module \"%s\"%s", s->kernel->release, part->text,
			   di_suggest_modules(s, part->text));
	else
		diag_error(part->loc, "the modules of the kernel %s are not installed", s->kernel->release);
	return 1;
}

struct resolution {
	struct session *s;
	const struct probe_match *match;
	struct dwarf_point point;
	struct function_probe common;
	bool exported;
	int blocked, endless;      // number of functions that blocklist.c skips
	bool no_kprobes;           // the kernel has no kprobes: it can only probe single functions
	struct buf text;           // the text of the current point
	struct probe *first;       // the first probe if it has no handler, condition or guards, or NULL
};

static bool is_skipped(struct resolution *r, const struct di_function *f)
{
	if (r->common.is_return && blocklist_never_returns(f))
		return r->endless++, true;
	if (r->common.is_return && r->common.wildcard && f->kprobe == DI_KPROBE_BLOCKLISTED)
		return r->blocked++, true;
	// In guru mode, any function of the user's own modules may be probed.
	if (r->common.wildcard && !r->s->opt.list && blocklist_has(f) && !(r->s->opt.guru && f->module != di_kernel(r->s)))
		return r->blocked++, true;
	return false;
}

static void report_skipped(const struct resolution *r)
{
	const struct point_part *part = r->point.part;

	if (r->endless && r->common.wildcard)
		diag_warning(part->loc, "skipped %d functions that never return", r->endless);
	else if (r->endless)
		diag_warning(part->loc, "the function \"%s\" never returns: this probe was skipped", part->text);
	if (r->blocked)
		diag_warning(part->loc, "skipped %d functions that probes themselves, interrupts or locks use; name "
			     "a function to probe it anyway", r->blocked);
}

// Returns false if the point is only listed, so that f is not needed any longer.
static bool add_function(struct resolution *r, struct di_function *f, const char *module)
{
	const char *point = point_of(r->match, f, module, &r->text);
	struct function_probe *data;
	struct probe *p;

	if (probe_list(r->s, r->match, point))
		return false;
	data = NEW(struct function_probe);
	*data = r->common;
	data->function = f;
	data->module = module;
	if (r->first && !f->returns) {
		probe_add_copy(r->s, r->first, point, data);
		return true;
	}
	p = probe_add(r->s, &family_function, r->match, point, data);
	p->is_bound = f->pc || data->is_absolute;
	if (p->body && !p->condition && !f->returns && !r->s->opt.list_vars)
		r->first = p;
	dwarf_point_guard(p, f, data->is_return);
	if (!probe_list_variables(r->s, r->match, p))
		return true;
	di_forget(f->module);
	return false;
}

// Returns whether the kernel lacks kprobes, to which programs of functions are attached.
static bool lacks_kprobes(const struct options *o)
{
	return o->bpf_runtime && o->last_pass == 5 && !o->vm && !o->remotes.n && !o->bundle && !kernel_here_has_kprobes();
}

static int report_no_kprobes(struct session *s, const struct probe_match *m)
{
	const char *point = point_text(m->point);

	if (s->kprobes_missing) {
		diag_error(m->point->loc, "%s requires kprobes, too", point);
		return 1;
	}
	s->kprobes_missing = diag_prints();
	diag_error(m->point->loc, "%s requires kprobes, which the running kernel does not have (CONFIG_KPROBES); probe "
		   "system calls (syscall.*), tracepoints (kernel.trace)%s, or run the script with --vm", point,
		   kernel_here_has_trampolines() ? ", or a function of the kernel by its whole name" : "");
	return 1;
}

// Returns whether the point is a function of the kernel by its whole name, whose trampoline may serve in place of a
// kprobe.
static bool is_single(const struct probe_match *m)
{
	const struct point_part *part = point_find(m->point, "function");

	return part && !strcmp(m->point->parts.at[0].name, "kernel") && !point_find(m->point, "inline") &&
	       !point_find(m->point, "callees") && !point_find(m->point, "callee") && !point_find(m->point, "label") &&
	       strspn(part->text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789.") == strlen(part->text);
}

// Returns the number of probes that it added.
static int add_functions(struct resolution *r, struct di_module *in, struct buf *why)
{
	di_functions found = { 0 };
	int n = 0;

	dwarf_point_find(&r->point, in, &found, why);
	for vec_each(&found, f) {
		if (r->exported && !kernel_exports(r->s->kernel, (*f)->symbol) && !di_module_exports(in, (*f)->symbol))
			continue;
		if (is_skipped(r, *f))
			continue;
		if (r->no_kprobes && (n || (*f)->is_inline))
			return n + report_no_kprobes(r->s, r->match);
		if (!add_function(r, *f, in != di_kernel(r->s) ? di_module_name(in) : NULL))
			*f = NULL;
		n++;
	}
	if (r->s->opt.list)
		di_unload(in);
	if (r->exported && !n && found.n && why)
		buf_puts(why, "it exists, but is not exported (EXPORT_SYMBOL)");
	return n;
}

// Adds module("snd_*"): modules that are loaded at the start of the script.
static int add_of_modules(struct resolution *r, const struct point_part *part)
{
	di_names names = { 0 };
	int n = 0;

	r->common.optional = true;
	r->common.wildcard = true;
	di_kernel_module_names(r->s, &names);
	for vec_each(&names, name) {
		struct di_module *m = fnmatch(part->text, *name, 0) ? NULL : di_kernel_module(r->s, *name);

		if (m)
			n += add_functions(r, m, NULL);
	}
	report_skipped(r);
	if (!n)
		diag_error(part->loc, "no modules matching \"%s\" have a matching function", part->text);
	return n ? 0 : 1;
}

// Adds an address of the running kernel, as in /proc/kallsyms.
static int add_absolute(struct resolution *r)
{
	struct di_function *f = NEW(struct di_function);

	if (!r->s->opt.guru) {
		diag_error(r->point.part->loc, "absolute addresses require guru mode (-g)");
		return 1;
	}
	*f = (struct di_function){ .module = di_kernel(r->s), .name = "", .symbol = "", .pc = r->point.part->number };
	r->common.absolute = r->point.part->number;
	r->common.is_absolute = true;
	add_function(r, f, NULL);
	return 0;
}

// Returns the point with another module, or with the kernel (NULL).
static const char *point_in(const struct probe_match *m, const char *module)
{
	struct buf b = { 0 };
	bool by_symbol = !strcmp(m->point->parts.at[0].name, "kprobe");

	if (by_symbol || !module)
		buf_puts(&b, by_symbol ? "kprobe" : "kernel");
	if (module)
		buf_printf(&b, "%smodule(\"%s\")", by_symbol ? "." : "", module);
	for vec_each(&m->point->parts, part) {
		if (part == m->point->parts.at || !strcmp(part->name, "module"))
			continue;
		buf_printf(&b, ".%s", part->name);
		if (part->arg_kind == ARG_STRING)
			buf_printf(&b, "(\"%s\")", part->text);
		else if (part->arg_kind == ARG_NUMBER)
			buf_printf(&b, "(%lld)", (long long)part->number);
	}
	return buf_text(&b);
}

// Reports that the function is in another module, or in the kernel. Returns false if it is in this one, or not
// found.
static bool report_other_module(struct session *s, const struct probe_match *m, const struct dwarf_point *p,
				struct di_module *in)
{
	const char *name = p->pattern.function, *points = "";
	di_functions own = { 0 };
	di_names modules = { 0 };

	di_find_functions(in, name, NULL, DI_INLINES_ONCE, &own);
	if (own.n || di_unprobeable_function(in, name))
		return false;          // the function exists, but cannot be probed in this way
	if (in != di_kernel(s) && !str_is_glob(name))
		di_find_functions(di_kernel(s), name, NULL, DI_INLINES_ONCE, &own);
	if (own.n) {
		diag_error(p->part->loc, "the module \"%s\" has no function \"%s\", but the kernel has: use %s",
			   di_module_name(in), name, point_in(m, NULL));
		return true;
	}
	di_modules_of_function(s, name, !dwarf_point_is_misspelt(p, di_kernel(s)), &modules);
	for (int i = 0; i < modules.n && i < 3; i++)
		points = str_printf("%s%s%s", points, i ? " or " : "", point_in(m, modules.at[i]));
	if (modules.n)
		diag_error(p->part->loc, "%s.%s(\"%s\") not found: the module \"%s\"%s has %s; use %s",
			   in == di_kernel(s) ? "kernel" : str_printf("module(\"%s\")", di_module_name(in)), p->part->name,
			   p->part->text, modules.at[0], modules.n > 1 ? str_printf(" and %d more", modules.n - 1) : "",
			   str_is_glob(name) ? "functions that match" : "this function", points);
	return modules.n > 0;
}

// Adds the functions of the kernel, or of the module that the point names. Returns the number of errors.
static int add_of_one(struct resolution *r, const struct point_part *module)
{
	const struct probe_match *m = r->match;
	struct di_module *in = module && strcmp(module->text, "kernel") ? di_kernel_module(r->s, module->text) :
									  di_kernel(r->s);
	struct buf why = { 0 };
	int n;

	if (!in)
		return no_module(r->s, module);
	r->common.wildcard = !r->point.by_address && str_is_glob(r->point.pattern.function);
	n = add_functions(r, in, &why);
	report_skipped(r);
	if (n || r->endless || r->blocked)
		return 0;
	if (!r->point.by_address && diag_prints() && report_other_module(r->s, m, &r->point, in))
		return 1;
	dwarf_point_not_found(&r->point, in, in == di_kernel(r->s) ? "kernel" :
			      str_printf("module(\"%s\")", di_module_name(in)), &why);
	return 1;
}

static int function_resolve(struct session *s, const struct probe_match *m)
{
	const struct point_part *module = point_find(m->point, "module");
	struct resolution r = {
		.s = s,
		.match = m,
		.exported = point_find(m->point, "exported"),
		.common = {
			.is_return = point_find(m->point, "return"),
			.by_symbol = !strcmp(m->point->parts.at[0].name, "kprobe"),
			.optional = m->point->optional || m->point->sufficient,
		},
	};

	r.no_kprobes = lacks_kprobes(&s->opt);
	if (r.no_kprobes && !(kernel_here_has_trampolines() && is_single(m)))
		return report_no_kprobes(s, m);
	if (!dwarf_point_parse(s, m, &r.point))
		return 1;
	r.common.maxactive = r.point.maxactive;
	if (point_find(m->point, "absolute"))
		return add_absolute(&r);
	if (r.common.by_symbol)
		r.point.inlines = DI_INLINES_NONE;
	if (module && str_is_glob(module->text))
		return add_of_modules(&r, module);
	return add_of_one(&r, module);
}

// ---------------------------------------------------------------- variables

static bool has_variables(const struct function_probe *d)
{
	return !d->by_symbol && !d->is_absolute;
}

static bool function_has_names(const struct probe *p)
{
	return has_variables(p->data);
}

static void function_names(struct session *s, struct probe *p, target_names *out)
{
	const struct function_probe *d = p->data;

	if (has_variables(d))
		dwarf_names(d->function, d->is_return, out);
}

static const char *function_unknown_names(const struct probe *p, unsigned kinds, bool *error)
{
	const struct function_probe *d = p->data;

	return dwarf_unknown_names(d->function, kinds, error);
}

static struct expr *function_target(struct session *s, struct probe *p, struct expr *target)
{
	const struct function_probe *d = p->data;

	if (has_variables(d)) {
		p->is_bound |= !dwarf_by_convention(d->function, target->u.target.name);
		return dwarf_target(d->function, d->is_return, target);
	}
	if (d->is_absolute)
		diag_error(target->loc, "probes of absolute addresses have no target variables; use register access "
			   "such as register(\"rdi\")");
	else
		diag_error(target->loc, "kprobe.function probes have no target variables; use kernel.function, or "
			   "register access such as int_arg(1)");
	return NULL;
}

static bool function_address(const struct probe *p, const char **from, uint64_t *offset)
{
	const struct function_probe *d = p->data;
	const struct di_function *f = d->function;
	uint64_t base = di_kernel_base(f->module);

	*offset = d->is_absolute ? d->absolute : f->address - base;
	if (!d->is_absolute)
		*from = base ? "_stext" : d->module ? ".text" : NULL;
	return d->is_absolute || f->has_address;
}

static struct di_module *function_module(const struct probe *p)
{
	const struct function_probe *d = p->data;

	return d->function->module;
}

static struct source_line function_source(const struct probe *p)
{
	const struct function_probe *d = p->data;

	return dwarf_source_line(d->function);
}

// ---------------------------------------------------------------- the family

#define OF(object)									\
	object ".function(string)", object ".function(string).call",			\
	object ".function(string).inline", object ".function(string).exported",		\
	object ".function(string).callee(string)", object ".function(string).callee(string).call", \
	object ".function(string).callee(string).return", object ".function(string).callees", \
	object ".function(string).callees(number)",					\
	object ".function(string).label(string)", object ".function(string).return",	\
	object ".function(string).return.maxactive(number)",				\
	object ".function(number)", object ".function(number).call",			\
	object ".function(number).return", object ".function(number).return.maxactive(number)", \
	object ".statement(string)", object ".statement(string).nearest",		\
	object ".statement(number)"

static const char *const patterns[] = {
	OF("kernel"), OF("module(string)"), "kernel.statement(number).absolute",
	"kprobe.function(string)", "kprobe.function(string).call",
	"kprobe.function(string).return", "kprobe.function(string).return.maxactive(number)",
	"kprobe.statement(number).absolute", "kprobe.module(string).function(string)",
	"kprobe.module(string).function(string).call", "kprobe.module(string).function(string).return",
	"kprobe.module(string).function(string).return.maxactive(number)",
	NULL,
};

const struct probe_family family_function = {
	.name = "function",
	.arrival_ns = 100,
	.patterns = patterns,
	.resolve = function_resolve,
	.target = function_target,
	.target_names = function_names,
	.unknown_names = function_unknown_names,
	.has_names = function_has_names,
	.address = function_address,
	.module = function_module,
	.source = function_source,
	.share = function_share,
	.bpf_program = function_bpf_program,
	.bpf_registers = true,
	.bpf_calls = function_bpf_calls,
	.emit = function_emit,
};
