// SPDX-License-Identifier: GPL-2.0-or-later
// Parses the top level of a file: tokens -> struct script; and the common parts of the parser. The rules of probes,
// statements, expressions and print formats are in parse_*.c; rule comments use EBNF: [optional] {repeated} "literal".
#include "parse/parse.h"
#include "parse/monitor_script.h"
#include "parse/typography.h"
#include "parse/parser.h"
#include "session/passes.h"
#include "util/foreign_words.h"
#include "util/str.h"

#include "../include/sys/sdt.h"

#include <inttypes.h>
#include <regex.h>
#include <string.h>

// ---------------------------------------------------------------- tokens

static const struct token end = { .kind = TOK_EOF, .text = "" };

const struct token *parser_peek(struct parser *p)
{
	if (p->panic)
		return &end;
	if (!p->has_token) {
		p->token = p->ahead_at < p->ahead.n ? p->ahead.at[p->ahead_at++] : preproc_next(&p->preproc);
		p->has_token = true;
	}
	return &p->token;
}

const struct token *parser_peek_ahead(struct parser *p, int n)
{
	if (parser_peek(p)->kind == TOK_EOF)
		return &end;
	if (p->ahead_at == p->ahead.n)
		p->ahead_at = p->ahead.n = 0;
	while (p->ahead.n - p->ahead_at < n) {
		if (p->ahead.n && p->ahead.at[p->ahead.n - 1].kind == TOK_EOF)
			return &end;
		vec_push(&p->ahead, preproc_next(&p->preproc));
	}
	return &p->ahead.at[p->ahead_at + n - 1];
}

struct token parser_take(struct parser *p)
{
	struct token t = *parser_peek(p);

	if (!p->panic && t.kind != TOK_EOF)
		p->has_token = false;
	return t;
}

bool parser_at(struct parser *p, enum tok kind)
{
	return parser_peek(p)->kind == kind;
}

bool parser_accept(struct parser *p, enum tok kind)
{
	if (!parser_at(p, kind))
		return false;
	parser_take(p);
	return true;
}

void parser_fail(struct parser *p, struct loc loc, const char *fmt, ...)
{
	const struct token *t = parser_peek(p);
	va_list ap;

	if (p->panic)
		return;
	p->panic = true;
	if (!p->errors++)
		p->first_error = t->kind == TOK_JUNK ? t->loc : loc;
	if (t->kind == TOK_JUNK) { // an error of the lexer, the macros or the preprocessor
		diag_error(t->loc, "%s", t->text);
		foreign_word_note(t->loc);
		return;
	}
	va_start(ap, fmt);
	diag_error(loc, "%s", str_vprintf(fmt, ap));
	va_end(ap);
	typography_note(loc);
	foreign_word_note(loc);
}

// Reports an error in text that is grammatical: no token is skipped.
void parser_complain(struct parser *p, struct loc loc, const char *fmt, ...)
{
	va_list ap;

	if (p->panic)
		return;
	if (!p->errors++)
		p->first_error = loc;
	va_start(ap, fmt);
	diag_error(loc, "%s", str_vprintf(fmt, ap));
	va_end(ap);
}

void parser_late(struct parser *p, struct loc loc, const char *fmt, ...)
{
	va_list ap;
	const char *text;

	va_start(ap, fmt);
	text = str_vprintf(fmt, ap);
	va_end(ap);
	if (p->source->library)
		parser_complain(p, loc, "%s", text);
	else if (!p->panic)
		vec_push(&p->out->late_errors, ((struct late_error){ loc, text }));
}

int parse_report_late(struct session *s)
{
	for vec_each(&s->script.late_errors, it) {
		diag_error(it->loc, "%s", it->text);
		typography_note(it->loc);
		foreign_word_note(it->loc);
	}
	return s->script.late_errors.n;
}

static const char *describe(const struct token *t)
{
	switch (t->kind) {
	case TOK_EOF: return "the end of the file";
	case TOK_STRING: return str_printf("the string \"%.40s\"", str_escape(t->text, t->len > 40 ? 40 : t->len));
	case TOK_NUMBER: return str_printf("the number %.40s", t->text);
	case TOK_EMBEDDED: return "embedded code";
	case TOK_AT_WORD: return str_printf("\"@%.60s\"", t->text);
	default: return str_printf("\"%.60s\"", t->text);
	}
}

