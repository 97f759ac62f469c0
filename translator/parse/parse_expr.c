// SPDX-License-Identifier: GPL-2.0-or-later
// Parses expressions: one function for each level of precedence, which calls the one of the next tighter level.
// From loosest to tightest: = ?: || && | ^ & in == << . + * unary ++ & and ->
#include "parse/parse.h"
#include "parse/parser.h"
#include "parse/regex.h"
#include "util/str.h"

#include <string.h>
#include <sys/resource.h>

static struct expr *assignment(struct parser *p);
static struct expr *ternary(struct parser *p);
static struct expr *unary(struct parser *p);

// ---------------------------------------------------------------- lists

// keys = "[" (expr | "*") {"," (expr | "*")} "]"
expr_vec parse_keys(struct parser *p, bool stars)
{
	expr_vec keys = { 0 };

	parser_expect(p, TOK_LBRACKET, "before the keys");
	do {
		struct loc loc = parser_peek(p)->loc;
		bool star = parser_accept(p, TOK_MUL);

		if (star && !stars)
			parser_fail(p, loc, "\"*\" as a key is supported only with \"in\", \"delete\" and \"foreach\"");
		vec_push(&keys, star ? NULL : parse_expr(p));
	} while (parser_accept(p, TOK_COMMA));
	parser_expect(p, TOK_RBRACKET, "after the keys");
	return keys;
}

// arguments = "(" [expr {"," expr}] ")"
static expr_vec arguments(struct parser *p)
{
	expr_vec args = { 0 };

	parser_expect(p, TOK_LPAREN, "before the arguments");
	if (parser_accept(p, TOK_RPAREN))
		return args;
	do
		vec_push(&args, parse_expr(p));
	while (parser_accept(p, TOK_COMMA));
	parser_expect(p, TOK_RPAREN, "after the arguments");
	return args;
}

// ---------------------------------------------------------------- @ operators

static const struct { const char *name; unsigned op; } stats[] = {
	{ "count", STAT_COUNT }, { "sum", STAT_SUM }, { "min", STAT_MIN }, { "max", STAT_MAX },
	{ "avg", STAT_AVG }, { "variance", STAT_VARIANCE },
	{ "percentile", STAT_PERCENTILE },
};

bool parser_available(struct parser *p, const struct token *t, const char *since)
{
	if (session_since(p->session, t->loc, since, str_printf("@%s", t->text)))
		return true;
	parser_fail(p, t->loc, "@%s is not available in version %s of the language (--compatible); it was added in %s",
		    t->text, p->session->opt.compatible, since);
	return false;
}

unsigned parse_stat_op(const struct token *t)
{
	for (size_t i = 0; t->kind == TOK_AT_WORD && i < ARRAY_SIZE(stats); i++)
		if (strcmp(stats[i].name, t->text) == 0)
			return stats[i].op;
	return 0;
}

bool parse_at_hist(struct parser *p)
{
	const struct token *t = parser_peek(p);

	return t->kind == TOK_AT_WORD && (!strcmp(t->text, "hist_log") || !strcmp(t->text, "hist_linear"));
}

// statistic = NAME [keys]
static struct expr *statistic(struct parser *p)
{
	struct expr *e = expr_new(E_VAR, (struct loc){ 0 });
	const char *name = parser_name(p, "the name of a statistic", &e->loc);

	e->u.var.name = name;
	if (!parser_at(p, TOK_LBRACKET))
		return e;
	e->kind = E_INDEX;
	memset(&e->u, 0, sizeof(e->u));
	e->u.index.name = name;
	e->u.index.keys = parse_keys(p, false);
	return e;
}

// "@count" ... = "(" statistic ["," expr] ")", the second only for @variance and @percentile
static void at_stat(struct parser *p, struct expr *e, const struct token *t)
{
	e->kind = E_STAT;
	e->u.stat.op = parse_stat_op(t);
	e->u.stat.of = statistic(p);
	if (e->u.stat.op == STAT_PERCENTILE)
		parser_expect(p, TOK_COMMA, "and the percentage");
	if (e->u.stat.op == STAT_PERCENTILE || (e->u.stat.op == STAT_VARIANCE && parser_accept(p, TOK_COMMA)))
		e->u.stat.shift = parse_expr(p);
}

