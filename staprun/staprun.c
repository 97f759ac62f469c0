// SPDX-License-Identifier: GPL-2.0-or-later
// staprun: the privileged loader. In: a module and options. It loads the module, tells it what only
// a privileged process can find out (addresses, the time zone) and the values of globals, hands its
// device to stapio running as the real user, waits, and unloads. Exit status: stapio's.
//
//   load -> HELLO, WANTs, SETs -> fork -> child:  drop everything, exec stapio -F DEVICE
//                                      -> parent: drop all but CAP_SYS_MODULE, wait, unload
#include "staprun.h"

#include "config.h"
#include "log.h"
#include "messages.h"
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

#define ANSWER_TIMEOUT_MS 10000            // of the module, to HELLO
#define BUFFERS_GRANTED_MB 128             // all of a session's, to who may not load any module
#define RENAME_TRIES 10                    // -R: names that are taken
static struct {
	bool load_only, attach, remove, rename;    // -L -A -d -R
	bool command, process, output, switching;  // -c -x -o -S
	bool daemon;                               // -D
	bool buffer;                               // -b
	bool parameter_given;                      // _stp_NAME=VALUE
	const char *module;
	char **settings;                           // name=value ..., NULL-terminated
	char parameters[512];                      // of the module: the settings that begin with _stp_
	const char **relay_args;                   // for stapio, as given: it looks at them
	int relay_n;
} opt;

// Becomes stapio, without privileges. Returns if it can't.
static void exec_stapio(const char **argv)
{
	char path[1100];

	beside_find(path, sizeof(path), "SYSTEMTAP_STAPIO", "stapio", "../libexec/quicktap/stapio");
	if (caps_drop())
		return;
	execv(path, (char **)argv);
	log_error("can't run %s: %m", path);
}

// The text is of no interest to who reads this program: the other one has it.
static void __attribute__((noreturn)) show_help(void)
{
	exec_stapio((const char *[]){ "stapio", "-h", NULL });
	exit(1);
}

static int usage_error(const char *what)
{
	log_error("%s", what);
	log_note(0, "Try 'staprun -h' for more information.");
	return -EINVAL;
}

static int add_parameter(const char *setting)
{
	size_t at = strlen(opt.parameters);

	if (setting[strcspn(setting, " \t\n\v\f\r\240\"")])
		return usage_error("a parameter of the module has no blanks and quotes");
	if (snprintf(opt.parameters + at, sizeof(opt.parameters) - at, "%s%s", at ? " " : "", setting) >=
	    sizeof(opt.parameters) - at)
		return usage_error("the module's parameters are too long");
	return 0;
}

// -u was for kernels without uprobes and means nothing.
static int parse_option(int letter)
{
	static const char *const relayed[] = { ['c'] = "-c", ['o'] = "-o", ['C'] = "-C", ['T'] = "-T",
		['S'] = "-S", ['N'] = "-N", ['x'] = "-x", ['t'] = "-x", ['v'] = "-v", ['w'] = "-w",
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
			return usage_error("-b: megabytes are expected, 1 to 4095");
		snprintf(setting, sizeof(setting), "_stp_bufsize=%d", (int)mb);
		return add_parameter(setting);
	case 'C':
		if (!log_color(optarg))
			return usage_error("-C: auto, always or never is expected");
		break;
	case 'x':
	case 't': opt.process = true; break;
	case 'h': show_help();
	case 'V': printf("Quicktap staprun %s, protocol %08x\n", PACKAGE_VERSION, STP_PROTOCOL); exit(0);
	case '-':
		if (!strcmp(optarg, "help") || !strcmp(optarg, "version"))
			return parse_option(*optarg == 'h' ? 'h' : 'V');
		letter = strcmp(optarg, "strict") ? '?' : 'e';
		optarg = NULL;
		if (letter == 'e')
			break;
		return usage_error("the options are single letters, but --help, --strict and --version");
	case '?': return usage_error("an option is not known, or its value is missing");
	}
	if (relayed[letter])
		opt.relay_args[opt.relay_n++] = relayed[letter];
	if (relayed[letter] && optarg)
		opt.relay_args[opt.relay_n++] = optarg;
	return 0;
}

