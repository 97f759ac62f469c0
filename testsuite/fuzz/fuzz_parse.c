// SPDX-License-Identifier: GPL-2.0-or-later
// Pass 1: any text is parsed or rejected; a text that is accepted, printed and parsed again, prints the same.
#include "fuzz.h"
#include "parse/lex.h"
#include "session/passes.h"
#include "util/str.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Returns the tree as text, or NULL after errors.
static char *parse(const char *text, size_t len)
{
	struct session *s = fuzz_session();
	struct buf b = { 0 };

	session_source(s, "input", text, len);
	if (pass_parse(s))
		return NULL;
	print_parsed(s, &b);
	return buf_text(&b);
}

static void parse_macros(const char *text, size_t len)
{
	struct script out = { 0 };
	struct map macros = { 0 };

	parse_into(fuzz_session(), source_new("input", text, len), &out, &macros, NULL);
}

void fuzz_one(const char *text, size_t len)
{
	char *first, *second;

	parse_macros(text, len);
	first = parse(text, len);
	if (!first)
		return;
	second = parse(first, strlen(first));
	if (second && strcmp(first, second) == 0)
		return;
	fprintf(stderr, "printed:\n%s\nparsed and printed again:\n%s\n", first, second ? second : "(refused)");
	abort();
}
