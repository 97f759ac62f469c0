// SPDX-License-Identifier: GPL-2.0-or-later
// What the translator asks of debuginfo, without a libdw, libelf or BTF type in sight.
//
// A di_module is the kernel image, a kernel module or a program. What it knows comes from the
// cascade: DWARF (separate debug files included) -> BTF -> symbol table (for the kernel also the
// kallsyms tables inside its image). Everything here lives as long as the session.
#ifndef DEBUGINFO_H
#define DEBUGINFO_H

#include "session.h"

enum di_kind { DI_VOID, DI_INT, DI_BOOL, DI_CHAR, DI_FLOAT, DI_ENUM, DI_POINTER, DI_ARRAY, DI_STRUCT,
	       DI_UNION, DI_FUNCTION };

struct di_module;

// A type with typedefs and qualifiers already peeled off; `name` keeps the outermost spelling
// ("size_t", "struct file *", "unsigned int").
struct di_type {
	struct di_module *module;
	enum di_kind kind;
	const char *name;
	uint64_t size;             // bytes
	bool is_signed;
	uint64_t count;            // DI_ARRAY: elements, 0 unknown
	const void *priv;          // the backend's
};

// What a member of an enum of Rust is there for: that the number there has the value, or none of the others' values.
struct di_variant {
	struct di_type *type;      // of the number; NULL: there is no choice
	uint64_t offset;           // from the start of the aggregate
	bool has_value;
	int64_t value;
};

struct di_member {
	const char *name;
	struct di_type *type;
	uint64_t offset;           // bytes from the start of the aggregate, anonymous ones summed up
	int bit_offset, bit_size;  // bit_size 0: not a bit-field; bit_offset from the least significant
				   // bit of the `type->size` bytes at `offset`
	bool by_parts;             // the bit-field is in no such bytes of the aggregate: see di_bit_parts()
	bool is_base;              // no member but a C++ class' base, without a name
	const struct di_variant *variant;      // NULL: it is always there
};

// How to get at a variable. Postfix over 64-bit values, evaluated on an empty stack.
enum di_opcode {
	DI_OP_CONST,               // push value
	DI_OP_REG,                 // push DWARF register `value`
	DI_OP_ADD,                 // pop b, a; push a + b
	DI_OP_SUB, DI_OP_MUL, DI_OP_AND, DI_OP_OR, DI_OP_XOR, DI_OP_SHL, DI_OP_SHR, DI_OP_SRA, DI_OP_NEG, DI_OP_NOT,
	DI_OP_LOAD,                // pop address; push the `size` bytes there, sign-extended if is_signed
	// Divisions by zero fail like loads from addresses that can't be read.
	DI_OP_DIV, DI_OP_MOD, DI_OP_EQ, DI_OP_NE, DI_OP_LT, DI_OP_LE, DI_OP_GT, DI_OP_GE,      // signed
	DI_OP_UDIV, DI_OP_UMOD, DI_OP_ULT, DI_OP_ULE, DI_OP_UGT, DI_OP_UGE,                    // unsigned
	DI_OP_PICK,                // push a copy of the value that is `value` below the top
	DI_OP_DROP, DI_OP_SWAP,
	DI_OP_ROT,                 // the top goes below the two others
	DI_OP_THREAD,              // push the thread pointer + value
	DI_OP_STATIC,              // push link address `value` of the module as it is at run time
	DI_OP_ABSENT,              // fails like a load from an address that can't be read
	DI_OP_BRANCH,              // pop; if it isn't 0, `other` replaces the rest
};
struct di_location;
struct di_op {
	enum di_opcode code;
	int64_t value;
	int size;
	bool is_signed;
	const struct di_location *other;
};
struct di_piece;
struct di_variable;
struct di_location {
	enum { DI_LOC_NONE,        // optimised out here
	       DI_LOC_VALUE, DI_LOC_ADDRESS,
	       DI_LOC_PIECES,      // scattered
	       DI_LOC_POINTER,     // a pointer to a variable that has no address
	} kind;
	VEC(struct di_op) ops;     // give the value, or the address of the variable
	VEC(struct di_piece) pieces;       // DI_LOC_PIECES: from the lowest bit up
	const struct di_variable *target;  // DI_LOC_POINTER: to its byte target_offset
	int64_t target_offset;
	int line;                  // DI_LOC_NONE: a line of code where it is somewhere; 0 none
	const char *why;           // DI_LOC_NONE: what is known of it all the same, a clause; NULL nothing
};
struct di_piece {
	uint64_t bits;
	struct di_location loc;    // NONE, VALUE (its low bits) or ADDRESS
	uint64_t from;             // the bits below it in the location are not of the variable
};
struct di_variable {
	const char *name;
	struct di_type *type;
	bool is_param;
	struct di_location loc;
};

