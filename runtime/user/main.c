/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The main program of a script that runs in a process (--runtime=user):
 *
 *	program [-v] [-s] [-C] [-n NAME] [-k MS] [-N PID] [-c COMMAND | -x PID] [NAME=VALUE]...
 *
 * runs begin probes, then timers until exit(), SIGINT, SIGTERM, SIGHUP or the end of COMMAND, then
 * end or error probes; then waits for COMMAND, for which -k sets a time limit in milliseconds from its start
 * (0: none). Exit status 1 after errors or when COMMAND failed, 3 after losses with -s, 5 with -k when only COMMAND
 * failed, else 0. -n: the script's name (default: that of the program's file up to a dot). -N: the process whose
 * namespaces the ns_*() functions use (default: this one).
 */
#define _GNU_SOURCE
#include "user.h"
#include "event_probes.h"
#include "../include/records.h"
#include "../include/number.h"
#include "../include/streams.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

const char *user_program_name;
bool user_stop, user_verbose, user_error_shown;
int user_hosts_status;
sigset_t user_ignored, user_signals;

static volatile sig_atomic_t stop_signals, child_signals;

static void on_stop(int signal)
{
	stop_signals = 1;                  /* blocked again while end probes run, so that their output is complete */
}

static void on_child(int signal)
{
	child_signals = 1;
}

/* Notes whether the caller ignores the signal, as commands do then. */
static bool note_ignored(int signal)
{
	struct sigaction before;

	if (sigaction(signal, NULL, &before) || before.sa_handler != SIG_IGN)
		return false;
	sigaddset(&user_ignored, signal);
	return true;
}

