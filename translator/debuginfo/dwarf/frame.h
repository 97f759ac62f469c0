// SPDX-License-Identifier: GPL-2.0-or-later
// Shared by frame.c, prologue.c and the files on top of libdw.
#ifndef DEBUGINFO_FRAME_H
#define DEBUGINFO_FRAME_H

#include "debuginfo/dwarf/libdw_unit.h"

// Returns the rules for the caller's registers and the CFA at the address; NULL: unknown. They are valid until the
// next call.
Dwarf_Frame *frame_at(struct di_module *m, uint64_t pc);

// Finds, for a function whose frame base is a register that its prologue sets, the end of the prologue, and the
// frame base from there on, as an offset from the CFA. Returns false for other functions, or if it is unknown.
bool frame_base_later(struct di_module *m, Dwarf_Die *function, uint64_t *body, int64_t *from_cfa);

// Returns true if f->pc is in the prologue and the variable is in the part of the frame that is not set up yet. Its
// location is then replaced by the location at the entry: a parameter is where the caller passed it.
bool frame_is_unset(const struct di_function *f, Dwarf_Die *variable, struct di_variable *v);

// prologue.c: changes l, a location that is valid at pc, to one with the same value at the function's entry.
// Requires that only instructions without jumps lead to pc. Returns false if it cannot be determined.
bool prologue_rewind(struct di_module *m, uint64_t entry, uint64_t pc, struct di_location *l);

#endif
