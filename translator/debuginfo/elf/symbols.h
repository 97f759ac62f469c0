// SPDX-License-Identifier: GPL-2.0-or-later
// Symbol tables of ELF files and of kernel images, as one array of functions.
#ifndef DEBUGINFO_SYMBOLS_H
#define DEBUGINFO_SYMBOLS_H

#include "debuginfo/elf/elf_view.h"

struct symbol {
	const char *name;
	uint64_t address;          // link-time
	uint64_t size;             // 0 unknown
	bool global;
};

// Reads functions in .text, from a cached table (sorted by address) or from .symtab (unsorted).
struct symbol_entry {          // an entry of the cached table
	uint64_t address;
	uint32_t name;             // offset in the strings
	uint32_t flags;            // 1: global
};
struct symbols {
	const struct symbol_entry *table;
	const Elf64_Sym *symtab;
	int n;
	const char *strings;
	size_t strings_len;        // the last byte is 0
	uint64_t text, text_end;   // range of .text; symbols of .symtab outside of it are skipped
	int text_index;
	struct elf_view module;    // kernel module: all its code sections are included
	struct map *counts;        // name -> number of symbols with the name; NULL: not counted yet
};
bool symbols_is_code(const struct elf_view *v, const Elf64_Shdr *section);
bool symbols_from_elf(struct symbols *t, const struct elf_view *v);
bool symbols_exported(struct symbols *t, const struct elf_view *v);   // reads only .dynsym
void symbols_join(struct symbols *t, const struct symbols *other);    // adds the symbols of another file; neither may
								      // be a cached table
bool symbols_get(const struct symbols *t, int i, struct symbol *out); // returns false if entry i is not a function
// Labels of assembler code that have no type, in .text of a program; their size is unknown. The compiler's local
// labels and the mapping symbols of arm64 are excluded. False: entry i is not such a label.
bool symbols_get_label(const struct symbols *t, int i, struct symbol *out);
bool symbols_get_object(const struct symbols *t, int i, struct symbol *out);  // returns false if entry i is not a
									      // variable
// Returns a symbol by which the kernel can find the function of a module at this address: its own if it is unique, else
// a unique one of the same section. *at is its address. NULL: none.
const char *symbols_anchor(struct symbols *t, const char *name, uint64_t address, uint64_t *at);
bool symbols_is_repeated(struct symbols *t, const char *name);        // several symbols have the name
// Length of the name without the suffixes of clones (".isra.0", ".constprop.0").
size_t symbol_stem(const char *symbol);
// Returns true for parts that the compiler split off a function: .cold, .part.0. Callers do not call them by the
// function's name.
bool symbol_is_part(const char *symbol);
// Finds a symbol of any type by its exact name, a global one first.
bool symbols_lookup(const struct symbols *t, const char *name, struct symbol *out);

#endif
