// SPDX-License-Identifier: GPL-2.0-or-later
// Declarations that the files of emit/ share. A body (handler, function, condition) is written statement by
// statement; emit_expr() writes the statements an expression needs and returns the rest of it,
// a C expression without side effects: a struct value. Its text is used exactly once.
//
// Names in the generated C:   g_x global   lock_x its lock   l_x local or parameter   f_x function
//   p3 handler   p3_entry its entry handler   c the context   f the string frame   ret the result
//   t1 s64 temporary   f->s1 string temporary   text1 const char *   cell1 value of an element
#ifndef EMITTER_H
#define EMITTER_H

#include "elab/elab.h"
#include "emit/cwriter.h"
#include "emit/emit.h"
#include "session/session.h"
#include "util/numbers.h"

// Dependences of a value, and changes by evaluating an expression. TARGET: registers, which guru scripts write;
// GLOBAL: scalars; ARRAY: elements, which insertions move and evict; WORLD: time, output and memory, where only the
// order matters.
enum { LOCAL = 1, GLOBAL = 2, ARRAY = 4, WORLD = 8, TARGET = 16 };

struct value {
	const char *text;
	unsigned reads;            // LOCAL ...: the text must not be evaluated after one of these has changed
	bool atom;                 // it needs no parentheses as an operand
	bool wraps;                // its type is u64: arithmetic wraps around; cast before it is compared
	bool boolean;              // 0 or 1
	bool lasting;              // a string that does not change before the handler ends: a pointer to it is sufficient
	bool constant;             // its value is `number`
	int64_t number;
};

struct label { const char *name; int used; };

struct loop {
	struct loop *outer;
	struct label *next;        // label of the next pass; NULL: C's continue is used
	bool is_function;          // emit_loops.c: the body is a function
};

struct local { struct var *var; const char *name; bool copied; /* the parameter is assigned, so it is copied */ };

struct call_result { struct var *result, *known; };

struct temps { int longs, strings, texts, cells; };

struct lock_range { const struct stmt *from, *to; bool late, early; };

// The cost of a part of the code: calls by their names, and characters of the other code.
struct work { uint64_t calls, chars; };
struct estimated { size_t at, end; struct work sum; };

// Functions into which a long handler or function is divided (emit_split_bodies.c).
struct parts {
	struct numbers sizes;      // struct stmt * of a body in parts -> number of nodes
	const char *of;            // name of the body, "p3"; NULL: the body is one function
	struct cwriter code;
	int n;
	bool repeats;              // a function of them is called for each row of a table (emit_alike.c)
	struct cwriter *open;      // the function to which statements are written
};
struct open_part {
	struct cwriter w, *outer;
	int used;                  // `used`, temporaries and work of the surrounding function
	struct temps now, max;
	uint64_t charged;
	struct estimated estimated;
	struct loop *loop;
	struct label *on_error;
};

// One C function that is being written.
struct body {
	struct cwriter code;
	struct func *func;         // NULL in a handler
	struct lock_range locks;   // range of the handler in which it holds its locks
	int handler;               // number of the handler's probe
	bool no_context;           // the body is a condition, which has no c
	struct label out;          // label at the end
	struct label *on_error;    // label to which errors jump: `out`, or a catch
	struct loop *loop;
	VEC(struct local) locals;
	struct map local_names;    // name in C -> its struct var
	struct map call_results;   // function and arguments of a stable call -> struct call_result
	struct temps now, max;    // temporaries in use, and the maximum of each type
	struct parts parts;
	int labels, loops;         // number of labels and loops so far
	bool loops_are_functions;          // emit_loops.c: bodies of loops are functions, locals are in the frame
	bool no_pointers;          // the frame has no pointers: a BPF program that reads one from memory cannot use it
	int cursors;               // number of its foreach loops whose bodies are functions
	uint64_t charged;          // emit_work.c: units that the STP_WORK() lines of the body charge
	// cost of the part of `code` that was estimated last; cached, so that nested levels do not estimate it
	// again
	struct estimated estimated;
	int location_line;         // line number in the last location comment
	const struct source *location_source;
};

struct global {
	struct var *var;
	const char *name;
	const char *operand_type;  // emit_operand.c: type of its operands, or NULL
	bool locked;
	// BPF programs: sliced or sorted loops over the array are used; the statistic is read or deleted
	bool walked;
};

