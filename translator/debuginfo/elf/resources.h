// SPDX-License-Identifier: GPL-2.0-or-later
// Mapped files, and the resources that di_close() frees in the order of their kinds: earlier kinds use later ones.
#ifndef DEBUGINFO_RESOURCES_H
#define DEBUGINFO_RESOURCES_H

#include "debuginfo/elf/elf_view.h"

// Maps a file read-only. map_zeroed() maps anonymous zeroed pages; map_pages() does, too, for a table that will be
// filled completely. Empty or NULL on failure, with errno set.
struct bytes map_file(const char *path);
void *map_pages(size_t len);
struct bytes map_zeroed(size_t len);
// Makes the pages of a part of a mapped file writable, in a private copy that map_unload() retains. No effect on
// other memory, which is writable.
void map_writable(struct bytes b);
// Frees the memory of pages, which are read again on access. They are a mapped file or a part of it; or a whole
// anonymous mapping, which is first moved to an unnamed file in `dir` and becomes read-only (dir NULL: no effect).
// No effect on parts below 1 MiB, or if the file cannot be written.
void map_unload(struct bytes b, const char *dir);
// Frees the pages of a part of a mapped file and discards changes. No effect on other memory.
void map_discard(struct bytes b);
void map_shrink(struct bytes *b, size_t len);
void unmap(struct bytes *b);                                  // unmaps a large short-lived mapping

enum resource_kind {
	RESOURCE_BTF, RESOURCE_FRAME, RESOURCE_CFI,
	RESOURCE_DWARF_UNIT,       // libdw handle of one unit of a large file
	RESOURCE_DWARF_FILE,       // libdw handle of a whole file, in which references between units resolve
	RESOURCE_DWARF_ALT,        // libdw handle of a supplementary file of dwz (.gnu_debugaltlink)
	RESOURCE_DWARF_DWO,        // libdw handle of a .dwo, freed with its skeleton's handle; len: its offset
	RESOURCE_ELF, RESOURCE_PAGES, RESOURCE_KINDS
};

void resource_add(enum resource_kind kind, void *what, size_t len);   // len: size of mapped pages
bool resource_find(enum resource_kind kind, const void *what, size_t *len);
bool resource_has(enum resource_kind kind, const void *what);
void resource_release(enum resource_kind kind, void *what);           // no effect on a resource that was not added
void resource_release_all(void);

#endif
