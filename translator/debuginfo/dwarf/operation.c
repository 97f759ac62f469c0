// SPDX-License-Identifier: GPL-2.0-or-later
// Compiles operations of DWARF expressions on values that are on the stack. In: an operation, and the types of the
// values. Out: operations of struct di_location, which are 64 bits wide.
//
// DWARF's generic type is as wide as an address, and is signed except for shr and mod. Both operands of an operation
// must have the same type; other operations are refused, since a guess would be a wrong value.
#include "debuginfo/dwarf/expression.h"

#include "util/str.h"

#include <inttypes.h>
#include <limits.h>

static const struct value_type generic;

// ---------------------------------------------------------------- the stack

static bool damaged(struct compile *c)
{
	c->why = "its location is damaged: its DWARF expression uses too few or too many values";
	return false;
}

static int word(const struct compile *c)
{
	return c->m->arch->word;
}

static bool push_type(struct compile *c, struct value_type type)
{
	if (c->n == MAX_VALUES)
		return damaged(c);
	c->types[c->n++] = type;
	return true;
}

bool value_push(struct compile *c, enum di_opcode code, int64_t value)
{
	location_add(c->out, code, value);
	return push_type(c, generic);
}

static void add(struct compile *c, enum di_opcode code)
{
	location_add(c->out, code, 0);
}

static void extend(struct compile *c, int size, bool is_signed)
{
	if (size >= 8)
		return;
	location_add(c->out, DI_OP_CONST, 64 - 8 * size);
	add(c, DI_OP_SHL);
	location_add(c->out, DI_OP_CONST, 64 - 8 * size);
	add(c, is_signed ? DI_OP_SRA : DI_OP_SHR);
}

bool value_load(struct compile *c, int size, struct value_type type)
{
	struct di_op op = { .code = DI_OP_LOAD, .size = size, .is_signed = type.is_signed };

	if (!c->n)
		return damaged(c);
	if (size != 1 && size != 2 && size != 4 && size != 8) {
		c->why = "its location reads a value of an unsupported size";
		return false;
	}
	vec_push(&c->out->ops, op);
	c->types[c->n - 1] = type;
	return true;
}

bool value_retype(struct compile *c, struct value_type type)
{
	int bytes = !c->n || c->types[c->n - 1].size ? 8 : word(c);

	if (!c->n)
		return damaged(c);
	if (type.size > bytes)
		extend(c, bytes, true);
	if (type.size)
		extend(c, type.size, type.is_signed);
	c->types[c->n - 1] = type;
	return true;
}

bool value_offset(struct compile *c, int64_t offset)
{
	if (!c->n)
		return damaged(c);
	location_offset(c->out, offset);
	return value_retype(c, c->types[c->n - 1]);
}

bool value_same_types(const struct compile *a, const struct compile *b)
{
	for (int i = 0; i < a->n && a->n == b->n; i++)
		if (a->types[i].size != b->types[i].size || a->types[i].is_signed != b->types[i].is_signed)
			return false;
	return a->n == b->n;
}

// ---------------------------------------------------------------- arithmetic

enum rule { PLAIN,             // the low bits are the same, signed or not
	    SIGNED, UNSIGNED,  // depends on the sign: that of the generic type; other types have their own
	    EQUAL };           // the result has the generic type, as of all comparisons

static const struct binary {
	int atom;
	enum di_opcode code, for_unsigned;
	enum rule rule;
	bool compares;
} binaries[] = {
	{ DW_OP_plus, DI_OP_ADD }, { DW_OP_minus, DI_OP_SUB }, { DW_OP_mul, DI_OP_MUL },
	{ DW_OP_and, DI_OP_AND }, { DW_OP_or, DI_OP_OR }, { DW_OP_xor, DI_OP_XOR },
	{ DW_OP_div, DI_OP_DIV, DI_OP_UDIV, SIGNED }, { DW_OP_mod, DI_OP_MOD, DI_OP_UMOD, UNSIGNED },
	{ DW_OP_eq, DI_OP_EQ, DI_OP_EQ, EQUAL, true }, { DW_OP_ne, DI_OP_NE, DI_OP_NE, EQUAL, true },
	{ DW_OP_lt, DI_OP_LT, DI_OP_ULT, SIGNED, true }, { DW_OP_le, DI_OP_LE, DI_OP_ULE, SIGNED, true },
	{ DW_OP_gt, DI_OP_GT, DI_OP_UGT, SIGNED, true }, { DW_OP_ge, DI_OP_GE, DI_OP_UGE, SIGNED, true },
};

// Values on the stack have 64 bits, also in 32-bit programs: an operation that depends on the upper bits extends its
// operands first.
static void settle(struct compile *c, int operands, bool is_signed)
{
	for (int i = 0; i < operands && word(c) < 8; i++) {
		extend(c, word(c), is_signed);
		if (operands == 2)
			add(c, DI_OP_SWAP);
	}
}

