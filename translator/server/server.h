// SPDX-License-Identifier: GPL-2.0-or-later
// The language server: stap --language-server.
#ifndef SERVER_H
#define SERVER_H

#include "session/session.h"

// Answers a client on standard input and output until it disconnects. choose_target: opens the kernel of the session; a
// child process calls it, so it may call die(). Returns the exit status of stap.
int server_run(struct session *s, void (*choose_target)(struct session *s));

#endif
