// SPDX-License-Identifier: GPL-2.0-or-later
// Passes 1 to 3 with the library, on the user runtime: any text is translated to C or rejected.
#include "fuzz.h"
#include "session/passes.h"
#include "util/diag.h"

#include <stdlib.h>

void fuzz_one(const char *text, size_t len)
{
	struct session *s = fuzz_session();

	fuzz_library(s);
	session_source(s, "input", text, len);
	diag_kind("parse");
	if (pass_parse(s) + diag_errors())
		return;
	if (pass_elaborate(s) + diag_errors())
		return;
	if (!pass_emit(s) && !diag_errors() && !s->c_text)
		abort();
}
