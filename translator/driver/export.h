// SPDX-License-Identifier: GPL-2.0-or-later
// --export=prometheus: the script's globals as metrics.
#ifndef EXPORT_H
#define EXPORT_H

#include "session/session.h"

// Adds a probe to the script's texts that writes all globals to the file __metrics of the module, unless the script
// has its own probe for metrics.
void export_add(struct session *s);

#endif
