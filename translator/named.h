// SPDX-License-Identifier: GPL-2.0-or-later
#ifndef NAMED_H
#define NAMED_H

#include "session.h"

// The path of the example script `name` ("iotop.stp", "io/iotop.stp"). Dies, saying why, if there is none, or several.
const char *named_example(const char *name);

// Objects of -d that are neither a program or library nor a module of the kernel are told and forgotten.
void named_objects(struct session *s);

#endif
