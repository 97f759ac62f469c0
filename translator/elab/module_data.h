// SPDX-License-Identifier: GPL-2.0-or-later
// Facts of debuginfo that a module contains: symbols, call frame information and source lines with which it
// resolves addresses, and the build IDs of the files for which it is valid. Pass 2 collects them, pass 3 writes
// them.
#ifndef ELAB_MODULE_DATA_H
#define ELAB_MODULE_DATA_H

#include "debuginfo/debuginfo.h"

struct line_file { const char *path; size_t size; };   // a table of source lines, as the module contains it

// A program or library in which functions of the script resolve addresses. A part that no used function reads is empty.
struct object_data {
	struct di_identity identity;
	di_symbols symbols;        // sorted by offset in the file
	struct di_frames frames;   // the rows have offsets in the file, below 4 GB, instead of addresses
	struct line_file lines;    // path NULL: none
};

// Source lines of the kernel or of a kernel module: of ranges of code, each `before` bytes after a symbol.
struct code_range { const struct di_static *anchor; uint64_t before, size; uint32_t code_offset; };
struct code_data {
	struct line_file lines;
	VEC(struct code_range) ranges;
};

// A program with variables that probes of other programs read: the runtime finds its mapping by an offset in its code.
struct mapped_data {
	const struct di_module *program;
	struct di_identity identity;
	uint64_t code_address, code_offset;    // a link address, and its offset in the file
};

// A kernel module of which only this build may be loaded. id: 20 bytes; NULL: the module has no build ID.
struct build_data { const struct di_module *module; const char *name; const uint8_t *id; };
typedef VEC(struct build_data) builds;

struct module_data {
	const char *arch;
	const int *register_offsets;       // offsets in pt_regs, by DWARF number, `registers` of them; -1: not in
					   // pt_regs
	int registers;
	bool resolves_user;        // `objects` is written even if it is empty
	bool names_objects;        // the symbols of `objects` are written
	bool names_probed_user_code; // probefunc() may name functions of programs
	VEC(struct object_data) objects;
	bool resolves_lines;       // `code` is written even if it is empty
	VEC(struct code_data) code;
	VEC(struct mapped_data) mapped;
	bool names_addresses;      // names of addresses of the kernel that may have been stored are printed,
					   // or recorded
	bool checks_builds;        // the kernel and modules are those of the debuginfo
	const uint8_t *kernel_id;  // build ID of the kernel, of kernel_id_len bytes; 0: it has none
	int kernel_id_len;
	builds probed;             // modules with probes
	builds read;               // modules whose variables or source lines are read; perhaps not by each hit
};

#endif
