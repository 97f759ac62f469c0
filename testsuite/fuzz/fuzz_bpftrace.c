// SPDX-License-Identifier: GPL-2.0-or-later
// Translation of bpftrace's language: any text is translated or rejected, and pass 1 accepts or rejects each
// translation without a crash.
#include "fuzz.h"
#include "foreign/foreign.h"
#include "parse/lex.h"
#include "session/passes.h"

#include <string.h>

void fuzz_one(const char *text, size_t len)
{
	struct session *s = fuzz_session();
	struct source *source = source_new("input", text, len);
	int errors = 0;
	char *translation;

	foreign_is_bpftrace(source);
	foreign_hint(source);
	translation = foreign_from_bpftrace(s, source, &errors);
	if (errors)
		return;
	fuzz_library(s);       // the library defines @cast_sizeof()
	session_source(s, "translation", translation, strlen(translation));
	pass_parse(s);
}
