// SPDX-License-Identifier: GPL-2.0-or-later
// Pass 5 with -f or --output: standard output of the program that runs the script becomes a pipe to stap-report,
// which converts the records to these formats. With --monitor it becomes a pipe to stap-monitor, which draws the
// screen; then standard input is a pipe with the commands of that screen, and standard error a pipe with messages
// for it.
#include "run/remote.h"
#include "run/run.h"

#include "util/diag.h"
#include "util/spawn.h"
#include "util/str.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

static bool wanted(const struct options *o)
{
	return (o->output_format || o->outputs.n || o->monitor) && !remote_are_apart(o);
}

static void make_pipe(int ends[2])
{
	if (pipe2(ends, O_CLOEXEC))
		die("cannot create a pipe to stap-report: %s", strerror(errno));
}

// The screen uses the whole terminal: it shows the text that programs write to standard error, and its keys are
// commands.
static void monitor_arguments(struct session *s, arguments *argv, int ready, struct report *r)
{
	int commands[2], messages[2];

	vec_push(argv, run_find(s, "stap-monitor", "SYSTEMTAP_MONITOR"));
	vec_push(argv, str_printf("--ready-fd=%d", ready));
	vec_push(argv, str_printf("--interval=%s", s->opt.monitor));
	if (isatty(STDOUT_FILENO)) {
		make_pipe(commands);
		make_pipe(messages);
		fcntl(commands[1], F_SETFD, 0);
		fcntl(messages[0], F_SETFD, 0);
		if (s->reads_input)
			vec_push(argv, str_printf("--commands-fd=%d", commands[1]));
		vec_push(argv, str_printf("--messages-fd=%d", messages[0]));
		r->commands = commands[0];
		r->messages = messages[1];
		r->theirs[0] = commands[1];
		r->theirs[1] = messages[0];
	}
	vec_push(argv, NULL);
}

static void add_display(struct session *s, arguments *argv)
{
	if (s->opt.json_safe)
		vec_push(argv, "--json-safe");
	if (session_limit(s, LIMIT_HIST_TERMINAL))
		vec_push(argv, str_printf("--hist-terminal=%d", (int)session_limit(s, LIMIT_HIST_TERMINAL)));
	if (session_limit(s, LIMIT_HIST_PERCENTILES))
		vec_push(argv, "--percentiles");
	vec_push(argv, NULL);
}

static void arguments_of(struct session *s, arguments *argv, int ready, struct report *r)
{
	struct options *o = &s->opt;
	const char *format = o->output_format ? o->output_format : "text";

	if (o->monitor) {
		monitor_arguments(s, argv, ready, r);
		return;
	}

	vec_push(argv, run_find(s, "stap-report", "SYSTEMTAP_REPORT"));
	vec_push(argv, str_printf("--ready-fd=%d", ready));
	if (o->output)
		vec_push(argv, str_printf("--output=%s:%s", format, run_output_path(o->output)));
	else
		vec_push(argv, str_printf("--format=%s", format));
	for vec_each(&o->outputs, file)
		vec_push(argv, str_printf("--output=%s", *file));
	add_display(s, argv);
}

static void give_terminal(struct report *r)
{
	r->errors = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	dup2(r->commands, STDIN_FILENO);
	dup2(r->messages, STDERR_FILENO);
	close(r->commands);
	close(r->messages);
	close(r->theirs[0]);
	close(r->theirs[1]);
}

bool report_start(struct session *s, struct report *r)
{
	struct spawn program = { 0 };
	arguments argv = { 0 };
	int ends[2], ready[2], input;
	bool opened;
	char byte;

	*r = (struct report){ .output = -1, .commands = -1, .messages = -1 };
	if (!wanted(&s->opt))
		return true;
	make_pipe(ready);
	fcntl(ready[1], F_SETFD, 0);
	arguments_of(s, &argv, ready[1], r);
	s->opt.output = NULL;                  // cleared, since stap-report writes the file
	fflush(stdout);
	input = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
	r->output = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	if (pipe2(ends, O_CLOEXEC) || r->output < 0 || dup2(ends[0], STDIN_FILENO) < 0)
		die("cannot create a pipe to stap-report: %s", strerror(errno));
	program.argv = argv.at;
	r->pid = spawn_start(&program);
	if (r->pid < 0)
		die("cannot run %s: %s", argv.at[0], strerror(-r->pid));
	dup2(input, STDIN_FILENO);
	dup2(ends[1], STDOUT_FILENO);
	close(input);
	close(ends[0]);
	close(ends[1]);
	close(ready[1]);
	opened = read(ready[0], &byte, 1) == 1;
	close(ready[0]);
	if (r->commands >= 0)
		give_terminal(r);
	return opened;
}

int report_finish(struct report *r, int status)
{
	int rc;

	if (r->output < 0)
		return status;
	dup2(r->output, STDOUT_FILENO);
	close(r->output);
	if (r->commands >= 0) {
		dup2(r->errors, STDERR_FILENO);
		close(r->errors);
	}
	rc = spawn_wait(r->pid);
	run_report_signal("the process that writes the output", rc);
	return status ? status : rc;
}

int report_remote(struct session *s, const char *url, int *records)
{
	posix_spawn_file_actions_t actions;
	arguments argv = { 0 };
	int ends[2], pid, err;

	vec_push(&argv, run_find(s, "stap-report", "SYSTEMTAP_REPORT"));
	vec_push(&argv, str_printf("--format=%s", s->opt.output_format));
	vec_push(&argv, str_printf("--remote=%s", url));
	add_display(s, &argv);
	make_pipe(ends);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, *records, STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
	err = posix_spawnp(&pid, argv.at[0], &actions, NULL, (char *const *)argv.at, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (err)
		die("cannot run %s: %s", argv.at[0], strerror(err));
	close(*records);
	close(ends[1]);
	*records = ends[0];
	return pid;
}

void report_recorded(struct session *s, char **files)
{
	arguments argv = { 0 };

	session_find_directories(s);
	vec_push(&argv, run_find(s, "stap-report", "SYSTEMTAP_REPORT"));
	for (; *files; files++)
		vec_push(&argv, *files);
	vec_push(&argv, NULL);
	execv(argv.at[0], (char **)argv.at);
	die("cannot run %s: %s", argv.at[0], strerror(errno));
}
