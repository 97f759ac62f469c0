/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Opens a file for the output of a script, which may be a FIFO. Shared by stap, stapio and stap-report. */
#ifndef STP_OUTPUT_FILE_H
#define STP_OUTPUT_FILE_H

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* time between attempts to open a FIFO */
enum { STP_FIFO_POLL_MS = 100 };

/* Returns false if the file system is full, or if the file is /dev/full. File systems without blocks have no limit. */
static inline bool stp_output_has_space(int fd)
{
	struct statvfs fs;
	struct stat st;

	if (fstat(fd, &st))
		return true;
	if (S_ISCHR(st.st_mode))
		return st.st_rdev != makedev(1, 7);
	return !S_ISREG(st.st_mode) || fstatvfs(fd, &fs) || !fs.f_blocks || fs.f_bfree;
}

/* Creates or truncates the file. If it is a FIFO that no process reads, calls wait(data), which sleeps for
 * STP_FIFO_POLL_MS, and tries again: an open() that blocks could not be ended by other events. Returns a descriptor
 * whose writes block. Returns -1 on failure: errno is EAGAIN if wait() has returned false, ENOSPC if nothing can be
 * written, which is better reported before a script runs. */
static inline int stp_output_open(const char *path, bool (*wait)(void *data), void *data)
{
	struct stat st;
	int fd;

	while ((fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NONBLOCK, 0666)) < 0 && errno == ENXIO &&
	       !stat(path, &st) && S_ISFIFO(st.st_mode))
		if (!wait(data)) {
			errno = EAGAIN;
			return -1;
		}
	if (fd < 0)
		return fd;
	if (!stp_output_has_space(fd)) {
		close(fd);
		errno = ENOSPC;
		return -1;
	}
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
	return fd;
}

#endif
