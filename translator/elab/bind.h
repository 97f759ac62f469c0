// SPDX-License-Identifier: GPL-2.0-or-later
// Interface between bind_names.c and bind_stmt.c.
#ifndef BIND_H
#define BIND_H

#include "elab/elab.h"
#include "util/map.h"

// The scope of names: the body of a probe or of a function.
struct binder {
	struct session *s;
	struct probe *probe;       // one of probe and func is NULL
	struct func *func;
	struct map locals;         // the locals by name, including parameters
	bool in_defined;           // inside @defined()
	bool is_optional;          // inside a branch that a condition may remove
	bool holds;                // between begin_part() and end_part(), which defer errors
	enum { IN_BODY, IN_ENTRY, IN_CONDITION } position;
};

// bind_names.c. Each reports a name that cannot be bound, and leaves its declaration NULL.
void bind_expr(struct binder *b, struct expr *e);    // e may be NULL
void bind_var(struct binder *b, struct expr *e);
void bind_index(struct binder *b, struct expr *e);
struct var *bind_find_array(struct binder *b, const char *name, struct loc loc);
struct var *bind_new_local(struct binder *b, const char *name, struct loc loc);
void bind_set_arity(struct var *v, int arity, struct loc loc);
bool bind_in_library(const struct binder *b);        // returns whether the binder is in a function of a tapset file

// bind_stmt.c
void bind_stmt(struct binder *b, struct stmt *s);    // s may be NULL
// Binds an operand that a condition may remove, or a condition in a branch that may be removed.
void bind_part(struct binder *b, struct expr *e);
// Returns whether a later step may find that the condition is constant, and remove a branch or operand.
bool bind_may_leave_out(struct binder *b, struct expr *condition);

#endif
