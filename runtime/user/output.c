/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Collects records in one buffer, which is written to standard output when it is full or the loop is about to wait.
 * If the output consists of records, each is a frame of include/records.h.
 */
#define _GNU_SOURCE
#include "user.h"
#include "../include/records.h"
#include "mapped_files.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static char buffer[64 * 1024];
static u64 committed;                  /* number of bytes at the buffer's start that are complete records */
static u64 sent;                       /* number of these that are written: a message within a record writes the
				        * complete ones before it */
static u8 ends[sizeof(buffer) / 8];    /* a bit for each byte of the buffer: 1 if it is the last of a record */
static int failure;                    /* errno of the first write() that failed */

/*
 * Returns the number of bytes that were written. If the reader has closed the output or the disk is full, ends the
 * session; nothing is written from then on.
 */
static u64 write_all(const char *p, u64 n)
{
	u64 done = 0;
	ssize_t rc;

	while (done < n && !failure) {
		rc = write(STDOUT_FILENO, p + done, n - done);
		if (rc < 0 && errno == EINTR)
			continue;
		if (rc < 0) {
			failure = errno;
			if (failure != EPIPE)
				plat_message(STP_MSG_ERROR, failure == ENOSPC ? "cannot write the output: no space left" :
					     "cannot write the output");
			stp_session_exit();
			break;
		}
		done += (u64)rc;
	}
	return done;
}

bool user_output_failed(void)
{
	return failure;
}

void user_output_closed(void)
{
	failure = EPIPE;
	stp_session_exit();
}

/* Output that its reader does not receive because it has closed the descriptor does not count as lost. */
static void count_unwritten(u64 from, u64 to)
{
	u64 i, n = 0;

	for (i = from; i < to; i++)
		n += ends[i / 8] >> i % 8 & 1;
	if (failure && failure != EPIPE)
		stp_lose(STP_LOSS_UNWRITTEN, n);
}

void user_flush(void)
{
	u64 from = sent, to = committed;

	sent = committed;                  /* set before, since the message about a failure also flushes */
	from += write_all(buffer + from, to - from);
	count_unwritten(from, to);
}

static void empty_buffer(void)
{
	memset(ends, 0, committed / 8 + 1 < sizeof(ends) ? committed / 8 + 1 : sizeof(ends));
	sent = committed = 0;
}

/* Returns the number of bytes before a record. */
static u64 header(void)
{
	return stp_module.records ? sizeof(struct stp_frame) : 0;
}

void user_frame(u32 kind, const void *payload, u32 len)
{
	struct stp_frame frame = { .len = len, .kind = kind };

	if (!stp_module.records)
		return;
	if (kind != STP_FRAME_START)
		user_record_start();
	user_flush();
	write_all((const char *)&frame, sizeof(frame));
	write_all(payload, len);
}

/* Returns the first byte of a new record. */
static char *open_record(void)
{
	if (stp_module.records)
		user_record_gaps();
	if (sizeof(buffer) - committed < PLAT_RECORD_MAX + header())
		user_flush();
	if (sent == committed)
		empty_buffer();
	return buffer + committed + header();
}

/* A record that is longer than the buffer is written in pieces. */
static char *extend_record(char *from, u64 *open, u32 want)
{
	user_flush();
	empty_buffer();
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

static void record_file(const void *payload, size_t len)
{
	user_frame(STP_FRAME_FILE, payload, (u32)len);
}

void plat_record_commit(struct stp_ctx_private *v)
{
	static u64 seq;
	struct stp_frame frame = { .len = (u32)(v->out - v->out_start), .kind = STP_FRAME_RECORD };

	if (stp_module.records) {
		mapped_files_find(v->out_start, frame.len, record_file);
		frame.seq = ++seq;
		memcpy(v->out_start - sizeof(frame), &frame, sizeof(frame));
	}
	committed = (u64)(v->out - buffer);
	if (committed)
		ends[(committed - 1) / 8] |= (u8)(1 << (committed - 1) % 8);
}
