// SPDX-License-Identifier: GPL-2.0-or-later
// Computes how much of the kernel's stack a hit of this module may need: the compiler's frames and calls (gcc's
// -fcallgraph-info=su) of the runtime, the embedded C and the generated C -> struct stp_stack_need in the module.
//
// A hit begins in a function that enters a context, hence calls stp_ctx_refused(), or that checks the stack itself.
// Calls through a pointer there lead to a handler, a condition or values of @entry(), hence to any function of the
// generated C, except handlers of begin, end and error and what only they call: they run in process context, with the
// whole stack of a task. Calls through pointers below a handler count as calls of the kernel. A function of embedded C
// that no other calls by name, such as the comparison of a sort, is called through a pointer, by the embedded C or by
// the kernel: the largest is added to each hit. A call cycle counts as one call of each of its functions: the deeper
// ones are refused by stp_frame_enter_recursive(), by struct stp_stack_need.call.
//
// A file of calls has lines "n BYTES NAME", "d BYTES NAME" of a frame that grows at run time, and "e CALLER CALLEE".
// Some compilers (clang) report frames, but no calls: then session.c_functions has the calls among functions of the
// generated C, and all else takes a fixed share. Without frames the need stays what the runtime has without it.
#include "module/module.h"
#include "resolve/family.h"
#include "util/diag.h"

#include "stack.h"

#include <stdio.h>
#include <string.h>


struct node {
	const char *name;
	int bytes;                 // size of its frame; -1: not compiled here
	int listed;                // not compiled here: bytes of stack.def; 0: not looked up yet
	int above;                 // bytes_above_handler(), once it is known
	bool above_known;
	bool generated;
	bool grows;                // the frame contains alloca() or an array whose size is determined at run time
	bool embedded;             // compiled from embedded C
	bool called;               // another function of the generated C calls it
	bool named;                // another function calls it by name
	bool in_hit;               // runs in hits: it is generated C, or called by generated C
	VEC(struct node *) calls;
	bool indirect;             // may also be called through a pointer
	int index, low;            // state of Tarjan's algorithm; index 0: not visited yet
	bool open;
	struct node *component;    // the first node of its cycle, or itself
	int cycle;                 // bytes of all frames of the component
	bool recursive;
	int below;                 // component: bytes that one call needs, including all callees
	struct node *worst;        // component: the callee that needs most; NULL: a function of the kernel
};

struct graph {
	struct map nodes;
	VEC(struct node *) stack;
	int visited;
	bool calls;                // the data contains calls
	int scale;                 // factor for functions of the kernel
};

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

enum origin { RUNTIME, EMBEDDED, GENERATED };

static void add_line(struct graph *g, char *line, enum origin origin)
{
	char *blank = line[0] ? strchr(line + 2, ' ') : NULL;
	struct node *n;

	if (!blank)
		return;
	*blank = '\0';
	if (*line != 'e') {
		n = node_of(g, blank + 1);
		n->grows |= *line == 'd';
		if (calls_bytes(line + 2) > n->bytes)
			n->bytes = calls_bytes(line + 2);
		n->generated = origin == GENERATED;
		n->embedded = origin == EMBEDDED;
		return;
	}
	g->calls = true;
	n = node_of(g, line + 2);
	if (strcmp(blank + 1, "__indirect_call") == 0)
		n->indirect = true;
	else
		vec_push(&n->calls, node_of(g, blank + 1));
}

static bool add_file(struct graph *g, const char *path, enum origin origin)
{
	char *text = str_read_file(path, NULL), *save = NULL;

	if (!text || !*text)
		return false;
	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		add_line(g, line, origin);
	return true;
}

// Adds the functions of the generated C and the calls among them. A function without a frame was inlined.
static void add_generated(struct graph *g, const struct map *functions)
{
	for map_each(functions, e) {
		struct node *n = node_of(g, e->key);

		n->generated = true;
		if (n->bytes < 0)
			n->bytes = 0;
	}
	for map_each(functions, e)
		for vec_each(&((const struct c_function *)e->value)->calls, to)
			vec_push(&node_of(g, e->key)->calls, node_of(g, *to));
}

static int listed_bytes(const char *name)
{
	static const struct { const char *name; int bytes; } table[] = {
#define STACK(name, bytes) { #name, bytes },
#include "stack.def"
#undef STACK
	};

	if (*name == '*')          // an assembler name given in the C
		name++;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++)
		if (strcmp(table[i].name, name) == 0)
			return table[i].bytes;
	return STACK_OTHER;
}

// Returns the bytes that a function of the kernel needs. Kernels with larger stacks also have functions with larger
// frames.
static int kernel_bytes(const struct graph *g, struct node *n)
{
	if (!n->listed)
		n->listed = listed_bytes(n->name);
	return n->listed * g->scale;
}