static int64_t next_number(struct parser *p, const char *what)
{
	parser_expect(p, TOK_COMMA, "between the arguments");
	return parser_number(p, what);
}

// hist = "@hist_log" "(" statistic ")" | "@hist_linear" "(" statistic "," low "," high "," step ")"
struct expr *parse_hist(struct parser *p)
{
	struct token t = parser_take(p);
	struct expr *e = expr_new(E_HIST, t.loc);
	struct loc loc;

	parser_expect(p, TOK_LPAREN, "after the histogram operator");
	e->u.stat.op = strcmp(t.text, "hist_log") ? STAT_HIST_LINEAR : STAT_HIST_LOG;
	e->u.stat.of = statistic(p);
	if (e->u.stat.op == STAT_HIST_LINEAR) {
		e->u.stat.low = next_number(p, "the histogram's lowest value, a number");
		e->u.stat.high = next_number(p, "the histogram's highest value, a number");
		parser_expect(p, TOK_COMMA, "between the arguments");
		loc = parser_peek(p)->loc;
		e->u.stat.step = parser_number(p, "the histogram's step, a number");
		if (e->u.stat.step <= 0)
			parser_fail(p, loc, "a histogram's step must be greater than 0");
		if (e->u.stat.high <= e->u.stat.low)
			parser_fail(p, t.loc, "a histogram's highest value must be greater than its lowest");
	}
	parser_expect(p, TOK_RPAREN, "after the arguments of the histogram");
	if (!p->loose_hist)
		p->loose_hist = e;
	return e;
}

// Parses an optional ", STRING".
static const char *more_string(struct parser *p, const char *what)
{
	return parser_accept(p, TOK_COMMA) ? parser_string(p, what).text : NULL;
}

static void at_cast(struct parser *p, struct expr *e, const struct token *t)
{
	e->kind = E_CAST;
	e->u.cast.e = parse_expr(p);
	parser_expect(p, TOK_COMMA, "and the name of a type");
	e->u.cast.type_name = parser_string(p, "the name of a type, a string").text;
	e->u.cast.module = more_string(p, "the name of a module, a string");
}

static void at_enumname(struct parser *p, struct expr *e, const struct token *t)
{
	e->kind = E_ENUMNAME;
	e->u.cast.e = parse_expr(p);
	e->u.cast.type_name = more_string(p, "the name of an enumeration type, a string");
	if (e->u.cast.type_name)
		e->u.cast.module = more_string(p, "the name of a module, a string");
}

// "name@cu/file.c" in one string
static void at_var(struct parser *p, struct expr *e, const struct token *t)
{
	struct loc loc = parser_peek(p)->loc;
	const char *name = parser_string(p, "the name of a variable, a string").text;
	const char *at = strchr(name, '@');

	if (!*name || at == name || (at && !at[1]))
		parser_fail(p, loc, "@var takes the name of a variable, alone or as \"name@file\"");

	e->kind = E_ATVAR;
	e->u.target.name = at ? str_ndup(name, (size_t)(at - name)) : name;
	e->u.target.file = at ? at + 1 : NULL;
	e->u.target.module = more_string(p, "the name of a module, a string");
}

static void at_one(struct parser *p, struct expr *e, const struct token *t)
{
	e->kind = strcmp(t->text, "defined") == 0 ? E_DEFINED : E_PROBEWRITE;
	e->u.op1 = parse_expr(p);
}

static void at_entry(struct parser *p, struct expr *e, const struct token *t)
{
	e->kind = E_ENTRY;
	e->u.entry.e = parse_expr(p);
}

static void at_text(struct parser *p, struct expr *e, const struct token *t)
{
	struct token string;

	e->kind = strcmp(t->text, "perf") == 0 ? E_PERF : strcmp(t->text, "enum") == 0 ? E_ENUM : E_CONST;
	if (e->kind == E_CONST)
		parser_privileged(p, t->loc, "@const()");
	string = parser_string(p, "a literal string");
	e->u.text1.text = string.text;
	if (e->kind == E_PERF && !*string.text)
		parser_fail(p, string.loc, "@perf(\"\") has an empty name; use the NAME of a .counter(\"NAME\")");
}

