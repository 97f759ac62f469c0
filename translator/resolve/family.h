// SPDX-License-Identifier: GPL-2.0-or-later
// A probe family is one file that ends in one const struct probe_family. registry.c lists them all.
#ifndef RESOLVE_FAMILY_H
#define RESOLVE_FAMILY_H

#include "session/session.h"

struct cwriter;                // emit/cwriter.h
struct buf;
struct di_module;              // debuginfo/debuginfo.h

// A match of a point with a pattern of a family, also for --dump-probe-types: "timer.ms(number)",
// "kernel.function(string).return". Parts of the script's point that have wildcards are matched as globs with the
// patterns' names.
struct probe_match {
	struct probe_decl *decl;
	const struct probe_point *point;       // the point to resolve (last of the chain)
	const struct probe_point *const *chain; // points from the one in the user's script to `point`
	int chain_len;
	struct probe_decl *const *aliases;     // [chain_len - 1]: aliases[i] has chain[i + 1]
	const char *pattern;                   // the one of .patterns that matched
	bool wildcard;                         // `point` was found by wildcards in the script's point
	bool user_runtime;
};

// Owner of the data that a handler can access, for --privilege=stapusr.
enum probe_access {
	ACCESS_KERNEL,             // the kernel, or any process: refused
	ACCESS_NOTHING,            // no particular process
	ACCESS_OWN,                // the invoking user: the current process is stapio
	ACCESS_PROCESS,            // the process of the hit: skipped if it belongs to another user
};

// A variable that a probe offers as $name.
struct target_name {
	const char *name, *type;               // type: the C declaration's, for -L
	enum { TARGET_LOCAL, TARGET_PARAMETER, TARGET_RETURN } kind;   // $$locals, $$parms, $$return
};
typedef VEC(struct target_name) target_names;

struct probe_family {
	const char *name;                      // stem of the family's file: "timer"
	const char *const *patterns;           // NULL-terminated
	bool on_user_runtime;                  // exists with --runtime=user
	// With --runtime=bpf: writes the BPF program of a probe, a macro of bpf_program.h whose last arguments are
	// `rest`. NULL: if on_user_runtime is set, handlers run in the client; otherwise the family is not
	// supported.
	void (*bpf_program)(struct session *s, const struct probe *p, struct cwriter *w, const char *rest);
	// Returns the reason why BPF programs do not support this probe, or NULL if they do. NULL pointer: they
	// support every probe.
	const char *(*bpf_refusal)(const struct probe *p);
	// With --runtime=bpf: returns the number of calls in progress whose values of @entry(), or argstr, can be
	// saved; 0: the probe saves none. NULL: the family has no returns.
	int (*bpf_calls)(const struct probe *p);
	bool bpf_base_helpers;                 // its BPF programs cannot call the helpers of tracing, which collect
					       // call stacks
	bool bpf_registers;                    // the programs have all registers of the hit
	bool as_aliases;                       // -l lists its points by name with their local variables, as it
					       // lists aliases
	bool own_returns;                      // ".return" is not the return of a function, so there is no entry
					       // for @entry
	bool returns_all;                      // .return.maxactive(N) is the same as .return: any number of calls
					       // can be in progress
	bool arguments_at_return;              // at .return, registers of arguments still have the values of the
					       // entry
	int arrival_ns;                        // time in ns that a hit takes before and after the handler, with
					       // interrupts disabled
	bool not_of_task;                      // hits are not events of the current task: --exclude-self has no effect
	bool samples;                          // hits interrupt any code, including that of programs that are not
					       // probed
	bool exclusive;                        // handlers run alone, never at the same time as others
	enum probe_access access;
	enum probe_access (*access_of)(const struct probe *p); // NULL: every probe has `access`
	bool in_slices;                        // handlers may run in process context: emit_slices.c

	// Adds the probes of the match with probe_add(), any number. Reports errors with diag_error() at m->point->loc
	// (an unknown function, an invalid number), and returns their number.
	int (*resolve)(struct session *s, const struct probe_match *m);

