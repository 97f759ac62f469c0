// SPDX-License-Identifier: GPL-2.0-or-later
// --merge: pass 5 with event probes on other hosts and the remaining probes here. For each kernel a child process
// translates the script's part for hosts (elab/merge.c) and returns the module; this process translates the other
// part into a program of runtime/merge, starts the hosts, and passes their streams on to the program
// (runtime/include/hosts.h). The program reports when the hosts should end; after they have ended, it runs end
// probes.
#include "run/merge.h"

#include "hosts.h"
#include "interrupts.h"
#include "run/host_link.h"
#include "util/diag.h"
#include "util/progress.h"
#include "util/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum {
	END_SECONDS = 15,          // time after which hosts that have not ended are abandoned
	ABORT_SECONDS = 1,         // time in which the last order reaches the hosts
	PENDING_MAX = 4 << 20,     // bytes that the program has not read, after which hosts have to wait
	CLOCKS_APART_NS = 10000000,        // difference of clocks that is reported
	EARLY_MAX = 64 << 20,              // bytes of all hosts that the program stores before begin probes run,
	EARLY_MIN = 256 << 10,             // and of one host at least
	STATE_MAX = 4096,                  // bytes of the state of the hosts, for the screen of --monitor
	NOTICE_SECONDS = 10,               // time after which hosts whose probes are not armed are named
};

// A kernel of some hosts, and the process that builds their module.
struct build {
	const char *release, *arch;
	int pid, go, result;
	struct host_module module;         // bytes is NULL if the build failed
};

static VEC(struct build) builds;
static unreached_list unreached;
static int deliver_to = -1;        // descriptor to which a child writes the module; -1: not a child

static void make_pipe(int ends[2])
{
	if (pipe2(ends, O_CLOEXEC))
		die("cannot create a pipe: %s", strerror(errno));
}

// ---------------------------------------------------------------- building for hosts

static bool same_kernel(const struct build *b, const struct remote *r)
{
	return !strcmp(b->release, r->release) && b->arch == r->arch;
}

static struct build *build_of(const struct remote *r)
{
	for vec_each(&builds, b)
		if (same_kernel(b, r))
			return b;
	return NULL;
}

// In a child: sets the options so that it makes a module and runs nothing.
static void become_builder(struct options *o, const struct build *b)
{
	o->merge = MERGE_HOST;
	o->records = true;
	o->last_pass = 4;
	o->release = b->release;
	o->arch = b->arch;
	o->output_format = o->output = NULL;
	o->outputs.n = 0;
	o->record = o->timing = false;
	diag_options.no_warnings = true;       // the process of the other part reports warnings
	progress_off();
	for (int pass = 0; pass < (int)ARRAY_SIZE(o->verbose); pass++)
		o->verbose[pass] = 0;
}

// Returns true in the child, after the other part of the script was translated, so that errors are reported once.
static bool start_builder(struct options *o, struct build *b)
{
	int go[2], result[2];
	char byte;

	make_pipe(go);
	make_pipe(result);
	b->pid = fork();
	if (b->pid < 0)
		die("cannot start a process for each kernel: %s", strerror(errno));
	close(b->pid ? go[0] : go[1]);
	close(b->pid ? result[1] : result[0]);
	b->go = go[1];
	b->result = result[0];
	if (b->pid)
		return false;
	for vec_each(&builds, other)
		if (other != b)
			close(other->go);
	if (read(go[0], &byte, 1) != 1)
		_exit(EXIT_FAILURE);
	deliver_to = result[1];
	become_builder(o, b);
	return true;
}

void merge_open(struct options *o, const unreached_list *failed)
{
	unreached = *failed;
	for vec_each(&o->remotes, r)
		if (!build_of(r))
			vec_push(&builds, ((struct build){ .release = r->release, .arch = r->arch }));
	for vec_each(&builds, b)
		if (start_builder(o, b))
			return;
	o->release = builds.at[0].release;
	o->arch = builds.at[0].arch;
}

static void write_all(int fd, const void *bytes, size_t size)
{
	for (ssize_t n; size; bytes = (const char *)bytes + n, size -= (size_t)n) {
		n = write(fd, bytes, size);
		if (n < 0 && errno != EINTR)
			die("cannot copy the module to a pipe: %s", strerror(errno));
		n = n < 0 ? 0 : n;
	}
}

