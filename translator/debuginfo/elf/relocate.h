// SPDX-License-Identifier: GPL-2.0-or-later
// Relocation of debug sections of relocatable files: kernel modules and objects.
#ifndef DEBUGINFO_RELOCATE_H
#define DEBUGINFO_RELOCATE_H

#include "debuginfo/elf/elf_view.h"

bool relocate_is_needed(const struct elf_view *v);     // the file is relocatable (ET_REL)
// Assigns addresses (sh_addr) to the sections, 0 to .text.
void relocate_sections(const struct elf_view *v);
// Writes the debug sections' relocated contents; sections must have addresses. False: damaged.
bool relocate_debug(const struct elf_view *v);
// Frees the pages of the file, relocated ones too, but keeps the addresses of sections. The debug sections must be
// relocated again before they are read.
void relocate_undo(const struct elf_view *v);

#endif
