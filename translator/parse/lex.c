// SPDX-License-Identifier: GPL-2.0-or-later
// Converts characters to tokens. It skips comments and white space, pastes script arguments ($1 as characters, @1 as a
// string) and decodes escapes and numbers. Functions are named after the kind of token that they read; each starts at
// the token's first character.
#include "parse/lex.h"
#include "parse/typography.h"
#include "parse/parse.h"
#include "util/str.h"

#include <ctype.h>
#include <limits.h>
#include <string.h>

enum { MAX_ARGUMENT = 999 };

struct spelling { enum tok kind; const char *text; };

static const struct spelling operators[] = {
#define TOK(kind, text) { kind, text },
#define KEYWORD(kind, text)
#include "ast/tokens.def"
};

static const struct spelling keywords[] = {
#define TOK(kind, text)
#define KEYWORD(kind, text) { kind, text },
#include "ast/tokens.def"
};

bool lex_is_word(const struct token *t)
{
	return t->kind == TOK_IDENT || (t->kind >= TOK_PROBE && t->kind <= TOK_CATCH);
}

bool parse_is_declaring(const char *word)
{
	static const char *const declaring[] = { "local", "long", "int", "char", "string", "var", "let", "my", "static" };

	for (size_t i = 0; i < ARRAY_SIZE(declaring); i++)
		if (!strcmp(declaring[i], word))
			return true;
	return false;
}

void parse_hint_keyword(struct loc loc, const char *word)
{
	if (parse_is_declaring(word)) {
		diag_note(loc, "variables are not declared; their types follow from their values");
		return;
	}
	for (const struct spelling *k = keywords; k < END(keywords); k++)
		if (strlen(k->text) > 3 && strcmp(k->text, word) && str_distance(word, k->text) <= 2)
			diag_note(loc, "did you mean \"%s\"?", k->text);
}

struct token lex_junk(struct loc loc, const char *fmt, ...)
{
	struct token t = { .kind = TOK_JUNK, .loc = loc };
	va_list ap;

	va_start(ap, fmt);
	t.text = str_vprintf(fmt, ap);
	va_end(ap);
	t.len = strlen(t.text);
	return t;
}

static int peek(const struct lexer *l, size_t ahead)
{
	return reader_peek(&l->reader, ahead);
}

static void skip(struct lexer *l, size_t n)
{
	reader_skip(&l->reader, n);
}

static bool at(const struct lexer *l, const char *text)
{
	for (size_t i = 0; text[i]; i++)
		if (peek(l, i) != (unsigned char)text[i])
			return false;
	return true;
}

static bool is_ident_start(int c)
{
	return c >= 0 && (isalpha(c) || c == '_' || c == '$');
}

static bool is_ident(int c)
{
	return c >= 0 && (isalnum(c) || c == '_' || c == '$');
}

// ---------------------------------------------------------------- white space

static void line_comment(struct lexer *l)
{
	while (peek(l, 0) >= 0 && peek(l, 0) != '\n')
		skip(l, 1);
}

// Returns false if the comment is unterminated.
static bool block_comment(struct lexer *l)
{
	skip(l, 2);
	while (!at(l, "*/")) {
		if (peek(l, 0) < 0)
			return false;
		skip(l, 1);
	}
	skip(l, 2);
	return true;
}

// Returns a TOK_JUNK for an unterminated comment, else TOK_NONE. spaced: something was skipped.
static struct token white_space(struct lexer *l, bool *spaced)
{
	for (;; *spaced = true) {
		int c = peek(l, 0);
		struct loc loc = reader_loc(&l->reader);

		if (c >= 0 && isspace(c))
			skip(l, 1);
		else if (c == '#' || at(l, "//"))
			line_comment(l);
		else if (!at(l, "/*"))
			return (struct token){ 0 };
		else if (!block_comment(l))
			return lex_junk(loc, "unterminated comment (\"*/\" is missing)");
	}
}

// ---------------------------------------------------------------- script arguments

static bool at_argument(const struct lexer *l)
{
	int c = peek(l, 1);

	return (peek(l, 0) == '$' || peek(l, 0) == '@') && c >= 0 && (c == '#' || isdigit(c));
}

