// SPDX-License-Identifier: GPL-2.0-or-later
// Text of bpftrace's language -> tree: a recursive-descent parser with one function per rule of the grammar in
// bpftrace(8). It stops at the first syntax error.
#include "foreign/bt.h"
#include "foreign/foreign.h"

#include <ctype.h>
#include <string.h>

struct bt_parser {
	struct bt_lexer lexer;
	struct bt_token token;
	bool has_token, failed, quiet;
	bool in_filter;            // "/" before "{" ends the expression
	int parens, depth;
	struct bt_script *script;
};

// ---------------------------------------------------------------- tokens

static void fail(struct bt_parser *p, struct loc loc, const char *fmt, ...) PRINTF_LIKE(3, 4);
static void fail(struct bt_parser *p, struct loc loc, const char *fmt, ...)
{
	va_list ap;

	if (p->failed)
		return;
	p->failed = true;
	va_start(ap, fmt);
	if (!p->quiet)
		diag_error(loc, "%s", str_vprintf(fmt, ap));
	va_end(ap);
}

static const struct bt_token *peek(struct bt_parser *p)
{
	static const struct bt_token end = { .kind = BT_END, .text = "" };

	if (p->failed)
		return &end;
	if (!p->has_token) {
		p->token = bt_lex_next(&p->lexer);
		p->has_token = true;
		if (p->token.kind == BT_BAD) {
			fail(p, p->token.loc, "%s", p->token.text);
			return &end;
		}
	}
	return &p->token;
}

static struct bt_token take(struct bt_parser *p)
{
	struct bt_token t = *peek(p);

	p->has_token = false;
	return t;
}

static bool is(const struct bt_token *t, const char *text)
{
	return (t->kind == BT_PUNCT || t->kind == BT_WORD) && !strcmp(t->text, text);
}

static bool at(struct bt_parser *p, const char *text)
{
	return is(peek(p), text);
}

static bool accept(struct bt_parser *p, const char *text)
{
	if (!at(p, text))
		return false;
	take(p);
	return true;
}

static void expect(struct bt_parser *p, const char *text)
{
	const struct bt_token *t = peek(p);

	if (!accept(p, text))
		fail(p, t->loc, "expected \"%s\", found \"%.40s\"", text, t->text);
}

// Returns the token after the next one.
static struct bt_token peek_second(struct bt_parser *p)
{
	struct bt_lexer ahead;

	peek(p);
	ahead = p->lexer;
	return bt_lex_next(&ahead);
}

static bool enter(struct bt_parser *p)
{
	if (++p->depth <= BT_MAX_DEPTH)
		return true;
	fail(p, peek(p)->loc, "code is nested more than %d levels deep", BT_MAX_DEPTH);
	return false;
}

// Returns true if the tree grows too high for the functions that visit it by recursion.
static bool is_too_high(struct bt_parser *p, const struct bt_node *e)
{
	if (e->height < BT_MAX_HEIGHT)
		return false;
	fail(p, peek(p)->loc, "this expression has a chain of more than %d operators", BT_MAX_HEIGHT);
	return true;
}

static struct bt_node *node(enum bt_kind kind, struct loc loc, const char *text)
{
	struct bt_node *n = NEW(struct bt_node);

	n->kind = kind;
	n->loc = loc;
	n->text = text;
	return n;
}

static struct bt_node *node_of(enum bt_kind kind, struct loc loc, const char *text,
			       struct bt_node *a, struct bt_node *b)
{
	struct bt_node *n = node(kind, loc, text);

	vec_push(&n->kids, a);
	if (b)
		vec_push(&n->kids, b);
	n->height = 1 + (b && b->height > a->height ? b->height : a->height);
	return n;
}

// ---------------------------------------------------------------- types

static const struct { const char *name; int size; bool is_signed;
} integers[] = {
	{ "uint8", 1 },	       { "uint16", 2 },	       { "uint32", 4 },	       { "uint64", 8 },
	{ "int8", 1, true },   { "int16", 2, true },   { "int32", 4, true },   { "int64", 8, true },
	{ "uint8_t", 1 },      { "uint16_t", 2 },      { "uint32_t", 4 },      { "uint64_t", 8 },
	{ "u8", 1 },	       { "u16", 2 },	       { "u32", 4 },	       { "u64", 8 },
	{ "int8_t", 1, true }, { "int16_t", 2, true }, { "int32_t", 4, true }, { "int64_t", 8, true },
	{ "s8", 1, true },     { "s16", 2, true },     { "s32", 4, true },     { "s64", 8, true },
	{ "bool", 1 },	       { "char", 1, true },    { "short", 2, true },   { "int", 4, true },
	{ "long", 8, true },   { "size_t", 8 },	       { "void", 1 },	       { "unsigned", 4 },
	{ "signed", 4, true }, { "pid_t", 4, true },   { "uintptr_t", 8 },
};

