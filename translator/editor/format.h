// SPDX-License-Identifier: GPL-2.0-or-later
// The standard layout of scripts.
#ifndef FORMAT_H
#define FORMAT_H

#include "session/session.h"

// Returns the script in the standard layout; NULL after a syntax error, which was reported. Tokens and comments
// stay the same, so the result parses to the same tree. Values for missing script arguments are invented for this
// check.
char *format_text(struct session *s, struct source *source);

// --fmt: formats the scripts of the session. Returns the exit status of stap.
int format_run(struct session *s);

#endif
