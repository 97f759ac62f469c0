// SPDX-License-Identifier: GPL-2.0-or-later
// Embedded C that includes headers: session.units -> objects, cached one by one by their text, the files that
// they include and the toolchain, and the versions of the kernel's symbols that they use.
//
// Functions and types that were removed from the kernel, and that it uses, come from runtime/removed_from_kernel.
//
// C that doesn't compile or uses a symbol that isn't exported is an error of the script, reported at the unit's first
// piece with the compiler's own messages, whose lines are the script's.
#include "cache/cache.h"
#include "module/module.h"
#include "target/kernel.h"
#include "util/diag.h"
#include "util/spawn.h"

#include <ctype.h>
#include <dirent.h>
#include <string.h>

static struct cache_key unit_key(const char *runtime, bool user, const arguments *words, const struct c_unit *u)
{
	struct cache_hash *h = cache_hash_new("embedded C");

	cache_hash_text(h, runtime);
	if (user)
		cache_hash_directory(h);
	for (int i = 0; i < words->n; i++)
		cache_hash_text(h, words->at[i]);
	cache_hash_add(h, u->text.text, u->text.len);
	return cache_hash_end(h);
}

static const char *target_of(const struct session *s)
{
	return s->opt.user_runtime ? "--runtime=user, where it has libc's headers and not the kernel's"
				   : str_printf("kernel %s", s->kernel->release);
}

static bool has_word(const char *text, const char *word)
{
	size_t len = strlen(word);

	for (const char *p = text; (p = strstr(p, word)); p += len)
		if ((p == text || !(isalnum((unsigned char)p[-1]) || p[-1] == '_')) &&
		    !isalnum((unsigned char)p[len]) && p[len] != '_')
			return true;
	return false;
}

// -include of each header of runtime/removed_from_kernel whose name is a word of the unit.
static void add_removed(struct session *s, const struct c_unit *u, arguments *words)
{
	const char *path = str_printf("%s/removed_from_kernel", s->runtime_dir);
	DIR *dir = opendir(path);
	struct dirent *d;
	int known = words->n;

	while (dir && (d = readdir(dir)))
		if (str_ends(d->d_name, ".h") && has_word(u->text.text, str_ndup(d->d_name, strlen(d->d_name) - 2))) {
			vec_push(words, "-include");
			vec_push(words, str_printf("%s/%s", path, d->d_name));
		}
	if (dir)
		closedir(dir);
	if (words->n == known)
		return;
	kbuild_write(str_printf("%s/stp_config.h", s->tmp_dir), compat_config(s));
	vec_push(words, str_printf("-I%s", s->tmp_dir));
}

// Returns 0, or 1 after an error.
static int run_compiler(const struct session *s, const struct toolchain *t, const struct c_unit *u,
			const arguments *words, const char *input, const char *output, const char *rule)
{
	const char *env[] = { "LC_ALL=C", NULL };
	struct spawn compiler = { .dir = t ? t->dir : NULL, .env = env, .capture = true };
	arguments argv = { 0 };
	int status;

	for (int i = 0; i < words->n; i++)
		vec_push(&argv, words->at[i]);
	depends_options(&argv, rule);
	vec_push(&argv, "-c");
	vec_push(&argv, "-o");
	vec_push(&argv, output);
	vec_push(&argv, input);
	vec_push(&argv, NULL);
	compiler.argv = argv.at;
	status = spawn_run(&compiler);
	tool_interrupted(status);
	if (status == 127)
		build_advise(str_printf("%s: not found", argv.at[0]), s->tmp_dir);
	if (status)
		build_advise(compiler.output, s->tmp_dir);
	if (status || diag_options.verbose > 1 || (!u->source->library && diag_prints_warnings()))
		diag_output(compiler.output);
	if (status)
		diag_error(u->loc, "the embedded C of this file does not compile for %s (the compiler's messages are above)",
			   target_of(s));
	return status != 0;
}

// Sets u->key and u->object from the cache, which records the files that the compiler read for this unit.
static bool find_cached(struct session *s, struct toolchain *t, struct c_unit *u, const struct cache_key *names)
{
	const char *list = cache_text(s, names, ".embedded.d", NULL), *calls;

	if (!list)
		return false;
	u->key = depends_key(names, list);
	u->object = cache_file(s, &u->key, ".embedded.o");
	calls = t ? cache_file(s, &u->key, ".embedded.calls") : NULL;
	if (calls)
		vec_push(&t->embedded_calls, calls);
	return u->object && (calls || !t);
}

