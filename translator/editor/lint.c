// SPDX-License-Identifier: GPL-2.0-or-later
// --lint: parses scripts, runs the checks of lint_*.c and counts their warnings.
#include "editor/lint.h"
#include "editor/arguments.h"
#include "parse/parse.h"
#include "session/passes.h"

#include <stdlib.h>
#include <string.h>

static int warnings;

// Returns true if the line, or the one before, has a comment that permits the warning.
static bool is_permitted(struct loc loc, const char *name)
{
	for (int line = loc.line > 1 ? loc.line - 1 : loc.line; line <= loc.line; line++) {
		const char *from = diag_line(loc.source, line), *mark = str_printf("lint:%s", name);
		const char *found = memmem(from, strcspn(from, "\n"), mark, strlen(mark));

		if (found)
			return true;
	}
	return false;
}

void lint_warn(struct loc loc, const char *name, const char *fmt, ...)
{
	va_list ap;
	const char *text;

	if (!loc.source || is_permitted(loc, name))
		return;
	va_start(ap, fmt);
	text = str_vprintf(fmt, ap);
	va_end(ap);
	diag_warning(loc, "%s [%s]", text, name);
	warnings++;
}

int lint_check(struct session *s)
{
	warnings = 0;
	lint_names(s);
	lint_cost(s);
	return warnings;
}

int lint_run(struct session *s)
{
	int errors = 0;

	diag_options.verbose = 1;          // each warning is printed
	s->opt.guru = true;
	for vec_each(&s->sources, source) {
		written_list tokens = { 0 };

		written_read(*source, &tokens);
		diag_quiet_push();
		arguments_parse(s, *source, &tokens);
		diag_quiet_pop();
	}
	errors = pass_parse(s) + parse_report_late(s);
	if (!errors)
		errors = lint_check(s);
	diag_summary();
	return errors ? EXIT_FAILURE : EXIT_SUCCESS;
}
