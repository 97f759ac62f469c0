// SPDX-License-Identifier: GPL-2.0-or-later
// A build for the cache in a process of its own, while the passes go on in this one.
#ifndef BACKGROUND_H
#define BACKGROUND_H

#include "session/session.h"

// Starts a process that calls build(s) with a temporary directory of its own; its results are in the cache. Its
// messages are discarded, since the caller builds what it then does not find in the cache, and reports errors. Does
// nothing without a cache or if a process was started before.
void background_start(struct session *s, void (*build)(struct session *s));
// Waits for the process, if one runs. Dies if stap is interrupted.
void background_wait(void);
// Kills the process and the programs that it runs. Context: any, also a signal handler.
void background_end(void);

#endif
