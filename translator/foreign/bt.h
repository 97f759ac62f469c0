// SPDX-License-Identifier: GPL-2.0-or-later
// Private to foreign/: the syntax tree of a script in bpftrace's language, and the steps that translate it:
//
//   text --bt_lex.c--> tokens --bt_parse.c--> tree --bt_type.c--> types of variables and maps
//        --bt_write.c, bt_point.c, bt_expr.c, bt_call.c, bt_map.c--> text in the language of stap
#ifndef BT_H
#define BT_H

#include "util/diag.h"
#include "util/map.h"
#include "util/str.h"
#include "util/vec.h"

#include <stdint.h>

struct session;
struct di_type;
struct di_module;

// ---------------------------------------------------------------- bt_lex.c

enum bt_tok { BT_END, BT_WORD, BT_NUMBER_TOK, BT_STRING_TOK, BT_SCRATCH, BT_MAP_TOK, BT_POSITION_TOK,
	      BT_PUNCT, BT_BAD };

struct bt_token {
	enum bt_tok kind;
	struct loc loc;
	const char *text;          // WORD, PUNCT: as written; SCRATCH, MAP: without $ or @; STRING: contents with escapes as
				   // written; BAD: the message
	int64_t number;
};

struct bt_lexer {
	const struct source *source;
	const char *p, *end, *line_start;
	int line;
	bool at_line_start;        // only white space precedes it on the line
	struct map defines;        // macros of #define: name -> text
	VEC(bool) skipping;        // one per open #if, #ifdef or #ifndef: its current branch is skipped
};
void bt_lex_start(struct bt_lexer *l, const struct source *source);
struct bt_token bt_lex_next(struct bt_lexer *l);
void bt_lex_space(struct bt_lexer *l);             // skips white space, comments and preprocessor lines
struct loc bt_lex_loc(const struct bt_lexer *l);

// ---------------------------------------------------------------- bt_parse.c: the tree

enum bt_kind {
	BT_NUMBER, BT_STRING, BT_NAME, BT_VAR, BT_MAP, BT_POSITION, BT_CALL, BT_UNARY, BT_BINARY, BT_ASSIGN, BT_INCREMENT,
	BT_COND, BT_CAST, BT_MEMBER, BT_INDEX, BT_TUPLE, BT_SIZEOF,
	BT_BLOCK, BT_IF, BT_WHILE, BT_UNROLL, BT_FOR, BT_JUMP, BT_EMPTY,
};

// The type of a value. Members of structs have a known type only if the kernel's types are available.
enum bt_type_kind { BT_T_UNKNOWN, BT_T_INT, BT_T_STRING, BT_T_KSTACK, BT_T_USTACK, BT_T_POINTER, BT_T_STRUCT,
		    BT_T_CHARS,        // an array of characters in memory
		    BT_T_ARRAY };      // another array
struct bt_type {
	enum bt_type_kind kind;
	const char *of;            // POINTER, STRUCT: "struct sock", "uint8"; NULL: unknown
	int depth;                 // POINTER: levels of indirection
	int size;                  // INT: size in bytes; 0: 8
	bool is_signed;
	bool user;                 // it is an address in the memory of the process
	bool kernel;               // it is an address in the memory of the kernel, also in probes of programs
	struct di_type *di;        // POINTER: type of the target; others: type of the value; may be NULL
};

struct bt_node {
	enum bt_kind kind;
	struct loc loc;
	const char *text;          // name, string, operator, member
	int64_t number;
	int height;                // height of the tree of nodes below it
	bool prefix;               // INCREMENT
	struct bt_type cast;       // CAST, SIZEOF
	VEC(struct bt_node *) kids; // MAP: keys; CALL: arguments; IF: condition, then, else; FOR: map, body (text: variable)
};

struct bt_point {
	struct loc loc;
	const char *text;          // text of the point in the script, for the builtin `probe`
	name_list part;            // part.at[0]: the provider, by its long name
};

struct bt_action {
	VEC(struct bt_point) points;
	struct bt_node *filter;    // NULL: the action has no filter
	struct bt_node *body;
	bool alternatives;         // the action has several points as alternatives: each of them may be missing
};

