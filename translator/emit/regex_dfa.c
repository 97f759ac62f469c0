// SPDX-License-Identifier: GPL-2.0-or-later
// Regular expressions: tree -> NFA -> DFA -> a struct stp_regex in the generated C.
//
// If a match may begin anywhere, the NFA's start is added again before every byte. The closure passes "^" only in
// state 0, and "$" only to determine whether the state accepts at the end of the text. Backward tables are made
// from the mirrored tree. Bytes that are in the same sets share a column.
#include "emit/regex.h"

enum { MAX_NODES = 2048, MAX_STEPS = 1 << 15, MAX_STATES = 2048, MAX_CELLS = 1 << 16, MAX_WORK = 1 << 22 };
enum { MATCHED = 1, MATCHED_AT_END = 2, DEAD = 4 };    // values of stp_regex.accept

// Returns the tree that matches the same texts in reverse.
static struct regex_node *mirror(const struct regex_node *n)
{
	struct regex_node *m;

	if (!n)
		return NULL;
	m = NEW(struct regex_node);
	*m = *n;
	m->a = mirror(n->kind == RE_CAT ? n->b : n->a);
	m->b = mirror(n->kind == RE_CAT ? n->a : n->b);
	if (n->kind == RE_BEGIN || n->kind == RE_END)
		m->kind = n->kind == RE_BEGIN ? RE_END : RE_BEGIN;
	return m;
}

// ---------------------------------------------------------------- NFA

enum op { OP_SET, OP_SPLIT, OP_BEGIN, OP_END, OP_MATCH };
struct inst { enum op op; const bool *set; int next, other; };
struct nfa {
	VEC(struct inst) at;       // [0] is the accepting state
	bool too_large;
	int steps;                 // number of steps of compile(): an empty match makes no node, but takes time
	int *todo;                 // stack of reach(), [2 * at.n + 1]
};

static int add(struct nfa *nfa, enum op op, const bool *set, int next, int other)
{
	struct inst i = { op, set, next, other };

	nfa->too_large |= nfa->at.n >= MAX_NODES;
	if (nfa->too_large)
		return 0;
	vec_push(&nfa->at, i);
	return nfa->at.n - 1;
}

// Adds the instructions for n that continue at `next`; returns the first of them.
static int compile(struct nfa *nfa, const struct regex_node *n, int next)
{
	int loop;

	nfa->too_large |= ++nfa->steps > MAX_STEPS;
	if (nfa->too_large)
		return 0;
	switch (n->kind) {
	case RE_SET:
		return add(nfa, OP_SET, n->set, next, -1);
	case RE_EMPTY:
		return next;
	case RE_BEGIN:
		return add(nfa, OP_BEGIN, NULL, next, -1);
	case RE_END:
		return add(nfa, OP_END, NULL, next, -1);
	case RE_CAT:
		return compile(nfa, n->a, compile(nfa, n->b, next));
	case RE_ALT:
		loop = compile(nfa, n->a, next);
		return add(nfa, OP_SPLIT, NULL, loop, compile(nfa, n->b, next));
	case RE_GROUP:
		return compile(nfa, n->a, next);
	case RE_REPEAT:
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
	struct map known;          // key of a state's members -> its number + 1
	VEC(bool *) states;        // members: instructions, [nfa.n]
	VEC(int) accept;
	VEC(int) table;            // [state * classes + class]
	int class_of[256], classes;
	int start;                 // index of the first instruction
	enum regex_way way;
	long *work;                // cells times nodes, summed over all tables of the expression
};

static void reach(const struct nfa *nfa, bool *in, int at, bool begin, bool end)
{
	int *todo = nfa->todo, n = 0;

	todo[n++] = at;
	while (n) {
		const struct inst *i;

		at = todo[--n];
		if (in[at])
			continue;
		in[at] = true;
		i = &nfa->at.at[at];
		if (i->op == OP_SPLIT || (i->op == OP_BEGIN && begin) || (i->op == OP_END && end))
			todo[n++] = i->next;
		if (i->op == OP_SPLIT)
			todo[n++] = i->other;
	}
}

static bool has_match(const bool *in)
{
	return in[0];
}

// Returns whether the state has no transitions, so that the walk can end.
static bool is_dead(const struct dfa *d, const bool *in)
{
	for (int i = 0; i < d->nfa->at.n; i++)
		if (in[i] && d->nfa->at.at[i].op == OP_SET)
			return false;
	return d->way == RE_FORWARD || d->way == RE_BACKWARD;
}

static int accept_bits(const struct dfa *d, const bool *in, bool begin)
{
	bool *end = NEW_ARRAY(bool, d->nfa->at.n);
	int dead = is_dead(d, in) ? DEAD : 0;

	if (has_match(in))
		return MATCHED | MATCHED_AT_END | dead;
	for (int i = 0; i < d->nfa->at.n; i++)
		if (in[i])
			reach(d->nfa, end, i, begin, true);
	return (has_match(end) ? MATCHED_AT_END : 0) | dead;
}

// If only the existence of a match is needed, the text after it is ignored.
static bool is_final(const struct dfa *d, int accept)
{
	return d->way == RE_SEARCH && (accept & MATCHED);
}

// Returns the key of a state: its members as bits, seven per character. All final states have the same key.
static const char *state_name(const struct dfa *d, const bool *in, bool begin)
{
	struct buf key = { 0 };

	buf_putc(&key, begin ? '^' : '-');
	for (int i = 0; i < d->nfa->at.n && !(d->way == RE_SEARCH && has_match(in)); i += 7) {
		int bits = 0x80;

		for (int j = 0; j < 7 && i + j < d->nfa->at.n; j++)
			bits |= in[i + j] << j;
		buf_putc(&key, (char)bits);
	}
	return buf_text(&key);
}

static int state_of(struct dfa *d, bool *in, bool begin)
{
	const char *name = state_name(d, in, begin);
	intptr_t known = (intptr_t)map_get(&d->known, name);

	if (known)
		return (int)known - 1;
	vec_push(&d->states, in);
	vec_push(&d->accept, accept_bits(d, in, begin));
	map_put(&d->known, name, (void *)(intptr_t)d->states.n);
	return d->states.n - 1;
}

// Assigns bytes that are in the same sets to one class.
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

		if (is_final(d, d->accept.at[state])) {
			vec_push(&d->table, state);
			continue;
		}
		to = NEW_ARRAY(bool, d->nfa->at.n);
		for (int i = 0; i < d->nfa->at.n; i++)
			if (d->states.at[state][i] && d->nfa->at.at[i].op == OP_SET && d->nfa->at.at[i].set[c])
				reach(d->nfa, to, d->nfa->at.at[i].next, false, false);
		if (d->way == RE_SEARCH || d->way == RE_FIND)
			reach(d->nfa, to, d->start, false, false);
		vec_push(&d->table, state_of(d, to, false));
	}
}

