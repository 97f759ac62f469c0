// SPDX-License-Identifier: GPL-2.0-or-later
#ifndef MONITOR_SCRIPT_H
#define MONITOR_SCRIPT_H

#include "session/session.h"

// Adds the conditions of --monitor to the user's probes; returns the text of the source "<monitor>".
const char *monitor_script(struct session *s);

#endif
