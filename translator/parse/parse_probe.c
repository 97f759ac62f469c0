// SPDX-License-Identifier: GPL-2.0-or-later
// Parses probe declarations and aliases. Braces are expanded here: a.{b,c}.d is two points, and so are a.x{b,c}.d and
// a("{b,c}").d. Glob characters stay in the names; pass 2 matches them.
#include "parse/parser.h"
#include "util/str.h"

typedef VEC(struct probe_point *) point_list;

static struct probe_point *point_new(struct loc loc)
{
	struct probe_point *point = NEW(struct probe_point);

	point->loc = loc;
	return point;
}

static bool in_name(const struct token *t)
{
	return lex_is_word(t) || t->kind == TOK_MUL;
}

// A "?" followed by more of the point is a wildcard; at the end it makes the point optional.
static bool at_wildcard(struct parser *p)
{
	const struct token *next;

	if (!parser_at(p, TOK_QUESTION))
		return false;
	next = parser_peek_ahead(p, 1);
	return !next->spaced && next->kind != TOK_IF &&
	       (in_name(next) || next->kind == TOK_NUMBER || next->kind == TOK_QUESTION ||
		next->kind == TOK_LPAREN);
}

// A "{" next to a word opens the handler, unless it encloses alternatives: components with commas between.
static bool at_braces(struct parser *p)
{
	int depth = 1;
	bool commas = false;

	if (!parser_at(p, TOK_LBRACE) || p->braces)
		return parser_at(p, TOK_LBRACE);
	for (int i = 1; depth; i++) {
		const struct token *t = parser_peek_ahead(p, i);
		enum tok last = t->kind;

		if (last == TOK_LPAREN) {
			i += parser_peek_ahead(p, i + 1)->kind == TOK_SUB;
			last = parser_peek_ahead(p, i + 1)->kind;
			i += 2;
			if ((last != TOK_STRING && last != TOK_NUMBER) || parser_peek_ahead(p, i)->kind != TOK_RPAREN)
				return false;
		} else if (!in_name(t) && t->kind != TOK_NUMBER && t->kind != TOK_DOT && t->kind != TOK_COMMA &&
			   t->kind != TOK_QUESTION && t->kind != TOK_NOT && t->kind != TOK_LBRACE &&
			   t->kind != TOK_RBRACE) {
			return false;
		}
		depth += (last == TOK_LBRACE) - (last == TOK_RBRACE);
		commas |= last == TOK_COMMA;
	}
	return commas;
}

static bool at_more(struct parser *p)
{
	const struct token *t = parser_peek(p);

	return !t->spaced && (in_name(t) || t->kind == TOK_NUMBER || at_wildcard(p) || at_braces(p));
}

// name = (WORD
//  "*"
//  "?"
//  NUMBER) {WORD
//  "*"
//  "?"
//  NUMBER}, without space between. In braces it may be empty (open{,.return}) and may begin with a number:
// check_names() checks the expanded names.
static point_list name(struct parser *p)
{
	const struct token *t = parser_peek(p);
	struct point_part part = { .loc = t->loc };
	struct probe_point *point = point_new(part.loc);
	point_list list = { 0 };
	struct buf b = { 0 };
	bool in_braces = p->braces > 0, begins = in_name(t) || at_wildcard(p) || (in_braces && t->kind == TOK_NUMBER);

	if (!begins && !(in_braces && (t->kind == TOK_COMMA || t->kind == TOK_RBRACE || t->kind == TOK_DOT)))
		parser_expected(p, "a component of a probe point");
	while (begins) {
		buf_puts(&b, parser_take(p).text);
		t = parser_peek(p);
		begins = !t->spaced && (in_name(t) || t->kind == TOK_NUMBER || at_wildcard(p));
	}
	part.name = buf_text(&b);
	vec_push(&point->parts, part);
	vec_push(&list, point);
	return list;
}

static void too_many(struct parser *p, struct loc loc)
{
	parser_fail(p, loc, "this expands to more than %d probe points", MAX_POINTS);
}

