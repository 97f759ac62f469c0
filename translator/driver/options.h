// SPDX-License-Identifier: GPL-2.0-or-later
// argv -> struct options, checked.
#ifndef OPTIONS_H
#define OPTIONS_H

#include "session/session.h"

// Exits with status 1 and "Try '--help'" on misuse, with 0 after --help and --version.
void options_parse(struct options *o, int argc, char **argv);

// Prints a message about the command line and exits with status 1.
void options_misused(const char *fmt, ...) PRINTF_LIKE(1, 2) __attribute__((noreturn));
// options_check.c: exits in the same way if options conflict.
void options_check(const struct options *o);

// Row i of the table of options: its word as typed ("--vm", "-l"), the name of its value or NULL, and whether the value
// is required. The words of an option with two forms are two rows; a refused option has
// "". False: i is beyond the last.
bool options_row(int i, const char **word, const char **value, bool *required);

// stack_overflow.c: from now on a message reports that the stack is used up.
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
void options_add_hosts(struct options *o, const char *arg);
void options_set_image(struct options *o, const char *arg);
void options_set_sysroot(struct options *o, const char *arg);
void options_add_sysenv(struct options *o, const char *arg);

#endif
