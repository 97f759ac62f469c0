// SPDX-License-Identifier: GPL-2.0-or-later
// What has to be given back one day, by di_close() at the latest. In this order: each stands on those
// below.
#ifndef DEBUGINFO_HELD_H
#define DEBUGINFO_HELD_H

#include "debuginfo/module.h"

enum held_kind { HELD_BTF, HELD_FRAME, HELD_CFI,
		 HELD_UNIT,        // handles of libdw: of one unit of a big file,
		 HELD_WHOLE,       // of all of a file: references from unit to unit are good,
		 HELD_SHARED,      // of what dwz made of what several files have,
		 HELD_SPLIT,       // of a .dwo, which goes with the one it was split off; len: its place there
		 HELD_ELF, HELD_PAGES, HELD_KINDS };

void held_add(enum held_kind kind, void *what, size_t len);   // len: of pages
bool held_find(enum held_kind kind, const void *what, size_t *len);
bool held_has(enum held_kind kind, const void *what);
void held_release(enum held_kind kind, void *what);           // one that isn't held: nothing is done

#endif
