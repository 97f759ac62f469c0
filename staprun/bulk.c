// SPDX-License-Identifier: GPL-2.0-or-later
// Bulk mode (stap -b): the records of each ring go to a file of its own as they come, each behind a
// struct stp_bulk; stap-merge puts them in order later. Files take everything at once, so nothing
// here waits.
#include "stapio.h"

#include "log.h"
#include "messages.h"

#include <errno.h>
#include <stdlib.h>

static struct outfile *files;              // one a ring

int bulk_open(const struct rings *r, const struct stapio_options *opt)
{
	int rc = 0;

	files = calloc(r->n, sizeof(*files));
	if (!files) {
		log_error("no memory for %d output files", r->n);
		return -ENOMEM;
	}
	for (int i = 0; i < r->n && !rc; i++)
		rc = outfile_open(&files[i], opt, i);
	return rc;
}

// Any length: what the buffer can't hold is written.
static void add(struct outfile *out, const char *from, size_t len)
{
	while (len && !out->closed) {
		size_t piece = outfile_room(out);

		if (!piece) {
			outfile_flush(out);
			continue;
		}
		piece = len < piece ? len : piece;
		outfile_add(out, from, piece);
		from += piece;
		len -= piece;
	}
}

int bulk_drain(struct rings *r)
{
	int error = 0;

	for (int i = 0; i < r->n; i++) {
		struct outfile *out = &files[i];
		struct stp_bulk head = { .magic = STP_BULK_MAGIC };
		const void *payload;
		uint64_t seq;

		while (rings_next_of(r, i, &payload, &head.len, &seq)) {
			head.seq = seq;
			outfile_begin_record(out, sizeof(head) + head.len);
			add(out, (const char *)&head, sizeof(head));
			add(out, payload, head.len);
			rings_take(r);
		}
		outfile_flush(out);
		if (out->error)
			error = out->error;
	}
	return error;
}

void bulk_switch(const struct rings *r)
{
	for (int i = 0; i < r->n; i++)
		outfile_switch(&files[i]);
}
