// SPDX-License-Identifier: GPL-2.0-or-later
// Statements that differ only in their operands.
#ifndef EMIT_ALIKE_H
#define EMIT_ALIKE_H

#include "emit/emitter.h"

enum { ALIKE = 100 };          // number of statements from which they share one function

// The C of one statement.
struct piece {
	struct loc loc;
	struct cwriter code;       // temporaries and statements, one level deep
	bool fails;                // it has a jump to the label at the end of its function
	const char *key;           // text with the kinds and types of operands instead of their marks; alike pieces
				   // have the same
	VEC(const struct operand *) operands;    // in the order of their marks
};
typedef VEC(struct piece *) piece_list;

// Returns for each of the n statements whether at least ALIKE of them have trees of the same form, and it is one of
// at least ALIKE such statements in a row.
bool *alike_trees(struct stmt **at, int n);
void alike_divide(const struct emitter *e, struct piece *p);     // sets key and operands
// Writes the table of the pieces, which are alike, to `w`. Returns the text of the first with the members of a row `a`
// instead of operands that differ. *row: the declaration of `a` as a parameter, with a comma before it; "" if the
// pieces are the same.
const char *alike_table(struct emitter *e, struct cwriter *w, const piece_list *pieces, const char *name,
			const char **row);

#endif
