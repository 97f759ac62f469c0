// SPDX-License-Identifier: GPL-2.0-or-later
// Diagnostics. There are three kinds of failure:
//   in the user's script diag_error(): location, source line, caret; the pass continues, and fails at its end
//   of the machine die(): "WHAT; ADVICE" in one sentence; exit status 1, temporary files are removed
//   a bug in the translator assert()
#ifndef UTIL_DIAG_H
#define UTIL_DIAG_H

#include "util/mem.h"
#include "util/str.h"
#include "util/vec.h"

#include <stdbool.h>

// A text that tokens are read from: a file, the argument of -e, standard input.
struct source {
	const char *name;          // as shown: path, "<input>", "<command line>"
	const char *text;
	size_t len;
	bool command_line;         // the argument of -e
	bool library;              // a tapset file: privileged like guru, warnings off
	const char *const *line;   // diag.c: start of each line, computed on first use
	int lines;
};

// A macro call by which a token was made.
struct expansion {
	const char *macro;
	struct loc *at;            // where it was called
	int number;                // number of the call in the file, from 1
};

struct loc {
	const struct source *source; // NULL: made by the translator
	int line, column;          // both from 1; column counts bytes
	const struct expansion *via; // innermost macro call; NULL: the text is not from a macro
};

// Returns the start of a line of the text; the end of the text if it has fewer lines.
const char *diag_line(const struct source *src, int line);

// An error and its notes.
struct diag_report {
	struct loc loc;
	const char *text;
	VEC(struct { struct loc loc; const char *text; }) notes;
};

struct diag_options {
	bool no_warnings;          // -w
	bool warnings_are_errors;  // -W
	bool color;
	const char *colors;        // $SYSTEMTAP_COLORS, "error=01;31:warning=00;33:..."
	bool all;                  // --semantic-keep-going: all errors are printed, and listed at the end
	int verbose;               // > 0: all errors are printed
};
extern struct diag_options diag_options;

// Kind is "parse" or "semantic": "semantic error: WHAT: at FILE:LINE:COL", source line, caret.
// Every error is counted; the same text at the same location is printed once, and only the first ten are printed.
void diag_error(struct loc loc, const char *fmt, ...) PRINTF_LIKE(2, 3);
void diag_warning(struct loc loc, const char *fmt, ...) PRINTF_LIKE(2, 3);
// Prints a second location or advice for the error or warning that was just reported.
void diag_note(struct loc loc, const char *fmt, ...) PRINTF_LIKE(2, 3);

// Refers to a manual page that says more than the error that was just reported, for the line that ends the pass.
void diag_refer(const char *page);
const char *diag_page(void);               // returns the first page that an error referred to, or NULL

void diag_kind(const char *kind);          // "parse" or "semantic", for later errors
int diag_errors(void);                     // returns the number of errors so far
void diag_reset(void);                      // forgets all messages: for processes that run several sessions
void diag_output(const char *text);         // writes the output of another program, or a line of -v, to stderr
void diag_summary(void);                   // prints "N more errors ..." if some were not printed
// Prints SEMANTIC_ERRORS: N, a line with tabs for each (file, line, column, token, message), SEMANTIC_ERRORS_END.
void diag_catalogue(void);
const struct loc *diag_error_locations(int *n);   // returns the locations of all errors in the catalogue

// Between push and pop errors are counted but neither printed nor added to diag_errors(): for optional probe points.
// Pop returns their number. The sections nest.
void diag_quiet_push(void);
int diag_quiet_pop(void);
bool diag_prints_warnings(void);           // the next warning will be printed
bool diag_prints(void);                    // the next error will be printed, so expensive advice is worth computing
// Returns " (similar: a, b)" for the names that add() collects; "" if the next error is not printed, or if no name is
// similar.
typedef void diag_names(const void *from, name_list *out);
const char *diag_similar(const char *wanted, diag_names *add, const void *from);
const char *diag_quiet_first(void);        // returns the text of the first error in the last quiet section
struct loc diag_quiet_location(void);         // returns the location of that error
void diag_error_quiet(struct loc loc);     // reports that error at loc, with its notes
// Like diag_quiet_push() and its pop, for errors that the caller reports as one warning by diag_warn_held() if pop
// returned any; other warnings are printed meanwhile. The warning has the text and the notes of the first error,
// then `advice`; its location is `loc` if the error has none.
void diag_hold_push(void);
int diag_hold_pop(void);
// Returns the first error of the last section. The caller reports it by diag_report() if it turns out to matter.
struct diag_report *diag_held_report(void);
void diag_report(const struct diag_report *report);
void diag_warn_held(struct loc loc, const char *advice);

// Reports a failure of the machine: runs the hooks of die_at_exit(), then exits with status 1.
void die(const char *fmt, ...) PRINTF_LIKE(1, 2) __attribute__((noreturn));
void die_of_memory(size_t bytes) __attribute__((noreturn));    // bytes: the size of the allocation that failed
// Set by the handler of SIGINT and similar signals: then die() reports the interrupt as the reason why a program
// failed, and diag_output() prints nothing.
extern volatile int diag_interrupted;
void die_at_exit(void (*hook)(void));
// Calls check(arg). Returns the message of its die(), which ends only the call, or NULL.
const char *die_caught(void (*check)(void *), void *arg);

// Receives every message that would be printed, instead of standard error: for programs that show messages in their own
// form. A note belongs to the message before it. DIAG_FAILURE is that of die(), which exits if the function returns.
enum diag_severity { DIAG_ERROR, DIAG_WARNING, DIAG_NOTE, DIAG_FAILURE };
typedef void diag_listener(enum diag_severity severity, struct loc loc, const char *text);
void diag_listen(diag_listener *listener);
// Returns the word or character at loc; "" if the location has no source.
const char *diag_token(struct loc loc);

#endif
