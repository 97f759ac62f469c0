// SPDX-License-Identifier: GPL-2.0-or-later
// --remote: pass 5 on other hosts. A host needs staprun and a shell, nothing else: the module goes to it by ssh
// and runs from a directory of its own, its lines come back whole, and it is stopped when this side ends.
//
//   remote_open()  asks each host for its kernel; hosts with another kernel are left to a child process
//   remote_run()   runs the module that was built on the hosts of this process
#include "run/remote.h"

#include "interrupts.h"
#include "run/run.h"
#include "target/kernel.h"
#include "util/diag.h"
#include "util/spawn.h"
#include "util/str.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

// Reads the module, $1 bytes, from standard input. The end of the input ends the script.
static const char on_host[] =
	"umask 077; size=$1 name=$2; shift 2\n"
	"d=$(mktemp -d \"${TMPDIR:-/tmp}/stapXXXXXX\") || exit 1\n"
	"trap 'rm -rf \"$d\"' EXIT\n"
	"head -c \"$size\" >\"$d/$name\" || exit 1\n"
	"for a; do shift; [ \"$a\" != \"$name\" ] || a=$d/$name; set -- \"$@\" \"$a\"; done\n"
	"command -v staprun >/dev/null || { echo 'ERROR: staprun is not installed on this host' >&2; exit 1; }\n"
	"exec 3<&0\n"
	"staprun \"$@\" </dev/null 3<&- & p=$!\n"
	"{ cat <&3; kill -TERM $p; } >/dev/null 2>&1 & w=$!\n"
	"exec 3<&-\n"
	"wait $p; r=$?\n"
	"kill $w 2>/dev/null\n"
	"exit $r\n";

static bool is_direct(const char *url)
{
	static const char *const names[] = { "direct", "direct:", "direct://", "stapsh:", "stapsh://" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(url, names[i]))
			return true;
	return false;
}

void remote_check(const char *url)
{
	static const char *const others[] = { "unix:", "libvirt:", "bpf" };

	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (str_starts(url, others[i]))
			die("--remote=%s: unsupported URL; use [ssh://][USER@]HOST[:PORT], or direct:// for this "
			    "host", url);
	for (const char *c = url; *c; c++)
		if ((unsigned char)*c <= ' ' || *c == 0x7f || (*c == '@' && c[1] == '-'))
			die("--remote=\"%s\" has a blank, a control character or a host that begins with \"-\"; use "
			    "[ssh://][USER@]HOST[:PORT]", str_escape(url, strlen(url)));
	if (!*url || *url == '-')
		die("--remote takes [ssh://][USER@]HOST[:PORT] or direct://, not \"%s\"", url);
}

static const char *quoted(const char *word)
{
	struct buf b = { 0 };

	buf_printf(&b, "'");
	for (; *word; word++)
		buf_printf(&b, *word == '\'' ? "'\\''" : "%c", *word);
	buf_printf(&b, "'");
	return buf_text(&b);
}

// Passes a script and its arguments to a shell on that host; ssh joins its words for a shell.
static void push_shell_command(arguments *argv, const char *url, const char *script, const arguments *words)
{
	struct buf line = { 0 };

	if (is_direct(url)) {
		vec_push(argv, "sh");
		vec_push(argv, "-c");
		vec_push(argv, script);
		vec_push(argv, "sh");
		for vec_each(words, word)
			vec_push(argv, *word);
		vec_push(argv, NULL);
		return;
	}
	buf_printf(&line, "exec sh -c %s sh", quoted(script));
	for vec_each(words, word)
		buf_printf(&line, " %s", quoted(*word));
	vec_push(argv, "ssh");
	vec_push(argv, "--");
	vec_push(argv, strstr(url, "://") || !strchr(url, ':') ? url : str_printf("ssh://%s", url));
	vec_push(argv, buf_text(&line));
	vec_push(argv, NULL);
}

// ---------------------------------------------------------------- kernels of the hosts

