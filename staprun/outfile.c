// SPDX-License-Identifier: GPL-2.0-or-later
// Output on its way to standard output or the file of -o. The descriptor may be shared with other
// programs and is left as it is (no O_NONBLOCK): a pipe or a terminal is written only when poll()
// says so, and not more than PIPE_BUF bytes at once, so that signals and messages are not kept
// waiting by a slow reader.
#include "stapio.h"

#include "log.h"
#include "syscalls.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static int open_pattern(const char *pattern)
{
	char path[PATH_MAX];
	time_t now = time(NULL);
	struct tm local;
	int fd;

	localtime_r(&now, &local);
	if (!strftime(path, sizeof(path), pattern, &local)) {
		log_error("-o %s: the name is empty or too long", pattern);
		return -EINVAL;
	}
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd < 0) {
		fd = -errno;
		log_error("can't write %s: %m", path);
	}
	return fd;
}

int outfile_open(struct outfile *out, const char *pattern)
{
	struct stat st;

	out->fd = pattern ? open_pattern(pattern) : STDOUT_FILENO;
	if (out->fd < 0)
		return out->fd;
	out->is_file = !fstat(out->fd, &st) && S_ISREG(st.st_mode);
	return 0;
}

size_t outfile_room(const struct outfile *out)
{
	return sizeof(out->bytes) - (out->end - out->start);
}

void outfile_add(struct outfile *out, const void *bytes, size_t len)
{
	if (out->closed)
		return;
	if (len > sizeof(out->bytes) - out->end) {
		memmove(out->bytes, out->bytes + out->start, out->end - out->start);
		out->end -= out->start;
		out->start = 0;
	}
	memcpy(out->bytes + out->end, bytes, len);
	out->end += len;
}

bool outfile_pending(const struct outfile *out)
{
	return out->end > out->start;
}

static bool would_block(const struct outfile *out)
{
	struct pollfd fd = { .fd = out->fd, .events = POLLOUT };

	return !out->is_file && poll(&fd, 1, 0) == 0;
}

void outfile_write(struct outfile *out)
{
	while (outfile_pending(out) && !would_block(out)) {
		size_t len = out->end - out->start;
		ssize_t n;

		if (!out->is_file && len > PIPE_BUF)
			len = PIPE_BUF;
		n = write(out->fd, out->bytes + out->start, len);
		if (n < 0 && (errno == EINTR || errno == EAGAIN))
			return;
		if (n < 0) {
			out->closed = true;
			out->error = -errno;
			out->start = out->end = 0;
			return;
		}
		out->start += n;
	}
	if (!outfile_pending(out))
		out->start = out->end = 0;
}

void outfile_flush(struct outfile *out)
{
	while (outfile_pending(out)) {
		struct pollfd fd = { .fd = out->fd, .events = POLLOUT };

		poll(&fd, 1, -1);
		outfile_write(out);
	}
}