// Appends components to `point`; glued: the first one extends its last name.
static void append(struct parser *p, struct probe_point *point, const struct probe_point *tail, bool glued)
{
	for vec_each(&tail->parts, part) {
		struct point_part *last = &point->parts.at[point->parts.n - 1];

		if (!glued || part != tail->parts.at) {
			vec_push(&point->parts, *part);
			continue;
		}
		if (last->arg_kind != ARG_NONE)
			parser_fail(p, last->loc, "text follows the argument of a component: write the argument after the whole name");
		const char *name = str_printf("%s%s", last->name, part->name);
		struct loc loc = last->loc;

		*last = *part;
		last->name = name;
		last->loc = loc;
	}
	if (point->parts.n > MAX_NESTING)
		parser_fail(p, point->loc, "a probe point has more than %d components", MAX_NESTING);
}

// Suffixes may not be in the middle of a point.
static void check_ends(struct parser *p, point_list heads)
{
	for vec_each(&heads, head)
		if ((*head)->optional || (*head)->sufficient || (*head)->condition)
			parser_fail(p, (*head)->loc, "\"?\", \"!\" and \"if\" are allowed only after the last component of a probe point");
}

// Returns every point of `heads` followed by every one of `tails`.
static point_list cross(struct parser *p, point_list heads, point_list tails, bool glued, struct loc loc)
{
	point_list list = { 0 };

	check_ends(p, heads);
	if (heads.n == 1 && tails.n == 1) { // the usual case, without a copy
		append(p, heads.at[0], tails.at[0], glued);
		heads.at[0]->optional = tails.at[0]->optional;
		heads.at[0]->sufficient = tails.at[0]->sufficient;
		heads.at[0]->condition = tails.at[0]->condition;
		return heads;
	}
	if (!heads.n || !tails.n || (long)heads.n * tails.n > MAX_POINTS) {
		too_many(p, loc);
		return heads;
	}
	p->point_parts += heads.n * tails.n * (heads.at[0]->parts.n + tails.at[0]->parts.n);
	if (p->point_parts > MAX_POINT_PARTS) {
		too_many(p, loc);
		return heads;
	}
	for vec_each(&heads, head)
		for vec_each(&tails, tail) {
			struct probe_point *point = point_new((*head)->loc);

			point->optional = (*tail)->optional;
			point->sufficient = (*tail)->sufficient;
			point->condition = (*tail)->condition ? expr_copy((*tail)->condition) : NULL;
			for vec_each(&(*head)->parts, a)
				vec_push(&point->parts, *a);
			append(p, point, *tail, glued);
			vec_push(&list, point);
		}
	return list;
}

// argument = "(" (STRING
//  ["-"] NUMBER) ")"; braces in the string give several arguments
static point_list argument(struct parser *p)
{
	struct point_part part = { .loc = parser_peek(p)->loc, .name = "" };
	name_list texts = { 0 };
	point_list list = { 0 };

	parser_take(p);
	if (parser_at(p, TOK_STRING)) {
		part.arg_kind = ARG_STRING;
		if (!str_braces(&texts, parser_take(p).text, MAX_POINTS))
			too_many(p, part.loc);
	} else {
		bool negative = parser_at(p, TOK_SUB);

		part.arg_kind = ARG_NUMBER;
		part.number = parser_number(p, "a literal (a string or a number) as the component's argument");
		part.number_text = str_printf(negative ? "%lld" : "%llu", (long long)part.number);
		vec_push(&texts, NULL);
	}
	parser_expect(p, TOK_RPAREN, "after the component's argument");
	for vec_each(&texts, text) {
		struct probe_point *point = point_new(part.loc);

		part.text = *text;
		vec_push(&point->parts, part);
		vec_push(&list, point);
	}
	return list;
}

static point_list parts(struct parser *p);

// suffix = ["?" | "!"] ["if" "(" expr ")"]
static void suffix(struct parser *p, point_list *list)
{
	bool optional = parser_accept(p, TOK_QUESTION);
	bool sufficient = !optional && parser_accept(p, TOK_NOT);
	struct expr *condition = NULL;

	if (parser_accept(p, TOK_IF)) {
		parser_expect(p, TOK_LPAREN, "and the condition of the probe point");
		condition = parse_expr(p);
		parser_expect(p, TOK_RPAREN, "after the condition of the probe point");
	}
	for vec_each(list, it) {
		struct probe_point *point = *it;
		struct expr *own = condition && it != list->at ? expr_copy(condition) : condition;

		point->optional |= optional;
		point->sufficient |= sufficient;
		if (own)
			point->condition = point->condition ? expr_binary(own->loc, TOK_ANDAND, point->condition, own) : own;
	}
}

