// SPDX-License-Identifier: GPL-2.0-or-later
// Locations of debuginfo as plain expressions. In: a di_variable. Out: E_REGISTER, E_DEREF, E_STATIC and arithmetic;
// for a variable that is neither in memory nor a single number, an E_TARGET that refers to it, until a member of it is
// accessed.
#include "elab/target.h"

// ---------------------------------------------------------------- small expressions

struct expr *target_binary(struct loc loc, enum tok op, struct expr *l, struct expr *r)
{
	struct expr *e = expr_binary(loc, op, l, r);

	e->type = T_LONG;
	return e;
}

struct expr *target_add(struct loc loc, struct expr *e, int64_t offset)
{
	if (e->kind == E_NUMBER)
		return expr_number(loc, (int64_t)((uint64_t)e->u.number + (uint64_t)offset));
	if (e->kind == E_BINARY && e->u.bin.op == TOK_ADD && e->u.bin.r->kind == E_NUMBER) {
		offset = (int64_t)((uint64_t)offset + (uint64_t)e->u.bin.r->u.number);
		e = e->u.bin.l;
	}
	return offset ? target_binary(loc, TOK_ADD, e, expr_number(loc, offset)) : e;
}

struct expr *target_load(struct loc loc, struct expr *addr, int size, bool is_signed, bool user)
{
	struct expr *e = expr_new(E_DEREF, loc);

	e->type = T_LONG;
	e->u.deref.addr = addr;
	e->u.deref.size = size;
	e->u.deref.is_signed = is_signed;
	e->u.deref.user = user;
	return e;
}

// Returns the `bits` bits from bit `from` of e.
struct expr *target_extract(struct loc loc, struct expr *e, int from, int bits, bool is_signed)
{
	if (bits <= 0 || from + bits > 64)
		return e;
	if (!is_signed && from + bits == 64)
		return from ? target_binary(loc, TOK_USHR, e, expr_number(loc, from)) : e;
	if (!is_signed) {
		if (from)
			e = target_binary(loc, TOK_SHR, e, expr_number(loc, from));
		return target_binary(loc, TOK_AND, e, expr_number(loc, (int64_t)((1ull << bits) - 1)));
	}
	if (64 - from - bits)
		e = target_binary(loc, TOK_SHL, e, expr_number(loc, 64 - from - bits));
	return bits < 64 ? target_binary(loc, TOK_SHR, e, expr_number(loc, 64 - bits)) : e;
}

static bool is_float(const struct di_type *t)
{
	return t->kind == DI_FLOAT && t->size == 4;
}

static struct expr *widen(struct loc loc, struct expr *e)
{
	struct expr *made = expr_new(E_UNARY, loc);

	made->type = T_LONG;
	made->u.un.op = TOK_WIDEN;
	made->u.un.e = e;
	return made;
}

// ---------------------------------------------------------------- the stack machine

static struct expr *reg(struct loc loc, int number, int size, bool is_signed)
{
	struct expr *e = expr_new(E_REGISTER, loc);

	e->type = T_LONG;
	e->u.reg.number = number;
	e->u.reg.size = size;
	e->u.reg.is_signed = is_signed;
	return e;
}

static struct expr *fixed(struct loc loc, const struct di_static *variable, const char *name)
{
	struct expr *e = variable ? expr_new(E_STATIC, loc) : NULL;

	if (e) {
		e->type = T_LONG;
		e->u.fixed.variable = variable;
		e->u.fixed.symbol = name;
	}
	return e;
}

static enum tok operator_of(enum di_opcode code)
{
	switch (code) {
	case DI_OP_ADD: return TOK_ADD;
	case DI_OP_SUB: return TOK_SUB;
	case DI_OP_MUL: return TOK_MUL;
	case DI_OP_DIV: case DI_OP_UDIV: return TOK_DIV;
	case DI_OP_MOD: case DI_OP_UMOD: return TOK_MOD;
	case DI_OP_AND: return TOK_AND;
	case DI_OP_OR:  return TOK_OR;
	case DI_OP_XOR: return TOK_XOR;
	case DI_OP_SHL: return TOK_SHL;
	case DI_OP_SHR: return TOK_USHR;
	case DI_OP_SRA: return TOK_SHR;
	case DI_OP_EQ:  return TOK_EQ;
	case DI_OP_NE:  return TOK_NE;
	case DI_OP_LT: case DI_OP_ULT: return TOK_LT;
	case DI_OP_LE: case DI_OP_ULE: return TOK_LE;
	case DI_OP_GT: case DI_OP_UGT: return TOK_GT;
	case DI_OP_GE: case DI_OP_UGE: return TOK_GE;
	default:        return TOK_NONE;
	}
}

