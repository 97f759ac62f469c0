// SPDX-License-Identifier: GPL-2.0-or-later
// DWARF locations -> struct di_location. A DWARF expression leaves an address, or names a register,
// or (DW_OP_stack_value) leaves the value itself; ours is the same without the operations that
// can't be expressed on an empty stack.
#include "debuginfo/frame.h"

struct compile {
	struct di_module *m;
	Dwarf_Die *function;
	uint64_t pc;
	struct di_location *out;
	int depth;
};

static bool compile_ops(struct compile *c, Dwarf_Op *ops, size_t n);

static void add(struct compile *c, enum di_opcode code, int64_t value)
{
	location_add(c->out, code, value);
}

static bool load(struct compile *c, int size)
{
	struct di_op op = { .code = DI_OP_LOAD, .size = size };

	if (size != 1 && size != 2 && size != 4 && size != 8)
		return false;
	vec_push(&c->out->ops, op);
	return true;
}

static bool at_entry(const struct compile *c)
{
	Dwarf_Addr entry;

	return dwarf_entrypc(c->function, &entry) || entry == c->pc;
}

// The canonical frame address. Known without call frame information only at the entry.
static bool frame_address(struct compile *c)
{
	Dwarf_Op *ops;
	size_t n;

	if (!at_entry(c))
		return frame_cfa(c->m, c->pc, &ops, &n) && compile_ops(c, ops, n);
	add(c, DI_OP_REG, c->m->arch->stack_pointer);
	location_offset(c->out, c->m->arch->entry_cfa);
	return true;
}

// An offset from the function's frame base.
static bool frame_offset(struct compile *c, int64_t offset)
{
	Dwarf_Attribute attr;
	Dwarf_Op *ops;
	size_t n;

	if (c->depth || !dwarf_attr_integrate(c->function, DW_AT_frame_base, &attr) ||
	    dwarf_getlocation_addr(&attr, c->pc, &ops, &n, 1) != 1)
		return false;
	if (n == 1 && ops->atom >= DW_OP_reg0 && ops->atom <= DW_OP_reg31) {
		add(c, DI_OP_REG, ops->atom - DW_OP_reg0);
	} else {
		c->depth++;
		bool good = compile_ops(c, ops, n);

		c->depth--;
		if (!good)
			return false;
	}
	location_offset(c->out, offset);
	return true;
}

static const struct { int atom; enum di_opcode code; } arithmetic[] = {
	{ DW_OP_plus, DI_OP_ADD }, { DW_OP_minus, DI_OP_SUB }, { DW_OP_mul, DI_OP_MUL },
	{ DW_OP_and, DI_OP_AND }, { DW_OP_or, DI_OP_OR }, { DW_OP_xor, DI_OP_XOR },
	{ DW_OP_shl, DI_OP_SHL }, { DW_OP_shr, DI_OP_SHR }, { DW_OP_shra, DI_OP_SRA },
	{ DW_OP_neg, DI_OP_NEG }, { DW_OP_not, DI_OP_NOT },
};

static bool compile_arithmetic(struct compile *c, int atom)
{
	for (size_t i = 0; i < ARRAY_SIZE(arithmetic); i++)
		if (arithmetic[i].atom == atom) {
			add(c, arithmetic[i].code, 0);
			return true;
		}
	return false;
}

// DW_OP_entry_value: what the register held at the entry, which is where we are.
static bool entry_value(struct compile *c, Dwarf_Op *op, Dwarf_Attribute *attr)
{
	Dwarf_Attribute inner;
	Dwarf_Op *ops;
	size_t n;

	if (!at_entry(c) || !attr || dwarf_getlocation_attr(attr, op, &inner) || dwarf_getlocation(&inner, &ops, &n) || n != 1)
		return false;
	if (ops->atom >= DW_OP_reg0 && ops->atom <= DW_OP_reg31)
		add(c, DI_OP_REG, ops->atom - DW_OP_reg0);
	else if (ops->atom == DW_OP_regx)
		add(c, DI_OP_REG, ops->number);
	else
		return false;
	return true;
}

