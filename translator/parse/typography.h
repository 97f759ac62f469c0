// SPDX-License-Identifier: GPL-2.0-or-later
// Diagnoses text that was copied from a web page (typography.c).
#ifndef PARSE_TYPOGRAPHY_H
#define PARSE_TYPOGRAPHY_H

#include "util/diag.h"

// Returns a message about the UTF-8 character and sets its length; NULL: not a valid character, or ASCII.
const char *typography_character(const char *at, int *len);
// Returns "-v" for "–v", "--ldd" for "—ldd", an option with a typographic dash; NULL for any other word.
const char *typography_option(const char *word);
// Prints a note if the line of the error that was just reported contains an HTML entity.
void typography_note(struct loc loc);

#endif
