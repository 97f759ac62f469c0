// SPDX-License-Identifier: GPL-2.0-or-later
// Finds, once per kernel, the commands that make its modules, and compiles the runtime and the metadata that all
// modules share.
// They are cached under three keys:
//
//   id key        the kernel, times and sizes of the runtime's files -> KEY.id, one line: the
//   content key   the kernel, contents of the runtime's files
//                           -> KEY.flags, which names compiler, linker and objtool
//   tools key     the content key, these programs, and the headers of the kernel that were read
//                           -> KEY.runtime.o, KEY.metadata.o, KEY.runtime.calls
//
// so that a cached run reads no source, and a reinstalled but equal runtime is not built again.
#include "cache/cache.h"
#include "session/background.h"
#include "target/kernel.h"
#include "toolchain/tools.h"
#include "util/diag.h"
#include "util/progress.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define FORMAT "quicktap toolchain 10"  // to be changed together with the output of this file or of kbuild.c

// ---------------------------------------------------------------- keys

static bool is_source(const char *name)
{
	return str_ends(name, ".c") || str_ends(name, ".h") || str_ends(name, ".def")
		|| str_ends(name, ".S") || strcmp(name, "sources") == 0;
}

// Lists all files that may be part of the kernel's runtime, sorted.
static void list_sources(const char *dir, arguments *out)
{
	struct dirent **entries;
	int n = scandir(dir, &entries, NULL, alphasort);

	for (int i = 0; i < n; i++) {
		const char *name = entries[i]->d_name, *path = str_printf("%s/%s", dir, name);
		int type = entries[i]->d_type;
		struct stat st;

		if (type != DT_REG && type != DT_DIR)
			type = stat(path, &st) ? DT_UNKNOWN : S_ISDIR(st.st_mode) ? DT_DIR : DT_REG;
		if (name[0] != '.' && type == DT_DIR && strcmp(name, "user"))
			list_sources(path, out);
		else if (name[0] != '.' && type == DT_REG && is_source(name))
			vec_push(out, path);
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
}

static struct cache_hash *hash_kernel(const struct session *s)
{
	static const char *const files[] = {
		".config", "Module.symvers", "Makefile", ".kernelvariables", "include/generated/autoconf.h",
		"include/generated/utsrelease.h", "vmlinux", "System.map",
	};
	struct cache_hash *h = cache_hash_new(FORMAT);
	const struct kernel *k = s->kernel;

	for vec_each(&s->opt.make_vars, variable)
		cache_hash_text(h, *variable);
	cache_hash_text(h, session_limit(s, LIMIT_STP_DEBUG) ? "checked" : "");
	cache_hash_text(h, k->release);
	cache_hash_text(h, k->arch);
	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		cache_hash_file_id(h, str_printf("%s/%s", k->build_tree, files[i]));
	return h;
}

static struct cache_key id_key(const struct session *s)
{
	struct cache_hash *h = hash_kernel(s);
	arguments sources = { 0 };

	list_sources(s->runtime_dir, &sources);
	for (int i = 0; i < sources.n; i++)
		cache_hash_file_id(h, sources.at[i]);
	return cache_hash_end(h);
}

static struct cache_key content_key(const struct session *s)
{
	struct cache_hash *h = hash_kernel(s);
	arguments sources = { 0 };

	list_sources(s->runtime_dir, &sources);
	for (int i = 0; i < sources.n; i++) {
		size_t len;
		char *text = str_read_file(sources.at[i], &len);

		if (!text)
			die("cannot read %s: %s; reinstall the runtime", sources.at[i], strerror(errno));
		cache_hash_text(h, sources.at[i]);
		cache_hash_add(h, &len, sizeof(len));
		cache_hash_add(h, text, len);
	}
	return cache_hash_end(h);
}

// Returns the content key, from the .id file if it exists; then *known is true.
static struct cache_key find_key(struct session *s, const struct cache_key *id, bool *known)
{
	char *text = cache_text(s, id, ".id", NULL);
	struct cache_key k;

	*known = text && strspn(text, "0123456789abcdef") == sizeof(k.hex) - 1;
	if (!*known)
		return content_key(s);
	memcpy(k.hex, text, sizeof(k.hex) - 1);
	k.hex[sizeof(k.hex) - 1] = '\0';
	return k;
}

// ---------------------------------------------------------------- the compiler

// Returns the state of all tools that run and of all headers that were read.
static char *compiler_id(struct session *s, const struct toolchain *t)
{
	return str_printf("%s %s %s %s", tool_ids(s, t->dir, &t->cc, true), tool_ids(s, t->dir, &t->ld, false),
			  tool_ids(s, t->dir, &t->objtool, false), depends_key(&t->key, t->depends).hex);
}

static struct cache_key tools_key(const struct toolchain *t)
{
	struct cache_hash *h = cache_hash_new("runtime");

	cache_hash_text(h, t->key.hex);
	cache_hash_text(h, t->compiler_id);
	return cache_hash_end(h);
}

// ---------------------------------------------------------------- KEY.flags: "word value" lines

static void print_words(struct buf *b, const char *name, const arguments *words)
{
	for (int i = 0; i < words->n; i++)
		buf_printf(b, "%s %s\n", name, words->at[i]);
}

static char *print_flags(const struct toolchain *t)
{
	struct buf b = { 0 };

	buf_printf(&b, "compiler_id %s\n%s", t->compiler_id, t->depends);
	print_words(&b, "cc", &t->cc);
	print_words(&b, "compile", &t->compile);
	print_words(&b, "assemble", &t->assemble);
	print_words(&b, "header_cc", &t->header_cc);
	print_words(&b, "objtool", &t->objtool);
	print_words(&b, "ld", &t->ld);
	for map_each(&t->symbols, e)
		buf_printf(&b, "symbol %s\n", e->key);
	return buf_text(&b);
}

static void parse_flag(struct toolchain *t, struct buf *depends, const char *name, const char *value)
{
	if (strcmp(name, "compiler_id") == 0)
		t->compiler_id = value;
	else if (strcmp(name, "F") == 0)
		buf_printf(depends, "F %s\n", value);
	else if (strcmp(name, "cc") == 0)
		vec_push(&t->cc, value);
	else if (strcmp(name, "compile") == 0)
		vec_push(&t->compile, value);
	else if (strcmp(name, "assemble") == 0)
		vec_push(&t->assemble, value);
	else if (strcmp(name, "header_cc") == 0)
		vec_push(&t->header_cc, value);
	else if (strcmp(name, "objtool") == 0)
		vec_push(&t->objtool, value);
	else if (strcmp(name, "ld") == 0)
		vec_push(&t->ld, value);
	else if (strcmp(name, "symbol") == 0)
		map_put(&t->symbols, value, t);
}

// Returns false if the file is incomplete, or was made with another compiler.
static bool load(struct session *s, struct toolchain *t)
{
	char *text = cache_text(s, &t->key, ".flags", NULL), *calls, *save = NULL;
	struct cache_key tools;
	struct buf depends = { 0 };

	if (!text)
		return false;
	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		char *blank = strchr(line, ' ');

		if (!blank)
			return false;
		*blank = '\0';
		parse_flag(t, &depends, line, blank + 1);
	}
	t->depends = buf_text(&depends);
	if (!t->cc.n || !t->ld.n || !t->compiler_id || strcmp(t->compiler_id, compiler_id(s, t)))
		return false;
	tools = tools_key(t);
	t->runtime = cache_file(s, &tools, ".runtime.o");
	t->metadata = cache_file(s, &tools, ".metadata.o");
	calls = cache_file(s, &tools, ".runtime.calls");
	if (calls)
		vec_push(&t->calls, calls);
	return t->runtime && t->metadata && calls;
}

