// SPDX-License-Identifier: GPL-2.0-or-later
// Converts DWARF locations to struct di_location. A DWARF expression computes an address, names a register, or
// (DW_OP_stack_value) computes the value, for the whole variable or for a piece of it. struct di_location has no loops,
// calls and types other than integers; if a location needs one, c->why names it. operation.c compiles arithmetic.
#include "debuginfo/dwarf/expression.h"
#include "debuginfo/dwarf/frame.h"

#include "util/str.h"

#include <string.h>

static bool compile_ops(struct compile *c, Dwarf_Op *ops, size_t n);

static const struct value_type generic;

static bool push_callers_register(struct compile *c, uint64_t number);

// Vector registers are those of the process, of which the low 8 bytes can be read. The kernel's own code has no
// variables in them.
static bool push_register(struct compile *c, uint64_t number)
{
	int native = arch_native(c->m->arch, number), vector = c->m->is_user ? arch_vector(c->m->arch, number) : -1;

	if (c->callee)
		return push_callers_register(c, number);
	if (native < 0 && vector < 0) {
		c->why = di_other_register;
		return false;
	}
	return value_push(c, DI_OP_REG, native < 0 ? DI_VECTOR + vector : native);
}

static bool at_entry(const struct compile *c)
{
	uint64_t entry;

	return dwarf_entry(c->function, &entry) && entry == c->pc;
}

int dwarf_register(const Dwarf_Op *op)
{
	if (op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31)
		return op->atom - DW_OP_reg0;
	return op->atom == DW_OP_regx && op->number < 1000 ? (int)op->number : -1;
}

// ---------------------------------------------------------------- the frame

// The operations that frame_at() returns are valid until its next call.
static Dwarf_Op *copy_ops(const Dwarf_Op *ops, size_t n)
{
	VEC(Dwarf_Op) copy = { 0 };

	for (size_t i = 0; i < n; i++)
		vec_push(&copy, ops[i]);
	return copy.at;
}

// Computes the canonical frame address: just above the return address. At the entry it is known without call frame
// information.
static bool frame_address(struct compile *c)
{
	Dwarf_Frame *frame = at_entry(c) ? NULL : frame_at(c->m, c->pc);
	Dwarf_Op *ops;
	size_t n;

	if (at_entry(c))
		return value_push(c, DI_OP_REG, c->m->arch->stack_pointer) && value_offset(c, c->m->arch->entry_cfa);
	if (!frame || c->depth > 3 || dwarf_frame_cfa(frame, &ops, &n) || !n) {
		c->why = "it is in the function's stack frame, for which there is no call frame information here";
		return false;
	}
	ops = copy_ops(ops, n);
	c->depth++;
	bool good = compile_ops(c, ops, n);

	c->depth--;
	return good;
}

// Adds an offset from the function's frame base.
static bool frame_offset(struct compile *c, int64_t offset)
{
	Dwarf_Attribute attr;
	int64_t from_cfa;
	uint64_t body;
	Dwarf_Op *ops;
	size_t n;
	bool good;

	if (c->depth || !dwarf_attr_integrate(c->function, DW_AT_frame_base, &attr) ||
	    dwarf_getlocation_addr(&attr, c->pc, &ops, &n, 1) != 1)
		return false;
	if (frame_base_later(c->m, c->function, &body, &from_cfa) && c->pc < body) {
		return frame_address(c) && value_offset(c, from_cfa + offset);
	}
	c->depth++;
	good = n == 1 && dwarf_register(ops) >= 0 ? push_register(c, dwarf_register(ops)) : compile_ops(c, ops, n);
	c->depth--;
	return good && value_offset(c, offset);
}

