// SPDX-License-Identifier: GPL-2.0-or-later
// argv -> struct options, checked.
#ifndef OPTIONS_H
#define OPTIONS_H

#include "session/session.h"

// Exits with status 1 and "Try '--help'" on misuse, with 0 after --help and --version.
void options_parse(struct options *o, int argc, char **argv);

// Prints a message about the command line and exits with status 1.
void options_misused(const char *fmt, ...) PRINTF_LIKE(1, 2) __attribute__((noreturn));
// options_check.c: likewise exits if options conflict.
void options_check(const struct options *o);

// Returns row i of the table of options: the option as typed ("--vm", "-l"), the name of its value or NULL, and
// whether the value is required. An option with two forms has two rows; a rejected option is "". Returns false if i
// is beyond the last row.
bool options_row(int i, const char **word, const char **value, bool *required);

// stack_overflow.c: installs a handler that reports a stack overflow.
void stack_overflow_catch(void);

// options_output.c: setters of single options.
void options_set_output_format(struct options *o, const char *arg);
void options_add_output(struct options *o, const char *arg);
void options_set_json_safe(struct options *o, const char *arg);
void options_settle_json(struct options *o);
void options_set_record(struct options *o, const char *arg);
void options_set_percentiles(struct options *o, const char *arg);
void options_set_monitor(struct options *o, const char *arg);
// Sets -DHIST_TERMINAL if the script prints to a terminal, unless it is given.
void options_suit_terminal(struct options *o);

// options_target.c: setters of single options.
// Ends the program unless PATH is a directory with these permissions; `option` is printed before it.
void options_need_directory(const char *option, const char *path, int mode);
void options_set_release(struct options *o, const char *arg);
void options_set_arch(struct options *o, const char *arg);
void options_add_headers(struct options *o, const char *arg);
void options_set_sign_module(struct options *o, const char *arg);
void options_set_export(struct options *o, const char *arg);
void options_export_limits(struct options *o);
void options_set_bundle(struct options *o, const char *arg);
void options_set_sign_bundle(struct options *o, const char *arg);
void options_add_remote(struct options *o, const char *arg);
void options_set_min_hosts(struct options *o, const char *arg);
void options_set_hosts_timeout(struct options *o, const char *arg);
void options_add_hosts(struct options *o, const char *arg);
void options_set_image(struct options *o, const char *arg);
void options_set_sysroot(struct options *o, const char *arg);
void options_add_sysenv(struct options *o, const char *arg);

#endif
