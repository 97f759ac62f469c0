// SPDX-License-Identifier: GPL-2.0-or-later
// Interface of debuginfo/: types, functions, variables, lines, symbols and tracepoints of the kernel, of its modules
// and of programs. It shows no type of libdw, libelf or BTF.
//
// A di_module is the kernel image, a kernel module or a program. Its sources are tried in this order: DWARF (separate
// debug files included), BTF, symbol table (for the kernel also the kallsyms tables in its image). All pointers that
// these functions return are valid until di_close().
#ifndef DEBUGINFO_H
#define DEBUGINFO_H

#include "session/session.h"

enum di_kind { DI_VOID, DI_INT, DI_BOOL, DI_CHAR, DI_FLOAT, DI_ENUM, DI_POINTER, DI_ARRAY, DI_STRUCT,
	       DI_UNION, DI_FUNCTION };

struct di_module;

// A type without typedefs and qualifiers; `name` keeps the outermost spelling
// ("size_t", "struct file *", "unsigned int").
struct di_type {
	struct di_module *module;
	enum di_kind kind;
	const char *name;
	uint64_t size;             // bytes
	bool is_signed;
	bool is_complex;           // a complex number
	bool is_declared;          // it has no definition in this unit; di_is_incomplete() tells whether another has
	const char *format;        // the kind of value that probes do not read, for messages: "a decimal number";
				   // NULL: probes read it
	uint64_t count;            // DI_ARRAY: elements, 0 unknown
	const void *priv;          // the backend's
};

// Condition under which a member of a Rust enum is present: the discriminant equals `value`, or, without has_value,
// it equals the value of no other member.
struct di_variant {
	struct di_type *type;      // type of the discriminant; NULL: the member is always present
	uint64_t offset;           // offset from the start of the aggregate
	bool has_value;
	int64_t value;
};

struct di_virtual;
struct di_member {
	const char *name;
	struct di_type *type;
	const struct di_virtual *from;         // a virtual base of the aggregate, which contains the member; NULL: none
	uint64_t offset;           // bytes from the start of the aggregate or of `from`, anonymous ones summed up
	int bit_offset, bit_size;  // bit_size 0: not a bit-field; bit_offset from the least significant
				   // bit of the `type->size` bytes at `offset`
	bool by_parts;             // the bit-field does not fit into these bytes: see bit_parts() in ast.h
	bool is_base;              // a base class of C++, without a name
	const struct di_variant *variant;      // NULL: always present
	const char *why;           // for messages: the reason why the member that was found cannot be read; NULL:
				   // it can be read
};

// The location of a variable is a postfix expression over 64-bit values, evaluated on an empty stack.
enum di_opcode {
	DI_OP_CONST,               // push value
	DI_OP_REG,                 // push DWARF register `value`
	DI_OP_ADD,                 // pop b, a; push a + b
	DI_OP_SUB, DI_OP_MUL, DI_OP_AND, DI_OP_OR, DI_OP_XOR, DI_OP_SHL, DI_OP_SHR, DI_OP_SRA, DI_OP_NEG, DI_OP_NOT,
	DI_OP_LOAD,                // pop address; push the `size` bytes there, sign-extended if is_signed
	DI_OP_LOAD_RETURN,         // pop address; push the return address of a program there, which a return probe
				   // may have replaced
	// Division by zero fails like a load from an address that cannot be read.
	DI_OP_DIV, DI_OP_MOD, DI_OP_EQ, DI_OP_NE, DI_OP_LT, DI_OP_LE, DI_OP_GT, DI_OP_GE,      // signed
	DI_OP_UDIV, DI_OP_UMOD, DI_OP_ULT, DI_OP_ULE, DI_OP_UGT, DI_OP_UGE,                    // unsigned
	DI_OP_PICK,                // push a copy of the value that is `value` below the top
	DI_OP_DROP, DI_OP_SWAP,
	DI_OP_ROT,                 // moves the top below the two values under it
	DI_OP_THREAD,              // push the thread pointer + value
	DI_OP_STATIC,              // push the run-time address of link address `value` of the module
	DI_OP_ABSENT,              // fails like a load from an address that cannot be read
	DI_OP_BRANCH,              // pop; if it is not 0, `other` replaces the rest of the expression
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
	       DI_LOC_POINTER,     // the value is a pointer to a variable that has no address
	} kind;
	VEC(struct di_op) ops;     // compute the value, or the address of the variable
	VEC(struct di_piece) pieces;       // DI_LOC_PIECES: the pieces, from the lowest bit up
	const struct di_variable *target;  // DI_LOC_POINTER: the variable to which it points, and the offset in it
	int64_t target_offset;
	int line;                  // DI_LOC_NONE: the nearest line at which the variable has a location; 0 none
	const char *why;           // DI_LOC_NONE: the reason, as a clause for messages; NULL unknown
};
struct di_piece {
	uint64_t bits;
	struct di_location loc;    // NONE, VALUE (its low bits) or ADDRESS
	uint64_t from;             // offset of the piece's lowest bit in the location
};
struct di_variable {
	const char *name;
	struct di_type *type;
	bool is_param;
	struct di_location loc;
};

