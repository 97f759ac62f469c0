// SPDX-License-Identifier: GPL-2.0-or-later
// Locates local variables at a function's entry that its first instructions load: `dentry = rd->new_dentry` has no
// location there, but its value can be computed. In: a location that is valid after some instructions without a jump or
// a call. Out: the same value in terms of registers and memory at the entry. x86_64 only.
//
// The instructions are interpreted with symbolic register values in terms of the argument registers: a register, a
// register plus a constant, or the memory there. A register with any other value is unknown; an instruction that is not
// supported, or that may store to memory other than the stack, ends the search. Arguments on the stack, which compilers
// may locate only after the frame is set up, are found in the same way.
#include "debuginfo/dwarf/frame.h"

#include <string.h>

enum { RSP = 4, RBP = 5, MAX_INSTRUCTIONS = 64 };

struct register_value {                  // the value of a register
	enum { OTHER, STACK, KNOWN } kind;
	struct di_location as;     // KNOWN
	int64_t at;                // STACK: the value is the stack pointer at the entry plus this
	bool has_offset;            // STACK: the offset is known
};

struct machine {
	struct di_module *m;
	const uint8_t *code, *end;
	struct register_value regs[16];      // indexed by the processor's register numbers
	bool stored_above;         // the caller's part of the stack may have been overwritten
};

struct insn {
	const uint8_t *at;         // the next byte to decode
	int op;                    // opcode; two-byte opcodes are 0x0f00 and more
	bool wide, segment, is_16bit;
	int reg, rm, mod;          // fields of the ModRM byte; mod 3: rm is a register
	int base;                  // base register of the memory operand; -1: it has no base register, or an index
	int32_t offset;
};

// DWARF register number -> processor's register number
static const int8_t from_dwarf[16] = { 0, 2, 1, 3, 6, 7, 5, 4, 8, 9, 10, 11, 12, 13, 14, 15 };

static struct di_location copy(const struct di_location *l)
{
	struct di_location out = { .kind = l->kind };

	for vec_each(&l->ops, op)
		vec_push(&out.ops, *op);
	return out;
}

// ---------------------------------------------------------------- one instruction

static bool has_modrm(int op)
{
	static const uint8_t some[] = { 0x63, 0x80, 0x81, 0x83, 0x84, 0x85, 0x86, 0x88, 0x89, 0x8a, 0x8b, 0x8d, 0xc1, 0xc6,
					0xc7, 0xd1, 0xf6, 0xf7, 0xff };

	if (op >= 0x0f00)
		return op == 0x0f1f || op == 0x0fb6 || op == 0x0fb7 || op == 0x0fbe || op == 0x0fbf;
	return (op < 0x40 && (op & 7) < 4) || memchr(some, op, sizeof(some));
}

static int immediate_size(const struct insn *i)
{
	switch (i->op) {
	case 0x80: case 0x83: case 0xc1: case 0xc6:
		return 1;
	case 0x81: case 0xc7:
		return i->is_16bit ? 2 : 4;
	case 0xf6:
		return (i->reg & 7) < 2 ? 1 : 0;
	case 0xf7:
		return (i->reg & 7) < 2 ? i->is_16bit ? 2 : 4 : 0;
	}
	if (i->op >= 0xb8 && i->op <= 0xbf)
		return i->wide ? 8 : i->is_16bit ? 2 : 4;
	return 0;
}

static bool read_offset(struct insn *i, const uint8_t *end, int size)
{
	if (end - i->at < size)
		return false;
	if (size == 1)
		i->offset = (int8_t)*i->at;
	else if (size)
		memcpy(&i->offset, i->at, 4);
	i->at += size;
	return true;
}