// Returns the number of "$12" or "@12"; 0 for "$#" and "@#"; INT_MAX if it is too large.
static int argument_number(struct lexer *l)
{
	int n = 0;

	skip(l, 1);
	if (peek(l, 0) == '#') {
		skip(l, 1);
		return 0;
	}
	for (int c; (c = peek(l, 0)) >= 0 && isdigit(c); skip(l, 1))
		n = n > MAX_ARGUMENT ? n : n * 10 + (c - '0');
	return n ? n : INT_MAX;
}

// argument = ("$" | "@") ("#" | digits)
// Returns the string of the "@" form; TOK_NONE if characters were pasted and lexing continues with them.
static struct token argument(struct lexer *l, struct loc loc)
{
	bool quoted = peek(l, 0) == '@', nested = reader_pasting(&l->reader);
	int n = argument_number(l), given = l->session ? l->session->opt.args.n : 0;
	const char *text;

	if (!l->session)
		return (struct token){ .kind = quoted ? TOK_STRING : TOK_IDENT, .loc = loc, .text = "" };
	if (nested)
		return lex_junk(loc, "the text of a script argument cannot refer to another argument");
	if (n > given) {
		l->session->arguments_missing = true;
		return lex_junk(loc, "missing script argument %c%s (%d given)", quoted ? '@' : '$',
				n == INT_MAX ? "0" : str_printf("%d", n), given);
	}
	if (n)
		library_argument_used(l->session, n);
	text = n ? l->session->opt.args.at[n - 1] : str_printf("%d", given);
	if (quoted)
		return (struct token){ .kind = TOK_STRING, .loc = loc, .text = text, .len = strlen(text) };
	reader_paste(&l->reader, loc, text);
	return (struct token){ 0 };
}

// ---------------------------------------------------------------- tokens

// Returns true if older versions have no such keyword (--compatible).
static bool keyword_since(const struct lexer *l, enum tok kind, struct loc loc)
{
	return kind != TOK_PRIVATE || session_since(l->session, loc, "3.0", "the keyword \"private\"");
}

static struct token word(struct lexer *l, struct loc loc)
{
	struct token t = { .kind = TOK_IDENT, .loc = loc };
	struct buf b = { 0 };

	for (; is_ident(peek(l, 0)); skip(l, 1))
		buf_putc(&b, (char)peek(l, 0));
	t.text = buf_text(&b);
	t.len = b.len;
	for (const struct spelling *k = keywords; k < END(keywords); k++)
		if (k->text[0] == t.text[0] && strcmp(k->text, t.text) == 0)
			t.kind = keyword_since(l, k->kind, loc) ? k->kind : TOK_IDENT;
	if (l->session && (str_starts(t.text, "argv") || strcmp(t.text, "argc") == 0))
		library_argument_used(l->session, 0);
	return t;
}

static struct token at_word(struct lexer *l, struct loc loc)
{
	struct token t;

	skip(l, 1);
	if (!is_ident_start(peek(l, 0)))
		return lex_junk(loc, "expected the name of an operator or macro after \"@\"");
	t = word(l, loc);
	t.kind = TOK_AT_WORD;
	return t;
}

// A number includes all letters and digits that follow, so that an invalid one is reported as a whole.
static struct token number(struct lexer *l, struct loc loc)
{
	struct token t = { .kind = TOK_NUMBER, .loc = loc };
	struct buf b = { 0 };
	enum number_found found;
	const char *end;

	for (int c; (c = peek(l, 0)) >= 0 && isalnum(c); skip(l, 1))
		buf_putc(&b, (char)c);
	t.text = end = buf_text(&b);
	t.len = b.len;
	found = number_unsigned(&end, 0, (uint64_t *)&t.number);
	if (*end)
		return lex_junk(loc, "invalid number \"%.40s\": write only digits, as in 1000, 0x3e8 or 01750", t.text);
	if (found == NUMBER_TOO_LARGE)
		return lex_junk(loc, "the number %.40s is too large for 64 bits", t.text);
	return t;
}

static int hex_digit(int c)
{
	if (c < 0 || !isxdigit(c))
		return -1;
	return isdigit(c) ? c - '0' : tolower(c) - 'a' + 10;
}

// Reads up to `max` digits of the base; their value is one byte.
static char coded_char(struct lexer *l, int base, int max)
{
	int value = 0;

	for (; max-- && hex_digit(peek(l, 0)) >= 0 && hex_digit(peek(l, 0)) < base; skip(l, 1))
		value = value * base + hex_digit(peek(l, 0));
	return (char)value;
}