#define MAX_STACK 32
#define MAX_NODES 2000         // limits copies of copies, which grow exponentially

struct machine {
	struct loc loc;
	struct di_module *module;
	const char *name;
	struct expr *stack[MAX_STACK];
	int n;
	int nodes;
};

static struct expr *absent(struct loc loc)
{
	struct expr *e = target_binary(loc, TOK_DIV, expr_number(loc, 0), expr_number(loc, 0));

	e->u.bin.of_location = LOCATION_ABSENT;
	return e;
}

// Returns the value that the operation pushes, or NULL if it cannot be expressed.
static struct expr *push_of(struct machine *m, const struct di_op *op)
{
	switch (op->code) {
	case DI_OP_CONST:  return expr_number(m->loc, op->value);
	case DI_OP_REG:    return reg(m->loc, op->value, 8, false);
	case DI_OP_STATIC: return fixed(m->loc, di_find_static(m->module, op->value), m->name);
	case DI_OP_THREAD: return fixed(m->loc, di_find_thread(m->module, op->value), m->name);
	case DI_OP_ABSENT: return absent(m->loc);
	case DI_OP_PICK:
		if (op->value < 0 || op->value >= m->n)
			return NULL;
		m->nodes *= 2;
		return expr_copy(m->stack[m->n - 1 - op->value]);
	default:           return NULL;
	}
}

static struct expr *unary(struct machine *m, const struct di_op *op, struct expr *e)
{
	struct expr *made;

	if (op->code == DI_OP_LOAD || op->code == DI_OP_LOAD_RETURN) {
		made = target_load(m->loc, e, op->size, op->is_signed, di_is_user(m->module));
		made->u.deref.is_return = op->code == DI_OP_LOAD_RETURN;
		return made;
	}
	made = expr_new(E_UNARY, m->loc);
	made->type = T_LONG;
	made->u.un.op = op->code == DI_OP_NEG ? TOK_SUB : TOK_COMPL;
	made->u.un.e = e;
	return made;
}

// Comparing unsigned numbers is comparing signed numbers whose sign bits are inverted.
static struct expr *invert_sign_bit(struct loc loc, struct expr *e)
{
	if (e->kind == E_NUMBER)
		return expr_number(loc, e->u.number ^ INT64_MIN);
	return target_binary(loc, TOK_XOR, e, expr_number(loc, INT64_MIN));
}

static struct expr *binary(struct machine *m, enum di_opcode code, struct expr *l, struct expr *r)
{
	bool is_unsigned = code == DI_OP_UDIV || code == DI_OP_UMOD, divides = is_unsigned || code == DI_OP_DIV ||
									       code == DI_OP_MOD;
	struct expr *made;

	if (code == DI_OP_ADD && r->kind == E_NUMBER)
		return target_add(m->loc, l, r->u.number);
	if (code == DI_OP_ULT || code == DI_OP_ULE || code == DI_OP_UGT || code == DI_OP_UGE) {
		l = invert_sign_bit(m->loc, l);
		r = invert_sign_bit(m->loc, r);
	}
	made = target_binary(m->loc, operator_of(code), l, r);
	if (divides)
		made->u.bin.of_location = is_unsigned ? LOCATION_UNSIGNED : LOCATION_SIGNED;
	return made;
}

static bool permute(struct machine *m, enum di_opcode code)
{
	struct expr **top = m->stack + m->n - 1, *e = *top;
	int deep = code == DI_OP_ROT ? 2 : code == DI_OP_SWAP ? 1 : 0;

	for (int i = 0; i < deep; i++)
		top[-i] = top[-i - 1];
	top[-deep] = e;
	m->n -= code == DI_OP_DROP;
	return true;
}

static int operands(enum di_opcode code)
{
	switch (code) {
	case DI_OP_CONST: case DI_OP_REG: case DI_OP_STATIC: case DI_OP_THREAD: case DI_OP_PICK:
	case DI_OP_ABSENT:
		return 0;
	case DI_OP_LOAD: case DI_OP_LOAD_RETURN: case DI_OP_NEG: case DI_OP_NOT: case DI_OP_DROP: return 1;
	case DI_OP_ROT: return 3;
	default: return 2;
	}
}