static int check_conflicts(void)
{
	const struct { bool there; const char *what; } conflicts[] = {
		{ opt.command && opt.process, "-c and -x are not for use together" },
		{ opt.attach && (opt.load_only || opt.buffer || opt.command || opt.process),
		  "-A is not for use with -L, -b, -c or -x" },
		{ opt.load_only && opt.command, "-L is not for use with -c" },
		{ opt.remove && (opt.attach || opt.load_only || opt.command || opt.process),
		  "-d is not for use with -A, -L, -c or -x" },
		{ opt.daemon && (opt.load_only || opt.remove || opt.command), "-D is not for use with -L, -d or -c" },
		{ opt.daemon && !opt.output, "-D needs -o: a file for the output" },
		{ opt.switching && !opt.output, "-S needs -o: a name for the files" },
	};

	for (size_t i = 0; i < sizeof(conflicts) / sizeof(conflicts[0]); i++)
		if (conflicts[i].there)
			return usage_error(conflicts[i].what);
	return 0;
}

// What follows the module. Parameters of the module are taken out, globals of the script stay.
static int parse_settings(char **from)
{
	char **to = opt.settings = from;

	for (; *from; from++) {
		size_t len = strspn(*from, NAME_CHARACTERS);

		if (!len || (*from)[len] != '=')
			return usage_error("after the module, NAME=VALUE is expected");
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
	size_t room = 16;                  // for what we add; and each letter of an argument may be an option
	int letter;

	for (int i = 0; i < argc; i++)
		room += strlen(argv[i]) + 1;
	opt.relay_args = calloc(room, sizeof(*opt.relay_args));
	if (!opt.relay_args)
		return -ENOMEM;
	opt.relay_args[0] = "stapio";
	opt.relay_n = 1;
	while ((letter = getopt(argc, argv, "+ivwRLAdDb:x:t:c:o:S:N:r:C:T:M:hVu::-:")) != -1)
		if (parse_option(letter))
			return -EINVAL;
	if (check_conflicts())
		return -EINVAL;
	if (optind >= argc)
		return usage_error("a module is expected");
	opt.module = argv[optind];
	if ((opt.attach || opt.remove) && !module_name_is_valid(opt.module) &&
	    !(opt.remove && !strcmp(opt.module, "*")))
		return usage_error("-A and -d expect the name of a loaded module");
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
	unsigned *index;                   // the module's number for each
	int n, room, explained;            // explained: the module has sent an error
};

static int add_want(struct wants *w, const struct stp_msg *msg)
{
	const struct stp_want *want = (const struct stp_want *)msg->payload;
	char *name, *colon;

	if (msg->len <= sizeof(*want) || msg->payload[msg->len - 1])
		return -EPROTO;
	if (w->n == w->room) {
		w->room = w->room ? 2 * w->room : 64;
		w->symbol = realloc(w->symbol, w->room * sizeof(*w->symbol));
		w->index = realloc(w->index, w->room * sizeof(*w->index));
	}
	name = strdup(want->name);
	if (!w->symbol || !w->index || !name)
		return -ENOMEM;
	colon = strchr(name, ':');
	if (colon)
		*colon = 0;
	w->symbol[w->n] = (struct symbol){ .module = colon ? name : "", .name = colon ? colon + 1 : name };
	w->index[w->n++] = want->index;
	return 0;
}

// Reads what the module says until READY.
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

static int say_hello(int device, const char *name)
{
	struct stp_hello hello = { .protocol = STP_PROTOCOL, .uid = getuid() };
	struct wants wants = { 0 };
	time_t now = time(NULL);
	struct tm local;
	uint64_t base = 0;
	int rc = kallsyms_base(&base), answered;

	if (rc)
		log_warning("can't read /proc/kallsyms: %s; probes that need the kernel's addresses will fail", strerror(-rc));
	else if (!base)
		log_warning("/proc/kallsyms hides the kernel's addresses (sysctl kernel.kptr_restrict);"
			    " probes that need them will fail");
	hello.kernel_base = base;
	hello.build_id_len = kernel_build_id(hello.build_id, sizeof(hello.build_id));
	if (localtime_r(&now, &local))
		hello.timezone_s = local.tm_gmtoff;
	rc = send_command(device, STP_CMD_HELLO, &hello, sizeof(hello));
	answered = read_answers(device, &wants, rc ? 0 : ANSWER_TIMEOUT_MS);   // also when it refuses, why
	rc = rc ? rc : answered;
	if (!rc)
		rc = send_addresses(device, &wants);
	if (rc == -EPROTO)
		log_error("the module %s was made by another version than this staprun; translate the script again", name);
	else if (rc && !wants.explained)
		log_error("the module %s does not answer: %s", name, strerror(-rc));
	return rc;
}

// --- the relay ---

// Why the kernel refused a module is found out without privileges, by stapio in our place.
static void explain_load_error(const struct module *m, int rc)
{
	char numbers[32];
	int n = opt.relay_n;

	snprintf(numbers, sizeof(numbers), "%d,%d", -rc, m->machine);
	opt.relay_args[n++] = "-E";
	opt.relay_args[n++] = numbers;
	opt.relay_args[n++] = "--";
	opt.relay_args[n++] = m->name;
	opt.relay_args[n++] = m->release;
	exec_stapio(opt.relay_args);
	log_error("can't load %s: %s", m->name, strerror(-rc));
}

static pid_t relay_pid;
static volatile bool held;                 // signals that may be older than stapio come now

// What another process sends to us is meant for stapio; what the terminal sends, it gets itself.
static void forward_signal(int sig, siginfo_t *info, void *context)
{
	if ((info->si_code <= 0 || held) && relay_pid > 0)
		kill(relay_pid, sig);
}

// All signals are held till there is a stapio, and those that are not its business stay so: the module
// has to go, whatever timer or limit who started us has set.
static void forward_signals(sigset_t *others)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR2 };
	struct sigaction sa = { .sa_sigaction = forward_signal, .sa_flags = SA_SIGINFO | SA_RESTART };
	struct sigaction before;

	for (int i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		sigaction(signals[i], NULL, &before);
		if (signals[i] != SIGHUP || before.sa_handler != SIG_IGN)      // nohup
			sigaction(signals[i], &sa, NULL);
		sigdelset(others, signals[i]);
	}
}

