// SPDX-License-Identifier: GPL-2.0-or-later
// Diagnostics: three kinds of failure, three mechanisms.
//   the user's script   diag_error(): place, line, caret; collected; the pass goes on and then fails
//   the machine         die(): one sentence with advice; exit status 1, temporary files removed
//   our own bug         assert()
#ifndef UTIL_DIAG_H
#define UTIL_DIAG_H

#include "util/mem.h"
#include "util/str.h"

#include <stdbool.h>

// One text that tokens come from: a file, -e's argument, standard input.
struct source {
	const char *name;          // as shown: path, "<input>", "<command line>"
	const char *text;
	size_t len;
	bool library;              // a tapset file: privileged like guru, warnings off
	const char *const *line;   // diag.c: start of each line, made when first asked for
	int lines;
};

// One macro call on the way from the written text to a token.
struct expansion {
	const char *macro;
	struct loc *at;            // where it was called
	int number;                // which call of the file, from 1
};

struct loc {
	const struct source *source; // NULL: made by the translator
	int line, column;          // from 1; column counts bytes
	const struct expansion *via; // innermost macro call, NULL when written as is
};

// Where that line of the text begins, its end when it has not so many.
const char *diag_line(const struct source *src, int line);

struct diag_options {
	bool no_warnings;          // -w
	bool warnings_are_errors;  // -W
	bool color;
	const char *colors;        // $SYSTEMTAP_COLORS, "error=01;31:warning=00;33:..."
	bool all;                  // --semantic-keep-going: errors are all shown, and listed at the end
	int verbose;               // all errors are shown
};
extern struct diag_options diag_options;

// Kind is "parse" or "semantic": "semantic error: WHAT: at FILE:LINE:COL", source line, caret.
// Every error counts, the same text at the same place is shown once, the first ten are shown.
void diag_error(struct loc loc, const char *fmt, ...) PRINTF_LIKE(2, 3);
void diag_warning(struct loc loc, const char *fmt, ...) PRINTF_LIKE(2, 3);
// A second place or advice for the error or warning just reported.
void diag_note(struct loc loc, const char *fmt, ...) PRINTF_LIKE(2, 3);

void diag_kind(const char *kind);          // what diag_error() calls its errors from now on
int diag_errors(void);                     // how many so far
void diag_reset(void);                      // forgets all messages: for a process with many sessions
void diag_summary(void);                   // "N more errors ..." when some were not shown
// SEMANTIC_ERRORS: N, a line with tabs for each (file, line, column, token, message), SEMANTIC_ERRORS_END.
void diag_catalogue(void);
const struct loc *diag_error_places(int *n);   // of all errors that are in it

// Between push and pop errors are counted but neither shown nor added to diag_errors():
// for probe points that are optional. Returns at pop how many there were. They nest.
void diag_quiet_push(void);
int diag_quiet_pop(void);
bool diag_prints_warnings(void);           // the next warning is printed
bool diag_prints(void);                    // the next error is printed: only then advice is worth what it costs
// " (similar: a, b)" of the names that add() collects; "" where the next error isn't printed, or none is similar.
typedef void diag_names(const void *from, name_list *out);
const char *diag_similar(const char *wanted, diag_names *add, const void *from);
const char *diag_quiet_first(void);        // text of the first error of the last quiet section

// The machine's failures. Runs the hooks of die_at_exit(), then exits with status 1.
void die(const char *fmt, ...) PRINTF_LIKE(1, 2) __attribute__((noreturn));
void die_at_exit(void (*hook)(void));

#endif
