// SPDX-License-Identifier: GPL-2.0-or-later
// Follows the statements of a script token by token: layout_settle() decides whether a token still belongs to the
// statement before it, layout_advance() updates the state. The rules are those of parse/, except that nothing is an
// error.
#include "editor/layout.h"

#include <string.h>

static const struct head *head_new(int kind, bool flat, const struct head *outer)
{
	struct head *h = NEW(struct head);

	*h = (struct head){ .kind = kind, .flat = flat, .outer = outer };
	return h;
}

int layout_levels(const struct head *heads)
{
	int n = 0;

	for (; heads; heads = heads->outer)
		n += !heads->flat;
	return n;
}

// ---------------------------------------------------------------- the end of a statement

// Returns true if a token after a complete operand belongs to the same statement.
static bool continues(const struct layout *l, const struct source_token *t)
{
	enum tok a = l->last->kind;

	if (a == TOK_NEXT || a == TOK_BREAK || a == TOK_CONTINUE)
		return t->kind == TOK_SEMI;
	switch (t->kind) {
	case TOK_IDENT: case TOK_NUMBER: case TOK_AT_WORD: case TOK_EMBEDDED: case TOK_NOT: case TOK_COMPL:
	case TOK_LBRACE: return false;
	case TOK_STRING: return a == TOK_STRING;
	case TOK_LPAREN: return a == TOK_IDENT || a == TOK_AT_WORD;
	case TOK_LBRACKET: return a == TOK_IDENT || a == TOK_AT_WORD || a == TOK_RBRACKET || a == TOK_RPAREN;
	case TOK_IN: return true;
	default: return !(t->kind >= TOK_PROBE && t->kind <= TOK_CATCH);
	}
}

static bool continues_globals(const struct frame *f, const struct source_token *t)
{
	switch (t->kind) {
	case TOK_COMMA: case TOK_ASSIGN: case TOK_LBRACKET: case TOK_MOD: case TOK_SEMI: case TOK_COND_IF:
	case TOK_COND_ELSE: case TOK_COND_END: return true;
	default: return !f->operand;
	}
}

// Replaces the innermost control statement of that kind by the part that follows it: "else", "catch".
static void begin_second_part(struct frame *f, int first, int second)
{
	const struct head *h = f->heads;

	while (h && h->kind != first)
		h = h->outer;
	if (h && h->flat)
		h = h->outer;
	f->heads = head_new(second, false, h ? h->outer : NULL);
}

void layout_settle(struct layout *l, const struct source_token *t)
{
	struct frame *f = layout_top(l);
	bool ends;

	if (f->kind == PARENTHESES || f->defines)
		return;
	ends = f->mode == GLOBALS ? !continues_globals(f, t) :
	       f->mode == STATEMENTS && f->started && f->operand && !continues(l, t);
	if (ends) {
		f->mode = STATEMENTS;
		f->started = false;
		f->ended = true;
	}
	if (f->started || f->mode != STATEMENTS)
		return;
	if (t->kind == TOK_ELSE)
		begin_second_part(f, HEAD_IF, HEAD_ELSE);
	else if (t->kind == TOK_CATCH)
		begin_second_part(f, HEAD_TRY, HEAD_CATCH);
	else if (f->ended && t->kind != TOK_COND_IF && t->kind != TOK_COND_ELSE && t->kind != TOK_COND_END)
		f->heads = NULL;
}

// ---------------------------------------------------------------- entering a token

static void end_statement(struct frame *f)
{
	f->mode = STATEMENTS;
	f->started = f->operand = f->alias = f->defines = false;
	f->ended = true;
	f->keyword = TOK_NONE;
}

static void open_parentheses(struct layout *l, enum tok closes)
{
	struct frame *outer = layout_top(l);
	struct frame f = { .kind = PARENTHESES, .closes = closes, .on_one_line = l->on_one_line[l->at],
			   .base = l->column };

	if (outer->kind != PARENTHESES) {
		f.head = closes == TOK_RPAREN ? outer->keyword : TOK_NONE;
		outer->keyword = TOK_NONE;
		outer->started |= f.head == TOK_NONE;
	}
	f.point = closes == TOK_RBRACE;
	vec_push(&l->frames, f);
}

static void close_parentheses(struct layout *l)
{
	enum tok head = layout_top(l)->head;
	struct frame *f;

	l->frames.n--;
	f = layout_top(l);
	f->operand = true;
	if (head == TOK_NONE || f->kind == PARENTHESES)
		return;
	f->started = f->ended = f->operand = false;
	if (head != TOK_CATCH) {
		bool flat = head == TOK_IF && f->after_else && f->heads;

		f->heads = head_new(head == TOK_IF ? HEAD_IF : HEAD_LOOP, flat, f->heads);
	}
}

static void open_block(struct layout *l)
{
	struct frame *outer = layout_top(l);
	struct frame f = { .kind = BLOCK_LIST, .on_one_line = l->on_one_line[l->at],
			   .indent = outer->indent + (outer->heads ? layout_levels(outer->heads) : 1) };

	outer->mode = STATEMENTS;
	outer->keyword = TOK_NONE;
	vec_push(&l->frames, f);
}

