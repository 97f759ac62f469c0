// SPDX-License-Identifier: GPL-2.0-or-later
// Folded stacks, "outermost;...;innermost COUNT", of the arrays that have call stacks as keys: the input of flame
// graphs. Losses are a stack, too, "[lost];REASON COUNT", so that a flame graph shows that it is incomplete.
#include "json_text.h"
#include "stack.h"
#include "writers.h"

#include <errno.h>
#include <stdlib.h>

struct line { FILE *to; const char *separator; };

// Replaces ";", which separates frames, and control characters, which terminals would interpret.
static void put_frame(void *to, const struct frame *f)
{
	bool valid;
	struct text name = utf8_copy(f->name, &valid);
	struct line *line = to;

	fputs(line->separator, line->to);
	for (size_t i = 0; i < name.len; i++) {
		unsigned char c = name.at[i];

		putc(c == ';' ? ':' : c < ' ' || c == 127 ? ' ' : c, line->to);
	}
	free((char *)name.at);
	line->separator = ";";
}

static int event(struct output *out, const struct session *s, const struct event *e)
{
	struct line line = { out->file, "" };

	if (e->kind == EVENT_LOSS) {
		put_frame(&line, &(struct frame){ .name = { "[lost]", 6 } });
		put_frame(&line, &(struct frame){ .name = e->text });
		return fprintf(out->file, " %llu\n", (unsigned long long)e->count) < 0 ? -errno : 0;
	}
	if (!stack_is_key(e))
		return 0;
	stack_frames(s, e, put_frame, &line);
	return fprintf(out->file, " %lld\n", (long long)stack_value(e)) < 0 ? -errno : 0;
}

const struct writer folded_writer = {
	"folded", "folded stacks of arrays whose keys are call stacks, for flame graphs", event
};
