// SPDX-License-Identifier: GPL-2.0-or-later
// Starts a module on another host, which needs only staprun and a shell. ssh sends the module there; it runs from a
// directory of its own. It is stopped when this side closes its standard input, or with --merge by an order
// (host_link.c).
#include "run/host.h"

#include "interrupts.h"
#include "util/diag.h"
#include "util/str.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

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

// Runs staprun --link, which reads the module from standard input.
static const char linked_on_host[] =
	"command -v staprun >/dev/null || { echo 'ERROR: staprun is not installed on this host' >&2; exit 1; }\n"
	"exec staprun --link \"$@\"\n";

// With --merge, hosts send the same keys each second, of which little is left when ssh has compressed them.
#define COMPRESSED "-oCompression=yes"

static bool is_direct(const char *url)
{
	static const char *const names[] = { "direct", "direct:", "direct://", "stapsh:", "stapsh://" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(url, names[i]))
			return true;
	return false;
}

#define SRUN "srun://"

static bool is_of_slurm(const char *url)
{
	return str_starts(url, SRUN);
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

// Adds the destination, with "--" before it. ssh:// URLs of ssh have no IPv6 addresses, so these are passed without
// brackets.
static void add_destination(arguments *argv, const char *url)
{
	const char *open = strchr(url, '['), *close = strchr(url, ']');

	if (open && close) {
		url += str_starts(url, "ssh://") ? strlen("ssh://") : 0;
		if (close[1] == ':') {
			vec_push(argv, "-p");
			vec_push(argv, close + 2);
		}
		url = str_printf("%.*s%.*s", (int)(open - url), url, (int)(close - open - 1), open + 1);
	} else if (!strstr(url, "://") && strchr(url, ':')) {
		url = str_printf("ssh://%s", url);
	}
	vec_push(argv, "--");
	vec_push(argv, url);
}

static void add_shell(arguments *argv, const char *script, const arguments *words)
{
	vec_push(argv, "sh");
	vec_push(argv, "-c");
	vec_push(argv, script);
	vec_push(argv, "sh");
	for vec_each(words, word)
		vec_push(argv, *word);
	vec_push(argv, NULL);
}

// A step of the allocation that shares the processors and the memory of its other steps. Without --unbuffered, Slurm
// passes output on after a newline. If stap is killed, srun receives SIGINT: it cancels a step that waits, and passes
// the signal on to one that runs. That one ends when its input ends, as with ssh, so that it removes its files.
static void slurm_command(arguments *argv, const char *node, const char *script, const arguments *words)
{
	static const char *const options[] = {
		"srun", "--nodes=1", "--ntasks=1", "--overlap", "--quiet", "--unbuffered", "--disable-status",
	};

	for (size_t i = 0; i < ARRAY_SIZE(options); i++)
		vec_push(argv, options[i]);
	vec_push(argv, str_printf("--nodelist=%s", node));
	vec_push(argv, "--");
	add_shell(argv, str_printf("trap '' INT; %s", script), words);
}

// ssh joins the words of the command to one text for a shell. options: of ssh.
static void shell_command(arguments *argv, const struct remote *r, const arguments *options, const char *script,
			  const arguments *words)
{
	const char *url = r->url;
	struct buf line = { 0 };

	if (is_direct(url)) {
		add_shell(argv, script, words);
		return;
	}
	if (is_of_slurm(url)) {
		slurm_command(argv, url + strlen(SRUN), script, words);
		return;
	}
	buf_printf(&line, "exec sh -c %s sh", quoted(script));
	for vec_each(words, word)
		buf_printf(&line, " %s", quoted(*word));
	vec_push(argv, "ssh");
	for vec_each(options, option)
		vec_push(argv, *option);
	if (r->gateways && *r->gateways) {
		vec_push(argv, "-J");
		vec_push(argv, r->gateways);
	}
	add_destination(argv, url);
	vec_push(argv, buf_text(&line));
	vec_push(argv, NULL);
}

void host_shell_command(arguments *argv, const struct remote *r, const char *script, const arguments *words)
{
	arguments none = { 0 };

	shell_command(argv, r, &none, script, words);
}

// ---------------------------------------------------------------- starting

static void handle_signals(void (*handler)(int))
{
	static const int list[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	struct sigaction sa = { .sa_handler = handler };

	for (size_t i = 0; i < ARRAY_SIZE(list); i++)
		sigaction(list[i], &sa, NULL);
}

// In the child of connect_to(). in_background: see there. ssh is killed when stap is, also while it connects and does
// not read its input. srun receives no signal of the terminal. A shell for this host is not killed: it ends the run and
// removes its files when its input ends, and the signals that stap ignores must end it.
static void run_connection(const struct host *h, const arguments *argv, bool in_background, int in, int out,
			   int parent)
{
	bool of_slurm = is_of_slurm(h->remote->url), direct = is_direct(h->remote->url);

	if (direct || of_slurm) {
		handle_signals(SIG_DFL);
		signal(SIGPIPE, SIG_DFL);
	}
	if (!direct)
		prctl(PR_SET_PDEATHSIG, of_slurm ? SIGINT : SIGKILL);
	if (getppid() != parent)
		_exit(127);                        // stap has been killed in the meantime
	if (in_background || of_slurm)
		setpgid(0, 0);
	if (in_background) {
		dup2(open("/dev/null", O_WRONLY | O_CLOEXEC), STDERR_FILENO);
	}
	dup2(in, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	execvp(argv->at[0], (char *const *)argv->at);
	dprintf(STDERR_FILENO, "ERROR: cannot run %s: %s\n", argv->at[0], strerror(errno));
	_exit(127);
}

// Runs a command that reads from h->in and writes to h->out. Returns 0 or an errno. in_background: the terminal's
// signals do not reach it, and its messages are discarded.
static int connect_to(struct host *h, const arguments *argv, bool in_background)
{
	int in[2], out[2], err, parent = getpid();

	if (pipe2(in, O_CLOEXEC))
		return errno;
	if (pipe2(out, O_CLOEXEC)) {
		err = errno;
		close(in[0]);
		close(in[1]);
		return err;
	}
	h->pid = fork();
	err = h->pid < 0 ? errno : 0;
	if (h->pid == 0)
		run_connection(h, argv, in_background, in[0], out[1], parent);
	h->in = in[1];
	h->out = out[0];
	close(in[0]);
	close(out[1]);
	fcntl(h->in, F_SETFL, O_NONBLOCK);
	if (!err)
		return 0;
	h->pid = 0;
	host_close(&h->in);
	host_close(&h->out);
	return err;
}

static void start(struct session *s, struct host *h, const struct remote *r, const struct host_module *module,
		  const name_list *settings, const char *script)
{
	const char *name = module->name;
	arguments words = { 0 }, argv = { 0 }, options = { 0 };
	int err;

	if (script == linked_on_host)
		vec_push(&options, COMPRESSED);
	*h = (struct host){ .remote = r, .module = module };
	vec_push(&words, str_printf("%zu", module->size));
	vec_push(&words, name);
	run_options(s, &words);
	vec_push(&words, "-r");
	vec_push(&words, str_printf("%d:%s", r->number, r->url));
	vec_push(&words, name);
	for vec_each(settings, setting)
		vec_push(&words, *setting);
	shell_command(&argv, r, &options, script, &words);
	err = connect_to(h, &argv, false);
	if (err)
		die("cannot run %s: %s", argv.at[0], strerror(err));
}

void host_start(struct session *s, struct host *h, const struct remote *r, const struct host_module *module,
		const name_list *settings)
{
	start(s, h, r, module, settings, on_host);
}

void host_start_link(struct session *s, struct host *h, const struct remote *r, const struct host_module *module,
		     const name_list *settings)
{
	start(s, h, r, module, settings, linked_on_host);
}

bool host_rejoin(struct host *h, const char *directory, bool own_connection)
{
	arguments words = { 0 }, argv = { 0 }, options = { 0 };

	vec_push(&words, directory);
	vec_push(&options, COMPRESSED);
	vec_push(&options, "-oBatchMode=yes");         // ssh in the background cannot ask for a password
	if (own_connection)
		vec_push(&options, "-oControlPath=none");
	shell_command(&argv, h->remote, &options, "exec staprun --rejoin \"$1\"", &words);
	return !connect_to(h, &argv, true);
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
