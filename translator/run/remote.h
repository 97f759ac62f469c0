// SPDX-License-Identifier: GPL-2.0-or-later
// Pass 5 on other hosts.
#ifndef REMOTE_H
#define REMOTE_H

#include "session/session.h"

// Dies when no host is reached by a URL like this.
void remote_check(const char *url);

// Asks the hosts for their kernels and sets the release. True when there are several kernels: then a process
// was made for each and has ended, and *status is the exit status of all.
bool remote_open(struct options *o, int *status);

// The module on all hosts of its kernel at once; exit status. Relays their output.
int remote_run(struct session *s);

#endif