// A variable that has an address of its own: where it is when the script runs.
struct di_static {
	const char *symbol;        // never NULL; its own, or one near it
	const char *module;        // the kernel's module; NULL: the kernel itself
	const struct di_module *home;      // that module; the program
	uint64_t offset;           // from the symbol
	uint64_t base_offset;      // of the kernel's: from _stext, offset not counted; 0: by its symbol only
	bool percpu;               // there is one for each CPU, so far above this
	bool is_absolute;          // `offset` is the address
	bool user;                 // `offset` is a link address of the program
	bool thread;               // `offset` is counted from the thread pointer
};
// The same one for the same address; NULL when it isn't known.
const struct di_static *di_find_static(struct di_module *m, uint64_t address);
const struct di_static *di_find_thread(struct di_module *m, uint64_t offset);    // from its thread pointer

// Does the kernel accept a kprobe in the function? UNKNOWN: its blocklist cannot be read. BLOCKLISTED:
// NOKPROBE_SYMBOL(); ftrace may still reach the function. NO_SECTION: .noinstr.text, .kprobes.text, .entry.text.
enum di_kprobe { DI_KPROBE_UNKNOWN, DI_KPROBE_ALLOWED, DI_KPROBE_BLOCKLISTED, DI_KPROBE_NO_SECTION };

// A function, or one inlined copy of it.
struct di_function {
	struct di_module *module;
	const char *name;
	const char *symbol;        // as the kernel calls it: name, or name.isra.0 and the like
	const char *label;         // of a label's place; else NULL
	const char *file;          // NULL without line information
	int line;
	uint64_t address;          // link-time; valid when has_address
	uint64_t symbol_address;   // where `symbol` begins: of an inlined copy the function it is in
	uint64_t size;             // bytes, 0 unknown
	bool has_address;          // false: only the name is known, the loader looks it up
	bool is_inline;            // an inlined copy; address is its first instruction
	bool has_types;            // parameters are known (DWARF or BTF)
	enum di_kprobe kprobe;
	uint64_t pc;               // link-time address at which variables are looked up; 0: the entry, where
				   // there are only parameters and outermost locals
	const struct di_returns *returns; // of a callee: the calls that are meant return to one of these
	const void *priv;
};
struct di_returns { VEC(uint64_t) at; };   // link-time addresses; none: it isn't known where
typedef VEC(struct di_function *) di_functions;

// The kernel of the session (session.kernel). Dies only when nothing at all is found about it;
// then the message names the packages.
struct di_module *di_kernel(struct session *s);
// Gives back all files and handles: nothing that debuginfo gave is good any more. For a process with
// many sessions, one after the other.
void di_close(struct session *s);
// A kernel module, by the name lsmod shows or that of its file: "snd_pcm", "snd-pcm". NULL when the
// kernel has none of that name; or by the path of its file, "/x/zoo.ko". Addresses of its functions
// are offsets into its .text.
struct di_module *di_kernel_module(struct session *s, const char *name);
bool di_module_is_builtin(struct session *s, const char *name);  // it is part of the kernel image
const char *di_module_name(const struct di_module *m);   // "kernel", "ext4", "/bin/ls"
bool di_is_user(const struct di_module *m);              // a program: its memory is a process's
uint64_t di_kernel_base(const struct di_module *m);      // link address of _stext; 0 unknown
// The GNU build-id that the link addresses are of; NULL and 0 when there is none.
const uint8_t *di_build_id(const struct di_module *m, int *len);
enum di_source { DI_SOURCE_NONE, DI_SOURCE_SYMBOLS, DI_SOURCE_BTF, DI_SOURCE_DWARF };
enum di_source di_module_source(const struct di_module *m);
const char *di_module_source_text(const struct di_module *m);   // for messages: "DWARF of PATH", "BTF of PATH"
// What to install for DWARF of this module, one sentence. For messages.
const char *di_advice(const struct di_module *m);

