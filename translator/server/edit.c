// SPDX-License-Identifier: GPL-2.0-or-later
// textDocument/formatting, rename and prepareRename, semanticTokens and documentSymbol: requests that only require
// tokens.
#include "editor/format.h"
#include "parse/parse.h"
#include "server/cursor.h"

#include <string.h>

static struct json_object *text_edit(struct json_object *range, const char *text)
{
	return json_with(json_with(json_object_new_object(), "range", range), "newText", json_string(text));
}

struct json_object *formatting_run(struct request *r)
{
	struct source *source = session_source(r->s, r->doc->path, r->doc->text, r->doc->len);
	struct json_object *edits;
	char *text;

	r->s->opt.guru = true;
	text = format_text(r->s, source);
	if (!text)
		return NULL;       // there is a syntax error, which the check reports
	edits = json_object_new_array();
	if (strcmp(text, r->doc->text))
		json_object_array_add(edits, text_edit(text_range(r->doc->text, r->doc->len, 0, r->doc->len), text));
	return edits;
}

// ---------------------------------------------------------------- rename

// Returns whether the token is a name that can be renamed: not a member, a target variable or part of a point.
static bool is_plain_name(const struct cursor *c, const struct source_token *t)
{
	const struct source_token *before = token_before(c, t);

	return t->kind == TOK_IDENT && *t->text != '$' && !token_is_in_point(c, t) && !(before && before->kind == TOK_ARROW);
}

static bool is_same(const struct source_token *a, const struct source_token *b)
{
	return a->len == b->len && !memcmp(a->text, b->text, a->len);
}

// Returns TOK_GLOBAL or TOK_FUNCTION if the text has such a declaration of the name, TOK_PROBE if only one
// declaration uses it.
static enum tok scope_of(const struct cursor *c, const struct source_token *name)
{
	enum tok declares = TOK_NONE;

	for (int i = 0; i < c->tokens.n; i++) {
		const struct source_token *t = &c->tokens.at[i];

		if (t->kind == TOK_FUNCTION || t->kind == TOK_GLOBAL)
			declares = t->kind;
		else if (t->kind == TOK_LBRACE || t->kind == TOK_LPAREN || t->kind == TOK_PROBE || t->kind == TOK_ASSIGN)
			declares = TOK_NONE;
		else if (declares && is_plain_name(c, t) && is_same(t, name))
			return declares;
	}
	return TOK_PROBE;
}

static const struct source_token *renamed(struct request *r, struct cursor *c)
{
	const struct source_token *t, *next;

	cursor_set(c, r->doc, r->offset);
	t = c->at >= 0 ? &c->tokens.at[c->at] : NULL;
	if (!t || !is_plain_name(c, t))
		die("only variables and functions of the script can be renamed");
	next = token_after(c, t);
	if (next && next->kind == TOK_LPAREN && scope_of(c, t) != TOK_FUNCTION)
		die("\"%s\" is not a function of this script, so it cannot be renamed", token_text(t));
	return t;
}

struct json_object *prepare_rename_run(struct request *r)
{
	struct cursor c;

	return token_range(&c, renamed(r, &c));
}

static void check_new_name(const char *name)
{
	struct source source = { .name = "<name>", .text = name, .len = strlen(name) };
	source_token_list tokens = { 0 };
	name_list words = { 0 };

	source_tokens_read(&source, &tokens);
	parse_print_words(&words);
	if (tokens.n != 2 || tokens.at[0].kind != TOK_IDENT || tokens.at[0].len != source.len || strchr(name, '$') ||
	    str_in_list(&words, name))
		die("\"%s\" is not a valid name: use letters, digits and \"_\", and no keyword", name);
}

// Embedded C refers to names as STAP_ARG_x and STAP_GLOBAL_GET_x.
static void check_embedded(const struct source_token *t, const char *name)
{
	if (t->kind == TOK_EMBEDDED && strstr(token_text(t), str_printf("_%s", name)))
		die("embedded C may refer to \"%s\", so it is not renamed", name);
}

struct json_object *rename_run(struct request *r)
{
	struct json_object *edits = json_object_new_array(), *changes = json_object_new_object();
	const char *new_name = json_text(r->params, "newName");
	const struct source_token *name;
	struct cursor c;
	int from = 0, end;

	name = renamed(r, &c);
	check_new_name(new_name);
	end = c.tokens.n;
	if (scope_of(&c, name) == TOK_PROBE) {
		struct source_token declared = { .text = new_name, .len = strlen(new_name) };

		if (scope_of(&c, &declared) != TOK_PROBE)
			die("the name \"%s\" is used already", new_name);
		from = c.first, end = c.end;
	}
	for (int i = from; i < end; i++) {
		const struct source_token *t = &c.tokens.at[i];

		check_embedded(t, token_text(name));
		if (!is_plain_name(&c, t))
			continue;
		if (!strcmp(token_text(t), new_name))
			die("the name \"%s\" is used already", new_name);
		if (is_same(t, name))
			json_object_array_add(edits, text_edit(token_range(&c, t), new_name));
	}
	json_with(changes, r->doc->uri, edits);
	return json_with(json_object_new_object(), "changes", changes);
}