struct bt_script {
	VEC(struct bt_action *) actions;
	struct map structs;        // structs that the script defines: name, "struct S" -> struct loc
	int expanded;              // number of nodes from constants of #define
	int errors;
};

enum { BT_MAX_DEPTH = 200, BT_MAX_HEIGHT = 1200 };     // maximum nesting; maximum number of operators in a chain

// Returns the long name of a provider, or NULL if bpftrace has no provider of that name.
const char *bt_provider(const char *name);
// Parses a script. Returns NULL after a syntax error, which is reported unless `quiet`.
struct bt_script *bt_parse(const struct source *source, bool quiet);
// Calls visit for the node and everything below it, in the order of the text.
void bt_each_node(struct bt_node *n, void (*visit)(struct bt_node *n, void *data), void *data);

// ---------------------------------------------------------------- bt_type.c

enum bt_aggregate { BT_PLAIN, BT_COUNT, BT_SUM, BT_AVG, BT_MIN, BT_MAX, BT_STATS, BT_HIST, BT_LHIST };

struct bt_var {                // a map or a scratch variable
	const char *name;          // name in bpftrace, without @ or $
	const char *out;           // name in the translation
	bool is_map, string_wanted;
	enum bt_aggregate aggregate;
	struct bt_node *aggregation; // LHIST: the call that has the bounds
	struct loc loc;
	struct bt_type type;       // type of its values
	const struct bt_var *loop; // for a loop variable: the map over which the loop iterates; its keys have the
				   // names in loop_keys
	name_list loop_keys;
	int arity;                 // number of keys of a map
	VEC(struct bt_type) keys;
	VEC(bool) key_string;      // each key: whether it is used as a string
};

struct bt_translation {
	struct session *session;
	struct di_module *kernel;  // NULL: kernel types are not available
	struct bt_script *script;
	struct map maps;           // maps by name -> struct bt_var
	struct map locals;         // local variables of the current action
	const struct bt_action *action;
	struct buf out;
	int indent;
	struct map used;           // names that the translation uses
	const char *prefix;        // prefix of the names of the action's local variables
	bool at_exit;              // statements print the remaining maps at the end
	int errors;
	unsigned helpers;          // bits of enum bt_helper
	const char *started;       // the global with the start time; NULL: not used
	const char *probe_name;    // the variable with the name of the probe; NULL: the name is constant
};

void bt_infer(struct bt_translation *t);               // infers the types of maps of the whole script
void bt_infer_action(struct bt_translation *t, const struct bt_action *a);     // infers the types of its scratch
									       // variables: t->locals
int bt_small_number(const char *text);               // returns a number from 0 to 99; -1: the text is not one
struct bt_type bt_type_of(struct bt_translation *t, const struct bt_node *n);
struct bt_var *bt_find(struct bt_translation *t, const struct bt_node *n);     // returns the variable of a BT_VAR
									       // or BT_MAP
enum bt_aggregate bt_aggregate_of(const struct bt_node *call);        // PLAIN: it is not an aggregation
bool bt_is_text(const struct bt_type *type);          // whether the translation has the value as a string

// A member of the builtin `args`, as an expression of the translation.
struct bt_field { const char *field, *text; struct bt_type type; };
// Finds the member of `args` to which n refers. Returns false if it is unknown.
bool bt_args_field(struct bt_translation *t, const struct bt_node *n, struct bt_field *out);

// ---------------------------------------------------------------- bt_event.c

bool bt_event_field(const char *event, const char *field, struct bt_field *out);
bool bt_syscall_field(const char *call, bool enter, const char *field, struct bt_field *out);
// Returns the name of the system call, which may be a pattern, that a point of tracepoint:syscalls traces; NULL for
// another point.
const char *bt_syscall(const struct bt_point *p, bool *enter);
bool bt_is_provider(const struct bt_action *a, const char *name);     // whether the action's first point has this
								      // provider
bool bt_in_user(const struct bt_action *a);           // whether the action runs for code of a program
bool bt_reads_user(const struct bt_translation *t, const struct bt_type *type);      // whether it is an address in
										     // the memory of the process

// ---------------------------------------------------------------- the writers

