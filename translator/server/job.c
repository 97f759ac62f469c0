// SPDX-License-Identifier: GPL-2.0-or-later
// Starts and ends the child processes of the language server. A child writes {"result": ...} or {"error": TEXT} to
// a pipe; a child that writes neither has crashed or exceeded its time limit.
#include "server/job.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_SECONDS = 30 };         // time limit of a child

static int answer_fd = -1;

void job_answer(struct json_object *result)
{
	struct json_object *answer = json_with(json_object_new_object(), "result", result);
	const char *text = json_object_to_json_string_ext(answer, JSON_C_TO_STRING_PLAIN);
	size_t len = strlen(text);

	while (len) {
		ssize_t n = write(answer_fd, text, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		text += n;
		len -= n;
	}
	_exit(EXIT_SUCCESS);
}

// Messages are ignored during a request: the check of the text reports them.
static void on_message(enum diag_severity severity, struct loc loc, const char *text)
{
	if (severity != DIAG_FAILURE)
		return;
	dprintf(answer_fd, "%s", json_object_to_json_string(json_with(json_object_new_object(), "error", json_string(text))));
	_exit(EXIT_SUCCESS);
}

static void run_child(struct job *job, struct request *r, feature *run, int fd, pid_t server)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGALRM };
	int null;

	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		signal(signals[i], SIG_DFL);
	null = open("/dev/null", O_RDWR);
	dup2(null, STDOUT_FILENO);
	dup2(null, STDERR_FILENO);
	dup2(null, STDIN_FILENO);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != server)
		_exit(EXIT_FAILURE);
	alarm(MAX_SECONDS);
	setpgid(0, 0);
	answer_fd = fd;
	diag_reset();
	diag_listen(on_message);
	diag_options.color = false;
	if (!mkdir(job->tmp_dir, 0700))
		r->s->tmp_dir = (char *)job->tmp_dir;
	job_answer(run(r));
}

bool job_start(struct job *job, struct request *r, feature *run)
{
	static int number;
	pid_t server = getpid();
	int ends[2];

	if (pipe(ends))
		return false;
	job->tmp_dir = str_printf("%s/job%d", r->s->tmp_dir, number++);
	job->pid = fork();
	if (!job->pid) {
		close(ends[0]);
		run_child(job, r, run, ends[1], server);
	}
	close(ends[1]);
	job->fd = ends[0];
	if (job->pid < 0)
		close(ends[0]);
	return job->pid > 0;
}

void job_end(struct job *job)
{
	kill(-job->pid, SIGKILL);      // also kills compilers that it started
	kill(job->pid, SIGKILL);
	while (waitpid(job->pid, NULL, 0) < 0 && errno == EINTR)
		;
	close(job->fd);
	rmdir(job->tmp_dir);           // session_close() removes a directory that is not empty
}