static struct value_type spelled(const struct compile *c, struct value_type t)
{
	return t.size ? t : (struct value_type){ word(c), true };
}

static bool compile_binary(struct compile *c, const struct binary *b)
{
	struct value_type l, r, t;
	bool is_signed;

	if (c->n < 2)
		return damaged(c);
	t = c->types[c->n - 2];
	l = spelled(c, t);
	r = spelled(c, c->types[c->n - 1]);
	if (l.size != r.size || l.is_signed != r.is_signed) {
		c->why = str_printf("its location uses %s on values of different types", operation_name(b->atom));
		return false;
	}
	is_signed = t.size ? t.is_signed : b->rule != UNSIGNED;
	if (!t.size && b->rule != PLAIN)
		settle(c, 2, is_signed);
	add(c, b->rule == PLAIN || is_signed ? b->code : b->for_unsigned);
	c->n--;
	if (b->compares)
		c->types[c->n - 1] = generic;
	return b->compares || value_retype(c, t);
}

// DWARF does not define shifts by a negative number of bits, or by all bits of the value or more: then the variable is
// not available. GCC 12 writes negative constants for bit-fields.
static bool check_shift_count(struct compile *c, int bits)
{
	struct di_op *top = c->out->ops.n > 1 ? &c->out->ops.at[c->out->ops.n - 1] : NULL, op = { .code = DI_OP_BRANCH };
	struct di_location *absent;

	if (top && top->code == DI_OP_CONST) {
		if (top->value >= 0 && top->value < bits)
			return true;
		c->why = str_printf("its location shifts %d bits by %" PRId64 ", which has no defined result", bits, top->value);
		return false;
	}
	if (top && top->code == DI_OP_AND && top[-1].code == DI_OP_CONST && top[-1].value >= 0 && top[-1].value < bits)
		return true;
	absent = NEW(struct di_location);
	location_add(absent, DI_OP_ABSENT, 0);
	op.other = absent;
	location_add(c->out, DI_OP_PICK, 0);
	location_add(c->out, DI_OP_CONST, bits);
	add(c, DI_OP_UGE);
	vec_push(&c->out->ops, op);
	return true;
}

// The shift count may have any type. The shifted value is taken as unsigned or signed, and keeps its type.
static bool compile_shift(struct compile *c, int atom)
{
	bool is_signed = atom == DW_OP_shra;
	struct value_type t;

	if (c->n < 2)
		return damaged(c);
	t = c->types[c->n - 2];
	if (!check_shift_count(c, 8 * (t.size ? t.size : word(c))))
		return false;
	if (atom != DW_OP_shl && (t.size ? t.size : word(c)) < 8) {
		add(c, DI_OP_SWAP);
		extend(c, t.size ? t.size : word(c), is_signed);
		add(c, DI_OP_SWAP);
	}
	add(c, atom == DW_OP_shl ? DI_OP_SHL : is_signed ? DI_OP_SRA : DI_OP_SHR);
	c->n--;
	return value_retype(c, t);
}

static bool compile_unary(struct compile *c, int atom)
{
	struct value_type t;

	if (!c->n)
		return damaged(c);
	t = c->types[c->n - 1];
	if (atom == DW_OP_abs && t.size && !t.is_signed)
		return true;
	if (atom != DW_OP_abs) {
		add(c, atom == DW_OP_neg ? DI_OP_NEG : DI_OP_NOT);
		return value_retype(c, t);
	}
	if (!t.size)
		settle(c, 1, true);
	location_add(c->out, DI_OP_PICK, 0);   // (x ^ x >> 63) - (x >> 63)
	location_add(c->out, DI_OP_CONST, 63);
	add(c, DI_OP_SRA);
	add(c, DI_OP_SWAP);
	location_add(c->out, DI_OP_PICK, 1);
	add(c, DI_OP_XOR);
	add(c, DI_OP_SWAP);
	add(c, DI_OP_SUB);
	return value_retype(c, t);
}

// ---------------------------------------------------------------- order on the stack

static bool compile_pick(struct compile *c, int64_t below)
{
	if (below < 0 || below >= c->n)
		return damaged(c);
	location_add(c->out, DI_OP_PICK, below);
	return push_type(c, c->types[c->n - 1 - below]);
}

static bool compile_order(struct compile *c, int atom)
{
	int deep = atom == DW_OP_rot ? 2 : atom == DW_OP_swap ? 1 : 0;
	struct value_type *top = c->types + c->n - 1, t;

	if (c->n <= deep)
		return damaged(c);
	t = *top;
	for (int i = 0; i < deep; i++)
		top[-i] = top[-i - 1];
	top[-deep] = t;
	c->n -= atom == DW_OP_drop;
	add(c, atom == DW_OP_rot ? DI_OP_ROT : atom == DW_OP_swap ? DI_OP_SWAP : DI_OP_DROP);
	return true;
}

