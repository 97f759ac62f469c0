// SPDX-License-Identifier: GPL-2.0-or-later
// Reads the characters of a source with their locations. A script argument ($1) is pasted as characters: they are read
// before the text that follows it, and all have the location of the "$1".
#include "parse/lex.h"
#include "util/str.h"

#include <string.h>

struct source *source_new(const char *name, const char *text, size_t len)
{
	struct source *src = NEW(struct source);

	src->name = name;
	src->text = text;
	src->len = len;
	return src;
}

struct source *source_read(const char *path)
{
	size_t len;
	char *text = str_read_file(path, &len);

	return text ? source_new(str_dup(path), text, len) : NULL;
}

void reader_start(struct reader *r, const struct source *source)
{
	*r = (struct reader){ .source = source, .p = source->text, .end = source->text + source->len,
			      .line = 1, .column = 1 };
	if (source->len >= 3 && !memcmp(source->text, "\xef\xbb\xbf", 3))     // UTF-8 byte order mark
		reader_skip(r, 3);
}

// At the end of a pasted argument reading continues in the source.
int reader_peek(const struct reader *r, size_t ahead)
{
	size_t here = (size_t)(r->end - r->p);

	if (ahead < here)
		return (unsigned char)r->p[ahead];
	ahead -= here;
	if (r->outer && ahead < (size_t)(r->outer_end - r->outer))
		return (unsigned char)r->outer[ahead];
	return -1;
}

static void skip_one(struct reader *r)
{
	if (r->p == r->end && r->outer) {
		r->p = r->outer;
		r->end = r->outer_end;
		r->outer = NULL;
	}
	if (r->p == r->end)
		return;
	if (!r->outer) {
		r->column++;
		if (*r->p == '\n') {
			r->line++;
			r->column = 1;
		}
	}
	r->p++;
}

void reader_skip(struct reader *r, size_t n)
{
	while (n--)
		skip_one(r);
}

bool reader_pasting(const struct reader *r)
{
	return r->outer && r->p < r->end;
}

void reader_paste(struct reader *r, struct loc at, const char *text)
{
	if (!r->outer) {
		r->outer = r->p;
		r->outer_end = r->end;
	}
	r->p = text;
	r->end = text + strlen(text);
	r->paste_line = at.line;
	r->paste_column = at.column;
}

struct loc reader_loc(const struct reader *r)
{
	if (reader_pasting(r))
		return (struct loc){ .source = r->source, .line = r->paste_line, .column = r->paste_column };
	return (struct loc){ .source = r->source, .line = r->line, .column = r->column };
}
