// SPDX-License-Identifier: GPL-2.0-or-later
// stap-monitor: shows what a script measures while it runs. In: its records on standard input, keys of the terminal.
// Out: a screen, or without a terminal a snapshot each interval on standard output; commands to the script.
#include "cells.h"
#include "live.h"
#include "screen.h"
#include "number.h"
#include "stream.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { REFRESH_MS = 250 };                 // how long new values may wait until they are shown
enum { FIRST_MS = 10000 };                 // how long the first snapshot may wait for values

static struct {
	int interval_ms;
	int keyboard;                      // -1: there is no screen
	int commands, messages;            // descriptors; -1: none
	bool gets_messages;                // `messages` was given
	int64_t started_at, measured_at, drawn_at;     // ms
	bool changed;                      // the values have changed since the last drawing
	size_t printed;                    // lines of the log that were printed without a screen
} monitor = { .interval_ms = 1000, .keyboard = -1, .commands = -1, .messages = -1 };

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

// ---------------------------------------------------------------- without a terminal

static void print_log(bool all)
{
	const char *const prefixes[] = { [LINE_OUTPUT] = "", [LINE_END] = "", [LINE_LOSS] = "LOST: ", [LINE_ERROR] = "ERROR: ",
					 [LINE_WARNING] = monitor.gets_messages ? "" : "WARNING: " };
	size_t end = live.nlines - (!all && live.open_line && live.nlines);

	if (monitor.printed + LIVE_LOG_LINES < end)
		monitor.printed = end - LIVE_LOG_LINES;
	for (; monitor.printed < end; monitor.printed++) {
		const struct live_line *l = &live.log[monitor.printed % LIVE_LOG_LINES];

		fprintf(stdout, "%s%s\n", prefixes[l->kind], l->text);
	}
}

static void print_line(char *line)
{
	for (size_t n = strlen(line); n && line[n - 1] == ' '; n--)
		line[n - 1] = '\0';
	puts(line);
}

static void print_snapshot(void)
{
	enum { WIDTH = 100, ROWS = 20 };
	char line[1024];
	size_t n;

	print_log(false);
	printf("--- %.1f s, lost: %llu\n", (double)(live.now_ns - live.start_ns) / 1e9, (unsigned long long)live.lost);
	if (live_hosts())
		puts(live_hosts());
	for (size_t i = 0; i < live.ntables; i++) {
		struct live_row **rows = cells_sorted(live.tables[i], 1, false, "", &n);

		cells_head(line, sizeof(line), live.tables[i], 1, false, WIDTH);
		print_line(line);
		for (size_t k = 0; k < n && k < ROWS; k++) {
			cells_row(line, sizeof(line), live.tables[i], rows[k], WIDTH);
			print_line(line);
		}
		free(rows);
	}
	cells_probe_head(line, sizeof(line), WIDTH);
	print_line(line);
	for (size_t i = 0; i < live.nprobes; i++) {
		cells_probe(line, sizeof(line), &live.probes[i], WIDTH);
		print_line(line);
	}
	fflush(stdout);
}

// ---------------------------------------------------------------- with a terminal

// The script has a global for each probe, which it toggles when it reads the location of the probe (monitor_script.c).
static void switch_probe(void)
{
	struct live_probe *p = screen_probe();

	if (monitor.commands < 0 || !p || dprintf(monitor.commands, "%s\n", p->where) < 0)
		return;
	p->off = !p->off;
	screen_draw();
}

// Reads all keys: ncurses may have read more of them than the one that it returns, which poll() does not report.
static void read_keys(void)
{
	enum screen_wish wish;

	while (screen_key(&wish))
		switch (wish) {
		case SCREEN_QUIT: kill(getppid(), SIGINT); break;      // as Ctrl-C: the script's end probes run
		case SCREEN_SWITCH: switch_probe(); break;
		case SCREEN_NOTHING: break;
		}
}

static void read_messages(void)
{
	char bytes[4096];
	ssize_t n = read(monitor.messages, bytes, sizeof(bytes));

	if (n > 0)
		live_message(bytes, (size_t)n);
	else if (n == 0 || errno != EINTR)
		monitor.messages = -1;
	monitor.changed = true;
}

// The script sends its values each interval. The first ones come after the first interval of this program, since the
// probes are armed later: a snapshot without them would be empty.
static bool is_early(int64_t now)
{
	static bool has_values;

	has_values = has_values || live_is_counted() || (live.now_ns && now - monitor.started_at >= FIRST_MS);
	return !has_values;
}

static void show(void)
{
	int64_t now = now_ms();

	if (now - monitor.measured_at >= monitor.interval_ms) {
		monitor.measured_at = now;
		live_measure();
		monitor.changed = true;
		if (monitor.keyboard < 0 && is_early(now))
			monitor.measured_at = now - monitor.interval_ms + REFRESH_MS;
		else if (monitor.keyboard < 0)
			print_snapshot();
	}
	if (monitor.keyboard >= 0 && monitor.changed && now - monitor.drawn_at >= REFRESH_MS) {
		monitor.drawn_at = now;
		monitor.changed = false;
		screen_draw();
	}
}

