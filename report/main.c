// SPDX-License-Identifier: GPL-2.0-or-later
// stap-report: makes text, JSON, folded stacks and the like of a recorded session. In: files made by stap --record, or
// standard input. Out: standard output, and the files of --output.
#include "event_text.h"
#include "number.h"
#include "output_file.h"
#include "output_formats.h"
#include "stack.h"
#include "stream.h"
#include "symbols.h"
#include "writers.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define WRITER(name, takes_stacks) &name##_writer,
static const struct writer *const writers[] = { OUTPUT_FORMATS(WRITER) };
#undef WRITER

enum { OUTPUTS = 16 };

static struct output outputs[OUTPUTS];
static int noutputs;
static const struct writer *printed;       // on standard output; NULL: text, if there are no files
static bool incomplete;                    // an output could not be written
static const char *remote;                 // --remote: the host of standard input
static bool run_by_stap;                   // standard input is a script that runs, not a session of the user

static __attribute__((format(printf, 1, 2))) void report_error(const char *fmt, ...)
{
	va_list ap;

	fputs("ERROR: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
}

#define fail(...) do { report_error(__VA_ARGS__); exit(1); } while (0)

static const struct writer *find(const char *name, size_t len)
{
	for (size_t i = 0; i < sizeof(writers) / sizeof(writers[0]); i++)
		if (strlen(writers[i]->name) == len && !strncmp(writers[i]->name, name, len))
			return writers[i];
	report_error("unknown output format \"%.*s\"; use one of", (int)len, name);
	for (size_t i = 0; i < sizeof(writers) / sizeof(writers[0]); i++)
		fprintf(stderr, "  %-10s %s\n", writers[i]->name, writers[i]->help);
	exit(1);
}

static struct output *add(const struct writer *w, const char *path, FILE *file)
{
	if (noutputs == OUTPUTS)
		fail("more than %d outputs; run stap-report again for the others", OUTPUTS);
	outputs[noutputs] = (struct output){ .writer = w, .path = path, .file = file };
	return &outputs[noutputs++];
}

static bool is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

// Two outputs in one file would overwrite each other, and an output in a session's file would destroy the session.
static void refuse_same(const char *path, char **sessions)
{
	static char *standard_input[] = { "-", NULL };
	struct stat st, other;

	if (stat(path, &st) || !S_ISREG(st.st_mode))
		return;
	for (struct output *o = outputs; o < outputs + noutputs; o++)
		if (o->file && !fstat(fileno(o->file), &other) && is_same(&st, &other))
			fail("two outputs are written to %s; give each a file of its own", path);
	for (char **session = *sessions ? sessions : standard_input; *session; session++)
		if (!(strcmp(*session, "-") ? stat(*session, &other) : fstat(STDIN_FILENO, &other)) && is_same(&st, &other))
			fail("the output %s would overwrite the session; give another file", path);
}

static int stop(void *to, const struct session *s, const struct event *e)
{
	return -ECANCELED;
}

static void report_foreign(const char *name)
{
	report_error("%s is not a recorded session; record one with stap --record -o FILE", name);
}

// Exits if a file is not a session, before outputs replace other files. What a pipe has is not known before it is read.
static void require_session(const char *path)
{
	struct stream_extent extent;
	struct stat st;
	FILE *file;
	int rc;

	if (!strcmp(path, "-") || (!stat(path, &st) && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)))
		return;
	file = fopen(path, "re");
	if (!file)
		fail("cannot read %s: %s", path, strerror(errno));
	rc = stream_read(file, stop, NULL, &extent);
	fclose(file);
	if (rc == -EPROTO || rc == -ENODATA) {
		report_foreign(path);
		exit(1);
	}
}

static void print_as(const struct writer *format)
{
	if (printed && printed != format)
		fail("two formats are written to standard output; give one of them a file");
	printed = format;
}

static void add_file(const char *arg)          // FORMAT:FILE
{
	const char *colon = strchr(arg, ':');

	if (!colon || !colon[1])
		fail("--output takes FORMAT:FILE, not \"%s\"", arg);
	if (strcmp(colon, ":-"))
		add(find(arg, colon - arg), colon + 1, NULL);
	else
		print_as(find(arg, colon - arg));
}

struct fifo_wait {
	const char *path;
	int ready;                         // the descriptor for which stap waits; -1: there is no stap
	bool announced;
};

// Until a process reads the FIFO, SIGINT ends this program, as does the end of stap.
static bool wait_for_reader(void *data)
{
	struct fifo_wait *w = data;
	struct pollfd stap = { w->ready };

	if (!w->announced) {
		fprintf(stderr, "waiting for a process that reads the FIFO %s\n", w->path);
		signal(SIGINT, SIG_DFL);
	}
	w->announced = true;
	if (poll(&stap, 1, STP_FIFO_POLL_MS) > 0)
		exit(1);
	return true;
}

