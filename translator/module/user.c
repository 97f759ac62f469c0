// SPDX-License-Identifier: GPL-2.0-or-later
// Pass 4 on the user runtime: session.c_text -> a program; with --runtime=bpf, the client that contains BPF programs.
//
// The runtime (runtime/core, runtime/user) is compiled once into one object, cached by the contents
// of its files, the compiler and its flags; the program by that key and the generated C.
// $QUICKTAP_USER_CFLAGS is added to all compilations: "-g -fsanitize=address,undefined" for instance.
#include "cache/cache.h"
#include "module/module.h"
#include "session/background.h"
#include "util/diag.h"
#include "util/progress.h"
#include "util/spawn.h"

#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COMPILER "gcc"

// A file of the runtime. option: the line before it in `sources` that begins with "-", or NULL.
struct runtime_source { const char *path, *option; };
typedef VEC(struct runtime_source) runtime_sources;

static const char *const flags[] = {
	"-std=gnu11", "-O2", "-fwrapv", "-fno-strict-aliasing", "-pipe",
	"-Wall", "-Wno-unused",    // the translator may emit unused code, but no code that causes other warnings
};

static void add_flags(const struct session *s, arguments *argv)
{
	const char *extra = getenv("QUICKTAP_USER_CFLAGS");
	char *copy = str_dup(extra ? extra : ""), *save = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(flags); i++)
		vec_push(argv, flags[i]);
	for (char *word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save))
		vec_push(argv, word);
	if (session_limit(s, LIMIT_STP_DEBUG))
		vec_push(argv, "-DSTP_DEBUG");
}

// ---------------------------------------------------------------- keys

static void hash_file(struct cache_hash *h, const char *path)
{
	size_t len;
	const char *text = str_read_file(path, &len);

	if (!text)
		die("cannot read the runtime's %s: %s; check the installation, or SYSTEMTAP_RUNTIME", path, strerror(errno));
	cache_hash_text(h, path);
	cache_hash_text(h, text);
}

static void hash_headers(const struct session *s, struct cache_hash *h)
{
	static const char *const dirs[] = { "core", "user", "bpf", "include" };
	glob_t found;

	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++) {
		if (glob(str_printf("%s/%s/*.h", s->runtime_dir, dirs[i]), 0, NULL, &found))
			continue;
		for (size_t n = 0; n < found.gl_pathc; n++)
			hash_file(h, found.gl_pathv[n]);
		globfree(&found);
	}
}

static struct cache_key runtime_key(struct session *s, const runtime_sources *sources)
{
	struct cache_hash *h = cache_hash_new(s->opt.bpf_runtime ? "client of BPF programs" : "user runtime");
	arguments words = { 0 };

	cache_hash_text(h, tool_id(s, COMPILER));
	cache_hash_directory(h);
	add_flags(s, &words);
	for (int i = 0; i < words.n; i++)
		cache_hash_text(h, words.at[i]);
	for vec_each(sources, source) {
		cache_hash_text(h, source->option ? source->option : "");
		hash_file(h, source->path);
	}
	hash_headers(s, h);
	return cache_hash_end(h);
}

// A part of the runtime's sources. All parts are compiled at once.
struct part {
	arguments argv;            // empty: the end of the parts
	struct spawn compiler;
	int status;
};
typedef VEC(struct part) part_list;

enum { PARTS = 8 };                // number of parts, whatever the number of processors: the object is always the same

static arguments command_of_part(struct session *s, const char *option, const char *const *words)
{
	arguments argv = { 0 };

	vec_push(&argv, COMPILER);
	add_flags(s, &argv);
	if (option)
		vec_push(&argv, option);
	for (const char *const *w = words; *w; w++)
		vec_push(&argv, *w);
	return argv;
}

// Divides the sources, in their order, into parts with the same option; each has a compiler's command with these
// words.
static part_list divide(struct session *s, const runtime_sources *sources, const char *const *words)
{
	int each = (sources->n + PARTS - 1) / PARTS, n = 0;
	const struct runtime_source *before = NULL;
	part_list parts = { 0 };

	for vec_each(sources, source) {
		if (!before || n == each || source->option != before->option) {
			vec_push(&parts, (struct part){ .argv = command_of_part(s, source->option, words) });
			n = 0;
		}
		vec_push(&parts.at[parts.n - 1].argv, source->path);
		before = source;
		n++;
	}
	vec_push(&parts, (struct part){ 0 });
	return parts;
}

// Runs the command of a part, and meanwhile those after it. Each sets its status and output.
static void run_parts(void *first)
{
	static const char *const env[] = { "LC_ALL=C", NULL };
	struct part *p = first;

	if (!p->argv.n)
		return;
	vec_push(&p->argv, NULL);
	p->compiler = (struct spawn){
		.argv = p->argv.at, .env = env, .capture = true, .meanwhile = run_parts, .meanwhile_arg = p + 1,
	};
	p->status = spawn_run(&p->compiler);
}

