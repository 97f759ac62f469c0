// SPDX-License-Identifier: GPL-2.0-or-later
// --remote: pass 5 on other hosts. Output of several hosts is printed in whole lines.
//
// remote_open() asks each host for its kernel, and forks a process for each kernel if there are several.
// remote_run() runs the module on the hosts of this process.
#include "run/remote.h"

#include "interrupts.h"
#include "run/host.h"
#include "run/merge.h"
#include "target/kernel.h"
#include "util/diag.h"
#include "util/spawn.h"
#include "util/str.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

void remote_check(const char *url)
{
	static const char *const others[] = { "unix:", "libvirt:", "bpf" };

	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (str_starts(url, others[i]))
			die("--remote=%s: unsupported URL; use [ssh://][USER@]HOST[:PORT], or direct:// for this "
			    "host", url);
	for (const char *c = url; *c; c++)
		if ((unsigned char)*c <= ' ' || *c == 0x7f || ((*c == '@' || *c == '/') && c[1] == '-'))
			die("--remote=\"%s\" has a blank, a control character or a host that begins with \"-\"; use "
			    "[ssh://][USER@]HOST[:PORT]", str_escape(url, strlen(url)));
	if (!*url || *url == '-')
		die("--remote takes [ssh://][USER@]HOST[:PORT] or direct://, not \"%s\"", url);
}

// ---------------------------------------------------------------- kernels of the hosts

