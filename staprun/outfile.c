// SPDX-License-Identifier: GPL-2.0-or-later
// Buffers output and writes it to standard output or the file of -o. The descriptor may be shared with other
// programs, so O_NONBLOCK is not set: a pipe or terminal is written only when poll() reports POLLOUT, and at most
// PIPE_BUF bytes at once, so that a slow reader does not delay signals and messages.
//
// The file's name is NAME (-o, expanded by strftime()), in bulk mode NAME_cpuN for the N-th ring. With -S, and from
// the first SIGUSR2 on, a number follows: NAME.0, NAME.1 and so on; -S may limit the number of files. A record is never
// split between files.
#include "stapio.h"

#include "log.h"
#include "output_file.h"
#include "syscalls.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

// Stores the name of the file with this number. Returns 0 or -errno.
static int file_name(const struct outfile *out, unsigned number, char *path, size_t size)
{
	const char *pattern = out->opt->output ? out->opt->output : "stpd";
	bool numbered = out->opt->file_size || number;
	char cpu[24] = "", suffix[16] = "";
	struct tm local;
	size_t len;

	localtime_r(&out->opened, &local);
	len = strftime(path, size, pattern, &local);
	if (out->ring >= 0)
		snprintf(cpu, sizeof(cpu), "_cpu%d", out->ring);
	if (numbered)
		snprintf(suffix, sizeof(suffix), ".%u", number);
	if (!len || len + strlen(cpu) + strlen(suffix) >= size) {
		log_error("invalid file name \"%s\" (-o): it is empty or too long", pattern);
		return -EINVAL;
	}
	strcat(strcat(path, cpu), suffix);
	return 0;
}

struct fifo_wait {
	const struct outfile *out;
	const char *path;
	int signals;                       // a signalfd that ends the wait; -1: do not wait
	bool announced;
};

// Waits STP_FIFO_POLL_MS. Returns false, after a message, if a signal or the exit of staprun ends the session. SIGCHLD
// and SIGUSR2 have no effect before the session starts.
static bool wait_for_reader(void *data)
{
	struct fifo_wait *w = data;
	struct pollfd ends[] = { { w->signals, POLLIN }, { w->out->opt->life, POLLIN } };
	struct signalfd_siginfo info;

	if (w->signals < 0) {
		log_error("cannot write %s: it is a FIFO that no process reads", w->path);
		return false;
	}
	if (!w->announced)
		log_note(0, "waiting for a process that reads the FIFO %s", w->path);
	w->announced = true;
	if (poll(ends, 2, STP_FIFO_POLL_MS) <= 0)
		return true;
	if (ends[0].revents && read(w->signals, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGCHLD || info.ssi_signo == SIGUSR2)
			return true;
		log_error("cannot write %s: signal %u (%s) arrived before a process read the FIFO", w->path,
			  info.ssi_signo, strsignal(info.ssi_signo));
	} else {
		log_error("cannot write %s: staprun was killed before a process read the FIFO", w->path);
	}
	return false;
}

// signals: a signalfd that ends the wait for a FIFO's reader, since signals are blocked; -1: do not wait.
static int open_file(const struct outfile *out, int signals)
{
	char path[PATH_MAX];
	struct fifo_wait wait = { out, path, signals };
	int fd, rc = file_name(out, out->number, path, sizeof(path));

	if (rc)
		return rc;
	fd = stp_output_open(path, wait_for_reader, &wait);
	if (fd >= 0)
		return fd;
	rc = -errno;
	if (rc != -EAGAIN)
		log_error("cannot write %s: %m", path);
	return rc;
}

int outfile_open(struct outfile *out, const struct stapio_options *opt, int ring, int signals)
{
	struct stat st;

	out->opt = opt;
	out->ring = ring;
	out->opened = time(NULL);
	out->fd = opt->output || ring >= 0 ? open_file(out, signals) : STDOUT_FILENO;
	if (out->fd < 0)
		return out->fd;
	out->is_file = !fstat(out->fd, &st) && S_ISREG(st.st_mode);
	return 0;
}

size_t outfile_space(const struct outfile *out)
{
	return out->closed ? OUTFILE_BUFFER : OUTFILE_BUFFER - (out->end - out->start);
}

// Moves pending bytes to the start of the buffer, by a multiple of 8, so that the bits of `ends` move as bytes.
static void compact(struct outfile *out)
{
	size_t by = out->start & ~(size_t)7;

	memmove(out->bytes, out->bytes + by, out->end - by);
	memmove(out->ends, out->ends + by / 8, sizeof(out->ends) - by / 8);
	memset(out->ends + sizeof(out->ends) - by / 8, 0, by / 8);
	out->start -= by;
	out->end -= by;
}

void outfile_add(struct outfile *out, const void *bytes, size_t len)
{
	if (out->closed)
		return;
	if (len > sizeof(out->bytes) - out->end)
		compact(out);
	memcpy(out->bytes + out->end, bytes, len);
	out->end += len;
}

void outfile_end_record(struct outfile *out)
{
	size_t last = out->end - 1;

	if (out->closed)
		out->unwritten++;
	else if (out->end > out->start)
		out->ends[last / 8] |= 1 << last % 8;
}

uint64_t outfile_unwritten(const struct outfile *out)
{
	uint64_t n = out->unwritten;

	for (size_t i = out->start; i < out->end; i++)
		n += out->ends[i / 8] >> i % 8 & 1;
	return n;
}

bool outfile_pending(const struct outfile *out)
{
	return !out->closed && out->end > out->start;
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
			return;
		}
		out->start += n;
		out->written += n;
	}
	if (out->start == out->end) {
		memset(out->ends, 0, out->end / 8 + 1);
		out->start = out->end = 0;
	}
}

// Writes everything; only for regular files.
static void flush(struct outfile *out)
{
	while (outfile_pending(out))
		outfile_write(out);
}

void outfile_close(struct outfile *out)
{
	if (!out->closed)
		close(out->fd);
	out->closed = true;
}

// --- switching ---

static void remove_oldest(const struct outfile *out)
{
	char path[PATH_MAX];

	if (out->opt->files_max && out->number >= out->opt->files_max &&
	    !file_name(out, out->number - out->opt->files_max, path, sizeof(path)))
		unlink(path);
}

void outfile_switch(struct outfile *out)
{
	int fd;

	if (out->closed || !out->is_file || (!out->opt->output && out->ring < 0))
		return;
	flush(out);
	if (out->closed)
		return;
	out->number++;
	fd = open_file(out, -1);           // does not wait, since the module continues to produce records
	if (fd < 0) {
		out->closed = true;
		out->error = fd;
		return;
	}
	close(out->fd);
	out->fd = fd;
	out->written = 0;
	remove_oldest(out);
}

void outfile_begin_record(struct outfile *out, size_t len)
{
	uint64_t have = out->written + (out->end - out->start);

	if (out->opt->file_size && have && have + len > out->opt->file_size)
		outfile_switch(out);
}
