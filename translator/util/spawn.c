// SPDX-License-Identifier: GPL-2.0-or-later
// Runs programs with posix_spawn: working directory, additions to the environment and, if requested, output capture.
#include "util/spawn.h"
#include "util/str.h"
#include "util/vec.h"

#include "../include/sys/sdt.h"
#include "command.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static char **environment(const char *const *additions)
{
	VEC(char *) env = { 0 };

	for (char **e = environ; *e; e++) {
		bool replaced = false;

		for (const char *const *a = additions; a && *a; a++)
			replaced |= strncmp(*e, *a, strcspn(*a, "=") + 1) == 0;
		if (!replaced)
			vec_push(&env, *e);
	}
	for (const char *const *a = additions; a && *a; a++)
		vec_push(&env, (char *)*a);
	vec_push(&env, NULL);
	return env.at;
}

// Returns the command line for messages, without quoting.
static const char *text_of(const char *const *argv)
{
	struct buf b = { 0 };

	for (const char *const *a = argv; *a; a++)
		buf_printf(&b, "%s%s", a == argv ? "" : " ", *a);
	return buf_text(&b);
}

// The signals that stap handles although they may be ignored by its caller.
static const int handled[] = { SIGINT, SIGQUIT, SIGTERM };
static bool ignored[ARRAY_SIZE(handled)];

void spawn_note_ignored(void)
{
	struct sigaction before;

	for (size_t i = 0; i < ARRAY_SIZE(handled); i++)
		ignored[i] = !sigaction(handled[i], NULL, &before) && before.sa_handler == SIG_IGN;
}

// posix_spawn() keeps only signals ignored that the caller ignores at that moment. A signal that arrives meanwhile is
// ignored, too.
static void ignore(struct sigaction *before)
{
	struct sigaction action = { .sa_handler = SIG_IGN };

	for (size_t i = 0; i < ARRAY_SIZE(handled); i++)
		if (ignored[i])
			sigaction(handled[i], &action, &before[i]);
}

static void handle_again(const struct sigaction *before)
{
	for (size_t i = 0; i < ARRAY_SIZE(handled); i++)
		if (ignored[i])
			sigaction(handled[i], &before[i], NULL);
}

static int start(const struct spawn *s, int output_fd)
{
	struct sigaction before[ARRAY_SIZE(handled)];
	posix_spawn_file_actions_t actions;
	pid_t pid;
	int err;

	STAP_PROBE1(stap, system__start, text_of(s->argv));
	posix_spawn_file_actions_init(&actions);
	if (s->dir)
		posix_spawn_file_actions_addchdir_np(&actions, s->dir);
	if (output_fd >= 0) {
		posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
		posix_spawn_file_actions_adddup2(&actions, output_fd, 1);
		posix_spawn_file_actions_adddup2(&actions, output_fd, 2);
	}
	if (s->keeps_ignored)
		ignore(before);
	err = posix_spawnp(&pid, s->argv[0], &actions, NULL, (char *const *)s->argv,
			   s->env ? environment(s->env) : environ);
	if (s->keeps_ignored)
		handle_again(before);
	posix_spawn_file_actions_destroy(&actions);
	STAP_PROBE2(stap, system__spawn, err, err ? 0 : pid);
	return err ? -err : pid;
}

int spawn_start(const struct spawn *s)
{
	return start(s, -1);
}

static int exit_status(int status)
{
	int rc = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);

	STAP_PROBE1(stap, system__return, rc);
	return rc;
}

int spawn_wait(int pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return 127;
	return exit_status(status);
}

int spawn_wait_ms(int pid, int ms)
{
	struct pollfd fd = { (int)syscall(SYS_pidfd_open, pid, 0), POLLIN, 0 };
	int status, ended;

	if (fd.fd >= 0 && ms)
		poll(&fd, 1, ms);
	if (fd.fd >= 0)
		close(fd.fd);
	ended = waitpid(pid, &status, WNOHANG);
	return ended == 0 ? -1 : ended < 0 ? 127 : exit_status(status);
}

static char *collect(int fd)
{
	struct buf b = { 0 };
	char chunk[4096];
	ssize_t n;

	while ((n = read(fd, chunk, sizeof(chunk))) > 0 || (n < 0 && errno == EINTR))
		if (n > 0)
			buf_add(&b, chunk, (size_t)n);
	return buf_text(&b);
}

int spawn_run(struct spawn *s)
{
	int fds[2], pid;

	if (!s->capture) {
		pid = start(s, -1);
		return pid < 0 ? 127 : spawn_wait(pid);
	}
	s->output = (char *)"";
	if (pipe2(fds, O_CLOEXEC) < 0)
		return 127;
	pid = start(s, fds[1]);
	close(fds[1]);
	if (pid >= 0 && s->meanwhile)
		s->meanwhile(s->meanwhile_arg);
	if (pid >= 0)
		s->output = collect(fds[0]);
	close(fds[0]);
	return pid < 0 ? 127 : spawn_wait(pid);
}

char *spawn_find(const char *name)
{
	char path[PATH_MAX];

	if (strchr(name, '/'))
		return stp_is_program(name) ? str_dup(name) : NULL;
	return stp_program_find(name, path) ? str_dup(path) : NULL;
}

// Returns the next word of a #! line; NULL: none.
static char *next_word(const char **line)
{
	const char *at = *line + strspn(*line, " \t");
	size_t len = strcspn(at, " \t\n");

	*line = at + len;
	return len ? str_ndup(at, len) : NULL;
}

char *spawn_interpreter(const char *path, bool through_env)
{
	char line[256] = "", *word;
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);        // open() of a FIFO would wait
	FILE *f = fd < 0 ? NULL : fdopen(fd, "r");
	const char *at = line + 2;

	if (f && !fgets(line, sizeof(line), f))
		line[0] = '\0';
	if (f)
		fclose(f);
	if (strncmp(line, "#!", 2))
		return NULL;
	word = next_word(&at);
	if (!through_env || !word || !str_ends(word, "/env"))
		return word;
	do
		word = next_word(&at);
	while (word && (*word == '-' || strchr(word, '=')));
	return word;
}
