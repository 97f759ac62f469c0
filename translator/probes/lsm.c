// SPDX-License-Identifier: GPL-2.0-or-later
// lsm.HOOK, kernel.lsm("HOOK"): hooks of security modules, with --runtime=bpf only: "bpf" is a security module whose
// hooks are BPF programs. The probe observes: its program returns 0, after which the hook's own function runs.
//
// In:  a matched point; the functions bpf_lsm_HOOK of the kernel, whose parameters are those of the hook.
// Out: one probe for each hook, whose variables are the parameters; and the table of struct stp_lsm.
#include "target/kernel.h"
#include "debuginfo/debuginfo.h"
#include "elab/elab.h"
#include "elab/target.h"
#include "emit/emit.h"
#include "resolve/family.h"
#include "probes/accessor_var.h"
#include "util/str.h"

#include <string.h>

extern const struct probe_family family_lsm;

#define PREFIX "bpf_lsm_"
enum { MAX_PARAMETERS = 12 };  // STP_ARGUMENTS of generated.h

struct lsm_probe {             // probe.data
	const char *hook;
	di_arguments parameters;       // `type` NULL: the parameter cannot be read
	bool optional;
};

static const struct { const char *name, *why; } no_hooks[] = {
#define HOOK(name)
#define CLOSED_HOOK(name) { #name, "kernels do not attach BPF programs to it" },
#define NO_HOOK(name) { #name, "it is not a hook" },
#include "probes/lsm_hooks.def"
#undef HOOK
#undef CLOSED_HOOK
#undef NO_HOOK
};

// ---------------------------------------------------------------- resolve

// Returns why programs cannot be attached to the function PREFIX name, or NULL.
static const char *why_no_hook(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(no_hooks); i++)
		if (!strcmp(no_hooks[i].name, name))
			return no_hooks[i].why;
	return NULL;
}

static const char *hook_of(const struct di_function *f)
{
	return f->name + strlen(PREFIX);
}

static void find_hooks(struct session *s, const char *pattern, di_functions *out)
{
	di_find_functions(di_kernel(s), str_printf(PREFIX "%s", pattern), NULL, DI_INLINES_NONE, out);
}

static void add_hook_names(const void *session, name_list *out)
{
	di_functions found = { 0 };

	find_hooks((struct session *)session, "*", &found);
	for vec_each(&found, f)
		if (!why_no_hook(hook_of(*f)))
			vec_push(out, hook_of(*f));
}

// If a parameter is wider than a register, marks those after it as unreadable, since they move.
static void forget_wide(di_arguments *parameters)
{
	bool known = true;

	for vec_each(parameters, v) {
		known &= v->type && v->type->size <= 8;
		if (!known)
			v->type = NULL;
	}
}

static void add(struct session *s, const struct probe_match *m, const struct di_function *f)
{
	struct lsm_probe *data = NEW(struct lsm_probe);
	bool by_text = point_find(m->point, "kernel") != NULL;
	struct probe *p;

	data->hook = hook_of(f);
	data->optional = m->point->optional || m->point->sufficient;
	di_parameters_as_arguments(f, 0, &data->parameters);
	forget_wide(&data->parameters);
	p = probe_add(s, &family_lsm, m, str_printf(by_text ? "kernel.lsm(\"%s\")" : "lsm.%s", data->hook), data);
	if (m->wildcard || (by_text && str_is_glob(m->point->parts.at[1].text)))
		p->shared_name = data->hook;
}

static int require_bpf_runtime(const struct probe_match *m, const struct point_part *part, const char *hook)
{
	if (m->wildcard || str_is_glob(hook))
		diag_error(m->wildcard ? m->point->loc : part->loc, "hooks of security modules require --runtime=bpf; in a "
			   "kernel module, use kernel.function(\"security_HOOK\")");
	else
		diag_error(part->loc, "%s requires --runtime=bpf; in a kernel module, use kernel.function(\"security_%s\")",
			   point_text(m->point), hook);
	return 1;
}