void parser_expected(struct parser *p, const char *what)
{
	const struct token *t = parser_peek(p);

	if (t->kind == TOK_EOF && !p->panic)
		diag_refer("error::pass1");    // the cause may be a brace far above
	if (t->kind == TOK_AT_WORD && !parse_stat_op(t))
		parser_fail(p, t->loc, "expected %s, found %s, which is neither a macro nor an operator that is allowed here",
			    what, describe(t));
	else
		parser_fail(p, t->loc, "expected %s, found %s", what, describe(t));
}

bool parser_expect(struct parser *p, enum tok kind, const char *where)
{
	if (parser_accept(p, kind))
		return true;
	parser_expected(p, str_printf("\"%s\" %s", tok_text(kind), where));
	return false;
}

bool parser_enter(struct parser *p)
{
	if (++p->nesting <= MAX_NESTING)
		return true;
	parser_fail(p, parser_peek(p)->loc, "code is nested more than %d levels deep; move inner parts to functions",
		    MAX_NESTING);
	return false;
}

void parser_leave(struct parser *p)
{
	p->nesting--;
}

const char *parser_name(struct parser *p, const char *what, struct loc *loc)
{
	const struct token *t = parser_peek(p);
	const char *name = t->text;

	if (loc)
		*loc = t->loc;
	if (t->kind == TOK_IDENT && name[0] == '$')
		parser_fail(p, t->loc, "expected %s: \"%.60s\" is the name of a target variable", what, name);
	else if (t->kind != TOK_IDENT)
		parser_expected(p, what);
	parser_take(p);
	return p->panic ? "" : name;
}

struct token parser_string(struct parser *p, const char *what)
{
	if (!parser_at(p, TOK_STRING)) {
		parser_expected(p, what);
		return (struct token){ .kind = TOK_STRING, .text = "" };
	}
	return parser_take(p);
}

bool parser_is_large(const struct token *number)
{
	return *number->text != '0' && number->number < 0;
}

int64_t parser_negative(struct parser *p, struct loc loc, int64_t number, bool large)
{
	if (large && number != INT64_MIN)
		parser_fail(p, loc, "the number -%" PRIu64 " is too small for 64 bits; the least is -9223372036854775808",
			    (uint64_t)number);
	return (int64_t)-(uint64_t)number;
}

int64_t parser_number(struct parser *p, const char *what)
{
	bool minus = parser_accept(p, TOK_SUB);
	struct token t = *parser_peek(p);

	if (t.kind != TOK_NUMBER) {
		parser_expected(p, what);
		return 0;
	}
	parser_take(p);
	return minus ? parser_negative(p, t.loc, t.number, parser_is_large(&t)) : t.number;
}

bool parser_privileged(struct parser *p, struct loc loc, const char *what)
{
	if (!p->privileged)
		parser_fail(p, loc, "%s is allowed in guru mode only (stap -g)", what);
	return p->privileged;
}

// ---------------------------------------------------------------- globals

// size = "[" NUMBER "]"
static void array_size(struct parser *p, struct var *v)
{
	struct loc loc = parser_peek(p)->loc;

	v->size_given = true;
	v->max_size = parser_number(p, "the array's size, a number");
	if (!p->panic && (v->max_size <= 0 || v->max_size > limit_max(LIMIT_MAXMAPENTRIES)))
		parser_fail(p, loc, "the array's size is out of range (1 to %lld)",
			    (long long)limit_max(LIMIT_MAXMAPENTRIES));
	parser_expect(p, TOK_RBRACKET, "after the array's size");
}

// initial = STRING | ["-"] NUMBER
static struct expr *initial(struct parser *p)
{
	struct token t = *parser_peek(p);
	struct expr *e;

	if (t.kind != TOK_STRING)
		return expr_number(t.loc, parser_number(p, "a literal (a number or a string) as the initial value"));
	parser_take(p);
	e = expr_string(t.loc, t.text);
	e->u.string.len = t.len;
	return e;
}

static void check_duplicate(struct parser *p, struct var *v)
{
	const struct var *other = map_get(&p->globals, v->name);

	if (other) {
		parser_complain(p, v->loc, "duplicate global \"%s\"", v->name);
		diag_note(other->loc, "first declared here");
		return;
	}
	map_put(&p->globals, v->name, v);
}

