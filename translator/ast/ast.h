// SPDX-License-Identifier: GPL-2.0-or-later
// The script as a tree. The comment of each field names the pass that sets it; before that it is zero.
//   parse      translator/parse/      match   resolve/probe_match.c, resolve/alias.c
//   names      elab/bind_names.c      target  elab/target_var.c and the probe families
//   types      elab/types.c           optimize elab/optimize.c      access  elab/check.c
#ifndef AST_H
#define AST_H

#include "ast/embedded.h"
#include "format_flags.h"
#include "util/diag.h"
#include "util/map.h"
#include "util/vec.h"

#include <stdint.h>

// Operators in the tree are tokens of tokens.def.
enum tok {
	TOK_NONE, TOK_EOF, TOK_IDENT, TOK_NUMBER, TOK_STRING, TOK_EMBEDDED,
	TOK_AT_WORD,               // @name: operator or macro, text without the @
	TOK_JUNK,                  // a character that begins no token
	TOK_WIDEN,                 // made for variables: converts the bits of a float to those of a double; as a binary
				   // operator, those of a long double: its low 64 bits and its high 16 bits
#define TOK(name, text) name,
#include "ast/tokens.def"
};
extern const char *tok_text(enum tok t);  // the spelling of a token

enum type { T_UNKNOWN, T_LONG, T_STRING, T_STATS };

struct expr;
struct stmt;
struct di_type;                // debuginfo/debuginfo.h
struct di_static;              // the same
struct di_variable;            // the same
struct probe;

typedef VEC(struct expr *) expr_vec;

// ---------------------------------------------------------------- variables

// Texts of a call stack: a line with a name for each frame, as of sprint_backtrace(); a list of addresses, as of
// backtrace().
enum stack_form { STACK_NAMES, STACK_ADDRESSES, STACK_FORMS };

enum var_kind { VAR_GLOBAL, VAR_LOCAL, VAR_PARAM };

// Operators of a statistic; the bits are shared with runtime/include/generated.h.
enum { STAT_COUNT = 1, STAT_SUM = 2, STAT_MIN = 4, STAT_MAX = 8, STAT_AVG = 16, STAT_VARIANCE = 32,
       STAT_HIST_LOG = 64, STAT_HIST_LINEAR = 128,
       STAT_PERCENTILE = 512 /* 256 is a bit of the runtime */ };

struct var {
	const char *name;          // parse (names for locals)
	struct loc loc;            // first occurrence
	enum var_kind kind;        // parse, names
	enum type type;            // types: of the value
	struct loc type_loc;       // types: the use that determined the type, for messages
	struct di_type *dtype;     // types: debuginfo type of the long, NULL: none or several
	bool explicit_type;        // parse: the parameter has a written type: "name:string"

	// globals
	bool is_private;           // parse: visible in its file only
	bool wrap;                 // parse: "%": evicts the oldest
	int64_t max_size;          // parse: arr[100]; 0: MAXMAPENTRIES
	bool size_given;           // parse: "[100]" is in the source, so it is an array
	struct expr *init;         // parse: literal or NULL
	int arity;                 // names: 0 scalar, n keys; -1 unknown
	struct loc arity_loc;      // names
	enum type *key_types;      // types: [arity]
	struct loc *key_locs;      // types: [arity]
	struct di_type **key_dtypes; // types: [arity], like dtype
	unsigned stat_ops;         // names: STAT_* of the extractors that are used
	int64_t hist_low, hist_high, hist_step; // names: of @hist_linear
	struct loc hist_loc;       // names: first histogram of this shape

