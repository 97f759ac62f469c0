// SPDX-License-Identifier: GPL-2.0-or-later
// Names of kernel functions and members that differ between kernels (renamed.def), for messages about names that
// are not found.
#ifndef ELAB_RENAMED_H
#define ELAB_RENAMED_H

#include "debuginfo/debuginfo.h"

// Both return a clause: ": this kernel has \"NAME\" instead"; "" if no name of the same row is found.
const char *renamed_function(struct di_module *m, const char *name);
const char *renamed_member(const struct di_type *type, const char *name);

// Returns advice for an unknown name that begins with "_", as private ones of SystemTap do; NULL for other names. The
// kind is a plural: "functions", "variables".
const char *renamed_private(const char *kind, const char *name);

#endif
