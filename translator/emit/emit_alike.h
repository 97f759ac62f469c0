// SPDX-License-Identifier: GPL-2.0-or-later
// Statements that differ only in their operands.
#ifndef EMIT_ALIKE_H
#define EMIT_ALIKE_H

#include "emit/emitter.h"

enum { ALIKE = 100 };          // number of statements from which they share one function

enum operand_kind { TEXT, NUMBER, TABLE, VARIABLE, CPU_VARIABLE, CPU_OFFSET, FRAME_VARIABLE };

// A part of the text that a member of the row can replace.
struct operand {
	enum operand_kind kind;
	size_t at, end;
	const char *name;          // the operand in C
};

// The C of one statement.
struct piece {
	struct loc loc;
	struct cwriter code;       // temporaries and statements, one level deep
	bool fails;                // it has a jump to the label at the end of its function
	const char *key;           // text without operands, with their kinds and types; alike pieces have the same
	VEC(struct operand) operands;
};
typedef VEC(struct piece *) piece_list;

// Returns for each of the n statements whether at least ALIKE of them have trees of the same form, and it is one of
// at least ALIKE such statements in a row.
bool *alike_trees(struct stmt **at, int n);
void alike_divide(struct emitter *e, struct piece *p);           // sets key and operands
// Writes the table of the pieces, which are alike, to `w`. Returns the text of the first with the members of a row `a`
// instead of operands. *row: the declaration of `a` as a parameter, with a comma before it; "" if the pieces are the
// same.
const char *alike_table(struct emitter *e, struct cwriter *w, const piece_list *pieces, const char *name,
			const char **row);

#endif
