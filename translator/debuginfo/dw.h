// SPDX-License-Identifier: GPL-2.0-or-later
// Shared by the files on top of libdw: dwarf.c, loc.c, func.c, type.c.
#ifndef DEBUGINFO_DW_H
#define DEBUGINFO_DW_H

#include "debuginfo/module.h"

#include <dwarf.h>
#include <elfutils/libdw.h>

struct unit_code {
	uint64_t root;
	Dwarf_Addr entry;
	bool all_calls;            // its tail calls are all known
	Dwarf_Die die;
};

struct unit_call {
	uint64_t caller, callee;   // roots; 0: it isn't known
	uint64_t returns_to;       // link address; 0: it isn't known
	bool is_tail;
	Dwarf_Die die;
};

// One compilation unit, with a libdw handle of its own (see dwarf.c).
struct unit {
	struct dwarf_file *file;
	uint64_t offset;
	uint64_t base;             // what is to be taken off offsets for `dwarf`; see struct split
	Dwarf *dwarf;
	Dwarf_Die die;
	struct unit_function { uint64_t address; Dwarf_Die die; } *functions; // sorted
	int nfunctions;
	bool functions_read;
	// call_site.c: functions by where they were declared, and what they call
	VEC(struct unit_code) code;
	VEC(struct unit_call) calls;
	bool calls_read;
	Dwarf_Files *source_files;
};

// Units that the compiler put into a file of their own (.dwo). Their offsets are counted as if they followed
// in .debug_info of the program, one file after the other.
struct split {
	Dwarf *dwarf;
	uint64_t base, size;
};

struct dwarf_file {
	struct di_module *module;
	const char *path;
	struct bytes map;
	uint8_t *info;             // .debug_info in the map
	size_t info_len;
	uint8_t first_length[4];   // what stood at its start
	struct bytes aranges;
	Elf *elf;
	Dwarf *whole;              // opened for scans
	Dwarf *shared;             // of the file that dwz made of what several have
	bool shared_tried;
	uint64_t frame_pc;         // frame.c: of the last one found
	Dwarf_Frame *frame;
	VEC(struct unit *) units;
	VEC(struct split) splits;  // use dwarf_splits()
	bool splits_tried;
	const char *no_split;      // one that isn't there
	struct map types;          // DIE offset in text -> struct di_type *
	Dwarf_CFI *cfi[2];         // frame.c: .debug_frame, .eh_frame
	Elf *frame_elf;            // frame.c: where the latter is, if elsewhere
	bool cfi_read;
};

// dwarf.c
Elf *dwarf_elf(struct bytes file);                                      // held; NULL: broken
struct unit *dwarf_unit_at(struct dwarf_file *f, uint64_t offset);      // NULL: broken
struct unit *dwarf_unit_of_address(struct dwarf_file *f, uint64_t address);
// The out-of-line function that begins at the address. NULL when there is none.
Dwarf_Die *dwarf_function_at(struct dwarf_file *f, uint64_t address);
// The one of the unit that has the address in it.
Dwarf_Die *dwarf_function_around(struct unit *u, uint64_t address);
Dwarf *dwarf_whole(struct dwarf_file *f);
void dwarf_splits(struct dwarf_file *f);                // finds them
bool dwarf_is_skeleton(Dwarf_Die *unit);                // what it describes is in a .dwo
// A handle for the units from `offset` on, to be ended by the caller. NULL: broken.
Dwarf *dwarf_handle_at(struct dwarf_file *f, uint64_t offset);
// Where the DIE is: no other one of the file and what it shares has the same number.
uint64_t dwarf_place(Dwarf_Die *die);
bool dwarf_is_small(const struct dwarf_file *f);        // one handle for all units is good enough
bool dwarf_text(const struct dwarf_file *f, uint64_t *start, uint64_t *end); // .text, link-time; of a
							// kernel module all from there to the end of its code
// Where a function or an inlined copy begins.
bool dwarf_entry(Dwarf_Die *die, uint64_t *out);
// Follows a reference; false when it is absent or leads out of the unit.
bool dwarf_reference(Dwarf_Die *die, unsigned attr, Dwarf_Die *out);
const char *dwarf_name(Dwarf_Die *die);                                 // "" when it has none

// func.c: a place that the index tells. NULL: broken.
Dwarf_Die *dwarf_die_at(struct di_module *m, uint32_t offset);
// A path of the unit as it is below the directory of the sources.
const char *dwarf_source_path(Dwarf_Die *unit, const char *path);

// loc.c: the place of a variable's DIE at an address of `function`.
struct di_location loc_of_variable(struct di_module *m, Dwarf_Die *function, Dwarf_Die *variable, uint64_t pc);

// type.c: NULL for void.
struct di_type *dwarf_make_type(struct di_module *m, Dwarf_Die *die);

#endif
