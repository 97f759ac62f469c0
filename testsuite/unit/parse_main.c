// SPDX-License-Identifier: GPL-2.0-or-later
// Pass 1 alone: parse_main [-g] [-u] [-w] [-I DIR] [-c CACHE_DIR] [-f FUNCTION] [-a ALIAS]
//                          (-e SCRIPT | FILE) [ARGS]
// Prints the tree as stap -p1 does; the exit status is 1 if there were errors. -u: for the user
// runtime. -f, -a: then looks up that function or alias in the library and prints its file.
#include "target/kernel.h"
#include "parse/parse.h"
#include "session/passes.h"
#include "util/str.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Values for conditionals in the tests; the real function is in target/kernel.c.
const char *kernel_host_arch(void)
{
	return "x86_64";
}

const char *kernel_config(struct kernel *k, const char *name)
{
	return strcmp(name, "CONFIG_SMP") == 0 ? "y" : strcmp(name, "CONFIG_HZ") == 0 ? "250" : NULL;
}

// Replaces the function of session/session.c.
struct source *session_source(struct session *s, const char *name, const char *text, size_t len)
{
	struct source *src = NEW(struct source);

	*src = (struct source){ .name = name, .text = text, .len = len };
	vec_push(&s->sources, src);
	return src;
}

static void add_file(struct session *s, const char *path)
{
	size_t len;
	char *text = str_read_file(path, &len);

	if (!text)
		die("cannot read %s: %m", path);
	session_source(s, path, text, len);
}

static void use_alias(struct session *s, char *name)
{
	struct probe_point point = { 0 };
	bool there;

	for (char *part = strtok(name, "."); part; part = strtok(NULL, "."))
		vec_push(&point.parts, (struct point_part){ .name = part });
	there = library_use_alias(s, &point);
	printf("alias %s: %s, %d files\n", point_text(&point), there ? "yes" : "no", s->library_files);
}

static void use_function(struct session *s, const char *name)
{
	bool there = library_use_function(s, name);

	printf("function %s: %s, %d files\n", name, there ? "yes" : "no", s->library_files);
}

static void print_all(struct session *s)
{
	struct buf b = { 0 };

	print_parsed(s, &b);
	fwrite(buf_text(&b), 1, b.len, stdout);
}

int main(int argc, char **argv)
{
	struct kernel kernel = { .release = "6.1.0-56-test", .base_version = "6.1.0", .arch = "x86_64" };
	struct session *s;
	char *function = NULL, *alias = NULL, *script = NULL;
	int c, errors;

	mem_init();
	s = NEW(struct session);
	s->kernel = &kernel;
	s->opt.release = kernel.release;
	while ((c = getopt(argc, argv, "+guwI:c:f:a:e:")) != -1)
		switch (c) {
		case 'g': s->opt.guru = true; break;
		case 'u': s->opt.user_runtime = true; s->kernel = NULL; break;
		case 'w': diag_options.no_warnings = true; break;
		case 'I': vec_push(&s->opt.include_dirs, optarg); break;
		case 'c': s->cache_dir = optarg; break;
		case 'f': function = optarg; break;
		case 'a': alias = optarg; break;
		case 'e': script = optarg; break;
		default: return 2;
		}
	if (!script && optind == argc)
		die("give -e SCRIPT or a file");
	if (script)
		session_source(s, "<input>", script, strlen(script));
	else
		add_file(s, argv[optind++]);
	for (; optind < argc; optind++)
		vec_push(&s->opt.args, argv[optind]);
	errors = pass_parse(s);
	if (!errors)
		print_all(s);
	if (function)
		use_function(s, function);
	if (alias)
		use_alias(s, alias);
	diag_summary();
	return errors != 0;
}
