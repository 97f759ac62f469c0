// SPDX-License-Identifier: GPL-2.0-or-later
// Programs and libraries: symbols of the file itself, and debuginfo from servers.
#ifndef DEBUGINFO_PROGRAM_H
#define DEBUGINFO_PROGRAM_H

#include "debuginfo/module.h"

// Finds a symbol of any type in the program or its separate debuginfo.
bool symbols_any(const struct di_module *m, const char *name, struct symbol *out);

// debuginfod.c: the path of the downloaded debuginfo for the module's build-id. NULL: not found, or no server is
// configured.
const char *debuginfod_fetch(const struct di_module *m);

#endif
