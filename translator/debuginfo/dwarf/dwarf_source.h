// SPDX-License-Identifier: GPL-2.0-or-later
// Functions, variables and types of DWARF; libdw_unit.h has the declarations with types of libdw.
#ifndef DEBUGINFO_DWARF_SOURCE_H
#define DEBUGINFO_DWARF_SOURCE_H

#include "debuginfo/module.h"

struct dwarf_file *dwarf_file_open(struct di_module *m, const char *path, struct bytes map);

// Frees the pages of the file, which are read again on access. No effect on relocatable files, which are changed.
void dwarf_file_unload(const struct dwarf_file *f);
// Does the same as dwarf_file_forget() if no unit is open: used after the whole file was read to make an index.
void dwarf_file_unload_unused(struct dwarf_file *f);
// Ends the handles of units and frees the pages of the file. Types and variables that were returned become invalid;
// functions look up their DIEs again. No effect on files with split units.
void dwarf_file_forget(struct dwarf_file *f);
int dwarf_file_units(const struct dwarf_file *f);     // number of units that are open
struct bytes dwarf_file_map(const struct dwarf_file *f);
const char *dwarf_file_path(const struct dwarf_file *f);
// Split units (.dwo): the name of a missing file, or NULL; the number of files and their total size.
const char *dwarf_file_no_split(struct dwarf_file *f);
void dwarf_file_splits(struct dwarf_file *f, int *n, uint64_t *size);
bool dwarf_file_shared(struct dwarf_file *f);         // the file has a supplementary file (dwz), which was found

// func.c: finds the DIE of the function on first use. False: none.
bool dwarf_function(const struct di_function *f);
bool dwarf_variable(const struct di_function *f, const char *name, struct di_variable *out);
void dwarf_variable_names(const struct di_function *f, bool params_only, name_list *out);
bool dwarf_function_enumerator(const struct di_function *f, const char *name, int64_t *value);
struct di_type *dwarf_return_type(const struct di_function *f);
// type.c
struct di_type *dwarf_find_type(struct di_module *m, enum di_kind kind, const char *name);
bool dwarf_find_enumerator(struct di_module *m, const char *name, int64_t *value);

// tls.c: adds operations that compute the address of the thread-local variable at `offset`. False: unknown.
bool tls_address(const struct di_module *m, uint64_t offset, struct di_location *out);

// global.c: finds a variable in the unit that contains `die`.
bool dwarf_unit_variable(struct di_module *m, const void *die, const char *name, struct di_variable *out);

// frame.c: how a function returns a struct or union: each of its one or two words in a register, or in memory whose
// address is in the first register.
enum returns { RETURNS_UNKNOWN, RETURNS_WORDS, RETURN_LOCATION };
enum returns frame_returns(const struct di_module *m, const struct di_type *t);
// Returns whether that word, of RETURNS_WORDS, is in a vector register: then it contains only floating-point
// numbers.
bool frame_is_in_vector(const struct di_module *m, const struct di_type *t, int word);

#endif
