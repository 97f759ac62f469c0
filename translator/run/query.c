// SPDX-License-Identifier: GPL-2.0-or-later
// --remote: asks each host for the release and machine of its kernel. The answers may be hostile: their size and the
// time are limited, and no control character of theirs is printed.
#include "run/remote.h"

#include "run/host.h"
#include "target/kernel.h"
#include "util/diag.h"
#include "util/spawn.h"
#include "util/str.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

// Up to ASKED_IN_TURN hosts are asked for their kernels one after the other, so that ssh can ask for passwords. If
// there are more, up to ASKED_AT_ONCE are asked at the same time, without passwords.
enum {
	ASKED_IN_TURN = 4,
	ASKED_AT_ONCE = 32,
	ANSWER_MAX = 1 << 16,              // bytes of an answer, with the messages of the login before it
	NOTICE_MS = 10000,                 // time after which a host that does not answer is named
};

// The program that asks a host, and its output so far.
struct query { int pid, fd; int64_t started_ms; struct buf output; };

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * (int64_t)1000 + t.tv_nsec / 1000000;
}

static void start_query(struct query *q, const struct remote *r)
{
	arguments argv = { 0 }, none = { 0 };
	int ends[2];

	host_shell_command(&argv, r, "uname -rm", &none);
	if (pipe2(ends, O_CLOEXEC))
		die("cannot create a pipe to %s: %s", r->url, strerror(errno));
	fflush(NULL);
	q->pid = fork();
	if (q->pid < 0)
		die("cannot start a process for %s: %s", r->url, strerror(errno));
	if (q->pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGTERM);      // no ssh stays behind if this process is killed
		dup2(open("/dev/null", O_RDONLY | O_CLOEXEC), STDIN_FILENO);
		dup2(ends[1], STDOUT_FILENO);
		dup2(ends[1], STDERR_FILENO);
		execvp(argv.at[0], (char *const *)argv.at);
		_exit(127);
	}
	close(ends[1]);
	q->fd = ends[0];
	q->started_ms = now_ms();
}

enum answer { ANSWERED, LATE, TOO_LONG };

// Returns the time in ms that is left of --timeout, or until the host is named; -1: there is no limit.
static int time_left(const struct options *o, const struct query *q, bool named)
{
	int64_t passed = now_ms() - q->started_ms, limit = (int64_t)(o->hosts_timeout_s * 1000);

	if (!limit)
		return named ? -1 : passed > NOTICE_MS ? 0 : (int)(NOTICE_MS - passed);
	return passed > limit ? 0 : (int)(limit - passed);
}

// Reads the output up to its end, and waits for the end of the program. *status: its exit status.
static enum answer read_answer(const struct options *o, const struct remote *r, struct query *q, int *status)
{
	struct pollfd fd = { q->fd, POLLIN, 0 };
	bool named = o->hosts_timeout_s > 0;
	char some[4096];

	for (;;) {
		int left = time_left(o, q, named);
		bool is_ready = false;
		ssize_t n;

		if (fd.fd < 0) {
			*status = spawn_wait_ms(q->pid, left);
			if (*status >= 0)
				return ANSWERED;
		} else {
			is_ready = poll(&fd, 1, left) > 0;
		}
		n = is_ready ? read(q->fd, some, sizeof(some)) : 0;
		if (n > 0)
			buf_add(&q->output, some, (size_t)n);
		else if (is_ready && (n == 0 || errno != EINTR))
			fd.fd = -1;
		if (q->output.len > ANSWER_MAX)
			return TOO_LONG;
		if (is_ready || left)
			continue;
		if (named)
			return LATE;
		named = true;
		fprintf(stderr, "waiting for the answer of %s (--timeout=SECONDS sets a limit)\n", r->url);
	}
}

// The host's text, without control characters.
static const char *shown(const char *text)
{
	return str_escape(text, strnlen(text, 200));
}

// Parses "6.1.0-56-cloud-amd64 x86_64". Returns NULL, or the reason why no module can be built for the host.
static const char *parse_answer(char *last, struct remote *r)
{
	char *arch = strchr(last, ' ');

	if (!arch || strchr(last, '/'))
		return str_printf("unexpected answer \"%s\" instead of the release and machine of a kernel", shown(last));
	*arch++ = '\0';
	r->release = last;
	r->arch = kernel_arch(arch);
	return r->arch ? NULL : str_printf("modules for %s cannot be built, only for x86_64 and arm64", shown(arch));
}

// Messages of the login, or warnings of ssh, precede the answer or the error.
static char *last_line(char *text)
{
	char *last;

	for (size_t len = strlen(text); len && strchr("\r\n", text[len - 1]); )
		text[--len] = '\0';
	last = strrchr(text, '\n');
	return last ? last + 1 : text;
}

// Returns NULL, or the reason why no module can be built for the host.
static const char *finish_query(const struct options *o, struct query *q, struct remote *r)
{
	int status = 0;
	enum answer answer = read_answer(o, r, q, &status);
	char *text = last_line(buf_text(&q->output));

	close(q->fd);
	if (answer != ANSWERED) {
		kill(q->pid, SIGKILL);
		spawn_wait(q->pid);
	}
	if (answer == LATE)
		return str_printf("that host has not answered within %g s (--timeout)", o->hosts_timeout_s);
	if (answer == TOO_LONG)
		return str_printf("that host has sent more than %d KB instead of the release of its kernel; see what its "
				  "shell prints at a login", ANSWER_MAX >> 10);
	if (status)
		return str_printf("cannot determine that host's kernel: %s", *text ? shown(text) : "ssh is not installed");
	return parse_answer(text, r);
}

void query_all(struct options *o, unreached_list *failed)
{
	typeof(o->remotes) *all = &o->remotes, reached = { 0 };
	struct query *queries = NEW_ARRAY(struct query, all->n);
	int at_once = all->n > ASKED_IN_TURN ? ASKED_AT_ONCE : 1, started = 0;

	for (int i = 0; i < all->n; i++) {
		struct remote *r = &all->at[i];
		const char *why;

		for (; started < all->n && started < i + at_once; started++)
			start_query(&queries[started], &all->at[started]);
		why = finish_query(o, &queries[i], r);

		if (why && !o->min_hosts)
			die("--remote=%s: %s", r->url, why);
		if (why)
			vec_push(failed, ((struct unreached){ r->url, why }));
		else
			vec_push(&reached, *r);
	}
	if (reached.n < o->min_hosts) {
		for vec_each(failed, f)
			fprintf(stderr, "WARNING: %s: %s\n", f->url, f->why);
		die("--min-hosts=%d: only %d of %d hosts can be used", o->min_hosts, reached.n, all->n);
	}
	*all = reached;
}
