// SPDX-License-Identifier: GPL-2.0-or-later
// "<a.h><b.h>" -> an object with the DWARF of all their types, cached by the compiler and by what it
// read: as the kernel's modules are compiled, or as programs are.
#include "build/kbuild.h"
#include "util/diag.h"
#include "util/spawn.h"

#include <string.h>

// The kernel's headers may also be written as the files are called in its tree: <include/linux/sched.h>.
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

// "fatal error: nosuch.h: No such file or directory"
static const char *first_error(const char *output)
{
	const char *at = strstr(output, "error: ");
	const char *from = at && at - output > 6 && !strncmp(at - 6, "fatal ", 6) ? at - 6 : at ? at : output;

	return str_ndup(from, strcspn(from, "\n"));
}

const char *headers_compile(struct session *s, struct loc loc, const char *headers, bool kernel)
{
	const struct toolchain *t = kernel ? toolchain_open(s) : NULL;
	const char *env[] = { "LC_ALL=C", NULL };
	struct spawn compiler = { .dir = t ? t->dir : NULL, .env = env, .capture = true };
	struct cache_hash *h = cache_hash_new();
	arguments argv = { 0 };
	struct cache_key key;
	char *input, *output;
	int status;

	cache_hash_text(h, "headers");
	cache_hash_text(h, headers);
	cache_hash_text(h, t ? t->key.hex : "");
	key = cache_hash_end(h);
	output = cache_find(s, &key, ".headers.o");
	if (output)
		return output;
	for (int i = 0; t && i < t->header_cc.n; i++)
		vec_push(&argv, t->header_cc.at[i]);
	if (!t)
		vec_push(&argv, "cc");
	add_flags(&argv, kernel);
	input = str_printf("%s/headers-%.16s.c", s->tmp_dir, key.hex);
	output = str_printf("%s.o", input);
	kbuild_write(input, program_text(headers, kernel));
	vec_push(&argv, "-o");
	vec_push(&argv, output);
	vec_push(&argv, input);
	vec_push(&argv, NULL);
	compiler.argv = argv.at;
	status = spawn_run(&compiler);
	tool_interrupted(status);
	if (!status)
		return cache_add(s, &key, ".headers.o", output);
	diag_error(loc, "%s%s can't be compiled: %s", kernel ? "kernel" : "", headers,
		   status == 127 ? "there is no C compiler" : first_error(compiler.output));
	return NULL;
}
