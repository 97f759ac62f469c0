/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Event probes that do not run in this process are BPF programs (bpf/client.c), or run on other hosts (merge/hosts.c);
 * without them, no_event_probes.c does nothing.
 * All functions are called by the one thread of the user runtime.
 */
#ifndef USER_EVENT_PROBES_H
#define USER_EVENT_PROBES_H

/* Loads the programs, before the session is made. Returns 0, or -1 after a message. */
int event_probes_open(void);
/* Drops capabilities that attaching does not require: before the session starts, but after the command of -c was
 * forked, which retains its own. Returns 0, or -1 after a message. */
int event_probes_drop_capabilities(void);
/* Makes programs handle hits from now on, or ignore them. Also called in a handler that calls exit(). */
void event_probes_enable(bool on);
/*
 * Called after the last hit and before end probes: fetches the values that programs or hosts have counted so far.
 */
void event_probes_finish(void);
/* Called before and after each handler of this process: gives it access to the globals of the programs. */
void event_probes_enter(const struct stp_probe *p);
void event_probes_leave(const struct stp_probe *p);
/* Returns a descriptor that is readable when programs have sent data; -1: none. */
int event_probes_fd(void);
/* Handles the data that programs have sent so far. */
void event_probes_read(void);
/* Returns the maximum time in ms that the loop may wait, since a full ring does not make the descriptor
 * readable; -1: no limit. */
int event_probes_max_wait(void);

#endif
