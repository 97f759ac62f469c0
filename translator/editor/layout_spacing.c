// SPDX-License-Identifier: GPL-2.0-or-later
// Decides on the space between two tokens of a line. In probe points, and next to script arguments, which are
// pasted as text, white space has a meaning: there it remains as in the source.
#include "editor/layout.h"

bool layout_is_unary(struct layout *l, const struct source_token *t)
{
	if (layout_top(l)->operand)
		return false;
	switch (t->kind) {
	case TOK_ADD: case TOK_SUB: case TOK_NOT: case TOK_COMPL: case TOK_AND: case TOK_INC: case TOK_DEC: return true;
	default: return false;
	}
}

bool layout_is_sort(struct layout *l, const struct source_token *t)
{
	bool in_foreach = false;

	for (int i = l->frames.n - 1; i >= 0 && l->frames.at[i].kind == PARENTHESES; i--)
		in_foreach |= l->frames.at[i].head == TOK_FOREACH;
	if (!in_foreach || (t->kind != TOK_ADD && t->kind != TOK_SUB))
		return false;
	switch (layout_next(l)->kind) {
	case TOK_IN: case TOK_COMMA: case TOK_RBRACKET: case TOK_RPAREN: case TOK_LIMIT: return true;
	default: return false;
	}
}

// Returns true if the two operators would become one without a space.
static bool would_join(const struct source_token *a, const struct source_token *b)
{
	char last = a->text[a->len - 1], next = *b->text;

	return (last == next && (last == '+' || last == '-' || last == '&')) || (last == '!' && next == '~');
}

static bool space_in_point(struct layout *l, const struct source_token *t)
{
	enum tok a = l->last->kind, b = t->kind;

	if (b == TOK_COMMA)
		return false;
	if (a == TOK_PROBE || a == TOK_IF || b == TOK_IF || a == TOK_ASSIGN || b == TOK_ASSIGN || a == TOK_ADD_ASSIGN ||
	    b == TOK_ADD_ASSIGN || layout_is_block(l, t))
		return true;
	if (a == TOK_COMMA && !layout_top(l)->point)
		return true;
	return t->spaced;
}

static bool ends_operand(enum tok kind)
{
	return kind == TOK_IDENT || kind == TOK_AT_WORD || kind == TOK_RBRACKET || kind == TOK_RPAREN;
}

static bool in_mode(struct layout *l, enum list_mode mode)
{
	int i = l->frames.n - 1;

	while (l->frames.at[i].kind == PARENTHESES)
		i--;
	return l->frames.at[i].mode == mode;
}

static bool space_before_parenthesis(struct layout *l, const struct source_token *t)
{
	enum tok a = l->last->kind;

	if (t->kind == TOK_LBRACKET)
		return !ends_operand(a) && !(a == TOK_MOD && in_mode(l, GLOBALS));
	return a != TOK_IDENT && a != TOK_AT_WORD &&
	       !((a == TOK_LONG_TYPE || a == TOK_STRING_TYPE) && in_mode(l, FUNCTION_HEAD));
}

bool layout_space(struct layout *l, const struct source_token *t)
{
	const struct frame *top = layout_top(l);
	enum tok a = l->last->kind, b = t->kind;

	if (l->last->argument || t->argument || a == TOK_JUNK || b == TOK_JUNK)
		return t->spaced;
	if (top->point || (top->kind != PARENTHESES && top->mode == PROBE_POINT))
		return space_in_point(l, t);
	if (b == TOK_COMMA || b == TOK_SEMI || b == TOK_RPAREN || b == TOK_RBRACKET || b == TOK_ARROW)
		return false;
	if (a == TOK_LPAREN || a == TOK_LBRACKET || a == TOK_ARROW)
		return false;
	if (l->last_unary)
		return would_join(l->last, t);
	if (((b == TOK_INC || b == TOK_DEC) && top->operand) || layout_is_sort(l, t))
		return false;
	if (b == TOK_LPAREN || b == TOK_LBRACKET)
		return space_before_parenthesis(l, t);
	if ((a == TOK_COLON || b == TOK_COLON) && in_mode(l, FUNCTION_HEAD))
		return false;
	if (b == TOK_MOD && in_mode(l, GLOBALS))
		return false;
	return !(a == TOK_LBRACE && b == TOK_RBRACE);
}
