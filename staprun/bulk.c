// SPDX-License-Identifier: GPL-2.0-or-later
// Bulk mode (stap -b): writes the records of each ring to a file of its own, each preceded by a struct bulk_head;
// stap-merge merges the files later. Nothing here blocks: the reader of a FIFO may be slow, or wait for another ring's
// file, so records that it does not take yet stay in the ring. Records that are never written are counted.
#include "stapio.h"

#include "bulk.h"
#include "log.h"
#include "messages.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct file {
	struct outfile out;
	uint64_t given;                    // number of bytes of the ring's current record that are in `out`,
					   // including its header
} *files;                                  // one per ring

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

// Appends a part that begins at byte `at` of the record: those of its bytes that were not appended before, as far
// as the buffer has space.
static void append_part(struct file *f, const void *part, uint64_t at, uint64_t len)
{
	size_t space = outfile_space(&f->out);
	uint64_t from = f->given - at, n = len - from;

	if (f->given < at || from >= len)
		return;
	n = n < space ? n : space;
	outfile_add(&f->out, (const char *)part + from, n);
	f->given += n;
}

// Moves records to the file's buffer. only_rest: moves only the remaining part of a record of which a part is
// already there. Returns false if the file accepts no more at the moment. A header is never split.
static bool drain_ring(struct rings *r, int i, bool only_rest)
{
	struct bulk_head head;
	struct file *f = &files[i];
	const void *payload;
	uint64_t seq;

	while (!f->out.closed && (f->given || !only_rest) && rings_next_of(r, i, &payload, &head.len, &seq)) {
		if (!f->given && outfile_space(&f->out) < sizeof(head)) {
			outfile_write(&f->out);
			if (f->out.closed || outfile_space(&f->out) < sizeof(head))
				return f->out.closed;
		}
		head.seq = seq;
		if (!f->given)
			outfile_begin_record(&f->out, sizeof(head) + head.len);
		append_part(f, &head, 0, sizeof(head));
		append_part(f, payload, sizeof(head), head.len);
		if (f->given < sizeof(head) + head.len) {
			outfile_write(&f->out);
			if (!outfile_space(&f->out))
				return false;
			continue;
		}
		f->given = 0;
		outfile_end_record(&f->out);
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
		bool done = drain_ring(r, i, false);

		*pending |= !done;
		if (done && complete)
			outfile_close(&files[i].out);          // stap-merge then reads the end of this FIFO and
							       // continues with the others
		if (files[i].out.error)
			error = files[i].out.error;
	}
	return error;
}

bool bulk_finish_records(struct rings *r)
{
	bool done = true;

	for (int i = 0; i < r->n; i++)
		done &= drain_ring(r, i, true);
	return done;
}

void bulk_count_lost(struct rings *r, bool with_rings, uint64_t *unwritten, uint64_t *unread)
{
	const void *payload;
	uint64_t seq;
	uint32_t len;

	for (int i = 0; i < r->n; i++) {
		const struct outfile *out = &files[i].out;
		uint64_t *n = out->error && out->error != -EPIPE ? unwritten : unread;

		*n += outfile_unwritten(out);
		for (; with_rings && rings_next_of(r, i, &payload, &len, &seq); rings_take(r))
			++*n;
	}
}

void bulk_switch(const struct rings *r)
{
	for (int i = 0; i < r->n; i++)
		outfile_switch(&files[i].out);
}
