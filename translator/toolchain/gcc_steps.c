// SPDX-License-Identifier: GPL-2.0-or-later
// gcc itself only starts a compiler and an assembler; finding them and their options takes it a fifth of the time
// in which a small script is compiled. In: the two commands that "gcc -###" prints, queried once per kernel. Out:
// these commands for a file, if they make the same object of an example as gcc does. Other compilers, gcc that
// another program starts (ccache), and scripts named gcc that change the environment are run as they are.
#include "toolchain/tools.h"
#include "util/spawn.h"

#include <string.h>

// Placeholders in the commands for the directory and the name of a file.
#define DIRECTORY "/directory-of-the-file"
#define NAME "name-of-the-file"

void gcc_arguments(const struct session *s, const struct toolchain *t, const char *c_path, const char *object,
		   arguments *argv)
{
	for vec_each(&t->cc, word)
		vec_push(argv, *word);
	vec_push(argv, str_printf("-I%s/include", s->runtime_dir));
	vec_push(argv, "-c");
	vec_push(argv, "-o");
	vec_push(argv, object);
	vec_push(argv, c_path);
}

// Returns whether the words are a command of the program that compiles this file alone.
static bool is_step(const arguments *words, const char *program, const char *output, const char *input)
{
	bool has_input = false, has_output = false;

	if (!words->n || strcmp(str_base_name(words->at[0]), program))
		return false;
	for (int i = 1; i < words->n; i++) {
		has_input |= strcmp(words->at[i], input) == 0;
		has_output |= strcmp(words->at[i], output) == 0 && strcmp(words->at[i - 1], "-o") == 0;
	}
	return has_input && has_output;
}

// Sets the name of the file between the two steps, which gcc chooses at random, to one beside the object.
static void set_between(arguments *compile, arguments *assemble)
{
	const char *text = DIRECTORY "/" NAME ".s";

	if (compile->n < 2 || !assemble->n || !str_ends(compile->at[compile->n - 1], ".s")
	    || strcmp(compile->at[compile->n - 1], assemble->at[assemble->n - 1]))
		return;
	compile->at[compile->n - 1] = assemble->at[assemble->n - 1] = text;
}

// Sets t->compile and t->assemble to the commands that gcc -### prints.
static void query_steps(struct session *s, struct toolchain *t)
{
	arguments argv = { 0 }, steps[2] = { 0 };
	const char *c = DIRECTORY "/" NAME ".c", *object = DIRECTORY "/" NAME ".c.o", *env[] = { "LC_ALL=C", NULL };
	struct spawn gcc = { .dir = t->dir, .env = env, .capture = true };
	int n = 0;

	gcc_arguments(s, t, c, object, &argv);
	vec_push(&argv, "-###");
	vec_push(&argv, NULL);
	gcc.argv = argv.at;
	if (spawn_run(&gcc))
		return;
	for (char *save = NULL, *line = strtok_r(gcc.output, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		if (*line == ' ' && n++ < 2)           // other lines are not commands
			words_of_command(line, &steps[n - 1]);
	if (n != 2)
		return;
	set_between(&steps[0], &steps[1]);
	if (!is_step(&steps[0], "cc1", DIRECTORY "/" NAME ".s", c)
	    || !is_step(&steps[1], "as", object, DIRECTORY "/" NAME ".s"))
		return;
	t->compile = steps[0];
	t->assemble = steps[1];
}

// Returns the word with the placeholders of directory and name replaced.
static const char *for_file(const char *word, const char *directory, const char *name)
{
	const char *at = strstr(word, DIRECTORY), *end;

	if (at) {
		end = at + strlen(DIRECTORY);
		word = str_printf("%.*s%s%s", (int)(at - word), word, directory, end);
	}
	at = strstr(word, NAME);
	return at ? str_printf("%.*s%s%s", (int)(at - word), word, name, at + strlen(NAME)) : word;
}

void gcc_step(const arguments *step, const char *c_path, arguments *argv)
{
	const char *base = str_base_name(c_path);
	char *directory = str_ndup(c_path, (size_t)(base - c_path - 1)), *name = str_ndup(base, strlen(base) - strlen(".c"));

	for vec_each(step, word)
		vec_push(argv, for_file(*word, directory, name));
}

static bool succeeds(const struct toolchain *t, arguments *argv)
{
	const char *env[] = { "LC_ALL=C", NULL };
	struct spawn program = { .dir = t->dir, .env = env, .capture = true };

	vec_push(argv, NULL);
	program.argv = argv->at;
	return spawn_run(&program) == 0;
}

// Compiles an example in the directory by the two steps, and by gcc. Returns whether the objects are the same.
static bool steps_work(const struct session *s, const struct toolchain *t, const char *dir)
{
	char *c = str_printf("%s/steps.c", dir), *object = str_printf("%s.o", c), *one, *other;
	arguments compile = { 0 }, assemble = { 0 }, gcc = { 0 };
	size_t len = 0, other_len = 0;

	kbuild_write(c, "#include \"generated.h\"\nvoid example(struct stp_ctx *c);\n"
		     "void example(struct stp_ctx *c)\n{\n\tif (stp_lock(c))\n\t\tstp_unlock(c);\n}\n");
	gcc_step(&t->compile, c, &compile);
	gcc_step(&t->assemble, c, &assemble);
	gcc_arguments(s, t, c, object, &gcc);
	if (!succeeds(t, &compile) || !succeeds(t, &assemble))
		return false;
	one = str_read_file(object, &len);
	other = succeeds(t, &gcc) ? str_read_file(object, &other_len) : NULL;
	return one && other && len == other_len && !memcmp(one, other, len);
}

void gcc_find_steps(struct session *s, struct toolchain *t, const char *dir)
{
	const char *name = str_base_name(t->cc.at[0]);

	if (!str_starts(name, "gcc") && !strstr(name, "-gcc"))
		return;
	query_steps(s, t);
	if (t->compile.n && steps_work(s, t, dir))
		return;
	memset(&t->compile, 0, sizeof(t->compile));
	memset(&t->assemble, 0, sizeof(t->assemble));
}
