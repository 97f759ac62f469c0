// SPDX-License-Identifier: GPL-2.0-or-later
// Between target_var.c, which resolves target variables, and target_list.c, which lists them.
#ifndef ELAB_RESOLVER_H
#define ELAB_RESOLVER_H

#include "elab/elab.h"

struct resolver {
	struct session *s;
	struct probe *probe;       // NULL: a function
	bool is_return;            // of a .return probe
	bool in_entry;             // inside @entry()
	bool in_condition;
	bool in_unused;            // inside a statement that nothing uses
	bool strict;               // what can't be resolved is an error, --skip-badvars or not
	VEC(const char *) entries; // how each of probe->entries was written
	VEC(struct func *) called; // by what was walked, each to be walked in its turn
	struct ast_walker walker;
};

// The base of ->, [], & and $: a struct is its address.
void resolver_base(struct resolver *r, struct expr **e);
// True when all of it can be resolved. Works on a copy and leaves nothing behind.
bool resolver_is_defined(struct resolver *r, const struct expr *e);
// $$vars, $$parms, $$locals, $$return.
struct expr *resolver_list(struct resolver *r, struct expr *e, int pretty);

#endif
