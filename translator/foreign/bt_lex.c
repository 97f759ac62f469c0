// SPDX-License-Identifier: GPL-2.0-or-later
// Tokens of bpftrace's language (bpftrace(8), "BPFTRACE LANGUAGE"). Preprocessor lines are interpreted here: constants
// of #define, and conditionals with BPFTRACE_HAVE_BTF defined, since types come from the kernel's debuginfo.
#include "foreign/bt.h"

#include <ctype.h>
#include <string.h>

void bt_lex_start(struct bt_lexer *l, const struct source *source)
{
	*l = (struct bt_lexer){ .source = source, .p = source->text, .end = source->text + source->len, .line = 1,
				.at_line_start = true };
	l->line_start = l->p;
	map_put(&l->defines, "BPFTRACE_HAVE_BTF", "1");
}

struct loc bt_lex_loc(const struct bt_lexer *l)
{
	return (struct loc){ .source = l->source, .line = l->line, .column = (int)(l->p - l->line_start) + 1 };
}

static int peek(const struct bt_lexer *l, int ahead)
{
	return l->end - l->p > ahead ? (unsigned char)l->p[ahead] : -1;
}

static void skip(struct bt_lexer *l)
{
	if (*l->p++ == '\n') {
		l->line++;
		l->line_start = l->p;
		l->at_line_start = true;
	}
}

// ---------------------------------------------------------------- preprocessor

static bool left_out(const struct bt_lexer *l)
{
	for vec_each(&l->skipping, skipping)
		if (*skipping)
			return true;
	return false;
}

// Returns the next word of the line and moves *p past it; "" at its end.
static char *word(const char **p, const char *end)
{
	const char *from;

	while (*p < end && (**p == ' ' || **p == '\t'))
		++*p;
	from = *p;
	while (*p < end && (isalnum((unsigned char)**p) || **p == '_'))
		++*p;
	return str_ndup(from, (size_t)(*p - from));
}

static void directive(struct bt_lexer *l)
{
	const char *p = l->p + 1, *end = memchr(l->p, '\n', (size_t)(l->end - l->p));
	const char *what, *name;

	if (!end)
		end = l->end;
	what = word(&p, end);
	name = word(&p, end);
	if (!strcmp(what, "ifdef") || !strcmp(what, "ifndef"))
		vec_push(&l->skipping, !map_get(&l->defines, name) == !strcmp(what, "ifdef"));
	else if (!strcmp(what, "if"))
		vec_push(&l->skipping, !strcmp(name, "0"));
	else if (!strcmp(what, "else") && l->skipping.n)
		l->skipping.at[l->skipping.n - 1] ^= true;
	else if (!strcmp(what, "endif") && l->skipping.n)
		l->skipping.n--;
	else if (!strcmp(what, "define") && !left_out(l) && *name && (p == end || *p != '('))
		map_put(&l->defines, name, str_ndup(p, (size_t)(end - p)));
	while (l->p < end)
		l->p++;
}

static void comment(struct bt_lexer *l)
{
	skip(l);
	skip(l);
	while (l->p < l->end && !(peek(l, 0) == '*' && peek(l, 1) == '/'))
		skip(l);
	if (l->p < l->end) {
		skip(l);
		skip(l);
	}
}

void bt_lex_space(struct bt_lexer *l)
{
	for (;;) {
		int c = peek(l, 0);

		if (c < 0)
			return;
		if (c == '#' && l->at_line_start)
			directive(l);
		else if (isspace(c) || left_out(l))
			skip(l);
		else if (c == '/' && peek(l, 1) == '/')
			while (l->p < l->end && *l->p != '\n')
				l->p++;
		else if (c == '/' && peek(l, 1) == '*')
			comment(l);
		else
			return;
	}
}

// ---------------------------------------------------------------- tokens

static struct bt_token bad(struct bt_token t, const char *why)
{
	t.kind = BT_BAD;
	t.text = why;
	return t;
}

// Parses "1e6", "0x1f", "017", "1_000" or "10UL".
static struct bt_token number(struct bt_lexer *l, struct bt_token t)
{
	const char *from = l->p;
	struct buf digits = { 0 };
	const char *end;
	uint64_t value;
	int64_t zeroes;