// Compiles the value that a register had at the function's entry. Argument registers are overwritten in the function;
// callee-saved registers are saved in the frame or unchanged.
static bool push_entry_register(struct compile *c, int number)
{
	Dwarf_Frame *frame;
	Dwarf_Op mem[3], *ops;
	bool is_value, good;
	int native;
	size_t n;

	if (at_entry(c))
		return push_register(c, number);
	native = arch_native(c->m->arch, number);
	if (native == c->m->arch->stack_pointer)
		return frame_address(c) && value_offset(c, -c->m->arch->entry_cfa);
	frame = frame_at(c->m, c->pc);
	if (!frame || native < 0 || (c->m->arch->call_clobbered & 1u << native) ||
	    dwarf_frame_register(frame, number, mem, &ops, &n))
		return false;
	if (!n)                    // the register is undefined, or still has the same value
		return ops == mem ? false : push_register(c, number);
	if (dwarf_register(ops) >= 0)
		return push_register(c, dwarf_register(ops));
	is_value = ops[n - 1].atom == DW_OP_stack_value;
	ops = copy_ops(ops, n);
	c->depth++;                // the rule is compiled as a part of the expression
	good = compile_ops(c, ops, n - is_value) && (is_value || value_load(c, c->m->arch->word, generic));
	c->depth--;
	return good;
}

// Pushes the caller's value at the call, of a callee-saved register or the stack pointer.
static bool push_callers_register(struct compile *c, uint64_t number)
{
	struct compile callee = *c->callee;
	bool good;

	callee.out = c->out;
	callee.n = c->n;
	memcpy(callee.types, c->types, sizeof(callee.types));
	if (arch_native(c->m->arch, number) == c->m->arch->stack_pointer)
		good = frame_address(&callee);
	else
		good = push_entry_register(&callee, number);
	c->n = callee.n;
	memcpy(c->types, callee.types, sizeof(c->types));
	return good;
}

// Returns the register of DW_OP_entry_value, or -1 for another expression.
static int entry_register(struct compile *c, Dwarf_Op *op)
{
	Dwarf_Attribute inner;
	Dwarf_Op *ops;
	size_t n;

	if (!c->attr || dwarf_getlocation_attr(c->attr, op, &inner) || dwarf_getlocation(&inner, &ops, &n) || n != 1)
		return -1;
	return dwarf_register(ops);
}

static bool is_entry_value(const Dwarf_Op *op)
{
	return op->atom == DW_OP_entry_value || op->atom == DW_OP_GNU_entry_value;
}

// Compiles DW_OP_entry_value of a value that is still available; compile_callers() compiles the others.
static bool entry_value(struct compile *c, Dwarf_Op *op)
{
	int number = entry_register(c, op);

	if (number >= 0 && !c->callee && push_entry_register(c, number))
		return true;
	c->why = "only its value at the function's entry is described here, and that was not saved: save it in a "
		 "probe of the function's entry";
	return false;
}

// Compiles DW_OP_GNU_parameter_ref: a parameter that the compiler removed, whose value callers would have passed.
static bool removed_parameter(struct compile *c)
{
	c->why = "the compiler removed this parameter, so only the callers have its value";
	return false;
}

// ---------------------------------------------------------------- operations

// Resolves the integer type of a typed operation. Size 0 is the generic type, as wide as an address.
static bool integer_type(struct compile *c, Dwarf_Op *op, uint64_t offset, struct value_type *type)
{
	Dwarf_Attribute attr;
	Dwarf_Word encoding;
	Dwarf_Die die;

	*type = generic;
	if ((op->atom == DW_OP_convert || op->atom == DW_OP_GNU_convert) && !offset)
		return true;
	if (!c->attr || dwarf_getlocation_die(c->attr, op, &die) ||
	    dwarf_formudata(dwarf_attr(&die, DW_AT_encoding, &attr), &encoding))
		return false;
	type->size = dwarf_bytesize(&die);
	type->is_signed = encoding == DW_ATE_signed || encoding == DW_ATE_signed_char;
	if (type->size > 0 && type->size <= 8 && encoding != DW_ATE_float && encoding != DW_ATE_complex_float)
		return true;
	c->why = str_printf("its location expression uses values of the type %s", dwarf_diename(&die) ?: "without a "
													 "name");
	return false;
}

