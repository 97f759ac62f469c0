// SPDX-License-Identifier: GPL-2.0-or-later
// Converts gcc's data of frames and calls (-fcallgraph-info=su) to files of calls, which module/stack.c reads.
#include "toolchain/tools.h"
#include "util/diag.h"

#include <string.h>

// Returns the text after `key` in the line, up to the closing quote, in place; NULL if `key` is absent.
static char *quoted(char *line, const char *key)
{
	char *at = strstr(line, key), *end;

	if (!at)
		return NULL;
	at += strlen(key);
	end = strchr(at, '"');
	return end ? str_ndup(at, (size_t)(end - at)) : NULL;
}

int calls_bytes(const char *text)
{
	int64_t n;

	return number_at(&text, 10, 0, INT32_MAX, &n) ? (int)n : 0;
}

// The label of a function that is compiled here ends in "\nBYTES bytes (static)"; "dynamic,bounded" is an upper bound.
static int frame_bytes(const char *label)
{
	const char *at = strstr(label, " bytes (");

	if (!at)
		return -1;
	while (at > label && at[-1] >= '0' && at[-1] <= '9')
		at--;
	return calls_bytes(at);
}

static void convert_line(struct buf *b, char *line)
{
	char *from, *to, *label;

	if (str_starts(line, "node: ")) {
		from = quoted(line, "title: \""), label = quoted(line, "label: \"");
		if (from && label && frame_bytes(label) >= 0)
			buf_printf(b, "%c %d %s\n", strstr(label, "(dynamic)") ? 'd' : 'n', frame_bytes(label), from);
	} else if (str_starts(line, "edge: ")) {
		from = quoted(line, "sourcename: \""), to = quoted(line, "targetname: \"");
		if (from && to)
			buf_printf(b, "e %s %s\n", from, to);
	}
}

// Converts "t.c:3:f" TAB "96" TAB "static".
static void convert_frame(struct buf *b, char *line)
{
	char *bytes = strchr(line, '\t'), *name;

	if (!bytes)
		return;
	*bytes = '\0';
	name = strrchr(line, ':');
	buf_printf(b, "%c %d %s\n", strcmp(bytes + 1 + strcspn(bytes + 1, "\t"), "\tdynamic") ? 'n' : 'd',
		   calls_bytes(bytes + 1), name ? name + 1 : line);
}

static void convert(struct buf *b, const char *object)
{
	char *text = str_read_file(str_printf("%.*s.ci", (int)strlen(object) - 2, object), NULL), *save = NULL;
	void (*line_of)(struct buf *b, char *line) = text ? convert_line : convert_frame;

	if (!text)
		text = str_read_file(str_printf("%.*s.su", (int)strlen(object) - 2, object), NULL);
	if (!text)
		return;
	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		line_of(b, line);
}

char *calls_write(const arguments *objects, const char *path)
{
	struct buf b = { 0 };

	for vec_each(objects, object)
		convert(&b, *object);
	kbuild_write(path, buf_text(&b));
	return str_dup(path);
}