// Returns the key of `names` and of libc's headers, which the sources include. The preprocessed headers are hashed
// before compilation and must be unchanged after it; otherwise nothing is cached.
static struct cache_key headers_key(struct session *s, const struct cache_key *names, const runtime_sources *sources)
{
	const char *list = cache_text(s, names, ".user.d", NULL);
	struct depends depends = { .dir = directory_here(), .start = depends_now() };
	arguments compiler = { 0 };
	part_list parts;
	struct buf text = { 0 };
	bool failed = false;

	if (list || !s->cache_dir)
		return depends_key(names, list ? list : "");
	vec_push(&compiler, COMPILER);
	add_flags(s, &compiler);
	parts = divide(s, sources, (const char *const[]){ "-M", "-MT", "object", NULL });
	run_parts(parts.at);
	for (struct part *p = parts.at; p->argv.n; p++) {
		failed |= p->status != 0;
		buf_printf(&text, "%s", p->compiler.output);
	}
	list = failed ? NULL : depends_of(s, &depends, &compiler, sources->at[0].path, buf_text(&text));
	if (list)
		cache_put(s, names, ".user.d", list, strlen(list));
	return depends_key(names, list ? list : "");
}

static struct cache_key program_key(struct session *s, const struct cache_key *runtime)
{
	struct cache_hash *h = cache_hash_new("program");

	cache_hash_text(h, runtime->hex);
	if (s->opt.bpf_runtime) {
		bpf_compiler(s, h);
		cache_hash_text(h, s->opt.last_pass == 4 ? "static" : "shared");
	}
	module_add_c(s, h);
	for vec_each(&s->units, u)
		cache_hash_text(h, (*u)->key.hex);
	return cache_hash_end(h);
}

// ---------------------------------------------------------------- compiling

static void list_sources(const struct session *s, runtime_sources *sources)
{
	char *path = str_printf("%s/%s/sources", s->runtime_dir, s->opt.bpf_runtime ? "bpf" : s->opt.merge ? "merge" : "user");
	char *text = str_read_file(path, NULL), *save = NULL;
	const char *option = NULL;

	if (!text)
		die("cannot read %s: %s; check the installation, or SYSTEMTAP_RUNTIME", path, strerror(errno));
	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		if (*line == '-')
			option = line;
		else
			vec_push(sources, ((struct runtime_source){ str_printf("%s/%s", s->runtime_dir, line), option }));
	}
	if (!sources->n)
		die("%s does not list any files; check the installation, or SYSTEMTAP_RUNTIME", path);
}

// A compilation error is a bug or a problem of the machine, since errors of the user were found in pass 2. Only
// `embedded` (may be NULL) may use a missing name: then it returns false.
static bool check_compiler(const struct session *s, int status, const char *output, const char *what,
			   const struct c_unit *embedded)
{
	if (status == 0)
		return true;
	tool_interrupted(status);
	if (status == 127)
		die("cannot run %s, which --runtime=user and --runtime=bpf require: install the package %s", COMPILER,
		    COMPILER);
	if (s->opt.bpf_runtime && strstr(output, "bpf/libbpf.h: No such file"))
		die("the headers of libbpf, which --runtime=bpf requires, are not found: install the package libbpf-dev");
	if (strstr(output, "<signal.h>") && strstr(output, "signal.h: No such file"))
		die("the headers of the C library, which --runtime=user and --runtime=bpf require, are not found: install the "
		    "package libc6-dev (glibc-devel)");
	build_advise(output, s->tmp_dir);
	diag_output(output);
	if (embedded && strstr(output, "undefined reference")) {
		diag_error(embedded->loc, "embedded C uses functions or variables that libc does not have (the linker's messages "
			   "are above)");
		return false;
	}
	die("compiling %s failed (status %d); unless $QUICKTAP_USER_CFLAGS explains it, this is a bug of the"
	    " translator: please report it with the script (-k keeps the files)", what, status);
}

static bool run_compiler(const struct session *s, arguments *argv, const char *what, const struct c_unit *embedded)
{
	const char *env[] = { "LC_ALL=C", NULL };
	struct spawn compiler = { .env = env, .capture = true };
	int status;

	vec_push(argv, NULL);
	compiler.argv = argv->at;
	status = spawn_run(&compiler);
	return check_compiler(s, status, compiler.output, what, embedded);
}

// Returns whether the compiler finds this static library.
static bool has_archive(const char *name)
{
	const char *argv[] = { COMPILER, str_printf("-print-file-name=%s", name), NULL };
	struct spawn compiler = { .argv = argv, .capture = true };

	return !spawn_run(&compiler) && *compiler.output == '/';
}

// Compiles all sources into one relocatable object.
static char *compile_runtime(struct session *s, const runtime_sources *sources)
{
	char *object = str_printf("%s/runtime.o", s->tmp_dir);
	part_list parts = divide(s, sources, (const char *const[]){ "-r", NULL });
	arguments link = { 0 };

	vec_push(&link, COMPILER);
	add_flags(s, &link);
	for (struct part *p = parts.at; p->argv.n; p++) {
		char *part = str_printf("%s/runtime%td.o", s->tmp_dir, p - parts.at);

		vec_push(&p->argv, "-o");
		vec_push(&p->argv, part);
		vec_push(&link, part);
	}
	run_parts(parts.at);
	for (struct part *p = parts.at; p->argv.n; p++)
		check_compiler(s, p->status, p->compiler.output, "the user runtime", NULL);
	vec_push(&link, "-r");
	vec_push(&link, "-o");
	vec_push(&link, object);
	run_compiler(s, &link, "the user runtime", NULL);
	return object;
}

