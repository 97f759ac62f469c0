// SPDX-License-Identifier: GPL-2.0-or-later
// Pass 4 alone: build_main RUNTIME_DIR FILE.c RELEASE|/TREE [kbuild] [nocache] [keep] [name=NAME]
// Prints the module's path on standard output, what was done and its time on standard error.
#include "build/build.h"
#include "session/passes.h"
#include "util/diag.h"
#include "util/str.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void set_option(struct options *o, const char *word)
{
	if (strcmp(word, "kbuild") == 0)
		o->kbuild = true;
	else if (strcmp(word, "nocache") == 0)
		o->disable_cache = true;
	else if (strcmp(word, "keep") == 0)
		o->keep_tmp = true;
	else if (str_starts(word, "name="))
		o->module_name = word + strlen("name=");
	else
		die("build_main: unknown option %s", word);
}

int main(int argc, char **argv)
{
	struct session *s;
	const char *tmp = getenv("TMPDIR");
	double start, opened;

	mem_init();
	s = NEW(struct session);
	if (argc < 4)
		die("usage: build_main RUNTIME_DIR FILE.c RELEASE|/TREE [kbuild] [nocache] [keep] [name=NAME]");
	s->runtime_dir = argv[1];
	s->c_text = str_read_file(argv[2], &s->c_len);
	if (!s->c_text)
		die("can't read %s", argv[2]);
	if (*argv[3] == '/')
		s->opt.build_tree = argv[3];
	else
		s->opt.release = argv[3];
	for (int i = 4; i < argc; i++)
		set_option(&s->opt, argv[i]);
	s->tmp_dir = str_printf("%s/build_mainXXXXXX", tmp ? tmp : "/tmp");
	if (!mkdtemp(s->tmp_dir))
		die("can't make %s", s->tmp_dir);
	start = now_ms();
	cache_open(s);
	s->kernel = kernel_open(s);
	opened = now_ms();
	if (pass_build(s))
		return EXIT_FAILURE;
	fprintf(stderr, "%s %s: open %.1f ms, pass 4 %.1f ms%s\n", s->kernel->release, s->kernel->arch,
		opened - start, now_ms() - opened, s->module_cached ? ", cached" : "");
	puts(s->module_path);
	return EXIT_SUCCESS;
}
