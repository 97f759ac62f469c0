// SPDX-License-Identifier: GPL-2.0-or-later
// One kbuild run: runtime sources (and a generated C file) -> objects, and the commands that made
// them.
//
// kbuild writes the exact command of each file that it makes to .FILE.cmd; this file reads there the compiler's
// flags, objtool's options and the linker's come from (before 5.17 objtool's are only shown). The
// directory holds the runtime's units (sources.c), the generated C or a stand-in
// for it, and stp_config.h.
#include "target/kernel.h"
#include "cache/cache.h"
#include "toolchain/tools.h"
#include "util/diag.h"
#include "util/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { LONG_LINE = 400 };

// ---------------------------------------------------------------- commands

const char *words_of_command(const char *p, arguments *words)
{
	while (*p && *p != '\n') {
		struct buf word = { 0 };
		bool any = false;

		p += strspn(p, " \t");
		if (*p == ';')
			return p + 1;
		for (char quote = 0; *p && *p != '\n' && (quote || !strchr(" \t;", *p)); p++) {
			any = true;
			if (quote ? *p == quote : *p == '\'' || *p == '"')
				quote = quote ? 0 : *p;
			else if (*p == '\\' && quote != '\'' && p[1])
				buf_putc(&word, *++p);
			else if (str_starts(p, "$$"))          // undoes make's escapes
				buf_putc(&word, *++p);
			else if (str_starts(p, "$(pound)"))
				buf_putc(&word, '#'), p += strlen("$(pound)") - 1;
			else
				buf_putc(&word, *p);
		}
		if (any)
			vec_push(words, buf_text(&word));
	}
	return NULL;
}

// Finds the command for `target` in dir: the first one (program NULL), or that of a program. Returns false if none is
// found.
static bool read_command(const char *dir, const char *target, const char *program, arguments *words)
{
	char *text = str_read_file(str_printf("%s/.%s.cmd", dir, target), NULL);
	const char *p = text ? strstr(text, ":= ") : NULL;

	if (p)
		p += strlen(":= ");
	while (p) {
		words->n = 0;
		p = words_of_command(p, words);
		if (words->n && (!program || strcmp(str_base_name(words->at[0]), program) == 0))
			return true;
	}
	words->n = 0;
	return false;
}

// Returns whether the option depends on the file or on the kernel's headers; with `operand` the next word is part of
// it.
static bool drop_compiler_option(const char *word, bool *operand)
{
	static const char *const with_operand[] = {
		"-o", "-include", "-isystem", "-I", "-D", "-U", "-MF", "-MT",
	};
	static const char *const prefixes[] = {
		"-I", "-D", "-U", "-Wp,-M", "-g", "-fmacro-prefix-map=", "-ffile-prefix-map=",
		"-fdebug-prefix-map=",
	};

	*operand = false;
	for (size_t i = 0; i < ARRAY_SIZE(with_operand); i++)
		if (strcmp(word, with_operand[i]) == 0)
			return *operand = true;
	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++)
		if (str_starts(word, prefixes[i]))
			return true;
	return strcmp(word, "-c") == 0 || (word[0] != '-' && str_ends(word, ".c"));
}

static void compiler_options(const arguments *from, arguments *to)
{
	bool operand;

	for (int i = 0; i < from->n; i++) {
		if (!drop_compiler_option(from->at[i], &operand))
			vec_push(to, from->at[i]);
		else if (operand)
			i++;
	}
}

// Copies all options except those that name the file or this run's directory.
static void header_options(const arguments *from, const char *dir, arguments *to)
{
	bool operand;

	for (int i = 0; i < from->n; i++) {
		const char *word = from->at[i];
		bool drop = drop_compiler_option(word, &operand);

		if (operand && strcmp(word, "-o") && strcmp(word, "-MF") && strcmp(word, "-MT")) {
			vec_push(to, word);
			vec_push(to, from->at[++i]);
		} else if (operand) {
			i++;
		} else if (!strstr(word, dir)
			   && (!drop || str_starts(word, "-I") || str_starts(word, "-D") || str_starts(word, "-U"))) {
			vec_push(to, word);
		}
	}
}

// Copies everything except objects, output and response files.
static void linker_options(const arguments *from, arguments *to)
{
	for (int i = 0; i < from->n; i++) {
		if (strcmp(from->at[i], "-o") == 0)
			i++;
		else if (from->at[i][0] != '@' && !str_ends(from->at[i], ".o"))
			vec_push(to, from->at[i]);
	}
}