void merge_deliver(struct session *s)
{
	size_t size;
	const char *name = strrchr(s->module_path, '/'), *bytes = str_read_file(s->module_path, &size);

	if (!bytes)
		die("cannot read %s: %s", s->module_path, strerror(errno));
	name = name ? name + 1 : s->module_path;
	write_all(deliver_to, name, strlen(name) + 1);
	write_all(deliver_to, bytes, size);
}

// Reads the module that a child has built.
static void finish_build(struct build *b)
{
	struct buf all = { 0 };
	char some[65536];
	size_t name;
	ssize_t n;

	while ((n = read(b->result, some, sizeof(some))) > 0 || (n < 0 && errno == EINTR))
		if (n > 0)
			buf_add(&all, some, (size_t)n);
	close(b->result);
	if (spawn_wait(b->pid) || !all.len)
		return;
	name = strlen(all.text) + 1;
	b->module = (struct host_module){ all.text, all.text + name, all.len - name };
}

static void build_all(struct session *s)
{
	typeof(s->opt.remotes) ready = { 0 };

	progress("building for %d kernel%s", builds.n, builds.n == 1 ? "" : "s");
	for vec_each(&builds, b) {
		write_all(b->go, "", 1);
		close(b->go);
	}
	for vec_each(&builds, b)
		finish_build(b);
	progress_end();
	for vec_each(&s->opt.remotes, r) {
		const char *why = str_printf("the script cannot be built for its kernel %s", r->release);

		if (build_of(r)->module.bytes)
			vec_push(&ready, *r);
		else if (s->opt.min_hosts)
			vec_push(&unreached, ((struct unreached){ r->url, why }));
		else
			die("%s: %s; --min-hosts=N runs it on the others", r->url, why);
	}
	s->opt.remotes = ready;
}

// ---------------------------------------------------------------- the program

struct merged_host {
	struct host_link link;
	struct timespec last_data;         // time of the last output from it
	struct buf errors;                 // incomplete last line of its standard error
	size_t early;                      // bytes of its output before begin probes run
	bool armed;
	bool late;                         // its probes were not armed in time
	bool ended;                        // the program was informed of its end
};

struct merging {
	struct session *s;
	struct merged_host *hosts;
	struct timespec started, stopped, killed_at;
	int n, pid;
	int to, from;                      // descriptors of the program's streams; -1: closed
	struct buf pending;                // bytes for the program that it has not read
	size_t passed;                     // number of bytes of `pending` that were written
	struct buf errors;                 // messages of hosts that stderr has not accepted
	size_t printed;                    // number of bytes of `errors` that were written
	const char *state;                 // state of the hosts that the screen of --monitor shows; NULL: none yet
	bool stopping, killed, told_status;
	bool begun;                        // all hosts are armed or have ended, so begin probes run
	bool timed_out;                    // --timeout has elapsed
	bool named;                        // hosts whose probes were not armed after NOTICE_SECONDS were named
	bool failed;                       // too few hosts were armed then
};

static double seconds_since(struct timespec from, struct timespec to)
{
	return (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) / 1e9;
}

static struct timespec now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t;
}

static void start_program(struct merging *m)
{
	struct session *s = m->s;
	posix_spawn_file_actions_t actions;
	arguments argv = { 0 };
	int in[2], out[2], theirs[2], err;

	vec_push(&argv, user_program(s));
	user_settings(s, &argv);
	vec_push(&argv, NULL);
	make_pipe(in);
	make_pipe(out);
	theirs[0] = fcntl(in[0], F_DUPFD_CLOEXEC, 10);         // descriptors from 10 on, so that dup2() to lower
							       // ones does not replace them
	theirs[1] = fcntl(out[1], F_DUPFD_CLOEXEC, 10);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, theirs[0], STP_HOSTS_IN);
	posix_spawn_file_actions_adddup2(&actions, theirs[1], STP_HOSTS_OUT);
	err = posix_spawnp(&m->pid, argv.at[0], &actions, NULL, (char *const *)argv.at, environ);
	if (err)
		die("cannot run %s: %s", argv.at[0], strerror(err));
	close(in[0]);
	close(out[1]);
	close(theirs[0]);
	close(theirs[1]);
	m->to = in[1];
	fcntl(m->to, F_SETFL, O_NONBLOCK);
	m->from = out[0];
}