	// usage, in everything that is emitted
	bool read, written;        // names; optimize sets them again
	bool only_updated;         // set with read and written: only updated by its own n++, n += k (a local: not in loops)
	bool in_defined;           // names: @defined() asks about the variable or its target
	bool set_by_removed;       // target, types: a statement that sets it was removed, see elab/unused.c
	bool per_cpu;              // access: a number that each CPU adds to on its own; its reader adds them up
	bool added_only;           // access: only n++, n += k, <<< outside begin/end/error, value unused
	bool unlocked;             // access: used without a lock
	bool autoprint;            // access: a global of the user's script that is written but never read: printed at
				   // the end
	// stack_values: keys and values that are stored as stack values instead of text of this form, and those to
	// which such a call stack is assigned. Bit n: key n; bit `arity`, of a local bit 0: the value
	unsigned stacks[STACK_FORMS], stacks_reached[STACK_FORMS];
	bool varies;               // global_labels, of statistics with .autoprint: values other than 1 are added
	const char *label, *unit;  // global_labels, of statistics: a readable name; the unit of the values; each
				   // may be NULL
	int index;                 // emit: position among the emitted globals of its kind
	int reads, stores;         // dead_stores: number of reads; number of the last statement that only sets it
	int number;                // access: position among the script's globals
	int local;                 // emit: position among the variables of the C function that is being emitted
	int reached;               // access: number of the last walk that found it, like func.reached
	// access: indices of its entries in the list of that walk, [1]: of the entry for USE_ADD; -1: none
	int reached_at[2];
	struct probe *user;        // emit: the last probe that uses it, except begin, end and error
	bool shared;               // emit: several probes use it
	bool is_copy;              // emit: the copy that a handler in slices uses
	int merged;                // merge: its number among the globals that hosts send, from 1
	bool set_by_host;          // merge: hosts set its elements, instead of adding to them
	bool only_on_hosts;        // merge_mark: only probes of hosts use it, in a way that cannot be merged
};

// ---------------------------------------------------------------- expressions

enum expr_kind {
	E_NUMBER,       // number
	E_STRING,       // string
	E_VAR,          // var: name -> decl; a scalar, or an array where one is expected
	E_INDEX,        // index: array[keys]; a NULL key is "*"
	E_CALL,         // call
	E_UNARY,        // un: TOK_ADD TOK_SUB TOK_NOT TOK_COMPL TOK_WIDEN
	E_INCDEC,       // un: TOK_INC TOK_DEC, un.prefix
	E_BINARY,       // bin: arithmetic, bits, shifts, comparisons, TOK_ANDAND TOK_OROR, TOK_DOT
	E_COND,         // cond: a ? b : c
	E_ASSIGN,       // bin: l op= r; TOK_STAT_ADD is "<<<"
	E_IN,           // index: [keys] in array
	E_REGEX,        // regex: l =~ "re"
	E_STAT,         // stat: @count(x) ...
	E_HIST,         // stat: @hist_log(x), @hist_linear(x,l,h,s): only printed, indexed, iterated
	E_HIST_BUCKET,  // index with array_expr an E_HIST and one key: @hist_log(x)[i]
	E_PRINT,        // print: the print family, sprint* included
	E_EMBEDDED,     // embedded: %{ C %}
	E_TARGET,       // target: $name                      removed by target_var.c
	E_CAST,         // cast: @cast(e, "type", "module")   removed by target_var.c
	E_ATVAR,        // target: @var("name@file","module")
	E_ACCESS,       // access: base then ->x [i] and so on; & and $ $$ suffixes
	E_DEFINED,      // op1: @defined(e)                   removed by target_var.c or types.c
	E_PROBEWRITE,   // op1: @probewrite(v)                removed by bind_names.c
	E_UNBOUND,      // unbound: names an unknown object    made by bind_names.c, removed by target_var.c
	E_ENTRY,        // entry: @entry(e)
	E_PERF,         // text1: @perf("name")
	E_CONST,        // text1: @const("C")
	E_ENUM,         // text1: @enum("NAME")               removed by target_var.c
	E_ENUMNAME,     // cast: @enumname(e[,"type"[,"mod"]]) removed by target_var.c
	E_REGISTER,     // reg: @kregister(n), @uregister(n)
	E_STATIC,       // fixed: the address of a global or static variable; made by target_access.c
	E_OFFSET,       // offset: of a member in a type of the kernel; made by target_access.c for BPF programs
	E_DEREF,        // deref: @kderef(size,addr), @uderef(size,addr), and what $x-> becomes
};

// A member of a type of the kernel, which libbpf finds in the running kernel; without a path, the size of the type.
struct kernel_member {
	const char *type;          // "struct file"
	const char *path;          // "f_path.dentry"; NULL: the type
	const char *declaration;   // declaration of the members in the path, in C
};

