// SPDX-License-Identifier: GPL-2.0-or-later
// staprun: the privileged loader. It loads a module, sends it the kernel addresses, which only a privileged process
// can determine, passes the open device to stapio, which runs as the real user, waits for stapio, and unloads the
// module.
// The exit status is that of stapio.
//
//   load -> HELLO, WANTs, ADDRESSes -> fork -> child:  drop all privileges, exec stapio -F DEVICE
//                                           -> parent: drop all but CAP_SYS_MODULE, wait, unload
#include "staprun.h"

#include "config.h"
#include "log.h"
#include "messages.h"
#include "streams.h"
#include "syscalls.h"

#include "../include/sys/sdt.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ANSWER_TIMEOUT_MS 10000            // maximum wait for the module's answer to HELLO
#define BUFFERS_MAX_MB 128                 // maximum sum of all CPUs' buffers without RIGHTS_ALL
#define RENAME_TRIES 10                    // -R: maximum number of attempts to find an unused name
static struct {
	bool load_only, attach, remove, rename;    // -L -A -d -R
	bool command, process, output, switching;  // -c -x -o -S
	bool daemon;                               // -D
	bool buffer;                               // -b
	bool parameter_given;                      // _stp_NAME=VALUE was given
	const char *module;
	char **settings;                           // name=value ..., NULL-terminated
	char parameters[512];                      // module parameters: settings whose name begins with _stp_
	const char **relay_args;                   // arguments that are passed to stapio, which parses them
	int relay_n;
	void (*sigpipe)(int);                      // how the caller handles SIGPIPE: SIG_DFL or SIG_IGN
} opt;

// Drops privileges and executes stapio. Returns only on failure.
static void exec_stapio(const char **argv)
{
	char path[1100];

	sibling_path(path, sizeof(path), "SYSTEMTAP_STAPIO", "stapio", "../libexec/quicktap/stapio");
	if (!caps_drop() && signal(SIGPIPE, opt.sigpipe) != SIG_ERR)
		execv(path, (char **)argv);
	log_error("cannot run %s: %m", path);
}

// stapio prints the usage text, to keep the privileged program small.
static void __attribute__((noreturn)) show_help(void)
{
	exec_stapio((const char *[]){ "stapio", "-h", NULL });
	exit(1);
}

static int usage_error(const char *format, const char *word)
{
	log_error(format, word);
	log_note(0, "Try 'staprun -h' for more information.");
	return -EINVAL;
}

static int add_parameter(const char *setting)
{
	size_t at = strlen(opt.parameters);

	if (setting[strcspn(setting, " \t\n\v\f\r\240\"")])
		return usage_error("invalid module parameter \"%s\": blanks and quotes are not allowed", setting);
	if (snprintf(opt.parameters + at, sizeof(opt.parameters) - at, "%s%s", at ? " " : "", setting) >=
	    sizeof(opt.parameters) - at)
		return usage_error("too many module parameters at \"%s\": at most 511 characters", setting);
	return 0;
}