// Reads "6.1.0-56-cloud-amd64 x86_64". Returns NULL, or why nothing can be built for the host.
static const char *query_kernel(struct remote *r)
{
	const char *url = r->url;
	arguments argv = { 0 }, none = { 0 };
	struct spawn ask = { .capture = true };
	char *last, *arch;

	push_shell_command(&argv, url, "uname -rm", &none);
	ask.argv = argv.at;
	if (spawn_run(&ask))
		return str_printf("cannot determine that host's kernel: %s",
		    *ask.output ? str_ndup(ask.output, strcspn(ask.output, "\n")) : "ssh is not installed");
	for (size_t len = strlen(ask.output); len && ask.output[len - 1] == '\n'; )
		ask.output[--len] = '\0';
	last = strrchr(ask.output, '\n');         // messages of the login come first
	last = last ? last + 1 : ask.output;
	arch = strchr(last, ' ');
	if (!arch || strchr(last, '/'))
		return str_printf("unexpected answer \"%s\" instead of the release and machine of a kernel", last);
	*arch++ = '\0';
	r->release = last;
	r->arch = kernel_arch(arch);
	return r->arch ? NULL : str_printf("modules for %s cannot be built, only for x86_64 and arm64", arch);
}

struct unreached { const char *url, *why; };
typedef VEC(struct unreached) unreached_list;

