// SPDX-License-Identifier: GPL-2.0-or-later
// Between regex_dfa.c (tree -> table) and regex.c (what is emitted).
#ifndef EMIT_REGEX_H
#define EMIT_REGEX_H

#include "emit/emitter.h"
#include "parse/regex.h"

// What a table is walked for.
enum regex_way {
	RE_SEARCH,                 // does it match anywhere: the first accepting state ends the walk
	RE_FORWARD,                // from a place on: where may it end
	RE_BACKWARD,               // from a place back: where may it begin
	RE_FIND,                   // from the end of the text back, anywhere: where may it begin
};
// Writes a struct stp_regex; returns its name, NULL when it would be too large. *work counts what the
// tables of one expression cost to make.
const char *regex_dfa(struct emitter *e, struct regex_node *tree, enum regex_way way, const char *comment,
		      long *work);

#endif
