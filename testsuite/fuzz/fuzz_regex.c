// SPDX-License-Identifier: GPL-2.0-or-later
// Regular expressions: any pattern is quickly translated to a table or rejected.
#include "emit/emitter.h"
#include "fuzz.h"

void fuzz_one(const char *text, size_t len)
{
	struct emitter e = { .s = fuzz_session() };
	struct expr *x = expr_new(E_REGEX, (struct loc){ 0 });

	x->u.regex.l = expr_string((struct loc){ 0 }, "");
	x->u.regex.pattern = text;
	x->u.regex.len = len;
	emit_regex(&e, x);
	x->u.regex.keep = true;
	emit_regex(&e, x);
}
