// SPDX-License-Identifier: GPL-2.0-or-later
// Interface of regex_dfa.c (tree -> table) and regex.c (what is emitted).
#ifndef EMIT_REGEX_H
#define EMIT_REGEX_H

#include "emit/emitter.h"
#include "parse/regex.h"

// The purpose of a table.
enum regex_way {
	RE_SEARCH,                 // whether it matches anywhere: the first accepting state ends the walk
	RE_FORWARD,                // where a match from a given offset may end
	RE_BACKWARD,               // where a match up to a given offset may begin
	RE_FIND,                   // from the end of the text backward: where any match may begin
};
// Writes a struct stp_regex; returns its name, or NULL if it would be too large. *work counts the cost of making the
// tables of one expression.
const char *regex_dfa(struct emitter *e, struct regex_node *tree, enum regex_way way, const char *comment,
		      long *work);

#endif
