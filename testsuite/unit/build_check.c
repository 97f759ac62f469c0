// SPDX-License-Identifier: GPL-2.0-or-later
// The parts of pass 4 that require no kernel: cache, keys, kernel trees, compat.def, kbuild's command files. All
// files are in a scratch directory. Prints "ok NAME" or "not ok NAME" for each claim.
#include "cache/cache.h"
#include "module/module.h"
#include "target/kernel.h"
#include "resolve/family.h"
#include "util/diag.h"

#include "stack.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static char *scratch;
static int failures;

static void claim(bool holds, const char *name)
{
	printf("%s unit/build/%s\n", holds ? "ok" : "not ok", name);
	failures += !holds;
}

// Replaces the function of limits.c: toolchain/ only requests STP_DEBUG.
int64_t session_limit(const struct session *s, enum limit_name name)
{
	return 0;
}

static char *in_scratch(const char *path)
{
	return str_printf("%s/%s", scratch, path);
}

// Writes a file below the scratch directory and creates its parent directories.
static char *put(const char *path, const char *text)
{
	char *full = in_scratch(path);

	for (char *slash = full + strlen(scratch) + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
		*slash = '\0';
		mkdir(full, 0700);
	}
	kbuild_write(full, text);
	return full;
}

static void set_age(const char *path, int seconds)
{
	struct timespec t[2] = { { .tv_sec = time(NULL) - seconds }, { .tv_sec = time(NULL) - seconds } };

	utimensat(AT_FDCWD, path, t, 0);
}

static bool exists(const char *path)
{
	return access(path, F_OK) == 0;
}

static struct session *new_session(const char *systemtap_dir)
{
	struct session *s = NEW(struct session);

	setenv("SYSTEMTAP_DIR", in_scratch(systemtap_dir), 1);
	s->tmp_dir = scratch;
	s->runtime_dir = in_scratch("runtime");
	cache_open(s);
	return s;
}

// ---------------------------------------------------------------- rules of make

// Returns the files of a rule, each preceded by "|".
static const char *files_of(const char *rule)
{
	struct depends d = { .dir = "/d", .own_prefix = "/tmp/x/" };
	struct buf b = { 0 };

	depends_rule(&d, rule);
	for map_each(&d.files, e)
		buf_printf(&b, "|%s", e->key);
	return buf_text(&b);
}

static void check_rules(void)
{
	claim(!strcmp(files_of(" /a.h \\\n  b.h\\\n /c.h\n/not\n"), "|/a.h|/d/b.h|/c.h"), "words of a rule, over lines");
	claim(!strcmp(files_of(" /a\\ b.h /c\\\\\\ d.h /e\\\\ /f"), "|/a b.h|/c\\ d.h|/e\\|/f"),
	      "a rule's blanks and backslashes");
	claim(!strcmp(files_of(" /a$$b.h /c\\#d /e\\f \\#g"), "|/a$b.h|/c#d|/e\\f|/d/#g"), "a rule's other escapes");
	claim(!strcmp(files_of(" /tmp/x/a.c \\\n $(wildcard include/config/A) \\\n /a.h \\\n\n"), "|/a.h"),
	      "a rule's files of this run and of kbuild's options do not count");
}

// ---------------------------------------------------------------- cache

static struct cache_key key_of(const char *text)
{
	struct cache_hash *h = cache_hash_new("test");

	cache_hash_text(h, text);
	return cache_hash_end(h);
}

static struct cache_key key_of_two(const char *a, const char *b)
{
	struct cache_hash *h = cache_hash_new("test");

	cache_hash_text(h, a);
	cache_hash_text(h, b);
	return cache_hash_end(h);
}

static struct cache_key key_of_file(const char *path)
{
	struct cache_hash *h = cache_hash_new("test");

	cache_hash_file_id(h, path);
	return cache_hash_end(h);
}

static void check_keys(void)
{
	char *path = put("keys/a", "1");
	struct cache_key old, same, aged;

	setenv("CPATH", "/one", 1);
	old = key_of("a");
	unsetenv("CPATH");
	claim(strcmp(old.hex, key_of("a").hex), "keys know the compiler's environment");
	claim(strcmp(key_of_two("ab", "c").hex, key_of_two("a", "bc").hex), "keys know where a text ends");
	set_age(path, 1000);
	old = key_of_file(path);
	same = key_of_file(path);
	set_age(path, 999);
	aged = key_of_file(path);
	claim(strcmp(old.hex, same.hex) == 0 && strcmp(old.hex, aged.hex), "a file's id changes with its time");
	claim(strcmp(key_of_file("/nowhere").hex, key_of_file(path).hex), "an absent file has an id of its own");
}