// program.c: a program or a library, by the path of its file. NULL: *why says why not, "no such
// file". Addresses are link-time ones.
struct di_module *di_program(struct session *s, const char *path, const char **why);
// A server is asked for DWARF of the module where none was found (debuginfod.c). Once. True: it came now.
bool di_want_dwarf(struct di_module *m);
// Where the byte of a link address is in the file; false when it isn't of the file.
bool di_program_offset(const struct di_module *m, uint64_t address, uint64_t *offset);
// Where its code begins, as address and as place in the file; 0 when it has none.
void di_program_code(const struct di_module *m, uint64_t *address, uint64_t *offset);
// A variable of it, by its symbol. `anywhere`: the program is not loaded where it was linked to be.
struct di_program_data { uint64_t address, start_code; bool anywhere; };
bool di_program_data(const struct di_module *m, const char *symbol, struct di_program_data *out);
// Identifies the build of the file: `len` bytes that stand at `offset`; summed > 0: the checksum of
// `summed` bytes there, in the byte order of this machine.
struct di_identity { const uint8_t *bytes; int len; uint64_t offset, summed; };
struct di_identity di_program_identity(const struct di_module *m);
// Its functions by where they begin in the file, sorted.
struct di_symbol { uint64_t offset, size; const char *name; };
typedef VEC(struct di_symbol) di_symbols;
void di_program_symbols(const struct di_module *m, di_symbols *out);
bool di_program_exports(const struct di_module *m, const char *symbol);
bool di_program_moves_stacks(const struct di_module *m);   // so that probes of returns end it: Go's do
bool di_program_is_32bit(const struct di_module *m);       // on a 64-bit machine
// libraries.c: paths of the shared libraries that the program is linked with, and those with others; and
// as many names, which may be those of links to them: "libm.so.6".
typedef name_list di_names;
void di_program_libraries(const struct di_module *m, di_names *out, di_names *names);
const char *di_find_library(const char *name);        // where the dynamic linker would find it; NULL: nowhere

// line_table.c: the source lines of a program, of the kernel or a module of it, as a table that modules carry
// (runtime/include/lines.h): the path of its file, made once a build, and its size. NULL: none without DWARF.
const char *di_lines(struct di_module *m, size_t *size);
// The code that such a table is of, but for a program, whose places are offsets in its file.
struct di_code_part { uint64_t address, size; uint32_t place; };
typedef VEC(struct di_code_part) di_code;
void di_module_code(const struct di_module *m, di_code *out);
// A place that the loader can find, `before` bytes behind the address. NULL: there is none.
const struct di_static *di_find_anchor(struct di_module *m, const struct di_code_part *part, uint64_t *before);

// cfi.c: how the frame of the caller is found at each place of a program: its address (CFA, the stack
// pointer that the caller goes on with), its return address, its frame pointer. Each is one of
enum di_frame_kind { DI_FRAME_NONE,     // fp: as it is here; ra: nobody called
		     DI_FRAME_UNKNOWN,  // can't be told
		     DI_FRAME_REGISTER, // base + offset
		     DI_FRAME_LOAD,     // what is stored there, + plus
		     DI_FRAME_AT_CFA,   // what is stored at CFA + offset
		     DI_FRAME_PLT };    // stack pointer + offset, 8 more from the byte `base` of 16 on
enum { DI_FRAME_SP, DI_FRAME_FP, DI_FRAME_REGS };      // bases; REGS + n: word n of the registers (struct pt_regs)
struct di_frame_place { int32_t offset; uint8_t kind, base; int16_t plus; };
struct di_frame_rule { struct di_frame_place cfa, ra, fp; };
struct di_frame_row { uint64_t address; int rule; };   // link-time; up to the next row's
struct di_frames { VEC(struct di_frame_rule) rules; VEC(struct di_frame_row) rows; };
// False: the program has no call frame information.
bool di_program_frames(const struct di_module *m, struct di_frames *out);