// ---------------------------------------------------------------- build

// Replaces the generated C by a file that refers to every symbol that the compiler may use, so that the metadata has a
// version for it.
static char *reference_symbols(struct session *s)
{
	static const char *const symbols[] = {
		"memcpy", "memmove", "memset", "memcmp", "strlen", "strcmp",
		"__stack_chk_fail", "__stack_chk_guard", "__ref_stack_chk_guard",
		"__x86_return_thunk", "__x86_indirect_thunk_rax", "__x86_indirect_thunk_rbx",
		"__x86_indirect_thunk_rcx", "__x86_indirect_thunk_rdx",
		"__x86_indirect_thunk_rsi", "__x86_indirect_thunk_rdi",
		"__x86_indirect_thunk_rbp", "__x86_indirect_thunk_r8",
		"__x86_indirect_thunk_r9", "__x86_indirect_thunk_r10",
		"__x86_indirect_thunk_r11", "__x86_indirect_thunk_r12",
		"__x86_indirect_thunk_r13", "__x86_indirect_thunk_r14",
		"__x86_indirect_thunk_r15", "__fentry__", "_mcount", "__warn_thunk",
		"__SCT__preempt_schedule",
	};
	struct buf b = { 0 };

	buf_puts(&b, "#include \"generated.h\"\n\n"
		 "const struct stp_module stp_module = { .abi = STP_GENERATED_ABI };\n");
	for (size_t i = 0; i < ARRAY_SIZE(symbols); i++)
		if (kernel_exports(s->kernel, symbols[i]))
			buf_printf(&b, "asm(\".pushsection .discard.stp_refs,\\\"a\\\"\\n"
				   ".quad %s\\n.popsection\");\n", symbols[i]);
	return buf_text(&b);
}

