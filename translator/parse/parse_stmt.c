// SPDX-License-Identifier: GPL-2.0-or-later
// Parses statements. A ";" after a statement is part of it and always optional.
#include "parse/parser.h"
#include "util/str.h"

static struct stmt *parse_stmt(struct parser *p);

// Warns of if (count = 3), which is always true. Values of other expressions are assigned on purpose.
static void warn_assigned(const struct expr *e)
{
	const struct expr *value = e->kind == E_ASSIGN && e->u.bin.op == TOK_ASSIGN ? e->u.bin.r : NULL;
	bool is_literal = value && (value->kind == E_NUMBER || value->kind == E_STRING);

	if (is_literal && e->u.bin.l->kind != E_CALL && e->loc.source && !e->loc.source->library)
		diag_warning(e->loc, "this condition assigns a value: write == to compare");
}

static struct expr *parenthesised(struct parser *p, const char *before)
{
	struct expr *e;

	parser_expect(p, TOK_LPAREN, before);
	e = parse_expr(p);
	parser_expect(p, TOK_RPAREN, "after the condition");
	warn_assigned(e);
	return e;
}

// block = "{" {stmt} "}"
struct stmt *parse_block(struct parser *p, const char *of)
{
	struct loc loc = parser_peek(p)->loc;
	struct stmt *s = stmt_new(S_BLOCK, loc);

	parser_expect(p, TOK_LBRACE, of);
	while (!parser_accept(p, TOK_RBRACE)) {
		if (parser_at(p, TOK_EOF)) {
			parser_fail(p, loc, "unterminated \"{\" (\"}\" is missing)");
			break;
		}
		vec_push(&s->u.block, parse_stmt(p));
	}
	return s;
}

// if = "if" "(" expr ")" stmt ["else" stmt]; a chain of "else if" counts as one level of nesting
static void if_(struct parser *p, struct stmt *s)
{
	int before = p->arms;

	for (;;) {
		s->kind = S_IF;
		s->u.if_.c = parenthesised(p, "after \"if\"");
		s->u.if_.then = parse_stmt(p);
		if (!parser_accept(p, TOK_ELSE))
			break;
		if (!parser_at(p, TOK_IF)) {
			s->u.if_.other = parse_stmt(p);
			break;
		}
		if (++p->arms == MAX_ARMS)
			parser_fail(p, parser_peek(p)->loc, "more than %d \"else if\" follow each other; use an array or functions",
				    MAX_ARMS);
		s->u.if_.other = stmt_new(S_IF, parser_take(p).loc);
		s = s->u.if_.other;
	}
	p->arms = before;
}

// while = "while" "(" expr ")" stmt
static void while_(struct parser *p, struct stmt *s)
{
	s->kind = S_WHILE;
	s->u.while_.c = parenthesised(p, "after \"while\"");
	s->u.while_.body = parse_stmt(p);
}

// for = "for" "(" [expr] ";" [expr] ";" [expr] ")" stmt
static void for_(struct parser *p, struct stmt *s)
{
	s->kind = S_FOR;
	parser_expect(p, TOK_LPAREN, "after \"for\"");
	if (!parser_at(p, TOK_SEMI))
		s->u.for_.init = parse_expr(p);
	parser_expect(p, TOK_SEMI, "after the first part of \"for\"");
	if (!parser_at(p, TOK_SEMI))
		s->u.for_.c = parse_expr(p);
	parser_expect(p, TOK_SEMI, "after the second part of \"for\"");
	if (!parser_at(p, TOK_RPAREN)) {
		s->u.for_.step = stmt_new(S_EXPR, parser_peek(p)->loc);
		s->u.for_.step->u.expr = parse_expr(p);
	}
	parser_expect(p, TOK_RPAREN, "after the parts of \"for\"");
	s->u.for_.body = parse_stmt(p);
}

// ---------------------------------------------------------------- foreach

