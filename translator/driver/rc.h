// SPDX-License-Identifier: GPL-2.0-or-later
// The default options of every run of stap, from the file "rc" of the user's directory.
#ifndef RC_H
#define RC_H

// argv with the words of the user's file "rc" before its own; *argc changes with it. Dies, naming the line,
// on a file that can't be read or words that are no options.
char **rc_arguments(int *argc, char **argv);

#endif