// Parts of the text by which statements that share a C function may differ (emit_operand.c).
enum operand_kind {
	OPERAND_TEXT,              // a string literal
	OPERAND_NUMBER,            // at least 0
	OPERAND_TABLE,             // a table of this pass
	OPERAND_GLOBAL,            // a global as an lvalue, or the struct of an array or statistic
	OPERAND_PERCPU,            // a global's variable for each CPU as an lvalue
	OPERAND_OFFSET,            // its offset in struct percpu
	OPERAND_LOCAL,             // a variable in the frame, as an lvalue
	OPERAND_DESCRIPTION,       // address of the description of a statistic
	OPERAND_COMMENT,
};
struct operand {
	enum operand_kind kind;
	const char *name, *text;   // name: what `text`, its C, is about
	const char *type;          // operands of one kind with the same type can replace each other
};
struct operands {
	bool marked;               // operands are written as marks
	VEC(const struct operand *) list;
	struct map marks;          // kind, type and name -> mark
};

enum { UNSEEN, LOOKING, SEEN };
struct func_info {
	struct func *func;
	const char *name;
	int state;
	unsigned effects;          // its effects: GLOBAL, ARRAY, WORLD
	bool fails;
	bool nexts;                // it may execute `next`
	bool pure_value;           // it is written as an expression: it has no effect, cannot fail, and returns a
				   // long or a pointer
	bool pointer;              // embedded C with STAP_RETURN_POINTER returns a string that needs no buffer
	int strings;               // number of strings in its frame
	bool enters;               // it has a frame or is recursive, so it counts as a nested call
	VEC(struct func_info *) callees;   // its callees, each once (emit_add_callee())
	struct numbers callee_set;
	name_list unit_calls;      // functions of C units (struct c_unit) that it calls
	// name in C -> struct var that it sorts or merges: this changes the runtime's copy, so only one CPU may do
	// it at a time
	struct map needs_write_lock;
	int visit;                 // number of the last walk that reached it
	struct embedded_cost { bool known; uint64_t units, bound; } embedded_cost;     // emit_work.c: cost of a call,
										       // if it is embedded C
	uint64_t cost;             // emit_work.c: cost of its own C, then including all its callees
	bool cost_known;
	VEC(struct func_info *) called;    // script functions, once for each call
	bool measured;             // the two members below are set
	int deep_calls, deep_strings;
	struct c_function *c;      // NULL: no C function is written for it
	struct c_function *c_of_parts;     // node that makes the calls of all parts of a long one (emit_split_bodies.c);
					   // NULL: it is not long
};

struct family_table { const char *ops, *table; int n; const char *runs; };
struct format_table { const char *name; int n; };

struct emitter {
	struct session *s;
	struct cwriter *w;         // the text to which lines are written
	struct cwriter tables;     // tables of formats, foreach and expressions, written before the functions that
				   // use them
	struct cwriter functions, prototypes, handlers;
	struct body *body;
	VEC(struct global) globals;
	struct operands operands;
	VEC(struct func_info *) funcs;
	int funcs_written;         // number of `funcs` that are written, from the first
	struct func_info *caller;  // the function or handler whose callees are collected
	VEC(struct func_info *) roots;
	struct func_info **handler_of, **entry_of, **hit_of;  // indexed by probe: its handler, entry handler and hit
	struct map lock_tables;    // text of the rows -> name of the table
	access_list *locks_of, *entry_locks_of;        // indexed by probe: globals that it locks
	bool *locks_late;          // indexed by probe: its handler takes and releases its locks
	struct map names;          // names in C that are in use
	struct map func_names;     // name in C -> struct func_info
	struct map call_costs;     // emit_work.c: name of a function of the runtime -> its row of work.def
	struct map formats;        // text of a format table -> its name
	VEC(struct format_table) format_tables;    // formats of printing statements, for the reader of records
	struct map consts;         // text of @const() and its file -> name of the constant
	VEC(const struct di_static *) statics;
	VEC(const struct kernel_member *) members;     // --runtime=bpf: members by number
	const char *bound_at;      // --runtime=bpf: the first location that requires the kernel of this
				   // translation; NULL: none
	int probes;                // number of entries in the table of probes
	int foreachs, formats_made, adders_made, regexes;
	struct cwriter regex_cases, regex_rows;        // regex.c: tables of programs
	int nregex_rows;
	struct map regex_numbers;  // name of a table -> its number in programs
	bool embedded;             // some function is embedded C
	bool percpu;               // struct percpu is written
	bool percpu_offsets;       // PERCPU_OFFSET() is used (emit_alike.c)
	bool programs;  // --runtime=bpf: the C that is being written may be part of programs, not only of the client
	unsigned program_uses;     // enum bpf_use: what C in programs uses
	int64_t hist_words;        // largest number of buckets of a histogram whose text is written by a program
	int64_t hist_printed;      // largest number of buckets of a histogram that a program prints
	int captures_max;          // largest number of captures of a call's memory in a statement that prints
	unsigned bpf_uses;         // enum bpf_use: what C in programs or in the client uses
	bool keeps_matches;        // some function reads submatches of a regular expression
	int maps, stats, settable; // number of entries in the tables of globals
	int lines;                 // number of tables of source lines
	VEC(struct family_table) families;
	bool probe_runs;           // the table of probes consists of runs
};

