// SPDX-License-Identifier: GPL-2.0-or-later
// Pass 2: functions that the files of elab/ offer to each other.
#ifndef ELAB_H
#define ELAB_H

#include "debuginfo/debuginfo.h"
#include "resolve/resolve.h"
#include "session/session.h"

// target_value.c: Returns a variable of the debuginfo as an expression: registers, constants, loads. For an aggregate
// (struct, union, array) the expression is its address. Sets dtype. Returns NULL after diag_error() if the variable
// cannot be read here (optimised out).
struct expr *target_variable(struct loc loc, const struct di_variable *v);
// `base` has the debuginfo type base->dtype. Applies the components (->, [], &) of `access`, an E_ACCESS whose own
// base is ignored. Returns NULL after diag_error().
struct expr *target_access(struct session *s, struct expr *base, const struct expr *access);
// Does the same for the left side of an assignment: returns E_DEREF or E_REGISTER. If access is NULL, base itself
// is assigned.
struct expr *target_lvalue(struct expr *base, const struct expr *access);

// Resolves a branch that elab_targets() left unresolved because its condition depends on types: in the handler of p
// or, if f is not NULL, in that function. One of e and s is NULL.
void target_resume(struct session *session, struct probe *p, struct func *f, struct expr **e, struct stmt **s);

// Returns whether the expression accesses values whose debuginfo type types.c determines.
bool target_is_untyped(struct expr *e);
// Returns the condition of an if or a loop, or NULL.
struct expr **target_condition(struct stmt *s);
// Returns the statement that remains of an if whose condition has the value `known`, or of a loop whose condition is
// false.
struct stmt *target_branch(struct stmt *s, bool known);

// clone.c: Copies the functions that mention target variables for each probe, before these are resolved.
void clone_functions(struct session *s);

// declarations.c: Finds the declarations of names.
struct var *declarations_find_global(struct session *s, const char *name, struct loc loc, bool in_library_function);
// Returns the overloads for a call, linked by next_overload, or NULL after diag_error().
struct func *declarations_find_function(struct session *s, struct expr *call);
// Returns true if the probe has a target variable of that name. p may be NULL.
bool declarations_is_target(struct session *s, struct probe *p, const char *name);
// Returns advice how to find the variables of a probe, or "" if its points have none. p may be NULL.
const char *declarations_list_variables(const struct probe *p);
// Reports an access to members or elements of a value without a type.
void declarations_refuse_access(struct session *s, const struct expr *e, const struct probe *p);
// Returns which probes of p's declaration lack the variable, if others have it: "vfs.open does not have it, other
// probes of this handler do"; else NULL.
const char *declarations_lacking(struct session *s, const char *name, const struct probe *p);
// Reports a variable of a function or a probe whose type cannot be determined, or the name without a type whose value
// it has. Their type is long from then on.
void declarations_unresolved(struct session *s, struct loc loc, struct var *v, const struct func *f,
			     const struct probe *p);

// check.c: Returns names similar to a misspelt local of a function or a probe, "a, b", or NULL.
const char *check_similar_names(struct session *s, const struct var *v, const struct func *f, const struct probe *p);
const char *declarations_similar_globals(struct session *s, const char *name, bool arrays_only);

// Report an undeclared array; and an operand of `<<<`, or of a statistic operator, that is not a global.
void declarations_no_array(struct session *s, const char *name, struct loc loc);
void declarations_no_statistic(struct session *s, const struct expr *of);
// Returns true if the array or statistic that e reads is declared, or false after diag_error().
bool declarations_has_global(struct session *s, const struct expr *e);
// Returns true if a probe defines the counter of this @perf(), or false after diag_error().
bool declarations_find_counter(struct session *s, const struct expr *e);
// bind_names.c: Binds the names of an expression or statement that the translator made after elab_bind_names().
void bind_names_of_probe(struct session *s, struct probe *p);
// Marks the function as used, as if a probe called it.
void bind_names_of_function(struct session *s, struct func *f);