// Finds, in make's output, the command with which a program processed the object of the generated C.
static bool find_shown_command(const char *output, const char *program, arguments *words)
{
	for (const char *at = output; (at = strstr(at, program)); at += strlen(program)) {
		const char *p = at;

		while (p > output && p[-1] != '\n')
			p--;
		while (p) {
			words->n = 0;
			p = words_of_command(p, words);
			if (words->n && strcmp(str_base_name(words->at[0]), program) == 0
			    && strcmp(str_base_name(words->at[words->n - 1]), KBUILD_GENERATED ".o") == 0)
				return true;
		}
	}
	return false;
}

// Kernels with CONFIG_X86_KERNEL_IBT run objtool on the linked object, to list the functions whose address is not
// used; the kernel overwrites their ENDBR. Here it runs on each object, since it takes longer for the runtime than
// for most scripts, and without --ibt, since another object may use the address. Returns true if kbuild ran it on
// the linked object.
static bool read_objtool(const char *dir, const char *output, struct toolchain *t)
{
	arguments words = { 0 }, options = { 0 };
	bool linked = read_command(dir, MODULE_PLACEHOLDER ".o", "objtool", &words);

	if (linked || read_command(dir, KBUILD_GENERATED ".o", "objtool", &words)
	    || find_shown_command(output, "objtool", &words))
		linker_options(&words, &options);
	for vec_each(&options, word)
		if (strcmp(*word, "--ibt") != 0)
			vec_push(&t->objtool, *word);
	return linked;
}

#define NO_COMMAND "kbuild left no command for %s/%s; its .cmd files have an unknown form " \
	"(use --kbuild)"

bool kbuild_read_commands(const char *dir, const char *output, struct toolchain *t,
			  arguments *metadata)
{
	arguments words = { 0 };

	if (!read_command(dir, KBUILD_GENERATED ".o", NULL, &words))
		die(NO_COMMAND, dir, KBUILD_GENERATED ".o");
	compiler_options(&words, &t->cc);
	header_options(&words, dir, &t->header_cc);
	if (!read_command(dir, MODULE_PLACEHOLDER ".ko", NULL, &words))
		die(NO_COMMAND, dir, MODULE_PLACEHOLDER ".ko");
	linker_options(&words, &t->ld);
	for (int i = 0; i < words.n; i++)
		if (str_ends(words.at[i], ".o") && strcmp(str_base_name(words.at[i]), MODULE_PLACEHOLDER ".o"))
			vec_push(metadata, str_printf("%s/%s", dir, str_base_name(words.at[i])));
	return !read_objtool(dir, output, t);
}

// ---------------------------------------------------------------- the directory

void kbuild_write_bytes(const char *path, const void *bytes, size_t len)
{
	FILE *f = fopen(path, "we");

	if (!f || fwrite(bytes, 1, len, f) != len || fclose(f) == EOF)
		die("cannot write %s: %s; set TMPDIR to a writable directory with free space", path,
		    strerror(errno));
}

void kbuild_write(const char *path, const char *text)
{
	kbuild_write_bytes(path, text, strlen(text));
}

// Writes the runtime's units that a module with tables of these families requires. NULL: those that all modules
// require.
static void write_units(struct session *s, const char *dir, const name_list *families, runtime_units *needed)
{
	runtime_units units = { 0 };

	runtime_read_units(s, &units);
	for vec_each(&units, u)
		if (families ? runtime_unit_needed(u, families, NULL) : !u->users.n) {
			kbuild_write(str_printf("%s/unit%d.c", dir, needed->n), u->text);
			vec_push(needed, *u);
		}
}