// direction = ["+"
//  "-"]; key: the sort key, 0: the value
static void direction(struct parser *p, struct stmt *s, int key)
{
	struct loc loc = parser_peek(p)->loc;
	int dir = parser_at(p, TOK_ADD) ? 1 : parser_at(p, TOK_SUB) ? -1 : 0;

	if (!dir)
		return;
	if (s->u.foreach.sort_dir)
		parser_fail(p, loc, "a foreach can have only one sort order");
	parser_take(p);
	s->u.foreach.sort_dir = dir;
	s->u.foreach.sort_key = key;
}

static struct expr *loop_variable(struct parser *p)
{
	struct expr *e = expr_new(E_VAR, (struct loc){ 0 });

	e->u.var.name = parser_name(p, "the name of a loop variable", &e->loc);
	return e;
}

// key = NAME direction
static void loop_key(struct parser *p, struct stmt *s)
{
	vec_push(&s->u.foreach.keys, loop_variable(p));
	direction(p, s, s->u.foreach.keys.n);
}

// keys = key | "[" key {"," key} "]"
static void loop_keys(struct parser *p, struct stmt *s)
{
	if (!parser_accept(p, TOK_LBRACKET)) {
		loop_key(p, s);
		return;
	}
	do
		loop_key(p, s);
	while (parser_accept(p, TOK_COMMA));
	parser_expect(p, TOK_RBRACKET, "after the keys of \"foreach\"");
}

// "v = keys" or keys: the first name is the value if it is alone and followed by "=".
static void loop_heads(struct parser *p, struct stmt *s)
{
	bool bracket = parser_at(p, TOK_LBRACKET), glued;

	loop_keys(p, s);
	// "v+ = k" may be written without the space
	glued = !s->u.foreach.sort_dir && (parser_at(p, TOK_ADD_ASSIGN) || parser_at(p, TOK_SUB_ASSIGN));
	if (bracket || (!parser_at(p, TOK_ASSIGN) && !glued))
		return;
	if (glued)
		s->u.foreach.sort_dir = parser_at(p, TOK_ADD_ASSIGN) ? 1 : -1;
	parser_take(p);
	s->u.foreach.value = s->u.foreach.keys.at[0];
	s->u.foreach.keys.n = 0;
	s->u.foreach.sort_key = 0;
	loop_keys(p, s);
}

// Reports the order of the words in "foreach (k in a- @sum)".
static void reversed_order(struct parser *p, const struct stmt *s)
{
	const struct token *t = parser_peek(p);

	if (t->kind == TOK_AT_WORD && parse_stat_op(t) && s->u.foreach.sort_dir && !s->u.foreach.sort_stat)
		parser_fail(p, t->loc, "the statistic to sort by precedes the order: write %s @%s%c", s->u.foreach.array, t->text,
			    s->u.foreach.sort_dir > 0 ? '+' : '-');
}

// range = @hist_...(...) | ARRAY [keys] [@stat] direction
static void loop_range(struct parser *p, struct stmt *s)
{
	const struct token *t;

	if (parse_at_hist(p)) {
		s->u.foreach.hist = parse_hist(p);
		p->loose_hist = NULL;
		direction(p, s, 0);
		return;
	}
	s->u.foreach.array = parser_name(p, "the name of an array, @hist_log() or @hist_linear()",
					 &s->u.foreach.array_loc);
	if (parser_at(p, TOK_LBRACKET)) {
		expr_vec keys = parse_keys(p, true);

		for vec_each(&keys, k)
			vec_push(&s->u.foreach.slice, *k);
	}
	t = parser_peek(p);
	if (t->kind == TOK_AT_WORD) {
		s->u.foreach.sort_stat = parse_stat_op(t);
		if (!s->u.foreach.sort_stat || s->u.foreach.sort_stat == STAT_PERCENTILE)
			parser_expected(p, "@count, @sum, @min, @max, @avg or @variance");
		else if (s->u.foreach.sort_stat == STAT_VARIANCE)
			parser_available(p, t, "3.1");
		parser_take(p);
		if (!parser_at(p, TOK_ADD) && !parser_at(p, TOK_SUB))
			parser_expected(p, "\"+\" or \"-\" after the statistic to sort by");
	}
	direction(p, s, 0);
	reversed_order(p, s);
}

