// SPDX-License-Identifier: GPL-2.0-or-later
// Lists the tracepoints of the kernel image and of its modules.
//
// In: BTF, which has names and prototypes; for a module without BTF its __traceiter_* functions; the kernel's
//      headers for the trace system of each tracepoint, which no debuginfo has; without headers, the running
//      kernel's tracefs.
// Out: the lookups of debuginfo.h.
#include "debuginfo/btf/btf_source.h"
#include "debuginfo/module.h"

#include "target/kernel.h"
#include "util/str.h"

#include <ctype.h>
#include <dirent.h>
#include <fnmatch.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

// ---------------------------------------------------------------- names and arguments

struct search {
	struct di_module *m;
	const char *pattern;
	di_tracepoints *out;
};

// Returns whether the kernel image has the tracepoint; the BTF of a module extends that of the kernel.
static bool is_of_the_image(const struct di_module *m, const char *name)
{
	return m->base_module && m->base_module->btf && btf_find_tracepoint(m->base_module->btf, name);
}

static void add(void *data, const char *name, uint32_t id)
{
	struct search *s = data;
	struct di_tracepoint *t;

	if (fnmatch(s->pattern, name, 0) || is_of_the_image(s->m, name))
		return;
	t = NEW(struct di_tracepoint);
	t->module = s->m;
	t->name = str_dup(name);
	btf_tracepoint_arguments(s->m->btf, id, t);
	vec_push(s->out, t);
}

static int by_name(const void *a, const void *b)
{
	return strcmp((*(struct di_tracepoint *const *)a)->name, (*(struct di_tracepoint *const *)b)->name);
}

// __traceiter_NAME(void *data, ARGUMENTS) calls the probes.
#define ITERATOR "__traceiter_"

void di_parameters_as_arguments(const struct di_function *f, int first, di_arguments *out)
{
	name_list names = { 0 };

	di_variable_names(f, true, &names);
	for (int i = first; i < names.n; i++) {
		struct di_variable v;

		if (!di_find_variable(f, names.at[i], &v))
			v = (struct di_variable){ .name = names.at[i] };
		v.loc = location_register(DI_ARGUMENT + out->n);
		vec_push(out, v);
	}
}

static void add_of_function(struct di_module *m, const struct di_function *f, di_tracepoints *out)
{
	struct di_tracepoint *t = NEW(struct di_tracepoint);

	t->module = m;
	t->name = f->name + strlen(ITERATOR);
	di_parameters_as_arguments(f, 1, &t->args);        // the first parameter, `data`, is omitted
	vec_push(out, t);
}

static void find_by_functions(struct di_module *m, const char *name, di_tracepoints *out)
{
	di_functions found = { 0 };

	di_find_functions(m, str_printf(ITERATOR "%s", name), NULL, DI_INLINES_NONE, &found);
	for vec_each(&found, f)
		add_of_function(m, *f, out);
}

static void find_by_btf(struct btf_source *b, struct search *s)
{
	uint32_t id;

	if (str_is_glob(s->pattern)) {
		btf_each_tracepoint(b, add, s);
		return;
	}
	id = btf_find_tracepoint(b, s->pattern);
	if (id)
		add(s, s->pattern, id);
}

void di_find_tracepoints(struct di_module *m, const char *name, di_tracepoints *out)
{
	di_tracepoints found = { 0 };
	struct btf_source *b = module_btf(m);

	if (b)
		find_by_btf(b, &(struct search){ m, name, &found });
	if (!found.n && m->base_module)    // tracepoints that TRACE_EVENT does not make have no typedef in BTF
		find_by_functions(m, name, &found);
	if (found.n)
		qsort(found.at, found.n, sizeof(found.at[0]), by_name);
	for vec_each(&found, t)
		vec_push(out, *t);
}

static void add_name(void *data, const char *name, uint32_t id)
{
	di_names *out = data;

	vec_push(out, name);
}

void di_tracepoint_names(struct di_module *m, di_names *out)
{
	if (module_btf(m))
		btf_each_tracepoint(module_btf(m), add_name, out);
}

