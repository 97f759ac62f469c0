// SPDX-License-Identifier: GPL-2.0-or-later
// Printed records in the tracks of their threads: the record of a probe begins a slice if the script also has the
// probe's .return, whose record ends it. Memory is limited: beyond THREADS_MAX threads, all open slices are ended.
#ifndef SLICES_H
#define SLICES_H

#include "stream.h"

enum { CPU_TRACKS = 1 << 22 };             // the process of CPUs: greater than all process identifiers

struct track {
	int64_t pid, tid;                  // track of a thread, or of a CPU: CPU_TRACKS, and CPU_TRACKS + 1 + the CPU
	struct text name;                  // name of the process, or empty
	bool has_thread;
};

enum phase { INSTANT, SLICE_BEGIN, SLICE_END };

struct thread;

struct slices {
	struct pairing *probes;
	size_t nprobes;
	struct thread *threads;
	uint64_t seq;                      // sequence number of the last record
	bool in_record;                    // `seq` is valid
	void *to;
	void (*named)(void *to, const struct track *t);      // called for the first record of a thread with a name
	// called for a slice that is ended because the record of its end is missing
	void (*lost)(void *to, const struct track *t);
};

// Pairs the probes of the session with their return probes, once. `begins`: another session begins, which ends all
// open slices. Call it before each record.
void slices_session(struct slices *o, const struct session *s, bool begins);
// Returns the phase of the record (begin or end of a slice, or an instant), and its track. Only the first record of
// a hit begins or ends a slice; the others are instants.
enum phase slices_record(struct slices *o, const struct session *s, const struct event *e, struct track *t);
void slices_free(struct slices *o);        // also ends open slices

#endif
