// SPDX-License-Identifier: GPL-2.0-or-later
// Running other programs without a shell.
#ifndef UTIL_SPAWN_H
#define UTIL_SPAWN_H

#include <stdbool.h>

struct spawn {
	const char *const *argv;   // NULL-terminated; argv[0] is searched in PATH
	const char *dir;           // working directory; NULL: unchanged
	const char *const *env;    // "NAME=value" additions, NULL-terminated, may be NULL
	bool keeps_ignored;        // signals that were ignored before spawn_note_ignored() are ignored by the program
	bool capture;              // collect standard output and error in `output`
	void (*meanwhile)(void *); // called while it runs, before its output is read; may be NULL
	void *meanwhile_arg;
	char *output;              // set by spawn_run(), zero-terminated
};

// Waits for the program. Exit status 0..255, 128+signal if killed, 127 if it could not be started.
int spawn_run(struct spawn *s);

// Returns the file that execvp() would find for the name in PATH; a name with a "/" is a path. NULL: no executable file
// (an applet of busybox, a builtin of the shell).
char *spawn_find(const char *name);

// Returns the interpreter in the #! line of a script; through_env: the program that env(1) would start. NULL: not a
// script.
char *spawn_interpreter(const char *path, bool through_env);

// spawn_start() and spawn_wait() run several programs at once (no capture).
int spawn_start(const struct spawn *s);    // pid or -errno
int spawn_wait(int pid);
// Waits up to this time. Returns -1 if the program still runs, or if a signal has arrived meanwhile.
int spawn_wait_ms(int pid, int ms);

// Notes which signals are ignored (trap '' INT, jobs of a shell script in the background), before the caller installs
// its handlers. A shell script cannot handle a signal that it is started with ignored, so keeps_ignored is for
// programs that reset it or pass it on.
void spawn_note_ignored(void);

// While spawn_run() waits, SIGINT, SIGTERM and SIGHUP are left to the child, which is in the same process group.
#endif
