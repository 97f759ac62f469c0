// SPDX-License-Identifier: GPL-2.0-or-later
// Functions that wildcards skip.
#ifndef PROBES_BLOCKLIST_H
#define PROBES_BLOCKLIST_H

#include "debuginfo/debuginfo.h"

bool blocklist_has(const struct di_function *f);
bool blocklist_never_returns(const struct di_function *f);

#endif
