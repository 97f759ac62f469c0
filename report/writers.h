// SPDX-License-Identifier: GPL-2.0-or-later
// The formats of stap-report: each has a writer, in a file of its own.
#ifndef WRITERS_H
#define WRITERS_H

#include "stream.h"

struct output {
	const struct writer *writer;
	const char *path;                  // for messages
	FILE *file;
	void *state;                       // state of the writer
	bool safe;                         // --json-safe: numbers beyond 2^53 are strings
	bool names_host;                   // each object of JSON has the host of its session
	bool stacks;                       // an element had a call stack as a key
};

struct writer {
	const char *name;                  // name for -f and --output
	const char *help;
	// Handles one event; returns 0 or -errno.
	int (*event)(struct output *out, const struct session *s, const struct event *e);
	// Writes the rest after the last event of all sessions; returns 0 or -errno. May be NULL.
	int (*finish)(struct output *out);
};

extern const struct writer text_writer, json_writer, csv_writer, folded_writer, speedscope_writer,
	pprof_writer, chrome_writer, svg_writer, html_writer;

#endif