static bool push_const_type(struct compile *c, Dwarf_Op *op)
{
	struct value_type type;
	Dwarf_Attribute bytes;
	Dwarf_Block block;
	int64_t value = 0;

	if (!integer_type(c, op, op->number, &type) || dwarf_getlocation_attr(c->attr, op, &bytes) ||
	    dwarf_formblock(&bytes, &block) || block.length > 8)
		return false;
	memcpy(&value, block.data, block.length);
	return value_push(c, DI_OP_CONST, value) && (c->types[c->n - 1] = type, value_retype(c, type));
}

// Reinterprets the value; its bits are unchanged.
static bool reinterpret(struct compile *c, Dwarf_Op *op)
{
	struct value_type type;
	int word = c->m->arch->word;

	if (!c->n || !integer_type(c, op, op->number, &type))
		return false;
	return (type.size ?: word) == (c->types[c->n - 1].size ?: word) && value_retype(c, type);
}

static bool compile_typed(struct compile *c, Dwarf_Op *op)
{
	struct value_type type;

	switch (op->atom) {
	case DW_OP_convert: case DW_OP_GNU_convert:
		return integer_type(c, op, op->number, &type) && value_retype(c, type);
	case DW_OP_reinterpret: case DW_OP_GNU_reinterpret:
		return reinterpret(c, op);
	case DW_OP_regval_type: case DW_OP_GNU_regval_type:
		return integer_type(c, op, op->number2, &type) && push_register(c, op->number) && value_retype(c, type);
	case DW_OP_deref_type: case DW_OP_GNU_deref_type:
		return integer_type(c, op, op->number2, &type) && (int)op->number == type.size &&
		       value_load(c, type.size, type);
	case DW_OP_const_type: case DW_OP_GNU_const_type:
		return push_const_type(c, op);
	}
	return false;
}

static bool indexed_address(struct compile *c, Dwarf_Op *op)
{
	Dwarf_Attribute attr;
	Dwarf_Addr address;

	if (!c->attr || dwarf_getlocation_attr(c->attr, op, &attr) || dwarf_formaddr(&attr, &address))
		return false;
	return value_push(c, DI_OP_STATIC, address);
}

// Compiles an offset in thread-local storage, also in the form of split units (DW_OP_GNU_const_index).
static bool indexed_constant(struct compile *c, Dwarf_Op *op)
{
	Dwarf_Attribute attr;
	Dwarf_Word value;

	if (!c->attr || dwarf_getlocation_attr(c->attr, op, &attr) || dwarf_formudata(&attr, &value))
		return false;
	return value_push(c, DI_OP_CONST, value);
}

static bool compile_constant(struct compile *c, Dwarf_Op *op)
{
	int atom = op->atom;

	if (atom >= DW_OP_lit0 && atom <= DW_OP_lit31)
		return value_push(c, DI_OP_CONST, atom - DW_OP_lit0);
	switch (atom) {
	case DW_OP_addr:
		return value_push(c, DI_OP_STATIC, op->number);
	case DW_OP_addrx: case DW_OP_GNU_addr_index:
		return indexed_address(c, op);
	case DW_OP_constx: case DW_OP_GNU_const_index:
		return indexed_constant(c, op);
	case DW_OP_const1u: case DW_OP_const1s: case DW_OP_const2u: case DW_OP_const2s:
	case DW_OP_const4u: case DW_OP_const4s: case DW_OP_const8u: case DW_OP_const8s:
	case DW_OP_constu: case DW_OP_consts:
		return value_push(c, DI_OP_CONST, op->number);   // libdw has sign-extended the number
	}
	return false;
}

