// SPDX-License-Identifier: GPL-2.0-or-later
// How much of the kernel's stack a hit of this module may need: the compiler's frames and calls (gcc's
// -fcallgraph-info=su) of the runtime, the embedded C and the generated C -> struct stp_stack_need in the module.
//
// A hit begins in a function that enters a context: it calls stp_ctx_refused(). What such a function calls through a
// pointer is a handler, a condition or what @entry() wants, hence any function of the generated C. Calls through
// pointers below a handler count as calls of the kernel. A call cycle counts as one call of each of its
// functions: the deeper ones are refused by stp_frame_enter_recursive(), by struct stp_stack_need.call.
//
// A file of calls has lines "n BYTES NAME" and "e CALLER CALLEE". One without lines comes from a compiler
// that doesn't give them (clang): then the need stays what the runtime has without it.
#include "build/kbuild.h"
#include "util/diag.h"

#include "stack.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HIT_SIGN "stp_ctx_refused"

struct node {
	const char *name;
	int bytes;                 // of its frame; -1: not compiled here
	bool generated;
	VEC(struct node *) calls;
	bool indirect;             // also through a pointer
	int index, low;            // Tarjan's; index 0: not seen yet
	bool open;
	struct node *component;    // the first node of its cycle, or itself
	int cycle;                 // bytes of all frames of the component
	bool recursive;
	int below;                 // of a component: bytes that one call needs, all that it calls included
	struct node *worst;        // of a component: what it calls that needs most; NULL a function of the kernel
};

struct graph {
	struct map nodes;
	VEC(struct node *) stack;
	int visited;
};

// ---------------------------------------------------------------- files of calls

// What follows `key` in the line, up to the closing quote, in place; NULL: it isn't there.
static char *quoted(char *line, const char *key)
{
	char *at = strstr(line, key), *end;

	if (!at)
		return NULL;
	at += strlen(key);
	end = strchr(at, '"');
	return end ? str_ndup(at, (size_t)(end - at)) : NULL;
}

// The label of a function that is compiled here ends in "\nBYTES bytes (static)"; "dynamic,bounded" is an upper bound.
static int frame_bytes(const char *label)
{
	const char *at = strstr(label, " bytes (");

	if (!at)
		return -1;
	while (at > label && at[-1] >= '0' && at[-1] <= '9')
		at--;
	return atoi(at);
}

static void convert_line(struct buf *b, char *line)
{
	char *from, *to, *label;

	if (str_starts(line, "node: ")) {
		from = quoted(line, "title: \""), label = quoted(line, "label: \"");
		if (from && label && frame_bytes(label) >= 0)
			buf_printf(b, "n %d %s\n", frame_bytes(label), from);
	} else if (str_starts(line, "edge: ")) {
		from = quoted(line, "sourcename: \""), to = quoted(line, "targetname: \"");
		if (from && to)
			buf_printf(b, "e %s %s\n", from, to);
	}
}

static void convert(struct buf *b, const char *object)
{
	char *text = str_read_file(str_printf("%.*s.ci", (int)strlen(object) - 2, object), NULL), *save = NULL;

	if (!text)
		return;
	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		convert_line(b, line);
}

char *stack_calls(const arguments *objects, const char *path)
{
	struct buf b = { 0 };

	for vec_each(objects, object)
		convert(&b, *object);
	kbuild_write(path, buf_text(&b));
	return str_dup(path);
}

// ---------------------------------------------------------------- the graph

static struct node *node_of(struct graph *g, const char *name)
{
	struct node *n = map_get(&g->nodes, name);

	if (!n) {
		n = NEW(struct node);
		n->name = name;
		n->bytes = -1;
		map_put(&g->nodes, name, n);
	}
	return n;
}

static void add_line(struct graph *g, char *line, bool generated)
{
	char *blank = line[0] ? strchr(line + 2, ' ') : NULL;
	struct node *n;

	if (!blank)
		return;
	*blank = '\0';
	if (*line == 'n') {
		n = node_of(g, blank + 1);
		if (atoi(line + 2) > n->bytes)
			n->bytes = atoi(line + 2);
		n->generated = generated;
		return;
	}
	n = node_of(g, line + 2);
	if (strcmp(blank + 1, "__indirect_call") == 0)
		n->indirect = true;
	else
		vec_push(&n->calls, node_of(g, blank + 1));
}

static bool add_file(struct graph *g, const char *path, bool generated)
{
	char *text = str_read_file(path, NULL), *save = NULL;

	if (!text || !*text)
		return false;
	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		add_line(g, line, generated);
	return true;
}

static int kernel_bytes(const char *name)
{
	static const struct { const char *name; int bytes; } table[] = {
#define STACK(name, bytes) { #name, bytes },
#include "stack.def"
#undef STACK
	};

	if (*name == '*')          // a name that the C gives to the assembler
		name++;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++)
		if (strcmp(table[i].name, name) == 0)
			return table[i].bytes;
	return STACK_OTHER;
}