static void check_cache_files(void)
{
	struct session *s = new_session("home");
	struct cache_key k = key_of("one"), other = key_of("two");
	char *from = put("tmp/made", "content"), *path;
	struct stat st;

	claim(s->cache_dir && stat(s->cache_dir, &st) == 0 && (st.st_mode & 0777) == 0700, "the cache is for its owner alone");
	claim(!cache_file(s, &k, ".ko"), "what was not added is not found");
	path = cache_add(s, &k, ".ko", from);
	claim(str_starts(path, s->cache_dir) && strcmp(str_read_file(path, NULL), "content") == 0,
	      "a file is added to the cache");
	claim(cache_file(s, &k, ".ko") && strcmp(cache_path(s, &k, ".ko"), path) == 0, "an added file is found");
	claim(strcmp(str_read_file(cache_file(s, &k, ".ko"), NULL), "content") == 0, "a copy has the content alone");
	claim(!cache_file(s, &k, ".o") && !cache_file(s, &other, ".ko"), "another key or suffix is not found");
	set_age(path, 500);
	cache_file(s, &k, ".ko");
	claim(stat(path, &st) == 0 && st.st_mtime > time(NULL) - 100, "finding a file makes it young");
	put(path + strlen(scratch) + 1, "");
	claim(!cache_file(s, &k, ".ko"), "an empty file is not found");
	path = cache_put(s, &k, ".ko", "abc", 3);
	claim(cache_file(s, &k, ".ko"), "a file is replaced");
	claim(!rename(path, str_printf("%.*s.o", (int)strlen(path) - 3, path)) && !cache_file(s, &k, ".o"),
	      "a file of another name is not found");
	s->opt.keep_tmp = true;
	from = put("tmp/kept", "kept");
	path = cache_add(s, &other, ".ko", from);
	claim(exists(from) && strcmp(str_read_file(path, NULL), "kept") == 0, "with -k a file is copied");
}

static void check_cache_off(void)
{
	struct session *s;
	struct cache_key k = key_of("one");
	char *from = put("tmp/off", "content");

	put("a-file", "");
	s = new_session("a-file");
	claim(!s->cache_dir, "a cache that cannot be is off");
	claim(!cache_add(s, &k, ".ko", from) && !cache_file(s, &k, ".ko"),
	      "without a cache files stay where they are");
	s = NEW(struct session);
	s->opt.disable_cache = true;
	cache_open(s);
	claim(!s->cache_dir, "--disable-cache");
}

static void check_cleaning(void)
{
	struct session *s = new_session("full");
	char *big = str_printf("%0600000d", 0), *oldest, *newest, *used, *stale, *fresh;

	put("full/cache/cache_mb_limit", "1\n");
	oldest = put("full/cache/aa/stap_oldest.ko", big);
	newest = put("full/cache/bb/stap_newest.ko", big);
	set_age(oldest, 3000);
	set_age(newest, 2000);
	cache_clean(s);
	claim(!exists(oldest) && exists(newest), "cleaning removes the oldest until the rest fits");
	set_age(newest, 10);
	used = put("full/cache/cc/stap_used.ko", big);
	cache_clean(s);
	claim(exists(used) && exists(newest), "cleaning keeps what was just used");
	put("full/cache/cache_mb_limit", "100");
	set_age(used, 3000);
	stale = put("full/cache/bb/stap_x.ko.new-abcdef", "half");
	fresh = put("full/cache/bb/stap_y.part.o", "whole");
	set_age(stale, 5000);
	set_age(fresh, 5000);
	cache_clean(s);
	claim(exists(used), "below the limit nothing is removed");
	claim(!exists(stale) && exists(fresh), "but abandoned halves are, whatever kind the rest is of");
}

// ---------------------------------------------------------------- kernel trees

static struct session *with_tree(void)
{
	struct session *s = new_session("home");

