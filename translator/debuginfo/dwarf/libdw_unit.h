// SPDX-License-Identifier: GPL-2.0-or-later
// Compilation units with their libdw handles, and the declarations with types of libdw that dwarf/, line/ and lookup/
// share.
#ifndef DEBUGINFO_LIBDW_UNIT_H
#define DEBUGINFO_LIBDW_UNIT_H

#include "debuginfo/dwarf/dwarf_source.h"

#include <dwarf.h>
#include <elfutils/libdw.h>

struct unit_code {
	uint64_t root;
	Dwarf_Addr entry;
	bool all_calls;            // all its tail calls are resolved
	Dwarf_Die die;
};

struct unit_call {
	uint64_t caller, callee;   // dwarf_die_id() of the origins; 0: unknown
	uint64_t returns_to;       // link address; 0 unknown
	bool is_tail;
	Dwarf_Die die;
};

// One compilation unit, with a libdw handle of its own (see dwarf.c).
struct unit {
	struct dwarf_file *file;
	uint64_t offset;
	uint64_t base;             // base of the offsets in `dwarf`; see struct split
	Dwarf *dwarf;
	Dwarf_Die die;
	struct unit_function { uint64_t address; Dwarf_Die die; } *functions; // sorted
	int nfunctions;
	bool functions_read;
	// call_site.c: functions by their declarations, and the calls in them
	VEC(struct unit_code) code;
	VEC(struct unit_call) calls;
	bool calls_read;
};

// Split units of .dwo files. Their offsets are counted as if they followed .debug_info of the program, one file after
// the other.
struct split {
	Dwarf *dwarf;
	uint64_t base, size;
};

// The unit of the program that has the address ranges of a split unit.
struct skeleton {
	Dwarf_CU *of;
	Dwarf_Die unit;
};

struct dwarf_file {
	struct di_module *module;
	const char *path;
	struct bytes map;
	uint8_t *info;             // .debug_info in the mapped file
	size_t info_len;
	uint8_t first_length[4];   // the original first bytes of .debug_info
	bool relocatable;          // the file's debug sections are relocated when they are first read
	bool relocated, damaged;
	unsigned epoch;            // number of dwarf_file_forget() calls; DIEs of earlier epochs are invalid
	struct bytes aranges;
	Elf *elf;
	Dwarf *whole;              // a handle for all units, opened for scans
	Dwarf *shared;             // supplementary file of dwz (DW_FORM_GNU_ref_alt)
	bool shared_tried;
	uint64_t frame_pc;         // frame.c: address of the cached frame
	Dwarf_Frame *frame;
	VEC(struct unit *) units;
	VEC(struct split) splits;  // accessed by dwarf_splits()
	VEC(struct skeleton) skeletons;
	bool splits_tried;
	const char *no_split;      // name of a missing .dwo
	struct map types;          // DIE offset in text -> struct di_type *
	Dwarf_CFI *cfi[2];         // frame.c: .debug_frame, .eh_frame
	Elf *frame_elf;            // frame.c: the file of .eh_frame, if it is not the DWARF file
	bool cfi_read;
};

// dwarf.c
Elf *dwarf_elf(struct bytes file);                                      // NULL: damaged
struct unit *dwarf_unit_at(struct dwarf_file *f, uint64_t offset);      // NULL: damaged
struct unit *dwarf_unit_of_address(struct dwarf_file *f, uint64_t address);
// Returns the line of the function's declaration, or of its first statement: gcc gives the operator() of a lambda no
// declaration. 0: unknown.
int dwarf_first_line(Dwarf_Die *function);
// Returns the out-of-line function that begins at the address, or NULL.
Dwarf_Die *dwarf_function_at(struct dwarf_file *f, uint64_t address);
// Returns the function of the unit that contains the address.
Dwarf_Die *dwarf_function_around(struct unit *u, uint64_t address);
Dwarf *dwarf_whole(struct dwarf_file *f);
void dwarf_splits(struct dwarf_file *f);                // opens the .dwo files on first use
bool dwarf_is_skeleton(Dwarf_Die *unit);                // the DIEs of the unit are in a .dwo
Dwarf_Die *dwarf_die_of_ranges(struct dwarf_file *f, Dwarf_Die *unit);   // the skeleton of a split unit, or the
									 // unit itself
// Opens a handle for the units from `offset` on; the caller ends it. NULL: damaged.
Dwarf *dwarf_handle_at(struct dwarf_file *f, uint64_t offset);
// A number that identifies the DIE within the file and its supplementary file.
uint64_t dwarf_die_id(Dwarf_Die *die);
bool dwarf_is_small(const struct dwarf_file *f);        // the file is small enough for one handle for all units
bool dwarf_text(const struct dwarf_file *f, uint64_t *start, uint64_t *end); // link-time range of .text; for a
									     // kernel module from .text to the end
									     // of its code
// The entry address of a function or inlined copy.
bool dwarf_entry(Dwarf_Die *die, uint64_t *out);
// Follows a reference; false if it is absent or leads to another unit.
bool dwarf_reference(Dwarf_Die *die, unsigned attr, Dwarf_Die *out);
bool dwarf_follow_signature(Dwarf_Die *die);                 // returns false if the type unit is not found
const char *dwarf_name(Dwarf_Die *die);                                 // "": none
bool dwarf_is_c(Dwarf_Die *unit);                       // in C, only types have children, and types are not nested
bool dwarf_is_struct(int tag);                          // struct, class or union
enum { SPACES_MAX = 16 };                               // maximum nesting of namespaces and classes

// func.c: the DIE at an offset from the index. NULL: damaged.
Dwarf_Die *dwarf_die_at(struct di_module *m, uint32_t offset);
// Converts a path of the unit to one relative to the root of the source tree.
const char *dwarf_source_path(Dwarf_Die *unit, const char *path);

// loc.c: the location of a variable at an address of `function`.
struct di_location loc_of_variable(struct di_module *m, Dwarf_Die *function, Dwarf_Die *variable, uint64_t pc);
// Returns the location of a member whose offset is an expression, which is evaluated with the address of the
// aggregate on the stack.
struct di_location loc_of_member(struct di_module *m, Dwarf_Attribute *attr);

// type.c: NULL for void.
struct di_type *dwarf_make_type(struct di_module *m, Dwarf_Die *die);
bool dwarf_scope_enumerator(Dwarf_Die *scope, const char *name, int64_t *value);

#endif
