// SPDX-License-Identifier: GPL-2.0-or-later
// The values that a running script has measured so far, for the screen of stap --monitor: made of the records that the
// script writes each interval (translator/elab/monitor.c).
#ifndef LIVE_H
#define LIVE_H

#include "stream.h"

enum { LIVE_COLUMNS = 6, LIVE_LOG_LINES = 2000, LIVE_LINE_MAX = 16384 };

struct live_row {
	char *key;                         // "a, 3"; a scalar has ""
	bool seen;                         // reported since the array's last heading
	int64_t values[LIVE_COLUMNS];
	char *text;                        // value of a global that is a string, else NULL
	double rate;                       // change of the first value per second
	uint64_t time_ns;                  // time at which it was read
	struct statistic *hist;            // NULL: none
};

struct live_table {
	char *name;
	bool plain;                        // the globals that have no keys
	bool keyed;
	unsigned ncolumns;
	char *columns[LIVE_COLUMNS];       // "value", or "count", "sum" and so on
	int widths[LIVE_COLUMNS];          // characters of the longest number so far
	struct live_row **rows;
	size_t nrows;
	size_t limit;                      // the script sends at most so many of the largest elements; 0: all
};

struct live_probe {                        // a probe of the script; a wildcard has many points
	char *written, *where;
	size_t points;
	uint64_t hits, ns, counted_ns;     // totals as of counted_ns
	double hits_rate, ns_rate;         // per second
	uint64_t hits_off, ns_off;         // counted while the probe was off
	bool off, was_off;                 // was_off: when the hits were counted last
};

struct live_line { char *text; size_t len; enum { LINE_OUTPUT, LINE_END, LINE_WARNING, LINE_ERROR, LINE_LOSS } kind; };

struct live {
	struct live_table **tables;
	size_t ntables;
	struct live_probe *probes;
	size_t nprobes;
	struct live_line log[LIVE_LOG_LINES];      // a ring: line n is log[n % LIVE_LOG_LINES]
	size_t nlines;                     // written so far
	bool open_line;                    // the last one has no newline yet
	char *at_end;                      // output of end probes
	size_t at_end_len;
	uint64_t start_ns, now_ns, lost, updates;
	char *title;                       // kernel and host
	bool ended;
	int status;
};

extern struct live live;

// Returns the state of the hosts of --merge as text; NULL: there are none.
const char *live_hosts(void);

event_handler live_event;
void live_message(const char *text, size_t len);       // adds text that a program wrote to standard error to the log
void live_measure(void);                               // computes the rates of probes since their last counts
// Returns true if the script has sent the hits of its probes or, with --merge, its globals.
bool live_is_counted(void);

#endif
