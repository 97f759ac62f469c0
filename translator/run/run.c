// SPDX-License-Identifier: GPL-2.0-or-later
// Pass 5: runs staprun on a finished module, with the options that concern the run, and returns its exit status.
// The terminal sends its signals to staprun, too; signals that only stap receives are passed on.
#include "output_file.h"
#include "run/merge.h"
#include "run/run.h"

#include "run/remote.h"
#include "session/passes.h"
#include "util/diag.h"
#include "util/spawn.h"
#include "util/str.h"

#include <grp.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static volatile int running;               // pid of the running program, or 0

static void pass_on(int sig, siginfo_t *info, void *context)
{
	if (info->si_code <= 0 && running > 0)
		kill(running, sig);
}

void run_report_signal(const char *program, int status)
{
	int sig = status - 128;

	if (sig > 0 && sig < NSIG && sig != SIGINT && sig != SIGPIPE)
		fprintf(stderr, "ERROR: %s was ended by signal %d (%s)\n", program, sig, strsignal(sig));
}

int run_program(const char *const *argv, bool keeps_ignored)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR2 };
	struct sigaction sa = { .sa_sigaction = pass_on, .sa_flags = SA_SIGINFO | SA_RESTART };
	struct sigaction before[ARRAY_SIZE(signals)];
	struct spawn program = { .argv = argv, .keeps_ignored = keeps_ignored };
	int status;

	for (int i = 0; i < ARRAY_SIZE(signals); i++) {
		sigaction(signals[i], NULL, &before[i]);
		if (signals[i] != SIGHUP || before[i].sa_handler != SIG_IGN)   // nohup
			sigaction(signals[i], &sa, NULL);
	}
	running = spawn_start(&program);
	if (running < 0)
		die("cannot run %s: %s", argv[0], strerror(-running));
	status = spawn_wait(running);
	running = 0;
	run_report_signal(argv[0], status);
	for (int i = 0; i < ARRAY_SIZE(signals); i++)
		sigaction(signals[i], &before[i], NULL);
	return status;
}

bool run_in_group(const char *name)
{
	struct group *group = getgrnam(name);
	gid_t gids[1024];
	int n = getgroups(ARRAY_SIZE(gids), gids);

	for (int i = 0; group && i < n; i++)
		if (gids[i] == group->gr_gid)
			return true;
	return group && (getgid() == group->gr_gid || getegid() == group->gr_gid);
}

// A user in none of these groups gets the privilege of stapdev: such a user may have capabilities, or gets an error
// from staprun.
enum privilege run_privilege(void)
{
	if (geteuid() == 0 || run_in_group("stapdev"))
		return PRIVILEGE_STAPDEV;
	if (run_in_group("stapsys"))
		return PRIVILEGE_STAPSYS;
	return run_in_group("stapusr") ? PRIVILEGE_STAPUSR : PRIVILEGE_STAPDEV;
}

static bool is_program(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

const char *run_find(struct session *s, const char *name, const char *wish)
{
	const char *paths[] = {
		str_printf("%s/%s", s->libexec_dir, name),
		str_printf("%s/staprun/%s", s->libexec_dir, name),
		str_printf("%s/report/%s", s->libexec_dir, name),
		str_printf("%s/../translator/run/%s", s->runtime_dir, name),
		NULL,
	};
	char exe[4096];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);

	if (wish && getenv(wish))
		return str_dup(getenv(wish));
	exe[n > 0 ? n : 0] = '\0';
	if (n > 0 && strrchr(exe, '/')) {
		*strrchr(exe, '/') = '\0';
		paths[ARRAY_SIZE(paths) - 1] = str_printf("%s/%s", exe, name);
	}
	for (int i = 0; i < ARRAY_SIZE(paths); i++)
		if (paths[i] && is_program(paths[i]))
			return paths[i];
	die("%s not found beside stap or in %s; is the installation complete?", name, s->libexec_dir);
}

void run_target(const struct session *s, arguments *argv)
{
	const struct options *o = &s->opt;

	if (o->command) {
		vec_push(argv, "-c");
		vec_push(argv, o->command);
		vec_push(argv, "-k");
		vec_push(argv, str_printf("%d", (int)(o->timeout_s * 1000 + 0.5)));
	}
	if (o->target_pid) {
		vec_push(argv, "-x");
		vec_push(argv, str_printf("%d", o->target_pid));
	}
}

