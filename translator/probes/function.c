// SPDX-License-Identifier: GPL-2.0-or-later
// kernel.function(PATTERN)[.call|.exported|.return[.maxactive(N)]], the same of module(NAME), and
// kprobe.function(NAME)[.return[.maxactive(N)]], which has no variables.
//
// In:  a matched point; PATTERN is FUNCTION[@FILE], both may be globs.
// Out: one probe a function, with variables at the function's entry; and the table of struct
//      stp_function. Probes that share a handler which never asks for its point become one entry
//      with many sites: that is what makes wildcards cheap to arm.
#include "build/build.h"
#include "debuginfo/arch.h"
#include "elab/elab.h"
#include "elab/target.h"
#include "emit/emit.h"
#include "probes/family.h"
#include "util/str.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

extern const struct probe_family family_function;

struct function_probe {        // probe.data
	struct di_function *function;
	const char *module;        // NULL: the kernel
	bool is_return;
	bool plain;                // kprobe.*: registers only
	bool optional;
	int64_t maxactive;         // 0: as the kernel likes
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

// As pp() shows it: with the source line when it is known.
static const char *point_of(const struct probe_match *m, const struct di_function *f, const char *module)
{
	struct buf b = { 0 };

	for vec_each(&m->point->parts, part) {
		buf_printf(&b, "%s%s", b.len ? "." : "", part->name);
		if (!strcmp(part->name, "function") && f->file)
			buf_printf(&b, "(\"%s@%s:%d\")", f->name, f->file, f->line);
		else if (!strcmp(part->name, "function"))
			buf_printf(&b, "(\"%s\")", f->name);
		else if (!strcmp(part->name, "module") && module)
			buf_printf(&b, "(\"%s\")", module);
		else if (part->arg_kind == ARG_STRING)
			buf_printf(&b, "(\"%s\")", part->text);
		else if (part->arg_kind == ARG_NUMBER)
			buf_printf(&b, "(%lld)", (long long)part->number);
	}
	return buf_text(&b);
}

static int not_found(struct di_module *in, const struct point_part *part, const struct pattern *p)
{
	const char *name = di_module_name(in);
	di_names names = { 0 };
	char *near, *point;

	if (p->file && !strstr(di_module_source(in), "DWARF")) {
		diag_error(part->loc, "\"@%s\" can't be told without DWARF debuginfo: %s", p->file, di_advice(in));
		return 1;
	}
	point = strcmp(name, "kernel") ? str_printf("module(\"%s\")", name) : "kernel";
	di_function_names(in, &names);
	near = str_nearest(p->function, names.at, names.n);
	if (near)
		diag_error(part->loc, "%s.function(\"%s\") not found (similar: %s)", point, part->text, near);
	else
		diag_error(part->loc, "%s.function(\"%s\") not found", point, part->text);
	return 1;
}

static int no_module(struct session *s, const struct point_part *part)
{
	di_names names = { 0 };
	char *near;

	if (di_module_is_builtin(s, part->text)) {
		diag_error(part->loc, "\"%s\" is part of the kernel, not a module: use kernel.function", part->text);
		return 1;
	}
	di_kernel_module_names(s, &names);
	near = str_nearest(part->text, names.at, names.n);
	if (near)
		diag_error(part->loc, "the kernel %s has no module \"%s\" (similar: %s)", s->kernel->release,
			   part->text, near);
	else
		diag_error(part->loc, "the modules of the kernel %s are not installed", s->kernel->release);
	return 1;
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

struct resolution {
	struct session *s;
	const struct probe_match *match;
	struct pattern pattern;
	struct function_probe common;
	bool exported;
};

// Returns how many probes it made.
static int add_functions(const struct resolution *r, struct di_module *in)
{
	di_functions found = { 0 };
	int n = 0;

	di_find_functions(in, r->pattern.function, r->pattern.file, DI_INLINES_NONE, &found);
	for vec_each(&found, f) {
		struct function_probe *data;

		if (r->exported && !kernel_exports(r->s->kernel, (*f)->symbol))
			continue;
		data = NEW(struct function_probe);
		*data = r->common;
		data->function = *f;
		if (in != di_kernel(r->s))
			data->module = di_module_name(in);
		probe_add(r->s, &family_function, r->match, point_of(r->match, *f, data->module), data);
		n++;
	}
	return n;
}

// module("snd_*"): those of them that are loaded when the script starts.
static int add_of_modules(struct resolution *r, const struct point_part *part)
{
	di_names names = { 0 };
	int n = 0;

	r->common.optional = true;
	di_kernel_module_names(r->s, &names);
	for vec_each(&names, name) {
		struct di_module *m = fnmatch(part->text, *name, 0) ? NULL : di_kernel_module(r->s, *name);

		if (m)
			n += add_functions(r, m);
	}
	if (!n)
		diag_error(part->loc, "no function of a module \"%s\" matches", part->text);
	return n ? 0 : 1;
}

static int function_resolve(struct session *s, const struct probe_match *m)
{
	const struct point_part *part = point_find(m->point, "function");
	const struct point_part *module = point_find(m->point, "module");
	struct resolution r = {
		.s = s,
		.match = m,
		.exported = point_find(m->point, "exported"),
		.common = {
			.is_return = point_find(m->point, "return"),
			.plain = !strcmp(m->point->parts.at[0].name, "kprobe"),
			.optional = m->point->optional || m->point->sufficient,
		},
	};
	struct di_module *in;

	if (check_maxactive(point_find(m->point, "maxactive"), &r.common.maxactive) ||
	    !parse_pattern(part, &r.pattern))
		return 1;
	if (module && str_is_glob(module->text))
		return add_of_modules(&r, module);
	if (module && strcmp(module->text, "kernel"))
		in = di_kernel_module(s, module->text);
	else
		in = di_kernel(s);
	if (!in)
		return no_module(s, module);
	return add_functions(&r, in) ? 0 : not_found(in, part, &r.pattern);
}

// ---------------------------------------------------------------- variables

static void list_parameters(const struct di_function *f, bool params_only, struct buf *list)
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

static void function_names(struct session *s, struct probe *p, struct buf *list)
{
	const struct function_probe *d = p->data;
	struct di_location loc;
	struct di_type *type;

	if (d->plain)
		return;
	type = d->is_return ? di_return(d->function, &loc) : NULL;
	if (type)
		buf_printf(list, "$return:%s\n", type->name);
	list_parameters(d->function, false, list);
}

static void function_parameters(struct session *s, struct probe *p, struct buf *list)
{
	const struct function_probe *d = p->data;

	if (!d->plain)
		list_parameters(d->function, true, list);
}

static struct expr *return_value(const struct function_probe *d, struct expr *target)
{
	struct di_variable v = { .name = "$return" };

	if (!d->is_return) {
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
			   di_advice(d->function->module));
	return NULL;
}

static struct expr *function_target(struct session *s, struct probe *p, struct expr *target)
{
	const struct function_probe *d = p->data;
	const char *name = target->u.target.name;
	struct buf names = { 0 };
	struct di_variable v;
	int64_t number;

	if (d->plain) {
		diag_error(target->loc, "kprobe.function probes have no target variables; use kernel.function, or "
			   "register access such as int_arg(1)");
		return NULL;
	}
	if (!strcmp(name, "return"))
		return return_value(d, target);
	if (di_find_variable(d->function, name, &v))
		return target_variable(target->loc, &v);
	if (!d->function->has_types) {
		diag_error(target->loc, "unable to find local '%s': %s doesn't tell the parameters of '%s', or not "
			   "which of the functions of this name has which; %s", name,
			   di_module_source(d->function->module), d->function->name,
			   di_advice(d->function->module));
		return NULL;
	}
	if (di_find_enumerator(d->function->module, name, &number))
		return expr_number(target->loc, number);
	di_variable_names(d->function, false, &names);
	diag_error(target->loc, "unable to find local '%s' in %s%s", name, d->function->name,
		   target_similar(name, &names));
	return NULL;
}

static struct di_module *function_module(const struct probe *p)
{
	const struct function_probe *d = p->data;

	return d->function->module;
}

// ---------------------------------------------------------------- emit



struct asks {
	bool point;                // some reached function wants pp()
	VEC(struct func *) seen;
};

static void see_call(struct use_walker *w, struct func *f, struct loc loc)
{
	struct asks *asks = w->data;

	for vec_each(&asks->seen, known)
		if (*known == f)
			return;
	vec_push(&asks->seen, f);
	if (f->embedded)
		asks->point |= strstr(f->embedded, "stp_pp") || strstr(f->embedded, "probe_point") ||
			       strstr(f->embedded, "->probe");
	if (f->body)
		use_stmt(w, f->body);
}

static void see_c(struct use_walker *w, const struct expr *e)
{
	struct asks *asks = w->data;

	if (e->kind == E_EMBEDDED)
		asks->point = true;
}

// Does the handler ask which point it is at? One entry's sites all have the point of the first.
static bool asks_for_point(const struct probe *p)
{
	struct asks asks = { 0 };
	struct use_walker w = { .call = see_call, .expr = see_c, .data = &asks };

	use_probe(&w, p);
	return asks.point;
}

struct group {
	const struct probe *first;
	bool shared;               // may take more probes
	int sites;                 // number of its array
	bool needs_all_regs;
	VEC(const struct probe *) probes;
};
typedef VEC(struct group) groups;

static const struct probe *handler_of(const struct probe *p)
{
	return p->same_body ? p->same_body : p;
}

static bool fits(const struct group *g, const struct probe *p)
{
	const struct function_probe *a = g->first->data, *b = p->data;

	return g->shared && handler_of(g->first) == handler_of(p) && !p->entries.n && !p->condition &&
	       a->is_return == b->is_return && a->maxactive == b->maxactive && a->optional == b->optional;
}

// What a register-poor entry gives: at a return that is the value returned.
static bool needs_all_regs(struct session *s, const struct probe *p)
{
	const struct function_probe *d = p->data;
	const struct arch *arch = arch_find(s->kernel->arch);
	unsigned given = arch->entry_mask;

	if (d->is_return)
		given |= 1u << arch->return_value;
	return p->uses_regs && (p->reg_mask & ~given);
}

static void group_probes(struct session *s, struct probe **probes, int n, groups *out)
{
	for (int i = 0; i < n; i++) {
		const struct probe *p = probes[i];
		struct group *into = NULL, fresh = { .first = p, .sites = out->n };

		for vec_each(out, g)
			if (!into && fits(g, p))
				into = g;
		if (!into) {
			fresh.shared = !p->entries.n && !p->condition && !asks_for_point(p);
			vec_push(out, fresh);
			into = &out->at[out->n - 1];
		}
		into->needs_all_regs |= needs_all_regs(s, p);
		vec_push(&into->probes, p);
	}
}

static void emit_sites(struct session *s, struct cwriter *w, const struct group *g)
{
	cw_line(w, "static struct stp_site stp_function_sites_%d[] = {", g->sites);
	for vec_each(&g->probes, p) {
		const struct function_probe *d = (*p)->data;
		const struct di_function *f = d->function;
		uint64_t base = di_kernel_base(f->module);
		uint64_t offset = base && f->has_address && f->address >= base ? f->address - base : 0;

		if (d->module)
			cw_line(w, "{ .symbol = %s, .module = %s }, /* %s */", emit_c_string(f->symbol),
				emit_c_string(d->module), (*p)->point);
		else
			cw_line(w, "{ .symbol = %s, .base_offset = 0x%llxULL }, /* %s */",
				emit_c_string(f->symbol), (unsigned long long)offset, (*p)->point);
	}
	cw_line(w, "};");
}

static bool is_free(const struct expr *x);

// "pragma:context-free" C, or a function that is nothing but `return` of something free.
static bool is_free_call(const struct expr *x)
{
	const struct func *f = x->u.call.target;
	const struct stmt *body = f ? f->body : NULL;

	if (!f || f->next_overload || x->u.call.args.n)
		return false;
	if (f->embedded)
		return strstr(f->embedded, "pragma:context-free") && f->type == T_LONG;
	if (body && body->kind == S_BLOCK && body->u.block.n == 1)
		body = body->u.block.at[0];
	return body && body->kind == S_RETURN && body->u.expr && !f->recursive && is_free(body->u.expr);
}

// Needs of the context no more than its registers, and can't fail.
static bool is_free(const struct expr *x)
{
	switch (x->kind) {
	case E_NUMBER:
		return true;
	case E_REGISTER:
		return !x->u.reg.user && !x->u.reg.number_expr;
	case E_BINARY:
		if (x->type != T_LONG || !is_free(x->u.bin.l) || !is_free(x->u.bin.r) || x->u.bin.l->type != T_LONG)
			return false;
		if (x->u.bin.op == TOK_DIV || x->u.bin.op == TOK_MOD)
			return x->u.bin.r->kind == E_NUMBER && x->u.bin.r->u.number > 0;
		return true;
	case E_CALL:
		return is_free_call(x);
	default:
		return false;
	}
}

static bool entries_are_free(const struct probe *p)
{
	for vec_each(&p->entries, x)
		if ((*x)->type == T_STRING || !is_free(*x))
			return false;
	return true;
}

static void emit_entry(struct session *s, struct cwriter *w, const struct group *g)
{
	const struct probe *p = g->first;
	const struct function_probe *d = p->data;

	cw_line(w, "{");
	cw_line(w, ".probe = %s,", emit_probe_ref(p));
	cw_line(w, ".sites = stp_function_sites_%d,", g->sites);
	cw_line(w, ".nsites = %d,", g->probes.n);
	if (d->is_return)
		cw_line(w, ".is_return = true,");
	if (d->optional)
		cw_line(w, ".optional = true,");
	if (g->needs_all_regs)
		cw_line(w, ".needs_all_regs = true,");
	if (p->entries.n) {
		cw_line(w, ".entry_size = %d,", 8 * optimize_entry_words(s, p, p->entries.n));
		cw_line(w, ".entry = p%d_entry,", p->index);
		if (entries_are_free(p))
			cw_line(w, ".entry_free = true,");
	}
	if (d->maxactive)
		cw_line(w, ".maxactive = %lld,", (long long)d->maxactive);
	cw_line(w, "},");
}

static void function_emit(struct session *s, struct cwriter *w, struct probe **probes, int n)
{
	groups all = { 0 };

	group_probes(s, probes, n, &all);
	for vec_each(&all, g)
		emit_sites(s, w, g);
	cw_line(w, "static struct stp_function stp_functions[] = {");
	for vec_each(&all, g)
		emit_entry(s, w, g);
	cw_line(w, "};");
	emit_family_table(s, "stp_function_family", "stp_functions", all.n);
}

static const char *const patterns[] = {
	"kernel.function(string)", "kernel.function(string).call", "kernel.function(string).exported",
	"kernel.function(string).return", "kernel.function(string).return.maxactive(number)",
	"module(string).function(string)", "module(string).function(string).call",
	"module(string).function(string).return", "module(string).function(string).return.maxactive(number)",
	"kprobe.function(string)", "kprobe.function(string).call",
	"kprobe.function(string).return", "kprobe.function(string).return.maxactive(number)",
	NULL,
};

const struct probe_family family_function = {
	.name = "function",
	.patterns = patterns,
	.resolve = function_resolve,
	.target = function_target,
	.target_names = function_names,
	.parameter_names = function_parameters,
	.module = function_module,
	.emit = function_emit,
};