// emit_module.c
const char *emit_unique(struct emitter *e, const char *prefix, const char *name);
const char *emit_location_text(struct loc loc);              // "t.stp:3:5"
const char *emit_operator_text(struct loc loc);             // "operator '/' at t.stp:3:5", quoted for C
const char *emit_operator_at(struct emitter *e, struct loc loc); // the same as an operand
const char *emit_comment_text(const char *text);          // converted so that it is safe inside a comment
int64_t emit_string_len(struct emitter *e);

// emit_bpf.c: --runtime=bpf
// Parts of the runtime that are compiled only for scripts whose C uses them.
enum bpf_use {
	BPF_TEXT = 1,              // strings that are searched, truncated or formatted (bpf_text.h)
	BPF_SCALARS = 2,           // single statistics (not arrays), read or cleared
	BPF_REAL = 4,              // floating-point numbers (bpf_real.h)
	BPF_POINT_RESOLVED = 8, BPF_POINT_WRITTEN = 16, BPF_POINT_NAME = 32, BPF_POINT_FUNCTION = 64, // texts of probes
	BPF_SYMBOLS = 128,         // names of addresses of the kernel (bpf_stack.h)
	BPF_STACKS = 256, BPF_USER_STACKS = 512,
	BPF_KERNEL_MEMORY = 1024,  // handlers of the client read memory of the kernel (bpf_kernel_memory.h)
	BPF_CALL_TEXTS = 2048,     // argstr of system calls (bpf_call_text.h)
	BPF_MEMORY = 4096,         // %m and %M (bpf_memory.h)
	BPF_HIST_TEXT = 8192,      // the text of a histogram (bpf_hist.h)
	BPF_GROUPS = 16384,        // submatches of regular expressions are read (bpf_match.h)
	BPF_NAMESPACES = 32768,    // ns_*() functions (bpf_task.h)
	BPF_REGISTERS = 65536,     // registers by name (bpf_registers.h)
	BPF_CALL_NAMES = 131072,   // names of system calls by number (bpf_call_names.h)
};
void emit_bpf_use(struct emitter *e, unsigned uses);      // records that the C that is being written uses these
							  // parts
void emit_bpf_embedded(struct emitter *e, const struct embedded *c);  // adds the parts that the calls of this
								      // embedded C use
bool bpf_carries(const struct probe *p);       // its handler is a BPF program
bool bpf_client_runs(const struct probe *p);   // its handler runs in the process that loads the programs
void emit_bpf_head(struct emitter *e, struct cwriter *w);
void emit_bpf_programs(struct emitter *e, struct cwriter *w);
void emit_bpf_scalar(struct emitter *e, struct cwriter *w, const struct global *g);
// Writes the table of an array. size: C expression for the bytes of a statistic.
void emit_bpf_map(struct emitter *e, struct cwriter *w, const struct global *g, const char *size, int64_t capacity);
int emit_bpf_lock_number(const struct emitter *e, const struct global *g);
void emit_bpf_locks(struct emitter *e, struct cwriter *w);

// emit_bpf_members.c
int emit_bpf_member(struct emitter *e, const struct kernel_member *member, struct loc loc);   // returns its number
void emit_bpf_bind(struct emitter *e, struct loc loc);
void emit_bpf_client_uses(struct emitter *e);
void emit_bpf_client_load(struct emitter *e, struct loc loc);  // records a load of kernel memory, if the client
							       // executes it

// emit_bpf_stack.c
void emit_bpf_takes(struct emitter *e, struct cwriter *w, const struct probe *p);
void emit_bpf_stack_sizes(struct emitter *e, struct cwriter *w);

