// SPDX-License-Identifier: GPL-2.0-or-later
// frame.c, for the files on top of libdw.
#ifndef DEBUGINFO_FRAME_H
#define DEBUGINFO_FRAME_H

#include "debuginfo/dw.h"

// How the canonical frame address is computed at pc. False: nothing tells.
bool frame_cfa(struct di_module *m, uint64_t pc, Dwarf_Op **ops, size_t *n);

#endif
