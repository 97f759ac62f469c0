// SPDX-License-Identifier: GPL-2.0-or-later
// Tracepoints of the kernel image.
//
// In:  BTF, which has their names and prototypes; the kernel's headers, which say what system each
//      belongs to (no debuginfo does).
// Out: the lookups of debuginfo.h.
#include "debuginfo/module.h"

#include "build/build.h"
#include "util/str.h"

#include <ctype.h>
#include <dirent.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------- names and arguments

struct search {
	struct di_module *m;
	const char *pattern;
	di_tracepoints *out;
};

static void add(void *data, const char *name, uint32_t id)
{
	struct search *s = data;
	struct di_tracepoint *t;

	if (fnmatch(s->pattern, name, 0))
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

void di_find_tracepoints(struct di_module *m, const char *name, di_tracepoints *out)
{
	struct search s = { m, name, out };
	struct btf_source *b = module_btf(m);
	uint32_t id;

	if (!b)
		return;
	if (str_is_glob(name)) {
		btf_each_tracepoint(b, add, &s);
		if (out->n)
			qsort(out->at, out->n, sizeof(out->at[0]), by_name);
		return;
	}
	id = btf_find_tracepoint(b, name);
	if (id)
		add(&s, name, id);
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

// The next word at or after p; *len 0 at the end of the text.
static const char *next_word(const char *p, size_t *len)
{
	while (*p && !is_word(*p))
		p++;
	for (*len = 0; is_word(p[*len]); ++*len)
		;
	return p;
}

// 1 when the word begins an event whose name comes first in its parentheses, 2 when it comes second
// (after its class), 0 when it is something else. Headers have macros of their own for events of
// one class: DEFINE_PAGE_FAULT_EVENT(name).
static int name_position(const char *word, size_t len)
{
	if (str_starts(word, "TRACE_EVENT") || str_starts(word, "DECLARE_TRACE"))
		return 1;
	if (str_starts(word, "DEFINE_EVENT"))
		return 2;
	return str_starts(word, "DEFINE_") && len > 6 && !strncmp(word + len - 6, "_EVENT", 6);
}

// "#define TRACE_SYSTEM sched", then TRACE_EVENT(name, ...) and DEFINE_EVENT(class, name, ...).
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

// Distributions keep what is the same for all flavours in a tree of its own.
static void scan_headers(struct di_module *m)
{
	const struct kernel *k = m->s->kernel;
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
