// SPDX-License-Identifier: GPL-2.0-or-later
// Messages about options that getopt_long() rejected.
#ifndef BAD_OPTION_H
#define BAD_OPTION_H

// c: the result of getopt_long(), '?' or ':' for a missing argument. Reads optind and optopt.
const char *bad_option(int c, int argc, char **argv);

#endif