// A virtual base class of C++: its offset in an object depends on the class of the whole object.
struct di_virtual {
	const struct di_virtual *from;         // the virtual base that contains the class; NULL: the aggregate itself
	uint64_t offset;           // offset in bytes of the class in `from`
	const struct di_location *address;     // address of the base; evaluated on a stack with the address of the
					       // class
};

// A variable with a fixed link address, relative to a symbol or base that the loader can resolve.
struct di_static {
	const char *symbol;        // never NULL; the variable's own symbol, or another one of its section
	const char *module;        // the kernel's module; NULL: the kernel itself
	const struct di_module *home;      // the module or program that contains the variable
	uint64_t offset;           // offset from the symbol
	uint64_t base_offset;      // in the kernel image: offset of the symbol from _stext; 0: resolve by symbol
				   // only
	bool percpu;               // `offset` is added to the base of each CPU's area
	bool is_absolute;          // `offset` is the address
	bool user;                 // `offset` is a link address of the program
	bool thread;               // `offset` is counted from the thread pointer
};
// Returns the same object for the same address; NULL: unknown.
const struct di_static *di_find_static(struct di_module *m, uint64_t address);
const struct di_static *di_find_thread(struct di_module *m, uint64_t offset);    // offset: from the thread pointer

// States whether the kernel accepts a kprobe in the function. UNKNOWN: its blocklist cannot be read. BLOCKLISTED:
// NOKPROBE_SYMBOL(), though ftrace may still probe the function. NO_SECTION: it is in .noinstr.text, .kprobes.text
// or .entry.text.
enum di_kprobe { DI_KPROBE_UNKNOWN, DI_KPROBE_ALLOWED, DI_KPROBE_BLOCKLISTED, DI_KPROBE_NO_SECTION };

// A function, or one inlined copy of it.
struct di_function {
	struct di_module *module;
	const char *name;
	const char *symbol;        // name in the symbol table: `name`, or a clone such as name.isra.0
	const char *scope;         // "ns::Box"; "": none. NULL: unknown without DWARF
	const char *label;         // name of the label if this is a label, else NULL
	const char *file;          // NULL without line information
	int line;
	uint64_t address;          // link-time; valid when has_address
	uint64_t symbol_address;   // start of `symbol`; for an inlined copy, of the function that contains it
	uint64_t size;             // bytes, 0 unknown
	bool has_address;          // false: only the name is known, the loader looks it up
	bool is_inline;            // it is an inlined copy; address is its first instruction
	bool is_below;             // it is an indirect callee, called by a callee
	bool has_types;            // parameters are known (DWARF or BTF)
	enum di_kprobe kprobe;
	uint64_t pc;               // link-time address at which variables are looked up; 0: the entry, where only
				   // parameters and outermost locals are found
	const struct di_returns *returns; // callee: return addresses of the calls to probe
	const char *caller;        // indirect callee: its caller, as "NAME@FILE:LINE"; NULL: unknown
	const void *priv;
};
struct di_returns { VEC(uint64_t) at; };   // link-time addresses; empty: unknown
typedef VEC(struct di_function *) di_functions;

