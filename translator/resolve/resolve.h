// SPDX-License-Identifier: GPL-2.0-or-later
// Resolves probe points as written to the families that offer them: aliases, wildcards, matches.
#ifndef RESOLVE_H
#define RESOLVE_H

#include "resolve/family.h"

// Matches probe declarations that were not matched yet: those of library files that were parsed since.
void match_new_decls(struct session *s);
// Returns whether the wildcards of the point match the pattern of a family, and the point only lacks its arguments:
// "timer.*" and "timer.ms(number)". Such points can be listed, but not probed.
bool match_left_open(const struct probe_point *point, const char *pattern);

// Returns the handler of a match: prologues, the declaration's own body, epilogues, in one block.
struct stmt *alias_compose(const struct probe_match *m);
struct expr *alias_condition(const struct probe_match *m);

#endif
