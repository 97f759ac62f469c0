/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads /proc/PID/maps of processes whose mappings a program could not look up. That requires CAP_SYS_PTRACE, with
 * which a process can do anything; so it is done by a child process that has only this capability, does nothing
 * else, and gets no file of this process but a socket. It exits when this process does.
 */
#define _GNU_SOURCE
#include "any_script.h"
#include "client.h"
#include "../core/internal.h"
#include "../include/number.h"
#include "bpf_shared.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ANSWER_SIZE (1 << 20)              /* lines of executable mappings, about 100 bytes each */
#define ANSWER_MS 1000                     /* the kernel may wait for a process that changes its mappings */
#define VDSO "[vdso]"
#define SOCKET 0                           /* descriptor of the socket in the child process */

static int reader = -1;                    /* socket to the child process; -1: none */
static char answer[ANSWER_SIZE];

/* ------------------------------------------------------------------ the child process */

static FILE *open_file(u64 pid, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%llu/%s", (unsigned long long)pid, name);
	return fopen(path, "re");
}

/* Returns a field of /proc/PID/stat, proc_pid_stat(5), whose numbers begin with 3 after the name of the program. */
static u64 stat_field(const char *after_name, u32 field)
{
	uint64_t n;
	u32 i;

	for (i = 2; i < field && *after_name; i++)
		after_name += strcspn(after_name, " ") + (after_name[strcspn(after_name, " ")] == ' ');
	return number_unsigned(&after_name, 10, &n) == NUMBER_GOOD ? n : 0;
}

/*
 * Returns whether the process is still the one that was hit: another one with its number started later, and a new
 * program has another stack, whose address is random.
 */
static bool is_same(const struct stp_execution *p)
{
	enum { START_TIME = 22, START_STACK = 28 };
	char text[4096];
	FILE *f = open_file(p->pid, "stat");
	size_t len = f ? fread(text, 1, sizeof(text) - 1, f) : 0;
	const char *name;

	if (f)
		fclose(f);
	text[len] = '\0';
	name = strrchr(text, ')');
	return name && stat_field(name, START_TIME) == p->start_ns / (1000000000u / (u64)sysconf(_SC_CLK_TCK)) &&
	       stat_field(name, START_STACK) == p->stack;
}

/* Puts the lines of executable mappings of files and of the vDSO into `answer`. The file shows the memory that the
 * process had when the file was opened; so the process is compared afterwards. */
static u32 read_lines(const struct stp_execution *p)
{
	FILE *f = open_file(p->pid, "maps");
	char *line = NULL;
	size_t size = 0;
	ssize_t n;
	u32 len = 0;

	if (f && is_same(p))
		while ((n = getline(&line, &size, f)) > 0 && (size_t)n < sizeof(answer) - len)
			if ((strchr(line, '/') || strstr(line, VDSO)) && line[strcspn(line, " ")] && line[strcspn(line, " ") + 3] == 'x') {
				memcpy(answer + len, line, (size_t)n);
				len += (u32)n;
			}
	if (f)
		fclose(f);
	free(line);
	return len;
}

static void send_all(const void *bytes, size_t size)
{
	const char *at = bytes;
	ssize_t n;

	for (; size; at += n, size -= (size_t)n) {
		n = send(SOCKET, at, size, MSG_NOSIGNAL);
		if (n <= 0)
			_exit(0);
	}
}

static void serve(void)
{
	struct stp_execution p;
	u32 len;

	while (recv(SOCKET, &p, sizeof(p), MSG_WAITALL) == sizeof(p)) {
		len = read_lines(&p);
		send_all(&len, sizeof(len));
		send_all(answer, len);
	}
	_exit(0);
}

void process_maps_start(void)
{
	int fds[2];
	pid_t pid;

	if (reader >= 0 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds))
		return;
	pid = fork();
	if (pid) {
		close(fds[1]);
		if (pid > 0)
			reader = fds[0];
		else
			close(fds[0]);
		return;
	}
	if (dup2(fds[1], SOCKET) < 0 || syscall(SYS_close_range, SOCKET + 1, ~0u, 0) || !privileges_to_read_maps())
		_exit(1);
	serve();
}

/* ------------------------------------------------------------------ this process */

static bool receive(void *to, size_t size)
{
	struct pollfd fd = { reader, POLLIN, 0 };
	char *at = to;
	ssize_t n;

	for (; size; at += n, size -= (size_t)n) {
		n = poll(&fd, 1, ANSWER_MS) == 1 ? recv(reader, at, size, 0) : -1;
		if (n <= 0)
			return false;
	}
	return true;
}

/* Removes the escapes of newlines, and the suffix of a file that was deleted. */
static void clean_path(char *path)
{
	static const char suffix[] = " (deleted)", newline[] = "\\012";
	size_t len = strlen(path);
	char *at = path;

	if (len >= sizeof(suffix) && !strcmp(path + len - (sizeof(suffix) - 1), suffix))
		path[len - (sizeof(suffix) - 1)] = '\0';
	while ((at = strstr(at, newline))) {
		*at++ = '\n';
		memmove(at, at + sizeof(newline) - 2, strlen(at + sizeof(newline) - 2) + 1);
	}
}

/* Parses a number that the character follows, and moves *at past both. */
static bool take_number(const char **at, int base, char next, u64 *n)
{
	uint64_t value;

	if (number_unsigned(at, base, &value) != NUMBER_GOOD || **at != next)
		return false;
	++*at;
	*n = value;
	return true;
}

/* Adds the mapping of a line "start-end rights offset major:minor inode path", in proc_pid_maps(5). */
static void add_line(u64 space, char *line)
{
	struct stp_mapping m = { space };
	const char *at = line;
	char *path = strchr(line, '/'), vdso[] = VDSO_PATH;
	u64 major, minor;

	path = path || !strstr(line, VDSO) ? path : vdso;
	if (!path || !take_number(&at, 16, '-', &m.start) || !take_number(&at, 16, ' ', &m.end))
		return;
	at += strcspn(at, " ");
	at += *at == ' ';
	if (!take_number(&at, 16, ' ', &m.offset) || !take_number(&at, 16, ':', &major) ||
	    !take_number(&at, 16, ' ', &minor) || !take_number(&at, 10, ' ', &m.inode))
		return;
	m.device = major << 20 | minor;
	clean_path(path);
	user_names_add(&m, path);
}

void process_maps_read(u64 space, const struct stp_execution *p)
{
	char *line, *end;
	u32 len = 0;

	if (reader < 0)
		return;
	if (send(reader, p, sizeof(*p), MSG_NOSIGNAL) != sizeof(*p) || !receive(&len, sizeof(len)) ||
	    len >= sizeof(answer) || !receive(answer, len)) {
		close(reader);             /* the rest of an answer would be taken for the next one */
		reader = -1;
		return;
	}
	answer[len] = '\0';
	for (line = answer; (end = strchr(line, '\n')); line = end + 1) {
		*end = '\0';
		add_line(space, line);
	}
}