// word = a word that begins a type
static bool begins_type(const struct bt_token *t)
{
	if (t->kind != BT_WORD)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(integers); i++)
		if (!strcmp(t->text, integers[i].name))
			return true;
	return !strcmp(t->text, "struct") || !strcmp(t->text, "union") || !strcmp(t->text, "enum") ||
		!strcmp(t->text, "const");
}

static void pointers(struct bt_parser *p, struct bt_type *type)
{
	while (accept(p, "*"))
		type->depth++;
	if (type->depth)
		type->kind = BT_T_POINTER;
}

// integer = ["unsigned" | "signed"] {word}
static void integer(struct bt_parser *p, struct bt_type *type)
{
	bool is_unsigned = false;
	struct buf words = { 0 };

	type->kind = BT_T_INT;
	type->size = 4;
	type->is_signed = true;
	while (peek(p)->kind == BT_WORD) {
		struct bt_token t = take(p);

		is_unsigned |= !strcmp(t.text, "unsigned");
		buf_printf(&words, "%s%s", words.len ? " " : "", t.text);
		for (size_t i = 0; i < ARRAY_SIZE(integers); i++)
			if (!strcmp(t.text, integers[i].name) && strcmp(t.text, "unsigned") && (strcmp(t.text, "int") || type->size == 4)) {
				type->size = integers[i].size;
				type->is_signed = integers[i].is_signed;
			}
	}
	if (is_unsigned)
		type->is_signed = false;
	type->of = buf_text(&words);
}

// type = ["const"] (("struct" | "union" | "enum") NAME | integer | NAME) {"*"}
static struct bt_type type(struct bt_parser *p)
{
	struct bt_type result = { 0 };
	struct bt_token t;

	accept(p, "const");
	t = *peek(p);
	if (is(&t, "struct") || is(&t, "union") || is(&t, "enum")) {
		take(p);
		result.kind = is(&t, "enum") ? BT_T_INT : BT_T_STRUCT;
		result.of = str_printf("%s %s", t.text, peek(p)->text);
		if (peek(p)->kind != BT_WORD)
			fail(p, peek(p)->loc, "expected the name of a type, found \"%.40s\"", peek(p)->text);
		take(p);
	} else if (begins_type(&t)) {
		integer(p, &result);
	} else {
		result.kind = BT_T_STRUCT;
		result.of = take(p).text;
	}
	pointers(p, &result);
	return result;
}

// ---------------------------------------------------------------- expressions

static struct bt_node *expression(struct bt_parser *p);
static struct bt_node *unary(struct bt_parser *p);

static void list(struct bt_parser *p, struct bt_node *n, const char *close)
{
	p->parens++;
	while (!p->failed && !at(p, close)) {
		struct bt_node *e = expression(p);

		// @[(a, b)] means @[a, b].
		if (n->kind == BT_MAP && e->kind == BT_TUPLE)
			for vec_each(&e->kids, kid)
				vec_push(&n->kids, *kid);
		else
			vec_push(&n->kids, e);
		if (!accept(p, ","))
			break;
	}
	p->parens--;
	expect(p, close);
}

enum { MAX_EXPANDED = 10000 };

struct expanded { struct bt_script *script; struct loc loc; };

// Each node gets the location of the constant's name, since the source of its text is temporary.
static void visit_expanded(struct bt_node *n, void *data)
{
	struct expanded *x = data;

	n->loc = x->loc;
	x->script->expanded++;
}

// Returns the expression of the text of a constant of #define.
static struct bt_node *defined(struct bt_parser *p, const struct bt_token *name, const char *text)
{
	struct source source = *p->lexer.source;
	struct bt_parser inner = { .script = p->script, .quiet = true, .depth = p->depth };
	struct bt_node *e;

	source.text = text;
	source.len = strlen(text);
	bt_lex_start(&inner.lexer, &source);
	inner.lexer.defines = p->lexer.defines;
	e = enter(p) ? expression(&inner) : NULL;
	p->depth--;
	bt_each_node(e, visit_expanded, &(struct expanded){ p->script, name->loc });
	if (p->script->expanded > MAX_EXPANDED)
		fail(p, name->loc, "the constants of #define expand to more than %d operands and operators", MAX_EXPANDED);
	if (!e || inner.failed || peek(&inner)->kind != BT_END) {
		fail(p, name->loc, "the constant \"%.60s\" of #define is not an expression", name->text);
		return node(BT_NUMBER, name->loc, "0");
	}
	return e;
}

