// SPDX-License-Identifier: GPL-2.0-or-later
// The session loop of stapio: sends START, relays output until the session ends, sends STOP, relays the remaining
// output.
//
// START and STOP run the script's begin and end probes inside write(). The main thread does only that, so that
// the current task of these probes is the thread group leader; the session runs in a second thread, which blocks
// only in poll(). The script (EXIT), a signal, the end of the -c command or of the -x process, or a reader that
// closes the output ends the session: stapio sends STOP, and after the module's last message, STOPPED, the rings
// are complete.
#include "stapio.h"

#include "interrupts.h"
#include "log.h"
#include "messages.h"
#include "records.h"
#include "staprun.h"
#include "syscalls.h"

#include "../include/sys/sdt.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#define FLOWING_POLL_MS 20                 // maximum time that output waits while more of it arrives
#define GAP_POLL_MS 2

static struct session {
	const struct stapio_options *opt;
	struct rings rings;
	struct outfile out;
	int signals;                       // signalfd
	int orders[2], results[2];         // pipes to the main thread (commands) and from it (their results)
	int target;                        // pidfd of the -x process, or -1
	pid_t child;                       // process ID of the -c command; 0: none, or it has exited
	int64_t command_end;               // time in ms when the command is ended (-k); 0: it is not ended
	bool command_ended;                // SIGTERM was sent to the command
	char command_failure[80];          // description of the command's failure; "": it did not fail
	int interrupts;
	int64_t interrupted_at;            // ms
	bool reminded;                     // a note on further interrupts was printed
	bool released;                     // STARTED was received; the child was allowed to execute the command
	bool stopping;                     // STOP was sent
	bool stopped;                      // STOPPED was received
	bool over;                         // the loop ends
	bool detach_later;                 // SIGQUIT arrived before STARTED
	bool detached;
	bool failed;                       // the exit status is 1
	bool bulk_pending;                 // a bulk file would block
	bool gap;                          // no ring contains the next record in order yet
	bool flowing;                      // the last drain() found output
	uint32_t given;                    // number of bytes of the current record that are in `out`
	bool finishing;                    // drain() stops after the current record
	uint64_t dropped;                  // last count reported with -v
	int64_t dropped_at;                // ms
	struct stp_summary summary;
	uint64_t lost;                     // sum of all losses
} session;

// --- commands ---

struct order {
	bool target_exited;                  // send TARGET_EXITED first
	struct stp_cmd cmd;
	struct stp_start start;            // payload of cmd
};

struct result {
	stp_u32 type;
	int rc;
};

static int write_command(const struct stp_cmd *cmd)
{
	ssize_t n;

	STAP_PROBE3(staprun, send__control__message, cmd->type, (const void *)cmd->payload, cmd->len);
	n = sys_write(session.opt->device, cmd, sizeof(*cmd) + cmd->len);
	return n < 0 ? n : 0;
}

static int send_command(int type, const void *payload, size_t len)
{
	unsigned char bytes[STP_MSG_MAX];
	struct stp_cmd *cmd = (struct stp_cmd *)bytes;

	if (len > sizeof(bytes) - sizeof(*cmd))
		return -E2BIG;
	*cmd = (struct stp_cmd){ .type = type, .len = len };
	if (len)
		memcpy(cmd->payload, payload, len);
	return write_command(cmd);
}

static int send_remote(const char *arg)    // arg: N:URI
{
	char bytes[sizeof(struct stp_remote) + STP_REMOTE_URI_MAX];
	struct stp_remote *remote = (struct stp_remote *)bytes;
	const char *uri = arg;
	bool good;
	size_t len;
	int64_t id;
	int rc = -EINVAL;

	good = number_at(&uri, 10, INT32_MIN, INT32_MAX, &id);
	len = strlen(uri);
	if (good && *uri == ':' && len <= STP_REMOTE_URI_MAX) {
		remote->id = id;
		memcpy(remote->uri, uri + 1, len - 1);
		rc = send_command(STP_CMD_REMOTE, remote, sizeof(*remote) + len - 1);
	}
	if (rc)
		log_error("invalid -r \"%s\": %s", arg, rc == -EINVAL ? "expected NUMBER:URI" : strerror(-rc));
	return rc;
}

