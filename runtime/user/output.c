/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Collects records in one buffer, which is written to standard output when it is full or the loop is about to wait.
 * If the output consists of records, each is a frame of include/records.h.
 */
#define _GNU_SOURCE
#include "user.h"
#include "../include/records.h"

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

/* Bytes before a record. */
static u64 header(void)
{
	return stp_module.records ? sizeof(struct stp_frame) : 0;
}

void user_frame(u32 kind, const void *payload, u32 len)
{
	struct stp_frame frame = { .len = len, .kind = kind };

	if (!stp_module.records)
		return;
	user_flush();
	write_all((const char *)&frame, sizeof(frame));
	write_all(payload, len);
}

/* Returns the first byte of a new record. */
static char *open_record(void)
{
	if (sizeof(buffer) - committed < PLAT_RECORD_MAX + header())
		user_flush();
	if (sent == committed)
		sent = committed = 0;
	return buffer + committed + header();
}

/* A record that is longer than the buffer is written in pieces. */
static char *extend_record(char *from, u64 *open, u32 want)
{
	user_flush();
	sent = committed = 0;
	memmove(buffer + header(), from, *open);
	if (sizeof(buffer) - header() < *open + want) {
		write_all(buffer, *open);
		*open = 0;
	}
	return buffer + header();
}

bool plat_record_space(struct stp_ctx_private *v, u32 want)
{
	u64 open = v->out_start ? (u64)(v->out - v->out_start) : 0;
	char *from = v->out_start;

	if (from && stp_module.records && open + want > PLAT_RECORD_MAX) {
		plat_record_commit(v);
		from = NULL;
		open = 0;
	}
	if (!from)
		from = open_record();
	else if ((u64)(buffer + sizeof(buffer) - from) < open + want)
		from = extend_record(from, &open, want);
	v->out_start = from;
	v->out = from + open;
	v->out_end = buffer + sizeof(buffer);
	return true;
}

void plat_record_commit(struct stp_ctx_private *v)
{
	static u64 seq;
	struct stp_frame frame = { .len = (u32)(v->out - v->out_start), .kind = STP_FRAME_RECORD };

	if (stp_module.records) {
		frame.seq = ++seq;
		memcpy(v->out_start - sizeof(frame), &frame, sizeof(frame));
	}
	committed = (u64)(v->out - buffer);
}