enum component_kind { COMP_FIELD, COMP_INDEX };
struct component {
	enum component_kind kind;
	struct loc loc;
	const char *name;          // COMP_FIELD
	struct expr *index;        // COMP_INDEX
};

enum print_kind { PRINT_PRINT, PRINT_PRINTLN, PRINT_PRINTD, PRINT_PRINTDLN, PRINT_PRINTF, PRINT_MERGED };

// A piece of a printf format: literal text, or a conversion with its options.
struct format_piece {
	const char *text;          // literal: bytes, and len
	size_t len;
	char conv;                 // 0 literal, else one of d i u o x X p c s b m M; target: q Q g
	bool is_long;              // 'l' modifier
	uint8_t flags;             // enum stp_format_flag
	int width;                 // -1 none
	int precision;             // -1 none
	bool width_star, precision_star; // "*": taken from an argument before the value
};

struct expr {
	enum expr_kind kind;       // parse
	struct loc loc;            // parse: location of the operator, or of the first character of an operand
	enum type type;            // types
	struct di_type *dtype;     // target, types: debuginfo type a long carries
	bool value_unused;         // optimize: the statement discards the value
	bool ignored;              // target: an argument that is never read: 0 replaces it if it has an error
	bool is_placeholder;       // target, types: it replaces an ignored argument: 0 or ""
	bool waits;                // target: its branches are resolved after types.c has evaluated @defined() in the condition
	union {
		int64_t number;
		struct { const char *bytes; size_t len; } string;
		struct { const char *name; struct var *decl; /* names */ } var;
		struct {
			const char *name;          // the array
			struct var *decl;          // names
			struct expr *hist;         // E_HIST_BUCKET, E_IN over a histogram: the E_HIST
			expr_vec keys;
		} index;
		struct {
			const char *name;
			expr_vec args;
			struct func *target;       // names: first overload to try; the others are linked by
						   // ->next_overload
		} call;
		struct { enum tok op; struct expr *e; bool prefix; } un;
		struct {
			enum tok op;
			struct expr *l, *r;
			// target: a division in the location of a variable. Division by zero: the variable is not
			// available.
			enum { OF_SCRIPT, LOCATION_SIGNED, LOCATION_UNSIGNED, LOCATION_ABSENT } of_location;
			bool not_constant;     // names, target: no pass can evaluate it by constant_value()
			// names: cached result of constant_may_be(), which is called at each level of a chain
			bool may_be_constant;
			bool waited;           // types.c must run before constant_value() can evaluate it
		} bin;
		struct { struct expr *c, *a, *b; } cond;
		struct { struct expr *l; const char *pattern; size_t len; bool negate;
			 bool keep; /* access: matched() may read its groups */ } regex;
		struct { unsigned op; /* one STAT_* bit */ struct expr *of; /* E_VAR or E_INDEX */
			 struct expr *shift; /* @variance: the shift; @percentile: the percentage */ int64_t low, high, step; } stat;
		struct {
			enum print_kind kind;
			bool to_string;            // the s... forms
			const char *word;          // the word in the source: "printf", "sprintln", ...
			struct expr *delimiter;    // a function that returns the text: sprint, sprintf, ..
			VEC(struct format_piece) format; // PRINT_PRINTF
			expr_vec args;             // an E_HIST only as the single argument of print/println
			const char *on_fault;      // target: text to print if a value cannot be read; NULL: an error
			bool in_part;              // target: some values are omitted, which counts as a loss
			struct var *merged;        // PRINT_MERGED, of merge: the global; args: keys, value (a count of statistics)
		} print;
		struct embedded *embedded;
		// E_TARGET: without the first "$": "x", "return", "$parms". E_ATVAR: name, file and module
		// of @var("name@file", "module"), the last two may be NULL.
		struct { const char *name; const char *file; const char *module;
			 const struct di_variable *composite; /* target_value.c */ } target;
		struct { struct expr *e; const char *type_name, *module;
			 const struct di_enumerator *enumerators; int nenumerators; /* module_data: E_ENUMNAME */ } cast;
		struct {
			struct expr *base;         // any expression
			VEC(struct component) comps; // none: "&$x", "$x$", "x$$"
			bool address_of;
			int pretty;                // 1: $ 2: $$
			bool is_lvalue;            // target: it is assigned to
		} access;
		struct expr *op1;
		const struct diag_report *unbound;
		struct { struct expr *e; int slot; /* function family: index among the saved values */ } entry;
		struct {
			const struct di_static *variable;
			const char *symbol;
			bool external;     // target: in another program than that of the probe
		} fixed;
		struct {
			const struct kernel_member *member;    // NULL: only valid for the kernel of this translation
			int64_t value;     // value in the kernel of this translation
		} offset;
		struct { const char *text; int index; } text1;
		struct { bool user; int number;    // DWARF number
			 int size; bool is_signed; struct expr *number_expr;
			 bool is_float; /* as in deref */ } reg;
		struct { bool user; int size; bool is_signed; struct expr *addr; struct expr *size_expr;
			 int bit_offset, bit_size; /* position of an lvalue that is a bit-field */
			 bool by_parts; /* the bit-field is read and written in several parts */
			 bool is_return; /* a return address of a program */
			 bool is_float; /* 4 bytes, widened to a double's image */
			 const struct kernel_member *member; /* target: libbpf finds the size and bits of this
							      * member; or NULL */ } deref;
	} u;
};

