// SPDX-License-Identifier: GPL-2.0-or-later
// The user's own directory, and the options in it that every run of stap begins with.
#ifndef RC_H
#define RC_H

// $SYSTEMTAP_DIR, else ~/.systemtap. It need not exist.
const char *rc_user_dir(void);

// argv with the words of the user's file "rc" before its own; *argc changes with it. Dies, naming the line,
// on a file that can't be read or words that are no options.
char **rc_arguments(int *argc, char **argv);

#endif
