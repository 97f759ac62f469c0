// SPDX-License-Identifier: GPL-2.0-or-later
// The line of progress. The signal handler of a timer writes it, so that callers need not poll.
#include "util/progress.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#define REMOVE "\r\033[K"

static struct {
	bool tried, terminal, quiet;   // quiet: something is in progress, and nothing was printed since the time
				       // `since`
	timer_t timer;
	struct timespec since;
	char text[256];
	size_t len;
	volatile sig_atomic_t shown;
} state;

static void show(int sig)
{
	int err = errno;

	if (state.len && write(STDERR_FILENO, state.text, state.len) > 0)
		state.shown = true;
	errno = err;
}

static bool open_terminal(void)
{
	struct sigaction action = { .sa_handler = show, .sa_flags = SA_RESTART };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN };

	if (!state.tried) {
		state.tried = true;
		state.terminal = isatty(STDERR_FILENO) && !sigaction(SIGRTMIN, &action, NULL) &&
				!timer_create(CLOCK_MONOTONIC, &event, &state.timer);
	}
	return state.terminal;
}

static void set_timer(struct timespec at)
{
	struct itimerspec wait = { .it_value = at };

	timer_settime(state.timer, TIMER_ABSTIME, &wait, NULL);
}

void progress(const char *fmt, ...)
{
	struct winsize window = { 0 };
	struct timespec at;
	size_t max;
	va_list ap;

	if (!open_terminal())
		return;
	set_timer((struct timespec){ 0 });
	va_start(ap, fmt);
	strcpy(state.text, REMOVE);
	vsnprintf(state.text + strlen(REMOVE), sizeof(state.text) - strlen(REMOVE), fmt, ap);
	va_end(ap);
	ioctl(STDERR_FILENO, TIOCGWINSZ, &window);
	max = strlen(REMOVE) + (window.ws_col > 1 ? window.ws_col - 1u : 79u);
	state.len = strnlen(state.text, max);
	if (!state.quiet)
		clock_gettime(CLOCK_MONOTONIC, &state.since);
	state.quiet = true;
	at = state.since;
	at.tv_sec++;
	set_timer(at);                 // if that time has passed, the timer expires at once
}

void progress_off(void)
{
	state.tried = true;
}

void progress_end(void)
{
	if (!state.terminal)
		return;
	set_timer((struct timespec){ 0 });
	state.len = 0;
	if (state.shown && write(STDERR_FILENO, REMOVE, strlen(REMOVE)) > 0)
		state.shown = false;
}

void progress_hide(void)
{
	progress_end();
	state.quiet = false;
}
