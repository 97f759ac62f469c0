// SPDX-License-Identifier: GPL-2.0-or-later
// Generated C of a regular expression. If the script does not read submatches: one table that is walked until it
// matches. Otherwise also a struct stp_regex_groups: tables that find the leftmost, longest match, and a plan that
// divides it into its groups.
//
// The plan follows POSIX: pieces match as much as possible, from left to right, as long as the rest still matches.
// So for "a b" one table finds the offsets at which a may end, and another one, walked backward, those at which b
// may begin; the last offset that both have is the boundary. A subexpression without a group needs no plan. Nothing
// is allocated, and time is linear except for loops in loops.
#include "emit/regex.h"

#include <string.h>

enum { MAX_GROUPS = 32, MAX_PARTS = 1024, MAX_TEXT = 1 << 20 };     // groups: STP_MAX_GROUPS, including the whole
								    // match

struct part { const char *kind; int group, last, a, b; const char *head, *tail; };

struct plan {
	struct emitter *e;
	const char *pattern;
	VEC(struct part) parts;    // parts.at[0] does nothing
	struct map tables;         // tables of subexpressions: node and enum regex_way -> name of the table in C
	struct map planned;        // node -> its part: a repeated subexpression has one part
	long *work;
	size_t begin;              // size of e->tables.text before the first table
	bool too_large;
};

static bool has_group(const struct regex_node *n)
{
	for (; n; n = n->b)
		if (n->kind == RE_GROUP || has_group(n->a))
			return true;
	return false;
}

static int last_group(const struct regex_node *n)
{
	int last = 0;

	for (; n; n = n->b) {
		int inner = n->kind == RE_GROUP ? n->last_group : last_group(n->a);

		last = inner > last ? inner : last;
	}
	return last;
}

static const char *table(struct plan *p, struct regex_node *n, enum regex_way way)
{
	const char *key = str_printf("%d %p", way, (void *)n), *name = map_get(&p->tables, key);

	if (name)
		return name;
	if (!p->too_large)
		name = regex_dfa(p->e, n, way, p->pattern, p->work);
	p->too_large |= !name || p->e->tables.text.len - p->begin > MAX_TEXT;
	map_put(&p->tables, key, (void *)name);
	return name ? name : "none";
}

static int add_part(struct plan *p, struct part part)
{
	p->too_large |= p->parts.n >= MAX_PARTS;
	vec_push(&p->parts, part);
	return p->parts.n - 1;
}

// Replaces x{2,4} by x x (x (x)?)?, and x{2,} by x x x*, so that only loops and choices remain.
static struct regex_node *unroll_repeat(struct regex_node *n)
{
	struct regex_node *all = NULL, *one = n->a;

	if (n->max < 0) {
		all = regex_node(RE_REPEAT, one, NULL);
		all->max = -1;
	}
	for (int i = n->min; i < n->max; i++)
		all = regex_node(RE_ALT, all ? regex_node(RE_CAT, one, all) : one, regex_node(RE_EMPTY, NULL, NULL));
	for (int i = 0; i < n->min; i++)
		all = all ? regex_node(RE_CAT, one, all) : one;
	return all ? all : regex_node(RE_EMPTY, NULL, NULL);
}

// Returns whether it matches a single byte or an anchor, so that its end follows from its beginning.
static bool is_fixed(const struct regex_node *n)
{
	return n->kind == RE_SET || n->kind == RE_BEGIN || n->kind == RE_END;
}

// Turns a (b c) into (a b) c while a and b are bytes, which needs fewer tables.
static struct regex_node *gather_bytes(struct regex_node *n)
{
	while (is_fixed(n->a) || (n->a->kind == RE_CAT && is_fixed(n->a->b))) {
		struct regex_node *b = n->b;

		if (b->kind != RE_CAT || !is_fixed(b->a))
			break;
		n = regex_node(RE_CAT, regex_node(RE_CAT, n->a, b->a), b->b);
	}
	return n;
}

static int plan_node(struct plan *p, struct regex_node *n);

static int plan_new(struct plan *p, struct regex_node *n)
{
	struct part part = { 0 };
	int at;

	if (n->kind == RE_REPEAT && (n->min || n->max >= 0))
		return plan_node(p, unroll_repeat(n));
	if (n->kind == RE_CAT)
		n = gather_bytes(n);
	at = add_part(p, part);
	part.group = n->group;
	part.last = n->last_group;
	switch (n->kind) {
	case RE_GROUP:
		part.kind = "STP_RE_GROUP";
		break;
	case RE_CAT:
		part.kind = "STP_RE_CAT";
		part.tail = table(p, n->b, RE_BACKWARD);
		break;
	case RE_ALT:
		part.kind = "STP_RE_ALT";
		break;
	default:
		part.kind = "STP_RE_STAR";
		part.tail = table(p, n, RE_BACKWARD);
		break;
	}
	if (n->kind != RE_GROUP)
		part.head = table(p, n->a, RE_FORWARD);
	part.a = plan_node(p, n->a);
	part.b = n->b ? plan_node(p, n->b) : 0;
	p->parts.at[at] = part;
	return at;
}

// Returns the number of the part that divides the text that n matched, or 0 if n has no groups.
static int plan_node(struct plan *p, struct regex_node *n)
{
	const char *key = str_printf("%p", (void *)n);
	intptr_t at = (intptr_t)map_get(&p->planned, key);

	if (at || p->too_large || !has_group(n))
		return (int)at;
	at = plan_new(p, n);
	map_put(&p->planned, key, (void *)at);
	return (int)at;
}