// Moves hosts that cannot be used from *all to *failed. Ends the program if fewer than --min-hosts are left.
static void query_all(struct options *o, typeof(o->remotes) *all, unreached_list *failed)
{
	typeof(o->remotes) reached = { 0 };

	for vec_each(all, r) {
		const char *why = query_kernel(r);

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

static volatile sig_atomic_t signals;      // number of interrupts since the first process was started

static void count_signal(int sig)
{
	signals = interrupts_add(signals);
}

// Ignored signals stay ignored in ssh, so that only this process handles those of the terminal.
static void handle_signals(void (*handler)(int))
{
	static const int list[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	struct sigaction sa = { .sa_handler = handler };

	for (size_t i = 0; i < ARRAY_SIZE(list); i++)
		sigaction(list[i], &sa, NULL);
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

bool remote_open(struct options *o, int *status)
{
	typeof(o->remotes) all = o->remotes;
	unreached_list failed = { 0 };
	int pids[all.n], n = 0;

	if (o->last_pass == 5 && o->output && !freopen(run_output_path(o->output), "w", stdout))
		die("-o %s: %s", o->output, strerror(errno));
	query_all(o, &all, &failed);
	for vec_each(&all, r) {
		if (o->script_file && !strcmp(o->script_file, "-") && !same_kernel(r, &all.at[0]))
			die("the hosts have different kernels (%s, %s), and a script on standard input can be "
			    "translated only once; use a file or -e", all.at[0].release, r->release);
	}
	for (int first = 0; first < all.n; first++) {
		int i = 0, pid;

		while (!same_kernel(&all.at[i], &all.at[first]))
			i++;
		if (i < first)
			continue;
		o->remotes = (typeof(o->remotes)){ 0 };
		for (i = first; i < all.n; i++)
			if (same_kernel(&all.at[i], &all.at[first]))
				vec_push(&o->remotes, all.at[i]);
		o->release = all.at[first].release;
		o->arch = all.at[first].arch;
		pid = o->remotes.n < all.n || failed.n ? fork() : 0;
		if (pid < 0)
			die("cannot start a process for each kernel: %s", strerror(errno));
		if (pid == 0)
			return false;
		pids[n++] = pid;
	}
	handle_signals(count_signal);
	*status = wait_all(pids, n);
	for vec_each(&failed, f)               // at the end, where it is not overlooked
		fprintf(stderr, "WARNING: %s: nothing ran there: %s\n", f->url, f->why);
	return true;
}

// ---------------------------------------------------------------- running there

struct host {
	const struct remote *remote;
	int pid, in, out;          // -1: closed
	size_t sent;               // bytes of the module
	struct buf line;           // with several hosts: an incomplete line
};

static void start_host(struct session *s, struct host *h, size_t size)
{
	const char *name = strrchr(s->module_path, '/') + 1;
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t heeded;
	arguments words = { 0 }, argv = { 0 };
	int in[2], out[2], err;

	vec_push(&words, str_printf("%zu", size));
	vec_push(&words, name);
	run_options(s, &words);
	vec_push(&words, "-r");
	vec_push(&words, str_printf("%d:%s", h->remote->number, h->remote->url));
	vec_push(&words, name);
	run_settings(s, &words);
	push_shell_command(&argv, h->remote->url, on_host, &words);
	if (pipe2(in, O_CLOEXEC) < 0 || pipe2(out, O_CLOEXEC) < 0)
		die("cannot make a pipe to %s: %s", h->remote->url, strerror(errno));
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, in[0], 0);
	posix_spawn_file_actions_adddup2(&actions, out[1], 1);
	posix_spawnattr_init(&attributes);
	sigfillset(&heeded);
	if (is_direct(h->remote->url)) {           // no ssh: the shell and staprun must not ignore them
		posix_spawnattr_setsigdefault(&attributes, &heeded);
		posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
	}
	err = posix_spawnp(&h->pid, argv.at[0], &actions, &attributes, (char *const *)argv.at, environ);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	if (err)
		die("cannot run %s: %s", argv.at[0], strerror(err));
	close(in[0]);
	close(out[1]);
	h->in = in[1];
	h->out = out[0];
	fcntl(h->in, F_SETFL, O_NONBLOCK);
}

static void close_end(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void send_module(struct host *h, const char *module, size_t size)
{
	ssize_t n = write(h->in, module + h->sent, size - h->sent);

	if (n > 0)
		h->sent += (size_t)n;
	else if (n < 0 && errno != EAGAIN && errno != EINTR)
		close_end(&h->in);
}

static void put(const char *bytes, size_t len)
{
	if (fwrite(bytes, 1, len, stdout) != len)
		signals = signals ? signals : 1;       // standard output is closed: end the run
}

// Prints the output of one host as it arrives, that of several hosts in whole lines.
static void relay(struct session *s, struct host *h, const char *bytes, size_t len)
{
	const char *end;

	if (s->opt.remotes_all == 1 && !s->opt.remote_prefix) {
		put(bytes, len);
		return;
	}
	buf_add(&h->line, bytes, len);
	while (h->line.len && (end = memchr(h->line.text, '\n', h->line.len))) {
		size_t n = (size_t)(end - h->line.text) + 1;

		if (s->opt.remote_prefix)
			printf("%d: ", h->remote->number);
		put(h->line.text, n);
		h->line.len -= n;
		memmove(h->line.text, h->line.text + n, h->line.len + 1);
	}
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
	close_end(&h->out);
	close_end(&h->in);
	return false;
}

static void relay_all(struct session *s, struct host *hosts, int n, const char *module, size_t size)
{
	struct pollfd fds[2 * n];
	int left = n, forwarded = 0;

	while (left) {
		for (int i = 0; i < n; i++) {
			struct host *h = &hosts[i];

			if (signals > forwarded && signals >= INTERRUPTS_MAX && h->out >= 0)
				kill(h->pid, SIGKILL);
			if (signals)
				close_end(&h->in);
			fds[2 * i] = (struct pollfd){ h->out, POLLIN, 0 };
			fds[2 * i + 1] = (struct pollfd){ h->sent < size ? h->in : -1, POLLOUT, 0 };
		}
		forwarded = signals;
		fflush(stdout);
		if (poll(fds, (nfds_t)(2 * n), 1000) < 0)
			continue;
		for (int i = 0; i < n; i++) {
			if (fds[2 * i + 1].revents)
				send_module(&hosts[i], module, size);
			if (fds[2 * i].revents)
				left -= !receive(s, &hosts[i]);
		}
	}
}

int remote_run(struct session *s)
{
	int n = s->opt.remotes.n, worst = 0;
	struct host hosts[n];
	size_t size;
	char *module = str_read_file(s->module_path, &size);

	if (!module)
		die("cannot read %s: %s", s->module_path, strerror(errno));
	if (s->reads_input)
		die("input.* probes cannot be used with --remote: standard input is not sent to the hosts");
	signal(SIGPIPE, SIG_IGN);
	handle_signals(SIG_IGN);
	for (int i = 0; i < n; i++) {
		hosts[i] = (struct host){ .remote = &s->opt.remotes.at[i] };
		start_host(s, &hosts[i], size);
	}
	handle_signals(count_signal);
	relay_all(s, hosts, n, module, size);
	for (int i = 0; i < n; i++) {
		int status = spawn_wait(hosts[i].pid);

		if (status && status != EXIT_COMMAND)
			fprintf(stderr, "WARNING: %s: the run there ended with status %d\n", hosts[i].remote->url, status);
		if (!worst || ((worst == EXIT_LOSSES || worst == EXIT_COMMAND) && status && status != EXIT_COMMAND))
			worst = status;
	}
	return worst;
}