// -u is accepted for compatibility and has no effect.
static int parse_option(int letter)
{
	static const char *const relayed[] = { ['c'] = "-c", ['k'] = "-k", ['Q'] = "-Q", ['o'] = "-o", ['C'] = "-C",
		['T'] = "-T", ['S'] = "-S", ['N'] = "-N", ['x'] = "-x", ['t'] = "-x", ['v'] = "-v", ['w'] = "-w",
		['L'] = "-L", ['i'] = "-i", ['A'] = "-A", ['r'] = "-r", ['M'] = "-M", ['e'] = "-e", ['z'] = NULL };
	char setting[32];
	int64_t mb;

	switch (letter) {
	case 'v': log_verbose++; break;
	case 'w': log_no_warnings = true; break;
	case 'R': opt.rename = true; break;
	case 'L': opt.load_only = true; break;
	case 'A': opt.attach = true; break;
	case 'd': opt.remove = true; break;
	case 'c': opt.command = true; break;
	case 'o': opt.output = true; break;
	case 'S': opt.switching = true; break;
	case 'D': opt.daemon = true; break;
	case 'b':
		opt.buffer = true;
		if (!number_whole(optarg, 10, 1, 4095, &mb))
			return usage_error("invalid value \"%s\" of -b: expected megabytes, 1 to 4095", optarg);
		snprintf(setting, sizeof(setting), "_stp_bufsize=%d", (int)mb);
		return add_parameter(setting);
	case 'C':
		if (!log_color(optarg))
			return usage_error("invalid value \"%s\" of -C: expected auto, always or never", optarg);
		break;
	case 'x': case 't': opt.process = true; break;
	case 'h': show_help();
	case 'V': printf("Quicktap staprun %s, protocol %08x\n", PACKAGE_VERSION, STP_PROTOCOL); exit(0);
	case '-':
		if (!strcmp(optarg, "help") || !strcmp(optarg, "version"))
			return parse_option(*optarg == 'h' ? 'h' : 'V');
		if (strcmp(optarg, "strict"))
			return usage_error("unknown option \"--%s\": the long options are --help, --strict and --version", optarg);
		letter = 'e';
		optarg = NULL;
		break;
	case '?': return usage_error("unknown option, or its value is missing", "");
	}
	if (relayed[letter])
		opt.relay_args[opt.relay_n++] = relayed[letter];
	if (relayed[letter] && optarg)
		opt.relay_args[opt.relay_n++] = optarg;
	return 0;
}

static int check_conflicts(void)
{
	const struct { bool given; const char *message; } conflicts[] = {
		{ opt.command && opt.process, "-c cannot be combined with -x" },
		{ opt.attach && (opt.load_only || opt.buffer || opt.command || opt.process),
		  "-A cannot be combined with -L, -b, -c or -x" },
		{ opt.load_only && opt.command, "-L cannot be combined with -c" },
		{ opt.remove && (opt.attach || opt.load_only || opt.command || opt.process),
		  "-d cannot be combined with -A, -L, -c or -x" },
		{ opt.daemon && (opt.load_only || opt.remove || opt.command), "-D cannot be combined with -L, -d or -c" },
		{ opt.daemon && !opt.output, "-D requires -o FILE" },
		{ opt.switching && !opt.output, "-S requires -o FILE" },
	};

	for (size_t i = 0; i < sizeof(conflicts) / sizeof(conflicts[0]); i++)
		if (conflicts[i].given)
			return usage_error(conflicts[i].message, "");
	return 0;
}

// Splits the arguments after the module into module parameters (opt.parameters) and globals (opt.settings).
static int parse_settings(char **from)
{
	char **to = opt.settings = from;

	for (; *from; from++) {
		size_t len = strspn(*from, NAME_CHARACTERS);

		if (!len || (*from)[len] != '=')
			return usage_error("invalid argument \"%s\": only NAME=VALUE may follow the module", *from);
		if (strncmp(*from, "_stp_", 5))
			*to++ = *from;
		else if (add_parameter(*from))
			return -EINVAL;
		else
			opt.parameter_given = true;
	}
	*to = NULL;
	return 0;
}

static int parse_options(int argc, char **argv)
{
	size_t size = 16;                  // space for internal options; each letter of an argument may be an option
	int letter;

	if (argc > 2 && (!strcmp(argv[1], "--link") || !strcmp(argv[1], "--rejoin")))  // --merge: link.c
		exec_stapio((argv[0] = "stapio", (const char **)argv));
	for (int i = 0; i < argc; i++)
		size += strlen(argv[i]) + 1;
	opt.relay_args = calloc(size, sizeof(*opt.relay_args));
	if (!opt.relay_args)
		return -ENOMEM;
	opt.relay_args[0] = "stapio";
	opt.relay_n = 1;
	while ((letter = getopt(argc, argv, "ivwQRLAdDb:x:t:c:k:o:S:N:r:C:T:M:hVu::-:")) != -1)
		if (parse_option(letter))
			return -EINVAL;
	if (check_conflicts())
		return -EINVAL;
	if (optind >= argc)
		return usage_error("no module given: name one, or its file NAME.ko", "");
	opt.module = argv[optind];
	if ((opt.attach || opt.remove) && !module_name_is_valid(opt.module) &&
	    !(opt.remove && !strcmp(opt.module, "*")))
		return usage_error("invalid module name \"%s\": -A and -d require the name of a loaded module", opt.module);
	return parse_settings(argv + optind + 1);
}

