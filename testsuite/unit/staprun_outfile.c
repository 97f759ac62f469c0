// SPDX-License-Identifier: GPL-2.0-or-later
// The buffer of staprun/outfile.c: random records into a pipe with a slow reader, and partial writes as on
// terminals and full disks. The bytes must arrive complete and in order, and the records whose last byte was not
// written must be counted exactly. outfile.c itself is compiled here.
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

// If not 0, the next write writes only this number of bytes, and the following one would block.
static size_t only;

// Writes a part; often only a few bytes, so that the pending ones begin at any offset.
static ssize_t write_part(int fd, const void *from, size_t len)
{
	static bool blocks;

	if (blocks) {
		blocks = false;
		errno = EAGAIN;
		return -1;
	}
	blocks = only > 0;
	if (only)
		len = only;
	else if (rand() % 4 == 0)
		len = 1 + rand() % (len < 16 ? len : 16);
	only = 0;
	return write(fd, from, len);
}
#define write write_part
#include "../../staprun/outfile.c"

void log_note(int level, const char *fmt, ...)
{
}

void log_error(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	exit(1);
}

static struct outfile out;
static unsigned char next_in, next_out;    // the values of the written bytes count up, modulo 256
static uint64_t ended[1 << 16];            // positions of the ends of records, in bytes from the start
static uint64_t n_ended, added, arrived;

static void add_record(size_t len)
{
	static unsigned char bytes[OUTFILE_BUFFER];

	for (size_t i = 0; i < len; i++)
		bytes[i] = next_in++;
	outfile_add(&out, bytes, len);
	outfile_end_record(&out);
	added += len;
	ended[n_ended++ % (1 << 16)] = added;
}

static bool take(int fd, size_t len)
{
	unsigned char bytes[4096];
	ssize_t n = read(fd, bytes, len < sizeof(bytes) ? len : sizeof(bytes));

	for (ssize_t i = 0; i < n; i++)
		if (bytes[i] != next_out++)
			return false;
	arrived += n > 0 ? n : 0;
	return true;
}

// Returns the number of records whose last byte is neither in the pipe nor read.
static uint64_t expected(void)
{
	uint64_t n = 0;

	while (n < n_ended && n < 1 << 16 && ended[(n_ended - 1 - n) % (1 << 16)] > out.written)
		n++;
	return n;
}

// Fills the buffer, writes `first` bytes of it, and fills it to its last byte again.
static void fill(size_t first)
{
	add_record(OUTFILE_BUFFER);
	only = first;
	outfile_write(&out);
	add_record(outfile_space(&out));
}

static bool fill_and_empty(int fd, size_t first)
{
	fill(first);
	for (int i = 0; i < 5000 && (out.end > out.start || i < 100); i++) {
		size_t space = outfile_space(&out);

		if (i < 100 && space)
			add_record(1 + rand() % (space < 4096 ? space : 4096));
		outfile_write(&out);
		if (outfile_unwritten(&out) != expected() || !take(fd, 1 + rand() % 4096))
			return false;
	}
	for (int i = 0; i < 5000 && arrived < added; i++)
		if (!take(fd, 4096))
			return false;
	return arrived == added;
}

int main(void)
{
	static const struct stapio_options opt;
	bool good = true;
	int fds[2];

	if (pipe(fds) || fcntl(fds[0], F_SETFL, O_NONBLOCK))
		return 1;
	outfile_open(&out, &opt, -1, -1);
	out.fd = fds[1];
	out.is_file = false;
	for (size_t first = 1; good && first < 20; first++)
		good = fill_and_empty(fds[0], first);
	printf("%sok records in the buffer of an output file are written or counted\n", good ? "" : "not ");
	return 0;
}
