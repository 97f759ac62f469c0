// SPDX-License-Identifier: GPL-2.0-or-later
#ifndef PROMPT_H
#define PROMPT_H

#include "session/session.h"

// -i: reads probes, functions and commands from the terminal or a file until "quit" or the end. Returns the exit status
// of stap.
int prompt_run(struct session *s);

#endif