// --- talking to the module ---

static int send_command(int device, int type, const void *payload, size_t len)
{
	unsigned char bytes[STP_MSG_MAX];
	struct stp_cmd *cmd = (struct stp_cmd *)bytes;
	ssize_t n;

	if (sizeof(*cmd) + len > sizeof(bytes))
		return -E2BIG;
	cmd->type = type;
	cmd->len = len;
	memcpy(cmd->payload, payload, len);
	STAP_PROBE3(staprun, send__control__message, type, payload, len);
	n = sys_write(device, bytes, sizeof(*cmd) + len);
	return n < 0 ? n : 0;
}

struct wants {
	struct symbol *symbol;
	unsigned *index;                   // for each symbol, the module's index
	int n, size, explained;            // size: allocated elements; explained: the module sent an error
};

static int add_want(struct wants *w, const struct stp_msg *msg)
{
	const struct stp_want *want = (const struct stp_want *)msg->payload;
	char *name, *colon;

	if (msg->len <= sizeof(*want) || msg->payload[msg->len - 1])
		return -EPROTO;
	if (w->n == w->size) {
		w->size = w->size ? 2 * w->size : 64;
		w->symbol = realloc(w->symbol, w->size * sizeof(*w->symbol));
		w->index = realloc(w->index, w->size * sizeof(*w->index));
	}
	name = strdup(want->name);
	if (!w->symbol || !w->index || !name)
		return -ENOMEM;
	colon = strchr(name, ':');
	if (colon)
		*colon = 0;
	w->symbol[w->n] = (struct symbol){ .module = colon ? name : "", .name = colon ? colon + 1 : name,
					   .anywhere = colon == name };
	w->index[w->n++] = want->index;
	return 0;
}

// Reads messages of the module until READY. A WANT requests the address of a symbol.
static int read_answers(int device, struct wants *w, int timeout_ms)
{
	unsigned char bytes[STP_MSG_MAX];
	struct stp_msg *msg = (struct stp_msg *)bytes;
	struct pollfd ready = { .fd = device, .events = POLLIN };

	for (;;) {
		int rc = sys_poll(&ready, 1, timeout_ms);
		ssize_t n = rc > 0 ? sys_read(device, bytes, sizeof(bytes)) : rc ? rc : -ETIMEDOUT;

		if (n == -EINTR)
			continue;
		if (n < 0)
			return n;
		if (n < sizeof(*msg) || msg->len > n - sizeof(*msg))
			return -EPROTO;
		rc = 0;
		switch (msg->type) {
		case STP_MSG_READY: return 0;
		case STP_MSG_WANT: rc = add_want(w, msg); break;
		case STP_MSG_ERROR: log_error("%.*s", (int)msg->len, msg->payload); w->explained = 1; break;
		case STP_MSG_WARNING: log_warning("%.*s", (int)msg->len, msg->payload); break;
		}
		if (rc)
			return rc;
	}
}

static int send_addresses(int device, struct wants *w)
{
	int rc = w->n ? kallsyms_find(w->symbol, w->n) : 0;

	for (int i = 0; i < w->n && !rc; i++) {
		struct stp_address a = { .index = w->index[i], .address = w->symbol[i].address };

		if (!a.address)
			log_note(1, "staprun: %s%s%s is not in the running kernel's symbol table",
				 w->symbol[i].module, *w->symbol[i].module ? ":" : "",
				 w->symbol[i].name);
		rc = send_command(device, STP_CMD_ADDRESS, &a, sizeof(a));
	}
	return rc;
}

