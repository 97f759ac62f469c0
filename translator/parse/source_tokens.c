// SPDX-License-Identifier: GPL-2.0-or-later
// Reads a source as tokens and comments with their exact text, for the formatter.
#include "parse/source_tokens.h"
#include "parse/lex.h"

#include <ctype.h>
#include <string.h>

// Skips white space; returns the number of newlines in it.
static int skip_space(struct reader *r)
{
	int newlines = 0;

	for (int c; (c = reader_peek(r, 0)) >= 0 && isspace(c); reader_skip(r, 1))
		newlines += c == '\n';
	return newlines;
}

// Returns the length of the comment at p, 0 if there is another token. An unterminated one is left to the lexer.
static size_t comment_length(const char *p, const char *end)
{
	const char *close;

	if (p == end)
		return 0;
	if (*p == '#' || (*p == '/' && end - p > 1 && p[1] == '/')) {
		close = memchr(p, '\n', end - p);
		if (!close)
			close = end;
		while (close > p && isspace((unsigned char)close[-1]))
			close--;
		return close - p;
	}
	if (*p != '/' || end - p < 2 || p[1] != '*')
		return 0;
	close = memmem(p + 2, end - p - 2, "*/", 2);
	return close ? close + 2 - p : 0;
}

static bool is_argument(const struct source_token *w)
{
	return w->len > 1 && (*w->text == '$' || *w->text == '@') && (w->text[1] == '#' || isdigit((unsigned char)w->text[1]));
}

void source_tokens_read(const struct source *source, source_token_list *out)
{
	struct lexer l;
	struct token t;

	lex_start(&l, NULL, source);
	for (;;) {
		const char *from = l.reader.p;
		struct source_token w = { .newlines = skip_space(&l.reader) };

		w.loc = reader_loc(&l.reader);
		w.text = l.reader.p;
		w.spaced = w.text > from || (out->n && out->at[out->n - 1].kind == TOK_NONE);
		w.len = comment_length(w.text, l.reader.end);
		if (w.len) {
			reader_skip(&l.reader, w.len);
			vec_push(out, w);
			continue;
		}
		t = lex_next(&l);
		w.kind = t.kind;
		w.len = l.reader.p - w.text;
		w.argument = is_argument(&w);
		vec_push(out, w);
		if (t.kind == TOK_EOF)
			return;
	}
}
