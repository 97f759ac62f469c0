// SPDX-License-Identifier: GPL-2.0-or-later
// Interface of target_var.c, which resolves target variables, target_list.c, which lists them, and targets.c, which
// resolves all probes.
#ifndef ELAB_RESOLVER_H
#define ELAB_RESOLVER_H

#include "elab/elab.h"

struct resolver {
	struct session *s;
	struct probe *probe;       // NULL in a function
	bool is_return;            // the probe is a .return probe
	bool in_entry;             // the walk is inside @entry()
	bool in_condition;
	bool in_unused;            // the walk is inside an unused statement
	bool strict;               // an unresolved variable is an error even with --skip-badvars
	VEC(const char *) entries; // text of each expression in probe->entries
	VEC(struct func *) called; // functions called by the walked code, to be walked later
	// Errors that are reported even where a missing variable is not an error: at optional points, in unused
	// code.
	VEC(const struct diag_report *) unknown;
	struct ast_walker walker;
};

// Makes r->walker resolve what it walks.
void resolver_init(struct resolver *r);
// Records a called function, to be walked later. Functions that only dead branches call are not walked.
void resolver_note_call(struct resolver *r, struct func *f);
// Resolves the base of ->, [], & and $; a struct stands for its address.
void resolver_base(struct resolver *r, struct expr **e);
// Returns whether the whole expression can be resolved. Works on a copy without side effects.
bool resolver_is_defined(struct resolver *r, const struct expr *e);
// Returns true if the probe has a variable of that name, which may not be readable.
bool resolver_lists(struct resolver *r, const char *name);
// Returns a sprintf() for $$vars, $$parms, $$locals, $$return.
struct expr *resolver_list(struct resolver *r, struct expr *e, int pretty);

#endif
