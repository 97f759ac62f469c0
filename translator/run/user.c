// SPDX-License-Identifier: GPL-2.0-or-later
// Pass 5 on the user runtime: runs the program and passes signals on to it.
#include "run/run.h"
#include "util/diag.h"
#include "util/spawn.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static volatile pid_t running;
static volatile sig_atomic_t wanted;   // a signal that arrived before the program was started

// The program receives signals of the terminal itself; those sent to stap alone are passed on.
static void forward(int signal, siginfo_t *info, void *context)
{
	if (info->si_code != SI_USER)
		return;
	if (running > 0)
		kill(running, signal);
	else
		wanted = signal;
}

static int run_and_wait(const struct spawn *program)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction action = { .sa_sigaction = forward, .sa_flags = SA_SIGINFO | SA_RESTART };
	struct sigaction before[ARRAY_SIZE(signals)];
	int status;

	for (size_t i = 0; i < ARRAY_SIZE(signals); i++) {
		sigaction(signals[i], NULL, &before[i]);
		if (signals[i] != SIGHUP || before[i].sa_handler != SIG_IGN)   // nohup
			sigaction(signals[i], &action, NULL);
	}
	running = spawn_start(program);
	if (running > 0 && wanted)
		kill(running, wanted);
	status = running > 0 ? spawn_wait(running) : 127;
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		sigaction(signals[i], &before[i], NULL);
	if (status == 127)
		die("cannot run %s; is its file system mounted noexec? SYSTEMTAP_DIR and TMPDIR choose another one",
		    program->argv[0]);
	run_report_signal("the process of the script", status);
	return status;
}

const char *user_program(const struct session *s)
{
	// Temporary directories of some systems do not allow execution. With -m the program is in the current
	// directory.
	const char *path = s->stored_path && access(s->module_path, X_OK) ? s->stored_path : s->module_path;

	return strchr(path, '/') ? path : str_printf("./%s", path);
}

static void add_options(struct session *s, arguments *argv)
{
	const struct options *o = &s->opt;

	if (o->verbose[5])
		vec_push(argv, "-v");
	if (o->strict)
		vec_push(argv, "-s");
	if (diag_options.color)
		vec_push(argv, "-C");
	vec_push(argv, "-n");
	vec_push(argv, s->module_name);
}

static void add_globals(struct session *s, arguments *argv)
{
	const struct options *o = &s->opt;

	for (int i = 0; i < o->globals.n; i++)
		vec_push(argv, str_printf("%s=%s", o->globals.at[i].name, o->globals.at[i].value));
}

void user_settings(struct session *s, arguments *argv)
{
	add_options(s, argv);
	add_globals(s, argv);
}

void user_arguments(struct session *s, arguments *argv)
{
	add_options(s, argv);
	run_target(s, argv);
	if (s->opt.namespaces_pid && s->opt.bpf_runtime) {
		vec_push(argv, "-N");
		vec_push(argv, str_printf("%d", s->opt.namespaces_pid));
	}
	add_globals(s, argv);
}

void user_require_processes(const struct session *s)
{
	const struct { const char *option; int pid; } all[] = {
		{ "-x ", s->opt.target_pid }, { "--target-namespaces=", s->opt.namespaces_pid },
	};

	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		if (all[i].pid && kill(all[i].pid, 0) < 0 && errno == ESRCH)
			die("%s%d: no such process; pgrep -a NAME lists processes with their IDs", all[i].option, all[i].pid);
}

void user_serve(struct session *s)
{
	// If another process uses the name, the directory gets another name, which only the program knows.
	s->module_name = str_printf("%s_%d", s->module_name, (int)getpid());
	serve_start(s);                        // serves until this process ends
}

int user_run(struct session *s)
{
	const struct options *o = &s->opt;
	struct spawn program = { 0 };
	arguments argv = { 0 };

	vec_push(&argv, user_program(s));
	if (o->export)
		user_serve(s);
	user_arguments(s, &argv);
	vec_push(&argv, NULL);
	program.argv = argv.at;
	program.keeps_ignored = true;
	fflush(stdout);
	if (o->output)
		run_open_output(o->output);
	return run_and_wait(&program);
}