/* Signals are delivered only in ppoll(), so that they do not interrupt handlers. */
static void catch_signals(void)
{
	static const int stop[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction action = { .sa_handler = on_stop };
	sigset_t block;
	unsigned int i;

	sigemptyset(&block);
	for (i = 0; i < sizeof(stop) / sizeof(stop[0]); i++) {
		if (note_ignored(stop[i]) && stop[i] == SIGHUP)
			continue;          /* nohup */
		sigaction(stop[i], &action, NULL);
		sigaddset(&block, stop[i]);
	}
	action.sa_handler = on_child;
	sigaction(SIGCHLD, &action, NULL);
	sigaddset(&block, SIGCHLD);
	action.sa_handler = SIG_IGN;
	note_ignored(SIGPIPE);
	sigaction(SIGPIPE, &action, NULL);
	sigaction(SIGXFSZ, &action, NULL); /* write() returns EFBIG at the limit of ulimit -f */
	sigprocmask(SIG_BLOCK, &block, &user_signals);
}

struct arguments {
	const char *command;
	bool strict, report_command;       /* -k: exit status 5 */
	s64 command_ms;                    /* -k: time after which COMMAND is ended; 0: never */
	int first_setting;
};

static int usage(const char *program)
{
	fprintf(stderr, "Usage: %s [-v] [-s] [-n NAME] [-k MS] [-N PID] [-c COMMAND | -x PID] [NAME=VALUE]...\n", program);
	return -1;
}

static int parse_arguments(struct arguments *a, int argc, char **argv)
{
	enum { MAX_PID = 1 << 22, MAX_MS = 1 << 30 };
	int64_t number;
	int opt;

	while ((opt = getopt(argc, argv, "c:x:vsCn:k:N:")) != -1) {
		switch (opt) {
		case 'c':
			a->command = optarg;
			break;
		case 'x':
			if (!number_whole(optarg, 10, 1, MAX_PID, &number))
				return usage(argv[0]);
			stp_session.target = (s32)number;
			break;
		case 's':
			a->strict = true;
			break;
		case 'C':
			user_error_label = "\033[01;31mERROR:\033[0m";
			user_warning_label = "\033[00;33mWARNING:\033[0m";
			break;
		case 'k':
			if (!number_whole(optarg, 10, 0, MAX_MS, &number))
				return usage(argv[0]);
			a->command_ms = number;
			a->report_command = true;
			break;
		case 'N':
			if (!number_whole(optarg, 10, 1, MAX_PID, &number))
				return usage(argv[0]);
			stp_session.namespaces = (s32)number;
			break;
		case 'n':
			user_program_name = optarg;
			break;
		case 'v':
			user_verbose = true;
			break;
		default:
			return usage(argv[0]);
		}
	}
	if (a->command && stp_session.target)
		return usage(argv[0]);
	a->first_setting = optind;
	return 0;
}

static int set_globals(char **settings)
{
	int err;

	for (; *settings; settings++) {
		err = stp_session_set(*settings);
		if (err == -ENOENT)
			fprintf(stderr, "%s unknown global in \"%s\", or its type is neither number nor string\n",
				user_error_label, *settings);
		else if (err == -ERANGE)
			fprintf(stderr, "%s the number in \"%s\" is out of range (-9223372036854775808 to 9223372036854775807)\n",
				user_error_label, *settings);
		else if (err == -E2BIG)
			fprintf(stderr, "%s the value in \"%.60s...\" is too long; build the script with a larger -DMAXSTRINGLEN\n",
				user_error_label, *settings);
		else if (err)
			fprintf(stderr, "%s invalid setting \"%s\": expected NAME=VALUE, an integer for a global that is a number\n",
				user_error_label, *settings);
		if (err)
			return err;
	}
	return 0;
}

static void wait_for_events(void)
{
	u64 due = user_timer_next(), now = user_now_ns(), left = due > now ? due - now : 0;
	struct pollfd fds[] = { { event_probes_fd(), POLLIN, 0 }, { STDOUT_FILENO, 0, 0 }, { user_input_fd(), POLLIN, 0 },
				{ user_files_fd(), POLLIN, 0 } };
	struct timespec timeout;

	if (event_probes_max_wait() >= 0 && left > (u64)event_probes_max_wait() * 1000000) {
		left = (u64)event_probes_max_wait() * 1000000;
		due = now + left;
	}
	timeout = (struct timespec){ (time_t)(left / 1000000000), (long)(left % 1000000000) };
	user_flush();
	if (user_output_failed()) {                /* output may fail before the session runs */
		stp_session_exit();
		return;
	}
	user_system_next();
	if (ppoll(fds, 4, due == ~0ull ? NULL : &timeout, &user_signals) <= 0)
		return;
	if (fds[1].revents & (POLLERR | POLLHUP))
		user_output_closed();
	else if (fds[2].revents)
		user_input_read();
}

static void reap(void)
{
	if (child_signals) {
		child_signals = 0;
		user_reap();
	}
}

/* After the script has ended: waits for the -c command until it exits, its time limit expires, or a signal
 * arrives. */
static void wait_for_command(const char *command)
{
	u64 due = user_child_limit(command);

	if (user_child_running() && !stop_signals && due == ~0ull)
		fprintf(stderr, "the script ended; waiting for \"%.60s\" (pid %d), Ctrl-C ends it\n", command,
			stp_session.target);
	while (user_child_running() && !stop_signals) {
		u64 now = user_now_ns(), left = due > now ? due - now : 0;
		struct timespec timeout = { (time_t)(left / 1000000000), (long)(left % 1000000000) };

		ppoll(NULL, 0, due == ~0ull ? NULL : &timeout, &user_signals);
		reap();
		due = user_child_limit(command);
	}
	user_child_end();
}

static void loop(void)
{
	while (!user_stop) {
		wait_for_events();
		if (stop_signals)
			user_stop = true;
		reap();
		event_probes_read();
		if (!user_stop)
			user_files_serve();
		if (!user_stop)
			user_timer_run();
	}
}

static void set_timezone(void)
{
	time_t now = time(NULL);
	struct tm tm;

	if (localtime_r(&now, &tm))
		stp_session.timezone_s = (s32)tm.tm_gmtoff;
}

static const struct {
	enum stp_loss_kind kind;
	const char *text, *hint;           /* text has one %llu, hint may have one %u */
} losses[STP_LOSSES] = {
#define LOSS(name, kind, text, hint) { STP_KIND_##kind, text, hint },
#include "../include/losses.def"
#undef LOSS
};

static void report_loss(enum stp_loss reason)
{
	fprintf(stderr, "%s ", user_warning_label);
	fprintf(stderr, losses[reason].text, stp_lost(reason));
	fputs(*losses[reason].hint ? "; " : "", stderr);
	fprintf(stderr, losses[reason].hint, stp_loss_limit(reason));
	fputc('\n', stderr);
}

static void record_loss(enum stp_loss reason)
{
	char bytes[256];
	struct stp_frame_loss *loss = (struct stp_frame_loss *)bytes;
	u32 size = sizeof(bytes) - sizeof(*loss);
	int len = snprintf(bytes + sizeof(*loss), size, losses[reason].text, stp_lost(reason));

	loss->count = stp_lost(reason);
	user_frame(STP_FRAME_LOSS, bytes, sizeof(*loss) + ((u32)len < size ? (u32)len : size - 1));
}

void user_record_gaps(void)
{
	static u64 recorded[STP_LOSSES];
	char bytes[256];
	struct stp_frame_gap *gap = (struct stp_frame_gap *)bytes;
	u32 size = sizeof(bytes) - sizeof(*gap), i;
	int len;

	for (i = 0; i < STP_LOSSES; i++) {
		u64 lost = stp_lost(i);

		if (lost == recorded[i] || losses[i].kind == STP_KIND_OUTSIDE)
			continue;
		gap->count = lost - recorded[i];
		gap->time_ns = (u64)stp_gettimeofday_ns();
		recorded[i] = lost;
		len = snprintf(bytes + sizeof(*gap), size, losses[i].text, gap->count);
		user_frame(STP_FRAME_GAP, bytes, sizeof(*gap) + ((u32)len < size ? (u32)len : size - 1));
	}
}

static bool started;                   /* the output has its first frame */

/* Writes the first frame, before any other: messages may precede the start of the session. */
void user_record_start(void)
{
	struct stp_stream_start start = { STP_STREAM_MAGIC, STP_STREAM_VERSION };
	char bytes[sizeof(start) + 2 * sizeof(struct utsname)];
	struct utsname host;
	int len;

	if (started)
		return;
	started = true;
	uname(&host);
	memcpy(bytes, &start, sizeof(start));
	len = snprintf(bytes + sizeof(start), sizeof(bytes) - sizeof(start), "%c%s%c%s", (int)strlen(host.release),
		       host.release, (int)strlen(host.nodename), host.nodename);     /* lengths below 128 take one byte */
	user_frame(STP_FRAME_START, bytes, (u32)(sizeof(start) + (u32)len));
}

static void record_end(int status)
{
	struct stp_frame_end end = { .status = status ? status : user_hosts_status, .errors = stp_session.errors };

	if (started)
		user_frame(STP_FRAME_END, &end, sizeof(end));
}

static int report(const struct arguments *a)
{
	struct stp_summary sum = { 0 };
	bool lost = false;
	u32 i;

	stp_session_summary(&sum);
	if (sum.errors || sum.skipped)
		fprintf(stderr, "%s Number of errors: %u, skipped probes: %llu\n", user_warning_label, sum.errors, sum.skipped);
	for (i = 0; i < STP_LOSSES; i++) {
		if (!stp_lost(i) || losses[i].kind == STP_KIND_OUTSIDE)
			continue;
		report_loss(i);
		record_loss(i);
		lost = true;
	}
	user_child_report(!sum.rc && !sum.errors && !user_error_shown && !lost);
	if (sum.rc || user_error_shown)
		return 1;
	if (a->strict && lost)
		return 3;
	return !user_child_failed() ? 0 : a->report_command ? 5 : 1;
}

static int run_session(const struct arguments *a, char **argv)
{
	int rc, status;

	stp_rows_expand();
	rc = event_probes_open();
	if (!rc)
		rc = stp_session_make();
	if (rc || set_globals(argv + a->first_setting))
		return 1;
	if (a->command) {
		rc = user_child_hold(a->command);
		if (rc < 0) {
			fprintf(stderr, "%s cannot run \"%s\": %s\n", user_error_label, a->command, strerror(-rc));
			return 1;
		}
		stp_session.target = rc;
	}
	stp_session.relay = getpid();
	user_record_start();
	rc = event_probes_drop_capabilities();
	if (!rc)
		rc = stp_session_start();
	if (!rc) {
		if (!user_stop)
			event_probes_enable(true);
		user_child_release(a->command_ms);
		loop();
		event_probes_enable(false);
		event_probes_finish();
	}
	stp_session_stop();
	user_child_abandon();
	user_flush();
	if (a->command)
		wait_for_command(a->command);
	user_system_drain();
	status = report(a);
	return rc ? 1 : status;
}

static int run(const struct arguments *a, char **argv)
{
	int status = run_session(a, argv);

	record_end(status);
	return status;
}

int main(int argc, char **argv)
{
	struct arguments a = { 0 };
	int rc;

	user_program_name = strndup(basename(argv[0]), strcspn(basename(argv[0]), "."));
	if (!stp_streams_open() || parse_arguments(&a, argc, argv))
		return 1;
	prctl(PR_SET_NAME, "stapio");      /* execname() in begin probes is the same as with a kernel module */
	catch_signals();
	set_timezone();
	rc = run(&a, argv);
	stp_session_free();
	return rc;
}
