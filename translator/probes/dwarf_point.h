// SPDX-License-Identifier: GPL-2.0-or-later
// What points of functions and statements have in common, whether in the kernel or in programs:
//   .function(PATTERN | ADDRESS)[.call | .inline | .exported | .return | .label(L)]
//   .function(PATTERN | ADDRESS).callee(PATTERN)[.call | .return], .callees
//   .statement(PATTERN | ADDRESS)[.nearest]
// and the variables at such places.
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
	const char *label;         // glob; NULL none
	const char *callee;        // glob; NULL none
	struct di_pattern callee_at; // of .callee("NAME@FILE:LINE"); no file: any
	int depth;                 // how far from the function callees may be
	bool any_caller;           // whoever calls them
	int64_t maxactive;         // of returns; 0: as the kernel likes
};
// False after diag_error().
bool dwarf_point_parse(struct session *s, const struct probe_match *m, struct dwarf_point *p);
// Adds the places in one module. When there are none, `why` (may be NULL) gets a sentence, or nothing
// when it is as simple as that there is no such function.
void dwarf_point_find(const struct dwarf_point *p, struct di_module *in, di_functions *out, struct buf *why);
// The end of the resolved point, from ".function(" on, as pp() shows it.
void dwarf_point_text(const struct probe_match *m, const struct di_function *f, struct buf *out);
// Lets the handler run for calls that f is limited to, by f->returns.
void dwarf_point_guard(struct probe *p, const struct di_function *f, bool is_return);
// For an error: why nothing was found in `in`, which `point` names: "kernel", "module("x")".
void dwarf_point_not_found(const struct dwarf_point *p, struct di_module *in, const char *point, struct buf *why);

// The family's functions of these names, for the place f.
void dwarf_names(const struct di_function *f, bool is_return, target_names *out);
struct expr *dwarf_target(const struct di_function *f, bool is_return, struct expr *target);

#endif