// sizeof = "sizeof" "(" (type | expression) ")"
static struct bt_node *size_of(struct bt_parser *p, struct loc loc)
{
	struct bt_node *n = node(BT_SIZEOF, loc, "sizeof");

	expect(p, "(");
	if (begins_type(peek(p)))
		n->cast = type(p);
	else
		vec_push(&n->kids, expression(p));
	expect(p, ")");
	return n;
}

// named = NAME | NAME "(" [expression {"," expression}] ")"
static struct bt_node *named(struct bt_parser *p)
{
	struct bt_token t = take(p);
	const char *text = map_get(&p->lexer.defines, t.text);
	struct bt_node *n;

	if (!strcmp(t.text, "sizeof"))
		return size_of(p, t.loc);
	if (text && !at(p, "("))
		return defined(p, &t, text);
	if (!accept(p, "("))
		return node(BT_NAME, t.loc, t.text);
	n = node(BT_CALL, t.loc, t.text);
	list(p, n, ")");
	return n;
}

// cast = "(" type ")" unary;  tuple = "(" expression {"," expression} ")"
static struct bt_node *parenthesis(struct bt_parser *p)
{
	struct bt_token open = *peek(p), next = peek_second(p);
	struct bt_node *n, *e;
	bool is_cast = begins_type(&next);

	take(p);
	if (!is_cast && next.kind == BT_WORD) {        // "(sockaddr *)x" is a cast to a typedef
		struct bt_token after = peek_second(p);

		if (is(&after, "*")) {
			struct bt_lexer ahead = p->lexer;

			bt_lex_next(&ahead);
			after = bt_lex_next(&ahead);
			is_cast = is(&after, ")") || is(&after, "*");
		}
	}
	if (is_cast) {
		struct bt_type to = type(p);

		expect(p, ")");
		n = node_of(BT_CAST, open.loc, "", unary(p), NULL);
		n->cast = to;
		return n;
	}
	p->parens++;
	e = expression(p);
	if (at(p, ",")) {
		n = node_of(BT_TUPLE, open.loc, "", e, NULL);
		while (accept(p, ",") && !at(p, ")"))
			vec_push(&n->kids, expression(p));
		e = n;
	}
	p->parens--;
	expect(p, ")");
	return e;
}

static struct bt_node *primary(struct bt_parser *p)
{
	struct bt_token t = *peek(p);
	struct bt_node *n;

	switch (t.kind) {
	case BT_NUMBER_TOK:
		n = node(BT_NUMBER, t.loc, t.text);
		n->number = take(p).number;
		return n;
	case BT_STRING_TOK: take(p); return node(BT_STRING, t.loc, t.text);
	case BT_POSITION_TOK: take(p); return node(BT_POSITION, t.loc, t.text);
	case BT_SCRATCH: take(p); return node(BT_VAR, t.loc, t.text);
	case BT_MAP_TOK:
		take(p);
		n = node(BT_MAP, t.loc, t.text);
		if (accept(p, "["))
			list(p, n, "]");
		return n;
	case BT_WORD: return named(p);
	default:
		if (is(&t, "("))
			return parenthesis(p);
		fail(p, t.loc, "expected an expression, found \"%.40s\"", t.text);
		return node(BT_NUMBER, t.loc, "0");
	}
}

// postfix = primary {("." | "->") NAME | "[" expression "]" | "++" | "--"}
static struct bt_node *postfix(struct bt_parser *p)
{
	struct bt_node *e = primary(p);

	while (!p->failed && !is_too_high(p, e)) {
		struct bt_token t = *peek(p);

		if (is(&t, ".") || is(&t, "->")) {
			take(p);
			e = node_of(BT_MEMBER, t.loc, peek(p)->text, e, NULL);
			if (peek(p)->kind != BT_WORD && peek(p)->kind != BT_NUMBER_TOK)
				fail(p, peek(p)->loc, "expected the name of a member, found \"%.40s\"", peek(p)->text);
			take(p);
		} else if (is(&t, "[")) {
			take(p);
			p->parens++;
			e = node_of(BT_INDEX, t.loc, "", e, expression(p));
			p->parens--;
			expect(p, "]");
		} else if (is(&t, "++") || is(&t, "--")) {
			take(p);
			e = node_of(BT_INCREMENT, t.loc, t.text, e, NULL);
		} else {
			break;
		}
	}
	return e;
}

