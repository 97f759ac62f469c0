// SPDX-License-Identifier: GPL-2.0-or-later
// Reads the default options of every run of stap from the file "rc" of the user's directory.
#ifndef RC_H
#define RC_H

// Returns argv with the words of the user's file "rc" before its own, and updates *argc. If the file cannot be read
// or parsed, dies with the line number.
char **rc_arguments(int *argc, char **argv);

#endif