// embedded_globals.c: Makes accessors of the globals that embedded C accesses by STAP_GLOBAL_GET_x and
// STAP_GLOBAL_SET_x.
void accessors_make(struct session *s);

// embedded_names.c: Reports names of SystemTap's runtime that embedded C does not have; `at` is the location of "%{".
void embedded_names_check(struct session *s, const struct embedded *c, struct loc at);

// var_uses.c: Reports every mention of a variable below a statement, and how it is used.
enum {
	USE_READ = 1,
	USE_WRITE = 2,
	USE_ADD = 4,               // with USE_WRITE: n++, n--, n += k, n -= k, x <<< k, value unused
	USE_UPDATE = 8,            // with USE_WRITE: reads the old value only to compute the new one
	USE_BIND = 16,             // with USE_WRITE: set by foreach or catch
};
struct use_walker {
	void (*var)(struct use_walker *w, struct var *v, int use, struct loc loc);
	void (*call)(struct use_walker *w, struct func *f, struct loc loc); // called for each overload
	void (*expr)(struct use_walker *w, const struct expr *e);   // called before its children
	void (*stmt)(struct use_walker *w, const struct stmt *s);
	void *data;
	int loops;                 // loops around the current statement
};
void use_expr(struct use_walker *w, const struct expr *e);
void use_stmt(struct use_walker *w, const struct stmt *s);
void use_func(struct use_walker *w, const struct func *f);   // visits its body, or the globals and functions that
							     // embedded C uses
// Visits entries and body. It does not visit the condition, nor the hit after emit_find_slices(), whose row has its
// own locks and work.
void use_probe(struct use_walker *w, const struct probe *p);

// effects.c
struct access_use {
	struct var *var;
	bool write;
	bool adding;               // the use only adds to data of the CPU
};
typedef VEC(struct access_use) access_list;
// Returns whether each CPU has its own part of v, so that v must be merged before other uses.
static inline bool access_is_merged(const struct var *v)
{
	return v->type == T_STATS || v->per_cpu;
}
// Returns the globals that the handler must lock, in locking order, including those of called functions but not
// those with var.unlocked. The list is empty for handlers that run alone.
void access_probe_locks(struct session *s, const struct probe *p, access_list *out);
// Does the same for the probe's @entry() expressions.
void access_entry_locks(struct session *s, const struct probe *p, access_list *out);
// Returns whether a statement or an expression (the other is NULL) accesses a global that may need a lock.
bool access_locks_in(const struct stmt *s, const struct expr *e);
bool access_needs_actions(const struct probe *p);   // it has loops or recursion, itself or in functions that it
						    // calls
void access_compute(struct session *s);             // fills the fields that ast.h gives to `access`
void access_count_uses(struct session *s);          // sets var.read and var.written of all variables, and func.used
bool access_pure(const struct expr *e);             // evaluating it has no side effect
bool access_only_sets_locals(const struct expr *e); // its only effects are stores to locals
void access_compute_effects(struct session *s);     // computes has_side_effects and the call graph, which do not
						    // depend on types
// E_BINARY, E_ASSIGN: may raise an error, which a catch may handle
bool access_may_divide_by_zero(const struct expr *e);
void access_func_writes(const struct func *f, access_list *out); // globals that the function and its callees write

// check.c
void check_declarations(struct session *s);         // called before names are bound

// Removes settings of -G whose name is not a public global, with a warning. Called after all library files were
// read.
void check_names_of_settings(struct session *s);

// keep_going.c: Removes declarations with errors, so that the next step finds errors in the others. Returns false
// if that is impossible or no declaration remains.
bool elab_drop_broken(struct session *s);

bool probe_is_return(const struct probe *p);        // targets.c: at the return of a function or system call

// return_arguments.c: Warns of reads of arguments in probes at returns.
void return_arguments_check(struct session *s);

// global_labels.c: Sets var.label, var.unit and var.varies of the statistics.
void global_labels_find(struct session *s);
// Returns the comment on the line of the global's declaration, or NULL. It describes the last global of the line.
char *global_comment(const struct var *v);