// Assigns the count of the bucket at the start of each pass: foreach (n = b in @hist_log(x)).
static void bucket_value(struct stmt *s)
{
	struct expr *value = s->u.foreach.value, *bucket = expr_new(E_HIST_BUCKET, value->loc);
	struct stmt *set = stmt_new(S_EXPR, value->loc), *body = stmt_new(S_BLOCK, s->loc);

	bucket->u.index.hist = expr_copy(s->u.foreach.hist);
	vec_push(&bucket->u.index.keys, expr_copy(s->u.foreach.keys.at[0]));
	set->u.expr = expr_binary(value->loc, TOK_ASSIGN, value, bucket);
	set->u.expr->kind = E_ASSIGN;
	vec_push(&body->u.block, set);
	vec_push(&body->u.block, s->u.foreach.body);
	s->u.foreach.body = body;
	s->u.foreach.value = NULL;
}

// Evaluates the keys of foreach (b in @hist_log(x[f()])) once, before the loop, which reads the element in each pass.
// Returns a block of the assignments, or NULL if all keys are literals.
static struct stmt *bucket_keys(struct parser *p, struct stmt *s)
{
	struct expr *of = s->u.foreach.hist->u.stat.of;
	struct stmt *block = stmt_new(S_BLOCK, s->loc);

	for (int i = 0; of->kind == E_INDEX && i < of->u.index.keys.n; i++) {
		struct expr **key = &of->u.index.keys.at[i], *local;
		struct stmt *set;

		if (!*key || (*key)->kind == E_NUMBER || (*key)->kind == E_STRING)
			continue;          // NULL: "*", which was reported
		if ((*key)->kind == E_VAR && str_starts((*key)->u.var.name, "__bucket_key"))
			continue;          // omitted from the output of -p1
		local = expr_new(E_VAR, (*key)->loc);
		set = stmt_new(S_EXPR, (*key)->loc);
		local->u.var.name = str_printf("__bucket_key%d", ++p->session->bucket_keys);
		set->u.expr = expr_binary((*key)->loc, TOK_ASSIGN, expr_copy(local), *key);
		set->u.expr->kind = E_ASSIGN;
		*key = local;
		vec_push(&block->u.block, set);
	}
	return block->u.block.n ? block : NULL;
}

// foreach = "foreach" "(" [NAME direction "="] keys "in" range ["limit" expr] ")" stmt
static void foreach(struct parser *p, struct stmt *s)
{
	struct stmt *keys;

	s->kind = S_FOREACH;
	parser_expect(p, TOK_LPAREN, "after \"foreach\"");
	loop_heads(p, s);
	parser_expect(p, TOK_IN, "after the keys of \"foreach\"");
	loop_range(p, s);
	if (parser_accept(p, TOK_LIMIT))
		s->u.foreach.limit = parse_expr(p);
	parser_expect(p, TOK_RPAREN, "after the head of \"foreach\"");
	s->u.foreach.body = parse_stmt(p);
	keys = s->u.foreach.hist ? bucket_keys(p, s) : NULL;
	if (s->u.foreach.hist && s->u.foreach.value && s->u.foreach.keys.n == 1)
		bucket_value(s);
	if (keys) {
		vec_push(&keys->u.block, stmt_new(S_FOREACH, s->loc));
		*keys->u.block.at[keys->u.block.n - 1] = *s;
		*s = *keys;
	}
}

// ---------------------------------------------------------------- the others

// return = "return" [expr]
static void return_(struct parser *p, struct stmt *s)
{
	s->kind = S_RETURN;
	if (!p->in_function)
		parser_complain(p, s->loc, "\"return\" outside a function: \"next\" leaves a handler");
	if (!parser_at(p, TOK_SEMI) && !parser_at(p, TOK_RBRACE))
		s->u.expr = parse_expr(p);
}

// deleted = NAME [keys] | "(" deleted ")"
static struct expr *deleted(struct parser *p)
{
	struct expr *e = expr_new(E_VAR, (struct loc){ 0 });
	const char *name;

