// SPDX-License-Identifier: GPL-2.0-or-later
// Names, inlined functions and source lines for the frames of call stacks, from the files that they were in: programs,
// libraries, the kernel and its modules, with their debuginfo as far as it is installed.
#ifndef SYMBOLS_H
#define SYMBOLS_H

#include "files.h"

struct symbol {
	struct text function;              // demangled
	struct text file;                  // source file; empty: unknown
	unsigned line;                     // line that it executes, 0: unknown
};

struct code_location {                             // code location of a frame, as a handler has printed it
	struct text module;                // "kernel", a module of the kernel, or the path of a file
	struct text function;              // empty: `offset` is from the start of the file
	uint64_t offset;                   // offset in the function in bytes
	uint64_t size;                     // size of the function; without one, end of the mapping in the file; 0: unknown
	bool returns;                      // the address is a return address
	const struct recorded_file *file;  // the module as it was recorded; NULL: its build ID is unknown
};

// Returns the functions at the location: first the function itself, then those that are inlined there, from the
// outermost to the innermost. *n is their number; it is 0 if the file is missing, or is not the one that ran.
// `release` is the kernel's. Valid until symbols_forget().
const struct symbol *symbols_at(const char *release, const struct code_location *p, unsigned *n);
// Files below the directory are used first.
void symbols_set_sysroot(const char *directory);
// From now on, files may be truncated while libdw has mapped them.
void symbols_survive_truncation(void);
// Frees the symbols that were found. Files stay open.
void symbols_forget(void);

#endif