// ---------------------------------------------------------------- systems

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

// Returns the next word at or after p and its length, which is 0 at the end of the text.
static const char *next_word(const char *p, size_t *len)
{
	while (*p && !is_word(*p))
		p++;
	for (*len = 0; is_word(p[*len]); ++*len)
		;
	return p;
}

// Returns 1 if the word is a macro that defines an event whose name is its first argument, 2 if the name is its
// second argument (after the class), 0 otherwise. Headers define further macros for events of one class:
// DEFINE_PAGE_FAULT_EVENT(name).
static int name_position(const char *word, size_t len)
{
	if (str_starts(word, "TRACE_EVENT") || str_starts(word, "DECLARE_TRACE"))
		return 1;
	if (str_starts(word, "DEFINE_EVENT"))
		return 2;
	return str_starts(word, "DEFINE_") && len > 6 && !strncmp(word + len - 6, "_EVENT", 6);
}

// Reads "#define TRACE_SYSTEM sched", then TRACE_EVENT(name, ...) and DEFINE_EVENT(class, name, ...).
static void scan_header(struct di_module *m, const char *text)
{
	char *system = NULL;
	bool defining = false;
	size_t len;

	for (const char *p = next_word(text, &len); len; p = next_word(p + len, &len)) {
		int position = name_position(p, len);

		if (defining && len == strlen("TRACE_SYSTEM") && str_starts(p, "TRACE_SYSTEM")) {
			p = next_word(p + len, &len);
			system = str_ndup(p, len);
		}
		defining = len == 6 && str_starts(p, "define");
		if (!position || !system || p[len] != '(')
			continue;
		while (position-- && len)
			p = next_word(p + len, &len);
		map_put(&m->systems, str_ndup(p, len), system);
	}
}

static void scan_directory(struct di_module *m, const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *d;

	while (dir && (d = readdir(dir))) {
		char *text = str_ends(d->d_name, ".h") ? str_read_file(str_printf("%s/%s", path, d->d_name), NULL) : NULL;

		if (text)
			scan_header(m, text);
	}
	if (dir)
		closedir(dir);
}

// Reads the systems of the running kernel's events, which have the names of their tracepoints, from tracefs.
static void scan_events(struct di_module *m)
{
	glob_t found = { 0 };

	if (glob("/sys/kernel/tracing/events/*/*/id", 0, NULL, &found) &&
	    glob("/sys/kernel/debug/tracing/events/*/*/id", 0, NULL, &found))
		return;
	for (size_t i = 0; i < found.gl_pathc; i++) {
		char *path = str_dup(found.gl_pathv[i]), *event, *system;

		*strrchr(path, '/') = '\0';
		event = strrchr(path, '/');
		*event++ = '\0';
		system = strrchr(path, '/') + 1;
		if (!map_get(&m->systems, event))
			map_put(&m->systems, event, system);
	}
	globfree(&found);
}

// Debian and others install headers that are common to all flavours in a separate tree.
static void scan_headers(struct di_module *m)
{
	const struct kernel *k = m->s->kernel;
	struct utsname host;
	const char *roots[] = {
		k->build_tree ? k->build_tree : "",
		str_printf("%s/source", k->build_tree ? k->build_tree : ""),
		str_printf("/lib/modules/%s/source", k->release),
	};

	for (size_t i = 0; i < ARRAY_SIZE(roots) && !m->systems.n; i++) {
		scan_directory(m, str_printf("%s/include/trace/events", roots[i]));
		scan_directory(m, str_printf("%s/include/ras", roots[i]));
		scan_directory(m, str_printf("%s/arch/%s/include/asm/trace", roots[i], k->source_arch));
	}
	if (!m->systems.n && !uname(&host) && !strcmp(host.release, k->release))
		scan_events(m);
	m->systems_loaded = true;
}

const char *di_tracepoint_system(struct di_module *m, const char *name)
{
	const char *system;

	if (!m->systems_loaded)
		scan_headers(m);
	system = map_get(&m->systems, name);
	return system ? system : "";
}