// Converts the TLS offset on the stack to an address; it must be a constant.
static bool thread_address(struct compile *c)
{
	struct di_op *top = c->out->ops.n ? &c->out->ops.at[c->out->ops.n - 1] : NULL;

	if (!top || top->code != DI_OP_CONST || !c->n)
		return false;
	c->out->ops.n--;
	if (tls_address(c->m, top->value, c->out))
		return true;
	c->why = "it is thread-local, and its file does not describe the location of thread-local variables";
	return false;
}

static bool compile_op(struct compile *c, Dwarf_Op *op)
{
	int atom = op->atom;
	bool known, good = operation_compile(c, op, &known);

	if (known)
		return good;
	if (atom >= DW_OP_breg0 && atom <= DW_OP_breg31)
		return push_register(c, atom - DW_OP_breg0) && value_offset(c, (int64_t)op->number);
	switch (atom) {
	case DW_OP_bregx:
		return push_register(c, op->number) && value_offset(c, (int64_t)op->number2);
	case DW_OP_fbreg:
		return frame_offset(c, op->number);
	case DW_OP_call_frame_cfa:
		return frame_address(c);
	case DW_OP_entry_value: case DW_OP_GNU_entry_value:
		return entry_value(c, op);
	case DW_OP_GNU_parameter_ref:
		return removed_parameter(c);
	case DW_OP_form_tls_address: case DW_OP_GNU_push_tls_address:
		return thread_address(c);
	}
	return compile_constant(c, op) || compile_typed(c, op);
}

// Returns the index of the operation to which a jump leads; n: the end. 0: backwards, into an operation, or out of
// the expression.
static size_t jump_target(const struct compile *c, const Dwarf_Op *ops, size_t n, size_t from)
{
	uint64_t to = ops[from].offset + 3 + (int16_t)ops[from].number;

	for (size_t i = from + 1; i < n; i++)
		if (ops[i].offset == to)
			return i;
	return to == ops[n - 1].offset + operation_size(&ops[n - 1], c->m->arch->word) ? n : 0;
}

// Compiles both branches to the end of the expression; they must leave the same stack.
static bool compile_branch(struct compile *c, Dwarf_Op *ops, size_t n, size_t at)
{
	struct di_op op = { .code = DI_OP_BRANCH };
	size_t to = jump_target(c, ops, n, at);
	struct di_location *out = NEW(struct di_location);
	struct compile taken;

	if (!to || !c->n || c->depth || c->branches++ == 4)
		return false;
	c->n--;
	taken = *c;
	taken.out = out;
	op.other = out;
	vec_push(&c->out->ops, op);
	if (!compile_ops(&taken, ops + to, n - to) || !compile_ops(c, ops + at + 1, n - at - 1)) {
		c->why = c->why ?: taken.why;
		return false;
	}
	return value_same_types(c, &taken);
}

// Pushes a value that a call site describes, in terms of the caller's registers. Memory may have changed since the
// call.
static bool push_call_value(struct compile *c, struct call_value *v)
{
	struct compile caller = *c;
	Dwarf_Op *ops;
	size_t n;

	if (dwarf_getlocation(&v->value, &ops, &n) || !n)
		return false;
	for (size_t i = 0; i < n; i++)
		if (ops[i].atom == DW_OP_deref || ops[i].atom == DW_OP_deref_size || ops[i].atom == DW_OP_deref_type ||
		    ops[i].atom == DW_OP_GNU_deref_type || ops[i].atom == DW_OP_bra || ops[i].atom == DW_OP_skip)
			return false;
	n -= ops[n - 1].atom == DW_OP_stack_value;
	caller.callee = c;
	caller.function = &v->caller;
	caller.pc = v->returns_to - 1;
	caller.attr = &v->value;
	if (!compile_ops(&caller, ops, n) || caller.n != c->n + 1)
		return false;
	c->n = caller.n;
	memcpy(c->types, caller.types, sizeof(c->types));
	return true;
}

