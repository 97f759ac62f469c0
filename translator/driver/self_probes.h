// SPDX-License-Identifier: GPL-2.0-or-later
// Static probes of stap itself (<sys/sdt.h>), for scripts that trace it: tapsets/stap.stp has their aliases.
#ifndef SELF_PROBES_H
#define SELF_PROBES_H

#include "session/session.h"

#include <stdbool.h>

// Executes the static probe of a pass. 0: options and target, 1 to 5: the passes, 6: cleaning up. Pass 1 has an
// additional static probe between the script and the library.
void mark_pass(struct session *s, int number, bool ends);

#endif