static struct expr *at_number(struct parser *p, const char *what)
{
	struct loc loc = parser_peek(p)->loc;

	return expr_number(loc, parser_number(p, what));
}

static void at_register(struct parser *p, struct expr *e, const struct token *t)
{
	e->kind = E_REGISTER;
	e->u.reg.user = t->text[0] == 'u';
	if (!e->u.reg.user)
		parser_privileged(p, t->loc, "@kregister()");
	e->u.reg.number_expr = at_number(p, "the number of a register");
}

static void at_deref(struct parser *p, struct expr *e, const struct token *t)
{
	e->kind = E_DEREF;
	e->u.deref.user = t->text[0] == 'u';
	if (!e->u.deref.user)
		parser_privileged(p, t->loc, "@kderef()");
	e->u.deref.size_expr = at_number(p, "the size, a number");
	parser_expect(p, TOK_COMMA, "and the address");
	e->u.deref.addr = parse_expr(p);
}

static const struct {
	const char *name;
	void (*rest)(struct parser *, struct expr *, const struct token *);
	const char *since;
} at_operators[] = {
	{ "cast", at_cast }, { "var", at_var }, { "defined", at_one }, { "probewrite", at_one },
	{ "entry", at_entry }, { "perf", at_text }, { "const", at_text, "3.1" }, { "enum", at_text, "5.5" },
	{ "enumname", at_enumname, "5.6" }, { "kregister", at_register, "4.0" },
	{ "uregister", at_register, "4.0" }, { "kderef", at_deref, "4.0" }, { "uderef", at_deref, "4.0" },
	{ "count", at_stat }, { "sum", at_stat }, { "min", at_stat }, { "max", at_stat },
	{ "avg", at_stat }, { "variance", at_stat, "3.1" },
	{ "percentile", at_stat },
};

static void unknown_operator(struct parser *p, const struct token *t)
{
	name_list names = { 0 };

	library_macro_names(p->session, &names);
	for (size_t i = 0; i < ARRAY_SIZE(at_operators); i++)
		vec_push(&names, at_operators[i].name);
	vec_push(&names, "hist_log");
	vec_push(&names, "hist_linear");
	for map_each(&p->preproc.macros.own, m)
		vec_push(&names, m->key);
	parser_fail(p, t->loc, "unknown operator or macro @%.60s%s", t->text,
		    str_similar(t->text, names.at, names.n));
	if (*t->text == '_')
		diag_note(t->loc, "macros whose names begin with \"_\" are private in SystemTap's library; use functions (stap "
			  "--dump-functions lists them), or @cast() and $ variables");
}

// at = "@" NAME "(" the operator's arguments ")"
static struct expr *at_operator(struct parser *p)
{
	struct token t = *parser_peek(p);
	struct expr *e = expr_new(E_NUMBER, t.loc);

	if (parse_at_hist(p))
		return parse_hist(p);
	for (size_t i = 0; i < ARRAY_SIZE(at_operators); i++) {
		if (strcmp(at_operators[i].name, t.text))
			continue;
		if (at_operators[i].since && !parser_available(p, &t, at_operators[i].since))
			return e;
		parser_take(p);
		parser_expect(p, TOK_LPAREN, str_printf("after @%s", t.text));
		at_operators[i].rest(p, e, &t);
		parser_expect(p, TOK_RPAREN, str_printf("after the arguments of @%s", t.text));
		return e;
	}
	unknown_operator(p, &t);
	return e;
}

// ---------------------------------------------------------------- operands

// Returns the number of "$" at the end of the name, which select pretty printing.
static int pretty_suffix(const char *name)
{
	int n = 0;

	for (size_t len = strlen(name); len && name[len - 1] == '$'; len--)
		n++;
	return n;
}

static struct expr *pretty(struct expr *base, int n)
{
	struct expr *e;

	if (!n)
		return base;
	e = expr_new(E_ACCESS, base->loc);
	e->u.access.base = base;
	e->u.access.pretty = n;
	return e;
}

// target = "$" NAME ["$" | "$$"]
static struct expr *target(struct parser *p)
{
	struct token t = *parser_peek(p);
	const char *text = t.text + 1;
	struct expr *e = expr_new(E_TARGET, t.loc);
	int n = pretty_suffix(text);
	size_t len = strlen(text) - (size_t)n;