// Functions that the translation defines if it uses them: bits of bt_translation.helpers.
enum bt_helper { BT_HELP_JOIN, BT_HELP_BUFFER, BT_HELP_IPV6, BT_HELP_MAC };

// Reports that something has no translation.
void bt_problem(struct bt_translation *t, struct loc loc, const char *fmt, ...) PRINTF_LIKE(3, 4);

// bt_expr.c: the texts of expressions. `bind` is the precedence of the operator around them.
char *bt_expr(struct bt_translation *t, const struct bt_node *n, int bind);
char *bt_string(struct bt_translation *t, const struct bt_node *n);    // the text of n, converted to a string
char *bt_value(struct bt_translation *t, const struct bt_node *n, bool string); // the text of n, to be assigned to
										// a variable
char *bt_address(struct bt_translation *t, const struct bt_node *n);   // the address of the struct or array
char *bt_buffer(struct bt_translation *t, const struct bt_node *n, const char *form);     // the arguments for a call of
											  // buf()
char *bt_keys(struct bt_translation *t, const struct bt_node *map);    // "[a, b]" or ""
// An expression that the translation contains twice: it is evaluated once, so that its text does not grow
// exponentially.
struct bt_twice { const char *first, *second; };
struct bt_twice bt_twice(struct bt_translation *t, const struct bt_node *n, char *text);
char *bt_condition(struct bt_translation *t, const struct bt_node *n, int bind);
bool bt_may_fault(struct bt_translation *t, const struct bt_node *n);   // whether it reads through pointers
enum { BT_BIND_NONE, BT_BIND_COND, BT_BIND_OR, BT_BIND_AND, BT_BIND_BITOR, BT_BIND_XOR, BT_BIND_BITAND, BT_BIND_COMPARE,
       BT_BIND_SHIFT, BT_BIND_DOT, BT_BIND_ADD, BT_BIND_MUL, BT_BIND_UNARY, BT_BIND_POSTFIX };

// bt_call.c
char *bt_call(struct bt_translation *t, const struct bt_node *n);       // translates a call that has a value
bool bt_call_statement(struct bt_translation *t, const struct bt_node *n);     // returns false if it is not a
									       // statement of its own
struct bt_type bt_call_type(struct bt_translation *t, const struct bt_node *n);
// Translates a builtin variable. Returns false if n is not one. *text is NULL after an error, which was reported.
bool bt_builtin(struct bt_translation *t, const struct bt_node *n, char **text, struct bt_type *type);
char *bt_builtin_text(struct bt_translation *t, const struct bt_node *n);

// bt_format.c: printf and times
char *bt_printf(struct bt_translation *t, const struct bt_node *call, int first, const char *function);
char *bt_time(struct bt_translation *t, struct loc loc, const char *format, const char *seconds, const char *micros);

// bt_map.c
// Writes statements that print the map as bpftrace does. top, divisor: may be NULL.
void bt_print_map(struct bt_translation *t, const struct bt_var *v, const char *top, const char *divisor);
// Returns the head of a loop over the map, "[key1, key2]", and the names of its keys in *keys.
char *bt_loop(struct bt_translation *t, const struct bt_var *v, name_list *keys);
char *bt_loop_value(const struct bt_var *v, const name_list *keys);   // the text of the value in the loop
bool bt_requires_values(const char *extractor);       // whether the operator fails without values: in bpftrace it
						      // is 0
void bt_print_element(struct bt_translation *t, const struct bt_var *v, const struct bt_node *element);

// bt_point.c: writes "probe ... {" and what precedes it.
void bt_points(struct bt_translation *t, const struct bt_action *a);

// bt_write.c
void bt_line(struct bt_translation *t, const char *fmt, ...) PRINTF_LIKE(2, 3);
const char *bt_fresh(struct bt_translation *t, const char *wanted);     // returns a name that the script does not
									// use
const char *bt_fresh_local(struct bt_translation *t, const char *wanted); // returns a name for a local variable of
									  // the action
void bt_open(struct bt_translation *t, const char *fmt, ...) PRINTF_LIKE(2, 3); // writes a line and "{", and
										// indents the next lines
void bt_close(struct bt_translation *t, const char *more);     // writes "}" and the text `more`

#endif
