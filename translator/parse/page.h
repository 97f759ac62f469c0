// SPDX-License-Identifier: GPL-2.0-or-later
// What is wrong with text that was copied from a page. page.c.
#ifndef PARSE_PAGE_H
#define PARSE_PAGE_H

#include "util/diag.h"

// What to say of the character of UTF-8 that is there, and how many bytes it has; NULL: it is none, or ASCII.
const char *page_character(const char *at, int *len);
// "-v" for "–v", "--ldd" for "—ldd": an option whose dash is none; NULL for others.
const char *page_option(const char *word);
// The entity on the line of the error that was just reported, if there is one.
void page_note(struct loc loc);

#endif
