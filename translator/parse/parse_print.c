// SPDX-License-Identifier: GPL-2.0-or-later
// Parses the print family. A format string becomes a list of struct format_piece, and the number of arguments is
// checked against it; their types are checked in pass 2.
#include "parse/parse.h"
#include "parse/parser.h"
#include "util/str.h"

#include <string.h>

static const struct { const char *word; enum print_kind kind; bool to_string; } words[] = {
	{ "print", PRINT_PRINT, false },      { "sprint", PRINT_PRINT, true },
	{ "println", PRINT_PRINTLN, false },  { "sprintln", PRINT_PRINTLN, true },
	{ "printd", PRINT_PRINTD, false },    { "sprintd", PRINT_PRINTD, true },
	{ "printdln", PRINT_PRINTDLN, false }, { "sprintdln", PRINT_PRINTDLN, true },
	{ "printf", PRINT_PRINTF, false },    { "sprintf", PRINT_PRINTF, true },
};

static int find_word(const char *word)
{
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (strcmp(words[i].word, word) == 0)
			return (int)i;
	return -1;
}

void parse_print_words(name_list *out)
{
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		vec_push(out, words[i].word);
}

bool parse_is_print(const char *word)
{
	return find_word(word) >= 0;
}

// ---------------------------------------------------------------- formats

// A format string that is being read. A zero byte is at `end`, which `at` never passes.
struct format {
	struct parser *p;
	struct expr *print;
	struct loc loc;
	const char *at, *end;
};

static void bad_format(struct format *f, const char *start, const char *why)
{
	size_t len = (size_t)(f->at - start) + (f->at < f->end);

	parser_fail(f->p, f->loc, "invalid conversion \"%.60s\" in the format: %s", str_escape(start, len), why);
}

// Parses a width or a precision. Returns -1 if it is absent, more than MAX_WIDTH if it is too large.
enum { MAX_WIDTH = 8192 };     // limit of the runtime: PLAT_RECORD_MAX
static int digits(struct format *f)
{
	uint64_t n;
	enum number_found found = number_unsigned(&f->at, 10, &n);

	return found == NUMBER_NONE ? -1 : found == NUMBER_TOO_LARGE || n > MAX_WIDTH ? MAX_WIDTH + 1 : (int)n;
}

static bool star(struct format *f)
{
	if (*f->at != '*')
		return false;
	f->at++;
	return true;
}

static void check_conversion(struct format *f, const struct format_piece *c, const char *start)
{
	if (!c->conv || !strchr("diuoxXpcsbmM", c->conv))
		bad_format(f, start, "it must end in one of d i u o x X p c s b m M");
	else if (c->is_long && !strchr("diuoxX", c->conv))
		bad_format(f, start, "\"l\" is allowed only with d i u o x X");
	else if (c->width > MAX_WIDTH)
		bad_format(f, start, str_printf("the width is larger than %d", MAX_WIDTH));
	else if (c->precision > MAX_WIDTH)
		bad_format(f, start, str_printf("the precision is larger than %d", MAX_WIDTH));
	else if (c->conv == 'b' && !c->precision_star && c->precision >= 0 && c->precision != 1 &&
		 c->precision != 2 && c->precision != 4 && c->precision != 8)
		bad_format(f, start, "\"b\" writes 1, 2, 4 or 8 bytes");
}

// conversion = "%" {flag} [width | "*"] ["." [precision | "*"]] ["l"] letter; "%" is next
static void conversion(struct format *f)
{
	struct format_piece c = { .width = -1, .precision = -1 };
	const char *start = f->at++;

	for (; stp_format_flag(*f->at); f->at++)
		c.flags |= stp_format_flag(*f->at);
	c.width_star = star(f);
	if (!c.width_star)
		c.width = digits(f);
	if (*f->at == '.') {
		f->at++;
		c.precision_star = star(f);
		c.precision = c.precision_star ? -1 : digits(f);
		if (!c.precision_star && c.precision < 0)
			c.precision = 0;
	}
	for (; *f->at == 'l'; f->at++)
		c.is_long = true;
	c.conv = *f->at;
	if (c.conv == 'b' && c.precision < 0 && !c.precision_star) {
		c.precision = c.width;     // %4b writes 4 bytes
		c.precision_star = c.width_star;
		c.width = -1;
		c.width_star = false;
	}
	check_conversion(f, &c, start);
	if (c.conv == 'p' && c.precision < 0 && !c.precision_star && !session_since(f->p->session, f->loc, "1.3", "%p"))
		c.precision = 2 * (int)sizeof(int64_t);     // as many digits as a pointer has
	if (f->at < f->end)
		f->at++;
	vec_push(&f->print->u.print.format, c);
}

// Parses the text up to the next conversion; "%%" is a "%" of the text.
static void literal(struct format *f)
{
	struct format_piece c = { .width = -1, .precision = -1 };
	struct buf b = { 0 };

	for (; f->at < f->end; f->at++) {
		if (*f->at == '%' && f->at[1] != '%')
			break;
		f->at += *f->at == '%';
		buf_putc(&b, *f->at);
	}
	c.text = buf_text(&b);
	c.len = b.len;
	if (c.len)
		vec_push(&f->print->u.print.format, c);
}

