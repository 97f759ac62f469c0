// SPDX-License-Identifier: GPL-2.0-or-later
// Between loc.c (locations, registers, frames) and operation.c (arithmetic and types of DWARF expressions).
#ifndef DEBUGINFO_EXPRESSION_H
#define DEBUGINFO_EXPRESSION_H

#include "debuginfo/dw.h"

// The type of a value on the stack. Each value is 64 bits wide, a typed one extended from its size as its type says.
struct value_type {
	int size;                  // bytes; 0: DWARF's generic type, which is as wide as an address
	bool is_signed;
};

enum { MAX_VALUES = 32 };

struct compile {
	struct di_module *m;
	Dwarf_Die *function;       // whose frame it is
	Dwarf_Attribute *attr;     // of the location; what typed operations refer to is found by it
	uint64_t pc;
	struct di_location *out;
	int depth;
	struct value_type types[MAX_VALUES];   // of what `out` leaves on the stack so far
	int n;
	int branches;
	struct compile *callee;    // registers are those of its caller
	const char *why;           // it can't be had although something is known
};

// Each emits its operations into c->out and keeps c->types in step. False: it can't be had; c->why may say why.
bool value_push(struct compile *c, enum di_opcode code, int64_t value);        // of the generic type
bool value_load(struct compile *c, int size, struct value_type type);          // pops the address
bool value_retype(struct compile *c, struct value_type type);                  // of the top, which is extended anew
bool value_offset(struct compile *c, int64_t offset);                          // added to the top
bool value_same_types(const struct compile *a, const struct compile *b);
// Compiles a DWARF operation on values that are on the stack. *known is false for any other operation.
bool operation_compile(struct compile *c, const Dwarf_Op *op, bool *known);
// Bytes of its encoding, numbers as short as they can be. More than any expression has: it isn't known.
int operation_size(const Dwarf_Op *op, int word);
const char *operation_name(int atom);          // "DW_OP_div"
// A register's number from DW_OP_reg*, -1: the operation is another one.
int dwarf_register(const Dwarf_Op *op);

// call_site.c: calls of the function that say what they give in a register. False: not all that has to be known is.
struct call_value {
	uint64_t returns_to;
	Dwarf_Die caller;
	Dwarf_Attribute value;
};
typedef VEC(struct call_value) call_values;
enum { MAX_CALL_SITES = 16 };
bool call_sites(struct di_module *m, Dwarf_Die *function, int number, call_values *out);

#endif
