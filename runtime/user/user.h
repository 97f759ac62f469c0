/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Interfaces between the files of the user runtime. There is one thread and one CPU: the loop in main.c runs handlers
 * one after the other. Signals are blocked except in its ppoll().
 */
#ifndef USER_H
#define USER_H

#include "../core/session.h"

#include <signal.h>
#include <sys/types.h>

/* main.c */
extern const char *user_program_name;  /* -n, or that of the program's file up to a dot */
extern bool user_stop;                 /* ends the loop: exit(), a signal, or the -c command has exited */
extern bool user_verbose;              /* -v: repeated warnings are printed, too */
extern bool user_error_shown;          /* an error was printed: the exit status is 1 */
extern int user_hosts_status;          /* with --merge: the exit status of stap if this program's is 0 */
extern sigset_t user_ignored;          /* signals that main.c handles and the caller ignores */
extern sigset_t user_signals;          /* signal mask at the start of the program */

/* platform.c: "ERROR:" and "WARNING:", in colors with -C */
extern const char *user_error_label, *user_warning_label;
/* the one CPU's context */
extern struct stp_ctx *user_ctx;
u64 user_now_ns(void);                 /* CLOCK_MONOTONIC */

/* output.c */
void user_flush(void);                 /* writes committed records to standard output */
bool user_output_failed(void);         /* returns true if nothing is written any more */
void user_output_closed(void);         /* ends the session, since the reader has closed the output */
/* With --record: writes a frame of include/records.h. */
void user_frame(u32 kind, const void *payload, u32 len);
void user_record_start(void);
void user_record_gaps(void);           /* writes the losses since the last call, before a record begins */

/* memory.c: load numbers and strings through a function that reads `size` bytes, or returns false: then the
 * error is the one that it raised, or "read fault". */
typedef bool user_read(struct stp_ctx *c, void *to, u64 address, u32 size);
bool user_load(struct stp_ctx *c, void *to, u64 address, u32 size, user_read *read);
bool user_load_string(struct stp_ctx *c, char *to, u64 address, u32 size, user_read *read);
extern user_read *user_captured;       /* reads memory that was copied from another process, instead of the process; or
					* NULL */
#define USER_LOAD(name, type, read)						\
u64 name(struct stp_ctx *c, u64 address)					\
{										\
	type n = 0;								\
										\
	return user_load(c, &n, address, sizeof(n), read) ? n : 0;		\
}
#define USER_LOADS(name, read)							\
	USER_LOAD(name##1, u8, read) USER_LOAD(name##2, u16, read)		\
	USER_LOAD(name##4, u32, read) USER_LOAD(name##8, u64, read)

/* child.c */
int user_child_hold(const char *command);  /* forks the command, which waits before execve(). Returns its process
					    * ID or -errno */
void user_child_release(s64 limit_ms); /* lets the command call execve(); 0: no time limit */
void user_child_abandon(void);         /* ends the command if it was not released */
void user_reap(void);                  /* called after SIGCHLD: sets user_stop if the -c command has exited */
bool user_child_running(void);
/* Ends the command if its time limit has expired: by SIGTERM, a second later by SIGKILL. Returns the time of the
 * next call. */
u64 user_child_limit(const char *command);
void user_child_end(void);             /* at the end: ends a command that still runs */
bool user_child_failed(void);
void user_child_report(bool complete); /* prints how the command failed; complete: nothing else failed or was lost */
void user_raise_descriptors(void);     /* to the hard limit of open files; child processes have the limit of before */
void user_system(const char *command); /* queues a command for sh -c; commands run one after the other */
void user_system_next(void);           /* starts the next command if none is running */
void user_system_drain(void);          /* waits for queued commands, at most 5 s */

/* files.c: procfs probes */
struct user_text { char *at; u32 size, len; };         /* $value; size: including the terminating zero byte */
bool user_file_run(const struct stp_probe *p, struct user_text *text); /* runs the handler; returns false if it
								        * failed */
int user_files_fd(void);               /* readable when files need to be served; -1: there are no FIFOs */
void user_files_serve(void);           /* runs the handlers of files that other processes have opened to read or
				        * have written */

/* input.c */
bool user_input_start(const struct stp_procfs *f);     /* returns false if it is not a file of standard input */
bool user_input_is(const struct stp_procfs *f);        /* whether user_input_start() returned true for it */
void user_input_stop(void);
int user_input_fd(void);               /* readable when the script's probes of standard input must run; -1: none */
void user_input_read(void);            /* reads the available input, and runs their handlers */

/* timer.c */
u64 user_timer_next(void);             /* returns the time at which the next timer is due; ~0: never */
void user_timer_run(void);             /* runs handlers of due timers */

#endif
