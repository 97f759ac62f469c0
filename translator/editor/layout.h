// SPDX-License-Identifier: GPL-2.0-or-later
// Private to the formatter: the state of a walk over the tokens of a script. The formatter changes only white space, so
// it follows only the parts of the grammar that indentation and spaces depend on: where statements begin and which of
// them a control statement includes. Text in conditionals and macros need not be a whole statement.
#ifndef LAYOUT_H
#define LAYOUT_H

#include "parse/source_tokens.h"
#include "util/str.h"

enum { TAB = 8 };

// A control statement whose body is being read, or that was the last statement. Immutable: copies of the state
// share it.
struct head {
	enum { HEAD_IF, HEAD_ELSE, HEAD_LOOP, HEAD_TRY, HEAD_CATCH } kind;
	bool flat;                 // the "if" of "else if", which adds no indentation
	const struct head *outer;
};

enum list_mode { STATEMENTS, PROBE_POINT, FUNCTION_HEAD, GLOBALS };

// A list of statements or declarations, or a pair of parentheses, that contains the current token.
struct frame {
	enum { FILE_LIST, BLOCK_LIST, MACRO_LIST, PARENTHESES } kind;
	bool on_one_line;          // it is on one line in the source, and remains so
	bool operand;              // the last token ends an operand
	// of lists
	int indent;                // number of tabs before its statements
	enum list_mode mode;
	bool started;              // the current token is inside a statement
	bool ended;                // a statement has ended before the current token
	bool alias;                // PROBE_POINT: "=" was read
	bool defines;              // the last token was @define
	bool after_else;           // this is the "if" of "else if"
	enum tok keyword;          // keyword of the control statement whose "(" follows, else TOK_NONE
	const struct head *heads;
	// members that only parentheses have
	enum tok closes;           // the token that ends it: TOK_COND_THEN for a condition of "%("
	enum tok head;             // keyword before the parenthesis, as in "while (", else TOK_NONE
	bool point;                // these are the braces of a probe point
	int column;                // column of the lines in the parentheses; 0: unknown yet
	int base;                  // column of the line with the opening parenthesis
};
typedef VEC(struct frame) frame_list;

// An open "%(".
struct conditional {
	bool macro;                // it is the body of a @define
	bool on_one_line;
	int column;                // column of "%:" and "%)"
	frame_list before;
};

struct line {
	struct buf code;
	const char *comment;       // comment after the code, or NULL
};

struct layout {
	const source_token_list *in;
	const bool *on_one_line;   // indexed by the opening token
	int at;                    // index of the current token
	const struct source_token *last;        // the previous token; NULL: none
	bool last_unary;
	int column;                // column of the first character of the line that is being written
	frame_list frames;
	VEC(struct conditional) conditionals;
	VEC(struct line) lines;
};

struct frame *layout_top(struct layout *l);
const struct source_token *layout_next(const struct layout *l); // the token after this one, skipping comments
bool layout_is_block(struct layout *l, const struct source_token *t);   // whether t is a "{" that is not part of a
									// probe point
int layout_levels(const struct head *heads);
bool layout_is_sort(struct layout *l, const struct source_token *t);    // whether t is a "+" or "-" after a key or
									// array of foreach

// layout_state.c: the grammar
void layout_settle(struct layout *l, const struct source_token *t);     // ends the statement before t, if t is not
									// part of it
void layout_advance(struct layout *l, const struct source_token *t);    // updates the state by t

// layout_spacing.c: white space between two tokens of a line
bool layout_space(struct layout *l, const struct source_token *t);
bool layout_is_unary(struct layout *l, const struct source_token *t);

// layout.c: returns the text in the standard layout.
char *layout_text(const source_token_list *tokens);

#endif