// Compiles DW_OP_entry_value of a value that is no longer available: the return address identifies the call, whose
// call site describes the value, and the rest of the expression is compiled with it and with other values at that call.
// After any other call the variable is not available.
static bool compile_callers(struct compile *c, Dwarf_Op *ops, size_t n, size_t at)
{
	int number = entry_register(c, &ops[at]), word = c->m->arch->word;
	struct di_op load = { .code = DI_OP_LOAD_RETURN, .size = word };
	call_values values = { 0 };
	bool some = false;

	if (number < 0 || c->depth || c->callee || (!c->returns_to && c->branches++) || !c->m->arch->entry_cfa ||
	    !call_sites(c->m, c->function, number, &values))
		return false;
	for vec_each(&values, v) {
		struct di_op op = { .code = DI_OP_BRANCH };
		struct di_location *out = NEW(struct di_location);
		struct compile taken = *c;

		if (v->returns_to == c->returns_to)
			return push_call_value(c, v) && compile_ops(c, ops + at + 1, n - at - 1);
		if (c->returns_to)
			continue;
		taken.out = out;
		taken.returns_to = v->returns_to;
		if (!push_call_value(&taken, v) || !compile_ops(&taken, ops + at + 1, n - at - 1))
			continue;
		if (!frame_address(c) || !value_offset(c, -word))
			return false;
		vec_push(&c->out->ops, load);
		if (!value_push(c, DI_OP_STATIC, v->returns_to))
			return false;
		location_add(c->out, DI_OP_EQ, 0);
		c->n -= 2;
		op.other = out;
		vec_push(&c->out->ops, op);
		some = true;
	}
	return some && value_push(c, DI_OP_ABSENT, 0);
}

// If this fails, c->why is set.
static bool compile_ops(struct compile *c, Dwarf_Op *ops, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		bool branch = ops[i].atom == DW_OP_bra, skip = ops[i].atom == DW_OP_skip;
		size_t to = skip ? jump_target(c, ops, n, i) : 0;

		if (branch ? compile_branch(c, ops, n, i) : skip ? to != 0 : compile_op(c, &ops[i])) {
			if (branch)
				return true;
			i = skip ? to - 1 : i;
			continue;
		}
		if (is_entry_value(&ops[i]) && compile_callers(c, ops, n, i)) {
			c->why = NULL;
			return true;
		}
		if (!c->why)
			c->why = str_printf("its location uses %s in a way that is not supported",
					    operation_name(ops[i].atom));
		return false;
	}
	return true;
}

// ---------------------------------------------------------------- locations

// Compiles an implicit pointer: it points to a variable that is not in memory, but whose value is known.
static bool implicit_pointer(struct compile *c, Dwarf_Op *op)
{
	struct di_variable *target;
	Dwarf_Die die, type;

	if (c->depth > 3 || !c->attr || dwarf_getlocation_die(c->attr, op, &die) ||
	    !dwarf_reference(&die, DW_AT_type, &type))
		return false;
	target = NEW(struct di_variable);
	target->name = dwarf_name(&die);
	target->type = dwarf_make_type(c->m, &type);
	if (!target->type)
		return false;
	target->loc = loc_of_variable(c->m, c->function, &die, c->pc);
	c->out->kind = DI_LOC_POINTER;
	c->out->target = target;
	c->out->target_offset = op->number2;
	return target->loc.kind != DI_LOC_NONE;
}

// Stores an implicit value, whose bytes are in the expression itself.
static void constant_bytes(struct di_location *out, const Dwarf_Block *block)
{
	out->kind = DI_LOC_PIECES;
	for (size_t at = 0; at < block->length && at < 4096; at += 8) {
		size_t n = block->length - at < 8 ? block->length - at : 8;
		struct di_piece piece = { .bits = 8 * n, .loc.kind = DI_LOC_VALUE };
		int64_t value = 0;

		memcpy(&value, block->data + at, n);
		location_add(&piece.loc, DI_OP_CONST, value);
		vec_push(&out->pieces, piece);
	}
}

