// SPDX-License-Identifier: GPL-2.0-or-later
// Folded stacks, "outermost;...;innermost COUNT", of the arrays that have call stacks as keys: the input of flame
// graphs. A stack is a key of several lines, as sprint_backtrace() makes it; other keys are frames above it.
#include "writers.h"

#include <errno.h>
#include <string.h>

static bool is_stack(struct text t)
{
	const char *line = memchr(t.at, '\n', t.len);

	return line && (size_t)(line - t.at) > 0;
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

// ";" separates frames, so that it is not part of one.
static void put_frame(FILE *to, struct text name, const char *separator)
{
	fputs(separator, to);
	for (size_t i = 0; i < name.len; i++)
		putc(name.at[i] == ';' ? ':' : name.at[i] == '\n' ? ' ' : name.at[i], to);
}

// The frames of a stack are printed from the outermost one to the innermost.
static void put_stack(FILE *to, struct text stack, const char *separator)
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
		if (name.len) {
			put_frame(to, name, separator);
			separator = ";";
		}
		end = from;
	}
}

static int event(struct output *out, const struct session *s, const struct event *e)
{
	const char *separator = "";
	bool any = false;
	int64_t n;

	if (e->kind != EVENT_VALUE)
		return 0;
	for (unsigned i = 0; i < e->ncells; i++)
		any |= e->cells[i].type == CELL_TEXT && is_stack(e->cells[i].text);
	if (!any || e->value->type == CELL_TEXT)
		return 0;
	for (unsigned i = 0; i < e->ncells; i++) {
		const struct cell *c = &e->cells[i];

		if (c->type == CELL_TEXT && is_stack(c->text))
			put_stack(out->file, c->text, separator);
		else if (c->type == CELL_TEXT)
			put_frame(out->file, c->text, separator);
		else
			fprintf(out->file, "%s%lld", separator, (long long)c->number);
		separator = ";";
	}
	n = e->value->type == CELL_NUMBER ? e->value->number : e->value->statistic->sum;
	return fprintf(out->file, " %lld\n", (long long)n) < 0 ? -errno : 0;
}

const struct writer folded_writer = {
	"folded", "folded stacks of arrays whose keys are call stacks, for flame graphs", event
};