// variable = NAME ["%"] ["[" NUMBER "]"] ["=" literal]
static void global(struct parser *p, bool is_private)
{
	struct var *v = NEW(struct var);

	v->name = parser_name(p, "the name of a global variable", &v->loc);
	v->kind = VAR_GLOBAL;
	v->is_private = is_private;
	v->arity = -1;
	v->wrap = parser_accept(p, TOK_MOD);
	if (parser_accept(p, TOK_LBRACKET))
		array_size(p, v);
	if (parser_at(p, TOK_ASSIGN) && (v->wrap || v->size_given))
		parser_fail(p, parser_peek(p)->loc, "only a scalar can have an initial value");
	if (parser_accept(p, TOK_ASSIGN))
		v->init = initial(p);
	check_duplicate(p, v);
	if (!p->panic)
		vec_push(&p->out->globals, v);
}

// globals = variable {"," variable} [";"]
static void globals(struct parser *p, bool is_private)
{
	do
		global(p, is_private);
	while (parser_accept(p, TOK_COMMA));
	parser_accept(p, TOK_SEMI);
}

// ---------------------------------------------------------------- functions

static void check_markers(const struct embedded *c, struct loc loc)
{
	const char *similar;

	for vec_each(&c->unknown, marker)
		if (embedded_is_misspelt(*marker, &similar))
			diag_warning(loc, "unknown marker \"%s\" of embedded C%s", *marker, similar);
}

// type = ":" ("long" | "string"). Returns false if the next token is not a colon.
static bool value_type(struct parser *p, enum type *type)
{
	if (!parser_accept(p, TOK_COLON))
		return false;
	*type = parser_at(p, TOK_STRING_TYPE) ? T_STRING : T_LONG;
	if (!parser_accept(p, TOK_STRING_TYPE) && !parser_accept(p, TOK_LONG_TYPE))
		parser_expected(p, "a type (\"long\" or \"string\") after \":\"");
	return true;
}

// parameter = NAME [type]
static void parameter(struct parser *p, struct func *f, struct map *seen)
{
	struct var *v = NEW(struct var);

	v->name = parser_name(p, "the name of a parameter", &v->loc);
	v->kind = VAR_PARAM;
	v->explicit_type = value_type(p, &v->type);
	if (v->explicit_type)
		v->type_loc = v->loc;
	if (map_get(seen, v->name))
		parser_fail(p, v->loc, "duplicate parameter \"%s\"", v->name);
	map_put(seen, v->name, v);
	vec_push(&f->params, v);
}

// parameters = "(" [parameter {"," parameter}] ")"
static void parameters(struct parser *p, struct func *f)
{
	struct map seen = { 0 };

	parser_expect(p, TOK_LPAREN, "and the function's parameters");
	if (parser_accept(p, TOK_RPAREN))
		return;
	do
		parameter(p, f, &seen);
	while (parser_accept(p, TOK_COMMA));
	parser_expect(p, TOK_RPAREN, "after the function's parameters");
}

// priority = ":" NUMBER
static void priority(struct parser *p, struct func *f)
{
	struct loc loc;
	int64_t n;

	f->priority = p->source->library;
	if (!parser_accept(p, TOK_COLON))
		return;
	loc = parser_peek(p)->loc;
	n = parser_number(p, "the function's priority, a number");
	if (n < 1 || n > INT32_MAX)
		parser_fail(p, loc, "the function's priority is out of range (1 to %d)", INT32_MAX);
	f->priority = (int)n;
}

// function = "function" NAME [type] parameters [priority] (block | "%{" C "%}")
static void function(struct parser *p, bool is_private)
{
	struct func *f = NEW(struct func);

	f->source = p->source;
	f->is_private = is_private;
	f->name = parser_name(p, "the name of the function", &f->loc);
	f->explicit_type = value_type(p, &f->type);
	if (f->explicit_type)
		f->type_loc = f->loc;
	parameters(p, f);
	priority(p, f);
	if (parser_at(p, TOK_EMBEDDED)) {
		struct token t = parser_take(p);

		parser_privileged(p, t.loc, "a function in embedded C");
		f->embedded = embedded_new(t.text);
		f->embedded_loc = t.loc;
		if (!p->source->library)
			check_markers(f->embedded, t.loc);
		if (embedded_word(f->embedded, "THIS") &&
		    !session_since(p->session, t.loc, "1.8", "STAP_ARG_x instead of THIS->x"))
			f->embedded->pragmas |= PRAGMA_UNMANGLED;
	} else {
		p->in_function = true;
		f->body = parse_block(p, "of the function");
		p->in_function = false;
	}
	if (!p->panic)
		vec_push(&p->out->funcs, f);
}

// ---------------------------------------------------------------- the file