static FILE *open_file(const char *path, int ready)
{
	struct fifo_wait wait = { path, ready };
	int fd = stp_output_open(path, wait_for_reader, &wait);

	if (wait.announced)
		signal(SIGINT, SIG_IGN);
	return fd < 0 ? NULL : fdopen(fd, "w");
}

// Opens the files of --output when all options are valid and the sessions are known.
static void open_files(char **sessions, int ready)
{
	for (struct output *o = outputs; o < outputs + noutputs; o++) {
		if (o->file)
			continue;                  // standard output
		refuse_same(o->path, sessions);
		o->file = open_file(o->path, ready);
		if (!o->file)
			fail("cannot write %s: %s", o->path, strerror(errno));
	}
}

// Ends an output; the others are still written.
static void close_output(struct output *o)
{
	fclose(o->file);
	o->file = NULL;
	for (o = outputs; o < outputs + noutputs; o++)
		if (o->file)
			return;
	exit(incomplete);
}

static void check(struct output *o, int rc)
{
	if (!rc)
		return;
	if (rc != -EPIPE) {                        // its reader has closed it
		incomplete = true;
		report_error("cannot write %s: %s", o->path, strerror(-rc));
	}
	close_output(o);
}

static bool takes_stacks(const struct output *o)
{
	return format_takes_stacks(o->writer->name, strlen(o->writer->name));
}

// Writes the rest of an output, so that its readers get a valid file in any case.
static void complete(struct output *o)
{
	if (o->writer->finish)
		check(o, o->writer->finish(o));
	if (o->file)
		check(o, fflush(o->file) ? -errno : ferror(o->file) ? -EIO : 0);
}

static int handle(void *to, const struct session *s, const struct event *e)
{
	for (struct output *o = outputs; o < outputs + noutputs; o++) {
		if (!o->file)
			continue;
		o->stacks |= stack_is_key(e);
		if (e->kind == EVENT_END && takes_stacks(o) && !stack_required(s, o->writer->name)) {
			incomplete = true;
			complete(o);
			if (o->file)
				close_output(o);
		} else {
			check(o, o->writer->event(o, s, e));
		}
	}
	return 0;
}

static void flush(void)
{
	for (struct output *o = outputs; o < outputs + noutputs; o++)
		if (o->file)
			check(o, fflush(o->file) ? -errno : 0);
}

// Completes all outputs, also those of a session that is damaged.
static void finish(void)
{
	for (struct output *o = outputs; o < outputs + noutputs; o++) {
		if (!o->file)
			continue;
		complete(o);
		if (o->file && takes_stacks(o) && !o->stacks)
			fprintf(stderr, "WARNING: %s: no element of an array has a call stack as a key\n", o->path);
		if (o->file)
			fclose(o->file);
		o->file = NULL;
	}
}

// Waits for input. Ends outputs whose readers close them, since a script that prints nothing would not notice that.
static void wait_for_input(int fd)
{
	struct pollfd fds[OUTPUTS + 1];
	int n = 0;

	do {
		fds[n = 0] = (struct pollfd){ fd, POLLIN };
		for (struct output *o = outputs; o < outputs + noutputs; o++)
			fds[++n] = (struct pollfd){ o->file ? fileno(o->file) : -1 };
		if (poll(fds, n + 1, -1) < 0)
			return;
		for (int i = 0; i < noutputs; i++)
			if (fds[i + 1].revents & (POLLERR | POLLHUP))
				check(&outputs[i], -EPIPE);
	} while (!fds[0].revents);
}

// Reads the bytes that are available. If there are none yet, writes the output of those that were read, then waits.
static ssize_t read_input(void *file, char *to, size_t size)
{
	struct pollfd ready = { fileno(file), POLLIN };

	if (poll(&ready, 1, 0) == 0) {
		flush();
		wait_for_input(ready.fd);
	}
	return read(ready.fd, to, size);
}

// Reports how the reading of a session ended. Returns false if it is damaged.
static bool report_end(const char *name, int rc, uint64_t at)
{
	if (rc == -EPIPE)
		fprintf(stderr, "WARNING: %s is incomplete: the end of the session is missing\n", name);
	else if (rc)
		report_error("%s is damaged at byte %llu; the undamaged parts are shown", name, (unsigned long long)at);
	return !rc || rc == -EPIPE;
}

