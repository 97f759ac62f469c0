// SPDX-License-Identifier: GPL-2.0-or-later
// The manual pages that explain errors, such as error::pass2(3stap).
#ifndef DRIVER_MANUAL_H
#define DRIVER_MANUAL_H

#include "session/session.h"

// Returns the argument with which man(1) shows the page: its name if man searches the directory of this program's
// pages, else the path of its file. NULL: man or the page is not installed.
const char *manual_page(const struct session *s, const char *page);

#endif