static struct bt_node *unary(struct bt_parser *p)
{
	static const char *const operators[] = { "-", "!", "~", "*", "&", "+" };
	struct bt_token t = *peek(p);
	struct bt_node *n = NULL;

	if (!enter(p))
		return node(BT_NUMBER, t.loc, "0");
	if (is(&t, "++") || is(&t, "--")) {
		take(p);
		n = node_of(BT_INCREMENT, t.loc, t.text, unary(p), NULL);
		n->prefix = true;
	}
	for (size_t i = 0; !n && i < ARRAY_SIZE(operators); i++)
		if (is(&t, operators[i])) {
			take(p);
			n = node_of(BT_UNARY, t.loc, t.text, unary(p), NULL);
		}
	if (!n)
		n = postfix(p);
	p->depth--;
	return n;
}

static const struct { const char *text; int level;
} binary_operators[] = {
	{ "||", 1 }, { "&&", 2 }, { "|", 3 }, { "^", 4 },  { "&", 5 },	{ "==", 6 },
	{ "!=", 6 }, { "<", 7 },  { ">", 7 }, { "<=", 7 }, { ">=", 7 }, { "<<", 8 },
	{ ">>", 8 }, { "+", 9 },  { "-", 9 }, { "*", 10 }, { "/", 10 }, { "%", 10 },
};

static int level_of(struct bt_parser *p, const struct bt_token *t)
{
	if (t->kind != BT_PUNCT)
		return 0;
	if (p->in_filter && !p->parens && is(t, "/")) {
		struct bt_token after = peek_second(p);

		if (is(&after, "{"))
			return 0;
	}
	for (size_t i = 0; i < ARRAY_SIZE(binary_operators); i++)
		if (!strcmp(t->text, binary_operators[i].text))
			return binary_operators[i].level;
	return 0;
}

static struct bt_node *binary(struct bt_parser *p, int min)
{
	struct bt_node *e = unary(p);

	while (!p->failed) {
		struct bt_token t = *peek(p);
		int level = level_of(p, &t);

		if (level < min || !level || is_too_high(p, e))
			break;
		take(p);
		e = node_of(BT_BINARY, t.loc, t.text, e, binary(p, level + 1));
	}
	return e;
}

// expression = binary ["?" expression ":" expression] | binary ("=" | "+=" | ...) expression
static struct bt_node *expression(struct bt_parser *p)
{
	static const char *const assignments[] = { "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=" };
	struct bt_token t = *peek(p);
	struct bt_node *e, *n = NULL;

	if (!enter(p))
		return node(BT_NUMBER, t.loc, "0");
	e = binary(p, 1);
	t = *peek(p);
	if (is(&t, "?")) {
		take(p);
		n = node_of(BT_COND, t.loc, "?", e, expression(p));
		expect(p, ":");
		vec_push(&n->kids, expression(p));
	}
	for (size_t i = 0; !n && i < ARRAY_SIZE(assignments); i++)
		if (is(&t, assignments[i])) {
			take(p);
			if (e->kind != BT_VAR && e->kind != BT_MAP)
				fail(p, e->loc, "only variables and maps can be assigned to");
			n = node_of(BT_ASSIGN, t.loc, t.text, e, expression(p));
		}
	p->depth--;
	return n ? n : e;
}

// ---------------------------------------------------------------- statements

static struct bt_node *statement(struct bt_parser *p);

// block = "{" {statement [";"]} "}" | statement
static struct bt_node *block(struct bt_parser *p)
{
	struct bt_node *b = node(BT_BLOCK, peek(p)->loc, "");

	if (!accept(p, "{")) {
		vec_push(&b->kids, statement(p));
		accept(p, ";");
		return b;
	}
	while (!p->failed && !at(p, "}") && peek(p)->kind != BT_END) {
		if (accept(p, ";"))
			continue;
		vec_push(&b->kids, statement(p));
		if (!at(p, "}") && !accept(p, ";")) {
			enum bt_kind kind = b->kids.at[b->kids.n - 1]->kind;

			if (kind != BT_IF && kind != BT_WHILE && kind != BT_UNROLL && kind != BT_FOR && kind != BT_BLOCK)
				expect(p, ";");
		}
	}
	expect(p, "}");
	return b;
}

