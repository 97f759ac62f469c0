/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ends the command of -c with the processes that it started, for stapio and the user runtime. The command is in the
 * process group of stap, so that it can read from the terminal and gets its signals. Therefore its descendants are
 * searched in /proc. A process whose parent has exited before, such as a daemon, is not found, and goes on.
 */
#ifndef STP_DESCENDANTS_H
#define STP_DESCENDANTS_H

#include "number.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { STP_MAX_DESCENDANTS = 256 };        /* more are sent SIGTERM, but not SIGKILL */

/* Handles of the processes that were sent SIGTERM. Another process that gets the ID of one is not signalled. */
struct stp_descendants {
	int n;
	struct pollfd at[STP_MAX_DESCENDANTS];
};

struct stp_parent { pid_t pid, parent; };

/* Reads the ID of the parent from /proc/PID/stat, "PID (NAME) STATE PARENT ...". NAME may have any characters. */
static inline bool stp_parent_read(const char *name, struct stp_parent *p)
{
	char path[64], text[512];
	const char *at = name, *rest;
	int64_t pid, parent;
	ssize_t n = -1;
	int fd;

	if (!number_at(&at, 10, 1, INT32_MAX, &pid) || *at)
		return false;
	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		n = read(fd, text, sizeof(text) - 1);
		close(fd);
	}
	text[n > 0 ? n : 0] = '\0';
	rest = strrchr(text, ')');
	if (!rest || strlen(rest) < 5)
		return false;
	rest += strlen(") S ");
	if (!number_at(&rest, 10, 0, INT32_MAX, &parent))
		return false;
	*p = (struct stp_parent){ pid, parent };
	return true;
}

/* Returns the number of processes in *all, which the caller frees. */
static inline int stp_parents_read(struct stp_parent **all)
{
	DIR *dir = opendir("/proc");
	const struct dirent *entry;
	struct stp_parent *more;
	int n = 0;

	*all = NULL;
	while (dir && (entry = readdir(dir))) {
		if (n % 256 == 0) {
			more = realloc(*all, (n + 256) * sizeof(**all));
			if (!more)
				break;
			*all = more;
		}
		n += stp_parent_read(entry->d_name, *all + n);
	}
	if (dir)
		closedir(dir);
	return n;
}

static inline int stp_parent_compare(const void *a, const void *b)
{
	pid_t x = ((const struct stp_parent *)a)->pid, y = ((const struct stp_parent *)b)->pid;

	return (x > y) - (x < y);
}

/* Processes may have changed while they were read: the number of steps is limited in case of a loop. */
static inline bool stp_descends_from(const struct stp_parent *all, int n, const struct stp_parent *p, pid_t root)
{
	for (int steps = 0; p && steps < n; steps++) {
		struct stp_parent key = { p->parent, 0 };

		if (p->parent == root)
			return true;
		p = bsearch(&key, all, n, sizeof(*all), stp_parent_compare);
	}
	return false;
}

static inline void stp_descendant_terminate(struct stp_descendants *d, pid_t pid)
{
	int fd = d->n < STP_MAX_DESCENDANTS ? syscall(SYS_pidfd_open, pid, 0) : -1;

	if (fd >= 0) {
		fcntl(fd, F_SETFD, FD_CLOEXEC);
		d->at[d->n++] = (struct pollfd){ .fd = fd, .events = POLLIN };
	}
	kill(pid, SIGTERM);
}

/* Sends SIGTERM to a child of this process, and to its descendants. The child is the first: a shell whose command is
 * ended would start the next one. */
static inline void stp_descendants_terminate(struct stp_descendants *d, pid_t root)
{
	struct stp_parent *all;
	int n = stp_parents_read(&all);

	if (n)
		qsort(all, n, sizeof(*all), stp_parent_compare);
	kill(root, SIGTERM);
	for (int i = 0; i < n; i++)
		if (stp_descends_from(all, n, &all[i], root))
			stp_descendant_terminate(d, all[i].pid);
	free(all);
}

/* Waits until the descendants have exited, at most `ms`, and sends SIGKILL to those that have not. */
static inline void stp_descendants_kill(struct stp_descendants *d, int64_t ms)
{
	struct timespec begin, now;
	int64_t left;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	for (int i = 0; i < d->n; i++) {
		clock_gettime(CLOCK_MONOTONIC, &now);
		left = ms - (now.tv_sec - begin.tv_sec) * 1000 - (now.tv_nsec - begin.tv_nsec) / 1000000;
		if (poll(&d->at[i], 1, left > 0 ? left : 0) <= 0)
			syscall(SYS_pidfd_send_signal, d->at[i].fd, SIGKILL, NULL, 0);
		close(d->at[i].fd);
	}
	d->n = 0;
}
#endif
