// SPDX-License-Identifier: GPL-2.0-or-later
#ifndef COMPLETE_LINE_H
#define COMPLETE_LINE_H

#include "session/session.h"

// --complete: prints the completions of the last word of a command line, without its quotes, one per line. Prints
// nothing if the shell has to complete file names. Returns the exit status of stap.
int complete_line(struct session *s);

#endif