static bool read_modrm(struct insn *i, const uint8_t *end, int rex)
{
	int byte, low;

	if (i->at == end)
		return false;
	byte = *i->at++;
	i->mod = byte >> 6;
	i->reg = (byte >> 3 & 7) | (rex & 4) << 1;
	low = byte & 7;
	i->rm = low | (rex & 1) << 3;
	i->base = i->rm;
	if (i->mod == 3)
		return true;
	if (low == RSP) {          // a SIB byte follows
		int sib;

		if (i->at == end)
			return false;
		sib = *i->at++;
		i->base = (sib >> 3 & 7) == 4 && !(rex & 2) ? (sib & 7) | (rex & 1) << 3 : -1;
		if ((sib & 7) == RBP && !i->mod) {
			i->base = -1;
			return read_offset(i, end, 4);
		}
	} else if (low == RBP && !i->mod) {      // relative to the instruction
		i->base = -1;
		return read_offset(i, end, 4);
	}
	return read_offset(i, end, i->mod == 1 ? 1 : i->mod == 2 ? 4 : 0);
}

static bool read_insn(struct insn *i, const uint8_t *end)
{
	int rex = 0;

	for (; i->at < end; i->at++) {
		if (*i->at == 0x65 || *i->at == 0x64)
			i->segment = true;
		else if (*i->at == 0x66)
			i->is_16bit = true;
		else
			break;
	}
	if (i->at < end && (*i->at & 0xf0) == 0x40)
		rex = *i->at++;
	i->wide = rex & 8;
	if (i->at == end)
		return false;
	i->op = *i->at++;
	if (i->op == 0x0f) {
		if (i->at == end)
			return false;
		i->op = 0x0f00 | *i->at++;
	}
	if (has_modrm(i->op)) {
		if (!read_modrm(i, end, rex))
			return false;
	} else if ((i->op & 0xf0) == 0x50 || (i->op & 0xf0) == 0xb0) {
		i->rm = (i->op & 7) | (rex & 1) << 3;
	}
	if (end - i->at < immediate_size(i))
		return false;
	i->at += immediate_size(i);
	return true;
}

// ---------------------------------------------------------------- effects of instructions

static void forget(struct machine *k, int reg)
{
	k->regs[reg].kind = OTHER;
}

// Marks the value of a byte register as unknown: without a REX prefix, numbers 4 to 7 are ah, ch, dh and bh.
static void forget_byte(struct machine *k, int reg)
{
	if (reg >= 4 && reg < 8)
		forget(k, reg - 4);
	if (reg != RSP)
		forget(k, reg);
}

// Returns whether the store is allowed: only stores to the stack are, on which the followed values do not depend.
static bool may_store(struct machine *k, const struct insn *i)
{
	const struct register_value *to = i->base >= 0 ? &k->regs[i->base] : NULL;

	if (i->segment || !to || to->kind != STACK)
		return false;
	k->stored_above |= !to->has_offset || to->at + i->offset + 8 > 0;
	return true;
}

static bool push(struct machine *k, const struct insn *i)
{
	struct register_value *sp = &k->regs[RSP];

	sp->at -= 8;
	k->stored_above |= sp->at >= 0;
	return !i->is_16bit;
}

static void load(struct machine *k, const struct insn *i)
{
	struct di_op op = { .code = DI_OP_LOAD, .size = 8 };
	struct register_value value = { .kind = OTHER };

	if (!i->segment && i->wide && i->base >= 0 && k->regs[i->base].kind == KNOWN) {
		value.kind = KNOWN;
		value.as = copy(&k->regs[i->base].as);
		location_offset(&value.as, i->offset);
		vec_push(&value.as.ops, op);
	}
	k->regs[i->reg] = value;
}

static void address(struct machine *k, const struct insn *i)
{
	struct register_value value = { .kind = OTHER };

	if (i->wide && i->base >= 0) {
		value.kind = k->regs[i->base].kind;
		value.as = copy(&k->regs[i->base].as);
		if (value.kind == KNOWN)
			location_offset(&value.as, i->offset);
		value.at = k->regs[i->base].at + i->offset;
		value.has_offset = k->regs[i->base].has_offset;
	}
	k->regs[i->reg] = value;
}