// The loop of the main thread; it runs until the process exits.
static void write_orders(void)
{
	struct stp_cmd gone = { .type = STP_CMD_TARGET_EXITED };
	struct order order;

	for (;;) {
		struct result result;
		ssize_t n = read(session.orders[0], &order, sizeof(order));

		if (n != sizeof(order))
			continue;
		result.type = order.cmd.type;
		if (order.target_exited)
			write_command(&gone);
		result.rc = write_command(&order.cmd);
		n = write(session.results[1], &result, sizeof(result));
		(void)n;                   // cannot fail: it is smaller than PIPE_BUF, and this process has both ends
	}
}

static void send_order(enum stp_cmd_type type, pid_t target, bool target_exited)
{
	struct order order = {
		.target_exited = target_exited,
		.cmd = { .type = type, .len = type == STP_CMD_START ? sizeof(order.start) : 0 },
		.start = { .target_pid = target, .namespaces = session.opt->namespaces },
	};

	while (write(session.orders[1], &order, sizeof(order)) < 0)    // at most two orders: does not block
		if (errno != EINTR) {
			log_error("cannot send a command to the main thread: %m");
			session.failed = session.over = true;
			return;
		}
}

static void stop(bool target_exited)
{
	if (!session.stopping && !session.over) {
		session.stopping = true;
		send_order(STP_CMD_STOP, 0, target_exited);
	}
}

static void request_stop(void)
{
	stop(false);
}

// Detaches the session. Before the script runs, this is postponed until it does: if its start fails, the module is
// removed.
static void detach(void)
{
	int rc;

	if (session.stopping) {            // the main thread is about to send STOP, or has sent it
		log_warning("%s is not detached: the session is ending", session.opt->module);
		return;
	}
	if (!session.released && !session.opt->attach) {
		session.detach_later = true;
		return;
	}
	rc = send_command(STP_CMD_DETACH, NULL, 0);
	if (rc) {
		log_error("cannot detach from %s: %s", session.opt->module, strerror(-rc));
		return;
	}
	log_note(0, "%s keeps running; staprun -A %s attaches to it, staprun -d %s removes it",
		 session.opt->module, session.opt->module, session.opt->module);
	session.detached = session.over = true;
}

static void target_exited(void)
{
	stop(true);
}

// --- output ---

static void fail_output(int error)
{
	session.out.closed = true;
	session.out.error = error;
}

static void drain_bulk(void)
{
	uint64_t before = session.rings.bytes;
	int error = bulk_drain(&session.rings, session.stopped, &session.bulk_pending);

	session.flowing = session.bulk_pending || session.rings.bytes != before;
	if (error && !session.out.error) {
		session.out.error = error;     // set only here, since the other files are still written
		request_stop();
	}
}

// --- frames of records.h, in sessions with --record ---

// Returns false if the next record must wait: its frame begins with a head that must not be divided.
static bool has_space_for_frame(void)
{
	return !session.rings.records || session.given || outfile_space(&session.out) > sizeof(struct stp_frame);
}

static void begin_frame(enum stp_frame_kind kind, uint32_t len, uint64_t seq)
{
	struct stp_frame frame = { .len = len, .kind = kind, .seq = seq };

	if (session.rings.records)
		outfile_add(&session.out, &frame, sizeof(frame));
}

static void finish_record(void);
static void flush_out(void);

void loop_write_frame(enum stp_frame_kind kind, const void *head, size_t head_len, const char *text, size_t len)
{
	if (!session.rings.records)
		return;
	finish_record();
	if (outfile_space(&session.out) < sizeof(struct stp_frame) + head_len + len)
		flush_out();
	begin_frame(kind, head_len + len, 0);
	outfile_add(&session.out, head, head_len);
	outfile_add(&session.out, text, len);
}