static bool implicit_value(struct compile *c, Dwarf_Op *op)
{
	Dwarf_Block block;

	if (!c->attr || dwarf_getlocation_implicit_value(c->attr, op, &block))
		return false;
	constant_bytes(c->out, &block);
	return true;
}

// Compiles a location that is not in pieces: a register, a value or an address.
static bool compile_whole(struct compile *c, Dwarf_Op *ops, size_t n)
{
	struct di_location *out = c->out;

	if (n == 1 && dwarf_register(ops) >= 0) {
		out->kind = DI_LOC_VALUE;
		return push_register(c, dwarf_register(ops));
	}
	if (n == 1 && (ops->atom == DW_OP_implicit_pointer || ops->atom == DW_OP_GNU_implicit_pointer))
		return implicit_pointer(c, ops);
	if (n == 1 && ops->atom == DW_OP_implicit_value)
		return implicit_value(c, ops);
	out->kind = DI_LOC_ADDRESS;
	if (n && ops[n - 1].atom == DW_OP_stack_value) {
		out->kind = DI_LOC_VALUE;
		n--;
	}
	return n && compile_ops(c, ops, n) && c->n;
}

static bool is_piece(const Dwarf_Op *op)
{
	return op->atom == DW_OP_piece || op->atom == DW_OP_bit_piece;
}

// Compiles a location of several pieces, each of which is a location and DW_OP_piece. The other pieces remain if one
// is empty or not supported.
static bool compile_pieces(struct compile *c, Dwarf_Op *ops, size_t n)
{
	struct di_location *all = c->out;
	size_t from = 0;
	bool some = false;

	all->kind = DI_LOC_PIECES;
	for (size_t i = 0; i < n; i++) {
		struct di_piece piece = { .loc.kind = DI_LOC_NONE };
		struct compile part = *c;

		if (!is_piece(&ops[i]))
			continue;
		piece.bits = ops[i].atom == DW_OP_piece ? 8 * ops[i].number : ops[i].number;
		piece.from = ops[i].atom == DW_OP_piece ? 0 : ops[i].number2;
		part.out = &piece.loc;
		if (!compile_whole(&part, ops + from, i - from) || piece.loc.kind == DI_LOC_POINTER ||
		    (piece.loc.kind == DI_LOC_PIECES && piece.loc.pieces.n != 1))
			piece.loc = (struct di_location){ .kind = DI_LOC_NONE, .why = part.why };
		else if (piece.loc.kind == DI_LOC_PIECES)        // the piece is an implicit value
			piece.loc = piece.loc.pieces.at[0].loc;
		some |= piece.loc.kind != DI_LOC_NONE;
		vec_push(&all->pieces, piece);
		c->why = c->why ? c->why : part.why;
		from = i + 1;
	}
	return some && from == n;
}

static bool compile_location(struct compile *c, Dwarf_Op *ops, size_t n)
{
	return n && is_piece(&ops[n - 1]) ? compile_pieces(c, ops, n) : compile_whole(c, ops, n);
}

// Finds the expression that is valid at pc. Empty ranges (location views: assignments without an instruction)
// describe states between two instructions, so they are skipped, except one at the function's entry, as in gdb.
static bool expression_at(const struct compile *c, Dwarf_Op **ops, size_t *n)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;

	while ((at = dwarf_getlocations(c->attr, at, &base, &start, &end, ops, n)) > 0)
		if (start <= c->pc && (c->pc < end || (start == end && c->pc == end && at_entry(c))))
			return true;
	return false;
}