// ---------------------------------------------------------------- statements

enum stmt_kind { S_EMPTY, S_EXPR, S_BLOCK, S_IF, S_WHILE, S_FOR, S_FOREACH, S_BREAK, S_CONTINUE,
		 S_RETURN, S_NEXT, S_DELETE, S_TRY };

struct stmt {
	enum stmt_kind kind;       // parse
	struct loc loc;            // parse
	bool waits;                // target: like expr.waits
	bool unused;               // target: its effects are not used: it is removed if it has an error
	union {
		struct expr *expr;         // S_EXPR; S_RETURN (may be NULL); S_DELETE: E_VAR, E_INDEX with NULL keys
		VEC(struct stmt *) block;
		struct { struct expr *c; struct stmt *then, *other; } if_;
		struct { struct expr *c; struct stmt *body; } while_;
		struct { struct expr *init, *c; struct stmt *step, *body; } for_; // init, c and step may be NULL;
		                                                                      // step is S_EXPR or S_EMPTY
		struct {
			VEC(struct expr *) keys;   // E_VAR locals or globals
			struct expr *value;        // "v = [..] in": E_VAR or NULL
			const char *array; struct loc array_loc;
			struct var *decl;          // names
			struct expr *hist;         // loop over @hist_*: the E_HIST; `array` is NULL
			expr_vec slice;            // "in A[1,*]": NULL entries are "*"; n == 0: no slice
			int sort_dir;              // 0 none, 1 "+", -1 "-"
			int sort_key;              // 0 by value, n by key n
			unsigned sort_stat;        // STAT_* with @sum and so on, 0: @count
			struct expr *limit;        // or NULL
			struct stmt *body;
		} foreach;
		struct { struct stmt *body, *handler; struct expr *var; /* the variable for the message, E_VAR;
									 * or NULL */ } try_;
	} u;
};

// ---------------------------------------------------------------- functions

struct func {
	const char *name;          // parse
	struct loc loc;            // parse
	struct source const *source; // parse: private names and privileges are per file
	bool is_private;           // parse
	VEC(struct var *) params;  // parse
	enum type type;            // parse if declared, else types; T_UNKNOWN: no return value
	bool explicit_type;        // parse
	struct loc type_loc;       // types
	struct di_type *dtype;     // types
	int priority;              // parse: 0 user, 1 library, or as declared
	struct stmt *body;         // parse: NULL for embedded C
	struct embedded *embedded; // parse: NULL for script code
	struct loc embedded_loc;
	VEC(struct var *) locals;  // names
	VEC(struct func *) accessors;  // names: of the globals that embedded C accesses; see elab/embedded_globals.c
	struct var *accessed;      // names: this function is an accessor of the global
	bool writes_accessed;
	struct func *next_overload;// names: same name and arity, called if this one executes `next`
	bool used;                 // names: reachable from a probe; target: still reachable after @defined is
				   // resolved
	bool in_context;           // target: it, or a function that it calls, uses $x and the like: see clone.c
	struct func *original;     // clone.c: the function that this one is a copy of, or NULL
	bool used_as_copy;         // check.c: a copy of this function is used
	struct probe *probe;       // target: the probe that this is a clone for
	bool only_unused;          // target: only unused statements call it; an error in it removes them
	const char *broken;        // types: an error in a function with only_unused, or NULL
	struct loc broken_at;
	bool is_called;            // target: called from code that remains after @defined is resolved
	bool is_refused;           // privilege: uses something that this session does not permit or support
	bool recursive;            // access: part of a call cycle
	int component;             // access: number of its component in the call graph
	int order, low, reached;   // access: state of the walk over the call graph
	bool has_side_effects;     // access: writes a global, prints, may fail, or is impure C
	bool writes_globals;       // access
	int index;                 // emit
};

