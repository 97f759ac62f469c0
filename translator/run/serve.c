// SPDX-License-Identifier: GPL-2.0-or-later
// --export: runs stap-export, which serves or sends the script's metrics, while staprun runs. Its standard input is
// a pipe that this process holds open: stap-export exits when the pipe is closed, so also when stap is killed.
#include "run/run.h"
#include "util/diag.h"
#include "util/str.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <spawn.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

// Returns the directory of the files of procfs probes (runtime/kernel/probe_procfs.c, runtime/user/files.c).
static const char *files_directory(const struct session *s)
{
	const struct passwd *p = getpwuid(geteuid());
	const char *user = p ? p->pw_name : str_printf("%u", geteuid());

	return !s->opt.user_runtime && !s->opt.bpf_runtime ? str_printf("/proc/systemtap/%s", s->module_name) :
	       str_printf("/var/tmp/systemtap-%s/%s", user, s->module_name);
}

// Waits until the server is ready, so that the script does not start if the port is in use. Returns the pipe.
int serve_start(struct session *s)
{
	const char *argv[] = { "python3", run_find(s, "stap-export", NULL), s->opt.export, files_directory(s), NULL };
	posix_spawn_file_actions_t actions;
	int in[2], out[2], pid, err;
	char byte;

	if (pipe2(in, O_CLOEXEC) < 0 || pipe2(out, O_CLOEXEC) < 0)
		die("--export: %s", strerror(errno));
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
	err = posix_spawnp(&pid, argv[0], &actions, NULL, (char *const *)argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (err)
		die("--export requires python3: %s", strerror(err));
	close(in[0]);
	close(out[1]);
	if (read(out[0], &byte, 1) != 1)
		die("--export=%s: the metrics are not exported (a message above says why)", s->opt.export);
	close(out[0]);
	return in[1];
}
