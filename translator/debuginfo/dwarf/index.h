// SPDX-License-Identifier: GPL-2.0-or-later
// Lookups in the index of a DWARF file. DIEs are identified by offsets in .debug_info, never 0.
#ifndef DEBUGINFO_INDEX_H
#define DEBUGINFO_INDEX_H

#include "debuginfo/module.h"

struct index *module_index(struct di_module *m);      // NULL: no DWARF, or damaged
struct index_query {
	const char *name;          // glob; all functions that share its literal prefix are returned
	const char *file;          // glob for the end of the path; NULL: any
};
struct index_hit {
	const char *name, *symbol;
	const char *file;          // NULL: unknown; for a variable, the file of its unit
	uint32_t line;
	uint32_t die;              // 0: the function has only a symbol
	uint64_t address, size;    // size 0: unknown
	bool is_inline;
	bool is_alias;             // the name is an alias that is not in DWARF
	enum di_kprobe kprobe;
};
typedef void (*index_fn)(void *data, const struct index_hit *hit);
void index_each_function(const struct index *ix, const struct index_query *q, index_fn fn, void *data);
void index_each_inline(const struct index *ix, const struct index_query *q, bool once, index_fn fn, void *data);
// Frees the pages that a search of the whole index has read. Pages of a new index are first moved to a private
// file, from which they are read on use. No effect without an index, or if the file cannot be written.
void index_unload(struct di_module *m);
// Finds the function that contains the address; if its size is unknown, the last one before the address.
bool index_function_at(const struct index *ix, uint64_t address, struct index_hit *out);
// The lines at which functions and inlined functions begin, by file.
struct index_lines *index_lines(const struct index *ix);
// Returns the first line after `line` at which a function of the file begins; 0x7fffffff: none. `file` must be the
// pointer of a hit.
int index_next_function(struct index_lines *l, const char *file, uint32_t line);
// Finds the offset of the unit's header, for dwarf_unit_at().
bool index_unit_of_address(const struct index *ix, uint64_t address, uint64_t *header);
bool index_unit_of_die(const struct index *ix, uint32_t die, uint64_t *header);
uint32_t index_find_type(const struct index *ix, const char *name, const int *tags); // tags end in 0; the result is 0
										     // if no type is found
uint32_t index_find_enumerator(const struct index *ix, const char *name);
void index_each_variable(const struct index *ix, const char *name, index_fn fn, void *data);

#endif
