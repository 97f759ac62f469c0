// SPDX-License-Identifier: GPL-2.0-or-later
// Generated C -> object, with the kernel's compiler and code-generation flags, without make and
// without a kernel header.
#include "build/kbuild.h"
#include "util/diag.h"
#include "util/spawn.h"

#include <stdio.h>

void tool_run(const struct toolchain *t, const arguments *argv, const char *doing)
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
	if (status == 0)
		return;
	fputs(tool.output, stderr);
	if (status == 127)
		build_advise(str_printf("%s: not found", words.at[0]));
	build_advise(tool.output);
	die("%s failed (%s, status %d); this is a bug of the translator: please report it with the script (-k keeps the files)",
	    doing, words.at[0], status);
}

char *compile_generated(struct session *s, const struct toolchain *t, const char *c_path)
{
	arguments argv = { 0 };
	char *object = str_printf("%s.o", c_path);

	for (int i = 0; i < t->cc.n; i++)
		vec_push(&argv, t->cc.at[i]);
	vec_push(&argv, str_printf("-I%s/include", s->runtime_dir));
	vec_push(&argv, "-c");
	vec_push(&argv, "-o");
	vec_push(&argv, object);
	vec_push(&argv, c_path);
	tool_run(t, &argv, str_printf("compiling the generated C, %s,", c_path));
	if (t->objtool.n && !t->objtool_linked) {
		arguments objtool = { 0 };

		for (int i = 0; i < t->objtool.n; i++)
			vec_push(&objtool, t->objtool.at[i]);
		vec_push(&objtool, object);
		tool_run(t, &objtool, str_printf("objtool on %s", object));
	}
	return object;
}