	e->u.target.name = str_ndup(text, len);
	if (n > 2)
		parser_fail(p, t.loc, "too many \"$\" after the name: the suffixes for pretty printing are \"$\" and \"$$\"");
	else if (!len || (*text == '$' && len == 1))
		parser_fail(p, t.loc, "\"%.60s\" is not a name", t.text);
	parser_take(p);
	return pretty(e, n);
}

// named = NAME | NAME keys | NAME arguments | the print family; bind_names.c splits NAME and a suffix "$"
static struct expr *named(struct parser *p)
{
	struct token t = *parser_peek(p);
	struct expr *e = expr_new(E_VAR, t.loc);

	if (t.text[0] == '$')
		return target(p);
	parser_take(p);
	if (parse_is_print(t.text))
		return parse_print(p, &t);
	if (parser_at(p, TOK_LPAREN)) {
		e->kind = E_CALL;
		e->u.call.name = t.text;
		e->u.call.args = arguments(p);
	} else if (parser_at(p, TOK_LBRACKET)) {
		e->kind = E_INDEX;
		e->u.index.name = t.text;
		e->u.index.keys = parse_keys(p, false);
	} else {
		e->u.var.name = t.text;
	}
	return e;
}

static struct expr *embedded(struct parser *p)
{
	struct token t = parser_take(p);
	struct expr *e = expr_new(E_EMBEDDED, t.loc);

	parser_privileged(p, t.loc, "embedded C");
	e->u.embedded = embedded_new(t.text);
	return e;
}

static struct expr *literal(struct parser *p)
{
	struct token t = parser_take(p);
	struct expr *e;

	if (t.kind == TOK_NUMBER) {
		e = expr_number(t.loc, t.number);
		if (parser_is_large(&t))
			p->large = e;
		return e;
	}
	e = expr_string(t.loc, t.text);
	e->u.string.len = t.len;
	return e;
}

// primary = NUMBER | STRING | named | target | "(" expr ")" | "%{" C "%}" | at
static struct expr *primary(struct parser *p)
{
	const struct token *t = parser_peek(p);
	struct expr *e;

	switch (t->kind) {
	case TOK_NUMBER:
	case TOK_STRING:
		return literal(p);
	case TOK_IDENT:
		return named(p);
	case TOK_EMBEDDED:
		return embedded(p);
	case TOK_AT_WORD:
		return at_operator(p);
	case TOK_LPAREN:
		parser_take(p);
		e = parse_expr(p);
		parser_expect(p, TOK_RPAREN, "after the expression in parentheses");
		return e;
	default:
		parser_expected(p, "an expression");
		return expr_new(E_NUMBER, t->loc);
	}
}

// ---------------------------------------------------------------- -> [] $ &

// bucket = hist "[" expr "]"
static struct expr *bucket(struct parser *p, struct expr *hist)
{
	struct expr *e = expr_new(E_HIST_BUCKET, hist->loc);

	if (p->loose_hist == hist)
		p->loose_hist = NULL;
	parser_take(p);
	e->u.index.hist = hist;
	vec_push(&e->u.index.keys, parse_expr(p));
	parser_expect(p, TOK_RBRACKET, "after the number of the bucket");
	return e;
}

static bool at_suffix(struct parser *p)
{
	const struct token *t = parser_peek(p);

	return t->kind == TOK_IDENT && (strcmp(t->text, "$") == 0 || strcmp(t->text, "$$") == 0);
}

// member = "->" WORD ["$"
//  "$$"]; the arrow is next. A macro may receive the word in quotes: @offsetof("list_head", "next").
static void member(struct parser *p, struct expr *access)
{
	struct component c = { .kind = COMP_FIELD };
	const struct token *t;
	bool in_macro = parser_peek(p)->loc.via;

	parser_take(p);
	t = parser_peek(p);
	c.loc = t->loc;
	if (!lex_is_word(t) && !(t->kind == TOK_STRING && in_macro)) {
		parser_expected(p, "the name of a member after \"->\"");
		return;
	}
	access->u.access.pretty = pretty_suffix(t->text);
	c.name = str_ndup(t->text, t->len - (size_t)access->u.access.pretty);
	if (!*c.name || *c.name == '$' || access->u.access.pretty > 2)
		parser_fail(p, t->loc, "\"%.60s\" is not the name of a member", t->text);
	parser_take(p);
	vec_push(&access->u.access.comps, c);
}

