// SPDX-License-Identifier: GPL-2.0-or-later
// Parses a POSIX ERE to a tree.
#include "parse/regex.h"
#include "util/mem.h"

#include <ctype.h>
#include <string.h>

enum { MAX_REPEATS = 255, MAX_NESTING = 200, MAX_PIECES = 4096 };

struct parser {
	const char *p, *end;
	struct loc loc;
	bool failed;
	int groups, nesting, pieces;
};

static struct regex_node *fail(struct parser *ps, const char *what)
{
	if (!ps->failed)
		diag_error(ps->loc, "regular expression: %s", what);
	ps->failed = true;
	ps->p = ps->end;
	return NEW(struct regex_node);
}

struct regex_node *regex_node(enum regex_kind kind, struct regex_node *a, struct regex_node *b)
{
	struct regex_node *n = NEW(struct regex_node);

	n->kind = kind;
	n->a = a;
	n->b = b;
	return n;
}

static struct regex_node *one_byte(unsigned char c)
{
	struct regex_node *n = regex_node(RE_SET, NULL, NULL);

	n->set[c] = true;
	return n;
}

static const struct { const char *name; int (*is)(int); } classes[] = {
	{ "alpha", isalpha }, { "digit", isdigit }, { "alnum", isalnum }, { "upper", isupper },
	{ "lower", islower }, { "space", isspace }, { "blank", isblank }, { "punct", ispunct },
	{ "print", isprint }, { "graph", isgraph }, { "cntrl", iscntrl }, { "xdigit", isxdigit },
};

// Parses "[:alpha:]" inside a bracket, at "[:".
static void named_class(struct parser *ps, struct regex_node *n)
{
	const char *name = ps->p + 2, *close = strstr(name, ":]");

	for (int i = 0; close && i < (int)ARRAY_SIZE(classes); i++) {
		if (strlen(classes[i].name) != (size_t)(close - name) ||
		    strncmp(classes[i].name, name, close - name) != 0)
			continue;
		for (int c = 1; c < 128; c++)
			n->set[c] |= classes[i].is(c) != 0;
		ps->p = close + 2;
		return;
	}
	fail(ps, "unknown character class in brackets; use a class of POSIX, such as [:alpha:] or [:digit:]");
}

// bracket = "[" ["^"] ["]"] {c | c "-" c | "[:" name ":]"} "]"; a backslash is an ordinary byte
static struct regex_node *parse_bracket(struct parser *ps)
{
	struct regex_node *n = regex_node(RE_SET, NULL, NULL);
	bool negate = false, first = true;

	ps->p++;
	if (ps->p < ps->end && *ps->p == '^') {
		negate = true;
		ps->p++;
	}
	for (; ps->p < ps->end && (first || *ps->p != ']'); first = false) {
		unsigned char from = (unsigned char)*ps->p, to = from;

		if (from == '[' && ps->p + 1 < ps->end && ps->p[1] == ':') {
			named_class(ps, n);
			continue;
		}
		if (from == '[' && ps->p + 1 < ps->end && (ps->p[1] == '.' || ps->p[1] == '='))
			return fail(ps, "collating elements are not supported");
		ps->p++;
		if (ps->p + 1 < ps->end && ps->p[0] == '-' && ps->p[1] != ']') {
			to = (unsigned char)ps->p[1];
			ps->p += 2;
		}
		if (to < from)
			return fail(ps, "the end of a range in brackets is before its start");
		for (int c = from; c <= to; c++)
			n->set[c] = true;
	}
	if (ps->p >= ps->end)
		return fail(ps, "\"[\" without \"]\"");
	ps->p++;
	for (int c = 0; c < 256 && negate; c++)
		n->set[c] = !n->set[c];
	return n;
}

static struct regex_node *parse_alternatives(struct parser *ps);

// group = "(" re ")"; groups are numbered from 1 in order of their "("
static struct regex_node *parse_group(struct parser *ps)
{
	struct regex_node *n = regex_node(RE_GROUP, NULL, NULL);

	if (++ps->nesting > MAX_NESTING)
		return fail(ps, "parentheses are nested too deeply");
	n->group = ++ps->groups;
	n->a = parse_alternatives(ps);
	n->last_group = ps->groups;
	ps->nesting--;
	if (ps->failed)
		return n;
	if (ps->p >= ps->end)
		return fail(ps, "\"(\" without \")\"");
	ps->p++;
	return n;
}