// Interprets an instruction that sets up or aligns the frame.
static void move_stack(struct machine *k, const struct insn *i, int what)
{
	struct register_value *sp = &k->regs[RSP];
	int32_t by = 0;

	if (i->op == 0x83)
		by = (int8_t)i->at[-1];
	else if (i->op == 0x81 && !i->is_16bit)
		memcpy(&by, i->at - 4, 4);
	if (by && (what == 0 || what == 5))
		sp->at += what ? -(int64_t)by : by;
	else
		sp->has_offset = false;
}

// Interprets add, or, and, sub, xor; `what` is the processor's number of the operation, and 7 is cmp.
static bool arithmetic(struct machine *k, const struct insn *i, int what, bool to_reg)
{
	int to = to_reg ? i->reg : i->rm;
	bool is_byte = i->op < 0x40 ? !(i->op & 1) : i->op == 0x80;

	if (what == 7)
		return true;
	if (!to_reg && i->mod != 3)
		return may_store(k, i);
	if (is_byte)
		forget_byte(k, to);
	else if (to == RSP)        // the offset of the stack pointer may still be known
		move_stack(k, i, what);
	else
		forget(k, to);
	return true;
}

static bool move(struct machine *k, const struct insn *i)
{
	bool to_reg = i->op & 2;
	int to = to_reg ? i->reg : i->rm, from = to_reg ? i->rm : i->reg;

	if (i->mod != 3 && !to_reg)
		return may_store(k, i);
	if (!(i->op & 1))
		forget_byte(k, to);
	else if (i->mod != 3)
		load(k, i);
	else if (i->wide)
		k->regs[to] = (struct register_value){ k->regs[from].kind, copy(&k->regs[from].as), k->regs[from].at,
							  k->regs[from].has_offset };
	else
		forget(k, to);
	return true;
}

// Interprets one instruction. False: not supported.
static bool execute(struct machine *k, const struct insn *i)
{
	if (i->op < 0x40)
		return (i->op & 7) < 4 && arithmetic(k, i, i->op >> 3, i->op & 2);
	if ((i->op & 0xf8) == 0x50)            // push
		return push(k, i);
	if (i->op >= 0xb8 && i->op <= 0xbf) {
		forget(k, i->rm);
		return true;
	}
	switch (i->op) {
	case 0x90: case 0x0f1f: case 0x84: case 0x85:
		return true;
	case 0x80: case 0x81: case 0x83:
		return arithmetic(k, i, i->reg & 7, false);
	case 0x88: case 0x89: case 0x8a: case 0x8b:
		return move(k, i);
	case 0x8d:
		address(k, i);
		return true;
	case 0xc6: case 0xc7: case 0xc1: case 0xd1:
		if (i->mod != 3)
			return may_store(k, i);
		forget_byte(k, i->rm);
		forget(k, i->rm);
		return i->rm != RSP;
	case 0x63: case 0x0fb6: case 0x0fb7: case 0x0fbe: case 0x0fbf:
		forget(k, i->reg);
		return true;
	case 0xf6: case 0xf7:
		return (i->reg & 7) < 2;       // test
	case 0xff:
		return (i->reg & 7) == 6 && push(k, i);
	}
	return false;
}

// ---------------------------------------------------------------- the way from the entry

static void begin(struct machine *k)
{
	for (int n = 0; n < 16; n++)
		k->regs[n].kind = OTHER;
	k->regs[RSP] = (struct register_value){ .kind = STACK, .has_offset = true };
	for (int n = 0; k->m->arch->args[n] >= 0 && n < 6; n++) {
		struct register_value *r = &k->regs[from_dwarf[k->m->arch->args[n]]];

		r->kind = KNOWN;
		r->as = location_register(k->m->arch->args[n]);
	}
}