	put("tree/Makefile", "# a tree\n");
	put("tree/include/config/kernel.release", "5.4.3\n");
	put("tree/include/generated/autoconf.h", "");
	put("tree/include/generated/utsrelease.h", "#define UTS_RELEASE \"5.4.3-7-test\"\n");
	put("tree/.config", "# CONFIG_OFF is not set\nCONFIG_X86_64=y\nCONFIG_M=m\nCONFIG_N=12\nCONFIG_S=\"a b\"\n");
	put("tree/Module.symvers", "0x12345678\tprintk\tvmlinux\tEXPORT_SYMBOL\t\n"
	    "0x00000001\tgpl\tvmlinux\tEXPORT_SYMBOL_GPL\t\n");
	s->opt.build_tree = in_scratch("tree");
	s->kernel = kernel_open(s);
	return s;
}

static void check_kernel(void)
{
	struct session *s = with_tree();
	struct kernel *k = s->kernel;

	claim(strcmp(k->release, "5.4.3-7-test") == 0 && strcmp(k->base_version, "5.4.3") == 0, "release of a tree");
	claim(strcmp(k->arch, "x86_64") == 0 && strcmp(k->source_arch, "x86") == 0, "machine of a tree");
	claim(strcmp(kernel_config(k, "CONFIG_M"), "m") == 0 && strcmp(kernel_config(k, "CONFIG_N"), "12") == 0
	      && strcmp(kernel_config(k, "CONFIG_S"), "a b") == 0 && !kernel_config(k, "CONFIG_OFF"),
	      "configuration of a tree");
	claim(kernel_exports(k, "gpl") && !kernel_exports(k, "gp") && !kernel_exports(k, "vmlinux"), "exports of a tree");
	claim(strcmp(map_get(&k->exports, "printk"), "0x12345678") == 0, "versions of exports");
	s->opt.build_tree = NULL;
	s->opt.release = "2.6.99-none";
	k = kernel_open(s);
	claim(!k->build_tree && !k->image && strcmp(k->base_version, "2.6.99") == 0, "a kernel without a tree can be opened");
}

static bool has_line(const char *text, const char *line)
{
	const char *at = strstr(text, line);

	return at && (at == text || at[-1] == '\n') && at[strlen(line)] == '\n';
}

static void check_compat(void)
{
	struct session *s = with_tree();
	char *text;

	put("tree/include/linux/a.h",
	    "struct outer;\n#define CALLED(x) called(x, x, x)\n"
	    "struct outer {\n\tint first;\n\tstruct { int inner; } in;\n\tvoid (*hook)(int, int);\n};\n"
	    "struct other { int alien; };\n"
	    "static inline int user(void)\n{\n\treturn called(1, 2, 3);\n}\n"
	    "extern int called(int a, void (*f)(int, int));\nint none(void);\n"
	    "struct outer *\nsplit(int a, int b,\n      int c);\n");
	put("tree/arch/x86/include/asm/b.h", "int in_asm(int a);\n");
	put("runtime/kernel/compat.def",
	    "# a comment\n\nY_EXPORT export printk # more\nN_EXPORT export printkk\n"
	    "Y_CONFIG config CONFIG_M\nN_CONFIG config CONFIG_OFF\n"
	    "Y_MEMBER member outer.hook\nY_INNER member outer.inner\nN_MEMBER member outer.alien\nN_PART member outer.firs\n"
	    "N_STRUCT member nothing.first\nY_TWO params called 2\nN_THREE params called 3\nY_NONE params none 0\n"
	    "Y_SPLIT params split 3\nY_ASM params in_asm 1\nN_ABSENT params absent 0\n");
	text = compat_config(s);
	claim(has_line(text, "#define Y_EXPORT 1") && !strstr(text, "N_EXPORT"), "compat export");
	claim(has_line(text, "#define Y_CONFIG 1") && !strstr(text, "N_CONFIG"), "compat config");
	claim(has_line(text, "#define Y_MEMBER 1") && has_line(text, "#define Y_INNER 1") && !strstr(text, "N_MEMBER")
	      && !strstr(text, "N_PART") && !strstr(text, "N_STRUCT"), "compat member");
	claim(has_line(text, "#define Y_TWO 1") && !strstr(text, "N_THREE") && has_line(text, "#define Y_NONE 1")
	      && has_line(text, "#define Y_SPLIT 1") && has_line(text, "#define Y_ASM 1") && !strstr(text, "N_ABSENT"),
	      "compat params");
	put("flavour/include/linux/only_here.h", "struct apart {\n\tint member;\n};\n");
	put("runtime/kernel/compat.def", "Y_APART member apart.member\n");
	claim(!strstr(compat_config(s), "Y_APART"), "compat of another tree");
	put("tree/Makefile", str_printf("include %s/flavour/Makefile\n", in_scratch("")));
	claim(has_line(compat_config(s), "#define Y_APART 1"), "compat of the tree that a Makefile includes");
	put("tree/Makefile", str_printf("KBUILD_OUTPUT=/x\ninclude %s/flavour/Makefile\n", in_scratch("")));
	claim(has_line(compat_config(s), "#define Y_APART 1"), "compat of the tree that a later line includes");
}