// piece = "{" parts suffix {"," parts suffix} "}" | name
static point_list piece(struct parser *p)
{
	struct loc loc = parser_peek(p)->loc;
	point_list list = { 0 };

	if (!parser_accept(p, TOK_LBRACE))
		return name(p);
	if (parser_at(p, TOK_RBRACE))
		parser_expected(p, "a component of a probe point");
	p->braces++;
	do {
		point_list more = parts(p);

		suffix(p, &more);
		for vec_each(&more, point)
			vec_push(&list, *point);
		if (list.n > MAX_POINTS)
			too_many(p, loc);
	} while (parser_accept(p, TOK_COMMA));
	p->braces--;
	parser_expect(p, TOK_RBRACE, "after the alternatives of a probe point");
	return list;
}

// choice = piece {piece} [argument], without space between the pieces
static point_list choice(struct parser *p)
{
	struct loc loc = parser_peek(p)->loc;
	point_list list = piece(p);

	while (at_more(p))
		list = cross(p, list, piece(p), true, loc);
	if (parser_at(p, TOK_LPAREN))
		list = cross(p, list, argument(p), true, loc);
	return list;
}

// parts = choice {"." choice}
static point_list parts(struct parser *p)
{
	struct loc loc = parser_peek(p)->loc;
	point_list list = { 0 };

	if (!parser_enter(p))
		return list;
	list = choice(p);
	while (parser_accept(p, TOK_DOT))
		list = cross(p, list, choice(p), false, loc);
	parser_leave(p);
	return list;
}

static void check_names(struct parser *p, const struct probe_point *point)
{
	for vec_each(&point->parts, part)
		if (!*part->name)
			parser_fail(p, part->loc, "a component of this probe point is empty");
		else if (*part->name >= '0' && *part->name <= '9')
			parser_fail(p, part->loc, "invalid component \"%s\" of a probe point", part->name);
}

// point = parts suffix
static void point(struct parser *p, point_list *all)
{
	point_list list = parts(p);

	suffix(p, &list);
	for vec_each(&list, it) {
		check_names(p, *it);
		vec_push(all, *it);
	}
	if (all->n > MAX_POINTS)
		too_many(p, list.n ? list.at[0]->loc : (struct loc){ 0 });
}

// points = point {"," point}
static point_list points(struct parser *p)
{
	point_list all = { 0 };

	do
		point(p, &all);
	while (parser_accept(p, TOK_COMMA));
	return all;
}

static void check_alias_name(struct parser *p, const struct probe_point *name)
{
	if (name->optional || name->sufficient)
		parser_fail(p, name->loc, "the name of an alias cannot be optional (\"?\") or sufficient (\"!\")");
	if (name->condition)
		parser_fail(p, name->loc, "the name of an alias cannot have a condition");
	for vec_each(&name->parts, part) {
		if (str_is_glob(part->name))
			parser_late(p, part->loc, "the name of an alias cannot have wildcards");
		if (part->arg_kind != ARG_NONE)
			parser_fail(p, part->loc, "the name of an alias cannot have arguments");
	}
}

// bodies = block ["," block]; the second only for an alias
static void bodies(struct parser *p, struct probe_decl *d)
{
	bool alias = d->alias_names.n > 0;

	d->body = parse_block(p, alias ? "of the alias" : "of the probe");
	if (!parser_at(p, TOK_COMMA))
		return;
	if (!alias || d->epilogue)
		parser_fail(p, parser_peek(p)->loc, "a second block is allowed only in an alias defined with \"=\"");
	parser_take(p);
	d->epilogue_body = parse_block(p, "after the alias's handler");
}

// probe = "probe" {points ("=" | "+=")} points bodies
void parse_probe(struct parser *p, struct loc loc)
{
	struct probe_decl *d = NEW(struct probe_decl);
	point_list list;

	p->point_parts = p->braces = 0;
	list = points(p);
	d->loc = loc;
	d->source = p->source;
	while (parser_at(p, TOK_ASSIGN) || parser_at(p, TOK_ADD_ASSIGN)) {
		d->epilogue |= parser_take(p).kind == TOK_ADD_ASSIGN;
		for vec_each(&list, name) {
			check_alias_name(p, *name);
			vec_push(&d->alias_names, *name);
		}
		list = points(p);
	}
	for vec_each(&list, it)
		vec_push(&d->points, *it);
	bodies(p, d);
	if (p->panic)
		return;
	if (d->alias_names.n)
		vec_push(&p->out->aliases, d);
	else
		vec_push(&p->out->probe_decls, d);
}