// State 0 is the beginning of the text (backward: its end), state `inner` the state in which a walk starts at other
// offsets.
static bool make_dfa(struct dfa *d, int *inner)
{
	bool *in = NEW_ARRAY(bool, d->nfa->at.n), *inside = NEW_ARRAY(bool, d->nfa->at.n);

	make_classes(d);
	reach(d->nfa, in, d->start, true, false);
	state_of(d, in, true);
	reach(d->nfa, inside, d->start, false, false);
	*inner = state_of(d, inside, false);
	for (int state = 0; state < d->states.n; state++) {
		make_row(d, state);
		*d->work += (long)d->classes * d->nfa->at.n;
		if (d->states.n > MAX_STATES || d->table.n > MAX_CELLS || *d->work > MAX_WORK)
			return false;
	}
	return true;
}

static void numbers(struct emitter *e, const char *head, const int *n, int count)
{
	struct cwriter *w = &e->tables;
	struct buf b = { 0 };

	cw_line(w, e->programs ? "static const %s[%d] STP_TABLE_SECTION = {" : "static const %s[%d] = {", head, count);
	for (int i = 0; i < count; i++) {
		buf_printf(&b, "%d,%s", n[i], i % 24 == 23 || i == count - 1 ? "" : " ");
		if (i % 24 == 23 || i == count - 1) {
			cw_line(w, "%s", buf_text(&b));
			b = (struct buf){ 0 };
		}
	}
	cw_line(w, "};");
}

static const char *write_dfa(struct emitter *e, const struct dfa *d, int inner, const char *comment)
{
	const char *name = str_printf("regex%d", ++e->regexes);
	struct cwriter *w = &e->tables;

	cw_line(w, "/* %s */", emit_comment_text(comment));
	numbers(e, str_printf("u8 %s_class", name), d->class_of, 256);
	numbers(e, str_printf("u16 %s_table", name), d->table.at, d->table.n);
	numbers(e, str_printf("u8 %s_accept", name), d->accept.at, d->accept.n);
	if (e->programs) {
		cw_line(w, "#ifdef STP_BPF");
		cw_line(w, "#define STP_REGEX_NAME %s", name);
		cw_line(w, "#define STP_REGEX_CLASSES %d", d->classes);
		cw_line(w, "#define STP_REGEX_CELLS %d", d->table.n);
		cw_line(w, "#define STP_REGEX_STATES %d", d->accept.n);
		cw_line(w, "#define STP_REGEX_INNER %d", inner);
		cw_line(w, "#include \"bpf_regex.h\"");
		cw_line(w, "static const struct stp_regex_number %s = { %d };", name, e->regexes);
		map_put(&e->regex_numbers, name, (void *)(intptr_t)e->regexes);
		cw_line(&e->regex_cases, "case %d: return %s_step(state, byte);", e->regexes, name);
		cw_line(w, "#else");
	}
	cw_line(w, "static const struct stp_regex %s = { %s_class, %s_table, %s_accept, %d, 0, %d };", name, name,
		name, name, d->classes, inner);
	if (e->programs)
		cw_line(w, "#endif");
	return name;
}

const char *regex_dfa(struct emitter *e, struct regex_node *tree, enum regex_way way, const char *comment,
		      long *work)
{
	struct nfa nfa = { 0 };
	struct dfa d = { .nfa = &nfa, .way = way, .work = work };
	int match, inner;

	if (way == RE_BACKWARD || way == RE_FIND)
		tree = mirror(tree);
	match = add(&nfa, OP_MATCH, NULL, -1, -1);
	d.start = compile(&nfa, tree, match);
	nfa.todo = NEW_ARRAY(int, 2 * nfa.at.n + 1);
	if (nfa.too_large || !make_dfa(&d, &inner))
		return NULL;
	return write_dfa(e, &d, inner, comment);
}
