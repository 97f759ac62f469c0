/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The runtime in a process: what its files have from each other. One thread, one CPU: handlers run
 * from the loop in main.c, one after the other, signals are blocked but for its ppoll().
 */
#ifndef USER_H
#define USER_H

#include "../core/session.h"

#include <signal.h>
#include <sys/types.h>

/* main.c */
extern bool user_stop;                 /* the loop ends: exit(), a signal, the -c command's end */
extern bool user_verbose;              /* -v: repeated warnings are shown too */
extern bool user_error_shown;          /* an ERROR: went out, the exit status is 1 */
extern sigset_t user_signals;          /* the mask the program was started with */

/* platform.c: the one CPU's context */
extern struct stp_ctx *user_ctx;
u64 user_now_ns(void);                 /* CLOCK_MONOTONIC */

/* output.c */
void user_flush(void);                 /* committed records to standard output */

/* child.c */
int user_child_hold(const char *command);  /* forks it, held before exec: its pid or -errno */
void user_child_release(void);         /* lets it go */
void user_child_abandon(void);         /* ends it if it was never released */
void user_reap(void);                  /* after SIGCHLD: sets user_stop when the -c command ended */
bool user_child_failed(void);
void user_system(const char *command); /* queues it for sh -c; they run one after the other */
void user_system_next(void);           /* starts one if none runs */
void user_system_drain(void);          /* waits for those queued, not for long */

/* timer.c */
u64 user_timer_next(void);             /* when the next one is due, ~0 never */
void user_timer_run(void);             /* handlers of those that are */

#endif
