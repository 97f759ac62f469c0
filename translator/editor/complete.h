// SPDX-License-Identifier: GPL-2.0-or-later
// Completion of probe points and script text: for shells, the prompt and editors. Each result is the whole text,
// with its last part completed.
#ifndef COMPLETE_H
#define COMPLETE_H

#include "session/session.h"

// Adds the points that complete the text of a point: forms, aliases, and in quotes functions, tracepoints, markers,
// files.
void complete_point(struct session *s, const char *text, name_list *out);

// Completes the last word of a script: a point after "probe", else a function, macro or keyword.
void complete_script(struct session *s, const char *text, name_list *out);

// Sorts the names, and removes duplicates and those that do not begin with `prefix`.
void complete_sort(name_list *names, const char *prefix);

#endif