// emit_operand.c: These functions return C, or while e->operands.marked a mark for it.
const char *operand(struct emitter *e, enum operand_kind kind, const char *name);
const char *operand_number(struct emitter *e, int64_t n);        // negative numbers are not operands
const char *operand_global(struct emitter *e, enum operand_kind kind, struct var *v);
const char *operand_local(struct emitter *e, const struct var *v, const char *name);
// Reading text with marks: returns the operand of the mark that begins there, or NULL; the end of the mark; the operand
// of the next mark, or NULL, and sets *at to the mark.
const struct operand *operand_at(const struct emitter *e, const char *mark);
const char *operand_end(const char *mark);
const struct operand *operand_next(const struct emitter *e, const char *text, const char **at);
void operands_expand(const struct emitter *e, struct buf *text);       // replaces the marks in the text by C

// emit_storage.c
struct global *emit_global(struct emitter *e, struct var *v);
const char *emit_desc(struct emitter *e, struct var *v);  // "&g_x_desc"
const char *emit_desc_text(const struct emitter *e, const struct var *v);     // its initial value
enum { FINE_BUCKETS = 3840 };              // STP_FINE_BUCKETS of the runtime: for @percentile
int64_t emit_buckets(const struct var *v);
void emit_require_write_lock(struct emitter *e, struct var *v);        // its use here requires the write lock
void emit_storage(struct emitter *e, struct cwriter *w);
void emit_global_tables(struct emitter *e, struct cwriter *w);

// emit_records.c
bool emit_times_hits(const struct session *s);                      // for -t, and for the records of each probe's
								    // cost
// --merge: the table of globals that hosts send, for the part that runs here and for a host
void emit_merged_globals(struct emitter *e, struct cwriter *w);
void emit_merged_tables(struct emitter *e, struct cwriter *w);
void emit_record_tables(struct emitter *e, struct cwriter *w);    // --record: tables for the reader of the output

// emit_effects.c
unsigned emit_effects(struct emitter *e, struct expr *x);
bool emit_mentions(struct expr *x, const struct var *v);
struct func_info *emit_func(struct emitter *e, struct func *f);
bool emit_assigns(struct stmt *body, const struct var *v);

// emit_work.c: Marks the beginning of a part of the body's code, whose cost is estimated at its end and charged at
// its beginning.
struct work_mark { size_t at; uint64_t charged; };
struct work_mark work_begin(struct emitter *e);
uint64_t work_since(struct emitter *e, struct work_mark m);       // units since the mark that are not charged yet
// Charges the units since the mark if they are at least `min`.
void work_end(struct emitter *e, struct work_mark m, uint64_t min, struct loc loc);
void work_end_branch(struct emitter *e, struct work_mark m, struct loc loc);
// Charges the block as n statements if that covers its cost, and returns true; else returns false.
bool work_end_block(struct emitter *e, struct work_mark m, uint64_t n, struct loc loc);
// i->func is NULL for a handler: then only blocks are charged.
void work_end_function(struct emitter *e, struct func_info *i, struct loc loc);
// Called after all code was written. Returns true if the handler has no loops, and ends soon without a budget.
bool work_is_bounded(struct func_info *root);

// emit_value.c
struct value value_text(unsigned reads, bool atom, const char *fmt, ...) PRINTF_LIKE(3, 4);
struct value value_number(int64_t n);
const char *value_long(struct value v);                   // an s64, as an argument
const char *value_operand(struct value v);                // like value_long(), with parentheses if needed
const char *value_wrap(struct value v);                   // a u64 operand
const char *value_condition(struct value v);              // the value as the condition of an if
struct value value_keep(struct emitter *e, struct value v, enum type t); // stores v in a temporary unless its value
									 // cannot change
struct value value_keep_always(struct emitter *e, struct value v); // stores v in a temporary in any case
const char *temp_long(struct emitter *e);
const char *temp_string(struct emitter *e);
const char *temp_text(struct emitter *e);
const char *temp_cell(struct emitter *e);
const char *emit_var(struct emitter *e, struct var *v);   // the variable, a local or a scalar global, as a C
							  // expression
bool emit_is_adder(const struct var *v);
bool emit_needs_context(struct emitter *e, struct loc loc);
void emit_check(struct emitter *e, struct loc loc);       // writes STP_CHECK with the location
void emit_actions(struct emitter *e, int statements, struct loc loc);  // writes STP_ACTIONS
const char *emit_error_label(struct emitter *e);

