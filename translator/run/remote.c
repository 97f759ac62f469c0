// SPDX-License-Identifier: GPL-2.0-or-later
// --remote: pass 5 on other hosts. Output of several hosts is printed in whole lines.
//
// remote_open() asks each host for its kernel (query.c), and forks a process for each kernel if there are several.
// remote_run() runs the module on the hosts of this process.
#include "run/remote.h"

#include "interrupts.h"
#include "run/host.h"
#include "run/merge.h"
#include "target/kernel.h"
#include "util/diag.h"
#include "util/spawn.h"
#include "util/str.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// Returns whether the host of the URL is an IPv6 address in brackets; a port has to be valid.
static bool is_address(const char *url)
{
	const char *at, *close;
	struct in6_addr address;
	int64_t port;

	url += str_starts(url, "ssh://") ? strlen("ssh://") : 0;
	at = strchr(url, '@');
	url = at ? at + 1 : url;
	close = strchr(url, ']');
	return *url == '[' && close && inet_pton(AF_INET6, str_ndup(url + 1, (size_t)(close - url - 1)), &address) == 1 &&
	       (!close[1] || (close[1] == ':' && str_number(close + 2, 1, 65535, &port)));
}

// Outside an allocation, srun would wait for a new one.
static void check_allocation(const char *url)
{
	if (str_starts(url, "srun://") && !getenv("SLURM_JOB_ID"))
		die("--remote=%s requires an allocation of Slurm: run stap in salloc or sbatch", url);
}

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
	if (strchr(url, '[') ? !is_address(url) : !strstr(url, "://") && strchr(url, ':') != strrchr(url, ':'))
		die("--remote=\"%s\" is not an IPv6 address in brackets, such as root@[2001:db8::1]:2222",
		    str_escape(url, strlen(url)));
	if (!*url || *url == '-')
		die("--remote takes [ssh://][USER@]HOST[:PORT], srun://NODE or direct://, not \"%s\"", url);
	check_allocation(url);
}

// ---------------------------------------------------------------- kernels of the hosts

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

// In a child: if the parent is killed, the run on the hosts of this child ends, too.
static void end_with_parent(void)
{
	prctl(PR_SET_PDEATHSIG, SIGTERM);
}

// A host takes the descriptors of two pipes, and usual limits are 1024.
static void raise_open_files(int hosts)
{
	rlim_t needed = 128 + 2 * (rlim_t)hosts;
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= needed)
		return;
	limit.rlim_cur = needed;
	if (setrlimit(RLIMIT_NOFILE, &limit))
		die("%d hosts require %llu open files, and the limit is %llu; raise it (ulimit -n)", hosts,
		    (unsigned long long)needed, (unsigned long long)limit.rlim_max);
}

bool remote_open(struct options *o, int *status)
{
	typeof(o->remotes) all;
	unreached_list failed = { 0 };
	int pids[o->remotes.n], n = 0;

	if (o->last_pass == 5 && o->output)
		run_open_output(run_output_path(o->output));
	raise_open_files(o->remotes.n);
	query_all(o, &failed);
	all = o->remotes;
	if (o->merge) {
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
		if (pid == 0) {
			end_with_parent();
			return false;
		}
		pids[n++] = pid;
	}
	host_count_signals();
	*status = wait_all(pids, n);
	for vec_each(&failed, f)               // reported at the end, where it is not overlooked
		fprintf(stderr, "WARNING: %s: nothing ran there: %s\n", f->url, f->why);
	return true;
}

// ---------------------------------------------------------------- running there

enum {
	LINE_MAX_BYTES = 8 << 20,          // size of a line, after which its parts are printed as lines
	NOTICE_MS = 5000,                  // time after an interrupt, after which hosts that have not ended are named
	EXIT_MS = 5000,                    // time in which ssh exits after it has closed its output
};

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
	if (!whole && h->line.len < LINE_MAX_BYTES)
		return;
	if (!whole)
		buf_add(&h->line, "\n", 1);
	put_lines(s, h, h->line.text, h->line.len);
	h->line.len = 0;
	if (end)
		buf_add(&h->line, end + 1, len - whole);
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

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * (int64_t)1000 + t.tv_nsec / 1000000;
}

// Interrupts that the hosts were informed of, and the time of the last; named: hosts that have not ended were named.
struct forwarded { int n; int64_t at_ms; bool named; };

// The first interrupt ends the runs by the end of their input, the second ends ssh. Returns the number of hosts whose
// output is not read any longer.
static int forward_interrupts(struct forwarded *f, struct host *hosts, int n)
{
	int signals = host_interrupts(), abandoned = 0;
	bool late;

	if (signals > f->n)
		*f = (struct forwarded){ signals, now_ms(), false };
	late = signals && !f->named && now_ms() - f->at_ms > NOTICE_MS;
	f->named |= late;
	for (int i = 0; i < n; i++) {
		struct host *h = &hosts[i];

		if (!signals || h->out < 0)
			continue;
		host_close(&h->in);
		if (signals >= INTERRUPTS_MAX)
			kill(h->pid, SIGKILL);
		if (!late)
			continue;
		if (signals < INTERRUPTS_MAX) {
			fprintf(stderr, "waiting for the end of the run on %s; another interrupt ends the connection\n",
				h->remote->url);
			continue;
		}
		host_close(&h->out);           // another process holds its output open
		abandoned++;
	}
	return abandoned;
}

static void relay_all(struct session *s, struct host *hosts, int n)
{
	struct pollfd fds[2 * n];
	struct forwarded forwarded = { 0 };
	int left = n;

	while ((left -= forward_interrupts(&forwarded, hosts, n)) > 0) {
		for (int i = 0; i < n; i++) {
			struct host *h = &hosts[i];

			fds[2 * i] = (struct pollfd){ h->out, POLLIN, 0 };
			fds[2 * i + 1] = (struct pollfd){ host_is_sending(h) ? h->in : -1, POLLOUT, 0 };
		}
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

// Returns the exit status of ssh, which a host that has closed its output may keep running.
static int end_connection(const struct host *h)
{
	int64_t until = now_ms() + EXIT_MS;
	int status = -1;

	for (int64_t left; status < 0 && (left = until - now_ms()) > 0; )
		status = spawn_wait_ms(h->pid, (int)left);
	if (status >= 0)
		return status;
	fprintf(stderr, "WARNING: %s: the run there has closed its output and has not ended\n", h->remote->url);
	kill(h->pid, SIGKILL);
	return spawn_wait(h->pid);
}

// Returns the exit status of the run there, or that of its stap-report.
static int finish_host(const struct host *h)
{
	int status = end_connection(h), reported = h->report ? spawn_wait(h->report) : 0;

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
