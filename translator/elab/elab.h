// SPDX-License-Identifier: GPL-2.0-or-later
// Pass 2: the functions that its files offer to each other and to probe families.
#ifndef ELAB_H
#define ELAB_H

#include "debuginfo/debuginfo.h"
#include "resolve/resolve.h"
#include "session/session.h"

// target_var.c
// A variable of debuginfo as an expression: registers, constants, loads. For an aggregate (struct,
// union, array) the expression is its address. Sets dtype. NULL after diag_error() when it can't be
// read here (optimised out).
struct expr *target_variable(struct loc loc, const struct di_variable *v);
// `base` has the debuginfo type base->dtype; applies the components (->, []), &, of `access`
// (an E_ACCESS whose own base is not looked at). NULL after diag_error().
struct expr *target_access(struct session *s, struct expr *base, const struct expr *access);
// The same for the left side of an assignment: E_DEREF or E_REGISTER. A NULL access: base itself.
struct expr *target_lvalue(struct expr *base, const struct expr *access);

// A branch that elab_targets() left as it was, since its condition waited for types: in the handler of p or,
// if f is not NULL, in that function. One of e and s is NULL.
void target_resume(struct session *session, struct probe *p, struct func *f, struct expr **e, struct stmt **s);

// Returns whether the expression accesses values whose debuginfo type only types.c determines.
bool target_is_untyped(struct expr *e);
// The condition of an if or a loop; NULL: none.
struct expr **target_condition(struct stmt *s);
// The statement that is left of an if or a loop whose condition is known; a loop's is false.
struct stmt *target_branch(struct stmt *s, bool known);

// clone.c
// Copies for each probe the functions that mention target variables, before those are resolved.
void clone_functions(struct session *s);

// scope.c: names to declarations.
struct var *scope_global(struct session *s, const char *name, struct loc loc, bool in_library_function);
// The overloads for a call, linked by next_overload; NULL after diag_error().
struct func *scope_function(struct session *s, struct expr *call);
// Notes on what else a word that is the name of a variable now may have been meant as.
void scope_hint(struct session *s, struct loc loc, const char *word);

// What a misspelt local of a function or a probe could have meant: "a, b" or NULL. (check.c)
const char *check_similar_names(struct session *s, const struct var *v, const struct func *f, const struct probe *p);
const char *scope_similar_globals(struct session *s, const char *name, bool arrays_only);

// symbols.c
// A probe defines the counter of this @perf(): true, or false after diag_error().
bool symbols_find_counter(struct session *s, const struct expr *e);
// Binds the names of an expression or statement that the translator made after elab_symbols().
void symbols_bind_probe(struct session *s, struct probe *p);
// As if a probe called the function.
void symbols_bind_function(struct session *s, struct func *f);

// embedded_globals.c: the globals that embedded C reaches by STAP_GLOBAL_GET_x and STAP_GLOBAL_SET_x.
void accessors_make(struct session *s);

// var_uses.c: every mention of a variable below a statement, with what is done to it.
enum {
	USE_READ = 1,
	USE_WRITE = 2,
	USE_ADD = 4,               // with USE_WRITE: n++, n--, n += k, n -= k, x <<< k, value unused
	USE_UPDATE = 8,            // with USE_WRITE: reads the old value only to make the new one
	USE_BIND = 16,             // with USE_WRITE: set by foreach or catch
};
struct use_walker {
	void (*var)(struct use_walker *w, struct var *v, int use, struct loc loc);
	void (*call)(struct use_walker *w, struct func *f, struct loc loc); // each overload
	void (*expr)(struct use_walker *w, const struct expr *e);   // before its children
	void (*stmt)(struct use_walker *w, const struct stmt *s);
	void *data;
};
void use_expr(struct use_walker *w, const struct expr *e);
void use_stmt(struct use_walker *w, const struct stmt *s);
void use_func(struct use_walker *w, const struct func *f);   // its body, or what embedded C reaches
// Entries and body. Not the condition; nor, after emit_find_slices(), the hit, whose row has its own locks and work.
void use_probe(struct use_walker *w, const struct probe *p);

// effects.c
struct access_use { struct var *var; bool write; };
typedef VEC(struct access_use) access_list;
// The globals that the handler needs locks for, in the order to take them: called functions
// included, those with var.unlocked not. Empty for handlers that run alone.
void access_probe_locks(struct session *s, const struct probe *p, access_list *out);
// The same for what the probe's entries want.
void access_entry_locks(struct session *s, const struct probe *p, access_list *out);
// Whether a statement or an expression (the other is NULL) touches what a lock may be needed for.
bool access_locks_in(const struct stmt *s, const struct expr *e);
bool access_needs_actions(const struct probe *p);   // has loops or recursion, itself or called
void access_compute(struct session *s);             // fills the fields that ast.h gives to `access`
void access_count_uses(struct session *s);          // var.read, var.written of everything, func.used
bool access_pure(const struct expr *e);             // evaluating it has no side effect
bool access_only_sets_locals(const struct expr *e); // or none but that
void access_compute_effects(struct session *s);     // has_side_effects and the call graph, which need no types
bool access_may_divide_by_zero(const struct expr *e);      // E_BINARY, E_ASSIGN: an error, which a catch may wait for
void access_func_writes(const struct func *f, access_list *out); // globals it writes, with callees

// check.c
void check_declarations(struct session *s);         // before names are bound

// keep_going.c: removes declarations that have errors, to find the errors of the rest. False: that is impossible, or
// no declaration is left.
bool elab_drop_broken(struct session *s);

// autoprint.c
// Adds the `end` probe that shows globals which are written and never read. True: added one.
bool autoprint_add(struct session *s);

// optimize.c
void optimize_mark_unused(struct session *s);       // value_unused of every statement's expression
// Conditions, entries and bodies of probes, bodies of functions in use.
void optimize_walk(struct session *s, struct ast_walker *w);
// Words that the first values which @entry() saves take; after the optimiser that is a slot's number.
int optimize_entry_words(const struct session *s, const struct probe *p, int upto);

// The value of an E_BINARY or E_UNARY of constants; NULL: only running it gives one.
struct expr *optimize_fold(const struct session *s, const struct expr *e);

// constant.c
// E_NUMBER or E_STRING, or NULL. Sets *waits, without clearing it, if that may change once types.c has
// settled each @defined() in the expression.
struct expr *constant_value(const struct session *s, struct expr *e, bool *waits);
// Evaluating it has no side effect. False for calls of functions whose effects are not computed yet.
bool constant_is_pure(const struct expr *e);
// The result of the operator e if the value of one operand (l, r; NULL: unknown) determines it and the other operand is
// pure, as in "x * 0"; else NULL.
struct expr *constant_absorbed(const struct expr *e, const struct expr *l, const struct expr *r,
			       bool (*is_pure)(const struct expr *));

// unused.c
void unused_mark(struct stmt *body);
// Returns whether nothing behind the statement in its block is reached.
bool unused_leaves(const struct stmt *s);
// Returns whether no overload reads the argument and evaluating it has no effect; after unused_mark() of functions.
bool unused_argument(const struct expr *call, int i);
// After diag_hold_pop() returned errors: the statement becomes empty, the argument 0 or "", with a warning.
void unused_drop(struct session *session, struct stmt *s);
void unused_drop_argument(struct session *session, struct expr **e, enum type type);

// dead_stores.c
bool optimize_dead_stores(struct session *s);       // true: it removed some; after access_compute()

// handler_merge.c
bool same_handler(const struct probe *a, const struct probe *b);
uint64_t handler_hash(struct probe *p);    // equal when the handlers are the same

#endif
