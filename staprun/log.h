// SPDX-License-Identifier: GPL-2.0-or-later
// Messages of staprun and stapio to the user, on standard error.
#ifndef LOG_H
#define LOG_H

#include <stdbool.h>
#include <stddef.h>

#define PRINTF_LIKE(fmt, args) __attribute__((format(printf, fmt, args)))

extern int log_verbose;                    // -v
extern bool log_no_warnings;               // -w

// when: "auto", "always" or "never" (-C); returns false for any other text
bool log_color(const char *when);

void log_to_syslog(const char *program);   // writes further messages to syslog instead of standard error

// "ERROR: text", "WARNING: text"
void log_error(const char *fmt, ...) PRINTF_LIKE(1, 2);
// Reports that a file must not be run: as log_error(), and to syslog (authpriv) with the user's ID.
void log_refusal(const char *fmt, ...) PRINTF_LIKE(1, 2);
void log_warning(const char *fmt, ...) PRINTF_LIKE(1, 2);
void log_note(int level, const char *fmt, ...) PRINTF_LIKE(2, 3);  // prints a message with at least `level` times -v
#endif