static void close_block(struct layout *l)
{
	if (layout_top(l)->kind != BLOCK_LIST)
		return;
	l->frames.n--;
	end_statement(layout_top(l));
}

static frame_list copy(const frame_list *from)
{
	frame_list to = { 0 };

	for vec_each(from, f)
		vec_push(&to, *f);
	return to;
}

static void open_conditional(struct layout *l)
{
	struct frame *outer = layout_top(l);
	struct conditional c = { .on_one_line = l->on_one_line[l->at], .macro = outer->defines, .column = l->column };

	c.before = copy(&l->frames);
	vec_push(&l->conditionals, c);
	if (c.macro) {
		struct frame f = { .kind = MACRO_LIST, .on_one_line = c.on_one_line, .indent = outer->indent + 1 };

		vec_push(&l->frames, f);
	} else {
		struct frame f = { .kind = PARENTHESES, .closes = TOK_COND_THEN, .on_one_line = c.on_one_line,
				   .base = l->column };

		vec_push(&l->frames, f);
	}
}

static void next_branch(struct layout *l, const struct source_token *t)
{
	struct conditional *c = l->conditionals.n ? &l->conditionals.at[l->conditionals.n - 1] : NULL;

	if (!c)
		return;
	if (t->kind != TOK_COND_END || c->macro || layout_top(l)->closes == TOK_COND_THEN)
		l->frames = copy(&c->before);
	if (t->kind == TOK_COND_END && c->macro)
		end_statement(layout_top(l));
	l->conditionals.n -= t->kind == TOK_COND_END;
}

static void enter_operand(struct layout *l, struct frame *f, const struct source_token *t)
{
	switch (t->kind) {
	case TOK_IDENT: case TOK_NUMBER: case TOK_STRING: case TOK_AT_WORD: case TOK_EMBEDDED: case TOK_NEXT: case TOK_BREAK:
	case TOK_CONTINUE: case TOK_STRING_TYPE: case TOK_LONG_TYPE: f->operand = true; break;
	case TOK_INC: case TOK_DEC: break;
	case TOK_MUL: f->operand = !f->operand; break;
	case TOK_MOD: f->operand = f->kind != PARENTHESES && f->mode == GLOBALS; break;
	default: f->operand = f->operand && layout_is_sort(l, t);
	}
}

// Updates the state by a keyword or another token that begins a statement or a declaration.
static void begin_statement(struct layout *l, struct frame *f, const struct source_token *t)
{
	f->started = true;
	f->operand = f->ended = f->alias = false;
	switch (t->kind) {
	case TOK_PROBE: f->mode = PROBE_POINT; break;
	case TOK_FUNCTION: f->mode = FUNCTION_HEAD; break;
	case TOK_GLOBAL: case TOK_PRIVATE: f->mode = GLOBALS; break;
	case TOK_IF: case TOK_WHILE: case TOK_FOR: case TOK_FOREACH:
		f->keyword = t->kind;
		f->after_else = l->last && l->last->kind == TOK_ELSE;
		break;
	case TOK_CATCH: f->keyword = TOK_CATCH; f->started = false; break;
	case TOK_TRY: f->heads = head_new(HEAD_TRY, false, f->heads); f->started = false; break;
	case TOK_ELSE: f->started = false; break;
	case TOK_EMBEDDED: case TOK_SEMI: end_statement(f); break;
	default:
		f->defines = t->kind == TOK_AT_WORD && t->len == 7 && !memcmp(t->text, "@define", 7);
		enter_operand(l, f, t);
	}
}

static void enter_word(struct layout *l, struct frame *f, const struct source_token *t)
{
	if (f->kind == PARENTHESES) {
		enter_operand(l, f, t);
	} else if (f->mode == STATEMENTS && !f->started) {
		begin_statement(l, f, t);
	} else if (t->kind == TOK_SEMI || (t->kind == TOK_EMBEDDED && f->mode == FUNCTION_HEAD)) {
		end_statement(f);
	} else if (f->mode == GLOBALS && t->kind == TOK_FUNCTION) {
		f->mode = FUNCTION_HEAD;
	} else {
		f->alias |= f->mode == PROBE_POINT && (t->kind == TOK_ASSIGN || t->kind == TOK_ADD_ASSIGN);
		enter_operand(l, f, t);
	}
}

void layout_advance(struct layout *l, const struct source_token *t)
{
	struct frame *f = layout_top(l);

	if (f->kind == PARENTHESES && t->kind == f->closes) {
		close_parentheses(l);
		if (t->kind == TOK_COND_THEN && l->conditionals.n)
			l->frames = copy(&l->conditionals.at[l->conditionals.n - 1].before);
		return;
	}
	switch (t->kind) {
	case TOK_LPAREN: open_parentheses(l, TOK_RPAREN); break;
	case TOK_LBRACKET: open_parentheses(l, TOK_RBRACKET); break;
	case TOK_LBRACE:
		if (layout_is_block(l, t))
			open_block(l);
		else
			open_parentheses(l, TOK_RBRACE);
		break;
	case TOK_RBRACE: close_block(l); break;
	case TOK_COND_IF: open_conditional(l); break;
	case TOK_COND_ELSE: case TOK_COND_END: next_branch(l, t); break;
	default: enter_word(l, f, t);
	}
}
