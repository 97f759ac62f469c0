// SPDX-License-Identifier: GPL-2.0-or-later
// Pass 4: what makes a module or a program from generated C and embedded C.
#ifndef MODULE_H
#define MODULE_H

#include "toolchain/tools.h"

// session.units -> their .object, with headers; from the cache when it has them. t NULL: the user
// runtime's, by `cc`. runtime: tells compilers and runtimes apart. Returns the number of errors. (embedded.c)
int embedded_compile(struct session *s, struct toolchain *t, const arguments *cc, const char *runtime);
// Finds what the units need of the kernel beyond t->symbols, `undefined` of the linked object, and makes an object
// with its versions: *object, NULL if they need nothing. Returns the number of errors.
int embedded_versions(struct session *s, const struct toolchain *t, const struct map *undefined, const char **object);

// C that gives the module the version of an exported symbol; nothing without CONFIG_MODVERSIONS. (embedded.c)
void version_lines(struct session *s, struct buf *b, const char *symbol);

// Objects of the families that session.c_text uses and their calls, added to t->parts and t->calls. (parts.c)
void parts_compile(struct session *s, struct toolchain *t);
struct stp_stack_need;
// Computes the kernel stack for a hit of session.c_text. generated: its file of calls; need->most: the limit.
// `hit` 0: the compiler does not report frames. Returns the number of errors. (stack.c)
int stack_need(struct session *s, const arguments *calls, const char *generated, struct stp_stack_need *need);

// Generated object, runtime, embedded C, metadata -> .ko of that name; NULL after an error of the
// embedded C. (link.c)
char *link_module(struct session *s, const struct toolchain *t, const char *object, const char *name);

// Compiles session.c_text to a program on the user runtime. Returns the number of errors. (user.c)
int user_build(struct session *s);

#endif
