// SPDX-License-Identifier: GPL-2.0-or-later
// Resources that di_close() frees, in this order: earlier kinds use later ones.
#ifndef DEBUGINFO_RESOURCES_H
#define DEBUGINFO_RESOURCES_H

#include "debuginfo/module.h"

enum resource_kind { RESOURCE_BTF, RESOURCE_FRAME, RESOURCE_CFI,
		 RESOURCE_DWARF_UNIT,        // libdw handles: of one unit of a large file,
		 RESOURCE_DWARF_FILE,       // of a whole file, in which references between units resolve,
		 RESOURCE_DWARF_ALT,      // of a supplementary file of dwz (.gnu_debugaltlink),
		 RESOURCE_DWARF_DWO,       // of a .dwo, freed with its skeleton's handle; len: its offset
		 RESOURCE_ELF, RESOURCE_PAGES, RESOURCE_KINDS };

void resource_add(enum resource_kind kind, void *what, size_t len);   // len: of pages
bool resource_find(enum resource_kind kind, const void *what, size_t *len);
bool resource_has(enum resource_kind kind, const void *what);
void resource_release(enum resource_kind kind, void *what);           // no effect if it was not added

#endif
