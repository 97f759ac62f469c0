// SPDX-License-Identifier: GPL-2.0-or-later
// Scripts and probes in languages of other tracers.
#ifndef FOREIGN_H
#define FOREIGN_H

#include "session/session.h"

// Returns true if the text is a script in bpftrace's language. Prints nothing.
bool foreign_is_bpftrace(const struct source *source);
// Translates a script of bpftrace. The types of the kernel are used if the session has one. Statements without
// equivalent are reported; *errors is their number.
char *foreign_from_bpftrace(struct session *s, const struct source *source, int *errors);
// --from: prints the translation of all scripts of the session. Returns the exit status.
int foreign_print(struct session *s);
// Returns a message with the equivalent of a probe of DTrace, a definition of perf probe or a filter of strace -e;
// NULL for other texts.
char *foreign_hint(const struct source *source);
// Reports scripts of the session that are in bpftrace's language, with their translation, and texts for which there
// is a hint. Returns the number of errors.
int foreign_refuse(struct session *s);

#endif
