// SPDX-License-Identifier: GPL-2.0-or-later
// --bundle: one file with the script, built for several kernels.
#ifndef BUNDLE_H
#define BUNDLE_H

#include "session/session.h"

// Starts a process for each kernel, and one for the BPF program. In these processes it changes *o to a build for
// that kernel and returns false; the caller then passes the result to bundle_put(). In the first process it writes
// the bundle, sets *status to the exit status of stap, and returns true.
bool bundle_make(struct options *o, int *status);
void bundle_put(struct session *s);

#endif
