// SPDX-License-Identifier: GPL-2.0-or-later
// A module that runs on another host: started over ssh, which sends the module and returns what the script prints.
#ifndef RUN_HOST_H
#define RUN_HOST_H

#include "run/run.h"
#include "session/session.h"

struct host_module { const char *name; const char *bytes; size_t size; };

struct host {
	const struct remote *remote;
	const struct host_module *module;
	int pid, in, out;          // in, out: -1: closed
	int report;                // remote.c, with -f and several hosts: the stap-report whose output `out` is
	int exited;                // exit status of pid, after it has exited
	size_t sent;               // bytes of the module
	struct buf line;           // remote.c, with several hosts: the incomplete last line
};

// Makes argv the command that passes a script and its arguments to a shell on that host.
void host_shell_command(arguments *argv, const struct remote *r, const char *script, const arguments *words);
// Starts staprun there, with these name=value settings of globals. Dies if ssh cannot be started.
void host_start(struct session *s, struct host *h, const struct remote *r, const struct host_module *module,
		const name_list *settings);
// Starts staprun --link there: the host sends messages and expects orders (link_messages.h).
void host_start_link(struct session *s, struct host *h, const struct remote *r, const struct host_module *module,
		     const name_list *settings);
// Connects again to the session with this directory there. Returns whether ssh could be started. own_connection: ssh
// does not use a connection that it shares with others (ControlMaster).
bool host_rejoin(struct host *h, const char *directory, bool own_connection);
// Sends a part of the module if h->in is writable. Returns whether another part is still to be sent.
bool host_is_sending(const struct host *h);
void host_send(struct host *h);
void host_close(int *fd);

// Interrupts of this process. ssh is started between host_ignore_signals() and host_count_signals(), so that it
// ignores the terminal's signals and this process handles them.
void host_ignore_signals(void);
void host_count_signals(void);
int host_interrupts(void);                 // returns the number of interrupts so far
void host_interrupt(void);                 // counts an interrupt if there was none yet

#endif