// Returns the kernel of the session (session.kernel). Exits with a message that names the packages to install if
// neither an image nor debuginfo is found.
struct di_module *di_kernel(struct session *s);
// Frees all mapped files and library handles; pointers that debuginfo returned become invalid. For processes that run
// several sessions, one after the other.
void di_close(struct session *s);
// A kernel module by its name, with "_" or "-" ("snd_pcm", "snd-pcm"), or by the path of its file ("/x/zoo.ko"). NULL:
// unknown module. Addresses of its functions are offsets into its .text.
struct di_module *di_kernel_module(struct session *s, const char *name);
bool di_module_is_builtin(struct session *s, const char *name);  // the module is part of the kernel image
const char *di_module_name(const struct di_module *m);   // "kernel", "ext4", "/bin/ls"
bool di_is_user(const struct di_module *m);              // it is a program: its memory is a process's
uint64_t di_kernel_base(const struct di_module *m);      // returns the link address of _stext; 0 unknown
// Returns the GNU build-id of the file that link addresses refer to; NULL and 0 if it has none.
const uint8_t *di_build_id(const struct di_module *m, int *len);
enum di_source { DI_SOURCE_NONE, DI_SOURCE_SYMBOLS, DI_SOURCE_BTF, DI_SOURCE_DWARF };
enum di_source di_module_source(const struct di_module *m);
// Sets the name that messages show instead of the path of a temporary file.
void di_module_set_source(struct di_module *m, const char *name);
const char *di_module_source_text(const struct di_module *m);   // for messages: "DWARF of PATH", "BTF of PATH"
// Returns a clause that says which package has DWARF for this module. For messages.
const char *di_advice(const struct di_module *m);

// program.c: opens a program or a library by path. NULL: *why is the reason, as "no such file". Addresses are link-time
// addresses.
struct di_module *di_program(struct session *s, const char *path, const char **why);
// Asks a debuginfod server for DWARF of a module that has none, once. Returns true if it was downloaded.
bool di_want_dwarf(struct di_module *m);
// Converts a link address to an offset in the file; false if no segment contains it.
bool di_program_offset(const struct di_module *m, uint64_t address, uint64_t *offset);
// Returns the link address and file offset of its first executable segment; 0 if it has none.
void di_program_code(const struct di_module *m, uint64_t *address, uint64_t *offset);
// Returns the link address at which the kernel or the dynamic linker starts a program; 0 for a library.
uint64_t di_program_entry(const struct di_module *m);
// Finds a variable of the program by symbol. `anywhere`: the program is position-independent and loaded at any
// address.
struct di_program_data { uint64_t address, start_code; bool anywhere; };
bool di_program_data(const struct di_module *m, const char *symbol, struct di_program_data *out);
// Identifies the build of the file `path` by the `len` bytes at file offset `offset`; if `summed` > 0, by the
// checksum of `summed` bytes there, in native byte order.
struct di_identity { const uint8_t *bytes; int len; uint64_t offset, summed; const char *path; };
struct di_identity di_program_identity(const struct di_module *m);
// Functions of the program, sorted by file offset.
struct di_symbol { uint64_t offset, size; const char *name; };
typedef VEC(struct di_symbol) di_symbols;
void di_program_symbols(const struct di_module *m, di_symbols *out);
bool di_program_exports(const struct di_module *m, const char *symbol);
bool di_program_moves_stacks(const struct di_module *m);   // the runtime moves stacks, so uretprobes would crash it
							   // (Go)
const char *di_program_path(const struct di_module *m);      // its path on this host; di_module_name() returns its
							     // path on the target
bool di_program_is_32bit(const struct di_module *m);       // it is a 32-bit program on a 64-bit machine
// libraries.c: paths of the shared libraries that the program is linked with, directly or indirectly; `names` are their
// DT_NEEDED names ("libm.so.6"), in the same order.
typedef name_list di_names;
void di_program_libraries(const struct di_module *m, di_names *out, di_names *names);
const char *di_find_library(const char *name);        // path that the dynamic linker would load; NULL: not found
// directories.c: directories with separate debuginfo. An absolute path is a path of this host; "" is the directory
// of the file itself, "build" the kernel's build tree, and any other name a directory beside the file.
void di_debug_directories(di_names *out);