// Skips the call of __fentry__ at the entry, which preserves all registers.
static void skip_entry(struct machine *k)
{
	static const uint8_t endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };

	if (k->end - k->code >= 4 && !memcmp(k->code, endbr64, 4))
		k->code += 4;
	if (!k->m->is_user && k->end - k->code >= 5 && *k->code == 0xe8)
		k->code += 5;
}

// Interprets from the entry to k->end. False: an instruction is not supported.
static bool run(struct machine *k)
{
	const uint8_t *start = k->code;

	begin(k);
	skip_entry(k);
	for (int n = 0; k->code < k->end; n++) {
		struct insn i = { .at = k->code, .base = -1 };

		if (n == MAX_INSTRUCTIONS || !read_insn(&i, k->end) || !execute(k, &i))
			return false;
		k->code = i.at;
	}
	return k->code == k->end && k->code > start;
}

static bool splice(struct di_location *out, const struct register_value *r)
{
	if (r->kind != KNOWN)
		return false;
	for vec_each(&r->as.ops, op)
		vec_push(&out->ops, *op);
	return true;
}

// Finds an argument on the stack that has not been overwritten.
static bool rewind_argument(const struct machine *k, struct di_location *l)
{
	const struct di_op *ops = l->ops.at;
	const struct register_value *base;
	int64_t at;

	if (l->kind != DI_LOC_ADDRESS || k->stored_above || !l->ops.n || ops->code != DI_OP_REG || ops->value < 0 ||
	    ops->value > 15 || (l->ops.n != 1 && l->ops.n != 3) ||
	    (l->ops.n == 3 && (ops[1].code != DI_OP_CONST || ops[2].code != DI_OP_ADD)))
		return false;
	base = &k->regs[from_dwarf[ops->value]];
	at = base->at + (l->ops.n == 3 ? ops[1].value : 0);
	if (base->kind != STACK || !base->has_offset || at < k->m->arch->entry_cfa)
		return false;
	*l = (struct di_location){ .kind = DI_LOC_ADDRESS };
	location_add(l, DI_OP_REG, k->m->arch->stack_pointer);
	location_offset(l, at);
	return true;
}

// Returns the code of the function's section, in the file that has its bytes.
static struct bytes code_between(const struct di_module *m, uint64_t from, uint64_t to)
{
	const struct elf_view *v = m->program ? &m->view : NULL;
	struct bytes none = { 0 };
	struct elf_view kernel;

	if (!v && m->dwarf && elf_view_open(&kernel, m->dwarf->map))
		v = &kernel;
	for (int i = 0; v && i < v->n; i++) {
		const Elf64_Shdr *s = &v->sections[i];

		if (s->sh_type == SHT_PROGBITS && s->sh_flags & SHF_EXECINSTR && from >= s->sh_addr && to >= from &&
		    to - s->sh_addr <= s->sh_size && s->sh_offset + s->sh_size <= v->file.len)
			return (struct bytes){ v->file.at + s->sh_offset + (from - s->sh_addr), to - from };
	}
	return none;
}

bool prologue_rewind(struct di_module *m, uint64_t entry, uint64_t pc, struct di_location *l)
{
	struct bytes code = code_between(m, entry, pc);
	struct machine k = { .m = m, .code = code.at, .end = code.at + code.len };
	struct di_location out = { .kind = l->kind };

	if (m->arch->elf_machine != EM_X86_64 || (l->kind != DI_LOC_VALUE && l->kind != DI_LOC_ADDRESS) || !run(&k))
		return false;
	if (rewind_argument(&k, l))
		return true;
	for vec_each(&l->ops, op) {
		if (op->code == DI_OP_BRANCH)
			return false;
		if (op->code != DI_OP_REG)
			vec_push(&out.ops, *op);
		else if (op->value < 0 || op->value > 15 || !splice(&out, &k.regs[from_dwarf[op->value]]))
			return false;
	}
	*l = out;
	return true;
}
