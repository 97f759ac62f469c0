// SPDX-License-Identifier: GPL-2.0-or-later
// Text of source code, for --source.
#ifndef DRIVER_SOURCE_TEXT_H
#define DRIVER_SOURCE_TEXT_H

#include "ast/ast.h"

// Returns the line without leading and trailing white space, with "?" instead of control characters; NULL if no
// readable regular file contains it. The file is searched in the directory `first` (unless NULL), then in the
// directory in which it was compiled and in its parents.
const char *source_text(const char *first, const struct source_line *line);

#endif