static bool step(struct machine *m, const struct di_op *op)
{
	int pops = operands(op->code);
	struct expr *made, **top = m->stack + m->n - 1;

	if (m->n < pops || (!pops && m->n == MAX_STACK) || ++m->nodes > MAX_NODES)
		return false;
	if (op->code == DI_OP_DROP || op->code == DI_OP_SWAP || op->code == DI_OP_ROT)
		return permute(m, op->code);
	if (!pops)
		made = push_of(m, op);
	else if (pops == 1)
		made = unary(m, op, top[0]);
	else
		made = binary(m, op->code, top[-1], top[0]);
	m->n -= pops;
	m->stack[m->n++] = made;
	return made != NULL;
}

static struct expr *run(struct machine *m, const struct di_location *l);

// Evaluates the rest of the expression, or of another one, on a copy of the stack.
static struct expr *branch(struct machine *m, const struct di_location *l, int at)
{
	struct machine other = *m;
	struct expr *e = expr_new(E_COND, m->loc);

	if (!m->n)
		return NULL;
	e->type = T_LONG;
	e->u.cond.c = m->stack[--m->n];
	other.n = m->n;
	for (int i = 0; i < other.n; i++)
		other.stack[i] = expr_copy(other.stack[i]);
	other.nodes *= m->n ? 2 : 1;
	e->u.cond.a = run(&other, l->ops.at[at].other);
	m->nodes = other.nodes;
	struct di_location rest = { .kind = l->kind };

	for (int i = at + 1; i < l->ops.n; i++)
		vec_push(&rest.ops, l->ops.at[i]);
	e->u.cond.b = run(m, &rest);
	return e->u.cond.a && e->u.cond.b ? e : NULL;
}

static struct expr *run(struct machine *m, const struct di_location *l)
{
	for (int i = 0; i < l->ops.n; i++) {
		if (l->ops.at[i].code == DI_OP_BRANCH)
			return branch(m, l, i);
		if (!step(m, &l->ops.at[i]))
			return NULL;
	}
	return m->n ? m->stack[m->n - 1] : NULL;
}

// Returns NULL if the location cannot be expressed.
static struct expr *evaluate(struct loc loc, const struct di_variable *v, const struct di_location *l)
{
	struct machine m = { .loc = loc, .module = v->type->module, .name = v->name };

	return run(&m, l);
}

struct expr *target_virtual(const struct lvalue *p, const struct di_virtual *base)
{
	struct machine m = { .loc = p->loc, .module = p->type->module, .name = "", .n = 1 };
	struct expr *in, *e;

	if (!p->addr)
		return absent(p->loc);
	in = base->from ? target_virtual(p, base->from) : expr_copy(p->addr);
	m.stack[0] = target_add(p->loc, in, base->offset);
	e = run(&m, base->address);
	return e ? e : absent(p->loc);
}

// ---------------------------------------------------------------- scattered values

// Returns `n` bits from bit `from` of the value at the location.
static struct expr *bits_of(struct loc loc, const struct di_variable *v, const struct di_location *l, uint64_t from,
			    int n)
{
	struct expr *e = l->kind == DI_LOC_NONE ? NULL : evaluate(loc, v, l);

	if (!e || l->kind == DI_LOC_VALUE)
		return e && from <= 64 && from + n <= 64 ? target_extract(loc, e, from, n, false) : NULL;
	return target_load_bits(loc, target_add(loc, e, from / 8), from % 8, n, di_is_user(v->type->module));
}

// Returns `n` bits from bit `from` of the variable, combined from its pieces.
static struct expr *gather(struct loc loc, const struct di_variable *v, uint64_t from, int n, const char **why)
{
	struct expr *all = NULL;
	uint64_t start = 0;
	int have = 0;

	if (v->loc.kind != DI_LOC_PIECES)
		return bits_of(loc, v, &v->loc, from, n);
	for vec_each(&v->loc.pieces, piece) {
		uint64_t end = start + piece->bits, first = from + have;

		if (have < n && first >= start && first < end) {
			int take = end - first < (uint64_t)(n - have) ? (int)(end - first) : n - have;
			struct expr *part = bits_of(loc, v, &piece->loc, piece->from + first - start, take);

			if (!part) {
				*why = piece->loc.why;
				return NULL;
			}
			if (have)
				part = target_binary(loc, TOK_SHL, part, expr_number(loc, have));
			all = all ? target_binary(loc, TOK_OR, all, part) : part;
			have += take;
		}
		start = end;
	}
	return have == n ? all : NULL;
}

