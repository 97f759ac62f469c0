// SPDX-License-Identifier: GPL-2.0-or-later
// Checks of --lint: warnings about a script that is valid but probably not as intended. They use only the syntax
// tree, so they do not depend on a kernel.
#ifndef LINT_H
#define LINT_H

#include "session/session.h"

// Checks the parsed scripts of the session. Returns the number of warnings.
int lint_check(struct session *s);

// --lint: parses the scripts and checks them. Returns the exit status of stap.
int lint_run(struct session *s);

// Private to lint*.c: reports a warning by its name, unless a comment on its line or the line before has "lint:NAME".
void lint_warn(struct loc loc, const char *name, const char *fmt, ...) PRINTF_LIKE(3, 4);

// lint_names.c: names that are never used, conditions whose value is constant.
void lint_names(struct session *s);
// lint_cost.c: expensive probes.
void lint_cost(struct session *s);

#endif