// Reads a file, which has one session or several, one after the other. Returns false if it is damaged.
static bool read_one(const char *path)
{
	bool is_file = strcmp(path, "-"), whole = true;
	FILE *file = is_file ? fopen(path, "re") : stdin, *in = NULL;
	const char *name = is_file ? path : remote ? remote : "standard input";
	struct stream_extent extent = { .length = 1 };
	uint64_t begin = 0;
	int rc;

	if (file)
		in = fopencookie(file, "r", (cookie_io_functions_t){ .read = read_input });
	if (!in) {
		report_error("cannot read %s: %s", path, strerror(errno));
		return false;
	}
	for (int n = 0; extent.length; n++) {
		rc = stream_read(in, handle, NULL, &extent);
		if (rc == -ENODATA && n)
			break;                     // the file ends after a session
		if (rc == -ENODATA && !is_file && run_by_stap)
			exit(1);                   // the session did not begin, and its messages say why
		if ((rc == -EPROTO || rc == -ENODATA) && !n)
			report_foreign(name);
		else if (rc == -EPROTO)
			report_error("%s: the bytes after the end of the session, from byte %llu on, are ignored",
				     name, (unsigned long long)begin);
		if (rc == -EPROTO || rc == -ENODATA) {
			whole = false;
			break;
		}
		whole &= report_end(name, rc, begin + extent.damage);
		begin += extent.length;
	}
	fclose(in);
	if (is_file)
		fclose(file);
	flush();
	return whole;
}

static void usage(void)
{
	printf("Usage: stap report [-f FORMAT] [--output=FORMAT:FILE]... [--json-safe] [--percentiles] [FILE]...\n"
	       "Prints sessions that stap --record -o FILE wrote; without FILE, the one on standard input.\n"
	       "  -f FORMAT             print text (default), json, csv, folded, speedscope, pprof, chrome, svg\n"
	       "                        or html\n"
	       "  --output=FORMAT:FILE  also write FILE in a format of -f (may be repeated)\n"
	       "  --json-safe           write numbers that a double cannot hold as strings in JSON\n"
	       "  --sysroot=DIR         look for programs, libraries and debuginfo of the recorded host below DIR first\n"
	       "  --percentiles         print p50, p90 and p99 below each histogram\n"
	       "  -h, --help            print this text\n");
}

struct settings {
	bool safe;                         // --json-safe
	int64_t ready;                     // --ready-fd; -1: not given
};

// Returns -1, or the exit status of the program.
static int parse_options(int argc, char **argv, struct settings *to)
{
	static const struct option options[] = {
		{ "format", required_argument, NULL, 'f' }, { "output", required_argument, NULL, 'O' },
		{ "json-safe", no_argument, NULL, 's' }, { "ready-fd", required_argument, NULL, 'r' },
		{ "hist-terminal", required_argument, NULL, 't' }, { "percentiles", no_argument, NULL, 'p' },
		{ "sysroot", required_argument, NULL, 'S' },
		{ "remote", required_argument, NULL, 'R' }, { "help", no_argument, NULL, 'h' }, { 0 },
	};
	int opt;

	while ((opt = getopt_long(argc, argv, "f:h", options, NULL)) != -1)
		switch (opt) {
		case 'f': print_as(find(optarg, strlen(optarg))); break;
		case 'O': add_file(optarg); break;
		case 's': to->safe = true; break;
		case 't': event_text_suit_terminal(*optarg == '2' ? 2 : 1); break;     // as determined by stap
		case 'p': event_text_add_percentiles(); break;
		case 'S': symbols_set_sysroot(optarg); break;
		case 'R': remote = optarg; break;                  // one of several hosts, whose outputs stap mixes
		case 'r':
			if (!number_whole(optarg, 10, 0, INT_MAX, &to->ready))
				fail("invalid file descriptor \"%s\" in --ready-fd", optarg);
			break;
		case 'h':
			usage();
			return 0;
		default: return 1;
		}
	return -1;
}

int main(int argc, char **argv)
{
	struct settings settings = { .ready = -1 };
	bool whole = true;
	int ready, rc;

	symbols_survive_truncation();
	signal(SIGPIPE, SIG_IGN);
	signal(SIGINT, SIG_IGN);                   // the session ends, and the rest of its output follows
	rc = parse_options(argc, argv, &settings);
	if (rc >= 0)
		return rc;
	ready = (int)settings.ready;
	run_by_stap = ready >= 0;
	if (optind == argc && isatty(STDIN_FILENO))
		fail("no session given: name the FILE of stap --record -o FILE");
	if (printed || !noutputs)
		add(printed ? printed : &text_writer, "standard output", stdout);
	for (int i = optind; i < argc; i++)
		require_session(argv[i]);
	open_files(argv + optind, ready);
	for (int i = 0; i < noutputs; i++) {
		outputs[i].safe = settings.safe;
		outputs[i].names_host = remote;
		__fsetlocking(outputs[i].file, FSETLOCKING_BYCALLER);      // there is one thread
	}
	if (ready >= 0 && (write(ready, "", 1) != 1 || close(ready)))      // stap waits for this to run the script
		fail("cannot write to stap: %s", strerror(errno));
	for (int i = optind; i < argc; i++)
		whole &= read_one(argv[i]);
	if (optind == argc)
		whole &= read_one("-");
	finish();
	return !whole || incomplete;
}