struct expr *target_load_composite(const struct lvalue *p)
{
	const struct di_variable *v = p->composite;
	int bits = p->bit_size ? p->bit_size : (int)p->type->size * 8;
	const char *why = NULL;
	struct expr *e = NULL;

	if (v->loc.kind == DI_LOC_POINTER)
		diag_error(p->loc, "\"%s\" points to a variable that is not in memory: read the variable as $%s->MEMBER or "
			   "$%s[0]", v->name, v->name, v->name);
	else if (type_is_aggregate(p->type) || bits > 64 || !bits)
		diag_error(p->loc, "\"%s\" is not in memory, and a %s cannot be read as a number: read a member",
			   v->name, p->type->name);
	else if (!(e = gather(p->loc, v, 8 * p->at + p->bit_offset, bits, &why)))
		diag_error(p->loc, "this part of \"%s\" %s%s", v->name, why ? "cannot be read here: " :
			   "was optimised out here", why ?: "");
	if (e && p->type->is_signed)
		e = target_extract(p->loc, e, 0, bits, true);
	if (e && is_float(p->type))
		e = widen(p->loc, e);
	if (e && (e->kind != E_BINARY || e->dtype))
		e = target_binary(p->loc, TOK_ADD, e, expr_number(p->loc, 0));
	if (e)
		e->dtype = p->type;
	return e;
}

bool target_follow_composite(struct lvalue *p, struct di_type *target)
{
	const struct di_variable *v = p->composite->loc.target;
	int64_t offset = p->composite->loc.target_offset;
	struct lvalue to = { .loc = p->loc, .type = target };

	if (v->loc.kind == DI_LOC_ADDRESS) {
		to.addr = evaluate(p->loc, v, &v->loc);
		to.addr = to.addr ? target_add(p->loc, to.addr, offset) : NULL;
	} else {
		to.composite = v;
		to.at = offset;
	}
	*p = to;
	return to.composite || to.addr;
}

// ---------------------------------------------------------------- variables

static struct expr *value_of_size(struct loc loc, struct expr *e, const struct di_type *t)
{
	if (e->kind == E_REGISTER) {
		e->u.reg.size = t->size;
		e->u.reg.is_signed = t->is_signed;
		e->u.reg.is_float = is_float(t);
		return e;
	}
	if (is_float(t))
		return widen(loc, e);
	return t->size && t->size < 8 ? target_extract(loc, e, 0, t->size * 8, t->is_signed) : e;
}

static struct expr *composite_target(struct loc loc, const struct di_variable *v)
{
	struct di_variable *copy = NEW(struct di_variable);
	struct expr *e = expr_new(E_TARGET, loc);

	*copy = *v;
	e->type = T_LONG;
	e->dtype = v->type;
	e->u.target.name = v->name;
	e->u.target.composite = copy;
	return e;
}

static struct expr *optimised_out(struct loc loc, const struct di_variable *v)
{
	if (v->loc.why)
		diag_error(loc, "\"%s\" (%s) cannot be read here: %s", v->name, v->type->name, v->loc.why);
	else if (v->loc.line)
		diag_error(loc, "\"%s\" (%s) has no readable location here: it was optimised out, or does not fit a register; "
			   "it can be read at line %d", v->name, v->type->name, v->loc.line);
	else
		diag_error(loc, "\"%s\" (%s) has no readable location here: it was optimised out, or does not fit a "
			   "register", v->name, v->type->name);
	return NULL;
}

struct expr *target_variable(struct loc loc, const struct di_variable *v)
{
	struct lvalue p = { .loc = loc, .type = v->type };
	bool whole = v->loc.kind == DI_LOC_VALUE || v->loc.kind == DI_LOC_ADDRESS;
	struct expr *e = whole ? evaluate(loc, v, &v->loc) : NULL;

	if (v->loc.kind == DI_LOC_NONE || (whole && !e))
		return optimised_out(loc, v);
	if (!target_check_format(loc, v->type))
		return NULL;
	if (v->loc.kind == DI_LOC_ADDRESS) {
		p.addr = e;
		return lvalue_load(&p);
	}
	if (type_is_aggregate(v->type) || v->loc.kind == DI_LOC_POINTER)
		return composite_target(loc, v);
	if (v->loc.kind == DI_LOC_PIECES) {
		p.composite = v;
		return target_load_composite(&p);
	}
	e = value_of_size(loc, e, v->type);
	e->dtype = v->type;
	return e;
}
