// SPDX-License-Identifier: GPL-2.0-or-later
// Points of functions and statements, in the kernel and in programs:
//   .function(PATTERN | ADDRESS)[.call | .inline | .exported | .return | .label(L)]
//   .function(PATTERN | ADDRESS).callee(PATTERN)[.call | .return], .callees
//   .statement(PATTERN | ADDRESS)[.nearest]
// and the variables at their addresses.
#ifndef PROBES_DWARF_POINT_H
#define PROBES_DWARF_POINT_H

#include "debuginfo/debuginfo.h"
#include "resolve/family.h"

struct buf;
struct expr;

struct dwarf_point {
	const struct point_part *part; // "function" or "statement"
	bool is_statement, is_return, by_address;
	struct di_pattern pattern;
	bool nearest;
	enum { DWARF_ANY, DWARF_CALL, DWARF_INLINE } which;
	enum di_inlines inlines;
	const char *label;         // glob, or NULL
	const char *callee;        // glob, or NULL
	struct di_pattern callee_at; // .callee("NAME@FILE:LINE"); file NULL: any file
	int depth;                 // maximum distance of callees from the function
	bool any_caller;           // calls by any function are probed
	int64_t maxactive;         // .maxactive(N) of returns; 0: the kernel's default
};
// Returns false after diag_error().
bool dwarf_point_parse(struct session *s, const struct probe_match *m, struct dwarf_point *p);
// Adds the addresses in one module. If it finds none, `why` (may be NULL) receives the reason as a sentence, or
// remains empty if the function does not exist.
void dwarf_point_find(const struct dwarf_point *p, struct di_module *in, di_functions *out, struct buf *why);
// Returns whether `in` has a function whose name differs by one letter.
bool dwarf_point_is_misspelt(const struct dwarf_point *p, struct di_module *in);
// Writes the end of the resolved point, from ".function(" on, as pp() returns it.
void dwarf_point_text(const struct probe_match *m, const struct di_function *f, struct buf *out);
// Makes the handler run only for the calls to which f->returns limits f.
void dwarf_point_guard(struct probe *p, const struct di_function *f, bool is_return);
// Reports why nothing was found in `in`; `point` is its text, "kernel" or "module("x")".
void dwarf_point_not_found(const struct dwarf_point *p, struct di_module *in, const char *point, struct buf *why);

// Implement `target_names`, `unknown_names`, `source` and `target` of struct probe_family for the function f, at its
// probed address.
void dwarf_names(const struct di_function *f, bool is_return, target_names *out);
const char *dwarf_unknown_names(const struct di_function *f, unsigned kinds, bool *error);
struct source_line dwarf_source_line(const struct di_function *f);
bool dwarf_by_convention(const struct di_function *f, const char *name);
struct expr *dwarf_target(const struct di_function *f, bool is_return, struct expr *target);

#endif
