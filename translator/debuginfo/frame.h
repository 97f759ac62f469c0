// SPDX-License-Identifier: GPL-2.0-or-later
// frame.c and prologue.c, for the files on top of libdw.
#ifndef DEBUGINFO_FRAME_H
#define DEBUGINFO_FRAME_H

#include "debuginfo/dw.h"

// How the registers of the caller, and the frame's start, are found at the address. NULL: nothing is
// known. It is gone with the next call.
Dwarf_Frame *frame_at(struct di_module *m, uint64_t pc);

// For a function whose frame base is a register that its own first instructions set: where these end, and the
// frame base from there on, from the canonical frame address. False: it isn't, or nobody knows.
bool frame_base_later(struct di_module *m, Dwarf_Die *function, uint64_t *body, int64_t *from_cfa);

// True if f->pc is in the prologue and the variable is in the part of the frame that the prologue has not set up yet.
// Its location becomes the one that is valid there: a parameter at the entry is where the caller put it.
bool frame_is_unset(const struct di_function *f, Dwarf_Die *variable, struct di_variable *v);

// prologue.c: l, which is valid at pc, becomes the same as it is at the function's entry, from where instructions
// without jumps lead to pc. False: that isn't known.
bool prologue_rewind(struct di_module *m, uint64_t entry, uint64_t pc, struct di_location *l);

#endif