// line_table.c: returns path and size of a copy of the line table (runtime/include/lines.h) of a program, the
// kernel or a kernel module. It is made once for each build. NULL: no DWARF.
const char *di_lines(struct di_module *m, size_t *size);
// Code ranges that the line table of a kernel or module describes. The offsets of its rows start at `code_offset`;
// rows of programs have file offsets.
struct di_code_part { uint64_t address, size; uint32_t code_offset; };
typedef VEC(struct di_code_part) di_code;
void di_module_code(const struct di_module *m, di_code *out);
// Returns a symbol that the loader can resolve, `before` bytes below the range. NULL: not found.
const struct di_static *di_find_anchor(struct di_module *m, const struct di_code_part *part, uint64_t *before);

// cfi.c: rules that compute, for each address of a program, the caller's frame: the canonical frame address (CFA), the
// return address and the frame pointer.
enum di_frame_kind { DI_FRAME_NONE,     // fp: unchanged; ra: outermost frame
		     DI_FRAME_UNKNOWN,  // cannot be determined
		     DI_FRAME_REGISTER, // base + offset
		     DI_FRAME_LOAD,     // *(base + offset) + plus
		     DI_FRAME_AT_CFA,   // *(CFA + offset)
		     DI_FRAME_PLT };    // stack pointer + offset, and 8 more from byte `base` of a 16-byte PLT
					// entry on
enum { DI_FRAME_SP, DI_FRAME_FP, DI_FRAME_REGS };      // bases; REGS + n: word n of the registers (struct pt_regs)
struct di_frame_location { int32_t offset; uint8_t kind, base; int16_t plus; };
struct di_frame_rule { struct di_frame_location cfa, ra, fp; };
struct di_frame_row { uint64_t address; int rule; };   // link-time address; valid up to the next row
struct di_frames { VEC(struct di_frame_rule) rules; VEC(struct di_frame_row) rows; };
// Returns false if there is no call frame information.
bool di_program_frames(const struct di_module *m, struct di_frames *out);

// sdt.c: a static probe (USDT marker) of a program. Its arguments are named "arg1" and so on; an operand that cannot be
// parsed has DI_LOC_NONE.
struct di_mark {
	struct di_module *module;
	const char *provider, *name;
	uint64_t address;          // link-time address
	uint64_t semaphore;        // link-time address; 0: none
	VEC(struct di_variable) args;
};
typedef VEC(struct di_mark *) di_marks;
// Appends the markers whose names match the globs, in file order. provider NULL: any.
void di_find_marks(struct di_module *m, const char *provider, const char *name, di_marks *out);

// plt.c: entries of the procedure linkage table whose names match the glob, in file order.
struct di_plt_entry { const char *name; uint64_t address, size; };   // link-time address; size in bytes
typedef VEC(struct di_plt_entry) di_plt;
void di_find_plt(const struct di_module *m, const char *name, di_plt *out);

// Frees data of the module that is read again on use: names of functions, and DWARF. Variables and types that were
// returned from DWARF become invalid. di_forget() frees the DWARF if many units were read.
void di_unload(struct di_module *m);
void di_forget(struct di_module *m);
// Finds functions whose name matches the glob, sorted by address, then name. `file` is NULL or a glob that matches
// the end of the path; it needs DWARF (fewer results are not an error here). Inlined copies: none, all, or one of
// each function that was inlined.
enum di_inlines { DI_INLINES_NONE, DI_INLINES_ALL, DI_INLINES_ONCE };
void di_find_functions(struct di_module *m, const char *name, const char *file, enum di_inlines inlines,
		       di_functions *out);

