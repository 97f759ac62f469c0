// SPDX-License-Identifier: GPL-2.0-or-later
// Pass 5 on other hosts.
#ifndef REMOTE_H
#define REMOTE_H

#include "session/session.h"

// Dies if the URL is invalid.
void remote_check(const char *url);

// hosts.c: adds the hosts of a file or, for "@NAME", of a group of ClusterShell, each as [USER@]HOST[:PORT]. Dies at
// the first line that is not valid.
void hosts_read(const char *path, name_list *hosts);

// routes.c: for each host of a group, adds the gateways of ClusterShell's topology. Adds nothing without a topology.
void routes_find(const char *group, const name_list *hosts, name_list *gateways);

// Determines the kernels of the hosts and sets the release. Returns true if there are several kernels: then it has
// run a process for each, and *status is their common exit status.
bool remote_open(struct options *o, int *status);

// Returns whether the output of each host is converted and printed by itself: there are several hosts, or lines begin
// with the number of the host.
bool remote_are_apart(const struct options *o);

struct unreached { const char *url, *why; };       // a host that cannot be used
typedef VEC(struct unreached) unreached_list;

// query.c: determines the kernels of the hosts, and moves hosts that cannot be used to *failed. Ends the program if
// fewer than --min-hosts are left.
void query_all(struct options *o, unreached_list *failed);

// Runs the module on all hosts of its kernel at the same time and relays their output; returns the exit status.
int remote_run(struct session *s);

#endif