// Moves records to the output buffer while it has space.
static void drain(void)
{
	struct session *s = &session;
	enum rings_result what = RINGS_RECORD;
	uint64_t before = s->rings.bytes;
	const void *payload;
	uint32_t len;

	if (s->rings.bulk) {
		drain_bulk();
		return;
	}
	while ((s->out.closed || outfile_space(&s->out)) && (s->given || !s->finishing)) {
		size_t space;

		what = rings_next(&s->rings, s->stopped, &payload, &len);
		if (what == RINGS_RECORD && s->rings.records && !s->given)
			frames_before_record(&s->rings, payload, len);
		if (what != RINGS_RECORD || !has_space_for_frame())
			break;
		if (!s->given) {
			outfile_begin_record(&s->out, len);
			begin_frame(STP_FRAME_RECORD, len, s->rings.current->seq);
		}
		space = outfile_space(&s->out);
		len -= s->given;
		if (len > space && !s->out.closed) {
			outfile_add(&s->out, (const char *)payload + s->given, space);
			s->given += space;
			break;
		}
		outfile_add(&s->out, (const char *)payload + s->given, len);
		s->given = 0;
		outfile_end_record(&s->out);
		rings_take(&s->rings);
	}
	s->gap = what == RINGS_GAP;
	s->flowing = s->rings.bytes != before;
}

static void read_signal(void);

// Writes all of `out`, waiting for its reader; the last interrupt ends the wait.
static void flush_out(void)
{
	struct session *s = &session;

	while (outfile_pending(&s->out) && !s->out.closed) {
		struct pollfd fds[] = {
			{ s->signals, POLLIN },
			{ s->out.fd, POLLOUT },
		};

		poll(fds, 2, -1);
		if (fds[0].revents)
			read_signal();
		outfile_write(&s->out);
	}
}

// Completes a record of which a part is already in `out`, before the output is switched to another file or reader.
static void finish_record(void)
{
	session.finishing = true;
	while (session.given && !session.out.closed) {
		flush_out();
		drain();
	}
	session.finishing = false;
}

static void write_out(void)
{
	if (outfile_pending(&session.out))
		progress_hide();
	outfile_write(&session.out);
	if (session.out.closed)            // the reader has closed it, or the next file could not be opened
		request_stop();
}

// Writes output that the script printed before a message, so that it appears first.
static void drain_before_message(void)
{
	drain();
	write_out();
}

// -v: reports which buffers were too small. The last ring is that of begin and end probes.
static void report_dropped_by_ring(void)
{
	const struct rings *r = &session.rings;

	for (int i = 0; i < r->n && log_verbose; i++)
		if (rings_dropped_of(r, i))
			log_note(1, "stapio: %s %d: %llu records lost", i < r->n - 1 ? "CPU" : "begin and end probes, buffer",
				 i, (unsigned long long)rings_dropped_of(r, i));
}

static void report_dropped(void)
{
	int64_t now = now_ms();
	uint64_t dropped;

	if (!log_verbose || now - session.dropped_at < 1000)
		return;
	dropped = rings_dropped(&session.rings);
	if (dropped != session.dropped)
		log_note(1, "stapio: %llu records lost so far", (unsigned long long)dropped);
	session.dropped = dropped;
	session.dropped_at = now;
}

// --- messages ---

// -D: reports success to the waiting parent process, then redirects the standard streams to /dev/null.
static void become_daemon(void)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	ssize_t n;

	printf("%d\n", (int)getppid());
	fflush(stdout);
	n = write(session.opt->daemon, "", 1);
	(void)n;                           // ignored: it fails if the parent was killed
	close(session.opt->daemon);
	log_to_syslog("stapio");
	for (int fd = STDIN_FILENO; null >= 0 && fd <= STDERR_FILENO; fd++)
		dup2(null, fd);
}