static int daemon_word = -1;               // -D: closed, or a byte when all is well

// -D: we go on in a session of our own; who started us waits for stapio's word that the script runs.
static int go_behind(void)
{
	int ends[2], status;
	char word;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) || (pid = fork()) < 0) {
		log_error("can't go to the background: %m");
		return -errno;
	}
	if (pid > 0) {
		close(ends[1]);
		if (read(ends[0], &word, 1) == 1)
			_exit(0);
		while (waitpid(pid, &status, 0) < 0)
			;
		_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
	}
	close(ends[0]);
	setsid();
	daemon_word = ends[1];
	return 0;
}

// stapio has the descriptors now and will say what there is to say.
static void let_go(void)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	close(daemon_word);
	log_to_syslog("staprun");
	for (int fd = STDIN_FILENO; null >= 0 && fd <= STDERR_FILENO; fd++)
		dup2(null, fd);
}

// `life` is what stapio sees the end of when we are killed: then it has to see to the module.
static void run_relay(int device, const char *name, int life)
{
	char numbers[32], word[16];
	const char **argv = opt.relay_args;
	int n = opt.relay_n;

	snprintf(numbers, sizeof(numbers), "%d,%d", device, life);
	argv[n++] = "-F";
	argv[n++] = numbers;
	if (opt.daemon) {
		snprintf(word, sizeof(word), "%d", daemon_word);
		argv[n++] = "-D";
		argv[n++] = word;
		fcntl(daemon_word, F_SETFD, 0);
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

// The first stapio ended before the session did, which its end has stopped since: another one prints what was lost.
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

// A detached session that is removed ends here, for its module could not report what was lost.
static void stop_detached(const char *name)
{
	int device, stopped;

	if (!module_is_ours(name) || !module_is_detached(name) || (getuid() && !module_is_own(name)))
		return;
	device = module_open_device(name);             // its owner may
	if (device < 0 || caps_raise())                // the locks' file is root's
		return;
	module_hold_session(name);
	stopped = !send_command(device, STP_CMD_STOP, "", 0);
	close(device);
	if (stopped)
		report_losses(name);
}

// Returns stapio's exit status, 1 when it could not be started or was killed.
static int wait_for_relay(int device, const char *name)
{
	sigset_t others;
	siginfo_t ended;
	int life[2];

	sigfillset(&others);
	forward_signals(&others);
	relay_pid = pipe2(life, O_CLOEXEC) ? -1 : fork();
	if (relay_pid == 0)                // stapio takes the signals when it is ready
		run_relay(device, name, life[0]);
	held = true;
	sigprocmask(SIG_SETMASK, &others, NULL);
	held = false;
	close(device);
	if (relay_pid < 0) {
		log_error("can't start stapio: %m");
		return 1;
	}
	if (caps_keep_unloading())         // better no script than one with a privileged process around it
		kill(relay_pid, SIGKILL);
	if (opt.daemon)
		let_go();
	// It is not reaped: no other process gets its process ID, to which signals are forwarded.
	while (waitid(P_PID, relay_pid, &ended, WEXITED | WNOWAIT) < 0)
		if (errno != EINTR) {
			log_error("can't wait for stapio: %m");
			return 1;
		}
	if (ended.si_code == CLD_EXITED && ended.si_status != STAPIO_UNREPORTED)
		return ended.si_status;
	if (ended.si_code != CLD_EXITED)
		log_error("stapio was killed by signal %d (%s)", ended.si_status, strsignal(ended.si_status));
	module_wait_closed(name);
	return report_losses(name);
}

// --- what staprun does ---

static int attach(enum rights rights)
{
	int device, status;

	if (rights == RIGHTS_ALL && caps_raise())
		return 1;
	if (module_has_ended(opt.module)) {
		log_error("the session of the module %s has ended, its relay was killed; staprun -d %s removes it",
			  opt.module, opt.module);
		return 1;
	}
	device = module_open_device(opt.module);       // its owner may
	if (device < 0 || caps_raise())                // the locks' file is root's
		return 1;
	module_hold_session(opt.module);
	status = wait_for_relay(device, opt.module);
	if (status == STAPIO_DETACHED)
		return 0;
	return module_unload(opt.module, rights) ? 1 : status;
}

// -R: with our process ID in its name. Another PID namespace may have a process with the same ID, hence more tries.
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

// Parameters of the module are the administrator's; of those that unprivileged users set there is the size of buffers.
static int limit_parameters(enum rights rights)
{
	char setting[32];

	if (rights == RIGHTS_ALL)
		return 0;
	if (opt.parameter_given)
		return usage_error("parameters of the module (_stp_NAME=VALUE) are for root and members of stapdev;"
				   " -b MB sets the size of buffers");
	snprintf(setting, sizeof(setting), "_stp_bufgrant=%d", BUFFERS_GRANTED_MB);
	return add_parameter(setting);
}

static int load_and_run(enum rights rights)
{
	struct module m = { .fd = -1 };
	int device = -1, status = 1, rc;

	if (limit_parameters(rights) || module_open(&m, opt.module, rights) || caps_raise())
		goto not_loaded;
	leftovers_remove();
	rc = load(&m);
	if (rc) {
		if (rc != -ENOLCK)         // that was said
			explain_load_error(&m, rc);
		goto not_loaded;
	}
	log_note(2, "staprun: loaded %s", m.name);
	device = module_open_device(m.name);
	if (device < 0)
		goto unload;
	if (say_hello(device, m.name)) {
		close(device);
		goto unload;
	}
	if (fchown(device, getuid(), getgid()))        // the user may attach and remove it
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

// A set-user-id program can't rely on what it was started with: it needs its three descriptors and no
// others, and variables that make programs do other things than their arguments say.
static void clean_up(void)
{
	static const char *const variables[] = { "SYSTEMTAP_STAPRUN", "SYSTEMTAP_STAPIO",
		"SYSTEMTAP_RUNTIME", "IFS", "CDPATH", "ENV", "BASH_ENV" };
	int fd;

	for (int i = 0; getauxval(AT_SECURE) && i < sizeof(variables) / sizeof(variables[0]); i++)
		unsetenv(variables[i]);

	for (fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF && open("/dev/null", O_RDWR) != fd)
			_exit(1);
	close_range(3, ~0u, 0);
}

int main(int argc, char **argv)
{
	enum rights rights;
	sigset_t all;

	clean_up();
	signal(SIGPIPE, SIG_IGN);
	signal(SIGCHLD, SIG_DFL);          // inherited, it could keep wait() from telling
	log_color("auto");
	if (caps_lower() || parse_options(argc, argv))
		return 1;
	rights = caps_rights();
	if (rights == RIGHTS_NONE) {
		caps_explain();
		return 1;
	}
	if (opt.remove) {
		stop_detached(opt.module);
		return caps_raise() || module_remove(opt.module, rights) ? 1 : 0;
	}
	if (opt.daemon && go_behind())
		return 1;
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	return opt.attach ? attach(rights) : load_and_run(rights);
}