// autoprint.c: Adds the `end` probe that prints globals which are written and never read. Returns true if it added
// one.
bool autoprint_add(struct session *s);

// merge.c: with --merge, sets var.only_on_hosts. The other globals can be shown here while the script runs.
void merge_mark(struct session *s);

// monitor.c: Adds the probes that print globals while the script runs, with --monitor. Returns true if it added one.
bool monitor_add(struct session *s);

// optimize.c
void optimize_mark_unused(struct session *s);       // sets value_unused of every statement's expression
// Walks conditions, entries and bodies of probes, and bodies of used functions.
void optimize_walk(struct session *s, struct ast_walker *w);
// Returns the number of words that the first `upto` values of @entry() take. After the optimiser a slot has this
// number.
int optimize_entry_words(const struct session *s, const struct probe *p, int upto);
// Bytes that all values of @entry() of a probe may take. Larger ones are reported as an error.
enum { ENTRY_BYTES_MAX = 4096 };
int optimize_entry_bytes(const struct session *s, const struct probe *p);

// Returns the value of an E_BINARY or E_UNARY of constants, or NULL if it can be determined only at run time.
struct expr *optimize_fold(const struct session *s, const struct expr *e);

// constant.c: Returns E_NUMBER or E_STRING, or NULL. Sets *waits, without clearing it, if the result may change
// after types.c has evaluated each @defined() in the expression.
struct expr *constant_value(const struct session *s, struct expr *e, bool *waits);
// Returns whether constant_value() may find a value now, or after each @defined() in the expression is evaluated.
// Requires that the names in it are bound.
bool constant_may_be(struct expr *e);
// Returns whether evaluating it has no side effect; returns false for calls of functions whose effects are not
// computed yet.
bool constant_is_pure(const struct expr *e);
// Returns the result of the operator e if the value of one operand (l, r; NULL: unknown) determines it and the other
// operand is pure, as in "x * 0"; else NULL.
struct expr *constant_absorbed(const struct expr *e, const struct expr *l, const struct expr *r,
			       bool (*is_pure)(const struct expr *));

// unused.c
void unused_mark(struct stmt *body);
// Returns true if statements after this one in its block are unreachable.
bool unused_leaves(const struct stmt *s);
// Returns whether no overload reads the argument and evaluating it has no effect. Called after unused_mark() of the
// functions.
bool unused_argument(const struct expr *call, int i);
// Replaces a statement by an empty one, or an argument by 0 or "", with a warning; called after diag_hold_pop()
// returned errors.
void unused_drop(struct stmt *s);
void unused_drop_argument(struct expr **e);
// Sets only_unused of functions; called after the unused statements are marked.
void unused_mark_functions(struct session *s);

// dead_stores.c
bool optimize_dead_stores(struct session *s);       // returns true if it removed some; called after
						    // access_compute()

// loop_vars.c: Gives each foreach its own variables if several loops of a handler have the same.
void loop_vars_divide(struct session *s);

// stack_values.c: Stores call stacks as addresses if the script only stores and prints them. Returns true if it
// changed anything.
bool stack_values_make(struct session *s);
// Returns whether stacks of programs that an array stores can have names outside of event handlers.
bool stack_values_have_names(const struct session *s);
// Returns the call of embedded C to which a call of print_ustack() or a similar function leads, whose last argument
// says whether the first one is a stack value; NULL: e is another expression.
const struct expr *stack_values_naming_call(const struct expr *e);
bool stack_values_named(const struct expr *call);   // whether the call prints names of a stack value's frames

// equal_handlers.c
bool same_handler(const struct probe *a, const struct probe *b);
uint64_t handler_hash(struct probe *p);    // equal if the handlers are the same

// bpf_check.c: Returns the name of the value of a call for which BPF programs only capture data, so that the client
// makes it when it prints it: argstr, retstr and texts of system calls' arguments. NULL: another expression.
const char *bpf_captured(const struct expr *e);

#endif