static void format(struct parser *p, struct expr *print)
{
	struct token t = parser_string(p, "a format, a literal string");
	struct format f = { .p = p, .print = print, .loc = t.loc, .at = t.text, .end = t.text + t.len };

	while (f.at < f.end && !p->panic) {
		literal(&f);
		if (f.at < f.end)
			conversion(&f);
	}
}

static int wanted_args(const struct expr *print)
{
	int n = 0;

	for vec_each(&print->u.print.format, c)
		n += (c->conv != 0) + c->width_star + c->precision_star;
	return n;
}

// ---------------------------------------------------------------- calls

static void first_argument(struct parser *p, struct expr *e)
{
	struct token t;

	if (e->u.print.kind == PRINT_PRINTF) {
		format(p, e);
	} else if (e->u.print.kind == PRINT_PRINTD || e->u.print.kind == PRINT_PRINTDLN) {
		t = parser_string(p, "a delimiter, a literal string");
		e->u.print.delimiter = expr_string(t.loc, t.text);
		e->u.print.delimiter->u.string.len = t.len;
	}
}

static void check_hist(struct parser *p, struct expr *e)
{
	struct expr *hist = p->loose_hist;

	if (!hist)
		return;
	if (e->u.print.kind > PRINT_PRINTLN || e->u.print.args.n != 1 || e->u.print.args.at[0] != hist)
		parser_fail(p, hist->loc, "a histogram is printed alone, by print() or println()");
	p->loose_hist = NULL;
}

// Returns true if a probe of the text may have target variables: not only begin, end, error and timer probes.
static bool has_events(const char *text)
{
	static const char *const others[] = { "begin", "end", "error", "timer", "never", "init" };
	bool found = false;

	while (!found && (text = strstr(text, "probe "))) {
		text += strlen("probe ");
		text += strspn(text, " \t\n");
		found = true;
		for (size_t i = 0; i < ARRAY_SIZE(others); i++)
			found &= !str_starts(text, others[i]);
	}
	return found;
}

// Returns true if the text prints only by println() without a value.
static bool prints_nothing_else(const char *text)
{
	while ((text = strstr(text, "print"))) {
		if (!str_starts(text, "println()") && !str_starts(text, "print()"))
			return false;
		text += strlen("print()");
	}
	return true;
}

// Returns true for a script on the command line that may have been between double quotes, where the shell replaces
// $name. Its own double quotes were then escaped.
static bool may_be_expanded_by_shell(const struct source *source)
{
	return source->command_line && !strchr(source->text, '$') &&
	       (!strchr(source->text, '"') || prints_nothing_else(source->text));
}

static void check_count(struct parser *p, struct expr *e)
{
	int n = e->u.print.args.n, wanted = wanted_args(e);
	bool delimits = e->u.print.kind == PRINT_PRINTD || e->u.print.kind == PRINT_PRINTDLN;

	if (e->u.print.kind == PRINT_PRINTF && n != wanted)
		parser_fail(p, e->loc, "the format takes %d argument%s, %d given", wanted, wanted == 1 ? "" : "s", n);
	else if (n > MAX_PRINT_ARGS)
		parser_late(p, e->loc, "%s() takes at most %d arguments, %d given", e->u.print.word, MAX_PRINT_ARGS, n);
	else if (delimits && n < 2)
		parser_fail(p, e->loc, "%s() takes two or more values, to print the delimiter between them", e->u.print.word);
	else if (!n && e->u.print.kind != PRINT_PRINTF && e->u.print.kind != PRINT_PRINTLN)
		parser_fail(p, e->loc, "%s() takes at least one argument%s", e->u.print.word,
			    may_be_expanded_by_shell(p->source) ? "; if it was $name, the shell replaced it: write the script between "
			    "single quotes" : "");
	else if (!n && e->u.print.kind == PRINT_PRINTLN && may_be_expanded_by_shell(p->source) && has_events(p->source->text))
		diag_warning(e->loc, "println() prints an empty line; if it had an argument $name, the shell replaced it: "
			     "write the script between single quotes");
}

// print = WORD "(" [STRING ","] [value {"," value}] ")"
struct expr *parse_print(struct parser *p, const struct token *word)
{
	int w = find_word(word->text);
	struct expr *e = expr_new(E_PRINT, word->loc);
	bool first;

	e->u.print.word = words[w].word;
	e->u.print.kind = words[w].kind;
	e->u.print.to_string = words[w].to_string;
	parser_expect(p, TOK_LPAREN, "before the arguments");
	first_argument(p, e);
	first = e->u.print.kind == PRINT_PRINT || e->u.print.kind == PRINT_PRINTLN;
	while (!parser_accept(p, TOK_RPAREN) && !p->panic) {
		if (!first)
			parser_expect(p, TOK_COMMA, "or \")\" after an argument");
		first = false;
		vec_push(&e->u.print.args, parse_expr_or_hist(p));
	}
	check_hist(p, e);
	check_count(p, e);
	return e;
}