// Returns a message if kprobes are refused in the function, by the kernel or since they would reset the machine; NULL:
// they may be allowed.
const char *di_refused(const struct di_function *f);
// Returns why a function that was not found cannot be probed, such as one in .init.text. NULL: no such function.
const char *di_unprobeable_function(const struct di_module *m, const char *name);
// Returns a symbol that is unique in the kernel module; *distance is from it to the start of the function.
const char *di_function_anchor(const struct di_function *f, int64_t *distance);
// Returns whether the module has several symbols with the name of the function's symbol, of static functions.
bool di_is_repeated(const struct di_function *f);

// A parsed pattern: [SCOPE::]FUNCTION[@FILE[:LINES]] or FUNCTION@FILE+N. The names may be globs.
struct di_lines { int first, last; };
struct di_pattern {
	const char *scope;         // "ns::Box", for di_function_in(); NULL: any
	const char *function;
	const char *file;          // NULL: any
	bool has_lines;
	bool relative;             // "+N": lines count from the first line of the function
	bool every;                // ":*"
	VEC(struct di_lines) lines;
};
bool di_parse_pattern(const char *text, struct di_pattern *p, const char **why);
// Returns whether the glob matches the C++ classes and namespaces of the function, or the innermost of them.
bool di_function_in(const struct di_function *f, const char *scope);
// Finds code for a pattern with lines: the statements of the lines in each copy of the code, with `pc` and line
// set; or the statements of the nearest lines with code; or the functions that contain the lines. Sorted by
// address. If none is found, `why` is the reason.
enum di_line_use { DI_STATEMENTS, DI_NEAREST, DI_FUNCTIONS };
void di_find_lines(struct di_module *m, const struct di_pattern *p, enum di_line_use use, di_functions *out,
		   struct buf *why);
// Returns the function that contains the link address, with `pc` set. NULL: not found.
struct di_function *di_function_at(struct di_module *m, uint64_t address);
// Returns true if a statement begins at f->pc, and sets the line of f. Otherwise sets *below and *above to the
// addresses of the nearest statements before and after it; 0: none.
bool di_statement_line(struct di_function *f, uint64_t *below, uint64_t *above);
// Returns the line closest to f->pc at which the variable can be read; 0: the variable can be read at no line.
int di_variable_line(const struct di_function *f, const char *name);
// Finds labels in the function's code, each as a function with `label` set and `pc` at its statement.
void di_find_labels(const struct di_function *f, const char *label, di_functions *out);
// Appends the functions that match the glob and that f calls: with `returns` set, or as inlined copies. A function that
// is in the list already gets more `returns`.
void di_find_callees(const struct di_function *f, const char *name, di_functions *out);
struct di_location di_return_address(const struct di_module *m);   // location at a function's entry

// Appends all function names, for suggestions.
void di_function_names(struct di_module *m, di_names *out);

// Finds a variable visible at f->pc: innermost block or inlined copy first, the function last. Returns false if no
// variable has the name. A variable that is optimised out has DI_LOC_NONE.
bool di_find_variable(const struct di_function *f, const char *name, struct di_variable *out);
void di_variable_names(const struct di_function *f, bool params_only, name_list *out);
// Finds an enumerator visible at f->pc, or any of the module.
bool di_function_enumerator(const struct di_function *f, const char *name, int64_t *value);
// Finds a global or static variable. file: NULL, or a glob that matches the end of the path of its compilation
// unit. Requires DWARF.
bool di_find_global(struct di_module *m, const char *name, const char *file, struct di_variable *out);
// frame.c: the address from which parameters are at the locations that debuginfo gives: the entry, or in
// unoptimised code the end of the prologue.
uint64_t di_function_body(const struct di_function *f);
// Returns the directory in which f's source file was compiled; f->file is relative to it or to a directory above. NULL:
// unknown.
const char *di_compile_directory(const struct di_function *f);
// Locates a parameter at the entry by the calling convention. Returns false if it is not passed in one register or
// stack slot.
bool di_entry_parameter(const struct di_function *f, const char *name, struct di_variable *out);
// The type and location of the return value when the function returns; type NULL: void.
struct di_type *di_return(const struct di_function *f, struct di_location *loc);