static int compile(struct session *s, struct toolchain *t, struct c_unit *u, const struct cache_key *names,
		   const arguments *words, const char *input)
{
	const char *output = str_printf("%s.o", input), *rule = str_printf("%s.d", input), *calls, *list;
	struct depends depends = { .dir = t ? t->dir : directory_here(), .own_prefix = str_printf("%s/", s->tmp_dir) };
	arguments objects = { 0 }, compiler = { 0 };
	bool cached = !s->opt.keep_tmp;

	kbuild_write(input, u->text.text);
	for vec_each(words, word)
		vec_push(&compiler, *word);
	if (t)
		add_removed(s, u, &compiler);
	depends.start = depends_now();
	if (run_compiler(s, t, u, &compiler, input, output, rule))
		return 1;
	if (t && t->objtool.n)
		tool_objtool(t, output);
	list = cached ? depends_of(s, &depends, &compiler, input, str_read_file(rule, NULL)) : NULL;
	u->key = depends_key(names, list ? list : "");
	u->object = str_dup(output);
	if (cached)
		cache_add(s, &u->key, ".embedded.o", output);
	if (t) {
		vec_push(&objects, output);
		calls = calls_write(&objects, str_printf("%s.calls", output));
		vec_push(&t->embedded_calls, calls);
		if (cached)
			cache_add(s, &u->key, ".embedded.calls", calls);
	}
	if (list)
		cache_put(s, names, ".embedded.d", list, strlen(list));
	return 0;
}

int embedded_compile(struct session *s, struct toolchain *t, const arguments *cc, const char *runtime)
{
	arguments words = { 0 };
	int errors = 0, number = 0;

	for (int i = 0; i < cc->n; i++)
		vec_push(&words, cc->at[i]);
	vec_push(&words, str_printf("-I%s/include", s->runtime_dir));
	vec_push(&words, "-Werror=int-conversion");    // a string instead of a number, or a number instead of a string
	for vec_each(&s->units, at) {
		struct cache_key names = unit_key(runtime, !t, &words, *at);
		const char *input = str_printf("%s/embedded%d.c", s->tmp_dir, number++);

		if (s->opt.keep_tmp || !find_cached(s, t, *at, &names))
			errors += compile(s, t, *at, &names, &words, input);
	}
	return errors;
}

// ---------------------------------------------------------------- symbols of the kernel

static const struct c_unit *user_of(const struct session *s, const char *symbol)
{
	for vec_each(&s->units, u) {
		struct map undefined = { 0 };

		object_undefined((*u)->object, &undefined);
		if (map_get(&undefined, symbol))
			return *u;
	}
	return s->units.at[0];
}

// Writes entries of __versions: the CRC, and the name in the remaining 56 bytes of 64. They are written as
// assembly, which adds no padding between them and the entries of the metadata.
void version_lines(struct session *s, struct buf *b, const char *symbol)
{
	if (kernel_config(s->kernel, "CONFIG_MODVERSIONS") && strlen(symbol) < 64 - 8)
		buf_printf(b, "asm(\".pushsection __versions,\\\"a\\\"\\n.quad %s\\n.asciz \\\"%s\\\"\\n.zero %d\\n.popsection\");\n",
			   (const char *)map_get(&s->kernel->exports, symbol), symbol, 64 - 8 - 1 - (int)strlen(symbol));
}

int embedded_versions(struct session *s, const struct toolchain *t, const struct map *undefined, const char **object)
{
	const char *path = str_printf("%s/versions.c", s->tmp_dir);
	struct buf b = { 0 };
	int errors = 0;

	*object = NULL;
	for map_each(undefined, e) {
		const char *symbol = e->key;

		if (map_get(&t->symbols, symbol) || strcmp(symbol, "__this_module") == 0)
			continue;
		if (!kernel_exports(s->kernel, symbol)) {
			diag_error(user_of(s, symbol)->loc, "embedded C of this file uses \"%s\", which kernel %s "
				   "does not export to modules",
				   symbol, s->kernel->release);
			errors++;
		} else {
			version_lines(s, &b, symbol);
		}
	}
	if (errors || !b.len)
		return errors;
	kbuild_write(path, b.text);
	*object = compile_generated(s, t, path);
	return 0;
}