// ---------------------------------------------------------------- kbuild's command files

static char *joined(const arguments *words)
{
	struct buf b = { 0 };

	for (int i = 0; i < words->n; i++)
		buf_printf(&b, "%s<%s>", i ? " " : "", words->at[i]);
	return buf_text(&b);
}

static void check_commands_of_objects(void)
{
	struct toolchain t = { 0 };
	arguments metadata = { 0 };

	put("cmd1/.generated.o.cmd",
	    "cmd_/x/generated.o := gcc-12 -Wp,-MMD,/x/.g.d -nostdinc -I./include -include /s/linux/kconfig.h -D__KERNEL__ -O2 "
	    "-fplugin-arg='a b' -g -DKBUILD_BASENAME='\"g\"' -Da=$(pound)$$ -c -o /x/generated.o /x/generated.c   ; "
	    "./tools/objtool/objtool --orc --module /x/generated.o\n\nsource_x := a\n");
	put("cmd1/." MODULE_PLACEHOLDER ".o.cmd", "cmd_x := ld -r -o x.o @x.mod \n");
	put("cmd1/." MODULE_PLACEHOLDER ".ko.cmd",
	    "cmd_x := ld -r -m elf_x86_64 --build-id=sha1  -T arch/x86/module.lds -o /x/y.ko /x/" MODULE_PLACEHOLDER ".o /x/"
	    MODULE_PLACEHOLDER ".mod.o;  true\n");
	claim(kbuild_read_commands(in_scratch("cmd1"), "", &t, &metadata), "objtool on each object");
	claim(strcmp(joined(&t.cc), "<gcc-12> <-nostdinc> <-O2> <-fplugin-arg=a b>") == 0,
	      "compiler options of a command file");
	claim(strcmp(joined(&t.objtool), "<./tools/objtool/objtool> <--orc> <--module>") == 0, "objtool's options");
	claim(strcmp(joined(&t.ld), "<ld> <-r> <-m> <elf_x86_64> <--build-id=sha1> <-T> <arch/x86/module.lds>") == 0,
	      "linker options");
	claim(metadata.n == 1 && strcmp(metadata.at[0], in_scratch("cmd1/" MODULE_PLACEHOLDER ".mod.o")) == 0,
	      "objects of the metadata");
}

static void check_commands_of_linked(void)
{
	struct toolchain t = { 0 };
	arguments metadata = { 0 };

	put("cmd2/.generated.o.cmd",
	    "savedcmd_generated.o := gcc -isystem /x -U__linux__ -D A -mno-sse -c -o generated.o generated.c  \n");
	put("cmd2/." MODULE_PLACEHOLDER ".o.cmd",
	    "savedcmd_x.o := ld -r -o x.o @x.mod  ; /t/objtool --ibt --link  --module x.o\n");
	put("cmd2/." MODULE_PLACEHOLDER ".ko.cmd",
	    "savedcmd_x.ko := ld -r -T m.lds -o x.ko "
	    MODULE_PLACEHOLDER ".o " MODULE_PLACEHOLDER ".mod.o .module-common.o\n");
	claim(!kbuild_read_commands(in_scratch("cmd2"), "", &t, &metadata), "objtool on the linked object");
	claim(strcmp(joined(&t.cc), "<gcc> <-mno-sse>") == 0, "options with a separate operand");
	claim(strcmp(joined(&t.objtool), "</t/objtool> <--link> <--module>") == 0, "objtool without --ibt");
	claim(metadata.n == 2 && str_ends(metadata.at[1], "/cmd2/.module-common.o"), "common metadata of 6.12");
}

