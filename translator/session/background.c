// SPDX-License-Identifier: GPL-2.0-or-later
// Runs a build beside the passes: the runtime for a kernel is compiled while pass 2 makes the index of its debuginfo.
#include "session/background.h"
#include "util/diag.h"
#include "util/progress.h"
#include "util/str.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t process;          // 0: none runs

static void on_message(enum diag_severity severity, struct loc loc, const char *text)
{
	if (severity == DIAG_FAILURE)
		_exit(EXIT_FAILURE);
}

static void run(struct session *s, void (*build)(struct session *s), pid_t parent)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGALRM };
	int null = open("/dev/null", O_RDWR);

	process = 0;
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		signal(signals[i], SIG_DFL);
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		dup2(null, fd);
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(EXIT_FAILURE);
	progress_off();
	diag_listen(on_message);
	s->tmp_dir = str_printf("%s/background", s->tmp_dir);
	if (!mkdir(s->tmp_dir, 0700) && !setenv("TMPDIR", s->tmp_dir, 1))      // a compiler that is killed leaves files there
		build(s);
	_exit(EXIT_SUCCESS);
}

void background_start(struct session *s, void (*build)(struct session *s))
{
	pid_t parent = getpid(), child;

	if (!s->cache_dir || process)
		return;
	fflush(NULL);
	child = fork();
	if (!child)
		run(s, build, parent);
	if (child < 0)
		return;
	setpgid(child, child);         // the child does the same: whichever comes first
	prctl(PR_SET_CHILD_SUBREAPER, 1);      // background_end() waits for the compilers, too
	process = child;
}

static void ended(void)
{
	prctl(PR_SET_CHILD_SUBREAPER, 0);
	process = 0;
}

void background_wait(void)
{
	struct pollfd fd = { .events = POLLIN };

	if (!process)
		return;
	fd.fd = (int)syscall(SYS_pidfd_open, process, 0);
	while (!waitpid(process, NULL, WNOHANG)) {
		poll(&fd, 1, 1000);        // returns when the process has ended, or a signal has arrived
		if (diag_interrupted)
			die("interrupted");
	}
	if (fd.fd >= 0)
		close(fd.fd);
	ended();
}

void background_end(void)
{
	if (!process)
		return;
	kill(-process, SIGKILL);
	while (waitpid(-process, NULL, 0) > 0)         // until none writes into the temporary directory
		;
	ended();
}
