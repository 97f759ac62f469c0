// SPDX-License-Identifier: GPL-2.0-or-later
// Interface between types.c (type inference) and infer_defined.c (expressions that wait for types).
#ifndef ELAB_INFER_H
#define ELAB_INFER_H

#include "elab/elab.h"

struct infer {
	struct session *s;
	struct probe *probe;       // the probe or function whose body is inferred; the other is NULL
	struct func *func;
	bool learned;              // this round determined a type
	bool resolve;              // accesses to members are resolved in this round
	bool untyped;              // an access to a value of unknown type was found
	bool waits;                // a @defined() of such an access was found
	bool give_up;              // the next @defined() of such an access is 0, since no more types can be
				   // determined
	bool report;               // this is the last round, which reports errors
	bool unused;               // unused statements are inferred, too
	bool in_unused;            // the walk is inside an unused statement
	bool backwards;            // set in every second round: functions are visited from the last to the first
	// set in every second round: statements are visited from the last to the first. The first round begins with the first
	// statement, so that types are determined there if possible.
	bool statements_backwards;
};

// The type that a context expects. Messages print `why` before the name of the type: "a condition is a" long.
struct want {
	enum type type;
	const char *why;
	struct loc loc;            // the location that determined the type, if it is another one
	bool nothing;              // the value is discarded
	const struct di_type *dtype;   // type of the other operand, for messages
};

// types.c
void infer_expr(struct infer *t, struct expr **pe, struct want w);
void infer_stmt(struct infer *t, struct stmt *s);
void infer_arg(struct infer *t, struct expr *call, int i);

// unused.c: Infers the types of unused statements last, and removes those with an error. Returns true if the caller
// must infer the statement.
bool infer_unused(struct infer *t, struct stmt *s);
// Does the same for argument i of a call, which the function does not read.
bool infer_ignored_arg(struct infer *t, struct expr *call, int i);

// unused.c: Infers the body of a function. If only unused statements call it, its types are inferred last.
void infer_function(struct infer *t, struct func *f);
// unused.c: Finds functions with errors that only unused statements call. infer_broken_call() reports the error of such
// a function, and returns whether there is one.
void infer_broken(struct infer *t);
bool infer_broken_call(struct infer *t, const struct func *f);

// infer_defined.c: Replaces @defined() by a number once its operand has a type.
void infer_defined(struct infer *t, struct expr **pe);
// Infers an expression or a statement whose condition depends on types: if the condition is known, the remaining
// branch is resolved. Returns false if it is not known yet.
bool infer_waiting(struct infer *t, struct expr **pe);
bool infer_waiting_stmt(struct infer *t, struct stmt *s);

#endif