// Adds our flags. Functions that run in a probe must not have tracing hooks. Debug information is omitted, since it
// would double the time and is never read. The objects must not contain the directory's name.
static void write_makefile(const struct session *s, const char *dir, const char *name, const runtime_units *units)
{
	struct buf b = { 0 };

	buf_printf(&b, "obj-m := %s.o\n%s-y := %s.o", name, name, KBUILD_GENERATED);
	for (int i = 0; i < units->n; i++)
		buf_printf(&b, " unit%d.o", i);
	buf_puts(&b, "\nccflags-remove-y := $(CC_FLAGS_FTRACE)\n");
	buf_printf(&b, "ccflags-y := -g0 -I%s -I%s/runtime -I%s/runtime/include -fmacro-prefix-map=%s/=\n",
		   dir, dir, dir, dir);
	buf_puts(&b, "ccflags-y += $(call cc-option,-fcallgraph-info=su,-fstack-usage)\n");         // for stack.c
	// Without this, gcc compares all variables of one kind with each other: 40 seconds for tables of 20,000
	// points.
	buf_puts(&b, "ccflags-y += $(call cc-option,-fno-ipa-icf-variables)\n");
	for (int i = 0; i < units->n; i++)
		if (units->at[i].option)
			buf_printf(&b, "CFLAGS_unit%d.o := %s\n", i, units->at[i].option);
	if (session_limit(s, LIMIT_STP_DEBUG))
		buf_puts(&b, "ccflags-y += -DSTP_DEBUG\n");
	// otherwise atomics are calls of libgcc, which kernels do not have
	if (strcmp(s->kernel->arch, "arm64") == 0)
		buf_puts(&b, "ccflags-y += -mno-outline-atomics\n");
	kbuild_write(str_printf("%s/Makefile", dir), buf_text(&b));
}

char *kbuild_directory(struct session *s, const char *name, const char *generated, const name_list *families)
{
	char *dir = str_printf("%s/kbuild", s->tmp_dir);
	runtime_units units = { 0 };

	if (strpbrk(dir, " \t:#$%'\"\\"))
		die("kbuild cannot work in %s because of the characters in its name; set TMPDIR to another "
		    "directory", dir);
	if (mkdir(dir, 0700) < 0 || symlink(s->runtime_dir, str_printf("%s/runtime", dir)) < 0)
		die("cannot create %s: %s; set TMPDIR to a writable directory with free space", dir,
		    strerror(errno));
	kbuild_write(str_printf("%s/%s.c", dir, KBUILD_GENERATED), generated);
	write_units(s, dir, families, &units);
	write_makefile(s, dir, name, &units);
	return dir;
}

// ---------------------------------------------------------------- the run

// If the line begins with line_start, returns the word before `at`; NULL if it does not, or if the word is a path.
static char *word_before(const char *output, const char *at, const char *line_start)
{
	const char *word = at, *line = at;

	while (line > output && line[-1] != '\n')
		line--;
	while (word > line && !strchr(" :", word[-1]))
		word--;
	if (word == at || memchr(word, '/', (size_t)(at - word)) || !str_starts(line, line_start))
		return NULL;
	return str_ndup(word, (size_t)(at - word));
}

// Returns the name of the missing program in "sh: 1: gcc-12: not found" or "make[1]: gcc-12: No such file or
// directory".
static char *missing_program(const char *output)
{
	static const char *const signs[][2] = {
		{ ": not found", "" }, { ": command not found", "" },
		{ ": No such file or directory", "make" },
	};
	char *word;

	for (size_t i = 0; i < ARRAY_SIZE(signs); i++)
		for (const char *at = output; (at = strstr(at, signs[i][0])); at++)
			if ((word = word_before(output, at, signs[i][1])))
				return word;
	return NULL;
}

// Returns Debian's package of a program: "gcc-12" -> gcc-12, "aarch64-linux-gnu-gcc-12" -> gcc-12-aarch64-linux-gnu,
// "ld" -> binutils.
static const char *package_of(const char *program)
{
	static const char *const binutils[] = { "ld", "as", "nm", "objcopy" };
	const char *name = program, *dash = strstr(program, "-gnu-");

	if (dash)
		name = dash + strlen("-gnu-");
	for (size_t i = 0; i < ARRAY_SIZE(binutils); i++)
		if (strcmp(name, binutils[i]) == 0)
			name = "binutils";
	return dash ? str_printf("%s-%.*s", name, (int)(dash + strlen("-gnu") - program), program) : name;
}

// A tool that reached a limit of resources prints one of these messages, or nothing if the kernel ended it.
static void advise_limits(const char *output)
{
	static const struct { int resource; const char *option, *sign; } limits[] = {
		{ RLIMIT_FSIZE, "--rlimit-fsize (ulimit -f)", "File too large" },
		{ RLIMIT_AS, "--rlimit-as (ulimit -v)", "annot allocate memory" },
		{ RLIMIT_AS, "--rlimit-as (ulimit -v)", "emory exhausted" },
		{ RLIMIT_AS, "--rlimit-as (ulimit -v)", "out of memory" },
		{ RLIMIT_CPU, "--rlimit-cpu (ulimit -t)", "CPU time limit exceeded" },
		{ RLIMIT_STACK, "--rlimit-stack (ulimit -s)", "Segmentation fault" },
	};
	struct buf reached = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(limits); i++) {
		struct rlimit limit;
		bool shown = reached.len && strstr(reached.text, limits[i].option);

		if (!shown && !getrlimit(limits[i].resource, &limit) && limit.rlim_max != RLIM_INFINITY &&
		    (!*output || strstr(output, limits[i].sign)))
			buf_printf(&reached, "%s%s", reached.len ? ", " : "", limits[i].option);
	}
	if (!reached.len)
		return;
	diag_output(output);
	die("a program that builds the module reached a limit of resources; raise %s", reached.text);
}

