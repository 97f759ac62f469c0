// SPDX-License-Identifier: GPL-2.0-or-later
// Functions and types that the families which probe programs share: process.c, mark.c and others.
#ifndef PROBES_PROCESS_H
#define PROBES_PROCESS_H

#include "debuginfo/debuginfo.h"
#include "resolve/family.h"

struct cwriter;

// The files that a point refers to, from its part "process": a path (relative, in PATH, with wildcards, or a script,
// which stands for its interpreter), a build ID, a process ID, or nothing: the program of -c or -x.
struct process_files {
	VEC(struct di_module *) at;
	int pid;                   // 0: any process
	struct di_module *within;  // the program, if these are its libraries; NULL: in any process
};
// Reports errors and returns their number.
int process_files(struct session *s, const struct probe_match *m, struct process_files *out);

// Returns the beginning of a resolved point, "process("/bin/ls")"; for a point with a library, the program of the
// library.
char *process_point(const struct probe_match *m, const struct di_module *program);

// One row of struct stp_uprobe.
struct process_site {
	struct di_module *program;
	const char *name;          // name for messages of the runtime
	uint64_t address;          // link-time address
	uint64_t semaphore;        // link-time address; 0: it has no semaphore
	int pid;
	struct di_module *within;  // the program of the processes in which this library is probed; NULL: in all
				   // processes
	bool is_return, optional;
	int64_t maxactive;
};
// Implements `address` of struct probe_family for families with a struct process_site.
bool process_address(const struct probe *p, const char **from, uint64_t *offset);
// process_emit_sites() writes the table `table` of the probes, whose data begin with a struct process_site.
// process_bpf_program() writes the BPF program of such a probe.
void process_bpf_program(struct session *s, const struct probe *p, struct cwriter *w, const char *rest);
int process_bpf_calls(const struct probe *p);
void process_emit_sites(struct session *s, struct cwriter *w, struct probe **probes, int n, const char *table);

#endif
