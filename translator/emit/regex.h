// SPDX-License-Identifier: GPL-2.0-or-later
// Between regex_parse.c (text -> tree), regex_dfa.c (tree -> table) and regex.c (what is emitted).
#ifndef EMIT_REGEX_H
#define EMIT_REGEX_H

#include "emit/emitter.h"

enum regex_kind { RE_SET, RE_EMPTY, RE_BEGIN, RE_END, RE_CAT, RE_ALT, RE_REPEAT, RE_GROUP };
struct regex_node {
	enum regex_kind kind;
	bool set[256];
	struct regex_node *a, *b;
	int min, max;              // RE_REPEAT, max -1: any number
	int group, last_group;     // RE_GROUP: its number, and the greatest in it
};

// NULL after diag_error().
struct regex_node *regex_parse(const char *pattern, struct loc loc);
struct regex_node *regex_node(enum regex_kind kind, struct regex_node *a, struct regex_node *b);

// What a table is walked for.
enum regex_way {
	RE_SEARCH,                 // does it match anywhere: the first accepting state ends the walk
	RE_FORWARD,                // from a place on: where may it end
	RE_BACKWARD,               // from a place back: where may it begin
	RE_FIND,                   // from the end of the text back, anywhere: where may it begin
};
// Writes a struct stp_regex; returns its name, NULL when it would be too large.
const char *regex_dfa(struct emitter *e, struct regex_node *tree, enum regex_way way, const char *comment);

#endif