// A component's nodes are on the top of the stack, from `n` on; all their callees are finished.
static void close_component(struct graph *g, struct node *n)
{
	int at = g->stack.n, max = 0;

	while (g->stack.at[--at] != n)
		;
	n->recursive |= g->stack.n - at > 1;
	for (int i = at; i < g->stack.n; i++) {
		struct node *member = g->stack.at[i];

		member->open = false;
		member->component = n;
		n->cycle += member->bytes;
		if (member->indirect && STACK_OTHER * g->scale > max)
			max = STACK_OTHER * g->scale, n->worst = NULL;
		for vec_each(&member->calls, to) {
			struct node *called = (*to)->component;
			int bytes = (*to)->bytes < 0 ? kernel_bytes(g, *to) : called && called != n ? called->below : 0;

			if (bytes > max)
				max = bytes, n->worst = called;
		}
	}
	n->below = n->cycle + max;
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

// Returns the bytes from the frame of `n`, a function that calls the handler, down to the handler, which needs
// `handler`. Functions of a call cycle do not lead to a handler and count with their own need.
static int bytes_above_handler(struct graph *g, struct node *n, int handler)
{
	int max = n->indirect ? handler : 0;

	if (component_of(g, n)->recursive)
		return n->component->below;
	if (n->above_known)
		return n->above;
	for vec_each(&n->calls, to) {
		int bytes = (*to)->bytes < 0 ? kernel_bytes(g, *to) : bytes_above_handler(g, *to, handler);

		if (bytes > max)
			max = bytes;
	}
	n->above_known = true;
	return n->above = n->bytes + max;
}

static bool begins_hit(const struct node *n)
{
	for vec_each(&n->calls, to)
		if (strcmp((*to)->name, "stp_ctx_refused") == 0 || strcmp((*to)->name, "stp_hit_refused") == 0 ||
		    strcmp((*to)->name, "stp_stack_short") == 0)
			return true;
	return false;
}

// ---------------------------------------------------------------- functions that run in hits

// Returns the function of the generated C that the compiler made "t.c:p12.part.0" of, here p12; NULL for another one.
static const struct c_function *function_of(const struct session *s, const char *symbol)
{
	const char *name = strrchr(symbol, ':') ? strrchr(symbol, ':') + 1 : symbol;

	return map_get(&s->c_functions, str_ndup(name, strcspn(name, ".")));
}

static bool is_handler(const struct session *s, const struct node *n)
{
	const struct c_function *c = function_of(s, n->name);

	return c && c->handler;
}

static bool runs_alone(const struct session *s, const struct node *n)
{
	if (!is_handler(s, n))
		return false;
	for vec_each(&s->script.probes, p) {
		const struct probe *body = (*p)->same_body ? (*p)->same_body : *p;

		if (body == function_of(s, n->name)->handler && !(*p)->family->exclusive)
			return false;
	}
	return true;
}

static void mark_in_hit(struct node *n)
{
	if (n->in_hit)
		return;
	n->in_hit = true;
	for vec_each(&n->calls, to)
		mark_in_hit(*to);
}

// A function of the script is called by name, unless the compiler dropped calls that are never executed.
static bool is_callback(const struct session *s, const struct node *n)
{
	return n->embedded && !n->named && !function_of(s, n->name);
}

// Handlers, conditions and entries are called through pointers; only parts that the compiler splits off from them
// are called by name.
static void mark_hits(const struct session *s, struct graph *g)
{
	for map_each(&g->nodes, e) {
		struct node *n = e->value;

		for vec_each(&n->calls, to) {
			(*to)->called |= n->generated && *to != n;
			(*to)->named |= *to != n;
		}
	}
	for map_each(&g->nodes, e) {
		struct node *n = e->value;

		if (is_callback(s, n) || (n->generated && !runs_alone(s, n) && (!n->called || is_handler(s, n))))
			mark_in_hit(n);
	}
}

// ---------------------------------------------------------------- the result

// Returns the part of the script that a function of the generated C is made of, or the name of another function.
static const char *name_in_script(const struct session *s, const char *symbol)
{
	const struct c_function *c = function_of(s, symbol);

	return c ? c->part : strrchr(symbol, ':') ? strrchr(symbol, ':') + 1 : symbol;
}

// Returns the largest frame of those on the deepest path.
static const struct node *largest(const struct session *s, const struct node *worst)
{
	const struct node *found = worst;

	for (; worst; worst = worst->worst)
		if ((worst->generated || function_of(s, worst->name)) && worst->cycle > found->cycle)
			found = worst;
	return found;
}

static int check(struct session *s, const struct node *worst, const struct node *callback, int bytes, int limit)
{
	const struct node *n;

	if (!worst || bytes <= limit)
		return 0;
	n = largest(s, worst);
	if (callback && callback->cycle > n->cycle)
		n = callback;
	diag_error((struct loc){ 0 }, "\"%s\" may need %d bytes of the kernel's stack, more than the limit of %d: \"%s\" "
		   "alone takes %d; use fewer or smaller variables there, or an array", name_in_script(s, worst->name), bytes,
		   limit, name_in_script(s, n->name), n->cycle);
	return 1;
}

static void warn_of_growth(struct session *s, struct graph *g)
{
	for map_each(&g->nodes, e) {
		const struct node *n = e->value;

		if (n->in_hit && n->grows)
			diag_warning((struct loc){ 0 }, "\"%s\" uses an amount of the kernel's stack that is "
				     "determined only at run time and is not checked; use an array of fixed size "
				     "there", name_in_script(s, n->name));
	}
}

static bool read_graph(struct session *s, struct graph *g, const struct stack_calls *calls)
{
	for vec_each(calls->runtime, path)
		if (!add_file(g, *path, RUNTIME))
			return false;
	for vec_each(calls->embedded, path)
		if (!add_file(g, *path, EMBEDDED))
			return false;
	if (!add_file(g, calls->generated, GENERATED))
		return false;
	if (!g->calls)
		add_generated(g, &s->c_functions);
	return true;
}

// Largest needs among the functions of the generated C.
struct largest {
	struct node *in_hit;       // the largest of those that run in hits
	struct node *outside;      // the largest of the others, such as begin probes
	int handler;               // bytes of in_hit
	int call;                  // bytes that a call of a recursive function needs
	int cycle;                 // bytes of all frames of a call cycle that runs in hits
	struct node *callback;     // the largest function of embedded C that is called through a pointer
};

static struct largest find_largest(const struct session *s, struct graph *g)
{
	struct largest l = { 0 };

	for map_each(&g->nodes, e) {
		struct node *n = e->value, *c;

		if (n->bytes < 0 || !(n->generated || is_callback(s, n)))
			continue;
		c = component_of(g, n);
		if (is_callback(s, n)) {
			l.callback = !l.callback || c->below > l.callback->below ? c : l.callback;
			continue;
		}
		if (!n->in_hit && (!l.outside || c->below > l.outside->below))
			l.outside = c;
		if (n->in_hit && c->below > l.handler)
			l.handler = c->below, l.in_hit = c;
		if (c->recursive && c->below > l.call)
			l.call = c->below;
		if (n->in_hit && c->recursive && c->cycle > l.cycle)
			l.cycle = c->cycle;
	}
	return l;
}

// Returns the bytes of the deepest hit, from the function that begins it to the end of its handler.
static int deepest_hit(struct graph *g, int handler)
{
	int hit = 0;

	for map_each(&g->nodes, e) {
		struct node *n = e->value;
		int bytes = n->bytes >= 0 && begins_hit(n) ? bytes_above_handler(g, n, handler) : 0;

		if (bytes > hit)
			hit = bytes;
	}
	return hit;
}

int stack_need(struct session *s, const struct stack_calls *calls, struct stp_stack_need *need)
{
	struct graph g = { .scale = need->limit > STP_STACK_USUAL ? (int)(need->limit / STP_STACK_USUAL) : 1 };
	int nested = STACK_NESTED * g.scale;
	struct largest l;

	need->hit = need->call = 0;
	if (!read_graph(s, &g, calls))
		return 0;
	mark_hits(s, &g);
	warn_of_growth(s, &g);
	l = find_largest(s, &g);
	nested += l.callback ? l.callback->below : 0;
	if (!g.calls)
		nested = (int)need->limit / 4 * 3;      // the runtime and the kernel together
	need->hit = (unsigned int)((g.calls ? deepest_hit(&g, l.handler) : l.handler) + nested);
	// Includes one more call, so that a recursive function doesn't fail in a hit whose stack just suffices for the
	// first.
	if (need->hit < need->limit)
		need->hit = need->hit + l.cycle < need->limit ? need->hit + (unsigned int)l.cycle : need->limit;
	need->call = l.call ? (unsigned int)(l.call + nested) : 0;
	if (diag_options.verbose > 1)
		fprintf(stderr, "a hit needs %u bytes of stack, %d of these for \"%s\"\n", need->hit, l.handler,
			l.in_hit ? name_in_script(s, l.in_hit->name) : "");
	return check(s, l.in_hit, l.callback, (int)need->hit, (int)need->limit) ||
	       check(s, l.outside, l.callback, l.outside ? l.outside->below + nested : 0, (int)need->limit);
}
