// SPDX-License-Identifier: GPL-2.0-or-later
// The lexer of pass 1: any text, with macros and conditionals, is split into tokens in finite time.
#include "fuzz.h"
#include "parse/lex.h"

#include <stdlib.h>

void fuzz_one(const char *text, size_t len)
{
	struct preproc p = { 0 };
	struct token t;
	long tokens = 0;

	preproc_start(&p, fuzz_session(), source_new("input", text, len), NULL);
	do {
		t = preproc_next(&p);
		if (!t.text || ++tokens > 50000000)
			abort();
	} while (t.kind != TOK_EOF);
}