// Returns the program that gcc could not run, with quotation marks of any locale; or NULL.
static char *not_executed(const char *output)
{
	const char *at = strstr(output, "cannot execute ");

	if (!at)
		return NULL;
	at += strlen("cannot execute ");
	at += strspn(at, "'\"`\xe2\x80\x98\x99");
	return str_ndup(at, strcspn(at, "'\"`\xe2: \n"));
}

void build_advise(const char *output, const char *dir)
{
	char *missing = missing_program(output);
	const char *variables = cache_environment();
	struct statvfs fs;
	bool full = statvfs(dir, &fs) == 0 && fs.f_bavail * fs.f_frsize < 64 * 1024;

	if (full || strstr(output, "No space left on device") || strstr(output, "Read-only file system")
	    || strstr(output, "Disk quota exceeded"))
		die("%s is full or read-only; set TMPDIR to a writable directory with free space", dir);
	advise_limits(output);
	if (*variables)
		diag_output(str_printf("the environment sets %s, which changes how compilers and make work: unset what is not "
				       "intended\n", variables));
	if (!missing && !getenv("GCC_EXEC_PREFIX"))      // a wrong GCC_EXEC_PREFIX has the same effect
		missing = not_executed(output);
	if (missing)
		die("the program \"%s\", which this kernel's modules are built with, is not installed; install "
		    "it (on Debian: apt install %s)", missing, package_of(missing));
}

// Adds the cross tools of another machine, unless -B selects some.
static void add_cross(struct session *s, arguments *argv)
{
	const char *prefix = kernel_cross_prefix(s->kernel);

	if (strcmp(s->kernel->arch, kernel_host_arch()) == 0)
		return;
	vec_push(argv, str_printf("ARCH=%s", s->kernel->arch));
	for vec_each(&s->opt.make_vars, variable)
		if (str_starts(*variable, "CROSS_COMPILE=") || str_starts(*variable, "LLVM="))
			return;
	if (prefix)
		vec_push(argv, str_printf("CROSS_COMPILE=%s", prefix));
}

// make prints commands without indentation; gcc indents its own text: "   39 | the text" and "    from FILE:1".
static bool is_command(const char *line, size_t len)
{
	return len > LONG_LINE || str_starts(line, "make -f") || line[0] == '#' || line[0] == '\''
		|| (line[0] == ' ' && !memmem(line, len, " |", 2) && !memmem(line, len, "from ", 5));
}

// Prints make's output without the commands, which are too long to read.
static void show(const char *output)
{
	for (const char *line = output; *line;) {
		size_t len = strcspn(line, "\n");

		if (!is_command(line, len))
			diag_output(str_printf("%.*s\n", (int)len, line));
		line += len + (line[len] == '\n');
	}
}

// Checking the kernel's properties takes as long as make's own start, so both run at the same time: make reads
// stp_config.h from a pipe when the first unit includes it.
struct config_feed { struct session *s; int pipe[2]; };

static void feed_start(struct config_feed *f, const char *dir)
{
	char *path = str_printf("%s/Makefile", dir);

	if (pipe2(f->pipe, O_CLOEXEC) < 0 || fcntl(f->pipe[0], F_SETFD, 0) < 0)
		die("cannot create a pipe: %s; allow more open files (ulimit -n)", strerror(errno));
	kbuild_write(path, str_printf("%s\n$(addprefix $(obj)/,$($(obj-m:.o=-y))): $(obj)/stp_config.h\n"
				      "$(obj)/stp_config.h:\n\t@cat /proc/self/fd/%d >$@\n",
				      str_read_file(path, NULL), f->pipe[0]));
}

static void feed(void *arg)
{
	struct config_feed *f = arg;
	char *text = compat_config(f->s);

	// The few lines fit into the pipe buffer, so write() does not block even if make has exited.
	if (write(f->pipe[1], text, strlen(text)) != (ssize_t)strlen(text))
		die("cannot write to a pipe: %s", strerror(errno));
	close(f->pipe[1]);
}

