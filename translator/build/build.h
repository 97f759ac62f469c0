// SPDX-License-Identifier: GPL-2.0-or-later
// From generated C to a running module: what the passes 4 and 5 share, and what passes 1 and 2 ask
// of the target kernel.
#ifndef BUILD_H
#define BUILD_H

#include "session/session.h"

// What the target kernel has, read from its build tree and image. (kernel.c)
struct kernel {
	const char *release;       // "6.1.0-56-cloud-amd64"
	const char *base_version;  // "6.1.0"
	const char *arch;          // kbuild's: "x86_64", "arm64"
	const char *source_arch;   // the directory of arch/: "x86", "arm64"
	const char *build_tree;    // /lib/modules/REL/build, or NULL when there is none
	const char *image;         // /boot/vmlinuz-REL or a vmlinux beside the build tree, or NULL
	struct map config;         // CONFIG_X -> "y", "m", "123", "text"; loaded at first kernel_config()
	struct map exports;        // Module.symvers: symbol -> CRC text; loaded at first kernel_exports()
	const char *config_text;   // .config, "" when there is none
	bool config_loaded, exports_loaded;
};
struct kernel *kernel_open(struct session *s);
// kbuild's name of a machine that it or uname names ("aarch64", "arm64" -> "arm64"); NULL: unknown here.
const char *kernel_arch(const char *name);
const char *kernel_host_arch(void);
// What the names of its tools begin with on another machine: "aarch64-linux-gnu-"; NULL: this machine's.
const char *kernel_cross_prefix(const struct kernel *k);
// NULL when unset.
const char *kernel_config(struct kernel *k, const char *name);
bool kernel_exports(struct kernel *k, const char *symbol);
// Dies with advice (which package) when there is no build tree.
void kernel_need_build_tree(const struct kernel *k);

// The cache: $SYSTEMTAP_DIR/cache or ~/.systemtap/cache, mode 0700, bounded. Everything that fails
// here means "no cache", with a warning once. (cache.c)
void cache_open(struct session *s);        // sets s->cache_dir, or leaves it NULL; called by main()
struct cache_hash;
// Makes a key of what is added to it and of the environment of compilers. format: the kind of file, and its version.
struct cache_hash *cache_hash_new(const char *format);
void cache_hash_add(struct cache_hash *h, const void *bytes, size_t len);
void cache_hash_text(struct cache_hash *h, const char *text);        // length included
void cache_hash_file_id(struct cache_hash *h, const char *path);     // path, size, times
struct cache_key cache_hash_end(struct cache_hash *h);
// The path of a file that is as it was written, or NULL. Behind the content stand its length and checksum
// (cache_file.c): text ends there as read by str_read_file(); what is mapped must know its own length.
char *cache_find(struct session *s, const struct cache_key *k, const char *suffix);
// Writes a file. Returns its path; NULL when caching is off or fails.
char *cache_put(struct session *s, const struct cache_key *k, const char *suffix, const void *bytes, size_t len);
// The same with a copy of `from`, which is returned when caching is off or fails.
char *cache_add(struct session *s, const struct cache_key *k, const char *suffix, const char *from);
void cache_clean(struct session *s);

// user.c: pass 4 on the user runtime, generated C -> program. Returns the number of errors.
int user_build(struct session *s);
// Pass 5 there: runs it with -c, -x, -G, -o. Returns its exit status.
int user_run(struct session *s);

// run.c: dies with advice when the running kernel takes no modules.
void run_need_modules(void);
// vm.c: the newest kernel in /boot that has an image; dies with advice when there is none.
const char *vm_default_release(void);

// How this kernel's modules are compiled and linked, and the runtime made that way. (kbuild.c)
// Commands are argument lists as kbuild ran them (in `dir`), without input, output and dependency files.
typedef VEC(const char *) arguments;
struct toolchain {
	const char *dir;           // where the commands run: relative paths in them start here
	const char *source_arch;   // what objtool wants in SRCARCH
	arguments cc;              // compiles generated C
	arguments header_cc;       // compiles C that includes the kernel's headers
	arguments objtool;         // empty: the kernel doesn't use it
	bool objtool_linked;       // on the linked object, not on each one
	arguments ld;              // makes the .ko: -r, script, build-id
	struct map symbols;        // what the metadata has versions for: all that a module may leave undefined
	const char *compiler_id;   // path, size, mtime of compiler, linker and objtool
	const char *runtime;       // runtime.o
	arguments calls;           // of the runtime, its parts and the embedded C: files of calls (stack.c)
	arguments parts;           // build.c: objects of the families that this script uses
	const char *metadata;      // __this_module, .modinfo, __versions of a module called MODULE_PLACEHOLDER
	struct cache_key key;      // of the kernel and the runtime
};
// As long as a module's name may be: the real one is written over it.
#define MODULE_NAME_MAX 55
#define MODULE_PLACEHOLDER "stap_0000000000_0000000000_0000000000_0000000000_000000"
// From the cache, else by one kbuild run. Dies with advice.
struct toolchain *toolchain_open(struct session *s);
// The oracle, --kbuild: everything by an ordinary kbuild run. Returns the .ko; *generated: the object of the
// generated C; *others: those of the runtime and the embedded C are added.
char *kbuild_module(struct session *s, const char *c_path, const char *name, const char **generated, arguments *others);

// session.units -> their .object, with headers; from the cache when it has them. t NULL: the user
// runtime's, by `cc`. runtime: tells compilers and runtimes apart. Returns the number of errors. (embedded.c)
int embedded_compile(struct session *s, struct toolchain *t, const arguments *cc, const char *runtime);
// What the units need of the kernel beyond t->symbols, `undefined` of the linked object: an object
// with its versions in *object, or NULL when there is nothing. Returns the number of errors.
int embedded_versions(struct session *s, const struct toolchain *t, const struct map *undefined, const char **object);

// "<a.h><b.h>" -> an object with the DWARF of their types. NULL after diag_error(). (headers.c)
const char *headers_compile(struct session *s, struct loc loc, const char *headers, bool kernel);

// A key of the files that a compiler's rule (-MD) names beside those of this run, and of `names`. (headers.c)
struct cache_key headers_key(const struct session *s, const struct cache_key *names, const char *rule_file);

struct stp_stack_need;
// Computes the kernel stack for a hit of session.c_text. generated: its file of calls; need->most: the limit.
// `hit` 0: the compiler does not report frames. Returns the number of errors. (stack.c)
int stack_need(struct session *s, const arguments *calls, const char *generated, struct stp_stack_need *need);

// Generated C -> object, without make. (compile.c)
char *compile_generated(struct session *s, const struct toolchain *t, const char *c_path);
// Generated object, runtime, embedded C, metadata -> .ko of that name; NULL after an error of the
// embedded C. (link.c)
char *link_module(struct session *s, const struct toolchain *t, const char *object, const char *name);
unsigned int link_stack_limit(const char *module);             // the runtime's limit of what a hit may need
void link_write_stack(const char *module, const struct stp_stack_need *need);

#endif
