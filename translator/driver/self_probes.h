// SPDX-License-Identifier: GPL-2.0-or-later
// Marks of stap itself (<sys/sdt.h>), for scripts that follow it: tapsets/stap.stp has their aliases.
#ifndef MARKS_H
#define MARKS_H

#include "session/session.h"

#include <stdbool.h>

// 0: options and target, 1 to 5: the passes, 6: cleaning up. Between the script and the library pass 1 has one more.
void mark_pass(struct session *s, int number, bool ends);

#endif