static void start_done(const struct stp_status *status, size_t len)
{
	int rc = len < sizeof(*status) ? -EPROTO : status->rc;

	if (rc) {
		if (!session.failed)       // otherwise an ERROR message has the reason
			log_error("cannot start the probes of %s: %s", session.opt->module,
				  rc > 0 || rc < -4095 ? "unknown error" : strerror(-rc));
		session.failed = true;
		request_stop();
		return;
	}
	frames_armed();
	child_release();
	session.released = true;
	if (session.opt->command_ms > 0)
		session.command_end = now_ms() + session.opt->command_ms;
	if (session.opt->daemon >= 0)
		become_daemon();
	if (session.opt->detach || session.detach_later)
		detach();
}

static void switch_files(void)
{
	drain();
	if (session.rings.records)
		return;                    // with records, the output must be a single stream
	if (session.rings.bulk) {
		bulk_switch(&session.rings);
	} else if (session.out.is_file) {
		finish_record();
		outfile_switch(&session.out);
	}
}

static void handle_message(const struct stp_msg *msg, char *text, size_t len)
{
	progress_hide();
	switch (msg->type) {
	case STP_MSG_STARTED:
		start_done((void *)text, len);
		if (session.opt->input)
			input_start(session.opt->module);
		break;
	case STP_MSG_EXIT:
		request_stop();
		break;
	case STP_MSG_STOPPED:
		memcpy(&session.summary, text, len < sizeof(session.summary) ? len :
		       sizeof(session.summary));
		session.stopped = session.over = true;
		break;
	case STP_MSG_ERROR:
		drain_before_message();
		session.failed = true;
		loop_write_frame(STP_FRAME_ERROR, NULL, 0, text, strlen(text));
		if (!message_is_repeated(msg->type, text))
			log_error("%s", text);
		break;
	case STP_MSG_WARNING:
		drain_before_message();
		len = strlen(text);
		loop_write_frame(STP_FRAME_WARNING, NULL, 0, text, len);
		if (!message_is_repeated(msg->type, text))           // the text of warn() may end with a newline
			log_warning("%.*s", (int)(len - (len && text[len - 1] == '\n')), text);
		break;
	case STP_MSG_SYSTEM:
		drain_before_message();
		child_system(text);
		break;
	case STP_MSG_SWITCH:
		switch_files();
		break;
	case STP_MSG_UNLOADED:
		frames_unloaded(text);
		break;
	}
}

static void read_message(void)
{
	static char bytes[STP_MSG_MAX + 1];
	struct stp_msg *msg = (struct stp_msg *)bytes;
	ssize_t n = sys_read(session.opt->device, bytes, STP_MSG_MAX);

	if (n == -EINTR || n == -EAGAIN)
		return;
	if (n < (ssize_t)sizeof(*msg) || msg->len > n - sizeof(*msg)) {
		log_error("the module %s ended the session: %s", session.opt->module,
			  n < 0 ? strerror(-n) : n ? "damaged message" : "no more messages");
		session.failed = session.over = true;
		return;
	}
	msg->payload[msg->len] = 0;
	handle_message(msg, (char *)msg->payload, msg->len);
}

static void read_result(void)
{
	struct result result;

	if (read(session.results[0], &result, sizeof(result)) != sizeof(result) || !result.rc)
		return;
	if (session.stopping && result.type == STP_CMD_START && result.rc == -EBUSY)
		return;                    // STOP was handled before START, because of an early signal
	log_error("cannot %s %s: %s", result.type == STP_CMD_START ? "start" : "stop", session.opt->module,
		  strerror(-result.rc));
	session.failed = session.over = true;
}

// --- signals ---

static void reap_child(void)
{
	int status = 0;
	pid_t pid = session.child > 0 ? waitpid(session.child, &status, WNOHANG) : 0;

	if (pid == 0)
		return;
	session.child = 0;
	if (pid < 0) {
		log_error("cannot wait for the command: %m");
		session.failed = true;
	} else if (WIFEXITED(status) && WEXITSTATUS(status) && !session.command_ended) {
		snprintf(session.command_failure, sizeof(session.command_failure), "the command exited with status %d",
			 WEXITSTATUS(status));
	} else if (WIFSIGNALED(status) && !session.interrupts && !session.command_ended) {
		snprintf(session.command_failure, sizeof(session.command_failure), "the command was ended by signal %d (%s)",
			 WTERMSIG(status), strsignal(WTERMSIG(status)));
	}
	target_exited();
}

