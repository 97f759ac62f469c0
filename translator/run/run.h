// SPDX-License-Identifier: GPL-2.0-or-later
// Pass 5: what running here and running in a virtual machine share.
#ifndef RUN_H
#define RUN_H

#include "toolchain/toolchain.h"

#define EXIT_LOSSES 3                      // exit status of --strict when something was lost, staprun's too

// Runs a program with our files and waits; exit status as of spawn_wait().
int run_program(const char *const *argv);

// Path of a program of ours: the environment variable `wish` says, else installed or beside the
// build. Dies when it is nowhere.
const char *run_find(struct session *s, const char *name, const char *wish);

// What staprun will let the user load, as far as groups say it.
enum privilege run_privilege(void);

void run_options(struct session *s, arguments *argv);      // of staprun
void run_settings(struct session *s, arguments *argv);     // name=value ... of -G

// -o with the time filled in.
const char *run_output_path(const char *pattern);

// Dies with advice when the running kernel takes no modules.
void run_need_modules(void);

// user.c: runs the program on the user runtime with -c, -x, -G, -o. Returns its exit status.
int user_run(struct session *s);

// vm.c: the newest kernel in /boot that has an image; dies with advice when none has.
const char *vm_default_release(void);
// Pass 5 on another kernel, or on this one without risk.
int vm_run(struct session *s);

#endif
