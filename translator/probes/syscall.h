// SPDX-License-Identifier: GPL-2.0-or-later
// Private to syscall*.c: the system calls of syscalls.def, and the data of a probe.
#ifndef PROBES_SYSCALL_H
#define PROBES_SYSCALL_H

#include "emit/emit.h"
#include "resolve/family.h"

struct syscall_row {
	const char *alias, *name;
	int number[3];             // on x86_64, in its 32-bit processes, on arm64; -1: the call does not exist there
	const char *result;        // "d" number, "x" address, for retstr
	const char *args;          // arguments in the format of syscalls.def
	bool secondary;            // another name of a call that a wildcard already finds
	enum { NAME_ALIAS, NAME_CALL, NAME_CALL_IF_FLAGS } named;  // kind of the value of the variable `name`
};

struct syscall_type {              // runtime/include/syscall_types.def
	const char *name;
	int size;                  // size of the value in its register
	bool is_signed;
	bool is_string;            // the plain variable shows the text, not the address
	bool is_pair;              // two registers of a 32-bit process, the low half first
};

struct syscall_var {
	const char *name;
	bool at_entry, at_return;  // it is available at the entry, at the return
};

struct syscall_arg {
	const char *name;          // the kernel's name of the argument, for $name
	const struct syscall_type *type; // NULL: this is not an argument, but a list of variables that are always 0
	const char *set;           // name of its flags or values in syscall_flags.def, or ""
	bool written;              // the call writes it: its text is available at the return
	int at;                    // number of its register, from 0
	int with;                  // number of the argument that gives its length, count or command
	VEC(struct syscall_var) vars;
};
struct syscall_args { struct syscall_arg *at; int n, capacity; };

struct syscall_probe {             // probe.data
	bool is_return, any;
	VEC(const struct syscall_row *) rows;  // rows that have these arguments
	struct syscall_args args;
	VEC(struct syscall_probe *) siblings;  // probes of the same alias, including this one
};

// Indices of a call's number and result among the arguments, as in generated.h.
enum { SYSCALL_NUMBER = 6, SYSCALL_RESULT = 7 };

// A column of syscall_row.number, and the number of bits of a long there. column -1: the end.
struct abi { int column, bits; };
enum { ARM64 = 2 };               // column of arm64
const struct abi *syscall_abis(const struct session *s);       // ABIs of the target
// Returns the value of the variable `name`. If *plain is not NULL, the value is *plain when argument *flags is 0.
const char *syscall_name(const struct syscall_probe *d, const struct syscall_row *row, const char **plain, int *flags);
bool syscall_has_commands(const struct syscall_probe *d);      // whether the call has commands, which change the
							       // meaning of its arguments
// Returns a bit for each argument that is sign-extended in 32-bit processes.
unsigned syscall_signed_longs(const struct syscall_probe *d);
// Calls fn for each row of the probe. syscall_any has none: fn is called for all rows if names are used.
void syscall_each_row(const struct syscall_probe *d, bool names, void (*fn)(const struct syscall_row *row, void *data),
		      void *data);

// Calls fn for each command of the row's call, with its arguments after the one that selects the command, whose number
// is *argument; mask: its bits that matter. Returns false if the call has no commands.
bool syscall_each_command(struct session *s, const struct syscall_row *row, int *argument, unsigned *mask,
			  void (*fn)(int64_t value, const struct syscall_args *args, void *data), void *data);

// syscall_bpf_text.c: tables by which programs capture argstr
struct call_plans {
	struct session *s;
	struct cwriter plans, rows;        // the table, and the cases of the function that selects a row of it
	struct map made;                   // text of a plan -> its number + 1
	int n;
};
// Adds the plans of a row; number: its number in calls_N().
void syscall_plan_row(struct call_plans *plans, const struct syscall_probe *d, const struct syscall_row *row,
		      int number);
// Writes the table and the function, whose names end in `number`. names: the function that copies names to the slot.
void syscall_write_plans(const struct call_plans *plans, struct cwriter *w, int number, const char *names,
			 bool is_return);

// syscall_bpf.c
int syscall_bpf_calls(const struct probe *p);
void syscall_bpf_program(struct session *s, const struct probe *p, struct cwriter *w, const char *rest);

// syscall_args.c
void syscall_parse_args(const char *text, int at, struct syscall_args *out);  // at: number of the first register
enum { SYSCALL_MAX_SETS = 200 };
// Writes a C table of the flags or values of that name, once.
void syscall_emit_set(struct cwriter *w, const char *name, bool arm64, bool *made);

// syscall_results.c
bool syscall_has_meanings(const struct syscall_probe *d);      // whether its results may have a meaning besides the
							       // number
struct syscall_args syscall_meanings(const struct syscall_row *row);
// Writes the meanings of the call's results as elements of an array. Returns their number.
int syscall_emit_meanings(struct cwriter *lines, const struct syscall_row *row);

// syscall_vars.c
void syscall_add_variables(struct session *s, struct probe *p);
bool syscall_asks_for_text(const struct probe *p);
bool syscall_asks_for_argstr(const struct probe *p);
bool syscall_asks_for_captured(const struct probe *p);         // with --runtime=bpf: whether the client makes texts
bool syscall_reads_arguments(const struct probe *p); // whether the handler reads arguments or their text, except
						     // the result
// whether each @entry() is an argument, which has the same value at the return
bool syscall_entries_are_arguments(const struct probe *p);
struct expr *syscall_target(struct session *s, struct probe *p, struct expr *target);
void syscall_target_names(struct session *s, struct probe *p, target_names *out);

#endif
