// SPDX-License-Identifier: GPL-2.0-or-later
// Between types.c (what has which type) and infer_defined.c (what waits for that).
#ifndef ELAB_INFER_H
#define ELAB_INFER_H

#include "elab/elab.h"

struct infer {
	struct session *s;
	struct probe *probe;       // whose body this is: one of the two
	struct func *func;
	bool learned;              // something, in this round
	bool resolve;              // accesses, in this round
	bool untyped;              // there was one to a value of unknown type
	bool waits;                // there was a @defined() of such a value
	bool give_up;              // the next @defined() of such a value is 0: nothing more can be learned
	bool report;               // the last round
	bool unused;               // also statements that nothing uses
	bool in_unused;            // inside one
	bool backwards;            // every second round: functions from the last to the first
};

// The type that a context expects. why is continued by the type's name: "'+' wants a" long.
struct want {
	enum type type;
	const char *why;
	struct loc loc;            // the place that decided, if it is another one
	bool nothing;              // the value is thrown away
};

// types.c
void infer_expr(struct infer *t, struct expr **pe, struct want w);
enum type infer_kind(struct infer *t, struct expr **pe, struct want w);
void infer_stmt(struct infer *t, struct stmt *s);
void infer_arg(struct infer *t, struct expr *call, int i);

// unused.c
// Types of statements that nothing uses come last, and an error there removes them. True: infer it as usual.
bool infer_unused(struct infer *t, struct stmt *s);
// The same for argument i of a call, which the function does not read.
bool infer_ignored_arg(struct infer *t, struct expr *call, int i);

// infer_defined.c
// @defined() of what has a type by now becomes a number.
void infer_defined(struct infer *t, struct expr **pe);
// An expression or a statement whose condition waited: once that is known, what is left of it is resolved. False: it
// still waits.
bool infer_waiting(struct infer *t, struct expr **pe);
bool infer_waiting_stmt(struct infer *t, struct stmt *s);

#endif
