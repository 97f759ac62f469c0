// SPDX-License-Identifier: GPL-2.0-or-later
// Regular expressions: POSIX ERE text -> tree -> NFA -> DFA -> struct stp_regex in the generated C.
//
// A match may begin anywhere, so the NFA's start is added again before every byte; a DFA state that
// holds a match is final, because only "matches or not" is asked. "^" is passed in the closure of the
// very first state only; "$" in the closure that decides what counts at the end of the text.
// Bytes that no set tells apart share a column of the table.
#include "emit/emitter.h"

#include <assert.h>
#include <ctype.h>
#include <limits.h>
#include <string.h>

enum { MOST_REPEATS = 255, MOST_NODES = 2048, MOST_STATES = 2048, MOST_CELLS = 1 << 16 };

enum node_kind { N_SET, N_EMPTY, N_BEGIN, N_END, N_CAT, N_ALT, N_REPEAT };
struct node {
	enum node_kind kind;
	bool set[256];
	struct node *a, *b;
	int min, max;              // N_REPEAT, max -1: any number
};

struct parser {
	const char *p, *end;
	struct loc loc;
	bool failed;
};

static struct node *fail(struct parser *ps, const char *what)
{
	if (!ps->failed)
		diag_error(ps->loc, "regular expression: %s", what);
	ps->failed = true;
	ps->p = ps->end;
	return NEW(struct node);
}

static struct node *new_node(enum node_kind kind, struct node *a, struct node *b)
{
	struct node *n = NEW(struct node);

	n->kind = kind;
	n->a = a;
	n->b = b;
	return n;
}

static struct node *one_byte(unsigned char c)
{
	struct node *n = new_node(N_SET, NULL, NULL);

	n->set[c] = true;
	return n;
}

static const struct { const char *name; int (*is)(int); } classes[] = {
	{ "alpha", isalpha }, { "digit", isdigit }, { "alnum", isalnum }, { "upper", isupper },
	{ "lower", islower }, { "space", isspace }, { "blank", isblank }, { "punct", ispunct },
	{ "print", isprint }, { "graph", isgraph }, { "cntrl", iscntrl }, { "xdigit", isxdigit },
};

// "[:alpha:]" inside a bracket, at "[:".
static void named_class(struct parser *ps, struct node *n)
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
	fail(ps, "unknown class in brackets; [:alpha:], [:digit:] and the like are known");
}

// bracket = "[" ["^"] ["]"] {c | c "-" c | "[:" name ":]"} "]"; a backslash is an ordinary byte
static struct node *parse_bracket(struct parser *ps)
{
	struct node *n = new_node(N_SET, NULL, NULL);
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
			return fail(ps, "a range in brackets runs backwards");
		for (int c = from; c <= to; c++)
			n->set[c] = true;
	}
	if (ps->p >= ps->end)
		return fail(ps, "'[' without ']'");
	ps->p++;
	for (int c = 0; c < 256 && negate; c++)
		n->set[c] = !n->set[c];
	return n;
}

static struct node *parse_alternatives(struct parser *ps);

// atom = "(" re ")" | bracket | "." | "^" | "$" | "\" c | c
static struct node *parse_atom(struct parser *ps)
{
	struct node *n;
	char c = *ps->p;

	if (c == '[')
		return parse_bracket(ps);
	ps->p++;
	switch (c) {
	case '(':
		n = parse_alternatives(ps);
		if (ps->failed)
			return n;
		if (ps->p >= ps->end)
			return fail(ps, "'(' without ')'");
		ps->p++;
		return n;
	case '.':
		n = new_node(N_SET, NULL, NULL);
		memset(n->set, true, sizeof(n->set));
		return n;
	case '^':
		return new_node(N_BEGIN, NULL, NULL);
	case '$':
		return new_node(N_END, NULL, NULL);
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

	while (ps->p < ps->end && isdigit((unsigned char)*ps->p) && n <= MOST_REPEATS)
		n = n * 10 + (*ps->p++ - '0');
	return n;
}

// bounds = "{" m ["," [n]] "}"
static void parse_bounds(struct parser *ps, struct node *n)
{
	ps->p++;
	n->min = n->max = parse_count(ps);
	if (ps->p < ps->end && *ps->p == ',') {
		ps->p++;
		n->max = ps->p < ps->end && isdigit((unsigned char)*ps->p) ? parse_count(ps) : -1;
	}
	if (ps->p >= ps->end || *ps->p != '}' || n->min > MOST_REPEATS || n->max > MOST_REPEATS ||
	    (n->max >= 0 && n->max < n->min))
		fail(ps, "bad bounds in '{}'; the most is 255");
	else
		ps->p++;
}

// piece = atom {"*" | "+" | "?" | bounds}
static struct node *parse_piece(struct parser *ps)
{
	struct node *n = parse_atom(ps), *r;

