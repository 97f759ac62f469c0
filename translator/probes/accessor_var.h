// SPDX-License-Identifier: GPL-2.0-or-later
// Target variables that are not in memory: library functions read and assign them.
#ifndef PROBES_ACCESSOR_VAR_H
#define PROBES_ACCESSOR_VAR_H

#include "session/session.h"

// A $name of a family, and the library functions that implement it; NULL: not supported. get() returns the value;
// set(x) assigns x, append(x) appends the string x, and both return x.
struct value_variable {
	const char *name;
	const char *get, *set, *append;
	const char *why_not_set;   // reason for the error if it is assigned and `set` is NULL
	const char *why_not_get;   // reason for the error if it is read and `get` is NULL
	bool guru;                 // only guru scripts (-g) may assign to it
};

// Replaces these variables (n of them) in p->body by calls. Returns the number of errors.
int value_rewrite(struct session *s, struct probe *p, const struct value_variable *variables, int n);

// Returns the value of $$name of a probe: its name, or the expression that finds the name at the hit if the probe
// has a shared_name.
struct expr *value_name(const struct probe *p, struct loc loc, const char *name);

#endif
