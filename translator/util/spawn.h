// SPDX-License-Identifier: GPL-2.0-or-later
// Running other programs. No shell is involved.
#ifndef UTIL_SPAWN_H
#define UTIL_SPAWN_H

#include <stdbool.h>

struct spawn {
	const char *const *argv;   // NULL-terminated; argv[0] is searched in PATH
	const char *dir;           // working directory, NULL: ours
	const char *const *env;    // "NAME=value" additions, NULL-terminated, may be NULL
	bool capture;              // collect standard output and error in `output`
	void (*meanwhile)(void *); // called while it runs, before its output is read; may be NULL
	void *meanwhile_arg;
	char *output;              // set by spawn_run(), terminated
};

// Waits for it. Exit status 0..255, 128+signal when killed, 127 when it could not be started.
int spawn_run(struct spawn *s);

// The file that a program's name means, as execvp() would find it in PATH; one with a "/" is itself. NULL: none
// that can be executed (a busybox applet, a shell's builtin).
char *spawn_find(const char *name);

// What the first line of a script names; through_env: what env(1) would start, where it names that. NULL: no script.
char *spawn_interpreter(const char *path, bool through_env);

// spawn_start()/spawn_wait(): the same in two halves, to run several at once (no capture).
int spawn_start(const struct spawn *s);    // pid or -errno
int spawn_wait(int pid);

// Signals INT/TERM/HUP received while spawn_run() waits are left to the child (same group).
#endif
