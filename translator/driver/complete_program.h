// SPDX-License-Identifier: GPL-2.0-or-later
#ifndef DRIVER_COMPLETE_PROGRAM_H
#define DRIVER_COMPLETE_PROGRAM_H

#include "session/session.h"

// Returns the program whose options complete the command line: "report" for stap report, NULL for stap.
const char *complete_program(const name_list *words);
// Does the same as options_row() for this program.
bool complete_program_row(const char *program, int i, const char **word, const char **value, bool *required);

#endif
