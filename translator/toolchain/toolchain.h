// SPDX-License-Identifier: GPL-2.0-or-later
// The target kernel's compiler, linker and objtool with their options, and the runtime compiled by them.
#ifndef TOOLCHAIN_H
#define TOOLCHAIN_H

#include "session/session.h"

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
	const char *depends;       // list of the files that the runtime was compiled from (depends.c)
	const char *compiler_id;   // programs: path, size, times; the state of `depends`
	const char *runtime;       // runtime.o
	arguments calls;           // of the runtime, its parts and the embedded C: files of calls (calls.c)
	arguments parts;           // module/parts.c: objects of the families that this script uses
	const char *metadata;      // __this_module, .modinfo, __versions of a module called MODULE_PLACEHOLDER
	struct cache_key id, key;  // of the kernel and the runtime: by times of files, by contents
};
// As long as a module's name may be: the real one is written over it.
#define MODULE_NAME_MAX 55
#define MODULE_PLACEHOLDER "stap_0000000000_0000000000_0000000000_0000000000_000000"
// From the cache, else by one kbuild run. Dies with advice.
struct toolchain *toolchain_open(struct session *s);
// False: the runtime's files or the kernel's have changed since toolchain_open().
bool toolchain_current(const struct session *s, const struct toolchain *t);
// "<a.h><b.h>" -> an object with the DWARF of their types. NULL after diag_error(). (headers.c)
const char *headers_compile(struct session *s, struct loc loc, const char *headers, bool kernel);

#endif
