// SPDX-License-Identifier: GPL-2.0-or-later
// Writes C code line by line; braces determine the indentation.
#ifndef EMIT_CWRITER_H
#define EMIT_CWRITER_H

#include "util/str.h"

struct cwriter {
	struct buf text;
	int depth;
	bool has_temporary;        // the text contains a compound literal, which lives until the end of its block
};

// Indents by depth, up to a limit above which the text would be mostly white space.
void cw_indent(struct buf *text, int depth);
// Writes one line. A line that begins with "}" is indented one level less, a line that ends with "{" indents the
// next ones; a line that ends in ":" is a label.
void cw_line(struct cwriter *w, const char *fmt, ...) PRINTF_LIKE(2, 3);
void cw_blank(struct cwriter *w);
void cw_append(struct cwriter *w, const struct cwriter *part);  // appends whole lines, unchanged
// Appends lines that were written one level deeper: in braces, or without braces and indented one level less.
void cw_append_block(struct cwriter *w, struct cwriter *part, bool braces);
char *cw_end(struct cwriter *w);           // returns the text; asserts that every brace was closed

#endif