bool operation_compile(struct compile *c, const Dwarf_Op *op, bool *known)
{
	*known = true;
	for (size_t i = 0; i < ARRAY_SIZE(binaries); i++)
		if (binaries[i].atom == op->atom)
			return compile_binary(c, &binaries[i]);
	switch (op->atom) {
	case DW_OP_shl: case DW_OP_shr: case DW_OP_shra:
		return compile_shift(c, op->atom);
	case DW_OP_neg: case DW_OP_not: case DW_OP_abs:
		return compile_unary(c, op->atom);
	case DW_OP_plus_uconst:
		return value_offset(c, op->number);
	case DW_OP_dup:
		return compile_pick(c, 0);
	case DW_OP_over:
		return compile_pick(c, 1);
	case DW_OP_pick:
		return compile_pick(c, op->number);
	case DW_OP_drop: case DW_OP_swap: case DW_OP_rot:
		return compile_order(c, op->atom);
	case DW_OP_deref:
		return value_load(c, word(c), generic);
	case DW_OP_deref_size:
		return value_load(c, op->number, generic);
	case DW_OP_nop:
		return true;
	}
	*known = false;
	return false;
}

// ---------------------------------------------------------------- sizes

static int leb_size(int64_t n, bool is_signed)
{
	int size = 1;

	for (; is_signed ? n < -64 || n > 63 : (uint64_t)n > 127; size++)
		n = is_signed ? n >> 7 : (int64_t)((uint64_t)n >> 7);
	return size;
}

int operation_size(const Dwarf_Op *op, int word)
{
	int atom = op->atom;

	if (atom >= DW_OP_breg0 && atom <= DW_OP_breg31)
		return 1 + leb_size(op->number, true);
	switch (atom) {
	case DW_OP_const1u: case DW_OP_const1s: case DW_OP_pick: case DW_OP_deref_size: return 2;
	case DW_OP_const2u: case DW_OP_const2s: case DW_OP_bra: case DW_OP_skip: return 3;
	case DW_OP_const4u: case DW_OP_const4s: return 5;
	case DW_OP_const8u: case DW_OP_const8s: return 9;
	case DW_OP_addr: return 1 + word;
	case DW_OP_constu: case DW_OP_plus_uconst: case DW_OP_regx: return 1 + leb_size(op->number, false);
	case DW_OP_consts: case DW_OP_fbreg: return 1 + leb_size(op->number, true);
	}
	return atom < DW_OP_regx || atom == DW_OP_nop || atom == DW_OP_call_frame_cfa ? 1 : INT_MAX / 2;
}

// ---------------------------------------------------------------- names

const char *operation_name(int atom)
{
	static const struct { int atom; const char *name; } names[] = {
#define NAME(op) { DW_OP_##op, "DW_OP_" #op }
		NAME(addr), NAME(deref), NAME(dup), NAME(drop), NAME(over), NAME(pick), NAME(swap), NAME(rot),
		NAME(xderef), NAME(abs), NAME(and), NAME(div), NAME(minus), NAME(mod), NAME(mul), NAME(neg), NAME(not),
		NAME(or), NAME(plus), NAME(plus_uconst), NAME(shl), NAME(shr), NAME(shra), NAME(xor), NAME(bra), NAME(eq),
		NAME(ge), NAME(gt), NAME(le), NAME(lt), NAME(ne), NAME(skip), NAME(regx), NAME(fbreg), NAME(bregx),
		NAME(piece), NAME(deref_size), NAME(xderef_size), NAME(nop), NAME(push_object_address), NAME(call2),
		NAME(call4), NAME(call_ref), NAME(form_tls_address), NAME(call_frame_cfa), NAME(bit_piece),
		NAME(implicit_value), NAME(stack_value), NAME(implicit_pointer), NAME(addrx), NAME(constx),
		NAME(entry_value), NAME(const_type), NAME(regval_type), NAME(deref_type), NAME(xderef_type),
		NAME(convert), NAME(reinterpret), NAME(GNU_push_tls_address), NAME(GNU_uninit), NAME(GNU_encoded_addr),
		NAME(GNU_implicit_pointer), NAME(GNU_entry_value), NAME(GNU_const_type), NAME(GNU_regval_type),
		NAME(GNU_deref_type), NAME(GNU_convert), NAME(GNU_reinterpret), NAME(GNU_parameter_ref),
		NAME(GNU_addr_index), NAME(GNU_const_index), NAME(GNU_variable_value),
#undef NAME
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (names[i].atom == atom)
			return names[i].name;
	if (atom >= DW_OP_reg0 && atom <= DW_OP_reg31)
		return str_printf("DW_OP_reg%d", atom - DW_OP_reg0);
	if (atom >= DW_OP_breg0 && atom <= DW_OP_breg31)
		return str_printf("DW_OP_breg%d", atom - DW_OP_breg0);
	return str_printf("DWARF operation 0x%x", atom);
}
