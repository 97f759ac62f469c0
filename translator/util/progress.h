// SPDX-License-Identifier: GPL-2.0-or-later
// A line on the terminal while something takes long: it appears when nothing was printed for a second, and is removed
// when the work ends or a message is printed. Nothing is written where standard error is not a terminal.
#ifndef UTIL_PROGRESS_H
#define UTIL_PROGRESS_H

#include "util/mem.h"

void progress(const char *fmt, ...) PRINTF_LIKE(1, 2);    // shows the step that begins instead of the previous one
void progress_off(void);                                  // ends the display of progress
void progress_end(void);
void progress_hide(void);                                 // before anything else is printed

#endif
