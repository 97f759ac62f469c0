// SPDX-License-Identifier: GPL-2.0-or-later
// Regular expressions as trees: pass 1 parses them to check them, pass 3 makes tables of them.
#ifndef PARSE_REGEX_H
#define PARSE_REGEX_H

#include "util/diag.h"

enum regex_kind { RE_SET, RE_EMPTY, RE_BEGIN, RE_END, RE_CAT, RE_ALT, RE_REPEAT, RE_GROUP };
struct regex_node {
	enum regex_kind kind;
	bool set[256];
	struct regex_node *a, *b;
	int min, max;              // RE_REPEAT, max -1: any number
	int group, last_group;     // RE_GROUP: its number, and the largest in it
};

// NULL after diag_error().
struct regex_node *regex_parse(const char *pattern, struct loc loc);
struct regex_node *regex_node(enum regex_kind kind, struct regex_node *a, struct regex_node *b);

#endif
