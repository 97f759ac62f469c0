// SPDX-License-Identifier: GPL-2.0-or-later
// Messages about options that getopt_long() refused.
#ifndef BAD_OPTION_H
#define BAD_OPTION_H

// c: what getopt_long() returned, '?' or ':' for a missing argument. Reads optind and optopt.
const char *bad_option(int c, int argc, char **argv);

#endif
