// SPDX-License-Identifier: GPL-2.0-or-later
// Makes frames of the call stacks that are keys of arrays, for the writers of flame graphs.
#include "stack.h"

#include <stdio.h>
#include <string.h>

static bool is_stack(const struct cell *c)
{
	const char *line = c->type == CELL_TEXT ? memchr(c->text.at, '\n', c->text.len) : NULL;

	return line && line > c->text.at;
}

bool stack_is_key(const struct event *e)
{
	bool any = false;

	if (e->kind != EVENT_VALUE || e->value->type == CELL_TEXT)
		return false;
	for (unsigned i = 0; i < e->ncells; i++)
		any |= is_stack(&e->cells[i]);
	return any;
}

// Removes what backtraces have before and behind a name: "0xffff8000 : ", "+0x1b/0x40", " [module]".
static struct text frame_name(struct text line)
{
	static const char colon[] = " : ";
	const char *at = line.at, *end = line.at + line.len, *found;

	while (at < end && (*at == ' ' || *at == '\t'))
		at++;
	found = memmem(at, end - at, colon, strlen(colon));
	if (found && end - at > 2 && at[0] == '0' && at[1] == 'x')
		at = found + strlen(colon);
	found = memmem(at, end - at, "+0x", 3);
	if (found && found > at)
		end = found;
	return (struct text){ at, end - at };
}

// The last line is the outermost frame.
static void lines(struct text stack, frame_handler *handler, void *to)
{
	const char *end = stack.at + stack.len, *from;

	while (end > stack.at) {
		struct text name;

		if (end[-1] == '\n') {
			end--;
			continue;
		}
		for (from = end; from > stack.at && from[-1] != '\n'; )
			from--;
		name = frame_name((struct text){ from, end - from });
		if (name.len)
			handler(to, name);
		end = from;
	}
}

void stack_frames(const struct event *e, frame_handler *handler, void *to)
{
	for (unsigned i = 0; i < e->ncells; i++) {
		const struct cell *c = &e->cells[i];
		char digits[24];

		if (is_stack(c)) {
			lines(c->text, handler, to);
		} else if (c->type == CELL_TEXT) {
			handler(to, c->text);
		} else {
			int n = snprintf(digits, sizeof(digits), "%lld", (long long)c->number);

			handler(to, (struct text){ digits, n });
		}
	}
}

int64_t stack_value(const struct event *e)
{
	return e->value->type == CELL_NUMBER ? e->value->number : e->value->statistic->sum;
}
