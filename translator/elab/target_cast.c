// SPDX-License-Identifier: GPL-2.0-or-later
// Finds the modules that @cast, @var, @enum and @enumname search: "module" -> modules of debuginfo, in order.
//
//   none            the probe's own module, then the kernel
//   "kernel"        the kernel; "kernel<linux/x.h>" first the types of that header
//   "<sys/x.h>"     types that a program which includes the header sees
//   "/path", "ls"   a program or library; "ext4", "/x/y.ko" a module of the kernel
//   "a:b"           several
#include "elab/target.h"

#include "toolchain/toolchain.h"
#include "util/str.h"

#include <string.h>

typedef VEC(struct di_module *) modules;

static struct di_module *program(struct session *s, const char *name, const char **why)
{
	const char *path = session_program(s, name);

	*why = "no such file";
	return path ? di_program(s, path, why) : NULL;
}

// Returns the types that a C file which includes "<a.h><b.h>" declares: of a module of the kernel, or of a program.
static struct di_module *headers(struct session *s, struct loc loc, const char *names, bool kernel)
{
	const char *object = headers_compile(s, loc, names, kernel), *why = "";
	struct di_module *m;

	if (!object)
		return NULL;
	m = kernel ? di_kernel_module(s, object) : di_program(s, object, &why);
	if (!m)
		diag_error(loc, "%s cannot be read: %s", object, why);
	else
		di_module_set_source(m, names);
	return m;
}

static bool is_kernel_file(const char *name)
{
	return *name == '/' && strstr(name, ".ko");
}

static void needs_kernel(struct loc loc, const char *word)
{
	diag_error(loc, "%s requires debuginfo of the kernel, which --runtime=user does not read: name a program "
		   "or \"<header.h>\"", word);
}

static void add(struct session *s, struct loc loc, const char *word, const char *name, modules *out)
{
	const char *list = strchr(name, '<'), *why = NULL;
	struct di_module *m = NULL;

	if (list) {
		bool is_kernel = list > name;

		if (is_kernel && (s->opt.user_runtime || strncmp(name, "kernel<", 7)))
			diag_error(loc, "%s: invalid \"%s\": only \"kernel<header.h>\" can name headers of the "
				   "kernel", word, name);
		else if ((m = headers(s, loc, list, is_kernel)))
			vec_push(out, m);
		if (m && is_kernel)
			vec_push(out, di_kernel(s));
		return;
	}
	if (!s->opt.user_runtime && !strcmp(name, "kernel"))
		m = di_kernel(s);
	else if (!s->opt.user_runtime && (!strchr(name, '/') || is_kernel_file(name)))
		m = di_kernel_module(s, name);
	if (!m && !is_kernel_file(name))
		m = program(s, name, &why);
	if (m)
		vec_push(out, m);
	else if (s->opt.user_runtime && !strcmp(name, "kernel"))
		needs_kernel(loc, word);
	else if (strchr(name, '/'))
		diag_error(loc, "%s: %s: %s", word, name, why ? why : "cannot be read as a module of this kernel");
	else
		diag_error(loc, "%s: the kernel has no module \"%s\", and no program of that name was "
			   "found%s", word, name,
			   s->opt.user_runtime ? "" : di_suggest_modules(s, name));
}

static struct di_module *own_module(const struct target_where *w)
{
	const struct probe *p = w->probe;

	return p && p->family->module ? p->family->module(p) : NULL;
}

// Splits "a:b", except at a colon inside <>. Returns false after diag_error().
static bool find_modules(const struct target_where *w, struct loc loc, const char *word, const char *list,
			 modules *out)
{
	struct di_module *own = list ? NULL : own_module(w);
	bool several = false;
	bool only_kernel = own && !strcmp(word, "@cast") && !w->s->opt.user_runtime && own != di_kernel(w->s) &&
			   !session_since(w->s, loc, "4.3", "@cast() to a type of the probed code");

	if (own && !only_kernel)
		vec_push(out, own);
	if (!list && !w->s->opt.user_runtime && (!own || own != di_kernel(w->s)))
		vec_push(out, di_kernel(w->s));
	if (!list && !out->n)
		needs_kernel(loc, word);
	while (list && *list) {
		size_t len = strcspn(list, "<:");

		// "kernel<a.h><b.h>" is a single name.
		while (list[len] == '<')
			len += strcspn(list + len, ">") + (strchr(list + len, '>') != NULL);
		several |= list[len] == ':';
		if (several)
			diag_quiet_push();         // errors are suppressed, since only one of the modules must
						   // exist
		add(w->s, loc, word, str_ndup(list, len), out);
		list += len + (list[len] == ':');
		if (several && diag_quiet_pop() && !*list && !out->n)
			diag_error_quiet(loc);
	}
	return out->n > 0;
}

static const char *sources_of(const modules *in)
{
	struct buf b = { 0 };

	for vec_each(in, m)
		buf_printf(&b, "%s%s", b.len ? ", " : "", di_module_source_text(*m));
	return buf_text(&b);
}

struct di_type *target_find_type(const struct target_where *w, struct loc loc, const char *word, const char *name,
				 const char *module)
{
	modules in = { 0 };
	struct di_type *t;

	if (!find_modules(w, loc, word, module, &in))
		return NULL;
	for vec_each(&in, m) {
		t = di_find_type(*m, name);
		if (t)
			return t;
	}
	diag_error(loc, "unable to find the type \"%s\" in %s%s", name, sources_of(&in), di_suggest(in.at[0], DI_TYPES, name));
	return NULL;
}

bool target_enumerator(const struct target_where *w, struct expr *e, int64_t *value)
{
	modules in = { 0 };

	if (!find_modules(w, e->loc, "@enum", NULL, &in))
		return false;
	for vec_each(&in, m)
		if (di_find_enumerator(*m, e->u.text1.text, value))
			return true;
	diag_error(e->loc, "unable to find the enumerator \"%s\" in %s%s", e->u.text1.text, sources_of(&in),
		   di_suggest(in.at[0], DI_ENUMERATORS, e->u.text1.text));
	return false;
}

// Returns files that have a variable of that name, or similar names in the same file.
static const char *similar_global(struct di_module *m, const char *name, const char *file)
{
	struct di_variable v;

	return di_suggest(m, file && diag_prints() && di_find_global(m, name, NULL, &v) ? DI_FILES : DI_VARIABLES,
			  file && diag_prints() && di_find_global(m, name, NULL, &v) ? file : name);
}

struct expr *target_global(const struct target_where *w, struct expr *e)
{
	const char *name = e->u.target.name, *file = e->u.target.file;
	struct di_variable v;
	modules in = { 0 };
	int64_t number;

	if (!find_modules(w, e->loc, "@var", e->u.target.module, &in))
		return NULL;
	for vec_each(&in, m)
		if (di_find_global(*m, name, file, &v) || (di_want_dwarf(*m) && di_find_global(*m, name, file, &v)))
			return target_variable(e->loc, &v);
	for vec_each(&in, m)
		if (!file && di_find_enumerator(*m, name, &number))
			return expr_number(e->loc, number);
	if (di_module_source(in.at[0]) != DI_SOURCE_DWARF) {
		diag_error(e->loc, "@var(\"%s\") requires DWARF debuginfo: %s", name, di_advice(in.at[0]));
		return NULL;
	}
	diag_error(e->loc, "unable to find the global variable \"%s\"%s%s in %s%s", name, file ? " of a file " : "",
		   file ? file : "", sources_of(&in), similar_global(in.at[0], name, file));
	return NULL;
}