static void check_commands_shown(void)
{
	struct toolchain t = { 0 };
	arguments metadata = { 0 };

	put("cmd3/.generated.o.cmd", "cmd_x := gcc -c -o generated.o generated.c\n");
	put("cmd3/." MODULE_PLACEHOLDER ".o.cmd", "cmd_x := ld -r -o x.o @x.mod\n");
	put("cmd3/." MODULE_PLACEHOLDER ".ko.cmd", "cmd_x := ld -r -o x.ko x.o\n");
	claim(kbuild_read_commands(in_scratch("cmd3"), "  echo objtool generated.o\n  ./objtool orc --no /x/unit0.o\n"
				   "  ./t/objtool orc generate --module /x/generated.o\n", &t, &metadata) &&
	      strcmp(joined(&t.objtool), "<./t/objtool> <orc> <generate> <--module>") == 0, "objtool as make showed it");
}

// ---------------------------------------------------------------- stack.c

// Adds a function of the generated C to the session, with the function that it calls, or NULL.
static struct c_function *add_function(struct session *s, const char *name, const char *called)
{
	struct c_function *c = NEW(struct c_function);

	c->part = name;
	if (called)
		vec_push(&c->calls, called);
	map_put(&s->c_functions, name, c);
	return c;
}

// Computes the stack need of a runtime with one kind of hit, and these lines of embedded and generated C.
static struct stp_stack_need need_with(const char *embedded_c, const char *generated, int *errors)
{
	static const struct probe_family hits = { 0 }, exclusive = { .exclusive = true };
	struct probe hit = { .family = &hits, .index = 0 }, begin = { .family = &exclusive, .index = 1 };
	struct session s = { 0 };
	struct stp_stack_need need = { .limit = STP_STACK_USUAL };
	arguments runtime = { 0 }, embedded = { 0 };
	struct stack_calls all = { .runtime = &runtime, .embedded = &embedded };

	add_function(&s, "p0", NULL)->handler = &hit;
	add_function(&s, "p1", NULL)->handler = &begin;
	add_function(&s, "x_f", NULL);
	vec_push(&s.script.probes, &hit);
	vec_push(&s.script.probes, &begin);
	vec_push(&embedded, put("embedded.calls", embedded_c));
	vec_push(&runtime, put("runtime.calls",
			     "n 40 r.c:hit\ne r.c:hit stp_ctx_refused\ne r.c:hit body\nn 60 body\ne body __indirect_call\n"
			     "n 8 stp_ctx_refused\nn 5000 r.c:other\ne r.c:other body\nn 100 print\ne print snprintf\n"
			     "n 16 load\ne load elsewhere\n"));
	all.generated = put("generated.calls", generated);
	*errors = stack_need(&s, &all, &need);
	return need;
}

static struct stp_stack_need need_of(const char *generated, int *errors)
{
	return need_with("e x_f load\n", generated, errors);
}

// Returns the calls in an output of -fcallgraph-info.
static char *calls_of(const char *info)
{
	arguments objects = { 0 };
	size_t len;

	put("unit.ci", info);
	vec_push(&objects, in_scratch("unit.o"));
	return str_read_file(calls_write(&objects, in_scratch("unit.calls")), &len);
}

// Checks the estimate for a compiler that reports frames, but no calls.
static void check_stack_of_frames(void)
{
	struct session s = { 0 };
	struct stp_stack_need need = { .limit = STP_STACK_USUAL };
	arguments objects = { 0 }, calls = { 0 }, none = { 0 };
	struct stack_calls all = { .runtime = &calls, .embedded = &none };

	add_function(&s, "f", "g");
	add_function(&s, "g", NULL);
	add_function(&s, "p0", "f");
	put("frames.su", "r.c:3:f\t500\tstatic\nr.c:9:p0\t24\tstatic\nr.c:12:h\t80\tdynamic,bounded\n");
	vec_push(&objects, in_scratch("frames.o"));
	vec_push(&calls, put("runtime2.calls", "n 700 print\n"));
	all.generated = calls_write(&objects, in_scratch("frames.calls"));
	claim(!stack_need(&s, &all, &need) &&
	      need.hit == 24 + 500 + STP_STACK_USUAL / 4 * 3 && !need.call, "stack-of-frames-without-calls");
}