// Returns the nearest line at which the variable has a location; 0: none.
static int nearest_line(const struct compile *c)
{
	Dwarf_Addr base, start, end, best = 0;
	uint64_t distance = UINT64_MAX;
	ptrdiff_t at = 0;
	Dwarf_Die unit;
	Dwarf_Line *line;
	Dwarf_Op *ops;
	int number = 0;
	size_t n;

	while ((at = dwarf_getlocations(c->attr, at, &base, &start, &end, &ops, &n)) > 0) {
		uint64_t away = start > c->pc ? start - c->pc : c->pc - start;

		if (start >= end || !n || away >= distance)
			continue;
		distance = away;
		best = start;
	}
	if (!best || !dwarf_diecu(c->function, &unit, NULL, NULL))
		return 0;
	line = dwarf_getsrc_die(&unit, best);
	return line && !dwarf_lineno(line, &number) ? number : 0;
}

// Returns whether the variable has no location at the entry because the prologue is going to load it.
static bool loaded_soon(const struct compile *c)
{
	Dwarf_Addr base, start, end, first = 0;
	uint64_t entry;
	struct compile later = *c;
	Dwarf_Op *ops, *at_first = NULL;
	ptrdiff_t at = 0;
	size_t n, n_first = 0;

	if (!dwarf_entry(c->function, &entry) || entry != c->pc)
		return false;
	while ((at = dwarf_getlocations(c->attr, at, &base, &start, &end, &ops, &n)) > 0) {
		if (start <= c->pc || start >= end || !n || (first && start >= first))
			continue;
		first = start;
		at_first = ops;
		n_first = n;
	}
	later.pc = first;
	*later.out = (struct di_location){ .kind = DI_LOC_NONE };
	return first && compile_location(&later, at_first, n_first) && prologue_rewind(c->m, entry, first, later.out);
}

static struct di_location constant_value(Dwarf_Attribute *attr)
{
	struct di_location out = { .kind = DI_LOC_NONE };
	Dwarf_Block block;
	Dwarf_Word value;

	// Constant forms of a fixed size are unsigned; negative values use DW_FORM_sdata.
	if (!dwarf_formblock(attr, &block)) {
		constant_bytes(&out, &block);
	} else if (!dwarf_formudata(attr, &value)) {
		out.kind = DI_LOC_VALUE;
		location_add(&out, DI_OP_CONST, value);
	}
	return out;
}

struct di_location loc_of_variable(struct di_module *m, Dwarf_Die *function, Dwarf_Die *variable, uint64_t pc)
{
	static int depth;          // limits recursion, since implicit pointers may lead to each other
	struct di_location out = { .kind = DI_LOC_NONE }, none = out;
	struct compile c = { .m = m, .function = function, .pc = pc, .out = &out };
	Dwarf_Attribute attr;
	Dwarf_Op *ops;
	size_t n;
	bool good;

	if (dwarf_attr_integrate(variable, DW_AT_const_value, &attr))
		return constant_value(&attr);
	if (depth > 3 || !dwarf_attr_integrate(variable, DW_AT_location, &attr))
		return none;
	c.attr = &attr;
	depth++;
	good = expression_at(&c, &ops, &n) ? compile_location(&c, ops, n) : loaded_soon(&c);
	depth--;
	if (good)
		return out;
	none.line = nearest_line(&c);
	none.why = c.why;
	return none;
}

struct di_location loc_of_member(struct di_module *m, Dwarf_Attribute *attr)
{
	struct di_location out = { .kind = DI_LOC_ADDRESS }, absent = out;
	struct compile c = { .m = m, .attr = attr, .out = &out, .n = 1 };
	bool good, known;
	Dwarf_Op *ops;
	size_t n;

	good = !dwarf_getlocation(attr, &ops, &n);
	for (size_t i = 0; good && i < n; i++) {
		good = operation_compile(&c, &ops[i], &known);
		good = known ? good : compile_constant(&c, &ops[i]);
	}
	if (good && c.n)
		return out;
	location_add(&absent, DI_OP_ABSENT, 0);
	return absent;
}