// atom = group | bracket | "." | "^" | "$" | "\" c | c
static struct regex_node *parse_atom(struct parser *ps)
{
	struct regex_node *n;
	char c = *ps->p;

	if (c == '[')
		return parse_bracket(ps);
	ps->p++;
	switch (c) {
	case '(':
		return parse_group(ps);
	case '.':
		n = regex_node(RE_SET, NULL, NULL);
		memset(n->set, true, sizeof(n->set));
		return n;
	case '^':
		return regex_node(RE_BEGIN, NULL, NULL);
	case '$':
		return regex_node(RE_END, NULL, NULL);
	case '*': case '+': case '?':
		return fail(ps, "nothing to repeat");
	case '\\':
		if (ps->p >= ps->end)
			return fail(ps, "a backslash at the end");
		if (isdigit((unsigned char)*ps->p))
			return fail(ps, "back-references are not supported");
		return one_byte((unsigned char)*ps->p++);
	default:
		return one_byte((unsigned char)c);
	}
}

static int parse_count(struct parser *ps)
{
	int n = 0;

	while (ps->p < ps->end && isdigit((unsigned char)*ps->p) && n <= MAX_REPEATS)
		n = n * 10 + (*ps->p++ - '0');
	return n;
}

// bounds = "{" m ["," [n]] "}"
static void parse_bounds(struct parser *ps, struct regex_node *n)
{
	ps->p++;
	n->min = n->max = parse_count(ps);
	if (ps->p < ps->end && *ps->p == ',') {
		ps->p++;
		n->max = ps->p < ps->end && isdigit((unsigned char)*ps->p) ? parse_count(ps) : -1;
	}
	if (ps->p >= ps->end || *ps->p != '}' || n->min > MAX_REPEATS || n->max > MAX_REPEATS ||
	    (n->max >= 0 && n->max < n->min))
		fail(ps, "invalid bounds in \"{}\"; use {N}, {N,} or {N,M} with numbers up to 255");
	else
		ps->p++;
}

// piece = atom {"*" | "+" | "?" | bounds}
static struct regex_node *parse_piece(struct parser *ps)
{
	struct regex_node *n = parse_atom(ps), *r;

	while (ps->p < ps->end) {
		char c = *ps->p;
		bool bounds = c == '{' && ps->p + 1 < ps->end && isdigit((unsigned char)ps->p[1]);

		if (c != '*' && c != '+' && c != '?' && !bounds)
			break;
		if (++ps->pieces > MAX_PIECES)
			return fail(ps, "it is too long");
		r = regex_node(RE_REPEAT, n, NULL);
		if (bounds) {
			parse_bounds(ps, r);
		} else {
			r->min = c == '+';
			r->max = c == '?' ? 1 : -1;
			ps->p++;
		}
		n = r;
	}
	return n;
}

// branch = {piece}; nested to the right: the first piece is matched first
static struct regex_node *parse_branch(struct parser *ps)
{
	struct regex_node *first = NULL, **rest = &first;

	while (ps->p < ps->end && *ps->p != '|' && *ps->p != ')') {
		struct regex_node *piece = parse_piece(ps);

		if (++ps->pieces > MAX_PIECES)
			return fail(ps, "it is too long");
		if (*rest)
			rest = &(*rest = regex_node(RE_CAT, *rest, NULL))->b;
		*rest = piece;
	}
	return first ? first : regex_node(RE_EMPTY, NULL, NULL);
}

// re = branch {"|" branch}
static struct regex_node *parse_alternatives(struct parser *ps)
{
	struct regex_node *n = parse_branch(ps);

	while (ps->p < ps->end && *ps->p == '|') {
		ps->p++;
		n = regex_node(RE_ALT, n, parse_branch(ps));
	}
	return n;
}

struct regex_node *regex_parse(const char *pattern, struct loc loc)
{
	struct parser ps = { .p = pattern, .end = pattern + strlen(pattern), .loc = loc };
	struct regex_node *tree = parse_alternatives(&ps);

	if (ps.p < ps.end)
		fail(&ps, "\")\" without \"(\"");
	return ps.failed ? NULL : tree;
}
