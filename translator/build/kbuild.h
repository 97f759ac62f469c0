// SPDX-License-Identifier: GPL-2.0-or-later
// What kbuild.c, compat.c and link.c do for toolchain.c; nobody else needs it.
#ifndef BUILD_KBUILD_H
#define BUILD_KBUILD_H

#include "build/build.h"
#include "util/str.h"

// A line of runtime/kernel/sources: files that are compiled together.
struct runtime_unit {
	VEC(const char *) families;    // only for modules with probes of one of these; none: for all
	const char *option;        // of the compiler, for this unit; or NULL
	const char *text;          // the C: includes relative to the runtime's directory
};
typedef VEC(struct runtime_unit) runtime_units;
// Dies when the runtime is not there. (sources.c)
void runtime_read_units(const struct session *s, runtime_units *units);
bool runtime_unit_needed(const struct runtime_unit *u, const char *generated);
// Objects of the families that session.c_text uses and their calls, added to t->parts and t->calls. (parts.c)
void parts_compile(struct session *s, struct toolchain *t);
// C that gives the module the version of an exported symbol; nothing without CONFIG_MODVERSIONS. (embedded.c)
void version_lines(struct session *s, struct buf *b, const char *symbol);

#define KBUILD_GENERATED "generated"       // the unit of the generated C

// tmp_dir/kbuild with everything for a module of that name. generated: the generated C's text.
char *kbuild_directory(struct session *s, const char *name, const char *generated);
// Returns make's output. Dies with it and advice when make fails.
char *kbuild_run(struct session *s, const char *dir);
// Fills in cc, objtool and ld from a run for MODULE_PLACEHOLDER; metadata: the objects that modpost
// added.
void kbuild_read_commands(const char *dir, const char *output, struct toolchain *t,
			  arguments *metadata);
// Objects of the units NAME0, NAME1, ... in the directory, added to *out.
void kbuild_units(const char *dir, const char *name, arguments *out);
void kbuild_write(const char *path, const char *text);
// Dies when a tool that writes into dir failed, with this output, for a reason we know advice for.
void build_advise(const char *output, const char *dir);

// runtime/kernel/compat.def -> the text of stp_config.h for this kernel. (compat.c)
char *compat_config(struct session *s);

// The path of a program in $PATH, or `name`. (toolchain.c)
const char *tool_find(const char *name);
// Dies when a tool's exit status says that it was interrupted. (compile.c)
void tool_interrupted(int status);
// Runs a tool that makes `output`; dies with what it said, and that it is a bug, when it fails.
// (compile.c)
void tool_run(const struct toolchain *t, const arguments *argv, const char *doing,
	      const char *output);
// objtool as this kernel has it run, on the object in place. (compile.c)
void tool_objtool(const struct toolchain *t, const char *object);
// Converts the compiler's data of frames and calls of these objects to a file of calls. Returns its path. (stack.c)
char *stack_calls(const arguments *objects, const char *path);
// t->ld without what only the .ko gets: a relocatable object from objects. (link.c)
void link_objects(const struct toolchain *t, const arguments *objects, const char *output);
// Symbols that a .ko leaves to the kernel. (link.c)
void link_undefined(const char *path, struct map *symbols);

#endif
