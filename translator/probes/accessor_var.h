// SPDX-License-Identifier: GPL-2.0-or-later
// Target variables that are no places in memory but something a library function gives and takes.
#ifndef PROBES_VALUE_H
#define PROBES_VALUE_H

#include "session/session.h"

// $name of a family: functions of the tapsets that read it, set it to their argument, and add their
// argument to it; NULL where that can't be done. set and append give what they were given.
struct value_variable {
	const char *name;
	const char *get, *set, *append;
	const char *why_not_set;   // said when it is assigned and there is no `set`
	const char *why_not_get;   // said when it is read and there is no `get`
	bool guru;                 // only -g may assign it
};

// Replaces these variables (n of them) in p->body by calls. Returns the number of errors.
int value_rewrite(struct session *s, struct probe *p, const struct value_variable *variables, int n);

// $$name of a probe: its name, or where to find it at the hit when it has a shared_name.
struct expr *value_name(const struct probe *p, struct loc loc, const char *name);

#endif