static void interrupt(void)
{
	int before = session.interrupts;

	session.interrupts = interrupts_add(before);
	if (!before)
		session.interrupted_at = now_ms();
	if (session.interrupts >= INTERRUPTS_MAX) {
		losses_warn("interrupted: the end of the output may be missing");
		session.failed = session.over = true;
		session.out.closed = true;
		return;
	}
	request_stop();
}

// On a terminal, reports once that an interrupted session takes long to end.
static void remind(void)
{
	if (session.reminded || !session.interrupts || now_ms() - session.interrupted_at < INTERRUPTS_APART_MS)
		return;
	session.reminded = true;
	progress_hide();
	if (isatty(STDERR_FILENO))
		log_note(0, INTERRUPTS_WARNING);
}

static void read_signal(void)
{
	struct signalfd_siginfo info;

	if (read(session.signals, &info, sizeof(info)) != sizeof(info))
		return;
	if (info.ssi_signo == SIGCHLD) {
		reap_child();
		return;
	}
	if (info.ssi_signo == SIGQUIT) {
		detach();
		return;
	}
	if (info.ssi_signo == SIGUSR2) {
		switch_files();
		return;
	}
	log_note(2, "stapio: signal %u", info.ssi_signo);
	interrupt();
}

// staprun starts stapio with all signals blocked, so none was lost before this.
static int open_signals(void)
{
	struct sigaction hangup;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	if (sigaction(SIGHUP, NULL, &hangup) || hangup.sa_handler != SIG_IGN)
		sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGQUIT);
	sigaddset(&set, SIGUSR2);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_SETMASK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

// --- the loop ---

static int poll_timeout(void)
{
	const struct stapio_options *opt = session.opt;
	int timeout = opt->monitor_ms && monitor_timeout(opt) < opt->poll_ms ? monitor_timeout(opt) : opt->poll_ms;

	if (session.gap)
		return GAP_POLL_MS;
	return session.flowing && timeout > FLOWING_POLL_MS ? FLOWING_POLL_MS : timeout;
}

enum { FD_DEVICE, FD_SIGNALS, FD_RESULTS, FD_OUT, FD_TARGET, FD_LIFE, FDS };

static void wait_and_handle(void)
{
	struct session *s = &session;
	bool can_drain = !s->gap && !s->bulk_pending && !s->out.error && outfile_space(&s->out);
	struct pollfd fds[FDS] = {
		[FD_DEVICE] = { s->opt->device, can_drain ? POLLIN | POLLPRI : POLLIN },
		[FD_SIGNALS] = { s->signals, POLLIN },
		[FD_RESULTS] = { s->results[0], POLLIN },
		[FD_OUT] = { s->out.closed || s->out.is_file ? -1 : s->out.fd,
			     outfile_pending(&s->out) ? POLLOUT : 0 },
		[FD_TARGET] = { s->stopping ? -1 : s->target, POLLIN },
		[FD_LIFE] = { s->stopping ? -1 : s->opt->life, POLLIN },
	};

	if (sys_poll(fds, FDS, poll_timeout()) < 0)
		return;
	if (fds[FD_SIGNALS].revents)
		read_signal();
	if (fds[FD_LIFE].revents)          // staprun was killed
		interrupt();
	if (fds[FD_TARGET].revents)
		target_exited();
	if (fds[FD_OUT].revents & (POLLERR | POLLHUP)) {
		fail_output(-EPIPE);
		request_stop();
	}
	if (fds[FD_RESULTS].revents)
		read_result();
	if (fds[FD_DEVICE].revents & (POLLIN | POLLERR | POLLHUP))
		read_message();
	drain();
	write_out();
	report_dropped();
	remind();
	if (!s->opt->quiet)
		progress_step(s->stopping ? "ending the script" : s->released || s->opt->attach ? NULL : "arming the probes");
	if (s->opt->monitor_ms)
		monitor_update(&s->rings, s->opt);
}

