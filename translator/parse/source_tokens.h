// SPDX-License-Identifier: GPL-2.0-or-later
// Tokens of a source as they are written, and the comments between them, for tools that print or change a script.
#ifndef SOURCE_TOKENS_H
#define SOURCE_TOKENS_H

#include "ast/ast.h"

struct source_token {
	enum tok kind;             // TOK_NONE: a comment
	struct loc loc;
	const char *text;          // text as in the source, not zero-terminated, without the newline that ends a comment
	size_t len;
	int newlines;              // between the token or comment before it and this one
	bool spaced;               // preceded by white space or a comment
	bool argument;             // $1, @1, $# or @#, which is replaced by text
};
typedef VEC(struct source_token) source_token_list;

// Reads all tokens of the source up to TOK_EOF, which is the last. Macros, conditionals and script arguments are not
// expanded. TOK_JUNK is text that is not a token, which a branch that is not taken may contain.
void source_tokens_read(const struct source *source, source_token_list *out);

#endif
