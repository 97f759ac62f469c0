// SPDX-License-Identifier: GPL-2.0-or-later
// Makes frames of the call stacks that are keys of arrays, for the writers of flame graphs.
#include "stack.h"
#include "symbols.h"

#include <stdio.h>
#include <string.h>

// Skips a hexadecimal number "0x..." and returns true if there is one.
static bool hexadecimal(const char **at, const char *end, uint64_t *n)
{
	const char *from = *at;
	uint64_t sum = 0;

	if (end - from < 3 || from[0] != '0' || from[1] != 'x')
		return false;
	for (from += 2; from < end; from++) {
		char c = *from | 32;

		if (c >= '0' && c <= '9')
			sum = sum << 4 | (c - '0');
		else if (c >= 'a' && c <= 'f')
			sum = sum << 4 | (c - 'a' + 10);
		else
			break;
	}
	if (from == *at + 2)
		return false;
	*at = from;
	*n = sum;
	return true;
}

static void trim(struct text *t)
{
	for (; t->len && (*t->at == ' ' || *t->at == '\t'); t->len--)
		t->at++;
	while (t->len && (t->at[t->len - 1] == ' ' || t->at[t->len - 1] == '\t'))
		t->len--;
}

static const char *skip_hexadecimal(const char *at, const char *end)
{
	uint64_t n;

	return at && hexadecimal(&at, end, &n) ? at : NULL;
}

// Returns the "[" of the module. It follows "+0x1b/0x40 ", or an address at the begin of the line, since a path may
// have brackets; else it is the last one.
static const char *begin_of_module(struct text line)
{
	const char *end = line.at + line.len, *at = skip_hexadecimal(line.at, end), *plus = line.at;

	if (at && end - at > 2 && !memcmp(at, " [", 2))
		return at + 1;
	while ((plus = memmem(plus, end - plus, "+0x", 3))) {
		at = skip_hexadecimal(++plus, end);
		at = at && *at == '/' ? skip_hexadecimal(at + 1, end) : NULL;
		if (at && end - at > 2 && !memcmp(at, " [", 2))
			return at + 1;
	}
	return memrchr(line.at, '[', line.len);
}

// Takes "[module]" off the end of the line.
static struct text take_module(struct text *line)
{
	const char *open = line->len && line->at[line->len - 1] == ']' ? begin_of_module(*line) : NULL;
	struct text module = { "", 0 };

	if (!open || open == line->at || open[-1] != ' ')
		return module;
	module = (struct text){ open + 1, line->at + line->len - 1 - (open + 1) };
	line->len = open - line->at;
	trim(line);
	return module;
}

// An address without a symbol has a file and an offset instead, "/usr/bin/sh+0xbcc0/0x17000" in brackets: it is named
// "sh+0xbcc0", which is the same wherever the file is mapped.
static void name_by_file(struct frame *f)
{
	const char *end = f->module.at + f->module.len;
	const char *plus = NULL, *from, *at = f->module.at;

	while ((at = memmem(at, end - at, "+0x", 3)))       // the last one: directories may have such names
		plus = at++;
	if (!plus)
		return;
	from = plus;
	at = plus + 1;
	if (!hexadecimal(&at, end, &f->offset))
		return;
	while (from > f->module.at && from[-1] != '/')
		from--;
	f->name = (struct text){ from, at - from };
	if (at < end && *at == '/' && end - ++at > 2)
		hexadecimal(&at, end, &f->size);
	f->module.len = plus - f->module.at;
	f->in_file = true;
}

// Reads a line of a backtrace, "0xffff8000 : name+0x1b/0x40 [module]"; each part but the name may be missing.
static struct frame read_line(struct text line)
{
	static const char colon[] = " : ";
	struct frame f = { .module = { "", 0 }, .source = { "", 0 } };
	const char *at, *end, *found;

	trim(&line);
	f.module = take_module(&line);
	at = line.at;
	end = line.at + line.len;
	if (hexadecimal(&at, end, &f.address) && end - at > 3 && !memcmp(at, colon, 3)) {
		line = (struct text){ at + 3, end - at - 3 };
		trim(&line);
	}
	found = memmem(line.at, line.len, "+0x", 3);
	if (found && found > line.at) {
		at = found + 1;
		if (hexadecimal(&at, end, &f.offset) && at < end && *at == '/' && end - ++at > 2)
			hexadecimal(&at, end, &f.size);
		line.len = found - line.at;
	}
	f.name = line;
	at = line.at;
	if (!found && hexadecimal(&at, end, &f.address) && at == line.at + line.len)
		name_by_file(&f);
	return f;
}

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
	f = read_line((struct text){ c->text.at, end - c->text.at });
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

// Calls the handler for each function of a frame: the one that contains the address, then those inlined there. Without
// symbols, calls it once, with the name that was printed.
static void pass(const struct session *s, struct frame *f, bool returns, frame_handler *handler, void *to)
{
	struct code_location p = { f->module, f->name, f->offset, f->size, returns };
	const struct symbol *symbols;
	unsigned n;

	if (f->in_file)
		p.function.len = 0;
	symbols = symbols_at(s->kernel, &p, &n);
	if (!n)
		handler(to, f);
	for (unsigned i = 0; i < n; i++) {
		f->name = symbols[i].function.len ? symbols[i].function : f->name;
		f->source = symbols[i].file;
		f->line = symbols[i].line;
		f->inlined = i;
		handler(to, f);
	}
}

// The last line is the outermost frame. Addresses except the innermost one are return addresses.
static void lines(const struct session *s, struct text stack, frame_handler *handler, void *to)
{
	const char *end = stack.at + stack.len, *from;

	while (end > stack.at) {
		struct frame f;

		if (end[-1] == '\n') {
			end--;
			continue;
		}
		for (from = end; from > stack.at && from[-1] != '\n'; )
			from--;
		f = read_line((struct text){ from, end - from });
		if (f.name.len)
			pass(s, &f, from > stack.at, handler, to);
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
		f = read_line((struct text){ from, to - from });
		if (!f.name.len || !(f.address || f.size))
			return false;
		any = true;
	}
	return any;
}

void stack_text_frames(const struct session *s, struct text t, frame_handler *handler, void *to)
{
	lines(s, t, handler, to);
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
	for (int kernel = 0; kernel < 2; kernel++)
		for (const struct cell *c = e->cells; c < e->cells + e->ncells; c++)
			if (stack_is_cell(c) && is_kernel_stack(c) == kernel && !n--)
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
			lines(s, stack_lines(nth_stack(e, stacks++)), handler, to);
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