// private = "private" (["global"] variable {"," variable} | function)
static void private(struct parser *p)
{
	if (parser_accept(p, TOK_FUNCTION)) {
		function(p, true);
		return;
	}
	parser_accept(p, TOK_GLOBAL);
	globals(p, true);
}

static void embedded(struct parser *p, const struct token *t)
{
	struct expr *e = expr_new(E_EMBEDDED, t->loc);

	if (!parser_privileged(p, t->loc, "embedded C"))
		return;
	e->u.embedded = embedded_new(t->text);
	vec_push(&p->out->embedded, e);
}

// Returns the probe point that begins at the token, if its handler or the end of the line follows; NULL: other text.
static const char *point_without_probe(const struct token *t)
{
	static const char *const begin_and_end[] = { "begin", "end" };
	const char *line = diag_line(t->loc.source, t->loc.line);
	size_t n = strcspn(line, "\n");
	regmatch_t found[2];
	const char *point;
	regex_t re;
	bool ok;

	if (t->kind != TOK_IDENT || t->loc.column < 1 || (size_t)t->loc.column > n || n > 1000)
		return NULL;
	line = str_ndup(line + t->loc.column - 1, n - (t->loc.column - 1));
	if (regcomp(&re, "^([A-Za-z_][A-Za-z_0-9*?]*"
			 "(\\.[A-Za-z_0-9*?]+|\\.\\{[a-z_0-9,]+\\}|\\(\"[^\"]*\"\\)|\\([0-9]+\\))*)[ \t?!]*(\\{|,|$)", REG_EXTENDED))
		return NULL;
	ok = !regexec(&re, line, ARRAY_SIZE(found), found, 0);
	regfree(&re);
	if (!ok)
		return NULL;
	point = str_ndup(line, found[1].rm_eo);
	for (size_t i = 0; i < ARRAY_SIZE(begin_and_end); i++)
		if (!strcasecmp(point, begin_and_end[i]))
			return begin_and_end[i];
	return strpbrk(point, ".(") ? point : NULL;
}

// Returns true if the line has this word alone, or with a handler, as the name of a function is for other tracers.
static bool is_alone(const struct token *t)
{
	const char *line = diag_line(t->loc.source, t->loc.line);
	size_t before = strspn(line, " \t");
	const char *rest = line + before + t->len;

	rest += strspn(rest, " \t");
	return t->loc.column >= 1 && (size_t)t->loc.column - 1 == before && (!*rest || *rest == '\n' || *rest == '{');
}

// Suggests a keyword for a word that begins no declaration.
static void not_an_item(struct parser *p, const struct token *t)
{
	static const char *const words[] = { "probe", "global", "private", "function" };
	const char *point = point_without_probe(t);

	parser_expected(p, "\"probe\", \"global\", \"private\", \"function\" or \"%{\"");
	if (point) {
		diag_note(t->loc, "did you mean \"probe %s { ... }\"?", point);
		return;
	}
	for (size_t i = 0; t->kind == TOK_IDENT && i < ARRAY_SIZE(words); i++)
		if (str_distance(t->text, words[i]) <= 2) {
			diag_note(t->loc, "did you mean \"%s\"?", words[i]);
			return;
		}
	if (t->kind == TOK_IDENT && is_alone(t))
		diag_note(t->loc, "a probe of a kernel function is written: probe kernel.function(\"%s\") { println(pp()) }",
			  t->text);
	if (t->kind == TOK_NUMBER || (t->len == 1 && strchr("$<>+-~", t->text[0])))
		diag_note(t->loc, "remove line numbers, prompts and markup that were copied from a page");
}

// item = probe | globals | private | function | "%{" C "%}" | ";"
static void item(struct parser *p)
{
	struct token t = *parser_peek(p);

	switch (t.kind) {
	case TOK_PROBE:
		parser_take(p);
		parse_probe(p, t.loc);
		break;
	case TOK_GLOBAL:
		parser_take(p);
		globals(p, false);
		break;
	case TOK_PRIVATE:
		parser_take(p);
		private(p);
		break;
	case TOK_FUNCTION:
		parser_take(p);
		function(p, false);
		break;
	case TOK_EMBEDDED:
		parser_take(p);
		embedded(p, &t);
		break;
	case TOK_SEMI:
		parser_take(p);
		break;
	default:
		not_an_item(p, &t);
	}
}

static bool at_keyword(struct parser *p)
{
	enum tok t = parser_peek(p)->kind;

	return t == TOK_PROBE || t == TOK_GLOBAL || t == TOK_PRIVATE || t == TOK_FUNCTION;
}

