// SPDX-License-Identifier: GPL-2.0-or-later
#ifndef DRIVER_COMPLETE_PROGRAM_H
#define DRIVER_COMPLETE_PROGRAM_H

#include "output_formats.h"
#include "session/session.h"

// Values of -f and --output, of stap and stap report.
#define COMPLETE_FORMAT(name, takes_stacks) #name "|"
#define COMPLETE_FILE(name, takes_stacks) #name ":|"
#define COMPLETE_FORMATS OUTPUT_FORMATS(COMPLETE_FORMAT)
#define COMPLETE_FILES OUTPUT_FORMATS(COMPLETE_FILE)

// Returns the program whose options complete the command line: "report" for stap report, NULL for stap.
const char *complete_program(const name_list *words);
// Does the same as options_row() for this program.
bool complete_program_row(const char *program, int i, const char **word, const char **value, bool *required);

#endif