// element = "[" expr "]"
static void element(struct parser *p, struct expr *access)
{
	struct component c = { .kind = COMP_INDEX, .loc = parser_peek(p)->loc };

	parser_take(p);
	c.index = parse_expr(p);
	parser_expect(p, TOK_RBRACKET, "after the index");
	vec_push(&access->u.access.comps, c);
}

// postfix = primary {member | element} ["$" | "$$"]; pass 2 finds whether the value has a type with members
static struct expr *postfix(struct parser *p)
{
	bool parenthesised = parser_at(p, TOK_LPAREN);
	struct expr *e = primary(p), *access = NULL;

	if (e->kind == E_HIST && parser_at(p, TOK_LBRACKET))
		e = bucket(p, e);
	if (!parenthesised && e->kind == E_ACCESS) // $x$
		access = e;
	while (e->kind != E_HIST && !p->panic) {
		bool more = parser_at(p, TOK_ARROW) || parser_at(p, TOK_LBRACKET);

		if (!more && !at_suffix(p))
			break;
		if (access && access->u.access.pretty) {
			parser_fail(p, parser_peek(p)->loc, "nothing can follow a pretty-printed value");
			break;
		}
		if (!access) {
			access = expr_new(E_ACCESS, e->loc);
			access->u.access.base = e;
		}
		if (!more)
			access->u.access.pretty = (int)parser_take(p).len;
		else if (parser_at(p, TOK_ARROW))
			member(p, access);
		else
			element(p, access);
		if (access->u.access.comps.n > MAX_NESTING)
			parser_fail(p, e->loc, "more than %d members and indices follow each other; use variables for parts",
				    MAX_NESTING);
	}
	return access ? access : e;
}

// address = ["&"] postfix
static struct expr *address(struct parser *p)
{
	struct loc loc = parser_peek(p)->loc;
	struct expr *e, *access;

	if (!parser_accept(p, TOK_AND))
		return postfix(p);
	e = postfix(p);
	if (e->kind == E_ACCESS && !e->u.access.address_of && !e->u.access.pretty) {
		e->u.access.address_of = true;
		e->loc = loc;
		return e;
	}
	access = expr_new(E_ACCESS, loc);
	access->u.access.base = e;
	access->u.access.address_of = true;
	return access;
}

// ---------------------------------------------------------------- operators

static bool assignable(const struct expr *e)
{
	switch (e->kind) {
	case E_VAR: case E_INDEX: case E_TARGET: case E_ATVAR: case E_CAST:
		return true;
	case E_ACCESS:
		return !e->u.access.address_of && !e->u.access.pretty;
	default:
		return false;
	}
}

static void count_operator(struct parser *p)
{
	struct rlimit stack;
	rlim_t max = MAX_OPERATORS;

	if (++p->operators <= 1000)
		return;
	if (getrlimit(RLIMIT_STACK, &stack) == 0 && stack.rlim_cur / OPERATOR_STACK < max)
		max = stack.rlim_cur / OPERATOR_STACK;
	if ((rlim_t)p->operators > max)
		parser_fail(p, parser_peek(p)->loc, "an expression has more than %d operators; %s", (int)max,
			    max < MAX_OPERATORS ? "raise the limit of the stack (ulimit -s)" : "use variables for parts");
}

static bool at_any(struct parser *p, const enum tok *ops)
{
	enum tok t = parser_peek(p)->kind;

	for (; *ops; ops++)
		if (*ops == t)
			return true;
	return false;
}

// level = next {op next}, from left to right
static struct expr *left_binary(struct parser *p, const enum tok *ops, struct expr *(*next)(struct parser *))
{
	struct expr *l = next(p);

	while (at_any(p, ops)) {
		struct token op = parser_take(p);

		count_operator(p);
		if (op.kind == TOK_DOT && !op.spaced && l->kind == E_NUMBER && parser_at(p, TOK_NUMBER))
			parser_fail(p, l->loc, "invalid number \"%lld.%.20s\": numbers are integers; choose a smaller unit, "
				    "such as 1500 ms for 1.5 s", (long long)l->u.number, parser_peek(p)->text);
		l = expr_binary(op.loc, op.kind, l, next(p));
	}
	return l;
}

