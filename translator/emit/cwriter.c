// SPDX-License-Identifier: GPL-2.0-or-later
// Writes C code line by line into a buffer; the braces at the ends of lines determine the indentation.
#include "emit/cwriter.h"

#include <assert.h>
#include <string.h>

void cw_indent(struct buf *text, int depth)
{
	enum { DEEPEST = 40 };

	for (int i = 0; i < depth && i < DEEPEST; i++)
		buf_putc(text, '\t');
}

void cw_line(struct cwriter *w, const char *fmt, ...)
{
	char memory[256], *line;
	struct buf text = { .text = memory, .capacity = sizeof(memory) };
	va_list ap;
	size_t len;

	va_start(ap, fmt);
	buf_vprintf(&text, fmt, ap);
	va_end(ap);
	line = text.text;
	len = text.len;
	if (line[0] == '}') {
		w->depth--;
		assert(w->depth >= 0);
	}
	if (line[0] != '#') {
		int depth = w->depth;

		if (len && line[len - 1] == ':' && depth > 0)
			depth--;
		cw_indent(&w->text, depth);
	}
	buf_add(&w->text, line, len);
	buf_putc(&w->text, '\n');
	if (len && line[len - 1] == '{')
		w->depth++;
}

void cw_blank(struct cwriter *w)
{
	buf_putc(&w->text, '\n');
}

void cw_append(struct cwriter *w, const struct cwriter *part)
{
	if (part->text.len)
		buf_add(&w->text, part->text.text, part->text.len);
	w->has_temporary |= part->has_temporary;
}

void cw_append_block(struct cwriter *w, struct cwriter *part, bool braces)
{
	const char *p, *end;

	if (!part->text.len)
		return;
	if (braces) {
		cw_line(w, "{");
		cw_append(w, part);
		cw_line(w, "}");
		return;
	}
	for (p = buf_text(&part->text); *p; p = end) {
		end = strchr(p, '\n') + 1;
		p += *p == '\t';
		buf_add(&w->text, p, end - p);
	}
}

char *cw_end(struct cwriter *w)
{
	assert(w->depth == 0);
	return buf_text(&w->text);
}
