// SPDX-License-Identifier: GPL-2.0-or-later
// stap's side of the connection to a host: sends orders, receives messages, connects again.
#include "run/host_link.h"

#include "util/diag.h"
#include "util/spawn.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
	SILENT_MS = 2500,                  // time without an answer to orders, after which a connection is replaced
	TRY_MS = 500,                      // time between attempts to connect again
	ACKNOWLEDGED = 1 << 20,            // bytes after which an order is sent at once
	EXIT_MS = 1000,                    // time in which ssh exits after it has closed its output
	SSH_FAILED = 255,                  // exit status of ssh
};

static int64_t clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * (int64_t)1000000000 + t.tv_nsec;
}

static int64_t now_ms(void)
{
	return clock_ns(CLOCK_MONOTONIC) / 1000000;
}

void link_start(struct session *s, struct host_link *l, const struct remote *r, const struct host_module *module,
		const name_list *settings)
{
	*l = (struct host_link){ .heard = now_ms() };
	host_start_link(s, &l->host, r, module, settings);
}

// status: of ssh; -1: it was killed.
static void end_connection(struct host_link *l, int status)
{
	host_close(&l->host.in);
	host_close(&l->host.out);
	l->messages.len = 0;               // the host sends an incomplete message again
	if (l->host.pid > 0)
		l->host.exited = status < 0 ? spawn_wait(l->host.pid) : status;
	l->host.pid = 0;
}

void link_close(struct host_link *l)
{
	if (l->over)
		return;
	l->over = true;
	if (l->host.pid > 0)
		kill(l->host.pid, SIGKILL);
	end_connection(l, -1);
	if (!l->has_status)
		l->status = SSH_FAILED;
}

// An order is smaller than PIPE_BUF, so write() accepts all of it or nothing.
void link_order(struct host_link *l, enum link_order_kind kind)
{
	struct link_order order = { .received = l->received, .time_ns = clock_ns(CLOCK_MONOTONIC) };

	order.kind = l->kind = kind > l->kind ? kind : l->kind;
	if (l->host.in < 0 || host_is_sending(&l->host))
		return;
	l->ordered = now_ms();
	if (write(l->host.in, &order, sizeof(order)) < 0 && errno != EAGAIN && errno != EINTR)
		host_close(&l->host.in);
}

// ---------------------------------------------------------------- messages

// The host has read its clock between order_ns and now. The middle is assumed, with an error of half of the round trip.
static void read_clock(struct host_link *l, const char *bytes, size_t len)
{
	struct link_clock clock;
	int64_t now = clock_ns(CLOCK_MONOTONIC), since, round_trip;

	if (len != sizeof(clock))
		return;
	memcpy(&clock, bytes, sizeof(clock));
	since = clock_ns(CLOCK_REALTIME) - now;
	if (clock.order_ns > now || clock.order_ns < 0 || clock.host_ns < 0)
		return;
	round_trip = now - clock.order_ns + 1;
	if (l->round_trip_ns && round_trip >= l->round_trip_ns)
		return;
	l->round_trip_ns = round_trip;
	l->ahead_ns = clock.host_ns - (clock.order_ns + round_trip / 2 + since);
}

// Checks the directory, which becomes an argument of a command for that host's shell.
static void read_hello(struct host_link *l, const char *bytes, size_t len)
{
	if (len < LINK_DIRECTORY_MAX && memchr(bytes, '/', len) == bytes && !memchr(bytes, '\0', len))
		l->directory = str_ndup(bytes, len);
}

static void read_status(struct host_link *l, const char *bytes, size_t len)
{
	int32_t status;

	if (len != sizeof(status))
		return;
	memcpy(&status, bytes, sizeof(status));
	l->has_status = true;
	l->status = status;
}

// Returns false if the bytes are not a message, so that the bytes after them cannot be interpreted.
static bool read_message(struct host_link *l, const struct link_message *m, const char *bytes, link_output *output,
			 void *data, int host)
{
	switch (m->kind) {
	case LINK_HELLO: read_hello(l, bytes, m->len); return true;
	case LINK_CLOCK: read_clock(l, bytes, m->len); return true;
	case LINK_STATUS: read_status(l, bytes, m->len); return true;
	case LINK_OUTPUT:
	case LINK_ERRORS: output(data, host, m->kind, bytes, m->len); return true;
	}
	return false;
}

