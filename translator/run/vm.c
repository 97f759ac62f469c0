// SPDX-License-Identifier: GPL-2.0-or-later
// Pass 5 in a throwaway virtual machine: stap-vm boots the kernel with staprun, stapio, the module and the program
// of -c, runs staprun there, and relays its output and exit status. The client of BPF programs does not need
// staprun.
#include "run/run.h"

#include "util/diag.h"
#include "util/program_path.h"
#include "util/spawn.h"
#include "util/str.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>

const char *vm_default_release(void)
{
	struct utsname host;
	struct dirent *entry;
	char *newest = NULL;
	DIR *boot = opendir("/boot");

	uname(&host);
	while (boot && (entry = readdir(boot))) {
		if (!str_starts(entry->d_name, "vmlinuz-"))
			continue;
		const char *release = entry->d_name + strlen("vmlinuz-");

		if (strcmp(release, host.release) == 0)
			newest = str_dup(release);
		if (!newest || (strcmp(newest, host.release) && strverscmp(release, newest) > 0))
			newest = str_dup(release);
	}
	if (boot)
		closedir(boot);
	if (!newest)
		die("no kernel image in /boot to boot in a virtual machine; on Debian: apt install linux-image-cloud-amd64");
	return newest;
}

// Adds a file at the same path in the guest. Paths like DIR/./x are valid there, too.
static void add_file(arguments *argv, const char *path, const char *cwd)
{
	struct stat st;

	if (stat(path, &st) || !S_ISREG(st.st_mode))
		return;
	vec_push(argv, "-f");
	vec_push(argv, *path == '/' ? str_printf("%s:%s", path, path)
				     : str_printf("%s/%s:%s/%s", cwd, path, cwd, path));
}

// Adds a program and, for a script, its interpreter: env(1) and the program that it starts.
static void add_executable(arguments *argv, const char *path, const char *cwd)
{
	const char *interpreter = spawn_interpreter(path, false), *started = spawn_interpreter(path, true);

	add_file(argv, path, cwd);
	if (interpreter)
		add_file(argv, interpreter, cwd);
	if (started && strcmp(started, interpreter) && spawn_find(started))
		add_file(argv, spawn_find(started), cwd);
}

// Adds the command's program, its interpreter, and words that name files on this host.
static void add_command(arguments *argv, const char *command, const char *cwd)
{
	const char *blank = " \t\n;|&<>()'\"";
	bool first = true;

	for (const char *at = command + strspn(command, blank); *at; at += strspn(at, blank)) {
		size_t len = strcspn(at, blank);
		const char *word = str_ndup(at, len), *program = first ? program_path(word) : NULL;

		at += len;
		if (program)
			add_executable(argv, program, cwd);
		else
			add_file(argv, word, cwd);
		first = false;
	}
}

static void add_program(arguments *argv, struct session *s, const char *name, const char *wish)
{
	vec_push(argv, "-f");
	vec_push(argv, str_printf("%s:/bin/%s", run_find(s, name, wish), name));
}

void vm_check(struct session *s, const char *release)
{
	const char *argv[] = { run_find(s, "stap-vm", NULL), "-c", "-r", release, NULL };
	struct spawn check = { .argv = argv, .capture = true };
	const char *text;

	if (spawn_run(&check) == 0)
		return;
	text = strstr(check.output, ": ");
	die("%.*s", (int)strcspn(text ? text + 2 : check.output, "\n"), text ? text + 2 : check.output);
}

// Adds stap-vm with its options, and the programs of this host that run it.
static void add_vm(arguments *argv, struct session *s)
{
	if (spawn_find("setpriv")) {       // SIGUSR1 ends the guest if this process is killed
		vec_push(argv, "setpriv");
		vec_push(argv, "--pdeathsig");
		vec_push(argv, "USR1");
	}
	vec_push(argv, run_find(s, "stap-vm", NULL));
	vec_push(argv, "-r");
	vec_push(argv, s->opt.release);
	if (s->opt.quiet)
		vec_push(argv, "-n");
	if (s->opt.verbose[5])
		vec_push(argv, "-v");
	vec_push(argv, "-t");
	vec_push(argv, "0");
}

// Adds the command of the guest: in the directory `cwd`, staprun with the module or the program `path`.
static void add_guest_command(arguments *argv, struct session *s, const char *path, const char *cwd)
{
	vec_push(argv, "sh");
	vec_push(argv, "-c");
	vec_push(argv, s->opt.bpf_runtime ? "mkdir -p \"$1\" && cd \"$1\" && shift && exec \"$@\""
					  : "mkdir -p \"$1\" && cd \"$1\" && shift && exec staprun \"$@\"");
	vec_push(argv, "sh");
	vec_push(argv, cwd);
	if (s->opt.bpf_runtime) {
		vec_push(argv, path);
		user_arguments(s, argv);
	} else {
		run_options(s, argv);
		vec_push(argv, path);
		run_settings(s, argv);
	}
}

int vm_run(struct session *s)
{
	arguments argv = { 0 };
	const char *base = strrchr(s->module_path, '/'), *path, *cwd = realpath(".", NULL);

	if (s->opt.target_pid)
		die("-x %d: the virtual machine does not have this host's processes; use -c", s->opt.target_pid);
	path = str_printf("/%s", base ? base + 1 : s->module_path);
	cwd = cwd ? cwd : "/";
	add_vm(&argv, s);
	if (!s->opt.bpf_runtime) {
		add_program(&argv, s, "staprun", "SYSTEMTAP_STAPRUN");
		add_program(&argv, s, "stapio", "SYSTEMTAP_STAPIO");
	}
	vec_push(&argv, "-f");
	vec_push(&argv, str_printf("%s:%s", s->module_path, path));
	if (s->opt.command)
		add_command(&argv, s->opt.command, cwd);
	for vec_each(&s->programs, program)
		add_file(&argv, *program, cwd);
	vec_push(&argv, "--");
	add_guest_command(&argv, s, path, cwd);
	vec_push(&argv, NULL);
	if (s->opt.output)                 // opened here, since files of the guest are discarded
		run_open_output(run_output_path(s->opt.output));
	return run_program(argv.at, false);
}