static void recover(struct parser *p)
{
	p->panic = p->in_function = false;
	p->nesting = p->arms = 0;
	p->expr_level = 0;
	p->loose_hist = NULL;
	for (bool in_point = false; (in_point || !at_keyword(p)) && !parser_at(p, TOK_EOF);)
		in_point = parser_take(p).kind == TOK_DOT;    // .function("x") is a component
}

int parse_into(struct session *s, const struct source *src, struct script *out, struct map *shared,
	       struct loc *first)
{
	struct parser p = { .session = s, .source = src, .out = out, .privileged = s->opt.guru || src->library };

	preproc_start(&p.preproc, s, src, shared);
	while (!shared && parser_at(&p, TOK_SEMI))
		parser_take(&p);
	if (!shared && !src->library && parser_at(&p, TOK_EOF))
		parser_fail(&p, (struct loc){ 0 }, "the script is empty: no probes found");
	while (!shared && !parser_at(&p, TOK_EOF)) {
		item(&p);
		if (p.panic)
			recover(&p);
	}
	if (!parser_at(&p, TOK_EOF))
		parser_expected(&p, "\"@define\" (a .stpm file contains only macros)");
	if (first)
		*first = p.first_error;
	return p.errors;
}

// Parses one text into s->script (globals, funcs, probe_decls, aliases, embedded), macros and conditionals applied.
// Returns the number of errors reported.
static int parse_source(struct session *s, struct source *src)
{
	int errors;

	diag_kind("parse");
	errors = parse_into(s, src, &s->script, NULL, NULL);
	diag_kind("semantic");
	return errors;
}

static int parse_monitor(struct session *s)
{
	const char *text = monitor_script(s);

	return parse_source(s, session_source(s, MONITOR_SOURCE, text, strlen(text)));
}

static void warn_unused_arguments(struct session *s)
{
	for (int i = 1; i <= s->opt.args.n; i++) {
		const char *arg = s->opt.args.at[i - 1], *option = typography_option(arg);

		if (!library_argument_is_used(s, i))
			diag_warning((struct loc){ 0 }, "the script does not use its argument $%d/@%d (\"%s\")%s", i, i, arg,
				     option ? str_printf("; if it is an option, write %s", option) : "");
	}
}

int pass_parse(struct session *s)
{
	int errors = 0;

	if (s->opt.include_dirs.n && !s->opt.list && !s->opt.dump) {
		diag_kind("parse");
		errors += library_check(s);
		diag_kind("semantic");
	}
	for vec_each(&s->sources, src)
		errors += parse_source(s, *src);
	if (!errors && s->opt.monitor)
		errors += parse_monitor(s);
	STAP_PROBE1(stap, pass1b__start, s->marked);
	if (errors)
		parse_report_late(s);
	else
		warn_unused_arguments(s);
	return errors;
}

// ---------------------------------------------------------------- -p1

static void print_file(const struct script *script, struct buf *b, const struct source *src)
{
	buf_printf(b, "# file %s\n", src->name);
	for vec_each(&script->embedded, e)
		if ((*e)->loc.source == src)
			buf_printf(b, "%%{%s%%}\n", (*e)->u.embedded->code);
	for vec_each(&script->globals, v)
		if ((*v)->loc.source == src)
			ast_print_global(b, *v);
	for vec_each(&script->funcs, f)
		if ((*f)->source == src)
			ast_print_func(b, *f);
	for vec_each(&script->aliases, d)
		if ((*d)->source == src)
			ast_print_decl(b, *d);
	for vec_each(&script->probe_decls, d)
		if ((*d)->source == src)
			ast_print_decl(b, *d);
}

void print_parsed(struct session *s, struct buf *b)
{
	buf_puts(b, "# parse tree dump\n");
	for vec_each(&s->sources, src)
		print_file(&s->script, b, *src);
}

char *parse_printed(struct session *s, struct source *src)
{
	struct script script = { 0 };
	struct map macros = { 0 };
	struct buf b = { 0 };
	int errors, keys = s->bucket_keys;

	diag_kind("parse");
	s->bucket_keys = 0;
	errors = parse_into(s, src, &script, str_ends(src->name, ".stpm") ? &macros : NULL, NULL);
	s->bucket_keys = keys;
	diag_kind("semantic");
	if (errors)
		return NULL;
	print_file(&script, &b, src);
	return buf_text(&b);
}