// A component's nodes are on the top of the stack, from `n` on; those that they call are all done.
static void close_component(struct graph *g, struct node *n)
{
	int at = g->stack.n, most = 0;

	while (g->stack.at[--at] != n)
		;
	n->recursive |= g->stack.n - at > 1;
	for (int i = at; i < g->stack.n; i++) {
		struct node *member = g->stack.at[i];

		member->open = false;
		member->component = n;
		n->cycle += member->bytes;
		if (member->indirect && STACK_OTHER > most)
			most = STACK_OTHER, n->worst = NULL;
		for vec_each(&member->calls, to) {
			struct node *called = (*to)->component;
			int bytes = (*to)->bytes < 0 ? kernel_bytes((*to)->name) : called && called != n ? called->below : 0;

			if (bytes > most)
				most = bytes, n->worst = called;
		}
	}
	n->below = n->cycle + most;
	g->stack.n = at;
}

// Tarjan's algorithm.
static void visit(struct graph *g, struct node *n)
{
	n->index = n->low = ++g->visited;
	n->open = true;
	vec_push(&g->stack, n);
	for vec_each(&n->calls, to) {
		struct node *called = *to;

		n->recursive |= called == n;
		if (called->bytes < 0)
			continue;
		if (!called->index)
			visit(g, called);
		if (called->open && called->low < n->low)
			n->low = called->low;
	}
	if (n->low == n->index)
		close_component(g, n);
}

static struct node *component_of(struct graph *g, struct node *n)
{
	if (!n->index)
		visit(g, n);
	return n->component;
}

// Bytes from the frame of `n`, a function before the handler, down to the handler, for which `handler` are needed.
// The functions of a call cycle are no way to a handler, so that they count as what they need themselves.
static int above(struct graph *g, struct node *n, int handler)
{
	int most = n->indirect ? handler : 0;

	if (component_of(g, n)->recursive)
		return n->component->below;
	for vec_each(&n->calls, to) {
		int bytes = (*to)->bytes < 0 ? kernel_bytes((*to)->name) : above(g, *to, handler);

		if (bytes > most)
			most = bytes;
	}
	return n->bytes + most;
}

static bool begins_hit(const struct node *n)
{
	for vec_each(&n->calls, to)
		if (strcmp((*to)->name, HIT_SIGN) == 0)
			return true;
	return false;
}

// ---------------------------------------------------------------- the verdict

// The comment before a function of the generated C says what it is: "probe ... at ...", "function ... at ...".
static const char *name_in_script(const struct session *s, const char *symbol)
{
	const char *name = strrchr(symbol, ':') ? strrchr(symbol, ':') + 1 : symbol;
	const char *head = str_printf(" %.*s(struct stp_ctx *c", (int)strcspn(name, "."), name);
	const char *at = s->c_text, *end;

	while ((at = strstr(at + 1, head)) && at[strcspn(at, "\n") - 1] == ';')
		;                  // a prototype
	for (; at && at > s->c_text; at--)
		if (str_starts(at, "\n/* ") && (end = strstr(at, " */\n")))
			return str_ndup(at + 4, (size_t)(end - at - 4));
	return name;
}

// The largest frame of those that are active at a time when most stack is used.
static const struct node *largest(const struct node *worst)
{
	const struct node *found = worst;

	for (; worst; worst = worst->worst)
		if (worst->generated && worst->cycle > found->cycle)
			found = worst;
	return found;
}

static int check(struct session *s, const struct node *worst, int hit)
{
	const struct node *n = largest(worst);

	if (hit <= STP_STACK_MOST)
		return 0;
	diag_error((struct loc){ 0 }, "\"%s\" may need %d bytes of the kernel's stack, more than the limit of %d: \"%s\" "
		   "alone takes %d; use fewer number variables there, or an array", name_in_script(s, worst->name), hit,
		   STP_STACK_MOST, name_in_script(s, n->name), n->cycle);
	return 1;
}

int stack_need(struct session *s, const arguments *calls, const char *generated, struct stp_stack_need *need)
{
	struct graph g = { 0 };
	struct node *worst = NULL;
	int handler = 0, cycle = 0, call = 0, hit = 0;

	memset(need, 0, sizeof(*need));
	for vec_each(calls, path)
		if (!add_file(&g, *path, false))
			return 0;
	if (!add_file(&g, generated, true))
		return 0;
	for map_each(&g.nodes, e) {
		struct node *n = e->value, *c = n->generated && n->bytes >= 0 ? component_of(&g, n) : NULL;

		if (!c)
			continue;
		if (c->below > handler)
			handler = c->below, worst = c;
		if (c->recursive && c->below > call)
			call = c->below, cycle = c->cycle;
	}
	for map_each(&g.nodes, e) {
		struct node *n = e->value;
		int bytes = n->bytes >= 0 && begins_hit(n) ? above(&g, n, handler) : 0;

		if (bytes > hit)
			hit = bytes;
	}
	if (hit < handler)         // begin and end alone
		hit = handler;
	// With room for one more call, a recursive function doesn't fail in a hit that has just enough for the first.
	need->hit = (unsigned int)(hit + STACK_NESTED);
	if (need->hit < STP_STACK_MOST)
		need->hit = need->hit + cycle < STP_STACK_MOST ? need->hit + (unsigned int)cycle : STP_STACK_MOST;
	need->call = call ? (unsigned int)(call + STACK_NESTED) : 0;
	if (diag_options.verbose > 1)
		fprintf(stderr, "a hit needs %u bytes of stack, %d of these for \"%s\"\n", need->hit, handler,
			worst ? name_in_script(s, worst->name) : "");
	return worst ? check(s, worst, (int)need->hit) : 0;
}