// Returns true if the function is embedded C with this PRAGMA_*.
static inline bool func_has(const struct func *f, unsigned pragma)
{
	return f->embedded && f->embedded->pragmas & pragma;
}

// ---------------------------------------------------------------- probes

// A component of a probe point: name, name("text"), name(123).
struct point_part {
	const char *name;
	struct loc loc;
	enum { ARG_NONE, ARG_STRING, ARG_NUMBER } arg_kind;
	const char *text;
	int64_t number;
	const char *number_text;   // parse: the number for messages, in decimal: positive if it was written without "-"
};

struct probe_point {
	VEC(struct point_part) parts;  // parse
	bool optional, sufficient;     // parse: "?", "!"
	struct expr *condition;        // parse: "if (...)" or NULL
	struct loc loc;
};

// probe P, P {} | probe alias = P {} , {}
struct probe_decl {
	struct loc loc;
	VEC(struct probe_point *) points;
	VEC(struct probe_point *) alias_names; // empty: a probe
	bool epilogue;                 // "+=": the body runs after the user's
	struct stmt *body;
	struct stmt *epilogue_body;    // the second body of "{ } , { }"
	struct source const *source;
	bool used;                     // match: a probe was resolved through this alias
	bool is_entered;               // match: the current point was reached through this alias
};

struct probe_family;                   // resolve/family.h

struct take { struct var *var, *copy; bool clear; struct expr *value; /* or NULL */ };

// A resolved probe point: one address in the kernel or a program, a timer, begin and so on.
struct probe {
	const struct probe_family *family; // match
	struct probe_decl *decl;       // match: the declaration of the body
	struct loc loc;                // match: of the point in the user's script
	const char *written;           // match: the point in the source, for -l: vfs.read
	const char *point;             // family: resolved, pp(): kernel.function("vfs_read@fs/read_write.c:451")
	VEC(struct probe_point *) chain; // match: from the point in the source through aliases to the last
	struct expr *condition;        // match: all conditions of the chain, anded; NULL: none
	struct stmt *body;             // match: prologues, own body, epilogues; a private copy
	VEC(struct probe *) copies;    // match: other addresses of the same wildcard. They have no bodies of their
				       // own unless clone.c makes some; otherwise optimize adds them to
				       // script.probes after this probe
	struct stmt *pristine;         // match: the initial body for copies; NULL: no copies
	VEC(struct var *) locals;      // names
	void *data;                    // family: its own struct
	const char *shared_name;       // family: one of many points of a wildcard: its $$name is looked up at
				       // the hit, so that all can share a handler; NULL: $$name is a literal
	bool keep;                     // family: the probe has an effect even with an empty handler
	VEC(struct func *) clones;     // target: functions that use its $x
	bool is_bound;                 // family: its address or its variables are those of this build of the kernel
	expr_vec entries;              // target: expressions whose values @entry() saves, by slot
	int index;                     // emit: number of the handler, and index in the table of probes
	const struct probe *same_body; // optimize: the probe whose handler this one uses
	const struct probe *shares;    // emit: the probe whose table entry this one uses, too
	bool in_slices;                // emit: runs in process context, on copies of globals
	struct stmt *hit;              // emit: the part that runs in the tick and makes the copies; NULL: only copies
	VEC(struct take) takes;        // emit: globals to copy; `clear`: they are deleted, or set to `value`
	int before;                    // emit: index of the probe whose hit makes the copies
	bool own_processes;            // privilege: only processes of the invoking user are traced
	bool uses_regs;                // access: body reads E_REGISTER
	bool names_regs;               // access: body reads registers by number, also with @uregister()
	unsigned reg_mask;             // access: bit n: DWARF register n of the kernel is used
};