// emit_expr.c
struct value emit_expr(struct emitter *e, struct expr *x);
const char *emit_saved(const struct emitter *e, int word);      // the word of the values that @entry() saved, as an
								// lvalue
void emit_effect(struct emitter *e, struct expr *x);      // evaluates x only for its effects
void emit_values(struct emitter *e, struct expr **xs, int n, struct value *out); // evaluates the expressions in
										 // order
struct value emit_binary(struct emitter *e, enum tok op, struct value l, struct value r, enum type t,
			 struct loc loc);
struct value emit_concat(struct emitter *e, struct expr *x, const char *into);
void emit_store(struct emitter *e, struct var *v, struct value value); // stores to a scalar variable

// emit_assign.c
struct value emit_assign(struct emitter *e, struct expr *x, bool wanted);
struct value emit_incdec(struct emitter *e, struct expr *x, bool wanted);

// emit_target.c
struct value emit_register(struct emitter *e, struct expr *x);
struct value emit_perf(struct emitter *e, struct expr *x);
struct value emit_deref(struct emitter *e, struct expr *x);
struct value emit_offset(struct emitter *e, struct expr *x);
struct value emit_location_division(struct emitter *e, struct expr *x, struct value l, struct value r);
struct value emit_static(struct emitter *e, struct expr *x);
struct value emit_enumname(struct emitter *e, struct expr *x);
void emit_statics(struct emitter *e, struct cwriter *w);
void emit_mapped_programs(struct emitter *e, struct cwriter *w);         // emit_symbols.c
int emit_static_number(struct emitter *e, const struct di_static *variable);    // its index in the table of addresses
void emit_user_symbols(struct emitter *e, struct cwriter *w);   // emit_symbols.c
// emit_bytes.c: Declares `type name` + `array` and defines it as the content of a file in STP_FILES.
void emit_include(struct cwriter *w, const char *type, const char *name, const char *array, const char *file,
		  size_t size);

// emit_lines.c
struct line_file;
const char *emit_lines(struct emitter *e, struct cwriter *w, const struct line_file *file);    // name of its table
void emit_kernel_lines(struct emitter *e, struct cwriter *w);
// Writes l = r and other assignments; op: the operator in the assignment, TOK_NONE for "=".
struct value emit_target_assign(struct emitter *e, struct expr *x, enum tok op);
struct value emit_target_incdec(struct emitter *e, struct expr *x);

// emit_call.c
void emit_add_callee(struct func_info *caller, struct func_info *callee);
struct value emit_call(struct emitter *e, struct expr *x, bool wanted);

// emit_embedded.c
struct value emit_embedded(struct emitter *e, struct expr *x);
// Returns the name of a constant in the unit of loc. The C compiler evaluates it, and reports an error if it is not
// constant.
const char *emit_unit_constant(struct emitter *e, const char *headers, const char *text, struct loc loc);
struct value emit_const(struct emitter *e, struct expr *x);
bool emit_returns_pointer(const struct func *f);
void emit_embedded_func(struct emitter *e, struct func_info *i, const char *head);
void emit_embedded_blocks(struct emitter *e);             // called after everything else was written

// emit_accessor.c: globals for embedded C
void emit_accessor_callees(struct emitter *e, struct func_info *i);
void emit_accessors(struct emitter *e, const struct func *f, struct buf *b, const char *context);
void emit_accessors_end(const struct func *f, struct buf *b);

// emit_array.c
struct value emit_index(struct emitter *e, struct expr *x);
struct value emit_in(struct emitter *e, struct expr *x);
const char *emit_put(struct emitter *e, struct expr *x, struct value *keys);  // returns a cell
// Adds n to an element of an array that is stored per CPU, or subtracts it. Returns false if the array is not.
bool emit_element_adder(struct emitter *e, struct expr *x, struct value *keys, enum tok op, struct value n);
void emit_delete(struct emitter *e, struct expr *x);
void emit_foreach(struct emitter *e, struct stmt *st);

// emit_stat.c
const char *emit_stat_of(struct emitter *e, struct expr *of); // const struct stp_stat *
bool emit_stat_fails(const struct emitter *e, const struct expr *x); // whether evaluating it may fail
struct value emit_stat(struct emitter *e, struct expr *x);
struct value emit_bucket(struct emitter *e, struct expr *x);
void emit_stat_add(struct emitter *e, struct expr *l, struct value *keys, struct value v);
void emit_foreach_bucket(struct emitter *e, struct stmt *st);
struct value emit_in_hist(struct emitter *e, struct expr *x);