	while (ps->p < ps->end) {
		char c = *ps->p;
		bool bounds = c == '{' && ps->p + 1 < ps->end && isdigit((unsigned char)ps->p[1]);

		if (c != '*' && c != '+' && c != '?' && !bounds)
			break;
		r = new_node(N_REPEAT, n, NULL);
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

// branch = {piece}
static struct node *parse_branch(struct parser *ps)
{
	struct node *n = new_node(N_EMPTY, NULL, NULL);

	while (ps->p < ps->end && *ps->p != '|' && *ps->p != ')')
		n = new_node(N_CAT, n, parse_piece(ps));
	return n;
}

// re = branch {"|" branch}
static struct node *parse_alternatives(struct parser *ps)
{
	struct node *n = parse_branch(ps);

	while (ps->p < ps->end && *ps->p == '|') {
		ps->p++;
		n = new_node(N_ALT, n, parse_branch(ps));
	}
	return n;
}

// ---------------------------------------------------------------- NFA

enum op { OP_SET, OP_SPLIT, OP_BEGIN, OP_END, OP_MATCH };
struct inst { enum op op; const bool *set; int next, other; };
struct nfa { VEC(struct inst) at; bool too_large; };

static int add(struct nfa *nfa, enum op op, const bool *set, int next, int other)
{
	struct inst i = { op, set, next, other };

	nfa->too_large |= nfa->at.n >= MOST_NODES;
	if (nfa->too_large)
		return 0;
	vec_push(&nfa->at, i);
	return nfa->at.n - 1;
}

// Instructions for n that go on at `next`; returns where they begin.
static int compile(struct nfa *nfa, const struct node *n, int next)
{
	int loop;

	if (nfa->too_large)
		return 0;
	switch (n->kind) {
	case N_SET:
		return add(nfa, OP_SET, n->set, next, -1);
	case N_EMPTY:
		return next;
	case N_BEGIN:
		return add(nfa, OP_BEGIN, NULL, next, -1);
	case N_END:
		return add(nfa, OP_END, NULL, next, -1);
	case N_CAT:
		return compile(nfa, n->a, compile(nfa, n->b, next));
	case N_ALT:
		loop = compile(nfa, n->a, next);
		return add(nfa, OP_SPLIT, NULL, loop, compile(nfa, n->b, next));
	case N_REPEAT:
		break;
	}
	if (n->max < 0) {
		loop = add(nfa, OP_SPLIT, NULL, -1, next);
		next = compile(nfa, n->a, loop);
		if (!nfa->too_large)
			nfa->at.at[loop].next = next;
		next = loop;
	}
	for (int i = n->min; i < n->max; i++)
		next = add(nfa, OP_SPLIT, NULL, compile(nfa, n->a, next), next);
	for (int i = 0; i < n->min; i++)
		next = compile(nfa, n->a, next);
	return next;
}

// ---------------------------------------------------------------- DFA

struct dfa {
	const struct nfa *nfa;
	struct map known;          // members of a state as text -> its number + 1
	VEC(bool *) states;        // members: instructions, [nfa.n]
	VEC(int) accept;
	VEC(int) table;            // [state * classes + class]
	int class_of[256], classes;
	int start;                 // instruction
};

static void reach(const struct nfa *nfa, bool *in, int at, bool begin, bool end)
{
	VEC(int) todo = { 0 };

	vec_push(&todo, at);
	while (todo.n) {
		const struct inst *i;

		at = todo.at[--todo.n];
		if (in[at])
			continue;
		in[at] = true;
		i = &nfa->at.at[at];
		if (i->op == OP_SPLIT || (i->op == OP_BEGIN && begin) || (i->op == OP_END && end))
			vec_push(&todo, i->next);
		if (i->op == OP_SPLIT)
			vec_push(&todo, i->other);
	}
}

static bool has_match(const struct dfa *d, const bool *in)
{
	for (int i = 0; i < d->nfa->at.n; i++)
		if (in[i] && d->nfa->at.at[i].op == OP_MATCH)
			return true;
	return false;
}

static int accept_bits(const struct dfa *d, const bool *in, bool begin)
{
	bool *end = NEW_ARRAY(bool, d->nfa->at.n);

	if (has_match(d, in))
		return 3;
	for (int i = 0; i < d->nfa->at.n; i++)
		if (in[i])
			reach(d->nfa, end, i, begin, true);
	return has_match(d, end) ? 2 : 0;
}

static int state_of(struct dfa *d, bool *in, bool begin)
{
	struct buf key = { 0 };
	intptr_t known;
	int accept = accept_bits(d, in, begin);

	if (begin)
		buf_puts(&key, "^");
	for (int i = 0; i < d->nfa->at.n; i++)
		if (in[i] && accept != 3)
			buf_printf(&key, "%d,", i);
	known = (intptr_t)map_get(&d->known, buf_text(&key));
	if (known)
		return (int)known - 1;
	vec_push(&d->states, in);
	vec_push(&d->accept, accept);
	map_put(&d->known, buf_text(&key), (void *)(intptr_t)d->states.n);
	return d->states.n - 1;
}

// Bytes that are in the same sets get the same class.
static void make_classes(struct dfa *d)
{
	struct map seen = { 0 };

	for (int c = 0; c < 256; c++) {
		struct buf key = { 0 };
		intptr_t class;

		for vec_each(&d->nfa->at, i)
			if (i->op == OP_SET)
				buf_putc(&key, i->set[c] ? '1' : '0');
		class = (intptr_t)map_get(&seen, buf_text(&key));
		if (!class) {
			class = ++d->classes;
			map_put(&seen, buf_text(&key), (void *)class);
		}
		d->class_of[c] = (int)class - 1;
	}
}

static int byte_of(const struct dfa *d, int class)
{
	for (int c = 0; c < 256; c++)
		if (d->class_of[c] == class)
			return c;
	return 0;
}

static void make_row(struct dfa *d, int state)
{
	for (int class = 0; class < d->classes; class++) {
		int c = byte_of(d, class);
		bool *to;

		if (d->accept.at[state] == 3) {
			vec_push(&d->table, state);
			continue;
		}
		to = NEW_ARRAY(bool, d->nfa->at.n);
		for (int i = 0; i < d->nfa->at.n; i++)
			if (d->states.at[state][i] && d->nfa->at.at[i].op == OP_SET && d->nfa->at.at[i].set[c])
				reach(d->nfa, to, d->nfa->at.at[i].next, false, false);
		reach(d->nfa, to, d->start, false, false);
		vec_push(&d->table, state_of(d, to, false));
	}
}

static bool make_dfa(struct dfa *d)
{
	bool *in = NEW_ARRAY(bool, d->nfa->at.n);

	make_classes(d);
	reach(d->nfa, in, d->start, true, false);
	state_of(d, in, true);
	for (int state = 0; state < d->states.n; state++) {
		make_row(d, state);
		if (d->states.n > MOST_STATES || d->table.n > MOST_CELLS)
			return false;
	}
	return true;
}

static void numbers(struct cwriter *w, const char *head, const int *n, int count)
{
	struct buf b = { 0 };

	cw_line(w, "static const %s[%d] = {", head, count);
	for (int i = 0; i < count; i++) {
		buf_printf(&b, "%d,%s", n[i], i % 24 == 23 || i == count - 1 ? "" : " ");
		if (i % 24 == 23 || i == count - 1) {
			cw_line(w, "%s", buf_text(&b));
			b = (struct buf){ 0 };
		}
	}
	cw_line(w, "};");
}

static const char *write_dfa(struct emitter *e, const struct dfa *d, const char *pattern)
{
	const char *name = str_printf("regex%d", ++e->regexes);
	struct cwriter *w = &e->tables;

	cw_line(w, "/* %s */", emit_comment_text(pattern));
	numbers(w, str_printf("u8 %s_class", name), d->class_of, 256);
	numbers(w, str_printf("u16 %s_table", name), d->table.at, d->table.n);
	numbers(w, str_printf("u8 %s_accept", name), d->accept.at, d->accept.n);
	cw_line(w, "static const struct stp_regex %s = { %s_class, %s_table, %s_accept, %d, 0 };", name, name,
		name, name, d->classes);
	return name;
}

const char *emit_regex(struct emitter *e, struct expr *x)
{
	const char *pattern = str_ndup(x->u.regex.pattern, x->u.regex.len), *key, *name;
	struct parser ps = { .p = pattern, .end = pattern + strlen(pattern), .loc = x->loc };
	struct nfa nfa = { 0 };
	struct dfa d = { .nfa = &nfa };
	struct node *tree;
	int match;

	key = str_printf("regex %s", pattern);
	name = map_get(&e->formats, key);
	if (name)
		return name;
	tree = parse_alternatives(&ps);
	if (ps.p < ps.end)
		fail(&ps, "')' without '('");
	if (ps.failed)
		return NULL;
	match = add(&nfa, OP_MATCH, NULL, -1, -1);
	d.start = compile(&nfa, tree, match);
	if (nfa.too_large || !make_dfa(&d)) {
		diag_error(x->loc, "regular expression: it needs too large a table; shorter repetitions help");
		return NULL;
	}
	name = write_dfa(e, &d, pattern);
	map_put(&e->formats, key, (void *)name);
	return name;
}
