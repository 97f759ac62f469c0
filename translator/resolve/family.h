// SPDX-License-Identifier: GPL-2.0-or-later
// A probe family is one file that ends in one const struct probe_family. registry.c lists them all.
#ifndef PROBES_FAMILY_H
#define PROBES_FAMILY_H

#include "session/session.h"

struct cwriter;                // emit/cwriter.h
struct buf;
struct di_module;              // debuginfo/debuginfo.h

// A point written as a pattern, for matching and for --dump-probe-types: "timer.ms(number)",
// "kernel.function(string).return". Parts of the script's point that have wildcards are matched
// against the patterns' names as globs.
struct probe_match {
	struct probe_decl *decl;
	const struct probe_point *point;       // the point to resolve (last of the chain)
	const struct probe_point *const *chain; // from what the user wrote to `point`
	int chain_len;
	struct probe_decl *const *aliases;     // [chain_len - 1]: aliases[i] has chain[i + 1]
	const char *pattern;                   // which of .patterns matched
	bool wildcard;                         // the names of `point` were found by wildcards
	bool user_runtime;
};

// Whose data a handler can reach, for --privilege=stapusr.
enum probe_access {
	ACCESS_KERNEL,             // the kernel's, or any process': refused
	ACCESS_NOTHING,            // that of no particular process
	ACCESS_OWN,                // the invoking user's: the context is stapio
	ACCESS_PROCESS,            // that of the process of the hit: skipped if it is another user's
};

// A variable that a probe offers as $name.
struct target_name {
	const char *name, *type;               // type: as C has it, for -L
	enum { TARGET_LOCAL, TARGET_PARAMETER, TARGET_RETURN } kind;   // $$locals, $$parms, $$return
};
typedef VEC(struct target_name) target_names;

struct probe_family {
	const char *name;                      // as the file's stem: "timer"
	const char *const *patterns;           // NULL-terminated
	bool on_user_runtime;                  // exists with --runtime=user
	bool as_aliases;                       // its points are shown as aliases are: by name, with locals
	bool own_returns;                      // ".return" is no return of what has an entry: no @entry
	bool returns_all;                      // .return.maxactive(N) is .return: no call is missed for want of room
	int arrival_ns;                        // what a hit takes before and after the handler, with interrupts off
	bool exclusive;                        // handlers run alone: nothing else runs meanwhile
	enum probe_access access;
	enum probe_access (*access_of)(const struct probe *p); // NULL: `access`, of every probe
	bool in_slices;                        // handlers may run in process context: emit_slices.c

	// Adds what the match stands for with probe_add(), any number. Reports with diag_error() at
	// m->point->loc (an unknown function, a bad number), and then returns how many errors.
	int (*resolve)(struct session *s, const struct probe_match *m);

	// Called before names are bound: may replace target variables in p->body that are no places in
	// memory ($value of procfs) by calls of library functions. NULL: nothing to replace. Returns
	// the number of errors.
	int (*rewrite)(struct session *s, struct probe *p);
	// What E_TARGET `$name` (one without `->`) means in this probe: a new plain expression with
	// dtype set, or NULL after diag_error(). NULL pointer: the family has no target variables.
	struct expr *(*target)(struct session *s, struct probe *p, struct expr *target);
	// Lists the variables that `target` accepts, for -L and $$vars. NULL: none.
	void (*target_names)(struct session *s, struct probe *p, target_names *out);
	// Whether the probe has such names at all: where not, `target` says why, of $$vars, too. NULL: it has.
	bool (*has_names)(const struct probe *p);
	// What `$$name` means that is none of $$vars, $$parms, $$locals, $$return: NULL, without a
	// message, when it means nothing. NULL pointer: there are no others.
	struct expr *(*meta)(struct session *s, struct probe *p, struct expr *target);

	// Whose types @cast and the like look at first. NULL pointer: the kernel's.
	struct di_module *(*module)(const struct probe *p);

	// Before `emit`: sets `shares` of probes that need no place of their own in the table of probes.
	// NULL pointer: all need one.
	void (*share)(struct session *s, struct probe **probes, int n);

	// Writes one table over these probes (all of this family), and the line that names it in
	// stp_families[]; see emit/emit.h. NULL: its probes are checked, then dropped (never).
	void (*emit)(struct session *s, struct cwriter *w, struct probe **probes, int n);
};

extern const struct probe_family *const probe_families[];      // registry.c, NULL-terminated

// Makes a probe with a copy of the body the chain of aliases composes; sets family, decl, chain,
// condition. `point` is the resolved text; data is the family's own. (resolve/probe_match.c)
struct probe *probe_add(struct session *s, const struct probe_family *f, const struct probe_match *m,
			const char *point, void *data);

// True: only points are listed (-l), and this one is in the list. A family whose wildcards match many points calls it
// before it makes a probe of each. (resolve/probe_match.c)
bool probe_list(struct session *s, const struct probe_match *m, const char *point);

// One more probe of the same match and with the same handler, no condition: cheaper than probe_add().
struct probe *probe_add_copy(struct session *s, struct probe *first, const char *point, void *data);

// Returns whether @perf(NAME), `e`, can be read in p (NULL: a function without a probe), else reports why. (perf.c)
bool perf_may_read(const struct session *s, const struct probe *p, const struct expr *e);

// The argument of part `name` of the point: NULL when the part is absent. (resolve/probe_match.c)
const struct point_part *point_find(const struct probe_point *p, const char *name);

#endif
