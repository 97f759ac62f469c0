// SPDX-License-Identifier: GPL-2.0-or-later
// Pass 4: functions that make a module or a program from generated C and embedded C.
#ifndef MODULE_H
#define MODULE_H

#include "toolchain/tools.h"

#include <libelf.h>
#include <openssl/types.h>

// embedded.c: Compiles session.units to their .object, with headers, or takes them from the cache. t NULL: for the
// user runtime, by `cc`. runtime: distinguishes compilers and runtimes. Returns the number of errors.
int embedded_compile(struct session *s, struct toolchain *t, const arguments *cc, const char *runtime);
// Finds exported symbols of the kernel that the units need and t->symbols lacks (`undefined`: of the linked
// object), and makes an object with their versions: *object, NULL if they need none. Returns the number of errors.
int embedded_versions(struct session *s, const struct toolchain *t, const struct map *undefined, const char **object);

// embedded.c: Writes C that gives the module the version of an exported symbol; nothing without CONFIG_MODVERSIONS.
void version_lines(struct session *s, struct buf *b, const char *symbol);

// runtime_units.c: Compiles the optional units that the script uses. Adds their objects to t->parts and their files
// of calls to t->calls. generated: the object of session.c_text.
void runtime_units_compile(struct session *s, struct toolchain *t, const char *generated);
struct stp_stack_need;
// Files of calls (toolchain/call_graph.c) of the parts of a module.
struct stack_calls {
	const arguments *runtime, *embedded;
	const char *generated;
};
// stack.c: Computes the kernel stack that a hit of session.c_text needs. need->limit: the limit. need->hit is 0 if the
// compiler does not report frames. Returns the number of errors.
int stack_need(struct session *s, const struct stack_calls *calls, struct stp_stack_need *need);

// link.c: Links the generated object, runtime, embedded C and metadata into a .ko of that name; returns NULL after an
// error of the embedded C.
char *link_module(struct session *s, const struct toolchain *t, const char *object, const char *name);

// sign.c, --sign-module: sign_module() appends a signature that the kernel checks to the module, in place.
// sign_add_to_key() adds what the signature depends on, except the private key, which is read only to sign.
// sign_usual_key() returns "KEY,CERTIFICATE" of this host, or NULL.
struct cache_hash;
void sign_module(struct session *s, const char *path);
void sign_add_to_key(struct session *s, struct cache_hash *h);
const char *sign_usual_key(void);
// Reads a private key in PEM. The option is named in messages. The caller frees the key.
EVP_PKEY *sign_read_key(const char *option, const char *path);

// Compiles session.c_text to a program on the user runtime. Returns the number of errors. (user.c)
int user_build(struct session *s);
// Starts building the user runtime for the cache in the background, if it is not there. (user.c)
void user_prepare(struct session *s);
#define BPF_COMPILER "clang"
// bpf.c: Compiles the BPF programs of the file of generated C. Returns an assembler source that contains the object.
const char *bpf_object(struct session *s, const char *source);
// bpf_depth.c: returns false after an error
bool bpf_check_depth(struct session *s, Elf *elf);
struct cache_hash;
// Adds the compiler of BPF programs and its flags to a key.
void bpf_compiler(struct session *s, struct cache_hash *h);
// module.c: adds session.c_text and the files that it includes to a key
void module_add_c(const struct session *s, struct cache_hash *h);
// module.c: writes session.c_text with the definition of STP_FILES, the directory of files that it includes, and
// session.c_files; returns the path of the former.
char *module_write_c(struct session *s);

#endif