// ---------------------------------------------------------------- the script

// A line of source code. FILE is relative to DIRECTORY, in which it was compiled, or to a directory above.
struct source_line {
	const char *directory;         // NULL: unknown
	const char *file;              // NULL: no line is known
	int line;
};

struct listed_details {        // additional data of -L
	name_list variables;       // "$name:type"
	struct source_line source; // set with --source
};

struct listed_point {          // a line of -l and -L, of which there are up to 70,000
	const struct probe_decl *decl;
	const char *point;         // the point as it is printed: the alias as written, or resolved
	struct listed_details *details;    // NULL: -l, without variables
};

// An error in text that is grammatical, which pass 2 reports.
struct late_error { struct loc loc; const char *text; };

struct script {
	VEC(struct late_error) late_errors;    // parse
	VEC(struct var *) globals;             // parse (user files first, then library files as used)
	VEC(struct func *) funcs;
	VEC(struct probe_decl *) probe_decls;  // probes
	VEC(struct probe_decl *) aliases;
	struct map alias_names;    // probe_match: "a.b", names of a point without arguments -> alias_name_vec
	int aliases_named;         // probe_match: number of aliases in alias_names
	VEC(struct expr *) embedded;           // file-level %{ %}: E_EMBEDDED
	VEC(struct probe *) probes;            // match: the resolved ones, in order
	VEC(struct listed_point) listed;       // match: of -l and -L, instead of probes where a wildcard finds many
};

// ast.c
struct expr *expr_new(enum expr_kind kind, struct loc loc);
struct expr *expr_number(struct loc loc, int64_t n);          // type T_LONG
// Number of buckets of a @hist_linear, including the two for values outside of its range; UINT64_MAX: too many.
uint64_t hist_linear_buckets(int64_t low, int64_t high, int64_t step);
struct expr *expr_string(struct loc loc, const char *text);   // type T_STRING
struct expr *expr_binary(struct loc loc, enum tok op, struct expr *l, struct expr *r);
struct stmt *stmt_new(enum stmt_kind kind, struct loc loc);
struct expr *stmt_for_step(const struct stmt *s);        // NULL: the loop has no step
// Splits a bit-field that begins in byte 0 into loads or stores, if it crosses storage units or the end of the
// aggregate. Returns their number.
enum { MAX_BIT_PARTS = 4 };
struct bit_part {
	int offset, size;          // bytes: 1, 2, 4 or 8
	int from, bits;            // bits of these bytes
	int at;                    // first bit of the bit-field in this part
};
int bit_parts(int bit_offset, int bit_size, struct bit_part parts[MAX_BIT_PARTS]);
struct expr *expr_copy(const struct expr *e);                 // a deep copy, except that declarations are shared
struct stmt *stmt_copy(const struct stmt *s);
const char *type_name(enum type t);                           // "long", "string", "stats", "unknown"
const struct probe_point *probe_matched_point(const struct probe *p);  // last point of its chain, or NULL
char *point_text(const struct probe_point *p);                // the point as in the source, without condition

// ast_walk.c: visits every expression and statement below, parents first. A callback may replace
// the node through the pointer. Returning false keeps the walk from descending.
struct ast_walker {
	bool (*expr)(struct ast_walker *w, struct expr **e);
	bool (*stmt)(struct ast_walker *w, struct stmt **s);
	void (*expr_after)(struct ast_walker *w, struct expr **e);   // called after the expression's children were visited
	void (*stmt_after)(struct ast_walker *w, struct stmt **s);
	void *data;
};
void ast_walk_expr(struct ast_walker *w, struct expr **e);
void ast_walk_stmt(struct ast_walker *w, struct stmt **s);

// ast_print.c: prints the tree as a script that parses to the same tree.
struct buf;
void ast_print_expr(struct buf *b, const struct expr *e);
void ast_print_stmt(struct buf *b, const struct stmt *s, int indent);
void ast_print_func(struct buf *b, const struct func *f);
void ast_print_global(struct buf *b, const struct var *v);
void ast_print_decl(struct buf *b, const struct probe_decl *d);

#endif
