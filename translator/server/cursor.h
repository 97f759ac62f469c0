// SPDX-License-Identifier: GPL-2.0-or-later
// The tokens around a position of a script, which need not parse.
#ifndef CURSOR_H
#define CURSOR_H

#include "server/feature.h"

struct cursor {
	const struct source *source;
	source_token_list tokens;       // tokens, including comments
	int at;                    // index of the token at the position, or of a token that ends there; -1: none
	int first, end;            // tokens of the probe, function or global that contains the position: first <= i
				   // < end
};

// offset: the position in the text of the request.
void cursor_set(struct cursor *c, const struct document *doc, size_t offset);

const char *token_text(const struct source_token *t);
size_t token_offset(const struct cursor *c, const struct source_token *t);
struct json_object *token_range(const struct cursor *c, const struct source_token *t);
// Return the next token before or after the token, skipping comments; NULL: none.
const struct source_token *token_before(const struct cursor *c, const struct source_token *t);
const struct source_token *token_after(const struct cursor *c, const struct source_token *t);
// Returns whether the token is part of a probe point, or of the name of an alias.
bool token_is_in_point(const struct cursor *c, const struct source_token *t);
// Returns the names up to the token in a probe point: "vfs.read" of "vfs.read.return".
const char *token_point(const struct cursor *c, const struct source_token *t);
// Returns the text of the first probe point of the probe or alias at the position, without its condition. NULL: the
// position is in another declaration.
const char *cursor_probe_point(const struct cursor *c);

#endif