// Adds the options of staprun that apply wherever it runs. The module's path and the settings come last.
void run_options(struct session *s, arguments *argv)
{
	const struct options *o = &s->opt;

	for (int i = 1; i < o->verbose[5]; i++)
		vec_push(argv, "-v");
	if (diag_options.no_warnings)
		vec_push(argv, "-w");
	if (o->strict)
		vec_push(argv, "--strict");
	if (o->quiet)
		vec_push(argv, "-Q");
	vec_push(argv, "-C");
	vec_push(argv, diag_options.color ? "always" : "never");
	if (!o->module_name && !o->sign_module && (!o->export || o->merge))    // another name would invalidate the signature
		vec_push(argv, "-R");
	if (s->reads_input && !o->merge)
		vec_push(argv, "-i");
	run_target(s, argv);
	if (o->namespaces_pid) {
		vec_push(argv, "-N");
		vec_push(argv, str_printf("%d", o->namespaces_pid));
	}
}

void run_settings(struct session *s, arguments *argv)
{
	for vec_each(&s->opt.globals, g)
		vec_push(argv, str_printf("%s=%s", g->name, g->value));
}

const char *run_no_modules(void)
{
	const char *disabled = str_read_file("/proc/sys/kernel/modules_disabled", NULL);

	if (access("/proc/modules", F_OK) != 0)
		return "this kernel cannot load modules";
	return disabled && *disabled == '1' ? "loading of modules is disabled (kernel.modules_disabled)" : NULL;
}

void run_need_modules(void)
{
	const char *why = run_no_modules();

	if (why)
		die("%s; try the script with --vm (in a virtual machine), --runtime=bpf (as BPF programs%s) or --runtime=user "
		    "(without probes in the kernel)", why, geteuid() ? "; requires root" : "");
}

const char *run_output_path(const char *pattern)
{
	char path[PATH_MAX];
	time_t now = time(NULL);
	struct tm local;

	localtime_r(&now, &local);
	if (!strftime(path, sizeof(path), pattern, &local))
		die("-o %s: the name is empty or too long", pattern);
	return str_dup(path);
}

static bool wait_for_reader(void *data)
{
	const char **to_announce = data;

	if (*to_announce)
		fprintf(stderr, "waiting for a process that reads the FIFO %s\n", *to_announce);
	*to_announce = NULL;
	poll(NULL, 0, STP_FIFO_POLL_MS);
	return true;
}

void run_open_output(const char *path)
{
	const char *to_announce = path;
	int fd;

	fflush(stdout);
	fd = stp_output_open(path, wait_for_reader, &to_announce);
	if (fd < 0 || dup2(fd, STDOUT_FILENO) < 0)
		die("cannot write %s: %s", path, strerror(errno));
	close(fd);
}

static int run_here(struct session *s)
{
	arguments argv = { 0 };

	run_need_modules();
	vec_push(&argv, run_find(s, "staprun", "SYSTEMTAP_STAPRUN"));
	run_options(s, &argv);
	if (s->opt.output) {
		vec_push(&argv, "-o");
		vec_push(&argv, s->opt.output);
	}
	if (s->opt.switching) {
		vec_push(&argv, "-S");
		vec_push(&argv, s->opt.switching);
	}
	if (s->opt.flight_recorder)
		vec_push(&argv, s->opt.output ? "-D" : "-L");
	vec_push(&argv, s->module_path);
	run_settings(s, &argv);
	vec_push(&argv, NULL);
	if (s->opt.export)
		serve_start(s);                        // the server runs until this process ends
	return run_program(argv.at, true);
}

static bool runs_as_process(const struct session *s)
{
	return !s->opt.merge && !s->opt.vm && (s->opt.user_runtime || s->opt.bpf_runtime);
}

static int run_somewhere(struct session *s)
{
	if (s->opt.merge)
		return merge_run(s);
	if (s->opt.vm)
		return vm_run(s);
	if (runs_as_process(s))
		return user_run(s);
	return s->opt.remotes.n ? remote_run(s) : run_here(s);
}

int pass_run(struct session *s)
{
	struct report report;

	if (runs_as_process(s))
		user_require_processes(s);     // before stap-report replaces the files of --output
	return report_finish(&report, report_start(s, &report) ? run_somewhere(s) : EXIT_FAILURE);
}