static int not_found(struct session *s, const struct point_part *part, const char *hook)
{
	const char *why = why_no_hook(hook);
	di_functions any = { 0 };

	find_hooks(s, "*", &any);
	if (!any.n)
		diag_error(part->loc, "hooks of security modules require CONFIG_BPF_LSM and BTF, which the kernel %s does not "
			   "have", s->kernel->release);
	else if (why)
		diag_error(part->loc, "\"%s\" cannot be probed as a hook of a security module: %s", hook, why);
	else
		diag_error(part->loc, "the kernel %s has no hook \"%s\" of security modules%s", s->kernel->release, hook,
			   diag_similar(hook, add_hook_names, s));
	return 1;
}

static int lsm_resolve(struct session *s, const struct probe_match *m)
{
	const struct point_part *part = &m->point->parts.at[1];
	const char *hook = part->arg_kind == ARG_STRING ? part->text : part->name;
	di_functions found = { 0 };
	int n = 0;

	if (!s->opt.bpf_runtime && !s->opt.list)
		return require_bpf_runtime(m, part, hook);
	find_hooks(s, hook, &found);
	for vec_each(&found, f) {
		if (why_no_hook(hook_of(*f)))
			continue;
		add(s, m, *f);
		n++;
	}
	return n || m->wildcard ? 0 : not_found(s, part, hook);
}

// ---------------------------------------------------------------- variables

static void lsm_names(struct session *s, struct probe *p, target_names *out)
{
	const struct lsm_probe *d = p->data;

	for vec_each(&d->parameters, v)
		vec_push(out, ((struct target_name){ v->name, v->type ? v->type->name : "unknown", TARGET_PARAMETER }));
}

static struct expr *no_such_parameter(const struct lsm_probe *d, const struct expr *target)
{
	name_list names = { 0 };

	for vec_each(&d->parameters, v)
		vec_push(&names, v->name);
	return target_not_found(target, str_printf("the hook \"%s\"", d->hook),
				names.n ? target_similar(target->u.target.name, &names) : ": it has no parameters");
}

static struct expr *lsm_target(struct session *s, struct probe *p, struct expr *target)
{
	const struct lsm_probe *d = p->data;

	for (int i = 0; i < d->parameters.n; i++) {
		if (strcmp(d->parameters.at[i].name, target->u.target.name))
			continue;
		if (d->parameters.at[i].type && i < MAX_PARAMETERS)
			return target_variable(target->loc, &d->parameters.at[i]);
		diag_error(target->loc, "the parameter \"%s\" of the hook \"%s\" cannot be read: it or an earlier "
					"one is not passed in a single register", target->u.target.name, d->hook);
		return NULL;
	}
	return no_such_parameter(d, target);
}

static struct expr *lsm_double_dollar(struct session *s, struct probe *p, struct expr *target)
{
	const struct lsm_probe *d = p->data;

	return strcmp(target->u.target.name, "$name") ? NULL : value_name(p, target->loc, d->hook);
}

// ---------------------------------------------------------------- emit

static void lsm_emit(struct session *s, struct cwriter *w, struct probe **probes, int n)
{
	cw_line(w, "static const struct stp_lsm stp_lsms[] = {");
	for (int i = 0; i < n; i++) {
		const struct lsm_probe *d = probes[i]->data;

		cw_line(w, "{ .probe = %s, .hook = %s%s },", emit_probe_ref(probes[i]), emit_c_string(d->hook),
			d->optional ? ", .optional = true" : "");
	}
	cw_line(w, "};");
	emit_family_table(s, "lsm", "stp_lsms", n);
}

static void lsm_bpf_program(struct session *s, const struct probe *p, struct cwriter *w, const char *rest)
{
	const struct lsm_probe *d = p->data;

	cw_line(w, "STP_ON_LSM(%s, %d, %s)", emit_c_string(d->hook), emit_arguments_read(p), rest);
}

static const char *const patterns[] = {
	"kernel.lsm(string)",
#define HOOK(name) "lsm." #name,
#define CLOSED_HOOK(name) "lsm." #name,
#define NO_HOOK(name)
#include "probes/lsm_hooks.def"
#undef HOOK
#undef CLOSED_HOOK
#undef NO_HOOK
	NULL,
};

const struct probe_family family_lsm = {
	.name = "lsm",
	.arrival_ns = 50,
	.bpf_program = lsm_bpf_program,
	.patterns = patterns,
	.as_aliases = true,
	.resolve = lsm_resolve,
	.target = lsm_target,
	.target_names = lsm_names,
	.double_dollar = lsm_double_dollar,
	.emit = lsm_emit,
};
