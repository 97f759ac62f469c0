// SPDX-License-Identifier: GPL-2.0-or-later
// Diagnoses text that was copied from a web page (typography.c).
#ifndef PARSE_TYPOGRAPHY_H
#define PARSE_TYPOGRAPHY_H

#include "util/diag.h"

// What to say of the character of UTF-8 that is there, and how many bytes it has; NULL: it is none, or ASCII.
const char *typography_character(const char *at, int *len);
// "-v" for "–v", "--ldd" for "—ldd": an option whose dash is none; NULL for others.
const char *typography_option(const char *word);
// The entity on the line of the error that was just reported, if there is one.
void typography_note(struct loc loc);

#endif