// Completes the records of which a part is in bulk files. Other records stay in the rings, for the next staprun -A.
static void finish_bulk(void)
{
	struct pollfd fd = { session.signals, POLLIN };
	uint64_t unwritten = 0, unread = 0;

	while (!bulk_finish_records(&session.rings) && !session.out.closed) {
		poll(&fd, 1, FLOWING_POLL_MS);
		if (fd.revents)
			read_signal();
	}
	bulk_count_lost(&session.rings, false, &unwritten, &unread);
	if (unwritten + unread)
		losses_warn("Records of output not read before the session was detached: %llu",
			    (unsigned long long)(unwritten + unread));
}

// Writes the remaining records after STOPPED; waits only for slow readers and signals.
static void relay_rest(void)
{
	struct session *s = &session;

	for (;;) {
		struct pollfd fds[] = {
			{ s->signals, POLLIN },
			{ s->out.fd, POLLOUT },
		};

		drain();
		write_out();
		if (s->out.closed || (!outfile_pending(&s->out) && !s->flowing && !s->gap))
			return;
		poll(fds, 2, outfile_pending(&s->out) ? -1 : s->bulk_pending ? FLOWING_POLL_MS : 0);
		if (fds[0].revents)
			read_signal();
	}
}

// Ends the command when the time limit of -k expires: SIGTERM, a second later SIGKILL. Returns the milliseconds
// until the next step.
static int end_command(void)
{
	int64_t left = session.command_end - now_ms();

	if (!session.command_end)
		return -1;
	if (left > 0)
		return left < 60000 ? left : 60000;
	child_end(session.child, session.command_ended);
	if (!session.command_ended)
		log_note(0, "the time limit (-T) is reached: ending \"%.60s\" (pid %d)", session.opt->command, (int)session.child);
	session.command_ended = true;
	session.command_end = now_ms() + 1000;
	return 1000;
}

// Waits for the -c command after the script has ended, until an interrupt.
static void wait_for_child(void)
{
	struct pollfd fd = { session.signals, POLLIN };
	int timeout;

	if (!session.released && session.child > 0) {
		child_abandon();
		waitpid(session.child, NULL, 0);
		session.child = 0;
	}
	reap_child();
	timeout = session.child > 0 ? end_command() : -1;
	if (session.child > 0 && !session.interrupts && !session.command_ended)
		log_note(0, "the script ended; waiting for \"%.60s\" (pid %d), Ctrl-C ends it", session.opt->command,
			 (int)session.child);
	while (session.child > 0 && !session.interrupts) {
		poll(&fd, 1, timeout);
		if (fd.revents)
			read_signal();
		timeout = session.child > 0 ? end_command() : -1;
	}
	child_end_rest(session.child, session.command_ended ? session.command_end - now_ms() : 0, session.command_ended);
}

static void report(void)
{
	uint64_t unwritten = 0, unread = 0;

	if (session.rings.bulk)
		bulk_count_lost(&session.rings, true, &unwritten, &unread);
	else if (session.out.error != -EPIPE)
		unwritten = outfile_unwritten(&session.out);
	session.lost = losses_report(session.rings.header, session.rings.lost, unread, unwritten, frames_loss);
	report_dropped_by_ring();
	session.lost += session.rings.damaged;
	if (session.rings.damaged)
		losses_warn("Output buffers were damaged %llu times, output is missing",
			    (unsigned long long)session.rings.damaged);
	if (session.out.error && session.out.error != -EPIPE) {
		log_error("cannot write the output: %s", strerror(-session.out.error));
		session.failed = true;
	}
}

