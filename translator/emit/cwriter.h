// SPDX-License-Identifier: GPL-2.0-or-later
// Writes C a line a call, indented by the braces it sees.
#ifndef EMIT_CWRITER_H
#define EMIT_CWRITER_H

#include "util/str.h"

struct cwriter {
	struct buf text;
	int depth;
	bool has_temporary;        // a compound literal, which lives until the end of its block
};

// Up to a depth at which the indentation would be most of the text.
void cw_indent(struct buf *text, int depth);
// One whole line. Lines that begin with "}" are indented one less, those that end with "{" indent
// what follows; a line that ends in ":" is a label.
void cw_line(struct cwriter *w, const char *fmt, ...) PRINTF_LIKE(2, 3);
void cw_blank(struct cwriter *w);
void cw_append(struct cwriter *w, const struct cwriter *part);  // whole lines, as they are
// Lines that were written one level deeper: as a block of their own, or without that level.
void cw_append_block(struct cwriter *w, struct cwriter *part, bool braces);
char *cw_end(struct cwriter *w);           // the text; asserts that every brace was closed

#endif