// Passes on as many bytes as the program accepts, without waiting: hosts need orders also while the program is blocked,
// for example by a pager.
static void pass_on(struct merging *m)
{
	ssize_t n = 1;

	while (m->to >= 0 && m->passed < m->pending.len && n > 0) {
		n = write(m->to, m->pending.text + m->passed, m->pending.len - m->passed);
		if (n > 0)
			m->passed += (size_t)n;
		else if (errno != EINTR && errno != EAGAIN)
			host_close(&m->to);
	}
	if (m->to < 0 || m->passed == m->pending.len)
		m->passed = m->pending.len = 0;
}

// Queues bytes for the program, unless it has ended.
static void tell(struct merging *m, const void *bytes, size_t size)
{
	if (m->to >= 0)
		buf_add(&m->pending, bytes, size);
}

static void order(struct merging *m, enum link_order_kind kind)
{
	for (int i = 0; i < m->n; i++) {
		struct host_link *l = &m->hosts[i].link;

		if (host_is_sending(&l->host))
			host_close(&l->host.in);       // the session there has not begun
		else
			link_order(l, kind);
	}
}

// Gives hosts an order that is given only once.
static void order_once(struct merging *m, enum link_order_kind kind, bool *given, struct timespec *at)
{
	if (*given)
		return;
	*given = true;
	*at = now();
	order(m, kind);
}

static void stop(struct merging *m)
{
	order_once(m, LINK_STOP, &m->stopping, &m->stopped);
}

static void abort_hosts(struct merging *m)
{
	order_once(m, LINK_ABORT, &m->killed, &m->killed_at);
}

// Reads notices of the program.
static void read_notices(struct merging *m)
{
	struct stp_hosts_notice notices[512];
	ssize_t n = read(m->from, notices, sizeof(notices));

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n <= 0) {
		host_close(&m->from);
		stop(m);                       // the program has exited
	}
	for (ssize_t i = 0; i < n / (ssize_t)sizeof(notices[0]); i++) {
		if (notices[i].kind == STP_HOSTS_STOP)
			stop(m);
		else if (notices[i].host < (unsigned)m->n)
			m->hosts[notices[i].host].armed = true;
	}
}

// ---------------------------------------------------------------- the hosts

// Writes a part of the messages that stderr accepts without blocking, as poll() has said: hosts need orders also while
// stderr is blocked.
static void print_errors(struct merging *m)
{
	size_t left = m->errors.len - m->printed;
	ssize_t n = write(STDERR_FILENO, m->errors.text + m->printed, left < PIPE_BUF ? left : PIPE_BUF);

	if (n > 0)
		m->printed += (size_t)n;
	if ((n < 0 && errno != EINTR && errno != EAGAIN) || m->printed == m->errors.len)
		m->printed = m->errors.len = 0;
}

// Queues messages of a host in whole lines.
static void add_errors(struct merging *m, struct merged_host *h, const char *bytes, size_t len)
{
	const char *end;

	buf_add(&h->errors, bytes, len);
	end = memrchr(h->errors.text, '\n', h->errors.len);
	if (!end && h->errors.len < STP_HOSTS_CHUNK_MAX)
		return;
	len = end ? (size_t)(end - h->errors.text) + 1 : h->errors.len;
	buf_add(&m->errors, h->errors.text, len);
	h->errors.len -= len;
	memmove(h->errors.text, h->errors.text + len, h->errors.len);
}

static void take(void *data, int i, enum link_message_kind kind, const char *bytes, size_t len)
{
	struct merging *m = data;
	struct stp_hosts_chunk chunk = { .host = (unsigned)i, .len = (unsigned)len };

	if (kind == LINK_ERRORS) {
		add_errors(m, &m->hosts[i], bytes, len);
		return;
	}
	if (!len)
		return;
	m->hosts[i].last_data = now();
	m->hosts[i].early += len;
	tell(m, &chunk, sizeof(chunk));
	tell(m, bytes, len);
}

