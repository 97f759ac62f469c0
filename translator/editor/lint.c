// SPDX-License-Identifier: GPL-2.0-or-later
// --lint: parses scripts, runs the checks of lint_*.c and counts their warnings.
#include "editor/lint.h"
#include "editor/arguments.h"
#include "parse/parse.h"
#include "session/passes.h"
#include "util/spawn.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int warnings;

// Returns true if the line, or the previous one, has a comment that permits the warning.
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

static int lint_sources(struct session *s)
{
	int errors = 0;

	for vec_each(&s->sources, source) {
		source_token_list tokens = { 0 };

		source_tokens_read(*source, &tokens);
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

// Each script is checked in its own process, since two scripts may use the same names.
static int lint_one(struct session *s, struct source *source)
{
	pid_t pid;
	int status = EXIT_FAILURE;

	fflush(NULL);
	pid = fork();
	if (pid < 0)
		die("cannot start a process: %s", strerror(errno));
	if (!pid) {
		s->sources.n = 0;
		vec_push(&s->sources, source);
		status = lint_sources(s);
		fflush(NULL);
		_exit(status);
	}
	return spawn_wait(pid);
}

int lint_run(struct session *s)
{
	int status = EXIT_SUCCESS;

	diag_options.verbose = 1;          // prints each warning
	s->opt.guru = true;
	if (!s->opt.args.n)
		return lint_sources(s);
	arguments_are_files(s);
	for (int i = 0, n = s->sources.n; i < n; i++) {
		struct session one = *s;

		memset(&one.sources, 0, sizeof(one.sources));
		if (lint_one(&one, s->sources.at[i]))
			status = EXIT_FAILURE;
	}
	return status;
}