// Ends the program with advice if kbuild failed.
static void check_build(struct session *s, const char *dir, int status, char *output)
{
	if (status == 127 && !*output)
		die("\"make\", which builds the first module for a kernel, is not installed; install it "
		    "(on Debian: apt install make gcc)");
	tool_interrupted(status);
	if (!status)
		return;
	build_advise(output, s->tmp_dir);
	show(output);
	die("kbuild failed in %s (status %d, its output is above): the build tree %s is damaged "
	    "(reinstall the kernel's headers), or this is a bug: the runtime does not fit kernel %s; "
	    "-k keeps the directory", dir, status, s->kernel->build_tree, s->kernel->release);
}

char *kbuild_run(struct session *s, const char *dir)
{
	struct config_feed config = { .s = s };
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	arguments argv = { 0 };
	const char *words[] = {
		"make", "-C", s->kernel->build_tree, str_printf("M=%s", dir),
		str_printf("-j%ld", cpus < 1 ? 1 : cpus > 8 ? 8 : cpus),
		"--no-print-directory", "V=1",
		"KCFLAGS=-g0",         // debug information of the metadata is never read
		"CONFIG_DEBUG_INFO_BTF_MODULES=",      // saves half a second
		"PAHOLE_FLAGS=",       // otherwise a shell script determines the flags several times
		"modules",
	};
	const char *env[] = {
		"LC_ALL=C", "MAKEFLAGS=", "MFLAGS=", "GNUMAKEFLAGS=", "MAKEFILES=", "KBUILD_OUTPUT=", "KBUILD_EXTMOD=", NULL,
	};
	struct spawn make = { .env = env, .capture = true, .meanwhile = feed, .meanwhile_arg = &config };
	int status;

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		vec_push(&argv, words[i]);
	if (kernel_makefile(s->kernel)) {
		vec_push(&argv, "-f");
		vec_push(&argv, kernel_makefile(s->kernel));
	}
	add_cross(s, &argv);
	for vec_each(&s->opt.make_vars, variable)
		vec_push(&argv, *variable);
	vec_push(&argv, NULL);
	make.argv = argv.at;
	feed_start(&config, dir);
	status = spawn_run(&make);
	close(config.pipe[0]);
	check_build(s, dir, status, make.output);
	if (diag_options.verbose > 1)
		diag_output(make.output);
	return make.output;
}

char *kbuild_depends(const struct session *s, const char *dir, struct timespec start)
{
	struct depends d = { .dir = s->kernel->build_tree, .own_prefix = str_printf("%s/", dir), .start = start };
	glob_t found;

	if (glob(str_printf("%s/.*.o.cmd", dir), GLOB_PERIOD, NULL, &found))
		return NULL;
	for (size_t i = 0; i < found.gl_pathc; i++) {
		char *text = str_read_file(found.gl_pathv[i], NULL), *rule = text ? strstr(text, "\ndeps_") : NULL;

		rule = rule ? strstr(rule, " := ") : NULL;
		if (rule)
			depends_rule(&d, rule + strlen(" := "));
	}
	globfree(&found);
	return depends_list(&d);
}

void kbuild_units(const char *dir, const char *name, arguments *out)
{
	char *path;

	for (int i = 0; path = str_printf("%s/%s%d.o", dir, name, i), access(path, R_OK) == 0; i++)
		vec_push(out, path);
}

char *kbuild_module(struct session *s, const char *c_path, const char *name, const char **generated, arguments *others)
{
	char *text = str_read_file(c_path, NULL), *dir;
	struct buf units = { 0 };

	if (!text)
		die("cannot read %s: %s", c_path, strerror(errno));
	dir = kbuild_directory(s, name, text, &s->runtime_families);
	for (int i = 0; i < s->units.n; i++) {
		kbuild_write(str_printf("%s/embedded%d.c", dir, i), s->units.at[i]->text.text);
		buf_printf(&units, "%s-y += embedded%d.o\n", name, i);
	}
	if (units.len) {
		const char *makefile = str_printf("%s/Makefile", dir);

		kbuild_write(makefile, str_printf("%s%s", str_read_file(makefile, NULL), units.text));
	}
	kbuild_run(s, dir);
	*generated = str_printf("%s/%s.o", dir, KBUILD_GENERATED);
	kbuild_units(dir, "unit", others);
	kbuild_units(dir, "embedded", others);
	return str_printf("%s/%s.ko", dir, name);
}
