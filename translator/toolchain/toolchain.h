// SPDX-License-Identifier: GPL-2.0-or-later
// The target kernel's compiler, linker and objtool with their options, and the runtime compiled by them.
#ifndef TOOLCHAIN_H
#define TOOLCHAIN_H

#include "session/session.h"

// kbuild.c: The commands with which this kernel's modules are compiled and linked, and the runtime compiled by them.
// Commands are argument lists as kbuild ran them (in `dir`), without input, output and dependency files.
typedef VEC(const char *) arguments;
struct toolchain {
	const char *dir;           // where the commands run: relative paths in them start here
	const char *source_arch;   // objtool expects it in SRCARCH
	arguments cc;              // compiles generated C
	arguments compile, assemble;       // the commands that cc runs for generated C, or empty (gcc_steps.c)
	arguments header_cc;       // compiles C that includes the kernel's headers
	arguments objtool;         // empty: not used by the kernel
	arguments ld;              // makes the .ko: -r, script, build-id
	// symbols for which the metadata has versions: all that a module may leave undefined
	struct map symbols;
	const char *depends;       // list of the files that the runtime was compiled from (depends.c)
	const char *compiler_id;   // programs: path, size, times; the state of `depends`
	const char *runtime;       // runtime.o
	arguments calls;           // files of calls (call_graph.c) of the runtime and its optional units
	arguments embedded_calls;  // and of the embedded C
	arguments parts;           // module/runtime_units.c: objects of the families that this script uses
	const char *metadata;      // __this_module, .modinfo, __versions of a module called MODULE_PLACEHOLDER
	struct cache_key id, key;  // keys of the kernel and the runtime: by times of files, by contents
};
// Maximum length of a module's name, which replaces the placeholder in the metadata.
#define MODULE_NAME_MAX 55
#define MODULE_PLACEHOLDER "stap_0000000000_0000000000_0000000000_0000000000_000000"
// Starts building the runtime for the cache in the background, if it is not there and the kernel's build tree is.
void toolchain_prepare(struct session *s);
// Returns the toolchain from the cache, else from one kbuild run. Dies with advice.
struct toolchain *toolchain_open(struct session *s);
// Returns false if the runtime's files or the kernel's have changed since toolchain_open().
bool toolchain_current(const struct session *s, const struct toolchain *t);
// headers.c: Compiles "<a.h><b.h>" to an object with the DWARF of their types. Returns NULL after diag_error().
const char *headers_compile(struct session *s, struct loc loc, const char *headers, bool kernel);

#endif
