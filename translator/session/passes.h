// SPDX-License-Identifier: GPL-2.0-or-later
// The table of contents: every pass in order. Each returns the number of errors it reported.
//
//   text -> tokens -> AST -> resolved probes -> typed AST -> C -> .ko -> loaded -> output
//   |----- pass 1 -----|------------ pass 2 ----------|- 3 -|- 4 -|------- 5 -------|
#ifndef PASSES_H
#define PASSES_H

struct session;
struct buf;

// Pass 1, parse/: user texts into session.script. Library files join in pass 2, as they are used.
int pass_parse(struct session *s);
void print_parsed(struct session *s, struct buf *b);       // -p1

// Pass 2, elab/: aliases and wildcards to probes, names to declarations, types, checks, optimiser.
int pass_elaborate(struct session *s);
	int elab_match_probes(struct session *s);  // resolve/: fills script.probes
	int elab_bind_names(struct session *s);    // bind_names.c: names; pulls in library files
	int elab_targets(struct session *s);       // targets.c: $x, @cast, ... become plain expressions
	int elab_types(struct session *s);         // types.c
	int elab_bpf_conditions(struct session *s); // bpf_condition.c: with --runtime=bpf, puts conditions into handlers
	int elab_check(struct session *s);         // check.c: checks that do not depend on types; access and locks
	int elab_merge(struct session *s);         // merge.c: with --merge, keeps the probes of one part of the script
	int elab_privilege(struct session *s);     // privilege.c: refuses what the user's privilege does not allow
	int elab_output_formats(struct session *s); // output_formats.c: checks that output formats suit the globals
	int elab_optimize(struct session *s);      // optimize.c
	int elab_bpf(struct session *s);           // bpf_check.c: refuses what --runtime=bpf does not support
	int elab_module_data(struct session *s);   // module_data.c: reads the debuginfo that the module contains
// Binds names, targets and types of a script that may have errors, after elab_match_probes(), for lists. A
// statement with a name that is not declared becomes empty. No message is suppressed here.
void elab_types_for_lists(struct session *s);
// privilege.c: sets is_refused on functions that require guru mode, also through what they call. For lists: all
// functions count as used.
void elab_mark_guru(struct session *s);
void print_elaborated(struct session *s, struct buf *b);   // -p2

// Pass 3, emit/: session.c_text.
int pass_emit(struct session *s);

// Pass 4, toolchain/ and module/: session.module_path, from the cache if all its inputs are the same.
int pass_build(struct session *s);
// Before pass 2: starts building the runtime in the background if the cache does not have it.
void pass_build_prepare(struct session *s);

// Pass 5, run/run.c or run/vm.c: staprun, or the program itself on the user runtime.
// Returns the exit status of stap.
int pass_run(struct session *s);

// driver/types_listing.c: --types: prints the layout of a type on standard output.
int layout_run(struct session *s);

// driver/list.c: -l, -L, --types and --dump-*: prints lists on standard output instead of running passes. Returns
// the exit status of stap.
int list_run(struct session *s);

#endif