static struct bt_node *condition(struct bt_parser *p, enum bt_kind kind, struct loc loc)
{
	struct bt_node *n = node(kind, loc, "");

	expect(p, "(");
	vec_push(&n->kids, expression(p));
	expect(p, ")");
	vec_push(&n->kids, block(p));
	return n;
}

// for = "for" "(" $NAME ":" (@NAME | expression ".." expression) ")" block
static struct bt_node *for_each(struct bt_parser *p, struct loc loc)
{
	struct bt_node *n = node(BT_FOR, loc, "");

	expect(p, "(");
	n->text = peek(p)->text;
	if (take(p).kind != BT_SCRATCH)
		fail(p, loc, "expected a variable after \"for (\"");
	expect(p, ":");
	vec_push(&n->kids, expression(p));
	if (accept(p, ".."))
		vec_push(&n->kids, expression(p));
	expect(p, ")");
	vec_push(&n->kids, block(p));
	return n;
}

// let = "let" $NAME [":" type] ["=" value]
static struct bt_node *let(struct bt_parser *p, struct loc loc)
{
	struct bt_node *n = unary(p);

	if (accept(p, ":"))
		type(p);
	if (!accept(p, "="))
		return node(BT_EMPTY, loc, "");
	return node_of(BT_ASSIGN, loc, "=", n, expression(p));
}

static struct bt_node *statement(struct bt_parser *p)
{
	struct bt_token t = *peek(p);
	struct bt_node *n = NULL;

	if (!enter(p))
		return node(BT_EMPTY, t.loc, "");
	if (is(&t, "{")) {
		n = block(p);
	} else if (is(&t, "if")) {
		take(p);
		n = condition(p, BT_IF, t.loc);
		if (accept(p, "else"))
			vec_push(&n->kids, block(p));
	} else if (is(&t, "while") || is(&t, "unroll")) {
		take(p);
		n = condition(p, is(&t, "while") ? BT_WHILE : BT_UNROLL, t.loc);
	} else if (is(&t, "for")) {
		take(p);
		n = for_each(p, t.loc);
	} else if (is(&t, "return") || is(&t, "break") || is(&t, "continue")) {
		take(p);
		n = node(BT_JUMP, t.loc, t.text);
	} else if (is(&t, "let")) {
		take(p);
		n = let(p, t.loc);
	} else {
		n = expression(p);
	}
	p->depth--;
	return n;
}

// ---------------------------------------------------------------- probes

static const struct { const char *name, *is;
} providers[] = {
	{ "kprobe" },
	{ "k", "kprobe" },
	{ "kretprobe" },
	{ "kr", "kretprobe" },
	{ "uprobe" },
	{ "u", "uprobe" },
	{ "uretprobe" },
	{ "ur", "uretprobe" },
	{ "usdt" },
	{ "U", "usdt" },
	{ "tracepoint" },
	{ "t", "tracepoint" },
	{ "rawtracepoint" },
	{ "rt", "rawtracepoint" },
	{ "profile" },
	{ "p", "profile" },
	{ "interval" },
	{ "i", "interval" },
	{ "software" },
	{ "s", "software" },
	{ "hardware" },
	{ "h", "hardware" },
	{ "kfunc" },
	{ "f", "kfunc" },
	{ "fentry", "kfunc" },
	{ "kretfunc" },
	{ "fr", "kretfunc" },
	{ "fexit", "kretfunc" },
	{ "watchpoint" },
	{ "w", "watchpoint" },
	{ "asyncwatchpoint" },
	{ "aw", "asyncwatchpoint" },
	{ "iter" },
	{ "it", "iter" },
	{ "bench" },
	{ "self" },
	{ "BEGIN" },
	{ "END" },
	{ "begin", "BEGIN" },
	{ "end", "END" },
};

const char *bt_provider(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(providers); i++)
		if (!strcmp(name, providers[i].name))
			return providers[i].is ? providers[i].is : providers[i].name;
	return NULL;
}

static bool has_path(const struct bt_point *point)
{
	const char *name = point->part.at[0];

	return point->part.n == 1 && (!strcmp(name, "uprobe") || !strcmp(name, "uretprobe") || !strcmp(name, "usdt"));
}

// part = characters up to ":", ",", "{", white space, or the "/" of a filter; or a string
static char *part(struct bt_parser *p, bool path)
{
	struct bt_lexer *l = &p->lexer;
	const char *from = l->p;

	if (from < l->end && *from == '"') {
		struct bt_token t = bt_lex_next(l);

		return (char *)t.text;
	}
	while (l->p < l->end && !isspace((unsigned char)*l->p) && !strchr(":,{", *l->p) && (path || *l->p != '/'))
		l->p++;
	return str_ndup(from, (size_t)(l->p - from));
}

