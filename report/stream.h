// SPDX-License-Identifier: GPL-2.0-or-later
// A recorded session, read as a sequence of events. Functions return 0 or -errno unless stated otherwise.
#ifndef STREAM_H
#define STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "bounds.h"
#include "format_flags.h"
#include "records.h"

enum cell_type { CELL_NUMBER = 1, CELL_TEXT, CELL_STATISTIC };     // as enum stp_type of generated.h

enum { CELL_BUCKETS = STP_MAX_STP_MAX_BUCKETS + 2, GLOBAL_KEYS = 9, FORMAT_PIECES = 64 };

struct text { const char *at; size_t len; };                       // any bytes, not terminated; NULL if there are none

// Copies the bytes of a text. Returns the address after them.
static inline char *text_copy(char *to, struct text t)
{
	if (t.len)
		memcpy(to, t.at, t.len);
	return to + t.len;
}

struct statistic {
	unsigned ops;                      // STP_COUNT and the like
	int64_t low, high, step;           // parameters of @hist_linear
	unsigned buckets;                  // 0: no histogram
	int64_t count, sum, min, max;
	struct text label, unit;           // readable name; unit of the values; empty: unknown
	int64_t hist[CELL_BUCKETS];        // copies may have only `buckets` of these
};

// Returns the bytes of a statistic that are in use.
static inline size_t statistic_bytes(const struct statistic *s)
{
	return offsetof(struct statistic, hist) + s->buckets * sizeof(s->hist[0]);
}

struct cell {
	enum cell_type type;
	int64_t number;
	struct text text;
	struct text frames;                // call stack whose text is its addresses: a line per frame; else empty
	struct statistic *statistic;
};

struct piece {                             // a conversion of a format, and the text after it
	char conv;                         // 0: none
	unsigned char flags;               // enum stp_format_flag
	int width, precision;              // -1: none, -2: an argument
	struct text text;
	char *name;                        // name of the argument; NULL: no conversion
};

struct format { int64_t id; unsigned n; struct piece pieces[]; };
struct probe {
	char *point, *written, *where;
	uint64_t hits, min_ns, sum_ns, max_ns;     // at the end
	uint64_t counted_ns;                       // time at which these were read
};
struct global {
	char *name, *label;
	enum cell_type type;
	unsigned keys;
	enum cell_type key_types[GLOBAL_KEYS];
	unsigned lists;                    // bit n: key n, or the value after the last key, is a text that has frames, too
};

struct session {                           // description of the session as far as the stream has been read
	void *formats;                     // struct format, a tree of tsearch() by the identifiers
	struct probe *probes;
	size_t nprobes;
	struct global *globals;
	size_t nglobals;
	uint64_t start_ns;                 // since 1970
	uint64_t string_len;               // MAXSTRINGLEN
	int hist_elision;
	unsigned hist_width;
	int64_t target;                    // 0: none
	struct text script;                // empty if unknown
	struct text *options;              // options of the translation; streams before version 4 have none
	size_t noptions;
	char *kernel, *host;               // kernel and host on which it ran, "" if unknown
	void *files;                       // programs, libraries and kernel modules of call stacks: files.h
	char *hosts;                       // text of the last frame HOSTS, or NULL
	bool merged;                       // several hosts ran it, whose kernels may differ from `kernel`
	uint64_t number;                   // differs between the sessions that are read, from 1; see file() of stream.c
};

enum event_kind { EVENT_BEGIN, EVENT_PRINT, EVENT_TEXT, EVENT_HIST, EVENT_VALUE, EVENT_WARNING, EVENT_ERROR, EVENT_GAP,
		  EVENT_LOSS, EVENT_END };

struct event {
	enum event_kind kind;
	uint64_t seq, time_ns;             // PRINT, TEXT, HIST, VALUE, GAP
	unsigned cpu;
	const struct probe *probe;         // NULL: not a probe of the script
	const struct format *format;       // PRINT
	const struct cell *cells;          // PRINT: arguments; VALUE: keys
	unsigned ncells;
	const struct global *global;       // VALUE
	const struct cell *value;          // VALUE, HIST
	struct text host;                  // TEXT: of --merge: the host that has printed it; else empty
	struct text text;                  // TEXT, WARNING, ERROR, GAP, LOSS
	uint64_t count;                    // GAP: lost since the last record; LOSS: in the whole session
	int status;                        // END
};

// Everything in an event is valid until the handler returns. A handler that returns an error ends the reading.
typedef int event_handler(void *to, const struct session *s, const struct event *e);

struct stream_extent {                     // bytes, from the begin of the stream
	uint64_t damage;                   // offset of the first part that was left out
	uint64_t length;                   // up to and including END; 0: END is missing
};

// Reads a stream up to its END, after which another one may begin. Returns -ENODATA if it is empty, -EPROTO if it is
// something else, -EPIPE if its last frame is missing, and -EBADMSG if a part was damaged and left out.
int stream_read(FILE *in, event_handler *handler, void *to, struct stream_extent *extent);

#endif