// emit_print.c
struct value emit_print(struct emitter *e, struct expr *x, const char *into);

// emit_stmt.c
const char *emit_label(struct emitter *e, const char *what);  // returns a label that is unique in this body
void emit_stmt(struct emitter *e, struct stmt *st);
// A sequence of statements that are charged by parts: the part from `from` on has n units.
struct row { struct work_mark from; uint64_t n; };
struct row emit_row(struct emitter *e);
void emit_in_row(struct emitter *e, struct row *row, struct stmt *st, struct loc loc);
int emit_count_stmts(struct stmt *st);                    // cost of one pass, in statements of MAXACTION

// emit_counters.c
struct reads { bool registers; int arguments; };                 // the parts of a hit that a handler reads
bool emit_adds_only(const struct emitter *e, const struct probe *p, struct reads *reads); // whether stp_probe.adds_only
											  // may be set

// whether st is written in parts
bool parts_long(struct stmt *st);                                // called before st, the whole body, is emitted
void parts_begin(struct emitter *e, struct stmt *st, const char *name);  // whether st is cut into shorter
									 // statements; false for NULL
bool parts_cut(struct body *b, const struct stmt *st);           // divides a block of many statements into parts
void parts_make_long(struct body *b, const struct stmt *block);  // writes a block of many statements in parts
bool parts_wanted(struct body *b, const struct stmt *st);
void emit_parts(struct emitter *e, struct stmt *block);

// emit_split_statements.c
void cuts_make(struct body *b, struct stmt *st);                 // body in parts: shortens its statements

// emit_loops.c: BPF programs
struct foreach_start { unsigned stat; const char *limit, *slice; unsigned any; };
bool loops_in(struct stmt *st);
void emit_loop_function(struct emitter *e, struct loc loc, struct expr *c, struct expr *step, struct stmt *body);
// limit: C for the maximum number of passes. buckets: number of buckets of the histogram.
void emit_bucket_function(struct emitter *e, struct stmt *st, const char *limit, int64_t buckets);
void emit_foreach_function(struct emitter *e, struct stmt *st, int n, struct foreach_start start);

// emit_probe.c
// Adds a function to session.c_functions. part: the part of the script from which it is generated.
struct c_function *emit_c_function(struct emitter *e, const char *name, const char *part, struct loc loc);
// Records the calls among functions of session.c_functions. Called after all code was written.
void emit_c_calls(struct emitter *e);
void emit_temps(struct cwriter *w, struct temps max);    // declares the temporaries
void emit_probe(struct emitter *e, struct probe *p);
void emit_script_func(struct emitter *e, struct func_info *i);
int emit_nesting(struct emitter *e, int *strings);        // maximum depth of calls, number of strings in their
							  // frames

// emit_lock.c: Determines between which statements the handler holds its locks; `from` is NULL if it holds them
// from its beginning to its end.
struct lock_range emit_lock_range(struct emitter *e, const struct probe *p);
// A table of n locks. It is written together with its first user.
struct lock_table { const char *name; int n; access_list uses; };
// Returns a call of stp_lock(), stp_unlock() or stp_finish() in the handler that is being written.
const char *emit_late_lock(struct emitter *e, const char *function);
struct lock_table emit_lock_table(struct emitter *e, struct cwriter *w, const struct probe *p);
struct lock_table emit_entry_lock_table(struct emitter *e, struct cwriter *w, const struct probe *p);

// emit_slices.c
void emit_find_slices(struct emitter *e);                 // called before bodies are emitted
void emit_check_senders(const struct session *s);          // called after emit_find_slices(): reports globals that
							   // cannot be sent with --merge
bool emit_has_hit(const struct probe *p);                 // whether it runs in slices: then p.before is the index
							  // of the hit's row
// writes p's table; returns the number of copies
int emit_takes(struct emitter *e, struct cwriter *w, const struct probe *p);

// emit_probe_table.c
void emit_probe_tables(struct emitter *e, struct cwriter *w);

// regex.c
// returns the name of its struct stp_regex, NULL after an error
const char *emit_regex(struct emitter *e, struct expr *x);
// BPF programs: writes the code that all regular expressions share, after their tables: the step function and saved
// matches, which matched() also reads in a script without regular expressions.
void emit_regex_walks(struct emitter *e, struct cwriter *w);

#endif
