// SPDX-License-Identifier: GPL-2.0-or-later
// Printed records in the tracks of their threads: the record of a probe begins a slice if the script also has the
// probe's .return, whose record ends it. Memory is limited: from THREADS_MAX threads on, open slices of all end.
#ifndef SLICES_H
#define SLICES_H

#include "stream.h"

enum { CPU_TRACKS = 1 << 22 };             // the process of CPUs: greater than all process identifiers

struct track {
	int64_t pid, tid;                  // without a thread: CPU_TRACKS, and CPU_TRACKS + 1 + the CPU
	struct text name;                  // of the process, or empty
	bool has_thread;
};

enum phase { INSTANT, SLICE_BEGIN, SLICE_END };

struct thread;

struct slices {
	struct pairing *probes;
	size_t nprobes;
	struct thread *threads;
	uint64_t seq;                      // of the last record
	bool in_record;                    // `seq` is valid
	void *to;
	void (*named)(void *to, const struct track *t);      // a thread with a name prints first
	void (*lost)(void *to, const struct track *t);       // a slice ends, since the record of its end is missing
};

// Pairs the probes of the session with their returns, unless that was done; begins: another session begins, and all
// open slices end. To be called before each record.
void slices_session(struct slices *o, const struct session *s, bool begins);
// Returns what the record is, and its track. The first statement that a hit prints decides; the others are instants.
enum phase slices_record(struct slices *o, const struct session *s, const struct event *e, struct track *t);
void slices_free(struct slices *o);        // ends them, too

#endif