static int send_hello(int device, const char *name)
{
	struct stp_hello hello = { .protocol = STP_PROTOCOL, .uid = getuid() };
	struct wants wants = { 0 };
	time_t now = time(NULL);
	struct tm local;
	uint64_t base = 0;
	int rc = kallsyms_base(&base), answered;

	if (rc)
		log_warning("cannot read /proc/kallsyms: %s; probes that need the kernel's addresses will fail", strerror(-rc));
	else if (!base)
		log_warning("/proc/kallsyms hides the kernel's addresses (sysctl kernel.kptr_restrict);"
			    " probes that need them will fail");
	hello.kernel_base = base;
	hello.build_id_len = kernel_build_id(hello.build_id, sizeof(hello.build_id));
	if (localtime_r(&now, &local))
		hello.timezone_s = local.tm_gmtoff;
	rc = send_command(device, STP_CMD_HELLO, &hello, sizeof(hello));
	answered = read_answers(device, &wants, rc ? 0 : ANSWER_TIMEOUT_MS);   // also the reason why HELLO failed
	rc = rc ? rc : answered;
	if (!rc)
		rc = send_addresses(device, &wants);
	if (rc == -EPROTO)
		log_error("the module %s was built by another version of Quicktap; build the script again", name);
	else if (rc && !wants.explained)
		log_error("the module %s does not answer: %s", name, strerror(-rc));
	return rc;
}

// --- the relay ---

// Executes stapio, which determines without privileges why the kernel rejected the module.
static void explain_load_error(const struct module *m, int rc)
{
	char number[16];
	int n = opt.relay_n;

	snprintf(number, sizeof(number), "%d", -rc);
	opt.relay_args[n++] = "-E";
	opt.relay_args[n++] = number;
	opt.relay_args[n++] = "--";
	opt.relay_args[n++] = m->name;
	exec_stapio(opt.relay_args);
	log_error("cannot load %s: %s", m->name, strerror(-rc));
}

static pid_t relay_pid;
static volatile bool forward_all;          // signals from before stapio's start are being delivered

// Forwards signals of other processes to stapio; the terminal sends its signals to both programs.
static void forward_signal(int sig, siginfo_t *info, void *context)
{
	if ((info->si_code <= 0 || forward_all) && relay_pid > 0)
		kill(relay_pid, sig);
}

// All signals are blocked until stapio is forked. Signals that are not forwarded stay blocked, so that no inherited
// timer or limit kills staprun before it has unloaded the module.
static void forward_signals(sigset_t *others)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR2 };
	struct sigaction sa = { .sa_sigaction = forward_signal, .sa_flags = SA_SIGINFO | SA_RESTART }, before;

	for (int i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		sigaction(signals[i], NULL, &before);
		if (signals[i] != SIGHUP || before.sa_handler != SIG_IGN)      // nohup
			sigaction(signals[i], &sa, NULL);
		sigdelset(others, signals[i]);
	}
}

static int daemon_pipe = -1;               // -D: stapio writes a byte when the script runs

// -D: forks. The parent waits until stapio reports that the script runs; the child continues in its own session.
static int start_daemon(void)
{
	int ends[2], status;
	char byte;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) || (pid = fork()) < 0) {
		log_error("cannot run in the background: %m");
		return -errno;
	}
	if (pid > 0) {
		close(ends[1]);
		if (read(ends[0], &byte, 1) == 1)
			_exit(0);
		while (waitpid(pid, &status, 0) < 0)
			;
		_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
	}
	close(ends[0]);
	setsid();
	daemon_pipe = ends[1];
	return 0;
}

// -D: stapio has inherited the pipe and the standard streams; staprun closes its own.
static void release_streams(void)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	close(daemon_pipe);
	log_to_syslog("staprun");
	for (int fd = STDIN_FILENO; null >= 0 && fd <= STDERR_FILENO; fd++)
		dup2(null, fd);
}

