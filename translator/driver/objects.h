// SPDX-License-Identifier: GPL-2.0-or-later
#ifndef OBJECTS_H
#define OBJECTS_H

#include "session/session.h"

// Removes objects of -d that are neither programs, libraries nor modules of the kernel, with a warning each.
void objects_check(struct session *s);

#endif
