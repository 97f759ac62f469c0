// SPDX-License-Identifier: GPL-2.0-or-later
#ifndef EXAMPLE_H
#define EXAMPLE_H

// Returns the path of the example script `name` ("iotop.stp", "io/iotop.stp"). Dies with the reason unless exactly one
// matches.
const char *example_path(const char *name);

#endif
