// SPDX-License-Identifier: GPL-2.0-or-later
// Format of the index of a DWARF file: DIEs by name and address, so that only units that are needed are parsed.
// index_build.c makes it; index.c caches it and looks entries up.
//
//   struct index_header
//   the tables, each from an offset that is a multiple of 8:
//     strings zero-terminated; the first one is ""
//     files u32: strings, paths relative to the root of the source tree
//     units struct index_unit, sorted by offset in .debug_info
//     ranges struct index_range, sorted by address: the unit that has code there
//     functions   struct index_function, by name, then address
//     by_address u32: numbers of functions, sorted by address
//     inlines     struct index_inline, by name: functions that were inlined
//     copies      struct index_copy, by inline, then address
//     types       struct index_type, by name, then tag: full definitions, one for each name
//     variables struct index_name, by name: global and static variables that have a location
//     enumerators struct index_name, by name: one for each
//
// Numbers are in native byte order. Addresses are link-time addresses minus header.base; DIEs are offsets in
// .debug_info. The same file always gives the same index.
#ifndef DEBUGINFO_INDEX_FORMAT_H
#define DEBUGINFO_INDEX_FORMAT_H

#include "debuginfo/dwarf/index.h"

enum index_table { IX_STRINGS, IX_FILES, IX_UNITS, IX_RANGES, IX_FUNCTIONS, IX_BY_ADDRESS, IX_INLINES,
		   IX_COPIES, IX_TYPES, IX_VARIABLES, IX_ENUMERATORS, IX_TABLES };

#define INDEX_MAGIC "QTindexC"

struct index_header {
	char magic[8];
	uint64_t unused;
	uint64_t size;             // size of the file
	uint8_t identity[32];      // identity of the DWARF file
	uint64_t base;
	struct { uint64_t offset, n; } table[IX_TABLES];
};
struct index_unit {
	uint32_t die;              // offset of the unit's DIE; `die` of other structs: of their own
	uint32_t name;
	uint32_t header;           // offset of the unit's header in .debug_info
};
struct index_range {
	uint32_t start, size, unit;
};
struct index_function {
	uint32_t name, symbol;     // strings; they differ for clones and aliases
	uint32_t file, line;       // line 0: file and line unknown
	uint32_t die;              // 0: the function has only a symbol
	uint32_t address, size;    // size 0: unknown
	uint32_t flags;
};
#define INDEX_ALIAS       1    // the name is an alias that is not in DWARF
// enum di_kprobe; none of these: DI_KPROBE_UNKNOWN
#define INDEX_NO_SECTION  2
#define INDEX_BLOCKLISTED 4
#define INDEX_ALLOWED     8
struct index_inline {
	uint32_t name, file, line;
	uint32_t first, n;         // range of its copies
};
struct index_copy {
	uint32_t address, die;
};
struct index_type {
	uint32_t name, die, tag;
};
struct index_name {
	uint32_t name, die;
};

struct index {
	struct bytes file;         // the header and the tables
	const struct index_header *h;
	const char *strings;
	bool mapped;               // `file` is a private, read-only copy of a file of the cache
};
// Returns false if the bytes are damaged, or are not the index of that file.
bool index_from_bytes(struct index *ix, struct bytes b, const uint8_t identity[32]);

extern const uint32_t index_record_size[IX_TABLES];

// Calls fn with all names of a table: types, variables, enumerators or files.
void index_each_name(const struct index *ix, enum index_table t, void (*fn)(void *data, const char *name), void *data);

// index_build.c: makes the tables from DWARF and symbols of the module. False: the DWARF is damaged.
struct index_tables {
	struct buf table[IX_TABLES];
	uint64_t base;
};
bool index_build(struct di_module *m, struct index_tables *out);

#endif
