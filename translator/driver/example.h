// SPDX-License-Identifier: GPL-2.0-or-later
#ifndef EXAMPLE_H
#define EXAMPLE_H

#include "session/session.h"

// Replaces the script's name of --example ("biosnoop", "iotop.stp", "io/iotop.stp") by its path; dies with
// suggestions unless exactly one matches. Returns false if a list or the script was printed, so that nothing is
// run.
bool example_select(struct session *s);

// Prints the usage of the selected example, from its head.
void example_print_usage(const struct session *s);

void example_names(const struct session *s, name_list *out);

#endif