// A tracepoint and the arguments of its probes. A `type` may be NULL (unknown); an argument whose name is unknown is
// "arg1", "arg2" and so on.
#define DI_ARGUMENT 0x100      // DI_OP_REG of their locations: DI_ARGUMENT + i is argument i, from 0
#define DI_VECTOR 0x80         // DI_OP_REG: DI_VECTOR + i is the low 8 bytes of vector register i of the process
#define DI_X87_TOP 0xf0        // DI_OP_REG: the x87 register st(0) of the process, as a double
typedef VEC(struct di_variable) di_arguments;
struct di_tracepoint {
	struct di_module *module;
	const char *name;
	di_arguments args;
};
typedef VEC(struct di_tracepoint *) di_tracepoints;

// Appends the parameters of a function, from `first` on, as arguments that the kernel passes to a hit.
void di_parameters_as_arguments(const struct di_function *f, int first, di_arguments *out);

// Appends the tracepoints whose name matches the glob, sorted by name. Requires BTF.
void di_find_tracepoints(struct di_module *m, const char *name, di_tracepoints *out);
// Returns true if the module has debuginfo and lacks the variable's symbol.
bool di_module_exports(const struct di_module *m, const char *symbol); // the symbol is exported by EXPORT_SYMBOL()
bool di_lacks_variable(const struct di_module *m, const char *symbol);

void di_tracepoint_names(struct di_module *m, di_names *out);
// Returns the TRACE_SYSTEM ("sched") according to the kernel's headers, or for the running kernel without headers
// according to tracefs; "" if it is in neither.
const char *di_tracepoint_system(struct di_module *m, const char *name);

// suggest.c: returns " (similar: a, b)"; "" if no name is similar, or if messages are suppressed.
enum di_name_kind { DI_TYPES, DI_VARIABLES, DI_ENUMERATORS, DI_FILES };
const char *di_suggest(struct di_module *m, enum di_name_kind kind, const char *wanted);
const char *di_suggest_modules(struct session *s, const char *wanted);

// kmod_function.c: appends the names of modules that have the function, which may be a glob. all: also searches
// modules whose names share no word with the function's, which takes two seconds; no effect for a glob.
void di_modules_of_function(struct session *s, const char *function, bool all, di_names *out);
// Appends the names of all modules installed for the kernel.
void di_kernel_module_names(struct session *s, di_names *out);

// Types. Lookups by name return the full definition ("file", "struct file", "union u", "size_t", "enum e"); NULL: not
// found.
struct di_type *di_find_type(struct di_module *m, const char *name);
struct di_type *di_target(const struct di_type *t);      // target of a pointer, element of an array; NULL for void
							 // *
struct di_type *di_pointer_to(struct di_type *t);        // returns the same object for the same t
bool di_is_float(const struct di_type *t);                // a float or double, not a complex number or long double
bool di_is_x87(const struct di_type *t);                  // the long double of x86: 10 bytes and padding
// Returns why values of the type are not read as numbers, as a phrase to follow "it is"; NULL: they are read.
const char *di_unreadable(const struct di_type *t);
// Why a member or variable cannot be read whose type no unit has, as a phrase that follows its name.
#define DI_NO_TYPE "has a type that is not found in the debuginfo; types in units of their own " \
	"(-fdebug-types-section) cannot be read together with -gsplit-dwarf"
bool di_is_incomplete(const struct di_type *t);           // no definition of the aggregate is found anywhere
// Finds a member, also in anonymous members and bases. Returns false if it is not found or cannot be read; in the
// latter case out->why is the reason.
bool di_find_member(const struct di_type *t, const char *name, struct di_member *out);
void di_member_names(const struct di_type *t, name_list *out);
// Returns true if the types are the same except their names (typedefs, and pointers to them).
bool di_same_type(const struct di_type *a, const struct di_type *b);
// Appends all direct members in order; anonymous ones have the name "".
typedef VEC(struct di_member) di_members;
void di_each_member(const struct di_type *t, di_members *out);
bool di_find_enumerator(struct di_module *m, const char *name, int64_t *value);
struct di_enumerator { const char *name; int64_t value; };
typedef VEC(struct di_enumerator) di_enumerators;
void di_each_enumerator(const struct di_type *t, di_enumerators *out);   // enumerators of a DI_ENUM

#endif
