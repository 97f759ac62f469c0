// SPDX-License-Identifier: GPL-2.0-or-later
// Inlined functions and source lines of an address, by DWARF.
#ifndef INLINES_H
#define INLINES_H

#include <elfutils/libdw.h>

enum { INLINES_MAX = 64 };

struct source_frame {
	const char *function;              // the linkage name if there is one; NULL: unknown
	const char *file;                  // NULL: unknown
	unsigned line;
};

struct inlines;

// Indexes the units of a file. The strings of source_frame are valid as long as `dw` is open.
struct inlines *inlines_open(Dwarf *dw);
// Stores the function that has this address, then the functions that are inlined there, from the outer ones to the
// inner ones. Each has the line that it executes. Returns their number, at most INLINES_MAX; 0: no function is known.
unsigned inlines_at(struct inlines *in, Dwarf_Addr pc, struct source_frame *to);

#endif