// life: read end of a pipe whose write end only staprun has. When staprun is killed, stapio has the module removed.
static void run_relay(int device, const char *name, int life)
{
	char numbers[32], pipe_end[16];
	const char **argv = opt.relay_args;
	int n = opt.relay_n;

	snprintf(numbers, sizeof(numbers), "%d,%d", device, life);
	argv[n++] = "-F";
	argv[n++] = numbers;
	if (opt.daemon) {
		snprintf(pipe_end, sizeof(pipe_end), "%d", daemon_pipe);
		argv[n++] = "-D";
		argv[n++] = pipe_end;
		fcntl(daemon_pipe, F_SETFD, 0);
	}
	argv[n++] = "--";
	argv[n++] = name;
	for (char **setting = opt.settings; *setting; setting++)
		argv[n++] = *setting;
	fcntl(device, F_SETFD, 0);
	fcntl(life, F_SETFD, 0);
	exec_stapio(argv);
	_exit(1);
}

// stapio was killed, which ends the session, so another stapio prints the losses.
static int report_losses(const char *name)
{
	int device = module_open_device(name);
	pid_t pid = device < 0 ? -1 : fork();

	if (pid == 0) {
		opt.relay_args[opt.relay_n++] = "-q";
		run_relay(device, name, -1);
	}
	close(device);
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return 1;
}

// Stops a detached session before it is removed, and reports its losses.
static void stop_detached(const char *name)
{
	int device, stopped;

	if (!module_is_ours(name) || !module_is_detached(name) || (getuid() && !module_is_own(name)))
		return;
	device = module_open_device(name);             // opened with the rights of the user, who may own it
	if (device < 0 || caps_raise())                // only root can open the lock file
		return;
	module_hold_session(name);
	stopped = !send_command(device, STP_CMD_STOP, "", 0);
	close(device);
	if (stopped)
		report_losses(name);
}

// Waits for stapio and returns its exit status, or 1 if it could not be started or was killed.
static int wait_for_relay(int device, const char *name)
{
	sigset_t others;
	siginfo_t ended;
	int life[2];

	relay_pid = pipe2(life, O_CLOEXEC) ? -1 : fork();
	if (relay_pid == 0)                // signals stay blocked until stapio reads them
		run_relay(device, name, life[0]);
	sigfillset(&others);
	forward_signals(&others);          // not before fork(): the -c command ignores the signals that the caller ignores
	forward_all = true;
	sigprocmask(SIG_SETMASK, &others, NULL);
	forward_all = false;
	close(device);
	if (relay_pid < 0) {
		log_error("cannot start stapio: %m");
		return 1;
	}
	if (caps_keep_unloading())         // a script must not run while this process is privileged
		kill(relay_pid, SIGKILL);
	if (opt.daemon)
		release_streams();
	// WNOWAIT leaves it a zombie, so that its process ID, to which signals are forwarded, is not reused.
	while (waitid(P_PID, relay_pid, &ended, WEXITED | WNOWAIT) < 0)
		if (errno != EINTR) {
			log_error("cannot wait for stapio: %m");
			return 1;
		}
	if (ended.si_code == CLD_EXITED && ended.si_status != STAPIO_UNREPORTED)
		return ended.si_status;
	if (ended.si_code != CLD_EXITED)
		log_error("stapio was killed by signal %d (%s)", ended.si_status, strsignal(ended.si_status));
	module_wait_closed(name);
	return report_losses(name);
}

// --- the actions: attach, load and run, remove ---

static int attach(enum rights rights)
{
	int device, status;

	if (rights == RIGHTS_ALL && caps_raise())
		return 1;
	if (module_has_ended(opt.module)) {
		log_error("the session of module %s has ended, since its relay was killed; remove it with staprun -d %s",
			  opt.module, opt.module);
		return 1;
	}
	device = module_open_device(opt.module);       // opened with the rights of the user, who may own it
	if (device < 0 || caps_raise())                // only root can open the lock file
		return 1;
	module_hold_session(opt.module);
	status = wait_for_relay(device, opt.module);
	if (status == STAPIO_DETACHED)
		return 0;
	return module_unload(opt.module, rights) ? 1 : status;
}

