// SPDX-License-Identifier: GPL-2.0-or-later
// Compiles the units of the runtime that only some scripts need: those of runtime/kernel/sources that name probe
// families or symbols. A unit is compiled when a script first uses one of these on a kernel; its object is cached.
//
// An object brings the versions of those exported symbols for which the metadata has none.
#include "cache/cache.h"
#include "module/module.h"
#include "target/kernel.h"
#include "util/diag.h"

static struct cache_key part_key(const struct toolchain *t, const struct runtime_unit *u)
{
	struct cache_hash *h = cache_hash_new("part of the runtime");

	cache_hash_text(h, t->key.hex);
	cache_hash_text(h, t->compiler_id);
	cache_hash_text(h, u->option ? u->option : "");
	cache_hash_text(h, u->text);
	return cache_hash_end(h);
}

// `part`: the files' path without the ending.
static char *compile(struct session *s, const struct toolchain *t, const struct runtime_unit *u, const char *part)
{
	char *input = str_printf("%s.c", part), *object = str_printf("%s.unit.o", part);
	arguments argv = { 0 };

	kbuild_write(input, u->text);
	kbuild_write(str_printf("%s/stp_config.h", s->tmp_dir), compat_config(s));
	for (int i = 0; i < t->header_cc.n; i++)
		vec_push(&argv, t->header_cc.at[i]);
	vec_push(&argv, "-g0");                // option of the rest of the runtime, too
	if (u->option)
		vec_push(&argv, u->option);
	vec_push(&argv, str_printf("-fmacro-prefix-map=%s/=runtime/", s->runtime_dir));
	vec_push(&argv, str_printf("-I%s", s->tmp_dir));
	vec_push(&argv, str_printf("-I%s", s->runtime_dir));
	vec_push(&argv, str_printf("-I%s/include", s->runtime_dir));
	vec_push(&argv, "-c");
	vec_push(&argv, "-o");
	vec_push(&argv, object);
	vec_push(&argv, input);
	tool_run(t, &argv, str_printf("compiling the runtime for %s to", u->users.at[0]), object);
	if (t->objtool.n)
		tool_objtool(t, object);
	return object;
}

// Makes the object with its versions. *calls receives the path of its file of calls.
static char *make(struct session *s, const struct toolchain *t, const struct runtime_unit *u, int number, char **calls)
{
	const char *name = str_printf("%s/part%d", s->tmp_dir, number);
	char *object = compile(s, t, u, name), *part = str_printf("%s.o", name);
	struct map undefined = { 0 };
	arguments objects = { 0 };
	struct buf versions = { 0 };

	object_undefined(object, &undefined);
	for map_each(&undefined, e)
		if (!map_get(&t->symbols, e->key) && kernel_exports(s->kernel, e->key))
			version_lines(s, &versions, e->key);
	vec_push(&objects, object);
	*calls = calls_write(&objects, str_printf("%s.calls", name));
	if (versions.len) {
		const char *path = str_printf("%s.versions.c", name);

		kbuild_write(path, versions.text);
		vec_push(&objects, compile_generated(s, t, path));
	}
	object_link(t, &objects, part, false);
	return part;
}

void runtime_units_compile(struct session *s, struct toolchain *t, const char *generated)
{
	bool cached = !s->opt.keep_tmp;
	runtime_units units = { 0 };
	struct map undefined = { 0 };

	object_undefined(generated, &undefined);
	for vec_each(&s->units, u)
		object_undefined((*u)->object, &undefined);
	runtime_read_units(s, &units);
	for vec_each(&units, u) {
		struct cache_key key;
		char *object, *calls;

		if (!u->users.n || !runtime_unit_needed(u, &s->runtime_families, &undefined))
			continue;
		key = part_key(t, u);
		object = cached ? cache_file(s, &key, ".part.o") : NULL;
		calls = object ? cache_file(s, &key, ".part.calls") : NULL;
		if (!calls) {
			object = make(s, t, u, t->parts.n, &calls);
			cache_add(s, &key, ".part.o", object);
			cache_add(s, &key, ".part.calls", calls);
		}
		vec_push(&t->parts, object);
		vec_push(&t->calls, calls);
	}
}
