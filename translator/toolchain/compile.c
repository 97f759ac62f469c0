// SPDX-License-Identifier: GPL-2.0-or-later
// Generated C -> object, with the kernel's compiler and code-generation flags, without make and
// without a kernel header.
#include "toolchain/tools.h"
#include "util/diag.h"
#include "util/spawn.h"

#include <signal.h>
#include <string.h>

// Returns "/tmp/x" for "/tmp/x/y.o".
static char *directory_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return str_ndup(path, slash ? (size_t)(slash - path) : 0);
}

void tool_interrupted(int status)
{
	if (status == 128 + SIGINT || status == 128 + SIGTERM || status == 128 + SIGHUP)
		die("interrupted while the module was built");
}

void tool_run(const struct toolchain *t, const arguments *argv, const char *doing,
	      const char *output)
{
	arguments words = { 0 };
	const char *env[] = { "LC_ALL=C", str_printf("SRCARCH=%s", t->source_arch), NULL };
	struct spawn tool = { .dir = t->dir, .env = env, .capture = true };
	int status;

	for (int i = 0; i < argv->n; i++)
		vec_push(&words, argv->at[i]);
	vec_push(&words, NULL);
	tool.argv = words.at;
	status = spawn_run(&tool);
	if (status == 0) {
		if (diag_options.verbose > 1)
			diag_output(tool.output);
		return;
	}
	tool_interrupted(status);
	if (status == 127)
		build_advise(str_printf("%s: not found", words.at[0]), directory_of(output));
	build_advise(tool.output, directory_of(output));
	diag_output(tool.output);
	die("%s %s failed (%s, status %d); this is a bug of the translator: please report it with the "
	    "script (-k keeps the files)", doing, output, words.at[0], status);
}

void tool_objtool(const struct toolchain *t, const char *object)
{
	arguments argv = { 0 };

	for (int i = 0; i < t->objtool.n; i++)
		vec_push(&argv, t->objtool.at[i]);
	vec_push(&argv, object);
	tool_run(t, &argv, "objtool on", object);
}

char *compile_generated(struct session *s, const struct toolchain *t, const char *c_path)
{
	arguments argv = { 0 }, next = { 0 };
	char *object = str_printf("%s.o", c_path);

	if (t->compile.n) {
		gcc_step(&t->compile, c_path, &argv);
		gcc_step(&t->assemble, c_path, &next);
	} else {
		gcc_arguments(s, t, c_path, object, &argv);
	}
	tool_run(t, &argv, "compiling the generated C to", object);
	if (next.n)
		tool_run(t, &next, "assembling the generated C to", object);
	if (t->objtool.n)
		tool_objtool(t, object);
	return object;
}