static bool is_complete(const struct host_link *l)
{
	return l->status == 0 || l->status == EXIT_LOSSES || l->status == EXIT_COMMAND;
}

static const char *unreached_text(const char *url, const char *why)
{
	return str_printf("%s: nothing of this host is in the result: %s", url, why);
}

// Returns the message about a host whose part of the result is missing or incomplete.
static const char *host_problem(const struct merging *m, const struct merged_host *h)
{
	const struct host_link *l = &h->link;
	const char *url = l->host.remote->url, *why;

	if (h->late)
		why = str_printf("its probes were not armed within %g s (--timeout)", m->s->opt.hosts_timeout_s);
	else if (!l->directory)
		why = str_printf("the run there failed (status %d)", l->status);
	else if (!l->has_status)
		why = "the connection was lost";
	else
		why = str_printf("the run there ended early (status %d)", l->status);
	if (h->late || !h->last_data.tv_sec)
		return unreached_text(url, why);
	return str_printf("%s: %s; the result has what it sent in the first %.1f s", url, why,
			  seconds_since(m->started, h->last_data));
}

// Lets the program record the message, so that all outputs have it.
static void tell_problem(struct merging *m, const char *text)
{
	struct stp_hosts_chunk chunk = { .host = STP_HOSTS_WARNING };
	size_t len = strlen(text);

	chunk.len = len < STATE_MAX ? (unsigned)len : STATE_MAX;
	tell(m, &chunk, sizeof(chunk));
	tell(m, text, chunk.len);
}

static void report_end(struct merging *m, int i)
{
	struct stp_hosts_chunk chunk = { .host = (unsigned)i };
	struct merged_host *h = &m->hosts[i];

	if (h->ended || !h->link.over)
		return;
	h->ended = true;
	add_errors(m, h, "\n", h->errors.len ? 1 : 0);
	if (!is_complete(&h->link))
		tell_problem(m, host_problem(m, h));
	tell(m, &chunk, sizeof(chunk));
}

static int wanted_hosts(const struct merging *m)
{
	return m->s->opt.min_hosts ? m->s->opt.min_hosts : m->n;
}

// begin probes wait for all hosts, so the user should see for which.
static void name_unarmed(struct merging *m)
{
	if (m->named || m->stopping || seconds_since(m->started, now()) < NOTICE_SECONDS)
		return;
	m->named = true;
	for (int i = 0; i < m->n; i++)
		if (!m->hosts[i].armed && !m->hosts[i].link.over)
			fprintf(stderr, "waiting for the probes of %s (--timeout=SECONDS sets a limit)\n",
				m->hosts[i].link.host.remote->url);
}

// When --timeout has elapsed: abandons the hosts whose probes are not armed. If too few are left, ends the run, before
// the program has run begin probes.
static void check_armed(struct merging *m)
{
	double limit = m->s->opt.hosts_timeout_s;
	int armed = 0, late = 0;

	if (!limit)
		name_unarmed(m);
	if (!limit || m->timed_out || m->stopping || seconds_since(m->started, now()) < limit)
		return;
	m->timed_out = true;
	for (int i = 0; i < m->n; i++) {
		struct merged_host *h = &m->hosts[i];

		armed += h->armed;
		h->late = !h->armed && !h->link.over;
		late += h->late;
	}
	m->failed = late && armed < wanted_hosts(m);
	if (m->failed) {
		m->stopping = true;
		kill(m->pid, SIGKILL);
		abort_hosts(m);
	}
	for (int i = 0; i < m->n; i++)
		if (m->hosts[i].late)
			link_close(&m->hosts[i].link);
}

static void check_ends(struct merging *m)
{
	int interrupts = host_interrupts();
	bool late = m->stopping && seconds_since(m->stopped, now()) > END_SECONDS;

	if (interrupts)
		stop(m);
	if (interrupts >= INTERRUPTS_MAX || late)
		abort_hosts(m);
	if (!m->killed || seconds_since(m->killed_at, now()) < ABORT_SECONDS)
		return;
	for (int i = 0; i < m->n; i++)
		link_close(&m->hosts[i].link);
}