// sdt.c: a mark in a program, with its arguments "arg1" and so on; their locations are DI_LOC_NONE when
// they aren't understood.
struct di_mark {
	struct di_module *module;
	const char *provider, *name;
	uint64_t address;          // link-time
	uint64_t semaphore;        // link-time; 0 none
	VEC(struct di_variable) args;
};
typedef VEC(struct di_mark *) di_marks;
// Marks whose names match the globs, in the order of the file. provider NULL: any.
void di_find_marks(struct di_module *m, const char *provider, const char *name, di_marks *out);

// plt.c: the places through which a program calls functions of libraries, whose names match the glob, in
// the order of the file.
struct di_plt_entry { const char *name; uint64_t address; };         // link-time
typedef VEC(struct di_plt_entry) di_plt;
void di_find_plt(struct di_module *m, const char *name, di_plt *out);

// Functions whose name matches the glob, sorted by address, then name. `file` is NULL or a glob
// matched from the tail of the path; it needs DWARF (fewer results are not an error here).
// Inlined copies: none, all, or one of each function that was inlined.
enum di_inlines { DI_INLINES_NONE, DI_INLINES_ALL, DI_INLINES_ONCE };
void di_find_functions(struct di_module *m, const char *name, const char *file, enum di_inlines inlines,
		       di_functions *out);

// Why the kernel allows no probe in the function, which was asked for by its name; NULL: it may allow one.
const char *di_refused(const struct di_function *f);
// Where a function is that isn't found, since nothing can be probed there. NULL: there is none.
const char *di_unprobeable_function(const struct di_module *m, const char *name);
// The symbol to find the function of a kernel module by, which no other function has; *distance is from there to
// the function's start.
const char *di_function_anchor(const struct di_function *f, int64_t *distance);

// [SCOPE::]FUNCTION[@FILE[:LINES]] or FUNCTION@FILE+N: the names may be globs.
struct di_lines { int first, last; };
struct di_pattern {
	const char *scope;         // "ns::Box", for di_function_in(); NULL: any
	const char *function;
	const char *file;          // NULL: any
	bool has_lines;
	bool relative;             // "+N": lines count from the function's own
	bool every;                // ":*"
	VEC(struct di_lines) lines;
};
bool di_parse_pattern(const char *text, struct di_pattern *p, const char **why);
// Whether the glob is that of the C++ classes and namespaces that the function is in, or of the inner ones.
bool di_function_in(const struct di_function *f, const char *scope);
// For a pattern with lines: the statements there, each with `pc` and its line, in every copy of the
// code; or those of the nearest lines with code; or the functions that have the lines. Sorted by
// address. When there are none, `why` says what there is instead.
enum di_line_use { DI_STATEMENTS, DI_NEAREST, DI_FUNCTIONS };
void di_find_lines(struct di_module *m, const struct di_pattern *p, enum di_line_use use, di_functions *out,
		   struct buf *why);
// The function that has the link address in it, with its `pc` there. NULL: none has.
struct di_function *di_function_at(struct di_module *m, uint64_t address);
// Whether a statement begins at f->pc, as far as is known; then f has its line. If not, where one does
// before and after; 0 nowhere.
bool di_statement_line(struct di_function *f, uint64_t *below, uint64_t *above);
// The line nearest to f->pc where the variable can be read; 0: nowhere.
int di_variable_line(const struct di_function *f, const char *name);
// Labels of the function's code: like statements, with `label` set.
void di_find_labels(const struct di_function *f, const char *label, di_functions *out);
// Functions whose name matches the glob that f calls itself: with `returns` set, or as copies. Those that are
// there already get more `returns`.
void di_find_callees(const struct di_function *f, const char *name, di_functions *out);
struct di_location di_return_address(const struct di_module *m);   // at a function's entry

// All function names, for "similar" messages.
void di_function_names(struct di_module *m, di_names *out);

