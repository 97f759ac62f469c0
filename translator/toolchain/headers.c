// SPDX-License-Identifier: GPL-2.0-or-later
// Compiles "<a.h><b.h>" to an object with the DWARF of all their types, as the kernel's modules are compiled, or as
// programs are. Two cache files for each header: the list of the object's dependencies (depends.c), whose key is
// the header's name; the object, whose key is the state of each path of that list.
#include "cache/cache.h"
#include "toolchain/tools.h"
#include "util/diag.h"
#include "util/spawn.h"

#include <string.h>

// The kernel's headers may also be written with their path in its tree: <include/linux/sched.h>.
static const char *program_text(const char *headers, bool kernel)
{
	struct buf b = { 0 };

	for (const char *h = headers, *end; *h == '<' && (end = strchr(h, '>')); h = end + 1) {
		const char *name = h + 1 + (kernel && str_starts(h + 1, "include/") ? strlen("include/") : 0);

		buf_printf(&b, "#include <%.*s\n", (int)(end + 1 - name), name);
	}
	return buf_text(&b);
}

static void add_flags(arguments *argv, bool kernel)
{
	static const char *const types[] = {
		"-g", "-gdwarf-5", "-fno-eliminate-unused-debug-types", "-fno-eliminate-unused-debug-symbols", "-w",
	};

	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		vec_push(argv, types[i]);
	if (!kernel) {
		vec_push(argv, "-fPIC");
		vec_push(argv, "-shared");
		vec_push(argv, "-nostdlib");
		vec_push(argv, "-D_GNU_SOURCE");
	} else {
		vec_push(argv, "-c");
	}
}

// Returns the text of "fatal error: nosuch.h: No such file or directory".
static const char *first_error(const char *output)
{
	const char *at = strstr(output, "error: ");
	const char *from = at && at - output > 6 && !strncmp(at - 6, "fatal ", 6) ? at - 6 : at ? at : output;

	return str_ndup(from, strcspn(from, "\n"));
}

static char *find_cached(struct session *s, const struct cache_key *names)
{
	const char *text = cache_text(s, names, ".headers.d", NULL);
	struct cache_key key;

	if (!text)
		return NULL;
	key = depends_key(names, text);
	return cache_file(s, &key, ".headers.o");
}

static const char *add_cached(struct session *s, const struct cache_key *names, const char *list, const char *object)
{
	struct cache_key key = depends_key(names, list);

	cache_put(s, names, ".headers.d", list, strlen(list));
	cache_add(s, &key, ".headers.o", object);
	return object;
}

static void hash_compiler(struct session *s, struct cache_hash *h, const struct toolchain *t)
{
	cache_hash_text(h, t ? t->key.hex : "");
	if (t)
		cache_hash_text(h, t->compiler_id);
	else
		cache_hash_text(h, tool_id(s, "cc"));
	if (!t)
		cache_hash_directory(h);
}

// Compiles `input` to `output` by the command argv, and writes the list of its dependencies to `rule`. Returns the
// exit status.
static int compile(struct spawn *compiler, const arguments *argv, const char *input, const char *output,
		   const char *rule)
{
	arguments words = { 0 };
	int status;

	for vec_each(argv, word)
		vec_push(&words, *word);
	depends_options(&words, rule);
	vec_push(&words, "-o");
	vec_push(&words, output);
	vec_push(&words, input);
	vec_push(&words, NULL);
	compiler->argv = words.at;
	status = spawn_run(compiler);
	tool_interrupted(status);
	return status;
}

const char *headers_compile(struct session *s, struct loc loc, const char *headers, bool kernel)
{
	const struct toolchain *t = kernel ? toolchain_open(s) : NULL;
	const char *env[] = { "LC_ALL=C", NULL };
	struct spawn compiler = { .dir = t ? t->dir : NULL, .env = env, .capture = true };
	struct cache_hash *h = cache_hash_new("headers");
	struct depends depends = { .dir = t ? t->dir : directory_here(), .own_prefix = str_printf("%s/", s->tmp_dir) };
	arguments argv = { 0 };
	struct cache_key key;
	char *input, *output, *rule, *list;
	int status;

	cache_hash_text(h, headers);
	hash_compiler(s, h, t);
	key = cache_hash_end(h);
	output = find_cached(s, &key);
	if (output)
		return output;
	for (int i = 0; t && i < t->header_cc.n; i++)
		vec_push(&argv, t->header_cc.at[i]);
	if (!t)
		vec_push(&argv, "cc");
	add_flags(&argv, kernel);
	input = str_printf("%s/headers-%.16s.c", s->tmp_dir, key.hex);
	output = str_printf("%s.o", input);
	rule = str_printf("%s.d", input);
	kbuild_write(input, program_text(headers, kernel));
	depends.start = depends_now();
	status = compile(&compiler, &argv, input, output, rule);
	if (!status) {
		list = depends_of(s, &depends, &argv, input, str_read_file(rule, NULL));
		return list ? add_cached(s, &key, list, output) : output;
	}
	if (compiler.output)
		build_advise(compiler.output, s->tmp_dir);
	diag_error(loc, "%s%s cannot be compiled: %s", kernel ? "kernel" : "", headers,
		   status == 127 ? "no C compiler found" : first_error(compiler.output));
	return NULL;
}
