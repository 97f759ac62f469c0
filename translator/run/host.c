// SPDX-License-Identifier: GPL-2.0-or-later
// Starts a module on another host, which needs only staprun and a shell. ssh sends the module there; it runs from a
// directory of its own and is stopped when this side closes its standard input.
#include "run/host.h"

#include "interrupts.h"
#include "util/diag.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
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

static const char *quoted(const char *word)
{
	struct buf b = { 0 };

	buf_printf(&b, "'");
	for (; *word; word++)
		buf_printf(&b, *word == '\'' ? "'\\''" : "%c", *word);
	buf_printf(&b, "'");
	return buf_text(&b);
}

// ssh joins the words of the command to one text for a shell.
void host_shell_command(arguments *argv, const char *url, const char *script, const arguments *words)
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

// ---------------------------------------------------------------- starting

void host_start(struct session *s, struct host *h, const struct remote *r, const struct host_module *module,
		const name_list *settings)
{
	const char *name = module->name;
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t heeded;
	arguments words = { 0 }, argv = { 0 };
	int in[2], out[2], err;

	*h = (struct host){ .remote = r, .module = module };
	vec_push(&words, str_printf("%zu", module->size));
	vec_push(&words, name);
	run_options(s, &words);
	vec_push(&words, "-r");
	vec_push(&words, str_printf("%d:%s", r->number, r->url));
	vec_push(&words, name);
	for vec_each(settings, setting)
		vec_push(&words, *setting);
	host_shell_command(&argv, r->url, on_host, &words);
	if (pipe2(in, O_CLOEXEC) < 0 || pipe2(out, O_CLOEXEC) < 0)
		die("cannot create a pipe to %s: %s", r->url, strerror(errno));
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, in[0], 0);
	posix_spawn_file_actions_adddup2(&actions, out[1], 1);
	posix_spawnattr_init(&attributes);
	sigfillset(&heeded);
	if (is_direct(r->url)) {           // without ssh, the shell and staprun must not ignore the signals
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

void host_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

bool host_is_sending(const struct host *h)
{
	return h->in >= 0 && h->sent < h->module->size;
}

void host_send(struct host *h)
{
	ssize_t n = write(h->in, h->module->bytes + h->sent, h->module->size - h->sent);

	if (n > 0)
		h->sent += (size_t)n;
	else if (n < 0 && errno != EAGAIN && errno != EINTR)
		host_close(&h->in);
}

// ---------------------------------------------------------------- interrupts

static volatile sig_atomic_t signals;

static void count_signal(int sig)
{
	signals = interrupts_add(signals);
}

static void handle_signals(void (*handler)(int))
{
	static const int list[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	struct sigaction sa = { .sa_handler = handler };

	for (size_t i = 0; i < ARRAY_SIZE(list); i++)
		sigaction(list[i], &sa, NULL);
}

void host_ignore_signals(void)
{
	handle_signals(SIG_IGN);
}

void host_count_signals(void)
{
	handle_signals(count_signal);
}

int host_interrupts(void)
{
	return signals;
}

void host_interrupt(void)
{
	signals = signals ? signals : 1;
}
