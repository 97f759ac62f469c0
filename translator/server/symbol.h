// SPDX-License-Identifier: GPL-2.0-or-later
// The meaning of the name at a position: for hover and go to definition.
#ifndef SYMBOL_H
#define SYMBOL_H

#include "server/cursor.h"

struct symbol {
	const char *text;          // the declaration as in a script: "function f:long (a:string)"; NULL: unknown
				   // name
	struct loc loc;            // location of the declaration; without a source if it has no declaration
	const char *note;          // further lines to show, or NULL
	const char *file;          // the source file of a probed function: path, or NULL
	int line;                  // line in that file, from 1
};

// Runs the passes until types are inferred, as far as the script has no errors, and finds the name at the position.
void symbol_find(struct request *r, const struct cursor *c, struct symbol *out);

// Returns the text of the comment before a declaration, without comment markers; "" if it has no comment.
const char *symbol_comment(struct loc loc);

#endif