	while (isalnum(peek(l, 0)) || peek(l, 0) == '_') {
		if (*l->p != '_')
			buf_putc(&digits, *l->p);
		l->p++;
	}
	t.kind = BT_NUMBER_TOK;
	t.text = str_ndup(from, (size_t)(l->p - from));
	end = buf_text(&digits);
	if (number_unsigned(&end, 0, &value) != NUMBER_GOOD)
		return bad(t, "invalid number, or larger than 64 bits");
	if (*end == 'e') {
		end++;
		if (!number_at(&end, 10, 0, 18, &zeroes))
			return bad(t, "invalid number, or larger than 64 bits");
		while (zeroes-- > 0)
			value *= 10;
	}
	t.number = (int64_t)value;
	// A suffix is one of the durations of bpftrace, or a type of C.
	if (!strcmp(end, "us") || !strcmp(end, "ms") || !strcmp(end, "s"))
		t.number = (int64_t)((uint64_t)t.number * (*end == 'u' ? 1000 : *end == 'm' ? 1000000 : 1000000000));
	else if (end[strspn(end, "uUlLns")])
		return bad(t, "invalid number");
	return t;
}

static struct bt_token string(struct bt_lexer *l, struct bt_token t)
{
	const char *from = ++l->p;

	while (l->p < l->end && *l->p != '"' && *l->p != '\n') {
		if (*l->p == '\\' && l->end - l->p > 1 && l->p[1] != '\n')
			l->p++;
		l->p++;
	}
	t.kind = BT_STRING_TOK;
	t.text = str_ndup(from, (size_t)(l->p - from));
	if (l->p == l->end || *l->p != '"')
		return bad(t, "the string has no closing quote");
	l->p++;
	return t;
}

static struct bt_token character(struct bt_lexer *l, struct bt_token t)
{
	static const char escapes[] = "n\nt\tr\r0\0\\\\''\"\"";
	bool escaped = peek(l, 1) == '\\';
	const char *found;

	t.kind = BT_NUMBER_TOK;
	t.number = peek(l, 1 + escaped);
	if (peek(l, 2 + escaped) != '\'')
		return bad(t, "invalid character constant");
	for (found = escapes; escaped && found < escapes + sizeof(escapes) - 1; found += 2)
		if (*found == t.number) {
			t.number = found[1];
			break;
		}
	l->p += 3 + escaped;
	t.text = "";
	return t;
}

// Reads a name. Returns "" if a digit is next, since names do not begin with a digit.
static char *name(struct bt_lexer *l)
{
	const char *from = l->p;

	while (isalpha(peek(l, 0)) || peek(l, 0) == '_' || (l->p > from && isdigit(peek(l, 0))))
		l->p++;
	return str_ndup(from, (size_t)(l->p - from));
}

static char *digits(struct bt_lexer *l)
{
	const char *from = l->p;

	while (isdigit(peek(l, 0)))
		l->p++;
	return str_ndup(from, (size_t)(l->p - from));
}

static struct bt_token punctuation(struct bt_lexer *l, struct bt_token t)
{
	static const char *const long_ones[] = { "<<=", ">>=", "...", "->", "++", "--", "<<", ">>",
						 "<=",	">=",  "==",  "!=", "&&", "||", "+=", "-=",
						 "*=",	"/=",  "%=",  "&=", "|=", "^=", "..", "::" };

	t.kind = BT_PUNCT;
	for (size_t i = 0; i < ARRAY_SIZE(long_ones); i++) {
		size_t n = strlen(long_ones[i]);

		if ((size_t)(l->end - l->p) >= n && !memcmp(l->p, long_ones[i], n)) {
			l->p += n;
			t.text = long_ones[i];
			return t;
		}
	}
	t.text = str_ndup(l->p++, 1);
	return strchr("{}()[];,.:?+-*/%&|^!~<>=", *t.text) ?
		t :
		bad(t, str_printf("unexpected character \"%s\"", str_escape(t.text, 1)));
}

struct bt_token bt_lex_next(struct bt_lexer *l)
{
	struct bt_token t = { .kind = BT_END, .text = "the end of the script" };
	int c;

	bt_lex_space(l);
	t.loc = bt_lex_loc(l);
	c = peek(l, 0);
	if (c < 0)
		return t;
	l->at_line_start = false;
	if (isdigit(c))
		return number(l, t);
	if (c == '"')
		return string(l, t);
	if (c == '\'')
		return character(l, t);
	if (c == '@' || (c == '$' && (isalpha(peek(l, 1)) || peek(l, 1) == '_'))) {
		l->p++;
		t.kind = c == '@' ? BT_MAP_TOK : BT_SCRATCH;
		t.text = name(l);
		return t;
	}
	if (c == '$') {
		l->p++;
		t.kind = BT_POSITION_TOK;
		t.text = peek(l, 0) == '#' ? (l->p++, "#") : digits(l);
		return *t.text ? t : bad(t, "a name or a number is expected after \"$\"");
	}
	if (isalpha(c) || c == '_') {
		t.kind = BT_WORD;
		t.text = name(l);
		return t;
	}
	return punctuation(l, t);
}
