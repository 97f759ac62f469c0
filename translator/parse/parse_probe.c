// SPDX-License-Identifier: GPL-2.0-or-later
// Tokens -> probe declarations and aliases. Braces are expanded here: a.{b,c}.d is two points. Glob
// characters stay in the names; what they match is known in pass 2.
#include "parse/parser.h"
#include "util/str.h"

#include <string.h>

typedef VEC(struct probe_point *) point_list;

static struct probe_point *point_new(struct loc loc)
{
	struct probe_point *point = NEW(struct probe_point);

	point->loc = loc;
	return point;
}

// argument = "(" (STRING | ["-"] NUMBER) ")"
static void argument(struct parser *p, struct point_part *part)
{
	if (parser_at(p, TOK_STRING)) {
		part->arg_kind = ARG_STRING;
		part->text = parser_take(p).text;
	} else {
		part->arg_kind = ARG_NUMBER;
		part->number = parser_number(p, "a literal (a string or a number) as the component's argument");
	}
	parser_expect(p, TOK_RPAREN, "after the component's argument");
}

static bool in_name(const struct token *t)
{
	return lex_is_word(t) || t->kind == TOK_MUL;
}

// A "?" with more of the point behind it is a wildcard; at the end it makes the point optional.
static bool at_wildcard(struct parser *p)
{
	const struct token *next;

	if (!parser_at(p, TOK_QUESTION))
		return false;
	next = parser_peek_second(p);
	return !next->spaced && next->kind != TOK_IF &&
	       (in_name(next) || next->kind == TOK_NUMBER || next->kind == TOK_QUESTION ||
		next->kind == TOK_LPAREN);
}

// name = (WORD | "*" | "?") {WORD | "*" | "?" | NUMBER}, without space between
static const char *part_name(struct parser *p)
{
	const struct token *t = parser_peek(p);
	struct buf b = { 0 };

	if (!in_name(t) && !at_wildcard(p))
		parser_expected(p, "a component of a probe point");
	do {
		buf_puts(&b, parser_take(p).text);
		t = parser_peek(p);
	} while (!t->spaced && (in_name(t) || t->kind == TOK_NUMBER || at_wildcard(p)));
	return buf_text(&b);
}

// part = name [argument]
static point_list part(struct parser *p)
{
	struct point_part part = { .loc = parser_peek(p)->loc };
	struct probe_point *point = point_new(part.loc);
	point_list list = { 0 };

	part.name = part_name(p);
	if (parser_accept(p, TOK_LPAREN))
		argument(p, &part);
	vec_push(&point->parts, part);
	vec_push(&list, point);
	return list;
}

static void too_many(struct parser *p, struct loc loc)
{
	parser_fail(p, loc, "this makes more than %d probe points", MAX_POINTS);
}

// Every point of `heads` followed by every one of `tails`.
static point_list cross(struct parser *p, point_list heads, point_list tails, struct loc loc)
{
	point_list list = { 0 };

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

			point->optional = (*head)->optional || (*tail)->optional;
			point->sufficient = (*head)->sufficient || (*tail)->sufficient;
			for vec_each(&(*head)->parts, a)
				vec_push(&point->parts, *a);
			for vec_each(&(*tail)->parts, b)
				vec_push(&point->parts, *b);
			if (point->parts.n > MAX_NESTING)
				parser_fail(p, loc, "a probe point has more than %d components", MAX_NESTING);
			vec_push(&list, point);
		}
	return list;
}

static point_list parts(struct parser *p);

// suffix = ["?" | "!"]
static void suffix(struct parser *p, point_list *list)
{
	bool optional = parser_accept(p, TOK_QUESTION);
	bool sufficient = !optional && parser_accept(p, TOK_NOT);

	for vec_each(list, point) {
		(*point)->optional |= optional;
		(*point)->sufficient |= sufficient;
	}
}

// choice = "{" parts suffix {"," parts suffix} "}" | part
static point_list choice(struct parser *p)
{
	struct loc loc = parser_peek(p)->loc;
	point_list list = { 0 };

	if (!parser_accept(p, TOK_LBRACE))
		return part(p);
	do {
		point_list more = parts(p);

		suffix(p, &more);
		for vec_each(&more, point)
			vec_push(&list, *point);
		if (list.n > MAX_POINTS)
			too_many(p, loc);
	} while (parser_accept(p, TOK_COMMA));
	parser_expect(p, TOK_RBRACE, "after the alternatives of a probe point");
	return list;
}

// parts = choice {"." choice}
static point_list parts(struct parser *p)
{
	struct loc loc = parser_peek(p)->loc;
	point_list list = { 0 };
	int n = 1;

	if (!parser_enter(p))
		return list;
	list = choice(p);
	for (; parser_accept(p, TOK_DOT); n++) {
		if (list.n == 1 && n < MAX_NESTING) { // the usual case, without a copy
			point_list more = choice(p);

			if (more.n == 1) {
				for vec_each(&more.at[0]->parts, a)
					vec_push(&list.at[0]->parts, *a);
				list.at[0]->optional |= more.at[0]->optional;
				list.at[0]->sufficient |= more.at[0]->sufficient;
				continue;
			}
			list = cross(p, list, more, loc);
			continue;
		}
		list = cross(p, list, choice(p), loc);
	}
	parser_leave(p);
	return list;
}

// point = parts suffix ["if" "(" expr ")"]
static void point(struct parser *p, point_list *all)
{
	point_list list = parts(p);
	struct expr *condition = NULL;

	suffix(p, &list);
	if (parser_accept(p, TOK_IF)) {
		parser_expect(p, TOK_LPAREN, "and the condition of the probe point");
		condition = parse_expr(p);
		parser_expect(p, TOK_RPAREN, "after the condition of the probe point");
	}
	for vec_each(&list, it) {
		struct probe_point *one = *it;

		one->condition = condition && it != list.at ? expr_copy(condition) : condition;
		vec_push(all, one);
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
		parser_fail(p, name->loc, "the name of an alias can't be optional ('?') or sufficient ('!')");
	if (name->condition)
		parser_fail(p, name->loc, "the name of an alias can't have a condition");
	for vec_each(&name->parts, part) {
		if (str_is_glob(part->name))
			parser_fail(p, part->loc, "the name of an alias can't have wildcards");
		if (part->arg_kind != ARG_NONE)
			parser_fail(p, part->loc, "the name of an alias can't have arguments");
	}
}

// bodies = block ["," block]; the second one only in an alias
static void bodies(struct parser *p, struct probe_decl *d)
{
	bool alias = d->alias_names.n > 0;

	d->body = parse_block(p, alias ? "of the alias" : "of the probe");
	if (!parser_at(p, TOK_COMMA))
		return;
	if (!alias || d->epilogue)
		parser_fail(p, parser_peek(p)->loc, "a second block belongs to an alias made with '='");
	parser_take(p);
	d->epilogue_body = parse_block(p, "after the alias's handler");
}

// probe = "probe" {points ("=" | "+=")} points bodies
void parse_probe(struct parser *p, struct loc loc)
{
	struct probe_decl *d = NEW(struct probe_decl);
	point_list list;

	p->point_parts = 0;
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
