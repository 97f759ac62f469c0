/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Child processes: the -c command, which is forked before begin probes run, so that target() has its process ID, and
 * executed after them; and the commands of system(), which run one after the other in the order of the calls.
 */
#define _GNU_SOURCE
#include "user.h"
#include "../include/command.h"
#include "../include/descendants.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define KILL_NS  1000000000ull         /* time from SIGTERM to SIGKILL */
#define DRAIN_NS 5000000000ull         /* at the end, maximum time to wait for commands of system() */

static pid_t target;                   /* process ID of the -c command; 0: none, or it has exited */
static u64 end_ns = ~0ull;             /* time at which the -c command is ended; ~0: never */
static bool ended;                     /* SIGTERM was sent to it */
static struct stp_descendants descendants;  /* sent SIGTERM together with the -c command */
static int hold_fd = -1;               /* pipe: a byte lets the -c command start */
static int failure;                    /* wait status of the -c command if it failed */

static struct rlimit descriptors;      /* the limit before user_raise_descriptors(); rlim_max 0: unchanged */

void user_raise_descriptors(void)
{
	struct rlimit most;

	if (descriptors.rlim_max || getrlimit(RLIMIT_NOFILE, &descriptors))
		return;
	most = descriptors;
	most.rlim_cur = most.rlim_max;
	setrlimit(RLIMIT_NOFILE, &most);
}

/* ------------------------------------------------------------------ -c */

/* Undoes the changes of main.c in a child process. Its standard output is not mixed with records. */
static void restore_environment(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGPIPE };

	if (stp_module.records)
		dup2(STDERR_FILENO, STDOUT_FILENO);
	for (unsigned int i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		signal(signals[i], sigismember(&user_ignored, signals[i]) ? SIG_IGN : SIG_DFL);
	signal(SIGCHLD, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	sigprocmask(SIG_SETMASK, &user_signals, NULL);
	if (descriptors.rlim_max)
		setrlimit(RLIMIT_NOFILE, &descriptors);
}

int user_child_hold(const char *command)
{
	struct stp_command prepared;
	int fds[2], err = 0;
	char go;

	if (pipe2(fds, O_CLOEXEC) < 0)
		return -errno;
	stp_command_prepare(&prepared, command);
	target = fork();
	if (target < 0)
		err = -errno;
	if (target == 0) {
		close(fds[1]);
		restore_environment();
		if (read(fds[0], &go, 1) == 1) {
			stp_command_execute(&prepared);
			err = errno;
			fprintf(stderr, "%s cannot run \"%s\": %s\n", user_error_label, command, strerror(err));
		}
		_exit(err == ENOENT || !err ? 127 : 126);
	}
	stp_command_free(&prepared);
	close(fds[0]);
	hold_fd = fds[1];
	return err ? err : target;
}

void user_child_release(s64 limit_ms)
{
	if (hold_fd < 0)
		return;
	if (limit_ms)
		end_ns = user_now_ns() + (u64)limit_ms * 1000000;
	if (write(hold_fd, "", 1) != 1)
		fprintf(stderr, "%s the -c command was killed before it was started\n", user_warning_label);
	close(hold_fd);
	hold_fd = -1;
}

void user_child_abandon(void)
{
	if (hold_fd < 0)
		return;
	close(hold_fd);
	hold_fd = -1;
	waitpid(target, NULL, 0);
	target = 0;
}

static void target_ended(int status)
{
	target = 0;
	user_stop = true;
	failure = status;
}

bool user_child_running(void)
{
	return target > 0;
}

u64 user_child_limit(const char *command)
{
	u64 now = user_now_ns();

	if (!target || now < end_ns)
		return end_ns;
	if (ended) {
		kill(target, SIGKILL);
		stp_descendants_kill(&descendants, 0);
	} else {
		stp_descendants_terminate(&descendants, target);
		fprintf(stderr, "the time limit (-T) is reached: ending \"%.60s\" (pid %d)\n", command, (int)target);
	}
	ended = true;
	end_ns = now + KILL_NS;
	return end_ns;
}

void user_child_end(void)
{
	u64 now = user_now_ns();

	if (!ended) {
		if (target)
			stp_descendants_terminate(&descendants, target);
		return;
	}
	stp_descendants_kill(&descendants, now < end_ns ? (end_ns - now) / 1000000 : 0);
	if (target)
		kill(target, SIGKILL);
}

bool user_child_failed(void)
{
	return failure != 0;
}

void user_child_report(bool complete)
{
	const char *rest = complete ? "; the trace is complete" : "";

	if (WIFSIGNALED(failure))
		fprintf(stderr, "%s the command was ended by signal %d (%s)%s\n", user_warning_label, WTERMSIG(failure),
			strsignal(WTERMSIG(failure)), rest);
	else if (failure)
		fprintf(stderr, "%s the command exited with status %d%s\n", user_warning_label, WEXITSTATUS(failure), rest);
}

/* ------------------------------------------------------------------ system() */

struct command {
	struct command *next;
	char text[];
};
static struct command *first, **last = &first;
static pid_t running;                  /* process ID of the running system() command; 0: none */

void user_system_next(void)
{
	struct command *c = first;

	if (running || !c)
		return;
	first = c->next;
	if (!first)
		last = &first;
	user_flush();                      /* earlier output appears before that of the command */
	running = fork();
	if (running == 0) {
		restore_environment();
		stp_shell_execute(c->text);
		_exit(127);
	}
	if (running < 0) {
		running = 0;
		fprintf(stderr, "%s cannot run \"%s\": %s\n", user_warning_label, c->text, strerror(errno));
	}
	free(c);
}

void user_system(const char *text)
{
	size_t len = strlen(text) + 1;
	struct command *c = malloc(sizeof(*c) + len);

	if (!c)
		return;
	c->next = NULL;
	memcpy(c->text, text, len);
	*last = c;
	last = &c->next;
}

void user_reap(void)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		if (pid == target)
			target_ended(status);
		else if (pid == running)
			running = 0;
	}
	user_system_next();
}

void user_system_drain(void)
{
	const struct timespec pause = { 0, 1000000 };
	u64 deadline = user_now_ns() + DRAIN_NS;
	struct command *c;

	user_system_next();
	while (running && user_now_ns() < deadline) {
		if (waitpid(running, NULL, WNOHANG) != 0) {
			running = 0;
			user_system_next();
			continue;
		}
		nanosleep(&pause, NULL);
	}
	while ((c = first)) {
		first = c->next;
		free(c);
	}
}
