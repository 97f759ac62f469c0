// SPDX-License-Identifier: GPL-2.0-or-later
// staprun FILE, where FILE is a program that stap -p4 --runtime=bpf has built: executes it as the user who started
// staprun, without any of staprun's privileges. The program itself loads its BPF programs.
#include "staprun.h"

#include "log.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

// Returns whether the path is that of a program. A name without '/' is that of an installed module, even if the
// current folder has a program of this name. Does not wait for the writer of a FIFO.
bool program_is(const char *path)
{
	Elf64_Ehdr head;
	struct stat st;
	int fd = !strchr(path, '/') ? -1 : open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	bool is = fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) && read(fd, &head, sizeof(head)) == sizeof(head) &&
		!memcmp(head.e_ident, ELFMAG, SELFMAG) && (head.e_type == ET_EXEC || head.e_type == ET_DYN);

	if (fd >= 0)
		close(fd);
	return is;
}

static int refuse(const char *option)
{
	log_error("the option %s is not supported for a program with BPF programs: its options are -c, -x, -o, -v, --strict",
		  option);
	return -EINVAL;
}

// Converts the options of stapio to those of the program. Returns their number or -EINVAL.
static int translate(const char *const *relay, int n, const char **to, const char **output)
{
	int used = 0;

	for (int i = 1; i < n; i++) {      // relay[0] is stapio's name
		if (!strcmp(relay[i], "-c") || !strcmp(relay[i], "-x")) {
			to[used++] = relay[i++];
			to[used++] = relay[i];
		} else if (!strcmp(relay[i], "-o")) {
			*output = relay[++i];
		} else if (!strcmp(relay[i], "-v")) {
			to[used++] = "-v";
		} else if (!strcmp(relay[i], "-e")) {
			to[used++] = "-s";
		} else {
			return refuse(relay[i]);
		}
	}
	return used;
}

static int open_output(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);

	if (fd >= 0 && dup2(fd, STDOUT_FILENO) >= 0)
		return 0;
	log_error("cannot write %s: %m", path);
	return -errno;
}

// fd: descriptor of the program; -1: execute the path.
static int execute(const char *path, int fd, const char *const *relay, int n, char **settings)
{
	const char *output = NULL, **argv;
	int settings_n = 0, used;

	while (settings[settings_n])
		settings_n++;
	argv = calloc((size_t)(n + settings_n + 2), sizeof(*argv));
	if (!argv)
		return 1;
	argv[0] = path;
	used = translate(relay, n, argv + 1, &output);
	if (used < 0)
		return 1;
	memcpy(argv + 1 + used, settings, (size_t)settings_n * sizeof(*argv));
	if (setresgid(getgid(), getgid(), getgid()) || setresuid(getuid(), getuid(), getuid())) {
		log_error("cannot drop privileges: %m");
		return 1;
	}
	if (output && open_output(output))
		return 1;
	if (fd < 0)
		execv(path, (char **)argv);
	else
		fexecve(fd, (char **)argv, environ);
	log_error("cannot run %s: %m", path);
	return 1;
}

int program_execute(const char *path, const char *const *relay, int n, char **settings)
{
	return execute(path, -1, relay, n, settings);
}

int program_execute_image(const struct module *m, const char *const *relay, int n, char **settings)
{
	int fd = memfd_create("bundle", MFD_CLOEXEC);
	sigset_t none;

	for (size_t done = 0; done < m->len; ) {
		ssize_t written = fd < 0 ? -1 : write(fd, m->image + done, m->len - done);

		if (written < 0) {
			log_error("cannot copy the BPF program of %s to memory: %m", m->path);
			return 1;
		}
		done += written;
	}
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	return execute(m->path, fd, relay, n, settings);
}
