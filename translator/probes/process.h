// SPDX-License-Identifier: GPL-2.0-or-later
// What the families share that probe programs: process.c, mark.c.
#ifndef PROBES_PROCESS_H
#define PROBES_PROCESS_H

#include "debuginfo/debuginfo.h"
#include "resolve/family.h"

struct cwriter;

// Which files a point is about, from its part "process": a path (relative, in PATH, with wildcards,
// a script whose interpreter is meant), a build-id, the number of a process, or nothing: the program of
// -c or -x.
struct process_files {
	VEC(struct di_module *) at;
	int pid;                   // 0: any process
	struct di_module *within;  // of libraries: the program; NULL: any process
};
// Returns the number of errors, which were reported.
int process_files(struct session *s, const struct probe_match *m, struct process_files *out);

// The file that a command's name means here, as execvp() would find it; NULL when there is none.
char *process_executable(const char *name);

// "process("/bin/ls")", as it starts a resolved point. For a point with a library: of that.
char *process_point(const struct probe_match *m, const struct di_module *program);

// One row of struct stp_uprobe.
struct process_site {
	struct di_module *program;
	const char *name;          // for the runtime's messages
	uint64_t address;          // link-time
	uint64_t semaphore;        // link-time; 0 none
	int pid;
	struct di_module *within;  // a library in processes that run this; NULL: any
	bool is_return, optional;
	int64_t maxactive;
};
// Writes the table of the probes, whose data begin with a struct process_site. `table`: a name for it.
void process_emit_sites(struct session *s, struct cwriter *w, struct probe **probes, int n, const char *table);

#endif