// incdec = ("++" | "--") address | address ["++" | "--"]
static struct expr *incdec(struct parser *p)
{
	static const enum tok ops[] = { TOK_INC, TOK_DEC, TOK_NONE };
	bool prefix = at_any(p, ops);
	struct token op = { 0 };
	struct expr *e, *of;

	if (prefix)
		op = parser_take(p);
	of = address(p);
	if (!prefix) {
		if (!at_any(p, ops))
			return of;
		op = parser_take(p);
	}
	if (!assignable(of))
		parser_late(p, op.loc, "\"%s\" applies only to variables", tok_text(op.kind));
	e = expr_new(E_INCDEC, op.loc);
	e->u.un.op = op.kind;
	e->u.un.prefix = prefix;
	e->u.un.e = of;
	return e;
}

// unary = ("+" | "-" | "!" | "~") unary | incdec; a negative literal is one number
static struct expr *unary(struct parser *p)
{
	static const enum tok ops[] = { TOK_ADD, TOK_SUB, TOK_NOT, TOK_COMPL, TOK_NONE };
	struct token op;
	struct expr *e, *of;

	if (!at_any(p, ops))
		return incdec(p);
	op = parser_take(p);
	if (!parser_enter(p))
		return expr_new(E_NUMBER, op.loc);
	of = unary(p);
	parser_leave(p);
	if (op.kind == TOK_SUB && of->kind == E_NUMBER)
		return expr_number(op.loc, parser_negative(p, of->loc, of->u.number, of == p->large));
	e = expr_new(E_UNARY, op.loc);
	e->u.un.op = op.kind;
	e->u.un.e = of;
	return e;
}

static struct expr *multiplication(struct parser *p)
{
	return left_binary(p, (enum tok[]){ TOK_MUL, TOK_DIV, TOK_MOD, TOK_NONE }, unary);
}

static struct expr *addition(struct parser *p)
{
	return left_binary(p, (enum tok[]){ TOK_ADD, TOK_SUB, TOK_NONE }, multiplication);
}

static struct expr *concatenation(struct parser *p)
{
	return left_binary(p, (enum tok[]){ TOK_DOT, TOK_NONE }, addition);
}

static struct expr *shift(struct parser *p)
{
	return left_binary(p, (enum tok[]){ TOK_SHL, TOK_SHR, TOK_USHR, TOK_NONE }, concatenation);
}

static void check_regex(struct parser *p, const struct token *re)
{
	int errors;

	diag_quiet_push();
	regex_parse(re->text, re->loc);
	errors = diag_quiet_pop();
	if (errors && !p->panic)
		parser_late(p, diag_quiet_location(), "%s", diag_quiet_first());
}

// match = ("=~"
//  "!~") STRING, after the left operand
static struct expr *match(struct parser *p, struct expr *l)
{
	struct token op = parser_take(p), re;
	struct expr *e = expr_new(E_REGEX, op.loc);

	re = parser_string(p, str_printf("a regular expression, a literal string, after \"%s\"", op.text));
	e->u.regex.l = l;
	e->u.regex.pattern = re.text;
	e->u.regex.len = re.len;
	e->u.regex.negate = op.kind == TOK_NOMATCH;
	check_regex(p, &re);
	return e;
}

// comparison = shift ("=~" | "!~") STRING | shift {("<" | "<=" | ">" | ">=" | "==" | "!=") shift}
static struct expr *comparison(struct parser *p)
{
	struct expr *e = left_binary(p, (enum tok[]){ TOK_LT, TOK_LE, TOK_GT, TOK_GE, TOK_EQ, TOK_NE, TOK_NONE }, shift);

	return parser_at(p, TOK_MATCH) || parser_at(p, TOK_NOMATCH) ? match(p, e) : e;
}

// membership = [comparison | keys] "in" (NAME | hist) | comparison
static struct expr *membership(struct parser *p)
{
	struct expr *e = expr_new(E_IN, parser_peek(p)->loc);

