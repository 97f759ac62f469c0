// SPDX-License-Identifier: GPL-2.0-or-later
// Interface of regex_dfa.c (tree -> table) and regex.c (tables -> generated C).
#ifndef EMIT_REGEX_H
#define EMIT_REGEX_H

#include "emit/emitter.h"
#include "parse/regex.h"

// The result for which a table is made.
enum regex_way {
	RE_SEARCH,                 // whether there is a match; the walk ends at the first accepting state
	RE_FORWARD,                // the ends of matches that begin at a given offset
	RE_BACKWARD,               // the beginnings of matches that end at a given offset
	RE_FIND,                   // the beginnings of all matches; walks from the end of the text backwards
};
// Writes a struct stp_regex; returns its name, or NULL if it would be too large. *work accumulates the cost of
// making the tables of one expression.
const char *regex_dfa(struct emitter *e, struct regex_node *tree, enum regex_way way, const char *comment,
		      long *work);

#endif