// point = PROVIDER {":" part}. The text is read directly, not by the lexer.
static void point(struct bt_parser *p, struct bt_action *a)
{
	struct bt_point point = { 0 };
	struct bt_lexer *l = &p->lexer;
	const char *from, *name;

	bt_lex_space(l);
	l->at_line_start = false;
	point.loc = bt_lex_loc(l);
	from = l->p;
	name = part(p, false);
	vec_push(&point.part, bt_provider(name));
	if (!point.part.at[0]) {
		fail(p, point.loc, "unknown probe type \"%.60s\" of bpftrace", name);
		return;
	}
	while (l->p < l->end && *l->p == ':') {
		l->p++;
		vec_push(&point.part, part(p, has_path(&point)));
	}
	point.text = str_ndup(from, (size_t)(l->p - from));
	vec_push(&a->points, point);
}

// action = point {"," point} ["/" expression "/"] block
static void action(struct bt_parser *p)
{
	struct bt_action *a = NEW(struct bt_action);

	do
		point(p, a);
	while (!p->failed && accept(p, ","));
	if (accept(p, "/")) {
		p->in_filter = true;
		a->filter = expression(p);
		p->in_filter = false;
		expect(p, "/");
	}
	if (!at(p, "{"))
		fail(p, peek(p)->loc, "expected \"{\" or a filter, found \"%.40s\"", peek(p)->text);
	a->body = block(p);
	vec_push(&p->script->actions, a);
}

// Skips to the end of a C definition, or of a block of settings.
static void definition(struct bt_parser *p)
{
	struct bt_token kind = take(p), name = *peek(p);
	int depth = 0;

	if (name.kind == BT_WORD) {
		struct loc *loc = NEW(struct loc);

		*loc = name.loc;
		map_put(&p->script->structs, str_printf("%s %s", kind.text, name.text), loc);
	}
	while (!p->failed && peek(p)->kind != BT_END) {
		struct bt_token t = take(p);

		depth += is(&t, "{") - is(&t, "}");
		if (!depth && (is(&t, ";") || (is(&t, "}") && is(&kind, "config"))))
			return;
		if (!depth && is(&t, "}") && !is(&kind, "typedef")) {
			struct bt_lexer ahead = p->lexer;

			t = bt_lex_next(&ahead);
			if (!is(&t, ";"))
				return;
		}
	}
}

static bool at_definition(struct bt_parser *p)
{
	static const char *const words[] = { "struct", "union", "enum", "typedef", "config" };
	struct bt_lexer ahead;
	struct bt_token t;

	bt_lex_space(&p->lexer);
	ahead = p->lexer;
	t = bt_lex_next(&ahead);
	for (size_t i = 0; !p->failed && t.kind == BT_WORD && i < ARRAY_SIZE(words); i++)
		if (!strcmp(t.text, words[i]))
			return true;
	return false;
}

struct bt_script *bt_parse(const struct source *source, bool quiet)
{
	struct bt_parser p = { .quiet = quiet, .script = NEW(struct bt_script) };

	bt_lex_start(&p.lexer, source);
	while (!p.failed) {
		if (at_definition(&p))
			definition(&p);
		else if (p.lexer.p >= p.lexer.end)
			break;
		else if (*p.lexer.p == ';')
			p.lexer.p++;
		else
			action(&p);
	}
	if (!p.script->actions.n)
		fail(&p, bt_lex_loc(&p.lexer), "the script has no probes");
	return p.failed ? NULL : p.script;
}

bool foreign_is_bpftrace(const struct source *source)
{
	struct bt_parser p = { .quiet = true, .script = NEW(struct bt_script) };
	struct bt_action a = { 0 };

	bt_lex_start(&p.lexer, source);
	while (at_definition(&p))
		definition(&p);
	point(&p, &a);
	if (p.failed || p.has_token)
		return false;
	// BEGIN and END have no parts.
	return a.points.at[0].part.n > 1 || at(&p, "{") || at(&p, "/") || at(&p, ",");
}

void bt_each_node(struct bt_node *n, void (*visit)(struct bt_node *n, void *data), void *data)
{
	if (!n)
		return;
	visit(n, data);
	for vec_each(&n->kids, kid)
		bt_each_node(*kid, visit, data);
}
