// SPDX-License-Identifier: GPL-2.0-or-later
// --merge: one result of many hosts.
#ifndef RUN_MERGE_H
#define RUN_MERGE_H

#include "run/remote.h"

// Forks a process for each kernel of o->remotes, which builds the module for its hosts; in it o->merge is
// MERGE_HOST. failed: hosts that cannot be used. Sets the release.
void merge_open(struct options *o, const unreached_list *failed);
// In such a process, after pass 4: returns the module to the process that runs it.
void merge_deliver(struct session *s);
// Runs the module on the hosts and the program here; returns the exit status.
int merge_run(struct session *s);

#endif