// A program that -p4 leaves runs where libbpf is not installed, too, if the static libraries are here.
static void add_libraries(const struct session *s, arguments *argv)
{
	static const char *const libraries[] = { "-lbpf", "-lelf", "-lz", NULL };
	bool alone = s->opt.last_pass == 4;

	for (const char *const *name = libraries; *name && alone; name++)
		alone = has_archive(str_printf("lib%s.a", *name + 2));
	if (alone)
		vec_push(argv, "-static");
	for (const char *const *name = libraries; *name && (alone || name == libraries); name++)
		vec_push(argv, *name);
}

static char *compile_program(struct session *s, const char *runtime)
{
	char *program = str_printf("%s/%s", s->tmp_dir, s->module_name);
	const char *source = module_write_c(s), *object;
	arguments argv = { 0 };

	vec_push(&argv, COMPILER);
	add_flags(s, &argv);
	vec_push(&argv, str_printf("-I%s/include", s->runtime_dir));
	vec_push(&argv, str_printf("-I%s/bpf", s->runtime_dir));
	vec_push(&argv, str_printf("-ffile-prefix-map=%s=.", s->tmp_dir));     // makes the same bytes in each build
	vec_push(&argv, source);
	if (s->opt.bpf_runtime) {
		object = bpf_object(s, source);
		if (!object)
			return NULL;
		vec_push(&argv, object);
	}
	for vec_each(&s->units, u)
		vec_push(&argv, (*u)->object);
	vec_push(&argv, runtime);
	if (s->opt.bpf_runtime)
		add_libraries(s, &argv);
	vec_push(&argv, "-o");
	vec_push(&argv, program);
	return run_compiler(s, &argv, "the script", s->units.n ? s->units.at[0] : NULL) ? program : NULL;
}

static int compile_embedded(struct session *s, const struct cache_key *runtime)
{
	arguments words = { 0 };

	vec_push(&words, COMPILER);
	add_flags(s, &words);
	return embedded_compile(s, NULL, &words, runtime->hex);
}

static bool is_current(struct session *s, const runtime_sources *sources, const struct cache_key *runtime)
{
	struct cache_key files = runtime_key(s, sources), now = headers_key(s, &files, sources);

	return !s->cache_dir || strcmp(now.hex, runtime->hex) == 0;
}

// Returns the runtime's object, with this key, from the cache or from the compiler.
static char *open_runtime(struct session *s, const runtime_sources *sources, const struct cache_key *key)
{
	char *runtime = cache_file(s, key, ".user.o");

	if (runtime)
		return runtime;
	runtime = compile_runtime(s, sources);
	if (!is_current(s, sources, key))
		cache_distrust(s);
	cache_add(s, key, ".user.o", runtime);
	return runtime;
}

static void build_runtime(struct session *s)
{
	runtime_sources sources = { 0 };
	struct cache_key files, key;

	list_sources(s, &sources);
	files = runtime_key(s, &sources);
	key = headers_key(s, &files, &sources);
	open_runtime(s, &sources, &key);
}

void user_prepare(struct session *s)
{
	runtime_sources sources = { 0 };
	struct cache_key files;

	list_sources(s, &sources);
	files = runtime_key(s, &sources);
	if (!cache_text(s, &files, ".user.d", NULL))
		background_start(s, build_runtime);
}

int user_build(struct session *s)
{
	bool cached = !s->opt.keep_tmp;        // -k keeps the files of this build
	runtime_sources sources = { 0 };
	struct cache_key files_k, runtime_k, program_k;
	char *runtime;
	int errors;

	progress("compiling the runtime for programs");
	background_wait();
	list_sources(s, &sources);
	files_k = runtime_key(s, &sources);
	runtime_k = headers_key(s, &files_k, &sources);
	errors = compile_embedded(s, &runtime_k);
	if (errors)
		return errors;
	program_k = program_key(s, &runtime_k);
	s->module_name = s->opt.module_name ? str_dup(s->opt.module_name) : str_printf("stap_%.32s", program_k.hex);
	s->module_path = cached ? cache_file(s, &program_k, ".user") : NULL;
	s->module_cached = s->module_path != NULL;
	if (s->module_cached) {
		s->stored_path = cache_path(s, &program_k, ".user");
		return 0;
	}
	runtime = open_runtime(s, &sources, &runtime_k);
	progress("compiling the script");
	s->module_path = compile_program(s, runtime);
	progress_end();
	if (!s->module_path)
		return 1;
	if (!is_current(s, &sources, &runtime_k))
		cache_distrust(s);
	if (cached)
		s->stored_path = cache_add(s, &program_k, ".user", s->module_path);
	return 0;
}
