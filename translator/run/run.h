// SPDX-License-Identifier: GPL-2.0-or-later
// Pass 5: functions that runs on this host and in a virtual machine share.
#ifndef RUN_H
#define RUN_H

#include "toolchain/toolchain.h"

#define EXIT_COMMAND 5                     // exit status of staprun -k if only the command of -c failed
#define EXIT_LOSSES 3                      // exit status with --strict, also of staprun, if anything was lost

// Runs a program with the descriptors of this process and waits; returns the exit status as spawn_wait() does.
// keeps_ignored: see util/spawn.h.
int run_program(const char *const *argv, bool keeps_ignored);
// Reports that a program was ended by a signal, if this status of spawn_wait() says so. SIGINT ends a session, and
// SIGPIPE is the consequence of another program's end.
void run_report_signal(const char *program, int status);

// Returns the path of a program of this package: from the environment variable `wish`, else as installed or beside
// the build. Dies if it is not found.
const char *run_find(struct session *s, const char *name, const char *wish);

// Returns the privilege that the user's groups give for loading modules.
enum privilege run_privilege(void);

// Returns whether the user is a member of the group.
bool run_in_group(const char *name);

void run_target(const struct session *s, arguments *argv); // adds -c, -k and -x, for staprun or a program
void run_options(struct session *s, arguments *argv);      // adds the options of staprun
void run_settings(struct session *s, arguments *argv);     // adds name=value ... of -G

// Returns the name of -o with the time filled in.
const char *run_output_path(const char *pattern);
// Standard output becomes the file. If it is a FIFO, waits for a process that reads it, after a message.
void run_open_output(const char *path);

// Returns the reason if the running kernel loads no modules, else NULL.
const char *run_no_modules(void);

// Dies with advice if the running kernel does not support modules.
void run_need_modules(void);

// report.c: with -f or --output, the output of the script goes to stap-report until report_finish(), which returns
// `status`, or the exit status of stap-report if `status` is 0.
struct report {
	int pid, output;
	int commands, messages, theirs[2], errors;     // open with --monitor on a terminal; else commands is -1
};
// report_start() waits until all outputs are open, and returns false if stap-report has reported that one cannot be
// opened.
bool report_start(struct session *s, struct report *r);
int report_finish(struct report *r, int status);
// One of several hosts: starts a stap-report for its records, from which its text is read instead. Returns the process.
int report_remote(struct session *s, const char *url, int *records);
// "stap report FILE...": becomes stap-report.
void report_recorded(struct session *s, char **files) __attribute__((noreturn));

// user.c: runs the program on the user runtime with -c, -x, -G, -o. Returns its exit status.
// serve.c: --export: starts the server of the script's metrics, which ends when the returned descriptor is closed.
int serve_start(struct session *s);
// Exits if the process of -x or of --target-namespaces does not exist.
void user_require_processes(const struct session *s);
int user_run(struct session *s);
// --export: starts the server of the metrics of a program, before the program.
void user_serve(struct session *s);
// Returns the path of the program that pass 4 has made.
const char *user_program(const struct session *s);
void user_settings(struct session *s, arguments *argv);    // -v, -s, -n, name=value
// Adds the arguments of the program: options and settings of globals.
void user_arguments(struct session *s, arguments *argv);

// vm.c: Returns the newest kernel in /boot that has an image; dies with advice if none has.
const char *vm_default_release(void);
// Dies with advice if the kernel's image or a program that a virtual machine requires is missing.
void vm_check(struct session *s, const char *release);
// Runs pass 5 in a virtual machine, with another kernel or with this one.
int vm_run(struct session *s);

#endif