// -R: the name contains our process ID. Another PID namespace may have the same ID, so several names are tried.
static int load(struct module *m)
{
	unsigned number = getpid();
	int rc = 0;

	for (int tries = 0; tries < RENAME_TRIES; tries++) {
		if (opt.rename)
			rc = image_rename(m, number);
		rc = rc ? rc : module_load(m, opt.parameters);
		if (rc != -EEXIST || !opt.rename)
			break;
		if (getrandom(&number, sizeof(number), GRND_NONBLOCK) != sizeof(number))
			number = number * 1103515245u + 12345;
		number = 1000000 + number % 9000000;
	}
	return rc;
}

// Only RIGHTS_ALL may set module parameters. Other users may set the buffer size, within a limit (-b).
static int limit_parameters(enum rights rights)
{
	char setting[32];

	if (rights == RIGHTS_ALL)
		return 0;
	if (opt.parameter_given)
		return usage_error("only root and members of stapdev may set module parameters (_stp_NAME=VALUE);"
				   " set the buffer size with -b MB", "");
	snprintf(setting, sizeof(setting), "_stp_bufgrant=%d", BUFFERS_MAX_MB);
	return add_parameter(setting);
}

static int load_and_run(enum rights rights)
{
	struct module m = { .fd = -1 };
	int device = -1, status = 1, rc;

	if (limit_parameters(rights) || module_open(&m, opt.module, rights))
		goto not_loaded;
	if (m.is_program && signal(SIGPIPE, opt.sigpipe) != SIG_ERR)
		return program_execute_image(&m, opt.relay_args, opt.relay_n, opt.settings);
	if (kernel_match_check(&m) || caps_raise())
		goto not_loaded;
	leftovers_remove();
	rc = load(&m);
	if (rc) {
		if (rc != -ENOLCK)         // other errors were already reported
			explain_load_error(&m, rc);
		goto not_loaded;
	}
	log_note(2, "staprun: loaded %s", m.name);
	device = module_open_device(m.name);
	if (device < 0)
		goto unload;
	if (send_hello(device, m.name)) {
		close(device);
		goto unload;
	}
	if (fchown(device, getuid(), getgid()))        // lets the user attach to the session and remove the module
		log_note(1, "staprun: only root can attach to %s: %m", m.name);
	status = wait_for_relay(device, m.name);
	if (status == STAPIO_DETACHED) {
		status = 0;
		goto not_loaded;
	}
unload:
	if (module_unload(m.name, rights))
		status = 1;
	else
		log_note(2, "staprun: unloaded %s", m.name);
not_loaded:
	module_close(&m);
	return status;
}

// Does not trust inherited state: ensures that exactly the three standard descriptors are open; a set-user-ID program
// also removes environment variables that change the behaviour of programs.
static void sanitize_environment(void)
{
	static const char *const variables[] = { "SYSTEMTAP_STAPRUN", "SYSTEMTAP_STAPIO",
		"SYSTEMTAP_RUNTIME", "IFS", "CDPATH", "ENV", "BASH_ENV" };

	for (int i = 0; getauxval(AT_SECURE) && i < sizeof(variables) / sizeof(variables[0]); i++)
		unsetenv(variables[i]);
	if (!stp_streams_open())
		_exit(1);
	close_range(3, ~0u, 0);
}

int main(int argc, char **argv)
{
	enum rights rights;
	sigset_t all;

	sanitize_environment();
	signal(SIGCHLD, SIG_DFL);          // if SIG_IGN were inherited, wait() would report no exit status
	log_color("auto");
	if (caps_lower() || parse_options(argc, argv))
		return 1;
	if (!opt.attach && !opt.remove && program_is(opt.module))
		return program_execute(opt.module, opt.relay_args, opt.relay_n, opt.settings);
	opt.sigpipe = signal(SIGPIPE, SIG_IGN);
	rights = caps_rights();
	if (rights == RIGHTS_NONE) {
		caps_explain();
		return 1;
	}
	if (opt.remove) {
		stop_detached(opt.module);
		return caps_raise() || module_remove(opt.module, rights) ? 1 : 0;
	}
	if (opt.daemon && start_daemon())
		return 1;
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	return opt.attach ? attach(rights) : load_and_run(rights);
}
