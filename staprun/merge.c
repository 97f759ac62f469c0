// SPDX-License-Identifier: GPL-2.0-or-later
// stap-merge: merges the files of a bulk run (stap -b), each of which is sorted, into one stream sorted by the
// records' sequence numbers. A damaged file ends at its last whole record; missing records are counted. Only one record
// of each file is in memory.
#include "bulk.h"
#include "number.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define PAYLOAD_MAX (1u << 30)             // rings are not larger than this

static struct input {
	const char *name;
	int cpu;                           // number in the file's name, otherwise the index of the argument
	FILE *file;                        // NULL: the end was reached
	bool magic;                        // each header begins with BULK_MAGIC
	bool begun;                        // a record was read
	uint64_t seq;                      // sequence number of the next record
	uint64_t previous;                 // sequence number of the record before it
	uint32_t len;
	char *payload;
	size_t size;                       // allocated for payload
} *inputs;
static int n_inputs;

static void __attribute__((noreturn)) fail(const char *what, const char *why)
{
	fprintf(stderr, "stap-merge: %s: %s\n", what, why);
	exit(1);
}

static void usage(FILE *to)
{
	fputs("Usage: stap-merge [-v] [-o FILE] FILE...\n"
	      "Puts the files of a bulk run (stap -b -o NAME: NAME_cpu0, NAME_cpu1, ...) in order.\n"
	      "  -v         print the CPU, sequence number and length of each record before it\n"
	      "  -o FILE    write to FILE instead of standard output\n"
	      "  -h         print this text\n", to);
}

static bool read_word(struct input *in, uint32_t *word)
{
	return fread(word, sizeof(*word), 1, in->file) == 1;
}

// The sequence number is the first one after the previous record's whose lower half is that of the header; see
// earliest().
static bool read_head(struct input *in)
{
	uint32_t seq, step;

	if (!read_word(in, &seq))
		return false;
	in->magic |= !in->begun && seq == BULK_MAGIC;
	if (in->magic && (seq != BULK_MAGIC || !read_word(in, &seq)))
		return false;
	step = in->begun ? seq - (uint32_t)in->seq : seq;
	in->previous = in->begun ? in->seq : 0;
	in->seq += step;
	return read_word(in, &in->len) && in->len && in->len <= PAYLOAD_MAX && (!in->begun || step);
}

static bool read_payload(struct input *in)
{
	if (in->len > in->size) {
		in->size = in->len;
		in->payload = realloc(in->payload, in->size);
		if (!in->payload)
			fail(in->name, "out of memory");
	}
	return fread(in->payload, in->len, 1, in->file) == 1;
}

// Reads the next record of a file, and closes the file at its end.
static void read_record(struct input *in)
{
	int c = getc(in->file);

	if (c != EOF) {
		ungetc(c, in->file);
		if (read_head(in) && read_payload(in)) {
			in->begun = true;
			return;
		}
	}
	if (ferror(in->file))
		fail(in->name, strerror(errno));
	if (c != EOF)
		fprintf(stderr, "stap-merge: %s: a record is damaged or incomplete; the rest of the file is skipped\n",
			in->name);
	fclose(in->file);
	in->file = NULL;
}

static int cpu_of(const char *name, int otherwise)
{
	const char *last = NULL;
	int64_t cpu;

	for (const char *at = name; (at = strstr(at, "_cpu")); at++)
		last = at;
	last = last ? last + strlen("_cpu") : "";
	return number_at(&last, 10, 0, INT32_MAX, &cpu) ? (int)cpu : otherwise;
}

// Returns the file with the lowest number. Numbers are unique: if two files have the same one, the number of the
// CPU that has printed nothing for longer is 2^32 higher.
static struct input *earliest(void)
{
	struct input *first = NULL;

	for (struct input *in = inputs; in < inputs + n_inputs; in++) {
		if (in->file && first && in->seq == first->seq) {
			struct input *later = in->seq - in->previous > first->seq - first->previous ? in : first;

			later->seq += 1ull << 32;
			return earliest();
		}
		if (in->file && (!first || in->seq < first->seq))
			first = in;
	}
	return first;
}

static void merge(FILE *to, bool verbose)
{
	uint64_t expected = 0, missing = 0;
	struct input *in;

	while ((in = earliest())) {
		if (expected && in->seq > expected)
			missing += in->seq - expected;
		expected = in->seq + 1;
		if (verbose)
			fprintf(to, "[CPU:%d, seq=%llu, length=%u]\n", in->cpu, (unsigned long long)in->seq, in->len);
		fwrite(in->payload, 1, in->len, to);
		read_record(in);
	}
	if (missing)
		fprintf(stderr, "stap-merge: %llu records are missing\n", (unsigned long long)missing);
}

// Opens a file without waiting for a writer: the process that writes the FIFOs opens them in its own order, and
// each of its open() calls waits for a reader. Reads wait: in wait_for_writer() for the first byte, later in
// read().
static FILE *open_input(const char *name)
{
	int fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0 || fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK))
		return NULL;
	return fdopen(fd, "r");
}

// A FIFO that no process has opened for writing yet reads as if it were at its end. poll() distinguishes these
// cases: it reports POLLHUP only after a writer has existed (fifo_open() and pipe_poll() of the kernel).
static void wait_for_writer(const struct input *in)
{
	struct pollfd end = { fileno(in->file), POLLIN };

	while (poll(&end, 1, -1) < 0)
		if (errno != EINTR)
			fail(in->name, strerror(errno));
}

// All files are opened before the first is read: the process that writes FIFOs waits until each has a reader.
static void open_inputs(char **names, const char *output)
{
	struct stat in, out;
	bool exists = output && !stat(output, &out);

	for (int i = 0; i < n_inputs; i++) {
		inputs[i].name = names[i];
		inputs[i].cpu = cpu_of(names[i], i);
		inputs[i].file = open_input(names[i]);
		if (!inputs[i].file || fstat(fileno(inputs[i].file), &in))
			fail(names[i], strerror(errno));
		if (exists && S_ISREG(out.st_mode) && in.st_ino == out.st_ino && in.st_dev == out.st_dev)
			fail(names[i], "the input is also the output file (-o)");
	}
}

int main(int argc, char **argv)
{
	const char *output = NULL;
	bool verbose = false;
	FILE *to = stdout;
	int letter;

	while ((letter = getopt(argc, argv, "vo:h")) != -1) {
		switch (letter) {
		case 'v': verbose = true; break;
		case 'o': output = optarg; break;
		case 'h': usage(stdout); return 0;
		default: usage(stderr); return 1;
		}
	}
	n_inputs = argc - optind;
	inputs = calloc(n_inputs + 1, sizeof(*inputs));
	if (!n_inputs || !inputs) {
		usage(stderr);
		return 1;
	}
	open_inputs(argv + optind, output);
	if (output && !(to = fopen(output, "we")))
		fail(output, strerror(errno));
	for (int i = 0; i < n_inputs; i++) {
		wait_for_writer(&inputs[i]);
		read_record(&inputs[i]);
	}
	merge(to, verbose);
	if (fflush(to) || ferror(to))
		fail("writing", strerror(errno));
	return 0;
}
