// SPDX-License-Identifier: GPL-2.0-or-later
// ELF files in memory: sections by name, build-ids, 32-bit files. elf_view.c and elf_from_i386.c read them.
#ifndef DEBUGINFO_ELF_VIEW_H
#define DEBUGINFO_ELF_VIEW_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bytes {                 // not owned by the holder; valid until di_close()
	const uint8_t *at;
	size_t len;
};

struct elf_view {
	struct bytes file;
	const Elf64_Shdr *sections;
	int n;
	int machine;
};
// Finds a variable by name in a symbol table (".symtab" with ".strtab").
bool elf_view_variable(const struct elf_view *v, const char *table, const char *names, const char *name,
		       uint64_t *address);
bool elf_view_open(struct elf_view *v, struct bytes file);    // supports only 64-bit little-endian files
// elf_from_i386.c: converts an i386 file to 64-bit ELF with the same offsets. Empty: damaged.
bool elf_is_32bit(struct bytes file);
struct bytes elf_from_i386(struct bytes file);
// Finds a section by name; false if it is absent or SHT_NOBITS.
bool elf_view_section(const struct elf_view *v, const char *name, struct bytes *out);
const Elf64_Shdr *elf_view_header(const struct elf_view *v, const char *name);
const char *elf_view_name(const struct elf_view *v, const Elf64_Shdr *section);  // "": no name
// Returns the GNU build-id from the notes of any section or segment; empty: not found.
struct bytes elf_view_build_id(const struct elf_view *v);
struct bytes elf_note_build_id(struct bytes notes);   // notes: contents of a section; empty: not found
const char *build_id_text(struct bytes id);           // hexadecimal digits; "none" for an empty ID
char *build_id_path(const char *dir, struct bytes id);        // "DIR/.build-id/12/3456.debug"

#endif