// ---------------------------------------------------------------- semantic tokens

enum semantic { KEYWORD, STRING, NUMBER, COMMENT, FUNCTION, MACRO, VARIABLE, PARAMETER, EVENT, PROPERTY, NO_TOKEN };

static const char *const semantic_names[] = {
	"keyword", "string", "number", "comment", "function", "macro", "variable", "parameter", "event", "property",
};

struct json_object *semantic_legend(void)
{
	struct json_object *types = json_object_new_array(), *o = json_object_new_object();

	for (size_t i = 0; i < ARRAY_SIZE(semantic_names); i++)
		json_object_array_add(types, json_object_new_string(semantic_names[i]));
	return json_with(json_with(o, "tokenTypes", types), "tokenModifiers", json_object_new_array());
}

static enum semantic role(const struct cursor *c, const struct source_token *t)
{
	const struct source_token *before = token_before(c, t), *after = token_after(c, t);

	switch (t->kind) {
	case TOK_NONE: return COMMENT;
	case TOK_STRING: return STRING;
	case TOK_NUMBER: return NUMBER;
	case TOK_AT_WORD: return MACRO;
	case TOK_IDENT: break;
	default: return t->kind >= TOK_PROBE && t->kind <= TOK_CATCH ? KEYWORD : NO_TOKEN;
	}
	if (*t->text == '$')
		return PARAMETER;
	if (before && before->kind == TOK_ARROW)
		return PROPERTY;
	if (token_is_in_point(c, t))
		return EVENT;
	return after && after->kind == TOK_LPAREN ? FUNCTION : VARIABLE;
}

struct delta {
	struct json_object *data;
	int line, character;       // position of the previous token
};

// Adds a piece of a token that does not contain a newline. line: number from 0; start: offset of the line.
static void add_piece(struct delta *d, const char *start, const char *from, const char *to, int line,
		      enum semantic type)
{
	struct json_object *range = text_range(start, to - start, from - start, to - start);
	int character = json_number(json_member(range, "start"), "character", 0);
	int end = json_number(json_member(range, "end"), "character", 0);
	int numbers[] = { line - d->line, line == d->line ? character - d->character : character, end - character,
			  (int)type, 0 };

	json_object_put(range);
	if (from >= to)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		json_object_array_add(d->data, json_object_new_int(numbers[i]));
	d->line = line;
	d->character = character;
}

struct json_object *semantic_tokens_run(struct request *r)
{
	struct delta d = { .data = json_object_new_array() };
	struct cursor c;

	cursor_set(&c, r->doc, 0);
	for vec_each(&c.tokens, t) {
		const char *from = t->text, *end = from + t->len, *to;
		enum semantic type = role(&c, t);

		for (int line = t->loc.line; type != NO_TOKEN && from < end; line++, from = to + 1) {
			to = memchr(from, '\n', end - from);
			if (!to)
				to = end;
			add_piece(&d, diag_line(c.source, line), from, to, line - 1, type);
		}
	}
	return json_with(json_object_new_object(), "data", d.data);
}

// ---------------------------------------------------------------- symbols

// Adds a probe, function or global of the text. kind: SymbolKind of the protocol.
static void add_symbol(struct json_object *list, struct cursor *c, const struct source_token *t, const char *name,
		       int kind)
{
	struct json_object *o = json_with(json_object_new_object(), "name", json_string(name));

	json_with(o, "kind", json_object_new_int(kind));
	json_with(o, "range", token_range(c, t));
	json_object_array_add(list, json_with(o, "selectionRange", token_range(c, t)));
}

struct json_object *symbols_run(struct request *r)
{
	enum { SYMBOL_FUNCTION = 12, SYMBOL_VARIABLE = 13, SYMBOL_EVENT = 24 };
	struct json_object *list = json_object_new_array();
	struct cursor c;

	cursor_set(&c, r->doc, 0);
	for (int i = 0; i + 1 < c.tokens.n; i++) {
		const struct source_token *t = &c.tokens.at[i], *name = token_after(&c, t);

		c.first = i;
		c.end = c.tokens.n;
		if (t->kind == TOK_FUNCTION && name->kind == TOK_IDENT)
			add_symbol(list, &c, name, token_text(name), SYMBOL_FUNCTION);
		else if (t->kind == TOK_GLOBAL && name->kind == TOK_IDENT)
			add_symbol(list, &c, name, token_text(name), SYMBOL_VARIABLE);
		else if (t->kind == TOK_PROBE && cursor_probe_point(&c))
			add_symbol(list, &c, t, cursor_probe_point(&c), SYMBOL_EVENT);
	}
	return list;
}
