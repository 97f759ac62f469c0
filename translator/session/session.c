// SPDX-License-Identifier: GPL-2.0-or-later
// Finds the directories of a session: the library, the runtime, the temporary directory; stores the script's texts.
#include "config.h"
#include "session/background.h"
#include "util/str.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static char *temporary;        // the path for the signal handler that removes it

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	return remove(path);
}

static void remove_temporary(void)
{
	background_end();
	// If memory is exhausted, only an empty directory can be removed.
	if (temporary && nftw(temporary, remove_one, 16, FTW_DEPTH | FTW_PHYS) != 0)
		rmdir(temporary);
	temporary = NULL;
}

void session_abandon(int status)
{
	pid_t pid;

	background_end();
	pid = temporary && rmdir(temporary) ? fork() : -1;
	if (pid == 0) {
		struct rlimit limit;

		// raised, since the limit of processor time may be used up
		if (!getrlimit(RLIMIT_CPU, &limit)) {
			limit.rlim_cur = limit.rlim_max;
			setrlimit(RLIMIT_CPU, &limit);
		}
		execl("/bin/rm", "rm", "-rf", "--", temporary, (char *)NULL);
		_exit(EXIT_FAILURE);
	}
	if (pid > 0)
		waitpid(pid, NULL, 0);
	_exit(status);
}

static void make_temporary(struct session *s)
{
	const char *dir = getenv("TMPDIR");
	char *path = str_printf("%s/stapXXXXXX", dir && *dir ? dir : "/tmp");

	if (s->opt.tmp_dir) {
		s->tmp_dir = str_dup(s->opt.tmp_dir);
		return;
	}
	if (!mkdtemp(path))
		die("cannot create a temporary directory in %s: %s; set TMPDIR to a writable directory with free space",
		    dir && *dir ? dir : "/tmp", strerror(errno));
	s->tmp_dir = path;
	if (s->opt.keep_tmp)
		return;
	temporary = path;
	die_at_exit(remove_temporary);
}

// Searches beside the sources if the program is in the build's directory, else relative to /PREFIX/bin/stap, else
// (if that directory was copied) beside the program.
void session_find_directories(struct session *s)
{
	char exe[4096];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	const char *tapsets = getenv("SYSTEMTAP_TAPSET"), *runtime = getenv("SYSTEMTAP_RUNTIME");
	const char *root = "";

	exe[n > 0 ? n : 0] = '\0';
	if (n <= 0 && !realpath((char *)getauxval(AT_EXECFN), exe))     // /proc is not mounted
		*exe = '\0';
	if (strrchr(exe, '/'))
		*strrchr(exe, '/') = '\0';
	if (str_ends(exe, BIN_DIR))         // the whole installation is below a DESTDIR
		root = str_ndup(exe, strlen(exe) - strlen(BIN_DIR));
	struct { const char *data, *programs, *manual; } installs[] = {
		{ strcmp(exe, BUILD_DIR) ? "" : SOURCE_DIR, BUILD_DIR, BUILD_DIR "/man" },
		{ str_printf("%s%s", root, DATA_DIR), str_printf("%s%s", root, LIBEXEC_DIR),
		  str_printf("%s%s", root, MAN_DIR) },
		{ exe, str_dup(exe) },
		{ str_printf("%s/..", exe), str_dup(exe) },
	};

	for (int i = 0; i < ARRAY_SIZE(installs) && !s->runtime_dir; i++) {
		if (!*installs[i].data || access(str_printf("%s/runtime/include/generated.h", installs[i].data), R_OK))
			continue;
		s->tapset_dir = str_printf("%s/tapsets", installs[i].data);
		s->runtime_dir = str_printf("%s/runtime", installs[i].data);
		s->examples_dir = str_printf("%s/examples", installs[i].data);
		s->libexec_dir = str_dup(installs[i].programs);
		s->manual_dir = installs[i].manual;
	}
	if (!s->runtime_dir && (!tapsets || !runtime))
		die("the library and the runtime are neither in %s nor beside %s/stap; install them (make install), "
		    "copy them with stap (tapsets, runtime, staprun), or set SYSTEMTAP_TAPSET and "
		    "SYSTEMTAP_RUNTIME", installs[1].data, exe);
	if (!s->runtime_dir)
		s->libexec_dir = str_dup(installs[1].programs);
	if (tapsets)
		s->tapset_dir = str_dup(tapsets);
	if (s->opt.runtime_dir || runtime)
		s->runtime_dir = str_dup(s->opt.runtime_dir ? s->opt.runtime_dir : runtime);
}

void session_open(struct session *s)
{
	make_temporary(s);
}

void session_close(struct session *s)
{
	remove_temporary();
}

struct source *session_source(struct session *s, const char *name, const char *text, size_t len)
{
	struct source *src = NEW(struct source);

	src->name = name;
	src->text = text;
	src->len = len;
	vec_push(&s->sources, src);
	return src;
}