static const char *address(const char *name)
{
	return name ? str_printf("&%s", name) : "NULL";
}

// Returns the number of a table in programs; 0: there is no table.
static int table_number(const struct plan *p, const char *name)
{
	return name ? (int)(intptr_t)map_get(&p->e->regex_numbers, name) : 0;
}

// Programs have the parts of all expressions as rows of one table, whose row 0 does nothing.
static void write_rows(struct plan *p, const char *name, const char *find, const char *whole, int root, int groups)
{
	struct emitter *e = p->e;
	int base = e->nregex_rows;

	for (int i = 1; i < p->parts.n; i++) {
		struct part *part = &p->parts.at[i];

		cw_line(&e->regex_rows, "{ %s, %d, %d, %d, %d, %d, %d },", part->kind, part->group, part->last,
			part->a ? base + part->a : 0, part->b ? base + part->b : 0, table_number(p, part->head),
			table_number(p, part->tail));
	}
	e->nregex_rows += p->parts.n - 1;
	cw_line(&e->tables, "#ifdef STP_BPF");
	cw_line(&e->tables, "static const struct stp_regex_plan %s_groups = { %d, %d, %d, %d };", name, table_number(p, find),
		table_number(p, whole), root ? base + root : 0, groups);
	cw_line(&e->tables, "#else");
}

static void write_plan(struct plan *p, const char *name, const char *find, const char *whole, int root, int groups)
{
	struct cwriter *w = &p->e->tables;

	if (p->e->programs)
		write_rows(p, name, find, whole, root, groups);
	cw_line(w, "static const struct stp_regex_part %s_parts[] = {", name);
	cw_line(w, "{ 0 },");
	for (int i = 1; i < p->parts.n; i++) {
		struct part *part = &p->parts.at[i];

		cw_line(w, "{ %s, %d, %d, %d, %d, %s, %s },", part->kind, part->group, part->last, part->a,
			part->b, address(part->head), address(part->tail));
	}
	cw_line(w, "};");
	cw_line(w, "static const struct stp_regex_groups %s_groups = { &%s, &%s, %s_parts, %d, %d };", name, find,
		whole, name, root, groups);
	if (p->e->programs)
		cw_line(w, "#endif");
}

void emit_regex_walks(struct emitter *e, struct cwriter *w)
{
	int rows = 1;

	if (!e->regex_cases.text.len && !(e->program_uses & BPF_GROUPS))
		return;
	while (rows <= e->nregex_rows)
		rows *= 2;
	cw_line(w, "#ifdef STP_BPF");
	cw_line(w, "STP_GLOBAL_FUNCTION u64 bpf_regex_step(u32 number, u32 state, u32 byte)");
	cw_line(w, "{");
	cw_line(w, "switch (number) {");
	cw_append(w, &e->regex_cases);
	cw_line(w, "}");
	cw_line(w, "return 0;");
	cw_line(w, "}");
	if (e->keeps_matches) {
		cw_line(w, "#define STP_USES_GROUPS");
		cw_line(w, "#define STP_REGEX_ROWS %d", rows);
		cw_line(w, "static const struct stp_regex_row stp_regex_rows[%d] STP_TABLE_SECTION = {", rows);
		cw_line(w, "{ STP_RE_NONE },");
		cw_append(w, &e->regex_rows);
		cw_line(w, "};");
	}
	cw_line(w, "#include \"bpf_match.h\"");
	cw_line(w, "#endif");
}

// Returns the maximum number of parts that are pending at a time: the right sides of nested sequences.
static int max_pending_parts(const struct plan *p, int at)
{
	int max = 0, sequences = 0;

	for (; at; at = p->parts.at[at].b) {
		int inner = max_pending_parts(p, p->parts.at[at].a);

		max = inner > max ? inner : max;
		sequences |= p->parts.at[at].b != 0;
	}
	return max + sequences;
}

static bool emit_groups(struct emitter *e, struct expr *x, struct regex_node *tree, const char *name,
			const char *pattern, long *work)
{
	struct plan p = { .e = e, .pattern = pattern, .begin = e->tables.text.len, .work = work };
	const char *find = table(&p, tree, RE_FIND), *whole = table(&p, tree, RE_FORWARD);
	int groups = last_group(tree) + 1, root;

	add_part(&p, (struct part){ 0 });
	root = plan_node(&p, tree);
	if (p.too_large)
		return false;
	if (groups > MAX_GROUPS || max_pending_parts(&p, root) > MAX_GROUPS) {
		diag_error(x->loc, "more than %d groups in a regular expression, in a script that uses matched()", MAX_GROUPS - 1);
		return true;
	}
	write_plan(&p, name, find, whole, root, groups);
	return true;
}

const char *emit_regex(struct emitter *e, struct expr *x)
{
	const char *pattern = str_ndup(x->u.regex.pattern, x->u.regex.len), *key, *name;
	struct regex_node *tree;
	long work = 0;

	key = str_printf("regex%d %s", x->u.regex.keep, pattern);
	name = map_get(&e->formats, key);
	if (name)
		return name;
	tree = regex_parse(pattern, x->loc);
	if (!tree)
		return NULL;
	name = regex_dfa(e, tree, RE_SEARCH, pattern, &work);
	if (!name || (x->u.regex.keep && !emit_groups(e, x, tree, name, pattern, &work))) {
		diag_error(x->loc, "regular expression: its table would be too large; use shorter repetitions");
		return NULL;
	}
	map_put(&e->formats, key, (void *)name);
	return name;
}