	if (parser_at(p, TOK_LPAREN) && parser_enter(p)) {
		parser_take(p);
		e = deleted(p);
		parser_expect(p, TOK_RPAREN, "after the variable in parentheses");
		parser_leave(p);
		return e;
	}
	name = parser_name(p, "the name of a variable to delete", &e->loc);
	if (!parser_at(p, TOK_LBRACKET)) {
		e->u.var.name = name;
		return e;
	}
	e->kind = E_INDEX;
	e->u.index.name = name;
	e->u.index.keys = parse_keys(p, true);
	return e;
}

// delete = "delete" deleted; no @operator may follow
static void delete(struct parser *p, struct stmt *s)
{
	s->kind = S_DELETE;
	s->u.expr = deleted(p);
	if (parser_at(p, TOK_ADD) || parser_at(p, TOK_SUB) || parser_at(p, TOK_LPAREN))
		parser_fail(p, parser_peek(p)->loc, "only a variable, an element or a slice can be deleted");
}

// try = "try" stmt "catch" ["(" NAME ")"] stmt
static void try_(struct parser *p, struct stmt *s)
{
	s->kind = S_TRY;
	s->u.try_.body = parse_stmt(p);
	parser_expect(p, TOK_CATCH, "after the statement of \"try\"");
	if (parser_accept(p, TOK_LPAREN)) {
		struct expr *e = expr_new(E_VAR, (struct loc){ 0 });

		e->u.var.name = parser_name(p, "the name of the variable for the message", &e->loc);
		s->u.try_.var = e;
		parser_expect(p, TOK_RPAREN, "after the variable of \"catch\"");
	}
	s->u.try_.handler = parse_stmt(p);
}

// Parses the statements that their first token identifies; false: it begins an expression.
static bool keyword_stmt(struct parser *p, struct stmt *s)
{
	static const struct { enum tok tok; enum stmt_kind kind; void (*rest)(struct parser *, struct stmt *); } table[] = {
		{ TOK_IF, S_IF, if_ },
		{ TOK_WHILE, S_WHILE, while_ },
		{ TOK_FOR, S_FOR, for_ },
		{ TOK_FOREACH, S_FOREACH, foreach },
		{ TOK_BREAK, S_BREAK, NULL },
		{ TOK_CONTINUE, S_CONTINUE, NULL },
		{ TOK_RETURN, S_RETURN, return_ },
		{ TOK_NEXT, S_NEXT, NULL },
		{ TOK_DELETE, S_DELETE, delete },
		{ TOK_TRY, S_TRY, try_ },
	};
	enum tok first = parser_peek(p)->kind;

	for (size_t i = 0; i < ARRAY_SIZE(table); i++)
		if (table[i].tok == first) {
			parser_take(p);
			s->kind = table[i].kind;
			if (table[i].rest)
				table[i].rest(p, s);
			return true;
		}
	return false;
}

static bool takes_semicolon(const struct stmt *s)
{
	switch (s->kind) {
	case S_EXPR: case S_BREAK: case S_CONTINUE: case S_RETURN: case S_NEXT: case S_DELETE:
		return true;
	default:
		return false;
	}
}

static void simple(struct parser *p, struct stmt *s)
{
	if (parser_accept(p, TOK_SEMI)) {
		s->kind = S_EMPTY;
		return;
	}
	if (!keyword_stmt(p, s)) {
		s->kind = S_EXPR;
		s->u.expr = parse_expr(p);
	}
	if (takes_semicolon(s))
		parser_accept(p, TOK_SEMI);
}

// stmt = ";" | block | if | while | for | foreach | try
//      | (expr | "break" | "continue" | return | "next" | delete) [";"]
static struct stmt *parse_stmt(struct parser *p)
{
	struct stmt *s = stmt_new(S_EMPTY, parser_peek(p)->loc);

	if (!parser_enter(p))
		return s;
	if (parser_at(p, TOK_LBRACE))
		s = parse_block(p, "of the block");
	else
		simple(p, s);
	parser_leave(p);
	return s;
}