// Returns false if the host has sent bytes that are not a message.
static bool read_messages(struct host_link *l, link_output *output, void *data, int host)
{
	struct link_message m;
	size_t at = 0;
	bool good = true;

	while (good && l->messages.len - at >= sizeof(m)) {
		memcpy(&m, l->messages.text + at, sizeof(m));
		good = m.len <= LINK_PAYLOAD_MAX;
		if (!good || l->messages.len - at - sizeof(m) < m.len)
			break;
		at += sizeof(m);
		good = read_message(l, &m, l->messages.text + at, output, data, host);
		at += m.len;
		l->received += sizeof(m) + m.len;
	}
	l->messages.len -= at;
	memmove(l->messages.text, l->messages.text + at, l->messages.len);
	return good;
}

// ---------------------------------------------------------------- connections

// link_tick() connects again, unless the session has not begun or has ended. It must not wait: other hosts need orders.
// So ssh, which a host that has closed its output may keep running, is killed if it does not exit by itself.
static void connection_ended(struct host_link *l)
{
	int status = spawn_wait_ms(l->host.pid, l->has_status ? 20 : 0);

	if (l->host.out >= 0)
		l->closed = now_ms();
	if (status < 0 && !l->has_status && now_ms() - l->closed < EXIT_MS) {
		host_close(&l->host.in);
		host_close(&l->host.out);
		return;
	}
	if (status < 0)
		kill(l->host.pid, SIGKILL);
	end_connection(l, status);
	if (l->directory && !l->has_status && l->host.exited != LINK_SESSION_ENDED)
		return;
	l->over = true;
	if (!l->has_status)
		l->status = l->directory ? SSH_FAILED : l->host.exited;
}

void link_receive(struct host_link *l, link_output *output, void *data, int host)
{
	static char bytes[1 << 18];
	uint64_t before = l->received;
	ssize_t n = read(l->host.out, bytes, sizeof(bytes));

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n <= 0) {
		connection_ended(l);
		return;
	}
	l->heard = now_ms();
	buf_add(&l->messages, bytes, (size_t)n);
	if (!read_messages(l, output, data, host)) {
		fprintf(stderr, "WARNING: %s: received invalid data instead of messages of staprun; the host is ignored from "
			"here on\n", l->host.remote->url);
		link_close(l);
	} else if (l->has_status) {
		link_order(l, LINK_BEAT);      // confirms the last message, so that the host's side exits
		host_close(&l->host.in);
	} else if (l->received - before >= ACKNOWLEDGED || l->messages.len >= ACKNOWLEDGED) {
		link_order(l, LINK_BEAT);
	}
}

// ssh may share one connection (ControlMaster), to which no password is needed any more, or which may be silent: each
// second attempt does not use it.
static void connect_again(struct host_link *l)
{
	bool own_connection = l->own_connection;

	l->tried = now_ms();
	l->reconnected++;
	l->own_connection = !own_connection;
	if (host_rejoin(&l->host, l->directory, own_connection))
		link_order(l, LINK_BEAT);
}

void link_tick(struct host_link *l, bool has_read)
{
	int64_t now = now_ms();

	if (l->over)
		return;
	if (!has_read)
		l->heard = now;
	if (l->directory && l->host.out >= 0 && now - l->heard > SILENT_MS && now - l->tried > SILENT_MS) {
		kill(l->host.pid, SIGKILL);
		end_connection(l, -1);
		l->own_connection = true;
		l->over = l->has_status;
	}
	if (l->host.out < 0 && l->host.pid > 0)
		connection_ended(l);
	if (l->over || (l->host.out < 0 && l->host.pid > 0))
		return;                        // ssh has not exited yet
	if (l->host.out < 0 && now - l->heard > 2 * LINK_SILENCE_MS)
		link_close(l);
	else if (l->host.out < 0 && now - l->tried > TRY_MS)
		connect_again(l);
	else if (now - l->ordered >= LINK_BEAT_MS)
		link_order(l, LINK_BEAT);
}
