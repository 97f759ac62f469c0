// SPDX-License-Identifier: GPL-2.0-or-later
// Pass 4: session.c_text -> session.module_path. On a kernel: the script's object, the runtime of
// the kernel and the metadata linked into a .ko; or what an earlier run made of the same input.
#include "cache/cache_file.h"
#include "module/module.h"
#include "target/kernel.h"
#include "session/passes.h"
#include "util/diag.h"
#include "util/progress.h"

#include "stack.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static char *absolute(char *path)
{
	char *real = realpath(path, NULL), *copy;

	if (!real)
		die("cannot find %s: %s", path, strerror(errno));
	copy = str_dup(real);
	free(real);
	return copy;
}

void module_add_c(const struct session *s, struct cache_hash *h)
{
	cache_hash_add(h, s->c_text, s->c_len);
	for vec_each(&s->c_files, f) {
		cache_hash_text(h, f->name);
		cache_hash_add(h, f->bytes, f->len);
	}
}

// Returns the part of the key for the script and for the translator, which links; the toolchain's key is for the
// runtime and the kernel.
static struct cache_key script_key(struct session *s, const struct toolchain *t)
{
	struct cache_hash *h = cache_hash_new("module");

	cache_hash_text(h, t->key.hex);
	cache_hash_text(h, t->compiler_id);
	cache_hash_text(h, s->opt.module_name ? s->opt.module_name : "");
	module_add_c(s, h);
	for vec_each(&s->units, u)
		cache_hash_text(h, (*u)->key.hex);
	if (s->opt.sign_module)
		sign_add_to_key(s, h);
	return cache_hash_end(h);
}

char *module_write_c(struct session *s)
{
	char *path = str_printf("%s/%s.c", s->tmp_dir, s->module_name), *files = str_escape(s->tmp_dir, strlen(s->tmp_dir));

	for vec_each(&s->c_files, f)
		kbuild_write_bytes(str_printf("%s/%s", s->tmp_dir, f->name), f->bytes, f->len);
	// escaped for the string of the assembler, and for that of C
	kbuild_write(path, str_printf("#define STP_FILES \"%s\"\n#line 1\n%s", str_escape(files, strlen(files)), s->c_text));
	return path;
}

// Writes the stack need into the linked module. Returns the number of errors.
static int write_stack_need(struct session *s, const arguments *runtime, const arguments *embedded, const char *object,
			    const char *module)
{
	struct stack_calls calls = { .runtime = runtime, .embedded = embedded };
	struct stp_stack_need need;
	arguments objects = { 0 };
	int errors;

	vec_push(&objects, object);
	calls.generated = calls_write(&objects, str_printf("%s.calls", object));
	need.limit = object_stack_limit(module);
	errors = stack_need(s, &calls, &need);
	if (!errors)
		object_write_stack(module, &need);
	return errors;
}

// Builds with --kbuild, without the cache, so that the result can be compared with ours.
static int build_by_kbuild(struct session *s)
{
	struct cache_hash *h = cache_hash_new("module of kbuild");
	arguments objects = { 0 }, calls = { 0 }, none = { 0 };
	const char *generated;

	module_add_c(s, h);
	for vec_each(&s->units, u)
		cache_hash_add(h, (*u)->text.text, (*u)->text.len);
	s->module_name = s->opt.module_name ? str_dup(s->opt.module_name)
					    : str_printf("stap_%.32s", cache_hash_end(h).hex);
	kernel_need_build_tree(s->kernel);
	s->module_path = kbuild_module(s, module_write_c(s), s->module_name, &generated, &objects);
	vec_push(&calls, calls_write(&objects, str_printf("%s/kbuild.calls", s->tmp_dir)));
	if (write_stack_need(s, &calls, &none, generated, s->module_path))
		return 1;
	if (s->opt.sign_module)
		sign_module(s, s->module_path);
	return 0;
}

static int build_fast(struct session *s)
{
	struct toolchain *t = toolchain_open(s);
	int errors = embedded_compile(s, t, &t->header_cc, str_printf("%s %s", t->key.hex, t->compiler_id));
	bool cached = !s->opt.keep_tmp;        // -k requires the files of this build
	struct cache_key key;
	const char *object;

	if (errors)
		return errors;
	key = script_key(s, t);
	s->module_name = s->opt.module_name ? str_dup(s->opt.module_name)
					    : str_printf("stap_%.32s", key.hex);
	s->module_path = cached ? cache_file(s, &key, ".ko") : NULL;
	s->module_cached = s->module_path != NULL;
	if (s->module_cached) {
		s->stored_path = cache_path(s, &key, ".ko");
		return 0;
	}
	progress("compiling the script for kernel %s", s->kernel->release);
	object = compile_generated(s, t, module_write_c(s));
	runtime_units_compile(s, t, object);
	progress_end();
	s->module_path = link_module(s, t, object, s->module_name);
	if (!s->module_path || write_stack_need(s, &t->calls, &t->embedded_calls, object, s->module_path))
		return 1;
	if (s->opt.sign_module)        // signed before it is cached, so that only the first run needs the key
		sign_module(s, s->module_path);
	if (!toolchain_current(s, t))
		cache_distrust(s);
	if (cached)
		s->stored_path = cache_add(s, &key, ".ko", s->module_path);
	return 0;
}

// Returns whether the result is a program, not a module.
static bool is_program(const struct session *s)
{
	return s->opt.user_runtime || s->opt.bpf_runtime;
}

// Copies the result into the current directory, where it remains.
static void copy_to_current_directory(struct session *s, char *name, const char *why)
{
	size_t len;
	char *bytes = str_read_file(s->module_path, &len);
	int err;

	if (!bytes)
		die("cannot read %s: %s", s->module_path, strerror(errno));
	err = cache_file_save(name, bytes, len, is_program(s) ? 0755 : 0644);
	if (err)
		die("cannot write %s into the current directory, as %s requires: %s; run stap in a writable directory", name,
		    why, strerror(-err));
	s->module_path = name;
	s->stored_path = NULL;
}

// Tools of the kernel run in the build tree, so they need absolute paths.
static void use_absolute_paths(struct session *s)
{
	s->tmp_dir = absolute(s->tmp_dir);
	s->runtime_dir = absolute(s->runtime_dir);
}

void pass_build_prepare(struct session *s)
{
	if (s->opt.keep_tmp || s->opt.kbuild || s->opt.verbose[4] > 1)         // files or messages of the build are wanted
		return;
	if (is_program(s)) {
		user_prepare(s);
		return;
	}
	use_absolute_paths(s);
	toolchain_prepare(s);
}

static int build(struct session *s)
{
	if (is_program(s))
		return user_build(s);
	use_absolute_paths(s);
	return s->opt.kbuild ? build_by_kbuild(s) : build_fast(s);
}

int pass_build(struct session *s)
{
	int errors = build(s);

	if (errors || s->opt.bundle)           // bundle_put() stores the result
		return errors;
	if (s->opt.module_name && !s->opt.user_runtime)
		copy_to_current_directory(s, str_printf("%s%s", s->opt.module_name, is_program(s) ? "" : ".ko"), "-m");
	else if (s->opt.last_pass == 4 && !s->stored_path && !s->opt.keep_tmp)
		copy_to_current_directory(s, str_printf("%s%s", s->module_name, is_program(s) ? "" : ".ko"), "-p4 without the cache");
	return 0;
}
