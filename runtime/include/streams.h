/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The standard descriptors of stap, staprun and the user runtime. A program that is started with one of them closed
 * would open another file in its place, and write its output or messages there.
 */
#ifndef STP_STREAMS_H
#define STP_STREAMS_H

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <unistd.h>

/* Opens the closed descriptors for reading only, so that output is an error. Returns false if that is impossible. */
static inline bool stp_streams_open(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF && open("/dev/null", O_RDONLY) != fd)
			return false;
	return true;
}

#endif
