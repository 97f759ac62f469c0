// SPDX-License-Identifier: GPL-2.0-or-later
// Finds tokens and declarations around a position. In: the text, which may have errors, so it is not parsed. Out:
// tokens as parse/source_tokens.h reads them, with their roles.
#include "server/cursor.h"

#include <string.h>

static bool begins_declaration(enum tok kind)
{
	return kind == TOK_PROBE || kind == TOK_FUNCTION || kind == TOK_GLOBAL || kind == TOK_PRIVATE;
}

static void find_declaration(struct cursor *c, size_t offset)
{
	c->end = c->tokens.n;
	for (int i = 0; i < c->tokens.n; i++) {
		if (!begins_declaration(c->tokens.at[i].kind))
			continue;
		if (token_offset(c, &c->tokens.at[i]) > offset) {
			c->end = i;
			return;
		}
		c->first = i;
	}
}

// Returns whether text that is typed after the token belongs to it.
static bool is_open_ended(const struct source_token *t)
{
	return t->kind == TOK_IDENT || t->kind == TOK_AT_WORD || (t->kind == TOK_NONE && t->text[1] != '*');
}

// Keywords are names in points: kernel.function("f").return
static void name_keywords(source_token_list *tokens)
{
	for (int i = 1; i < tokens->n; i++)
		if (tokens->at[i - 1].kind == TOK_DOT && tokens->at[i].kind >= TOK_PROBE && tokens->at[i].kind <= TOK_CATCH)
			tokens->at[i].kind = TOK_IDENT;
}

void cursor_set(struct cursor *c, const struct document *doc, size_t offset)
{
	struct source *source = NEW(struct source);

	*source = (struct source){ .name = doc->path, .text = doc->text, .len = doc->len };
	*c = (struct cursor){ .source = source, .at = -1 };
	source_tokens_read(source, &c->tokens);
	name_keywords(&c->tokens);
	for (int i = 0; i < c->tokens.n; i++) {
		size_t from = token_offset(c, &c->tokens.at[i]), to = from + c->tokens.at[i].len;

		if (from <= offset && (offset < to || (offset == to && is_open_ended(&c->tokens.at[i]))))
			c->at = i;
	}
	find_declaration(c, offset);
}

const char *token_text(const struct source_token *t)
{
	return t ? str_ndup(t->text, t->len) : "";
}

size_t token_offset(const struct cursor *c, const struct source_token *t)
{
	return t->text - c->source->text;
}

struct json_object *token_range(const struct cursor *c, const struct source_token *t)
{
	size_t from = token_offset(c, t);

	return text_range(c->source->text, c->source->len, from, from + t->len);
}

static const struct source_token *neighbour(const struct cursor *c, const struct source_token *t, int direction)
{
	for (int i = (int)(t - c->tokens.at) + direction; i >= 0 && i < c->tokens.n; i += direction)
		if (c->tokens.at[i].kind != TOK_NONE)
			return &c->tokens.at[i];
	return NULL;
}

const struct source_token *token_before(const struct cursor *c, const struct source_token *t)
{
	return neighbour(c, t, -1);
}

const struct source_token *token_after(const struct cursor *c, const struct source_token *t)
{
	return neighbour(c, t, 1);
}

bool token_is_in_point(const struct cursor *c, const struct source_token *t)
{
	for (const struct source_token *p = t; p && p >= c->tokens.at; p = token_before(c, p))
		switch (p->kind) {
		case TOK_PROBE: return true;
		case TOK_LBRACE: case TOK_RBRACE: case TOK_SEMI: case TOK_FUNCTION: case TOK_GLOBAL: return false;
		case TOK_IF: return false;         // a condition follows
		default: break;
		}
	return false;
}

const char *token_point(const struct cursor *c, const struct source_token *t)
{
	const struct source_token *first = t;

	for (const struct source_token *p = token_before(c, first); p; p = token_before(c, p)) {
		if (p->kind == TOK_PROBE || p->kind == TOK_COMMA || p->kind == TOK_ASSIGN || p->kind == TOK_ADD_ASSIGN)
			break;
		first = p;
	}
	return str_ndup(first->text, t->text + t->len - first->text);
}

const char *cursor_probe_point(const struct cursor *c)
{
	const struct source_token *t = &c->tokens.at[c->first], *end = c->tokens.at + c->end, *from;

	if (c->first >= c->tokens.n || t->kind != TOK_PROBE)
		return NULL;
	from = ++t;
	for (int depth = 0; t < end && t->kind != TOK_LBRACE && t->kind != TOK_IF; t++) {
		depth += (t->kind == TOK_LPAREN) - (t->kind == TOK_RPAREN);
		if (t->kind == TOK_ASSIGN || t->kind == TOK_ADD_ASSIGN)
			from = t + 1;
		else if (t->kind == TOK_COMMA && from < t && !depth)
			break;
	}
	return from < t && t < end ? str_ndup(from->text, t[-1].text + t[-1].len - from->text) : NULL;
}
