// SPDX-License-Identifier: GPL-2.0-or-later
// Makes frames of the call stacks that are keys of arrays, for the writers of flame graphs.
#include "frame_line.h"

#include <stdio.h>
#include <string.h>

// In a complete call stack, each line ends with a newline. One that is cut is recognised by an address or offset in its
// first line, since other strings, such as the arguments of a command, may contain newlines, too.
bool stack_is_cell(const struct cell *c)
{
	const char *end = c->type == CELL_TEXT ? memchr(c->text.at, '\n', c->text.len) : NULL;
	struct frame f;

	if (c->frames.len)
		return true;
	if (!end || end == c->text.at)
		return false;
	f = frame_line_read((struct text){ c->text.at, end - c->text.at });
	return c->text.at[c->text.len - 1] == '\n' || f.address || f.offset || f.size;
}

struct text stack_lines(const struct cell *c)
{
	return c->frames.len ? c->frames : c->text;
}

bool stack_is_key(const struct event *e)
{
	bool any = false;

	if (e->kind != EVENT_VALUE || e->value->type == CELL_TEXT)
		return false;
	for (unsigned i = 0; i < e->ncells; i++)
		any |= stack_is_cell(&e->cells[i]);
	return any;
}

// The last line is the outermost frame. Addresses except the innermost one are return addresses.
static void lines(const struct session *s, struct text stack, struct text host, frame_handler *handler, void *to)
{
	const char *end = stack.at + stack.len, *newline, *from;

	while (end > stack.at) {
		const struct frame *frames;
		unsigned n;

		if (end[-1] == '\n') {
			end--;
			continue;
		}
		newline = memrchr(stack.at, '\n', end - stack.at);
		from = newline ? newline + 1 : stack.at;
		frames = frame_line_frames(s, (struct text){ from, end - from }, host, from > stack.at, &n);
		for (unsigned i = 0; i < n; i++)
			handler(to, &frames[i]);
		end = from;
	}
}

// Each line is a frame with an address or an offset.
bool stack_is_text(struct text t)
{
	const char *end = t.at + t.len, *from = t.at, *to;
	bool any = false;

	if (!t.len || !memchr(from, 'x', t.len))             // no "0x" in the text: most printed text
		return false;
	for (; from < end; from = to + 1) {
		struct frame f;

		to = memchr(from, '\n', end - from);
		if (!to)
			return false;
		f = frame_line_read((struct text){ from, to - from });
		if (!f.name.len || !(f.address || f.size))
			return false;
		any = true;
	}
	return any;
}

void stack_text_frames(const struct session *s, struct text t, struct text host, frame_handler *handler, void *to)
{
	lines(s, t, host, handler, to);
}

static bool is_kernel_stack(const struct cell *c)
{
	static const char module[] = " [kernel]";

	struct text lines = stack_lines(c);

	return stack_is_cell(c) && memmem(lines.at, lines.len, module, strlen(module));
}

// The kernel was called by the program: of several stacks, those of the kernel are the inner ones, whatever the order
// of the keys is. Returns the n-th stack in this order, from 0.
static const struct cell *nth_stack(const struct event *e, unsigned n)
{
	unsigned stacks = 0;

	for (unsigned i = 0; i < e->ncells; i++)
		stacks += stack_is_cell(&e->cells[i]);
	for (int kernel = 0; kernel < 2; kernel++)
		for (const struct cell *c = e->cells; c < e->cells + e->ncells; c++)
			if (stack_is_cell(c) && (stacks == 1 || is_kernel_stack(c) == kernel) && !n--)
				return c;
	return NULL;
}

void stack_frames(const struct session *s, const struct event *e, frame_handler *handler, void *to)
{
	unsigned stacks = 0;

	for (unsigned i = 0; i < e->ncells; i++) {
		struct frame f = { .name = e->cells[i].text, .module = { "", 0 }, .source = { "", 0 }, .key = i + 1 };
		char digits[24];

		if (stack_is_cell(&e->cells[i])) {
			lines(s, stack_lines(nth_stack(e, stacks++)), (struct text){ "", 0 }, handler, to);
			continue;
		}
		if (e->cells[i].type == CELL_TEXT && !f.name.len)
			continue;
		if (e->cells[i].type != CELL_TEXT)
			f.name = (struct text){ digits, snprintf(digits, sizeof(digits), "%lld",
								  (long long)e->cells[i].number) };
		handler(to, &f);
	}
}

int64_t stack_value(const struct event *e)
{
	return e->value->type == CELL_NUMBER ? e->value->number : e->value->statistic->sum;
}

// Returns true if elements of this array can have stacks: it has a text as a key, and numbers or statistics as values.
static bool fits(const struct global *g)
{
	if (g->type == CELL_TEXT)
		return false;
	for (unsigned i = 0; i < g->keys; i++)
		if (g->key_types[i] == CELL_TEXT)
			return true;
	return false;
}

static void put_type(FILE *to, const struct global *g)
{
	static const char *const plural[] = { "", "numbers", "strings", "statistics" };
	static const char *const single[] = { "", "a number", "a string", "statistics" };

	if (!g->keys) {
		fputs(single[g->type], to);
		return;
	}
	fprintf(to, "an array of %s with the keys (", plural[g->type]);
	for (unsigned i = 0; i < g->keys; i++)
		fprintf(to, "%s%s", i ? ", " : "", g->key_types[i] == CELL_TEXT ? "string" : "number");
	putc(')', to);
}

bool stack_required(const struct session *s, const char *format)
{
	for (size_t i = 0; i < s->nglobals; i++)
		if (s->globals[i].name && fits(&s->globals[i]))
			return true;
	fprintf(stderr, "ERROR: the format \"%s\" requires an array of numbers or statistics whose keys are call stacks, "
		"such as count[backtrace()]; the script has %s\n", format, s->nglobals ? "only these globals:" : "no globals");
	for (size_t i = 0; i < s->nglobals; i++) {
		if (!s->globals[i].name || !strncmp(s->globals[i].name, "__", 2))
			continue;                  // a global of the tapset library
		fprintf(stderr, "  %s: ", s->globals[i].name);
		put_type(stderr, &s->globals[i]);
		putc('\n', stderr);
	}
	return false;
}