static int prepare(const struct stapio_options *opt)
{
	struct session *s = &session;
	int rc;

	s->opt = opt;
	s->target = s->out.fd = -1;
	rc = rings_map(&s->rings, opt->device, opt->attach);
	if (rc)
		return rc;
	s->signals = open_signals();
	if (s->signals < 0 || pipe2(s->results, O_CLOEXEC) || pipe2(s->orders, O_CLOEXEC)) {
		log_error("cannot create a signalfd or pipe: %m");
		return -EMFILE;
	}
	rc = s->rings.bulk ? bulk_open(&s->rings, opt, s->signals) : outfile_open(&s->out, opt, -1, s->signals);
	if (rc)
		return rc;
	if (s->rings.records && !opt->output)
		child_output_to_stderr();
	if (opt->command) {
		s->child = child_prepare(opt->command);
		return s->child < 0 ? s->child : 0;
	}
	if (opt->target) {
		s->target = child_open_process(opt->target);
		return s->target < 0 ? s->target : 0;
	}
	return 0;
}

static const char *setting_problem(int rc)
{
	switch (rc) {
	case -ENOENT: return "unknown global, or its type is neither number nor string";
	case -EINVAL: return "expected an integer";
	case -ERANGE: return "the number is out of range (-9223372036854775808 to 9223372036854775807)";
	case -E2BIG: return "the value is too long; build the script with a larger -DMAXSTRINGLEN";
	case -EBUSY: return "the script is already running";
	}
	return strerror(-rc);
}

// Sends the values of globals (NAME=VALUE) and of -r, before begin probes run.
static int configure(const struct stapio_options *opt)
{
	int rc = opt->remote ? send_remote(opt->remote) : 0;

	for (char **setting = opt->settings; *setting && !rc; setting++) {
		rc = send_command(STP_CMD_SET, *setting, strlen(*setting));
		if (rc)
			log_error("cannot set %.*s: %s", (int)strcspn(*setting, "="), *setting,
				  setting_problem(rc));
	}
	return rc;
}

// Reports a failure of the command, and returns the exit status.
static int exit_status(void)
{
	bool failed = session.failed || session.summary.rc;
	bool complete = !failed && !session.lost && session.stopped;

	if (*session.command_failure)
		log_warning("%s%s", session.command_failure, complete ? "; the trace is complete" : "");
	if (failed)
		return 1;
	if (session.opt->strict && session.lost)
		return STAPIO_LOSSES;
	return !*session.command_failure ? 0 : session.opt->command_ms >= 0 ? STAPIO_COMMAND : 1;
}

static int run_session(void)
{
	const struct stapio_options *opt = session.opt;
	int status;

	if (opt->attach && opt->daemon >= 0)
		become_daemon();
	frames_start();
	if (!opt->attach)
		send_order(STP_CMD_START, session.child ? session.child : opt->target, false);
	while (!session.over)
		wait_and_handle();
	progress_step(NULL);
	if (session.detached) {
		if (session.rings.bulk) {
			finish_bulk();
		} else {
			finish_record();
			flush_out();
		}
		return STAPIO_DETACHED;
	}
	if (session.stopped)
		relay_rest();
	else
		write_out();
	wait_for_child();
	if (!session.stopped && !staprun_was_killed(opt))
		return STAPIO_UNREPORTED;      // losses that are counted at the end of the session are not known yet
	report();
	status = exit_status();
	frames_end(status, session.summary.errors);
	flush_out();
	return status;
}

static void *session_thread(void *unused)
{
	int status = run_session();

	if (status != STAPIO_DETACHED)
		remove_after_kill(session.opt);
	exit(status);
}

int loop_report(const struct stapio_options *opt)
{
	int rc = rings_map_header(&session.rings, opt->device);

	if (opt->daemon >= 0)
		log_to_syslog("stapio");
	if (!rc)
		losses_report(session.rings.header, 0, 0, 0, NULL);
	else if (rc == -EPROTO)
		losses_warn("losses of the session cannot be determined: its module is of another version");
	return 0;
}

int loop_run(const struct stapio_options *opt)
{
	pthread_t thread;
	int rc;

	if (!prepare(opt) && !configure(opt)) {
		rc = pthread_create(&thread, NULL, session_thread, NULL);
		if (rc)
			log_error("cannot start a thread: %s", strerror(rc));
		else
			write_orders();
	}
	remove_after_kill(opt);
	return 1;
}