static char *add(struct session *s, const struct cache_key *key, const char *dir, const char *suffix)
{
	char *path = str_printf("%s/out%s", dir, suffix);

	cache_add(s, key, suffix, path);
	return path;
}

bool toolchain_current(const struct session *s, const struct toolchain *t)
{
	struct cache_key now = id_key(s);

	return strcmp(now.hex, t->id.hex) == 0;
}

static void make(struct session *s, struct toolchain *t)
{
	arguments units = { 0 }, metadata = { 0 };
	struct cache_key tools;
	struct timespec start = depends_now();
	char *dir = kbuild_directory(s, MODULE_PLACEHOLDER, reference_symbols(s), NULL), *output = kbuild_run(s, dir);
	bool units_complete;

	memset(&t->cc, 0, sizeof(t->cc));      // cleared, since load() may have set some of them
	memset(&t->compile, 0, sizeof(t->compile));
	memset(&t->assemble, 0, sizeof(t->assemble));
	memset(&t->header_cc, 0, sizeof(t->header_cc));
	memset(&t->objtool, 0, sizeof(t->objtool));
	memset(&t->ld, 0, sizeof(t->ld));
	memset(&t->symbols, 0, sizeof(t->symbols));
	memset(&t->calls, 0, sizeof(t->calls));
	memset(&t->embedded_calls, 0, sizeof(t->embedded_calls));
	units_complete = kbuild_read_commands(dir, output, t, &metadata);
	t->depends = kbuild_depends(s, dir, start);
	if (!t->depends || !toolchain_current(s, t))
		cache_distrust(s);
	t->depends = t->depends ? t->depends : "";
	gcc_find_steps(s, t, dir);
	t->compiler_id = compiler_id(s, t);
	tools = tools_key(t);
	object_undefined(str_printf("%s/%s.o", dir, MODULE_PLACEHOLDER), &t->symbols);
	kbuild_units(dir, "unit", &units);
	t->runtime = str_printf("%s/out.runtime.o", dir);
	t->metadata = str_printf("%s/out.metadata.o", dir);
	object_link(t, &units, t->runtime, false);
	if (t->objtool.n && !units_complete)
		tool_objtool(t, t->runtime);
	object_link(t, &metadata, t->metadata, false);
	kbuild_write(str_printf("%s/out.flags", dir), print_flags(t));
	t->runtime = add(s, &tools, dir, ".runtime.o");
	t->metadata = add(s, &tools, dir, ".metadata.o");
	calls_write(&units, str_printf("%s/out.runtime.calls", dir));
	vec_push(&t->calls, add(s, &tools, dir, ".runtime.calls"));
	add(s, &t->key, dir, ".flags");
}

static void build(struct session *s)
{
	toolchain_open(s);
}

// Returns the toolchain with its first members, which every run needs.
static struct toolchain *begin(struct session *s)
{
	struct toolchain *t = s->toolchain;

	if (t)
		return t;
	kernel_need_build_tree(s->kernel);
	t = s->toolchain = NEW(struct toolchain);
	t->dir = s->kernel->build_tree;
	t->source_arch = s->kernel->source_arch;
	t->id = id_key(s);
	return t;
}

void toolchain_prepare(struct session *s)
{
	struct toolchain *t;

	if (!s->kernel->build_tree)    // reported after the errors of pass 2
		return;
	t = begin(s);
	if (!cache_text(s, &t->id, ".id", NULL))
		background_start(s, build);
}

struct toolchain *toolchain_open(struct session *s)
{
	struct toolchain *t = begin(s);
	bool known;

	if (t->runtime)
		return t;
	progress("compiling the runtime for kernel %s", s->kernel->release);
	background_wait();
	t->key = find_key(s, &t->id, &known);
	if (!load(s, t))
		make(s, t);
	progress_end();
	if (!known) {
		const char *path = str_printf("%s/toolchain.id", s->tmp_dir);

		kbuild_write(path, t->key.hex);
		cache_add(s, &t->id, ".id", path);
	}
	return t;
}
