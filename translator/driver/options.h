// SPDX-License-Identifier: GPL-2.0-or-later
// argv -> struct options, checked.
#ifndef OPTIONS_H
#define OPTIONS_H

#include "session/session.h"

// Exits with status 1 and "Try '--help'" on misuse, with 0 after --help and --version.
void options_parse(struct options *o, int argc, char **argv);

#endif