// escape = "\" letter
//  "\" octal{1,3}
//  "\x" hex{1,2}; the backslash is already read
static char escape(struct lexer *l)
{
	static const char letters[] = "abtnvfr", values[] = "\a\b\t\n\v\f\r";
	int c = peek(l, 0);
	const char *known = c > 0 ? strchr(letters, c) : NULL;

	if (c >= '0' && c <= '7')
		return coded_char(l, 8, 3);
	skip(l, 1);
	if (c == 'x' && hex_digit(peek(l, 0)) >= 0 &&
	    session_since(l->session, reader_loc(&l->reader), "2.3", "a character written as \\x41"))
		return coded_char(l, 16, 2);
	return known ? values[known - letters] : (char)c;
}

static struct token string(struct lexer *l, struct loc loc)
{
	struct buf b = { 0 };
	int c;

	skip(l, 1);
	for (; (c = peek(l, 0)) != '"'; ) {
		if (c < 0 || c == '\n')
			return lex_junk(loc, "unterminated string ('\"' is missing on its line)");
		skip(l, 1);
		if (c == '\\' && peek(l, 0) < 0)
			continue;
		buf_putc(&b, c == '\\' ? escape(l) : (char)c);
	}
	skip(l, 1);
	return (struct token){ .kind = TOK_STRING, .loc = loc, .text = buf_text(&b), .len = b.len };
}

static struct token embedded(struct lexer *l, struct loc loc)
{
	struct buf b = { 0 };

	skip(l, 2);
	for (; !at(l, "%}"); skip(l, 1)) {
		if (peek(l, 0) < 0)
			return lex_junk(loc, "unterminated embedded code (\"%%}\" is missing)%s",
					strstr(buf_text(&b), "}%") ? "; \"}%\" does not end it" : "");
		buf_putc(&b, (char)peek(l, 0));
	}
	skip(l, 2);
	return (struct token){ .kind = TOK_EMBEDDED, .loc = loc, .text = buf_text(&b), .len = b.len };
}

// Reports a character that begins no token; scripts copied from web pages contain typographic ones.
static struct token invalid_character(struct lexer *l, struct loc loc)
{
	char text[5] = "";
	const char *what;
	int len, c = peek(l, 0);

	for (int i = 0; i < 4 && peek(l, i) >= 0; i++)
		text[i] = peek(l, i);
	what = typography_character(text, &len);
	skip(l, what ? len : 1);
	if (what)
		return lex_junk(loc, "%s", what);
	if (!isprint(c))
		return lex_junk(loc, "unexpected byte 0x%02x", c);
	return lex_junk(loc, "unexpected character \"%c\"%s", c,
			c == '\'' || c == '`' ? ": write strings in \"double quotes\"" :
			c == '\\' ? ": a backslash is allowed only in strings" : "");
}

static struct token operator(struct lexer *l, struct loc loc)
{
	const struct spelling *best = NULL;
	int c = peek(l, 0);

	for (const struct spelling *o = operators; o < END(operators); o++)
		if (o->text[0] == c && at(l, o->text) && (!best || strlen(o->text) > strlen(best->text)))
			best = o;
	if (!best) {
		return invalid_character(l, loc);
	}
	skip(l, strlen(best->text));
	return (struct token){ .kind = best->kind, .loc = loc, .text = best->text, .len = strlen(best->text) };
}

static struct token one_token(struct lexer *l, struct loc loc)
{
	int c = peek(l, 0);

	if (c < 0)
		return (struct token){ .kind = TOK_EOF, .loc = loc, .text = "" };
	if (at_argument(l))
		return argument(l, loc);
	if (is_ident_start(c))
		return word(l, loc);
	if (c == '@')
		return at_word(l, loc);
	if (isdigit(c))
		return number(l, loc);
	if (c == '"')
		return string(l, loc);
	if (at(l, "%{"))
		return embedded(l, loc);
	return operator(l, loc);
}

struct token lex_next(struct lexer *l)
{
	bool spaced = false;
	struct token t;

	do {
		t = white_space(l, &spaced);
		if (!t.kind)
			t = one_token(l, reader_loc(&l->reader));
	} while (!t.kind);
	t.spaced = spaced;
	return t;
}

void lex_start(struct lexer *l, struct session *s, const struct source *source)
{
	l->session = s;
	reader_start(&l->reader, source);
}
