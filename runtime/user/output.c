/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Collects records in one buffer, which is written to standard output when it is full or the loop is about to wait.
 */
#define _GNU_SOURCE
#include "user.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static char buffer[64 * 1024];
static u64 committed;                  /* bytes at the buffer's start that are complete records */
static u64 sent;                       /* of these: a message within a record writes the complete ones before it */

/* The reader has closed the output, or the disk is full: ends the session and drops the rest. */
static void write_all(const char *p, u64 n)
{
	static bool failed;
	ssize_t done;

	while (n && !failed) {
		done = write(STDOUT_FILENO, p, n);
		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0) {
			failed = true;
			if (errno != EPIPE)
				plat_message(STP_MSG_ERROR, errno == ENOSPC ? "cannot write the output: no space left" : "cannot write the output");
			stp_session_exit();
			return;
		}
		p += done;
		n -= (u64)done;
	}
}

void user_flush(void)
{
	u64 from = sent;

	sent = committed;                  /* set first: the message about a failure flushes, too */
	write_all(buffer + from, committed - from);
}

bool plat_record_space(struct stp_ctx_private *v, u32 want)
{
	u64 open = v->out_start ? (u64)(v->out - v->out_start) : 0;
	char *from = v->out_start;

	if (from && (u64)(buffer + sizeof(buffer) - from) < open + want) {
		user_flush();
		memmove(buffer, from, open);
		sent = committed = 0;
		from = buffer;
		if (sizeof(buffer) < open + want) {
			/* a record longer than the buffer is written in pieces */
			write_all(buffer, open);
			open = 0;
		}
	} else if (!from) {
		if (sizeof(buffer) - committed < PLAT_RECORD_MAX)
			user_flush();
		if (sent == committed)
			sent = committed = 0;
		from = buffer + committed;
	}
	v->out_start = from;
	v->out = from + open;
	v->out_end = buffer + sizeof(buffer);
	return true;
}

void plat_record_commit(struct stp_ctx_private *v)
{
	committed = (u64)(v->out - buffer);
}
