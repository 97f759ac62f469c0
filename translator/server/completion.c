// SPDX-License-Identifier: GPL-2.0-or-later
// textDocument/completion: probe points, functions, macros and keywords from editor/complete.c, names in the text,
// target variables of the probe at the position, and members after "->".
#include "editor/complete.h"
#include "server/variables.h"

#include <ctype.h>
#include <string.h>

enum { KIND_FUNCTION = 3, KIND_FIELD = 5, KIND_VARIABLE = 6, KIND_KEYWORD = 14, KIND_EVENT = 23, MAX_ITEMS = 2000 };

struct list {
	struct json_object *items;
	struct document *doc;
	size_t from, to;           // range of the text that an item replaces
	struct map seen;
};

static void add(struct list *l, const char *text, int kind, const char *detail)
{
	struct json_object *o = json_object_new_object(), *edit = json_object_new_object();

	if (!*text || map_get(&l->seen, text) || l->seen.n >= MAX_ITEMS) {
		json_object_put(o);
		json_object_put(edit);
		return;
	}
	map_put(&l->seen, text, l);
	json_with(edit, "range", text_range(l->doc->text, l->doc->len, l->from, l->to));
	json_with(edit, "newText", json_string(text));
	json_with(json_with(o, "label", json_string(text)), "kind", json_object_new_int(kind));
	json_with(json_with(o, "textEdit", edit), "filterText", json_string(text));
	if (*detail)
		json_with(o, "detail", json_string(detail));
	json_object_array_add(l->items, o);
}

static bool is_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

// Adds the completions of editor/complete.c, which repeat the text before the position. Brackets that the editor
// has inserted after the position are not repeated.
static void add_script(struct request *r, struct list *l)
{
	const char *before = str_ndup(r->doc->text, r->offset), *after = r->doc->text + r->offset;
	name_list found = { 0 };

	complete_script(r->s, before, &found);
	for vec_each(&found, text) {
		char *item = str_dup(*text + (strlen(*text) > l->from ? l->from : strlen(*text)));
		size_t len = strlen(item);

		if (str_ends(item, "\")") && *after == '"')
			item[len -= after[1] == ')' ? 2 : 1] = '\0';
		else if (str_ends(item, "(") && *after == '(')
			item[--len] = '\0';
		add(l, item, str_ends(item, " ") ? KIND_KEYWORD : str_ends(item, "(") ? KIND_FUNCTION : KIND_EVENT, "");
	}
}

// Adds names in the text: declared names, and all names in the probe or function at the position.
static void add_names(const struct cursor *c, struct list *l)
{
	enum tok declares = TOK_NONE;

	for (int i = 0; i < c->tokens.n; i++) {
		const struct source_token *t = &c->tokens.at[i], *next = token_after(c, t), *before = token_before(c, t);
		bool inside = i > c->first && i < c->end;

		if (t->kind == TOK_GLOBAL || t->kind == TOK_FUNCTION || t->kind == TOK_PROBE)
			declares = t->kind;
		if (t->kind != TOK_IDENT || i == c->at || *t->text == '$' || token_is_in_point(c, t))
			continue;
		if (declares == TOK_FUNCTION && next && next->kind == TOK_LPAREN)
			add(l, token_text(t), KIND_FUNCTION, "function of this script");
		else if (declares == TOK_GLOBAL)
			add(l, token_text(t), KIND_VARIABLE, "global");
		else if (inside && next && next->kind != TOK_LPAREN && !(before && before->kind == TOK_ARROW))
			add(l, token_text(t), KIND_VARIABLE, "");
		if (declares == TOK_FUNCTION && next && next->kind == TOK_LPAREN)
			declares = TOK_NONE;
	}
}

static void add_variables(struct request *r, const struct cursor *c, struct list *l, bool dollars)
{
	static const char *const all[] = { "$$vars", "$$parms", "$$locals" };
	const char *point = cursor_probe_point(c);
	struct probe *p = point ? variables_probe(r, point) : NULL;
	target_names names = { 0 };

	if (!p)
		return;
	variables_list(r, p, &names);
	for vec_each(&names, n)
		if (dollars == (*n->name == '$'))
			add(l, n->name, KIND_VARIABLE, n->type);
	for (int i = 0; dollars && i < (int)ARRAY_SIZE(all); i++)
		add(l, all[i], KIND_VARIABLE, "all of these variables, as text");
}

static void add_members(struct request *r, const struct cursor *c, struct list *l, const struct source_token *arrow)
{
	const char *point = cursor_probe_point(c);
	struct probe *p = point ? variables_probe(r, point) : NULL;
	struct di_type *t = p ? variables_aggregate(variables_chain(r, p, c, token_before(c, arrow))) : NULL;
	name_list names = { 0 };

	if (!t)
		return;
	di_member_names(t, &names);
	for vec_each(&names, name) {
		struct di_member m;

		if (**name && di_find_member(t, *name, &m))
			add(l, *name, KIND_FIELD, m.type ? variables_c_type(m.type->name) : "");
	}
}

// Returns the last token that ends at or before the position.
static const struct source_token *last_before(const struct cursor *c, size_t offset)
{
	const struct source_token *last = NULL;

	for vec_each(&c->tokens, t)
		if (t->kind != TOK_NONE && t->kind != TOK_EOF && token_offset(c, t) + t->len <= offset)
			last = t;
	return last;
}

struct json_object *completion_run(struct request *r)
{
	struct list l = { .items = json_object_new_array(), .doc = r->doc, .from = r->offset, .to = r->offset };
	const struct source_token *before;
	struct cursor c;

	cursor_set(&c, r->doc, r->offset);
	if (c.at >= 0 && c.tokens.at[c.at].kind == TOK_NONE)
		return l.items;            // the position is in a comment
	while (l.from && is_name(r->doc->text[l.from - 1]))
		l.from--;
	before = last_before(&c, l.from);
	if (before && before->kind == TOK_ARROW) {
		add_members(r, &c, &l, before);
	} else if (l.from && r->doc->text[l.from - 1] == '$') {
		while (l.from && r->doc->text[l.from - 1] == '$')
			l.from--;
		add_variables(r, &c, &l, true);
	} else if (before && (before->kind == TOK_PROBE || token_is_in_point(&c, before))) {
		add_script(r, &l);
	} else if (c.at < 0 || *c.tokens.at[c.at].text != '"') {
		add_names(&c, &l);
		add_variables(r, &c, &l, false);
		add_script(r, &l);
	}
	return l.items;
}
