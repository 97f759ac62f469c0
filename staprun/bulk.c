// SPDX-License-Identifier: GPL-2.0-or-later
// Bulk mode (stap -b): the records of each ring go to a file of its own as they come, each behind a
// struct stp_bulk; stap-merge puts them in order later. Where a file is a FIFO or the like, whose reader may be
// slow or wait for another ring's file, records stay in the ring: nothing here waits. What finds no room is counted.
#include "stapio.h"

#include "log.h"
#include "messages.h"

#include <errno.h>
#include <stdlib.h>

static struct file {
	struct outfile out;
	uint64_t given;                    // bytes of the ring's current record that are in `out`, its head included
} *files;                                  // one a ring

int bulk_open(const struct rings *r, const struct stapio_options *opt, int signals)
{
	int rc = 0;

	files = calloc(r->n, sizeof(*files));
	if (!files) {
		log_error("no memory for %d output files", r->n);
		return -ENOMEM;
	}
	for (int i = 0; i < r->n && !rc; i++)
		rc = outfile_open(&files[i].out, opt, i, signals);
	return rc;
}

// Of a part that begins at byte `at` of the record, what was not given before and what there is room for.
static void give(struct file *f, const void *part, uint64_t at, uint64_t len)
{
	size_t room = outfile_room(&f->out);
	uint64_t from = f->given - at, n = len - from;

	if (f->given < at || from >= len)
		return;
	n = n < room ? n : room;
	outfile_add(&f->out, (const char *)part + from, n);
	f->given += n;
}

// false: the file takes no more at the moment.
static bool drain_ring(struct rings *r, int i)
{
	struct stp_bulk head = { .magic = STP_BULK_MAGIC };
	struct file *f = &files[i];
	const void *payload;
	uint64_t seq;

	while (rings_next_of(r, i, &payload, &head.len, &seq)) {
		head.seq = seq;
		if (!f->given)
			outfile_begin_record(&f->out, sizeof(head) + head.len);
		give(f, &head, 0, sizeof(head));
		give(f, payload, sizeof(head), head.len);
		if (f->given < sizeof(head) + head.len) {
			outfile_write(&f->out);
			if (!outfile_room(&f->out))
				return false;
			continue;
		}
		f->given = 0;
		rings_take(r);
	}
	outfile_write(&f->out);
	return !outfile_pending(&f->out);
}

int bulk_drain(struct rings *r, bool complete, bool *pending)
{
	int error = 0;

	*pending = false;
	for (int i = 0; i < r->n; i++) {
		bool done = drain_ring(r, i);

		*pending |= !done;
		if (done && complete)
			outfile_close(&files[i].out);          // who merges FIFOs goes on with the others
		if (files[i].out.error)
			error = files[i].out.error;
	}
	return error;
}

void bulk_switch(const struct rings *r)
{
	for (int i = 0; i < r->n; i++)
		outfile_switch(&files[i].out);
}
