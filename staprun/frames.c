// SPDX-License-Identifier: GPL-2.0-or-later
// Frames of records.h that are not records: the first one, losses at their position and their sums, the files of call
// stacks, and the last one.
#include "../runtime/user/mapped_files.h"
#include "stapio.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

void frames_start(void)
{
	struct stp_stream_start start = { STP_STREAM_MAGIC, STP_STREAM_VERSION };
	struct utsname host;
	char text[2 * sizeof(host.release)];
	int len;

	uname(&host);
	len = snprintf(text, sizeof(text), "%c%s%c%s", (int)strlen(host.release), host.release,
		       (int)strlen(host.nodename), host.nodename);     // lengths below 128 take one byte
	loop_write_frame(STP_FRAME_START, &start, sizeof(start), text, len);
}

void frames_armed(void)
{
	loop_write_frame(STP_FRAME_ARMED, NULL, 0, "", 0);
}

void frames_loss(const char *text, uint64_t n)
{
	struct stp_frame_loss loss = { .count = n };

	loop_write_frame(STP_FRAME_LOSS, &loss, sizeof(loss), text, strlen(text));
}

static void write_gap(const char *text, uint64_t n)
{
	struct stp_frame_gap gap = { .count = n };
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	gap.time_ns = now.tv_sec * 1000000000ull + now.tv_nsec;
	loop_write_frame(STP_FRAME_GAP, &gap, sizeof(gap), text, strlen(text));
}

static void write_file(const void *payload, size_t len)
{
	loop_write_frame(STP_FRAME_FILE, NULL, 0, payload, len);
}

void frames_before_record(struct rings *r, const void *items, size_t len)
{
	losses_since(r->header, r->lost, write_gap);
	mapped_files_find(items, len, write_file);
}

void frames_unloaded(const char *module)
{
	mapped_files_unloaded(module);
}

void frames_end(int status, unsigned errors)
{
	struct stp_frame_end end = { .status = status, .errors = errors };

	loop_write_frame(STP_FRAME_END, &end, sizeof(end), "", 0);
}