static void check_stack(void)
{
	enum { BEFORE = 100, SNPRINTF = 448, OTHER = 192, NESTED = 768 };      // values of stack.def
	struct stp_stack_need need;
	int errors;

	need = need_of("n 24 t.c:p0\ne t.c:p0 print\ne t.c:p0 load\n", &errors);
	claim(!errors && need.hit == BEFORE + 24 + 100 + SNPRINTF + NESTED && !need.call, "stack-longest-path");
	need = need_of("n 24 t.c:p0\ne t.c:p0 load\n", &errors);
	claim(!errors && need.hit == BEFORE + 24 + 16 + OTHER + NESTED, "stack-of-kernel-functions");
	need = need_of("n 24 t.c:p0\ne t.c:p0 f\nn 200 f\ne f g\nn 300 g\ne g f\ne g load\n", &errors);
	claim(!errors && need.call == 500 + 16 + OTHER + NESTED && need.hit == BEFORE + 24 + need.call + 500,
	      "stack-of-recursion");
	need = need_of("n 48 t.c:p0\ne t.c:p0 f\nn 64 f\ne f f\n", &errors);
	claim(!errors && need.call == 64 + NESTED && need.hit == BEFORE + 48 + 64 + NESTED + 64,
	      "stack-of-a-function-that-calls-itself");
	need = need_of("n 24 t.c:p0\nn 900 t.c:p1\ne t.c:p1 print\ne t.c:p1 t.c:f.isra.0\nn 800 t.c:f.isra.0\n",
		       &errors);
	claim(!errors && need.hit == BEFORE + 24 + NESTED, "stack-of-begin-is-not-of-hits");
	need = need_of("n 24 t.c:p0\ne t.c:p0 f\nn 900 t.c:p1\ne t.c:p1 f\nn 800 f\n", &errors);
	claim(!errors && need.hit == BEFORE + 24 + 800 + NESTED, "stack-of-a-function-of-both");
	need = need_of("n 24 t.c:p0.part.0\nn 24 t.c:p0\ne t.c:p0 t.c:p0.part.0\nn 700 t.c:p0_entry\n", &errors);
	claim(!errors && need.hit == BEFORE + 700 + NESTED, "stack-of-an-entry");
	need = need_with("n 8 x_f\ne x_f __indirect_call\nn 600 e.c:compare\ne e.c:compare e.c:inner\nn 50 e.c:inner\n",
			 "n 24 t.c:p0\ne t.c:p0 x_f\n", &errors);
	claim(!errors && need.hit == BEFORE + 24 + 8 + OTHER + 650 + NESTED, "stack-of-a-callback-of-embedded-c");
	need = need_with("n 900 x_f\n", "n 24 t.c:p0\n", &errors);
	claim(!errors && need.hit == BEFORE + 24 + NESTED, "stack-of-a-call-that-the-compiler-dropped");
	diag_quiet_push();
	need = need_of("n 24 t.c:p0\nn 4000 t.c:p1\n", &errors);
	claim(errors == 1 && diag_quiet_pop(), "stack-refused-of-begin");
	need = need_of("", &errors);
	claim(!errors && !need.hit, "stack-unknown-without-calls");
	diag_quiet_push();
	need = need_of("n 4096 t.c:p0\n", &errors);
	claim(errors == 1 && diag_quiet_pop() && need.hit > STP_STACK_USUAL, "stack-refused");
	claim(strcmp(calls_of("graph: { title: \"t.c\"\n"
			      "node: { title: \"t.c:f\" label: \"f\\nt.c:3:1\\n96 bytes (static)\" }\n"
			      "node: { title: \"g\" label: \"g\\nt.c:1:1\" shape : ellipse }\n"
			      "edge: { sourcename: \"t.c:f\" targetname: \"g\" label: \"t.c:4:2\" }\n}\n"),
		     "n 96 t.c:f\ne t.c:f g\n") == 0, "stack-calls-of-the-compiler");
	claim(!*calls_of(""), "stack-no-calls-of-the-compiler");
}

int main(void)
{
	mem_init();
	scratch = str_dup("/tmp/build_checkXXXXXX");
	if (!mkdtemp(scratch))
		die("cannot make %s", scratch);
	diag_options.no_warnings = true;
	check_rules();
	check_keys();
	check_cache_files();
	check_cache_off();
	check_cleaning();
	check_kernel();
	check_compat();
	check_commands_of_objects();
	check_commands_of_linked();
	check_commands_shown();
	check_stack();
	check_stack_of_frames();
	if (!failures)
		return system(str_printf("rm -rf %s", scratch)) != 0;
	return EXIT_FAILURE;
}