// Variables at f->pc: of the innermost block or inlined copy there, then of those around it, out to
// the function itself. False when there is none of that name; one that is there by name and nowhere
// else (optimised out) has DI_LOC_NONE. The names are those of the innermost inlined copy.
bool di_find_variable(const struct di_function *f, const char *name, struct di_variable *out);
void di_variable_names(const struct di_function *f, bool params_only, struct buf *list); // a line each
// A variable that is outside of functions. file: NULL, or a glob matched from the tail of the path of
// its compilation unit. Needs DWARF.
bool di_find_global(struct di_module *m, const char *name, const char *file, struct di_variable *out);
// frame.c: where the parameters are in the places that debuginfo tells: the function's address, or
// behind its first instructions, which put them there (code that isn't optimised).
uint64_t di_function_body(const struct di_function *f);
// A parameter at the function's address, by the calling convention. False: not one of one word.
bool di_entry_parameter(const struct di_function *f, const char *name, struct di_variable *out);
// How the function's return value is read at its return; type NULL when it returns nothing.
struct di_type *di_return(const struct di_function *f, struct di_location *loc);

// A tracepoint of the kernel image, and what its probes are called with: `type`s may be NULL, then
// nothing is known of them; a name that isn't known is "arg1", "arg2" and so on by position.
#define DI_ARGUMENT 0x100      // DI_OP_REG of their locations: DI_ARGUMENT + i is the argument i, from 0
struct di_tracepoint {
	struct di_module *module;
	const char *name;
	VEC(struct di_variable) args;
};
typedef VEC(struct di_tracepoint *) di_tracepoints;

// Tracepoints whose name matches the glob, sorted by name. They are known from BTF only.
void di_find_tracepoints(struct di_module *m, const char *name, di_tracepoints *out);
// The debuginfo's symbols say that it has no such variable. Without debuginfo: false.
bool di_module_exports(const struct di_module *m, const char *symbol); // a kernel's module, to others
bool di_lacks_variable(const struct di_module *m, const char *symbol);

void di_tracepoint_names(struct di_module *m, di_names *out);
// The TRACE_SYSTEM ("sched") that the kernel's headers give it; "" when they don't tell.
const char *di_tracepoint_system(struct di_module *m, const char *name);

// suggest.c: returns " (similar: a, b)"; "" if no name is similar, or if messages are suppressed.
enum di_name_kind { DI_TYPES, DI_VARIABLES, DI_ENUMERATORS, DI_FILES };
const char *di_suggest(struct di_module *m, enum di_name_kind kind, const char *wanted);
const char *di_suggest_modules(struct session *s, const char *wanted);

// Names of all modules that are installed for the kernel.
void di_kernel_module_names(struct session *s, di_names *out);

// Types. Lookups by name give the full definition ("file", "struct file", "union u", "size_t",
// "enum e"); NULL when there is none.
struct di_type *di_find_type(struct di_module *m, const char *name);
struct di_type *di_target(const struct di_type *t);      // of a pointer, an element of an array; NULL for void *
struct di_type *di_pointer_to(struct di_type *t);        // the same one for the same t
// The loads or stores that a bit-field takes which begins in the byte at 0 and crosses units, or the aggregate's end.
struct di_bit_part {
	int offset, size;          // bytes: 1, 2, 4 or 8
	int from, bits;            // of these bytes' bits
	int at;                    // of the bit-field's
};
enum { DI_BIT_PARTS = 4 };
int di_bit_parts(int bit_offset, int bit_size, struct di_bit_part parts[DI_BIT_PARTS]);
bool di_find_member(const struct di_type *t, const char *name, struct di_member *out); // into anonymous ones too
void di_member_names(const struct di_type *t, struct buf *list); // a line each
// The same but for its name: a typedef and the struct that it is for, pointers to them.
bool di_same_type(const struct di_type *a, const struct di_type *b);
// Every direct member in order, anonymous ones with the name "".
typedef VEC(struct di_member) di_members;
void di_each_member(const struct di_type *t, di_members *out);
bool di_find_enumerator(struct di_module *m, const char *name, int64_t *value);
struct di_enumerator { const char *name; int64_t value; };
typedef VEC(struct di_enumerator) di_enumerators;
void di_each_enumerator(const struct di_type *t, di_enumerators *out);   // of a DI_ENUM

#endif
