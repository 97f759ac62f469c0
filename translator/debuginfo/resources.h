// SPDX-License-Identifier: GPL-2.0-or-later
// What has to be given back one day, by di_close() at the latest. In this order: each stands on those
// below.
#ifndef DEBUGINFO_RESOURCES_H
#define DEBUGINFO_RESOURCES_H

#include "debuginfo/module.h"

enum resource_kind { RESOURCE_BTF, RESOURCE_FRAME, RESOURCE_CFI,
		 RESOURCE_DWARF_UNIT,        // handles of libdw: of one unit of a big file,
		 RESOURCE_DWARF_FILE,       // of all of a file: references from unit to unit are good,
		 RESOURCE_DWARF_ALT,      // of what dwz made of what several files have,
		 RESOURCE_DWARF_DWO,       // of a .dwo, which goes with the one it was split off; len: its place there
		 RESOURCE_ELF, RESOURCE_PAGES, RESOURCE_KINDS };

void resource_add(enum resource_kind kind, void *what, size_t len);   // len: of pages
bool resource_find(enum resource_kind kind, const void *what, size_t *len);
bool resource_has(enum resource_kind kind, const void *what);
void resource_release(enum resource_kind kind, void *what);           // one that isn't held: nothing is done

#endif
