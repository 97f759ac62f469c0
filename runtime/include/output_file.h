/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Opens a file for the output of a script, which may be a FIFO. Shared by stap, stapio and stap-report. */
#ifndef STP_OUTPUT_FILE_H
#define STP_OUTPUT_FILE_H

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>

/* time between attempts to open a FIFO */
enum { STP_FIFO_POLL_MS = 100 };

/* Creates or truncates the file. If it is a FIFO that no process reads, calls wait(data), which sleeps for
 * STP_FIFO_POLL_MS, and tries again: an open() that blocks could not be ended by other events. Returns a descriptor
 * whose writes block. Returns -1 on failure: errno is EAGAIN if wait() has returned false. */
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
	if (fd >= 0)
		fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
	return fd;
}

#endif