// Before begin probes run, the program stores what hosts send. A host that sends more has to wait.
static bool is_read(const struct merging *m, const struct merged_host *h)
{
	size_t most = EARLY_MAX / (size_t)m->n;

	return m->begun || h->early < (most > EARLY_MIN ? most : EARLY_MIN);
}

// Adds the text `before` and the names of hosts of which `applies` returns true.
static void add_names(const struct merging *m, struct buf *text, const char *before,
		      bool applies(const struct merged_host *))
{
	int n = 0;

	for (int i = 0; i < m->n; i++)
		if (applies(&m->hosts[i]))
			buf_printf(text, "%s %s", n++ ? "" : before, m->hosts[i].link.host.remote->url);
}

static bool is_lost(const struct merged_host *h)
{
	return h->link.over && !is_complete(&h->link);
}

static bool is_interrupted(const struct merged_host *h)
{
	return !h->link.over && h->link.directory && h->link.host.out < 0;
}

// With --monitor: passes the state of the hosts to the screen if it has changed.
static void tell_state(struct merging *m)
{
	struct stp_hosts_chunk chunk = { .host = STP_HOSTS_STATE };
	struct buf text = { 0 }, names = { 0 };
	int connected = m->n;

	if (!m->s->opt.monitor || m->stopping)
		return;
	for (int i = 0; i < m->n; i++)
		connected -= is_lost(&m->hosts[i]) || is_interrupted(&m->hosts[i]);
	add_names(m, &names, ", lost:", is_lost);
	for vec_each(&unreached, u)
		buf_printf(&names, "%s %s", u == unreached.at ? ", not reached:" : "", u->url);
	add_names(m, &names, ", connecting again:", is_interrupted);
	buf_printf(&text, "%d of %d host%s%s", connected, m->n + unreached.n, m->n + unreached.n == 1 ? "" : "s",
		   buf_text(&names));
	if (m->state && !strcmp(m->state, buf_text(&text)))
		return;
	m->state = buf_text(&text);
	chunk.len = text.len < STATE_MAX ? (unsigned)text.len : STATE_MAX;
	tell(m, &chunk, sizeof(chunk));
	tell(m, m->state, chunk.len);
}

static void check_begun(struct merging *m)
{
	bool begun = true;

	for (int i = 0; i < m->n; i++)
		begun &= m->hosts[i].armed || m->hosts[i].link.over;
	m->begun |= begun || m->stopping;
}

// Waits up to half of LINK_BEAT_MS for hosts and the program, then reads their data and sends orders.
static void wait_and_receive(struct merging *m, struct pollfd *fds)
{
	bool has_space = m->pending.len < PENDING_MAX && m->errors.len < PENDING_MAX;

	for (int i = 0; i < m->n; i++) {
		const struct host *h = &m->hosts[i].link.host;

		fds[2 * i] = (struct pollfd){ has_space && is_read(m, &m->hosts[i]) ? h->out : -1, POLLIN, 0 };
		fds[2 * i + 1] = (struct pollfd){ host_is_sending(h) ? h->in : -1, POLLOUT, 0 };
	}
	fds[2 * m->n] = (struct pollfd){ m->from, POLLIN, 0 };
	fds[2 * m->n + 1] = (struct pollfd){ m->pending.len ? m->to : -1, POLLOUT, 0 };
	fds[2 * m->n + 2] = (struct pollfd){ m->errors.len ? STDERR_FILENO : -1, POLLOUT, 0 };
	if (poll(fds, (nfds_t)(2 * m->n + 3), LINK_BEAT_MS / 2) < 0)
		return;
	if (fds[2 * m->n + 2].revents)
		print_errors(m);
	if (fds[2 * m->n].revents)
		read_notices(m);
	for (int i = 0; i < m->n; i++) {
		if (fds[2 * i + 1].revents)
			host_send(&m->hosts[i].link.host);
		if (fds[2 * i].revents)
			link_receive(&m->hosts[i].link, take, m, i);
	}
	for (int i = 0; i < m->n; i++)
		link_tick(&m->hosts[i].link, has_space && is_read(m, &m->hosts[i]));
}

