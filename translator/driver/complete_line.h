// SPDX-License-Identifier: GPL-2.0-or-later
#ifndef COMPLETE_LINE_H
#define COMPLETE_LINE_H

#include "session/session.h"

// --complete: prints the completions of the last word of a command line, without its quotes, one a line. Nothing is
// printed where the shell is to complete files. Returns the exit status of stap.
int complete_line(struct session *s);

#endif