static int until_next(void)
{
	int64_t next = monitor.measured_at + monitor.interval_ms, now = now_ms();

	if (monitor.keyboard >= 0 && monitor.changed && monitor.drawn_at + REFRESH_MS < next)
		next = monitor.drawn_at + REFRESH_MS;
	return next > now ? (int)(next - now) : 0;
}

// Handles keys and messages until records can be read; then reads them. getch() of ncurses reports a new size when it
// is called after the signal, which ends poll().
static ssize_t read_records(void *unused, char *to, size_t size)
{
	for (;;) {
		struct pollfd fds[] = {
			{ STDIN_FILENO, POLLIN }, { monitor.keyboard, POLLIN }, { monitor.messages, POLLIN },
		};
		int n = poll(fds, 3, until_next());

		if (monitor.keyboard >= 0 && (n < 0 || fds[1].revents))
			read_keys();
		if (n > 0 && fds[2].revents)
			read_messages();
		show();
		if (n <= 0 || !fds[0].revents)
			continue;
		monitor.changed = true;
		return read(STDIN_FILENO, to, size);
	}
}

// The output of end probes remains on the terminal, and so do messages.
static void print_rest(void)
{
	struct pollfd fd = { monitor.messages, POLLIN };

	while (monitor.messages >= 0 && poll(&fd, 1, 200) > 0)
		read_messages();
	for (size_t i = live.nlines > LIVE_LOG_LINES ? live.nlines - LIVE_LOG_LINES : 0; i < live.nlines; i++) {
		const struct live_line *l = &live.log[i % LIVE_LOG_LINES];

		if (l->kind != LINE_OUTPUT && l->kind != LINE_END)
			fprintf(stderr, "%s\n", l->text);
	}
	fwrite(live.at_end, 1, live.at_end_len, stdout);
	if (live.lost)
		fprintf(stderr, "WARNING: lost: %llu\n", (unsigned long long)live.lost);
}

static int number_of(const char *text, int max)
{
	int64_t n;

	if (number_whole(text, 10, 0, max, &n))
		return (int)n;
	fprintf(stderr, "stap-monitor: invalid number \"%s\"; use 0 to %d\n", text, max);
	exit(EXIT_FAILURE);
}

// Warnings and errors may be read from the descriptor of messages instead, as the programs print them.
static int handle(void *unused, const struct session *s, const struct event *e)
{
	bool is_message = e->kind == EVENT_WARNING || e->kind == EVENT_ERROR;
	int rc = is_message && monitor.gets_messages ? 0 : live_event(unused, s, e);

	if (monitor.keyboard < 0 && live.nlines - monitor.printed > LIVE_LOG_LINES / 2)
		print_log(false);                  // before the log has more lines than it keeps
	return rc;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "interval", required_argument, NULL, 'i' }, { "commands-fd", required_argument, NULL, 'c' },
		{ "messages-fd", required_argument, NULL, 'm' }, { "ready-fd", required_argument, NULL, 'r' }, { 0 },
	};
	struct stream_extent extent;
	int opt, ready = -1, rc;
	FILE *in;

	signal(SIGPIPE, SIG_IGN);
	signal(SIGINT, SIG_IGN);                   // the session ends, and the rest of its output follows
	while ((opt = getopt_long(argc, argv, "", options, NULL)) != -1)
		switch (opt) {
		case 'i': monitor.interval_ms = 1000 * number_of(optarg, INT_MAX / 1000); break;
		case 'c': monitor.commands = number_of(optarg, INT_MAX); break;
		case 'm': monitor.messages = number_of(optarg, INT_MAX); break;
		case 'r': ready = number_of(optarg, INT_MAX); break;
		default: return 1;
		}
	monitor.gets_messages = monitor.messages >= 0;
	if (isatty(STDOUT_FILENO) && monitor.gets_messages)
		monitor.keyboard = screen_open(monitor.commands >= 0);
	if (monitor.keyboard < 0)
		setlocale(LC_CTYPE, "C.UTF-8");    // the widths of characters in snapshots
	if (ready >= 0 && (write(ready, "", 1) != 1 || close(ready)))
		return 1;
	monitor.started_at = monitor.measured_at = now_ms();
	in = fopencookie(NULL, "r", (cookie_io_functions_t){ .read = read_records });
	if (!in)
		return 1;
	rc = stream_read(in, handle, NULL, &extent);
	screen_close();
	if (monitor.keyboard >= 0)
		print_rest();
	else
		print_log(true);
	if (rc && rc != -ENODATA && rc != -EPIPE)
		fprintf(stderr, "ERROR: the script's output is damaged; the undamaged parts were shown\n");
	return rc && rc != -EPIPE;
}