static bool compile_op(struct compile *c, Dwarf_Op *op)
{
	int atom = op->atom;

	if (atom >= DW_OP_lit0 && atom <= DW_OP_lit31) {
		add(c, DI_OP_CONST, atom - DW_OP_lit0);
		return true;
	}
	if (atom >= DW_OP_breg0 && atom <= DW_OP_breg31) {
		add(c, DI_OP_REG, atom - DW_OP_breg0);
		location_offset(c->out, (int64_t)op->number);
		return true;
	}
	switch (atom) {
	case DW_OP_addr:
		add(c, DI_OP_STATIC, op->number);
		return true;
	case DW_OP_const1u: case DW_OP_const1s: case DW_OP_const2u: case DW_OP_const2s:
	case DW_OP_const4u: case DW_OP_const4s: case DW_OP_const8u: case DW_OP_const8s:
	case DW_OP_constu: case DW_OP_consts:
		add(c, DI_OP_CONST, op->number);   // libdw extended the sign
		return true;
	case DW_OP_bregx:
		add(c, DI_OP_REG, op->number);
		location_offset(c->out, (int64_t)op->number2);
		return true;
	case DW_OP_fbreg:
		return frame_offset(c, op->number);
	case DW_OP_call_frame_cfa:
		return frame_address(c);
	case DW_OP_plus_uconst:
		location_offset(c->out, op->number);
		return true;
	case DW_OP_deref:
		return load(c, 8);
	case DW_OP_deref_size:
		return load(c, op->number);
	case DW_OP_nop:
		return true;
	}
	return compile_arithmetic(c, atom);
}

static bool compile_ops(struct compile *c, Dwarf_Op *ops, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!compile_op(c, &ops[i]))
			return false;
	return true;
}

// The ways to end: a register, a value, an address.
static bool compile_location(struct compile *c, Dwarf_Attribute *attr, Dwarf_Op *ops, size_t n)
{
	struct di_location *out = c->out;

	if (n == 1 && ops->atom >= DW_OP_reg0 && ops->atom <= DW_OP_reg31) {
		*out = location_register(ops->atom - DW_OP_reg0);
		return true;
	}
	if (n == 1 && ops->atom == DW_OP_regx) {
		*out = location_register(ops->number);
		return true;
	}
	out->kind = DI_LOC_ADDRESS;
	if (n && ops[n - 1].atom == DW_OP_stack_value) {
		out->kind = DI_LOC_VALUE;
		n--;
	}
	for (size_t i = 0; i < n; i++) {
		bool entry = ops[i].atom == DW_OP_entry_value || ops[i].atom == DW_OP_GNU_entry_value;

		if (!(entry ? entry_value(c, &ops[i], attr) : compile_op(c, &ops[i])))
			return false;
	}
	return n > 0;
}

// The expression that is valid at pc. Of those that begin there at once (location views: an assignment
// that made no instruction) the first one is the state before the code.
static bool expression_at(const struct compile *c, Dwarf_Attribute *attr, Dwarf_Op **ops, size_t *n)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;

	while ((at = dwarf_getlocations(attr, at, &base, &start, &end, ops, n)) > 0)
		if (start == c->pc || (start < c->pc && c->pc < end))
			return true;
	return false;
}

struct di_location loc_of_variable(struct di_module *m, Dwarf_Die *function, Dwarf_Die *variable, uint64_t pc)
{
	struct di_location out = { .kind = DI_LOC_NONE }, none = out;
	struct compile c = { .m = m, .function = function, .pc = pc, .out = &out };
	Dwarf_Attribute attr;
	Dwarf_Sword value;
	Dwarf_Op *ops;
	size_t n;

	if (dwarf_attr_integrate(variable, DW_AT_const_value, &attr) && !dwarf_formsdata(&attr, &value)) {
		out.kind = DI_LOC_VALUE;
		add(&c, DI_OP_CONST, value);
		return out;
	}
	if (!dwarf_attr_integrate(variable, DW_AT_location, &attr) ||
	    !expression_at(&c, &attr, &ops, &n))
		return none;
	return compile_location(&c, &attr, ops, n) ? out : none;
}
