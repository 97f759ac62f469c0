// SPDX-License-Identifier: GPL-2.0-or-later
// The steps of compiling and linking for the target kernel, for toolchain/ and module/.
#ifndef TOOLS_H
#define TOOLS_H

#include "toolchain/toolchain.h"
#include "util/map.h"
#include "util/str.h"

#include <time.h>

// A line of runtime/kernel/sources: files that are compiled together.
struct runtime_unit {
	VEC(const char *) users;   // families or symbols ("stp_...") of the modules that need the unit; empty: all
				   // modules need it
	const char *option;        // option of the compiler for this unit, or NULL
	const char *text;          // the C text: includes relative to the runtime's directory
};
typedef VEC(struct runtime_unit) runtime_units;
// sources.c: Dies if the runtime is not found.
void runtime_read_units(const struct session *s, runtime_units *units);
// symbols: those that the module's other objects leave undefined; NULL: all symbols count as undefined.
bool runtime_unit_needed(const struct runtime_unit *u, const name_list *families, const struct map *symbols);
#define KBUILD_GENERATED "generated"       // the unit of the generated C

// Makes tmp_dir/kbuild with all files for a module of that name. generated: the text of its C, which has tables of
// these families; NULL: the runtime has only the units that all modules require.
char *kbuild_directory(struct session *s, const char *name, const char *generated, const name_list *families);
// Returns make's output. Dies with it and advice if make fails.
char *kbuild_run(struct session *s, const char *dir);
// Fills in cc, objtool and ld from a run for MODULE_PLACEHOLDER; metadata: the objects that modpost
// added. Returns whether objtool has run on the units.
bool kbuild_read_commands(const char *dir, const char *output, struct toolchain *t,
			  arguments *metadata);
// Returns the list of files that kbuild's compilers read beside the directory and the runtime, or NULL if one changed
// since `start`.
char *kbuild_depends(const struct session *s, const char *dir, struct timespec start);
// Splits a shell command into words without quotes. Stops at an unquoted ";" or the end of the line; returns the
// character after it, NULL at the end.
const char *words_of_command(const char *p, arguments *words);
// Adds the objects of the units NAME0, NAME1, ... in the directory to *out.
void kbuild_units(const char *dir, const char *name, arguments *out);
void kbuild_write(const char *path, const char *text);
void kbuild_write_bytes(const char *path, const void *bytes, size_t len);
// Dies with advice if a tool that writes into dir failed, with this output, for a known reason.
void build_advise(const char *output, const char *dir);

// compat.c: Returns the text of stp_config.h for this kernel, made from runtime/kernel/compat.def.
char *compat_config(struct session *s);

struct cache_hash;
// depends.c: The files that a compilation depends on.
struct depends {
	const char *dir;           // where the compiler ran
	const char *own_prefix;    // the prefix of names of this run's files, which are not dependencies; may be
				   // NULL
	struct timespec start;     // depends_now() before the compiler was started
	struct map files, absent;  // paths that were read; paths that were searched and not found
	struct map present, seen;  // private
};
struct timespec depends_now(void);
// Adds the files of a rule of make; `rule` begins after its target.
void depends_rule(struct depends *d, const char *rule);
// Adds the compiler's options that write a rule file.
void depends_options(arguments *argv, const char *rule);
// Returns the list of dependencies of an object that was compiled with depends_options(). `compiler` is the command
// without these options, `input` the C file, `rules` the rule file's text. Returns NULL if caching is off, or if a
// file has changed since the start; then nothing is cached in this run.
char *depends_of(struct session *s, struct depends *d, const arguments *compiler, const char *input, const char *rules);
// Returns the list of d->files and d->absent, or NULL if a file has changed since the start.
char *depends_list(const struct depends *d);
// Returns a key of `names` and of the current state of these paths.
struct cache_key depends_key(const struct cache_key *names, const char *list);

// tools.c: Returns path, size and times of a compiler and of the programs that it runs. dir: where relative names
// begin.
const char *tool_id(struct session *s, const char *name);
// Returns the state of all programs that a command names before its options ("ccache gcc"). compiler: the last of
// them is a compiler, whose own programs are included.
char *tool_ids(struct session *s, const char *dir, const arguments *words, bool compiler);
// Adds the directory to the hash if options or variables of a compiler may have paths that begin with it.
void cache_hash_directory(struct cache_hash *h);
// Dies when a tool's exit status says that it was interrupted. (compile.c)
void tool_interrupted(int status);
// compile.c: Runs a tool that makes `output`; if it fails, dies with its messages, as a bug.
void tool_run(const struct toolchain *t, const arguments *argv, const char *doing,
	      const char *output);
// compile.c: Runs objtool with this kernel's options on the object, in place.
void tool_objtool(const struct toolchain *t, const char *object);
// call_graph.c: Converts the compiler's data of frames and calls of these objects to a file of calls. Returns its path.
char *calls_write(const arguments *objects, const char *path);
// Returns the number in a BYTES field of a file of calls (call_graph.c); 0 if the field is invalid.
int calls_bytes(const char *text);

// gcc_steps.c: Adds the command that compiles this file as t->cc does.
void gcc_arguments(const struct session *s, const struct toolchain *t, const char *c_path, const char *object,
		   arguments *argv);
// gcc_steps.c: Sets t->compile and t->assemble, if the compiler is gcc and they make the same object. Writes into
// dir.
void gcc_find_steps(struct session *s, struct toolchain *t, const char *dir);
// gcc_steps.c: Adds a command of gcc_find_steps() for the file DIRECTORY/NAME.c, whose object is
// DIRECTORY/NAME.c.o.
void gcc_step(const arguments *step, const char *c_path, arguments *argv);

// compile.c: Compiles generated C to an object, without make.
char *compile_generated(struct session *s, const struct toolchain *t, const char *c_path);

// --kbuild: Builds everything by an ordinary kbuild run. Returns the .ko; *generated: the object of the generated C;
// *others: those of the runtime and the embedded C are added.
char *kbuild_module(struct session *s, const char *c_path, const char *name, const char **generated, arguments *others);

// object.c: Links objects into one. module: into the .ko, with the kernel's linker script.
void object_link(const struct toolchain *t, const arguments *objects, const char *output, bool module);
// Adds the symbols that an object or a .ko leaves undefined.
void object_undefined(const char *path, struct map *symbols);
// Writes the module's name over MODULE_PLACEHOLDER.
void object_name_module(const char *module, const char *name);
struct stp_stack_need;
unsigned int object_stack_limit(const char *module);           // returns the bytes of stack that the runtime allows
							       // a hit to need
void object_write_stack(const char *module, const struct stp_stack_need *need);

#endif