	if (parser_at(p, TOK_LBRACKET)) {
		e->u.index.keys = parse_keys(p, true);
		if (!parser_at(p, TOK_IN))
			parser_expected(p, "\"in\" after the keys");
	} else {
		struct expr *l = comparison(p);

		if (!parser_at(p, TOK_IN))
			return l;
		vec_push(&e->u.index.keys, l);
	}
	e->loc = parser_take(p).loc;
	if (parse_at_hist(p)) {
		e->u.index.hist = parse_hist(p);
		if (p->loose_hist == e->u.index.hist)
			p->loose_hist = NULL;
		return e;
	}
	e->u.index.name = parser_name(p, "the name of an array after \"in\"", NULL);
	return e;
}

static struct expr *bit_and(struct parser *p)
{
	return left_binary(p, (enum tok[]){ TOK_AND, TOK_NONE }, membership);
}

static struct expr *bit_xor(struct parser *p)
{
	return left_binary(p, (enum tok[]){ TOK_XOR, TOK_NONE }, bit_and);
}

static struct expr *bit_or(struct parser *p)
{
	return left_binary(p, (enum tok[]){ TOK_OR, TOK_NONE }, bit_xor);
}

static struct expr *logical_and(struct parser *p)
{
	return left_binary(p, (enum tok[]){ TOK_ANDAND, TOK_NONE }, bit_or);
}

static struct expr *logical_or(struct parser *p)
{
	return left_binary(p, (enum tok[]){ TOK_OROR, TOK_NONE }, logical_and);
}

// ternary = logical_or ["?" assignment ":" ternary]
static struct expr *ternary(struct parser *p)
{
	struct expr *whole = NULL, **at = &whole, *e;

	// In a ? b : c ? d : e the second conditional is the last operand of the first.
	for (;; at = &e->u.cond.b) {
		struct expr *c = logical_or(p);

		*at = c;
		if (!parser_at(p, TOK_QUESTION))
			return whole;
		count_operator(p);
		*at = e = expr_new(E_COND, parser_take(p).loc);
		e->u.cond.c = c;
		e->u.cond.a = assignment(p);
		parser_expect(p, TOK_COLON, "between the two values of \"?\"");
		e->u.cond.b = e->u.cond.a;
		if (session_since(p->session, e->loc, "4.0", "the last value of \"?:\""))
			continue;
		e->u.cond.b = assignment(p);
		return whole;
	}
}

static const enum tok assign_ops[] = {
	TOK_ASSIGN, TOK_STAT_ADD, TOK_ADD_ASSIGN, TOK_SUB_ASSIGN, TOK_MUL_ASSIGN, TOK_DIV_ASSIGN, TOK_MOD_ASSIGN,
	TOK_SHL_ASSIGN, TOK_SHR_ASSIGN, TOK_AND_ASSIGN, TOK_XOR_ASSIGN, TOK_OR_ASSIGN, TOK_CONCAT_ASSIGN, TOK_NONE,
};

// assignment = ternary [assign_op assignment]
static struct expr *assignment(struct parser *p)
{
	struct expr *l, *e;
	struct token op;

	if (!parser_enter(p))
		return expr_new(E_NUMBER, (struct loc){ 0 });
	l = e = ternary(p);
	if (at_any(p, assign_ops)) {
		op = parser_take(p);
		if (!assignable(l))
			parser_late(p, op.loc, "expected a variable on the left side of \"%s\"%s", op.text,
				    op.kind == TOK_ASSIGN ? "; == compares" : "");
		e = expr_new(E_ASSIGN, op.loc);
		e->u.bin.op = op.kind;
		e->u.bin.l = l;
		e->u.bin.r = assignment(p);
	}
	parser_leave(p);
	return e;
}

struct expr *parse_expr_or_hist(struct parser *p)
{
	struct expr *e;

	if (!p->expr_level++)
		p->operators = 0;
	e = assignment(p);
	p->expr_level--;
	return e;
}

struct expr *parse_expr(struct parser *p)
{
	struct expr *e = parse_expr_or_hist(p);

	if (p->loose_hist)
		parser_fail(p, p->loose_hist->loc, "a histogram can only be printed by print() or println(), indexed, or iterated");
	return e;
}
