// SPDX-License-Identifier: GPL-2.0-or-later
// Between loc.c (locations, registers, frames) and operation.c (arithmetic and types of DWARF expressions).
#ifndef DEBUGINFO_EXPRESSION_H
#define DEBUGINFO_EXPRESSION_H

#include "debuginfo/dwarf/libdw_unit.h"

// The type of a value on the stack. All values occupy 64 bits; a typed value is extended from its size, according
// to its sign.
struct value_type {
	int size;                  // size in bytes; 0: the generic type of DWARF, as wide as an address
	bool is_signed;
};

enum { MAX_VALUES = 32 };

struct compile {
	struct di_module *m;
	Dwarf_Die *function;       // the function whose frame is used
	Dwarf_Attribute *attr;     // the location's attribute; type references are resolved through it
	uint64_t pc;
	struct di_location *out;
	int depth;
	struct value_type types[MAX_VALUES];   // types of the values that `out` leaves on the stack
	int n;
	int branches;
	uint64_t returns_to;       // the return address for which a branch is compiled; 0: it is not known
	// the compilation for the called function, if this is a value that is compiled in its caller and uses the
	// caller's registers; else NULL
	struct compile *callee;
	const char *why;           // reason of a failure; NULL unknown
};

// Each function appends operations to c->out and updates c->types. False: not supported; c->why may have the reason.
bool value_push(struct compile *c, enum di_opcode code, int64_t value);        // pushes a value of the generic type
bool value_load(struct compile *c, int size, struct value_type type);          // pops the address
bool value_retype(struct compile *c, struct value_type type);                  // changes the type of the top, and
									       // extends it again
bool value_offset(struct compile *c, int64_t offset);                          // adds the offset to the top
bool value_same_types(const struct compile *a, const struct compile *b);
// Compiles a DWARF operation on values that are on the stack. *known is false for any other operation.
bool operation_compile(struct compile *c, const Dwarf_Op *op, bool *known);
// Returns the length of the operation's shortest encoding. Operations of unknown length count as longer than any
// expression.
int operation_size(const Dwarf_Op *op, int word);
const char *operation_name(int atom);          // "DW_OP_div"
// Returns the register number of DW_OP_reg*, or -1 for another operation.
int dwarf_register(const Dwarf_Op *op);

// call_site.c: finds calls of the function whose call sites describe a register. Returns false if it cannot find
// all of them.
struct call_value {
	uint64_t returns_to;
	Dwarf_Die caller;
	Dwarf_Attribute value;
};
typedef VEC(struct call_value) call_values;
enum { MAX_CALL_SITES = 16 };
bool call_sites(struct di_module *m, Dwarf_Die *function, int number, call_values *out);

#endif