// Returns the exit status: that of the program, or of hosts if it is 0.
static int exit_status(const struct merging *m, int status)
{
	int complete = 0;

	for (int i = 0; i < m->n; i++) {
		const struct host_link *l = &m->hosts[i].link;

		complete += is_complete(l);
		if (!status && is_complete(l))
			status = l->status;
	}
	return status ? status : complete < wanted_hosts(m) ? EXIT_FAILURE : EXIT_SUCCESS;
}

// Lets the program record the exit status, once all hosts have ended.
static void tell_status(struct merging *m)
{
	int status = exit_status(m, EXIT_SUCCESS);
	struct stp_hosts_chunk chunk = { .host = STP_HOSTS_STATUS, .len = sizeof(status) };

	if (m->told_status)
		return;
	m->told_status = true;
	tell(m, &chunk, sizeof(chunk));
	tell(m, (const char *)&status, sizeof(status));
}

static void relay(struct merging *m)
{
	struct pollfd fds[2 * m->n + 3];
	int running = m->n;

	while (running || (m->pending.len && m->to >= 0) || (m->errors.len && !m->killed)) {
		check_armed(m);
		check_ends(m);
		check_begun(m);
		wait_and_receive(m, fds);
		running = 0;
		for (int i = 0; i < m->n; i++) {
			report_end(m, i);
			running += !m->hosts[i].link.over;
		}
		tell_state(m);
		if (!running)
			tell_status(m);
		pass_on(m);
	}
	while (m->errors.len && poll(&(struct pollfd){ STDERR_FILENO, POLLOUT, 0 }, 1, 0) > 0)
		print_errors(m);
	host_close(&m->to);
}

// Only reports a difference that is larger than the error of its measurement.
static void report_clock(const struct host_link *l)
{
	int64_t apart = l->ahead_ns < 0 ? -l->ahead_ns : l->ahead_ns, within = l->round_trip_ns / 2;

	if (l->round_trip_ns && apart - within > CLOCKS_APART_NS)
		fprintf(stderr, "WARNING: %s: its clock differs from this host's by %s%.0f ms (measured to within %.0f ms)\n",
			l->host.remote->url, l->ahead_ns < 0 ? "-" : "+", (double)apart / 1e6, (double)within / 1e6 + 1);
}

// Returns exit_status().
static int report(const struct merging *m, int status)
{
	int armed = 0;

	for (int i = 0; i < m->n; i++) {
		const struct merged_host *h = &m->hosts[i];
		const struct host_link *l = &h->link;

		report_clock(l);
		if (l->reconnected && m->s->opt.verbose[5])
			fprintf(stderr, "%s: connected again %d times\n", l->host.remote->url, l->reconnected);
		armed += h->armed;
		if (!is_complete(l) && !(m->failed && h->armed))
			fprintf(stderr, "WARNING: %s\n", host_problem(m, h));
	}
	for vec_each(&unreached, u)
		fprintf(stderr, "WARNING: %s\n", unreached_text(u->url, u->why));
	if (m->failed)
		die("--timeout=%g: only %d of %d hosts have armed their probes in time%s", m->s->opt.hosts_timeout_s, armed,
		    m->n + unreached.n, m->s->opt.min_hosts ? "" : "; --min-hosts=N runs the script on those");
	return exit_status(m, status);
}

int merge_run(struct session *s)
{
	struct merging m = { .s = s };
	struct stp_hosts head = { .prefix = s->opt.remote_prefix, .all = s->opt.command != NULL };

	build_all(s);
	m.n = s->opt.remotes.n;
	m.hosts = NEW_ARRAY(struct merged_host, m.n + 1);
	head.n = (unsigned)m.n;
	signal(SIGPIPE, SIG_IGN);
	if (s->opt.export)
		user_serve(s);
	start_program(&m);
	tell(&m, &head, sizeof(head));
	for vec_each(&unreached, u)
		tell_problem(&m, unreached_text(u->url, u->why));
	host_ignore_signals();
	for (int i = 0; i < m.n; i++)
		link_start(s, &m.hosts[i].link, &s->opt.remotes.at[i], &build_of(&s->opt.remotes.at[i])->module,
			   &s->host_settings);
	host_count_signals();
	m.started = now();
	relay(&m);
	return report(&m, spawn_wait(m.pid));
}