	// Called before names are bound: may replace target variables in p->body that are not in memory ($value of
	// procfs) by calls of library functions. NULL: nothing to replace. Returns the number of errors.
	int (*rewrite)(struct session *s, struct probe *p);
	// Returns the value of E_TARGET `$name` (one without `->`) in this probe: a new plain expression with dtype
	// set, or NULL after diag_error(). NULL pointer: the family has no target variables.
	struct expr *(*target)(struct session *s, struct probe *p, struct expr *target);
	// Lists the variables that `target` accepts, for -L and $$vars. NULL: none.
	void (*target_names)(struct session *s, struct probe *p, target_names *out);
	// Returns whether the probe has target variables at all; if not, `target` reports the reason, also for
	// $$vars. NULL: every probe has them.
	bool (*has_names)(const struct probe *p);
	// Returns why variables of these kinds (bit n: kind n) cannot be listed, or NULL if they can. An empty
	// $$vars reports the reason, as an error if *error is set. NULL pointer: all can be listed.
	const char *(*unknown_names)(const struct probe *p, unsigned kinds, bool *error);
	// Returns the value of a `$$name` other than $$vars, $$parms, $$locals, $$return; NULL, without a message, if the
	// name is unknown. NULL pointer: the family has no others.
	struct expr *(*double_dollar)(struct session *s, struct probe *p, struct expr *target);

	// Returns whether the probe has an address, for -p2, and sets *offset, which is relative to the symbol or
	// section *from; *from NULL: *offset is a link-time address of a program, or an address of the kernel. NULL
	// pointer: no probe has an address.
	bool (*address)(const struct probe *p, const char **from, uint64_t *offset);

	// Returns the module in which @cast and the like look first. NULL pointer: the kernel.
	struct di_module *(*module)(const struct probe *p);

	// Returns the line of source code at the probe's address. NULL pointer: points have none.
	struct source_line (*source)(const struct probe *p);

	// Called before `emit`: sets `shares` of probes that need no entry of their own in the table of probes.
	// NULL pointer: each probe has its own entry.
	void (*share)(struct session *s, struct probe **probes, int n);

	// Writes one table over these probes (all of this family), and the line that names it in stp_families[];
	// see emit/emit.h. NULL: its probes are checked, but not emitted (never).
	void (*emit)(struct session *s, struct cwriter *w, struct probe **probes, int n);
};

extern const struct probe_family *const probe_families[];      // registry.c, NULL-terminated

// resolve/probe_match.c: Makes a probe with a copy of the body that the aliases compose; sets family, decl, chain,
// condition. `point` is the resolved text; data belongs to the family.
struct probe *probe_add(struct session *s, const struct probe_family *f, const struct probe_match *m,
			const char *point, void *data);

// resolve/listed_points.c: If only points are listed (-l), adds this one to the list and returns true. A family whose
// wildcards match many points calls probe_list() before it makes a probe, and probe_list_variables() when the probe
// is complete: that returns true if the probe is listed with its variables (-L) and no longer needed.
bool probe_list(struct session *s, const struct probe_match *m, const char *point);
bool probe_list_variables(struct session *s, const struct probe_match *m, struct probe *last);
// Returns "$name:type" of the variables that can be read at the point, with the type as written in lists
// ("struct file*"), and with --source its line of source code.
struct listed_details *probe_details(struct session *s, struct probe *p);
void listed_variable(name_list *list, const char *name, const char *type);

// Adds one more probe of the same match, with the same handler and no condition; cheaper than probe_add().
struct probe *probe_add_copy(struct session *s, struct probe *first, const char *point, void *data);

// perf.c: Returns whether @perf(NAME), `e`, can be read in p (NULL: a function without a probe); if not, reports
// the reason.
bool perf_may_read(const struct session *s, const struct probe *p, const struct expr *e);

// resolve/probe_match.c: Returns the argument of part `name` of the point, or NULL if the part is absent.
const struct point_part *point_find(const struct probe_point *p, const char *name);

#endif