// Up to ASKED_IN_TURN hosts are asked for their kernels one after the other, so that ssh can ask for passwords. If
// there are more, up to ASKED_AT_ONCE are asked at the same time, without passwords.
enum { ASKED_IN_TURN = 4, ASKED_AT_ONCE = 32 };

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

	host_shell_command(&argv, r->url, "uname -rm", &none);
	if (pipe2(ends, O_CLOEXEC))
		die("cannot create a pipe to %s: %s", r->url, strerror(errno));
	fflush(NULL);
	q->pid = fork();
	if (q->pid < 0)
		die("cannot start a process for %s: %s", r->url, strerror(errno));
	if (q->pid == 0) {
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

// Returns the time in ms that is left of --timeout; -1: there is no limit.
static int time_left(const struct options *o, const struct query *q)
{
	int64_t left = q->started_ms + (int64_t)(o->hosts_timeout_s * 1000) - now_ms();

	return !o->hosts_timeout_s ? -1 : left < 0 ? 0 : (int)left;
}

// Reads the output up to its end. Returns false if it has not ended in time.
static bool read_answer(const struct options *o, struct query *q)
{
	struct pollfd fd = { q->fd, POLLIN, 0 };
	char some[4096];
	ssize_t n = 1;

	while (n > 0 || (n < 0 && errno == EINTR)) {
		n = poll(&fd, 1, time_left(o, q));
		if (n == 0)
			return false;
		if (n > 0)
			n = read(q->fd, some, sizeof(some));
		if (n > 0)
			buf_add(&q->output, some, (size_t)n);
	}
	return true;
}

// Parses "6.1.0-56-cloud-amd64 x86_64". Returns NULL, or the reason why no module can be built for the host.
static const char *finish_query(const struct options *o, struct query *q, struct remote *r)
{
	bool in_time = read_answer(o, q);
	char *text, *last, *arch;

	close(q->fd);
	if (!in_time) {
		kill(q->pid, SIGKILL);
		spawn_wait(q->pid);
		return str_printf("that host has not answered within %g s (--timeout)", o->hosts_timeout_s);
	}
	text = buf_text(&q->output);
	if (spawn_wait(q->pid))
		return str_printf("cannot determine that host's kernel: %s",
		    *text ? str_ndup(text, strcspn(text, "\n")) : "ssh is not installed");
	for (size_t len = strlen(text); len && text[len - 1] == '\n'; )
		text[--len] = '\0';
	last = strrchr(text, '\n');         // messages of the login precede the answer
	last = last ? last + 1 : text;
	arch = strchr(last, ' ');
	if (!arch || strchr(last, '/'))
		return str_printf("unexpected answer \"%s\" instead of the release and machine of a kernel", last);
	*arch++ = '\0';
	r->release = last;
	r->arch = kernel_arch(arch);
	return r->arch ? NULL : str_printf("modules for %s cannot be built, only for x86_64 and arm64", arch);
}

// Moves hosts that cannot be used from *all to *failed. Ends the program if fewer than --min-hosts are left.
static void query_all(struct options *o, typeof(o->remotes) *all, unreached_list *failed)
{
	typeof(o->remotes) reached = { 0 };
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

static bool same_kernel(const struct remote *a, const struct remote *b)
{
	return strcmp(a->release, b->release) == 0 && a->arch == b->arch;
}

static int wait_all(const int *pids, int n)
{
	int status;
	bool failed = false, lost = false;

	for (int i = 0; i < n; i++) {
		while (waitpid(pids[i], &status, 0) < 0 && errno == EINTR)
			for (int j = i; j < n; j++)
				kill(pids[j], SIGTERM);
		status = WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILURE;
		failed |= status && status != EXIT_LOSSES;
		lost |= status == EXIT_LOSSES;
	}
	return failed ? EXIT_FAILURE : lost ? EXIT_LOSSES : EXIT_SUCCESS;
}

// Selects the hosts with the kernel of all.at[first]. Returns false if a host before it has that kernel.
static bool select_hosts(struct options *o, const typeof(o->remotes) *all, int first)
{
	const struct remote *of = &all->at[first];

	for (int i = 0; i < first; i++)
		if (same_kernel(&all->at[i], of))
			return false;
	o->remotes = (typeof(o->remotes)){ 0 };
	for (int i = first; i < all->n; i++)
		if (same_kernel(&all->at[i], of))
			vec_push(&o->remotes, all->at[i]);
	o->release = of->release;
	o->arch = of->arch;
	return true;
}

// A file that processes for other kernels, which print to the same output, lock while they print; -1: there are none.
static int output_lock = -1;

bool remote_are_apart(const struct options *o)
{
	return !o->merge && (o->remotes_all > 1 || o->remote_prefix);
}

bool remote_open(struct options *o, int *status)
{
	typeof(o->remotes) all = o->remotes;
	unreached_list failed = { 0 };
	int pids[all.n], n = 0;

	if (o->last_pass == 5 && o->output)
		run_open_output(run_output_path(o->output));
	query_all(o, &all, &failed);
	if (o->merge) {
		o->remotes = all;
		merge_open(o, &failed);
		return false;
	}
	for vec_each(&all, r) {
		if (o->script_file && !strcmp(o->script_file, "-") && !same_kernel(r, &all.at[0]))
			die("the hosts have different kernels (%s, %s), and a script on standard input can be "
			    "translated only once; use a file or -e", all.at[0].release, r->release);
	}
	output_lock = memfd_create("output", MFD_CLOEXEC);
	for (int first = 0; first < all.n; first++) {
		int pid;

		if (!select_hosts(o, &all, first))
			continue;
		pid = o->remotes.n < all.n || failed.n ? fork() : 0;
		if (pid < 0)
			die("cannot start a process for each kernel: %s", strerror(errno));
		if (pid == 0)
			return false;
		pids[n++] = pid;
	}
	host_count_signals();
	*status = wait_all(pids, n);
	for vec_each(&failed, f)               // reported at the end, where it is not overlooked
		fprintf(stderr, "WARNING: %s: nothing ran there: %s\n", f->url, f->why);
	return true;
}

// ---------------------------------------------------------------- running there

static void lock_output(short type)
{
	struct flock whole = { .l_type = type, .l_whence = SEEK_SET };

	while (output_lock >= 0 && fcntl(output_lock, F_SETLKW, &whole) && errno == EINTR)
		;
}

// Prints at once, so that lines of other processes are not printed within these.
static void put(const char *bytes, size_t len)
{
	lock_output(F_WRLCK);
	for (ssize_t n; len; bytes += n, len -= (size_t)n) {
		n = write(STDOUT_FILENO, bytes, len);
		if (n < 0 && errno != EINTR) {
			host_interrupt();              // standard output is closed: end the run
			break;
		}
		n = n < 0 ? 0 : n;
	}
	lock_output(F_UNLCK);
}

static void put_lines(const struct session *s, const struct host *h, const char *bytes, size_t len)
{
	const char *end = bytes + len;
	struct buf numbered = { 0 };

	if (!s->opt.remote_prefix) {
		put(bytes, len);
		return;
	}
	for (const char *next; bytes < end; bytes = next) {
		next = (const char *)memchr(bytes, '\n', (size_t)(end - bytes)) + 1;
		buf_printf(&numbered, "%d: ", h->remote->number);
		buf_add(&numbered, bytes, (size_t)(next - bytes));
	}
	put(numbered.text, numbered.len);
}

// Prints the output of one host as it arrives, that of several hosts in whole lines.
static void relay(struct session *s, struct host *h, const char *bytes, size_t len)
{
	const char *end = memrchr(bytes, '\n', len);
	size_t whole = end ? (size_t)(end - bytes) + 1 : 0;

	if (!remote_are_apart(&s->opt)) {
		put(bytes, len);
		return;
	}
	buf_add(&h->line, bytes, whole ? whole : len);
	if (!whole)
		return;
	put_lines(s, h, h->line.text, h->line.len);
	h->line.len = 0;
	buf_add(&h->line, bytes + whole, len - whole);
}

// Returns false at the end of the host's output.
static bool receive(struct session *s, struct host *h)
{
	char bytes[65536];
	ssize_t n = read(h->out, bytes, sizeof(bytes));

	if (n < 0 && errno == EINTR)
		return true;
	if (n > 0) {
		relay(s, h, bytes, (size_t)n);
		return true;
	}
	if (h->line.len)
		relay(s, h, "\n", 1);
	host_close(&h->out);
	host_close(&h->in);
	return false;
}

static void relay_all(struct session *s, struct host *hosts, int n)
{
	struct pollfd fds[2 * n];
	int left = n, forwarded = 0;

	while (left) {
		int signals = host_interrupts();

		for (int i = 0; i < n; i++) {
			struct host *h = &hosts[i];

			if (signals > forwarded && signals >= INTERRUPTS_MAX && h->out >= 0)
				kill(h->pid, SIGKILL);
			if (signals)
				host_close(&h->in);
			fds[2 * i] = (struct pollfd){ h->out, POLLIN, 0 };
			fds[2 * i + 1] = (struct pollfd){ host_is_sending(h) ? h->in : -1, POLLOUT, 0 };
		}
		forwarded = signals;
		if (poll(fds, (nfds_t)(2 * n), 1000) < 0)
			continue;
		for (int i = 0; i < n; i++) {
			if (fds[2 * i + 1].revents)
				host_send(&hosts[i]);
			if (fds[2 * i].revents)
				left -= !receive(s, &hosts[i]);
		}
	}
}

static void start_host(struct session *s, struct host *h, const struct remote *r, const struct host_module *module,
		       const name_list *settings)
{
	host_start(s, h, r, module, settings);
	if (s->opt.output_format && remote_are_apart(&s->opt))
		h->report = report_remote(s, r->url, &h->out);
}

// Returns the exit status of the run there, or that of its stap-report.
static int finish_host(const struct host *h)
{
	int status = spawn_wait(h->pid), reported = h->report ? spawn_wait(h->report) : 0;

	if (status && status != EXIT_COMMAND)
		fprintf(stderr, "WARNING: %s: the run there ended with status %d\n", h->remote->url, status);
	return status ? status : reported;
}

int remote_run(struct session *s)
{
	int n = s->opt.remotes.n, worst = 0;
	struct host hosts[n];
	struct host_module module = { .name = strrchr(s->module_path, '/') + 1 };
	name_list settings = { 0 };

	module.bytes = str_read_file(s->module_path, &module.size);
	if (!module.bytes)
		die("cannot read %s: %s", s->module_path, strerror(errno));
	if (s->reads_input)
		die("input.* probes cannot be used with --remote: standard input is not sent to the hosts");
	for vec_each(&s->opt.globals, g)
		vec_push(&settings, (const char *)str_printf("%s=%s", g->name, g->value));
	signal(SIGPIPE, SIG_IGN);
	host_ignore_signals();
	for (int i = 0; i < n; i++)
		start_host(s, &hosts[i], &s->opt.remotes.at[i], &module, &settings);
	host_count_signals();
	relay_all(s, hosts, n);
	for (int i = 0; i < n; i++) {
		int status = finish_host(&hosts[i]);

		if (!worst || ((worst == EXIT_LOSSES || worst == EXIT_COMMAND) && status && status != EXIT_COMMAND))
			worst = status;
	}
	return worst;
}
