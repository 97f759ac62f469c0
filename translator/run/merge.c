// SPDX-License-Identifier: GPL-2.0-or-later
// --merge: pass 5 with event probes on other hosts and the remaining probes here. For each kernel a child process
// translates the script's part for hosts (elab/merge.c) and returns the module; this process translates the other
// part into a program of runtime/merge, starts the hosts, and passes their streams on to the program
// (runtime/include/hosts.h). The program reports when the hosts should end; after they have ended, it runs end
// probes.
#include "run/merge.h"

#include "hosts.h"
#include "interrupts.h"
#include "run/host.h"
#include "util/diag.h"
#include "util/progress.h"
#include "util/spawn.h"

#include <errno.h>
#include <fcntl.h>
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

enum { END_SECONDS = 15 };         // time after which hosts that have not ended are abandoned

// A kernel of some hosts, and the process that builds their module.
struct build {
	const char *release, *arch;
	int pid, go, result;
	struct host_module module;         // bytes is NULL if the build failed
};

static VEC(struct build) builds;
static unreached_list unreached;
static int deliver_to = -1;        // in a child: the descriptor to which it writes the module

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
	o->output_format = o->output = o->monitor = NULL;
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

struct merging {
	struct session *s;
	struct host *hosts;
	struct timespec *last_data;        // [hosts]: time of the last data from it
	struct timespec started, stopped;
	int n, pid;
	int to, from;                      // descriptors of the program's streams; -1: closed
	bool stopping, killed;
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
	m->from = out[0];
}

// Passes bytes on to the program, unless it has ended.
static void tell(struct merging *m, const void *bytes, size_t size)
{
	for (ssize_t n; size && m->to >= 0; bytes = (const char *)bytes + n, size -= (size_t)n) {
		n = write(m->to, bytes, size);
		if (n < 0 && errno != EINTR)
			host_close(&m->to);
		n = n < 0 ? 0 : n;
	}
}

static void stop(struct merging *m)
{
	if (m->stopping)
		return;
	m->stopping = true;
	m->stopped = now();
	for (int i = 0; i < m->n; i++)
		host_close(&m->hosts[i].in);
}

// ---------------------------------------------------------------- the hosts

static void receive(struct merging *m, int i)
{
	struct host *h = &m->hosts[i];
	struct { struct stp_hosts_chunk head; char bytes[STP_HOSTS_CHUNK_MAX]; } chunk = { .head.host = (unsigned)i };
	ssize_t n = read(h->out, chunk.bytes, sizeof(chunk.bytes));

	if (n < 0 && errno == EINTR)
		return;
	if (n <= 0) {
		host_close(&h->out);
		host_close(&h->in);
	} else {
		m->last_data[i] = now();
	}
	chunk.head.len = n > 0 ? (unsigned)n : 0;
	tell(m, &chunk, sizeof(chunk.head) + chunk.head.len);
}

static void check_ends(struct merging *m)
{
	int interrupts = host_interrupts();
	bool late = m->stopping && seconds_since(m->stopped, now()) > END_SECONDS;

	if (interrupts)
		stop(m);
	if ((interrupts < INTERRUPTS_MAX && !late) || m->killed)
		return;
	m->killed = true;
	for (int i = 0; i < m->n; i++)
		if (m->hosts[i].out >= 0)
			kill(m->hosts[i].pid, SIGKILL);
}

static void relay(struct merging *m)
{
	struct pollfd fds[2 * m->n + 1];
	int running = m->n;
	char byte;

	while (running) {
		check_ends(m);
		for (int i = 0; i < m->n; i++) {
			struct host *h = &m->hosts[i];

			fds[2 * i] = (struct pollfd){ h->out, POLLIN, 0 };
			fds[2 * i + 1] = (struct pollfd){ host_is_sending(h) ? h->in : -1, POLLOUT, 0 };
		}
		fds[2 * m->n] = (struct pollfd){ m->stopping ? -1 : m->from, POLLIN, 0 };
		if (poll(fds, (nfds_t)(2 * m->n + 1), 1000) < 0)
			continue;
		if (fds[2 * m->n].revents && read(m->from, &byte, 1) >= 0)
			stop(m);                       // the program requests the end of the hosts, or has exited
		for (int i = 0; i < m->n; i++) {
			if (fds[2 * i + 1].revents)
				host_send(&m->hosts[i]);
			if (fds[2 * i].revents)
				receive(m, i);
		}
		running = 0;
		for (int i = 0; i < m->n; i++)
			running += m->hosts[i].out >= 0;
	}
	host_close(&m->to);
}

// Reports each host whose part of the result is missing or incomplete. Returns the number of complete hosts.
static int report(struct merging *m, int *status)
{
	int complete = 0;

	for (int i = 0; i < m->n; i++) {
		struct host *h = &m->hosts[i];
		int rc = spawn_wait(h->pid);

		complete += rc == 0 || rc == EXIT_LOSSES || rc == EXIT_COMMAND;
		if (!*status && (rc == EXIT_LOSSES || rc == EXIT_COMMAND))
			*status = rc;
		if (!rc || rc == EXIT_LOSSES || rc == EXIT_COMMAND)
			continue;
		if (!m->last_data[i].tv_sec)
			fprintf(stderr, "WARNING: %s: nothing of this host is in the result: the run there failed (status %d)\n",
				h->remote->url, rc);
		else
			fprintf(stderr, "WARNING: %s: the run there ended early (status %d); the result has what it sent in the first "
				"%.1f s\n", h->remote->url, rc, seconds_since(m->started, m->last_data[i]));
	}
	for vec_each(&unreached, u)
		fprintf(stderr, "WARNING: %s: nothing of this host is in the result: %s\n", u->url, u->why);
	return complete;
}

int merge_run(struct session *s)
{
	struct merging m = { .s = s };
	struct stp_hosts head = { .prefix = s->opt.remote_prefix, .all = s->opt.command != NULL };
	int status, complete, wanted;

	build_all(s);
	m.n = s->opt.remotes.n;
	m.hosts = NEW_ARRAY(struct host, m.n + 1);
	m.last_data = NEW_ARRAY(struct timespec, m.n + 1);
	head.n = (unsigned)m.n;
	signal(SIGPIPE, SIG_IGN);
	start_program(&m);
	tell(&m, &head, sizeof(head));
	host_ignore_signals();
	for (int i = 0; i < m.n; i++)
		host_start(s, &m.hosts[i], &s->opt.remotes.at[i], &build_of(&s->opt.remotes.at[i])->module, &s->host_settings);
	host_count_signals();
	m.started = now();
	relay(&m);
	status = spawn_wait(m.pid);
	complete = report(&m, &status);
	wanted = s->opt.min_hosts ? s->opt.min_hosts : m.n;
	return status ? status : complete < wanted ? EXIT_FAILURE : EXIT_SUCCESS;
}
