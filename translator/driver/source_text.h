// SPDX-License-Identifier: GPL-2.0-or-later
// Text of source code, for --source.
#ifndef DRIVER_SOURCE_TEXT_H
#define DRIVER_SOURCE_TEXT_H

#include "ast/ast.h"

// Returns the line without the space around it, with "?" in place of control characters; NULL if no regular file that
// can be read has it. The file is searched in `first` (NULL: nowhere first), then in the directory in which it was
// compiled and in those above.
const char *source_text(const char *first, const struct source_line *line);

#endif
