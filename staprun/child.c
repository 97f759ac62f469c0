// SPDX-License-Identifier: GPL-2.0-or-later
// Other processes: the -c command, which is forked early (target() is its process ID) and calls execve() only
// after the probes are armed; commands of system(); the process of -x.
#include "stapio.h"

#include "command.h"
#include "descendants.h"
#include "log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int gate = -1;                      // write end of the pipe on which the command waits
static struct stp_descendants descendants; // sent SIGTERM together with the -c command
static bool output_to_stderr;              // standard output of commands is redirected to standard error
static bool ignores_sigpipe;               // the caller of staprun ignores SIGPIPE, so commands do, too

void child_output_to_stderr(void)
{
	output_to_stderr = true;
}

void child_ignores_sigpipe(bool ignores)
{
	ignores_sigpipe = ignores;
}

// Called in a child process before it executes a command. Other signals that the caller ignores are still ignored.
static void restore_environment(void)
{
	sigset_t none;

	if (output_to_stderr)
		dup2(STDERR_FILENO, STDOUT_FILENO);
	signal(SIGPIPE, ignores_sigpipe ? SIG_IGN : SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

pid_t child_prepare(const char *command)
{
	struct stp_command prepared;
	int ends[2];
	pid_t pid;
	char go;

	stp_command_prepare(&prepared, command);
	if (pipe2(ends, O_CLOEXEC) || (pid = fork()) < 0) {
		log_error("cannot start the command: %m");
		stp_command_free(&prepared);
		return -EAGAIN;
	}
	if (pid == 0) {
		close(ends[1]);
		restore_environment();
		if (read(ends[0], &go, 1) != 1)
			_exit(0);
		stp_command_execute(&prepared);
		log_error("cannot run \"%s\": %m", command);
		_exit(errno == ENOENT ? 127 : 126);
	}
	stp_command_free(&prepared);
	close(ends[0]);
	gate = ends[1];
	return pid;
}

void child_release(void)
{
	if (gate >= 0 && write(gate, "", 1) < 0)
		log_warning("the -c command was killed before it was started");
	child_abandon();
}

void child_abandon(void)
{
	if (gate >= 0)
		close(gate);
	gate = -1;
}

void child_end(pid_t child, bool killed)
{
	if (!killed) {
		stp_descendants_terminate(&descendants, child);
		return;
	}
	kill(child, SIGKILL);
	stp_descendants_kill(&descendants, 0);
}

void child_end_rest(pid_t child, int64_t ms, bool killed)
{
	if (killed)
		stp_descendants_kill(&descendants, ms);
	if (child > 0)
		child_end(child, killed);
}

void child_system(const char *command)
{
	pid_t pid = fork();

	if (pid < 0)
		log_warning("cannot start a process for system(): %m");
	if (pid == 0) {
		restore_environment();
		if (fork() == 0) {
			stp_shell_execute(command);
			log_error("cannot run /bin/sh: %m");
		}
		_exit(0);
	}
	if (pid > 0)
		waitpid(pid, NULL, 0);
}

int child_open_process(pid_t pid)
{
	int fd = syscall(SYS_pidfd_open, pid, 0);

	if (fd < 0) {
		fd = -errno;
		log_error("cannot open process %d (-x): %m", (int)pid);
		return fd;
	}
	fcntl(fd, F_SETFD, FD_CLOEXEC);
	return fd;
}
