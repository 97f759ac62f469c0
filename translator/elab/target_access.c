// SPDX-License-Identifier: GPL-2.0-or-later
// Variables and fields of debuginfo as plain expressions.
//
// In: a di_variable, or an expression with a debuginfo type and the components after it. Out: E_REGISTER, E_DEREF
// and arithmetic. An aggregate's value is its address. Loads are delayed as long as possible (struct lvalue), so
// that a->b.c takes two loads.
#include "elab/renamed.h"
#include "elab/target.h"
#include "util/foreign_words.h"
#include "util/str.h"

#include <ctype.h>
#include <string.h>

// ---------------------------------------------------------------- lvalues

bool type_is_aggregate(const struct di_type *t)
{
	return t->kind == DI_STRUCT || t->kind == DI_UNION || t->kind == DI_ARRAY || t->kind == DI_FUNCTION;
}

struct lvalue lvalue_of(struct expr *base)
{
	struct lvalue p = { .loc = base->loc, .type = base->dtype };

	if (base->kind == E_TARGET)
		p.composite = base->u.target.composite;
	else if (type_is_aggregate(p.type))
		p.addr = base;
	else if (base->kind == E_DEREF && !base->u.deref.size_expr)
		p.addr = base->u.deref.addr;       // for "&"
	else
		p.value = base;
	return p;
}

bool target_check_format(struct loc loc, const struct di_type *t)
{
	const char *why = di_unreadable(t);

	if (why)
		diag_error(loc, "a value of the type %s cannot be read, because it is %s: \"&\" takes its address, from which "
			   "%s_long() reads 8 bytes", t->name, why, di_is_user(t->module) ? "user" : "kernel");
	return !why;
}

static bool is_number_size(uint64_t size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

struct expr *target_load_bits(struct loc loc, struct expr *base, int from, int bits, bool user)
{
	struct bit_part parts[MAX_BIT_PARTS];
	int n = bit_parts(from, bits, parts);
	struct expr *all = NULL;

	for (int i = 0; i < n; i++) {
		struct expr *addr = target_add(loc, i ? expr_copy(base) : base, parts[i].offset), *e;

		e = target_load(loc, addr, parts[i].size, false, user);
		e = target_extract(loc, e, parts[i].from, parts[i].bits, false);
		if (parts[i].at)
			e = target_binary(loc, TOK_SHL, e, expr_number(loc, parts[i].at));
		all = all ? target_binary(loc, TOK_OR, all, e) : e;
	}
	return all;
}

// Returns the 10 bytes of an x87 number, converted to a double.
static struct expr *load_x87(const struct lvalue *p)
{
	bool user = di_is_user(p->type->module);
	struct expr *exponent = target_load(p->loc, target_add(p->loc, expr_copy(p->addr), 8), 2, false, user);

	return target_binary(p->loc, TOK_WIDEN, target_load(p->loc, p->addr, 8, false, user), exponent);
}

struct expr *lvalue_load(const struct lvalue *p)
{
	struct expr *e;
	int size = p->type->size;

	if (p->value)
		return p->value;
	if (!target_check_format(p->loc, p->type))
		return NULL;
	if (p->composite)
		return target_load_composite(p);
	if (type_is_aggregate(p->type)) {
		e = target_add(p->loc, p->addr, 0);
		if (e->dtype && e->dtype != p->type)
			e = target_binary(p->loc, TOK_ADD, e, expr_number(p->loc, 0));
	} else if (p->by_parts && p->bit_size <= 64) {
		e = target_load_bits(p->loc, p->addr, p->bit_offset, p->bit_size, di_is_user(p->type->module));
		e = p->type->is_signed ? target_extract(p->loc, e, 0, p->bit_size, true) : e;
	} else if (di_is_x87(p->type)) {
		e = load_x87(p);
	} else if (is_number_size(size)) {
		// The type determines whether the memory is the kernel's or a process's.
		e = target_load(p->loc, p->addr, size, p->type->is_signed && !p->bit_size, di_is_user(p->type->module));
		e->u.deref.is_float = p->type->kind == DI_FLOAT && size == 4;
		e->u.deref.member = p->type->kind == DI_POINTER || p->type->kind == DI_FLOAT ? NULL : p->member;
		if (e->u.deref.member && p->bit_size) {
			e->u.deref.is_signed = p->type->is_signed;
			e->u.deref.bit_offset = p->bit_offset;
			e->u.deref.bit_size = p->bit_size;
		} else if (p->bit_size) {
			e = target_extract(p->loc, e, p->bit_offset, p->bit_size, p->type->is_signed);
		}
	} else {
		diag_error(p->loc, "a value of the type %s (%d bytes) cannot be read as a number: \"&\" takes its address, "
			   "from which %s_long() reads 8 bytes", p->type->name, size, di_is_user(p->type->module) ? "user" : "kernel");
		return NULL;
	}
	e->dtype = p->type;
	return e;
}

void target_check_printed(const struct expr *e)
{
	if (e->dtype && e->dtype->kind == DI_FLOAT && e->type == T_LONG)
		diag_error(e->loc, "a %s cannot be printed as an integer: print fp_to_string(value, 2), or its bits with %%x",
			   e->dtype->name);
	target_warn_address(e, "this prints");
}

bool target_check_value(struct loc loc, const struct di_type *t)
{
	const char *p;

	if (t->kind != DI_STRUCT && t->kind != DI_UNION)
		return true;
	diag_error(loc, "\"%s\" has no single value: name a member with ->, take the address with &, or print all of "
		   "it with $", t->name);
	p = loc.source ? diag_line(loc.source, loc.line) + loc.column - 1 : "";
	p += strspn(p, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
	if (p[0] == '.' && (isalpha((unsigned char)p[1]) || p[1] == '_'))
		diag_note(loc, "\".\" concatenates strings: use -> for the members of a member, too");
	return false;
}

// Returns the load of p, as the left side of an assignment; NULL after diag_error().
static struct expr *assignable(const struct lvalue *p)
{
	struct expr *e;

	if (type_is_aggregate(p->type)) {
		diag_error(p->loc, "a value of the type %s cannot be assigned to: name a member or an element",
			   p->type->name);
		return NULL;
	}
	if (p->composite || (p->value && (p->value->kind != E_REGISTER || p->value->u.reg.number >= DI_VECTOR))) {
		diag_error(p->loc, "this value has no single location, so it cannot be assigned to");
		return NULL;
	}
	if (p->value)
		return p->value;
	if (!is_number_size(p->type->size) || p->type->kind == DI_FLOAT || di_unreadable(p->type)) {
		diag_error(p->loc, "a value of the type %s cannot be assigned to", p->type->name);
		return NULL;
	}
	e = target_load(p->loc, p->addr, p->type->size, p->type->is_signed, di_is_user(p->type->module));
	e->u.deref.bit_offset = p->bit_offset;
	e->u.deref.bit_size = p->bit_size;
	e->u.deref.by_parts = p->by_parts;
	e->dtype = p->type;
	return e;
}

static void add_names(const void *from, name_list *out)
{
	for vec_each((const name_list *)from, name)
		vec_push(out, *name);
}

const char *target_similar(const char *wanted, const name_list *names)
{
	enum { MOST = 12 };
	const char *similar = diag_similar(wanted, add_names, names);
	struct buf b = { 0 };

	if (str_in_list(names, wanted))
		return ", where it " DI_NO_TYPE;
	if (*similar || !names->n || !diag_prints())
		return similar;
	for (int i = 0; i < names->n && i < MOST; i++)
		buf_printf(&b, "%s%s", i ? ", " : "", names->at[i]);
	return str_printf(" (available: %s%s)", b.text, names->n > MOST ? ", ..." : "");
}

struct expr *target_not_found(const struct expr *target, const char *where, const char *why)
{
	const char *name = target->u.target.name, *advice = strstr(why, "write ") ? NULL : foreign_word_target(name);

	diag_error(target->loc, "unable to find \"$%s\" in %s%s", name, where,
		   advice ? str_printf("%s%s %s", why, *why ? ";" : ":", advice) : why);
	diag_refer("error::pass2");
	return NULL;
}

// Dereferences a pointer: *p becomes its target. A type of NULL is void.
static bool follow(struct lvalue *p, struct loc loc)
{
	struct di_type *target = di_target(p->type);
	struct expr *pointer;

	if (!target) {
		diag_error(loc, "a %s points to an unknown type: give the type with @cast", p->type->name);
		return false;
	}
	if (p->composite && p->composite->loc.kind == DI_LOC_POINTER)
		return target_follow_composite(p, target);
	pointer = lvalue_load(p);
	if (!pointer)
		return false;
	*p = (struct lvalue){ .loc = loc, .addr = pointer, .type = target, .relocates = p->relocates };
	return true;
}

struct lvalue lvalue_member(const struct lvalue *p, const struct di_member *m)
{
	bool relocates = p->relocates && !p->composite;
	struct lvalue made = {
		.loc = p->loc,
		.addr = p->composite || relocates ? NULL : target_add(p->loc, p->addr, m->offset),
		.composite = p->composite,
		.at = p->at + m->offset,
		.type = m->type,
		.bit_offset = m->bit_offset,
		.bit_size = m->bit_size,
		.by_parts = m->by_parts,
		.relocates = p->relocates,
	};

	if (relocates)
		target_relocate_member(&made, p, m);
	if (m->from) {
		made.addr = target_add(p->loc, target_virtual(p, m->from), m->offset);
		made.composite = NULL;
	}
	return made;
}

// Reports a member that is not found or, for the reason `why`, cannot be read.
static void refuse_member(const struct di_type *type, struct loc loc, const char *name, const char *why)
{
	const char *renamed;
	name_list names = { 0 };

	if (why) {
		diag_error(loc, "the member \"%s\" of %s %s", name, type->name, why);
	} else if (di_is_incomplete(type)) {
		diag_error(loc, "the members of %s are unknown: the debuginfo of %s only declares it", type->name,
			   di_module_name(type->module));
	} else {
		renamed = renamed_member(type, name);
		di_member_names(type, &names);
		diag_error(loc, "unable to find the member \"%s\" in %s%s", name, type->name,
			   *renamed ? renamed : target_similar(name, &names));
	}
}

// Adds ->name to the lvalue; returns false after diag_error().
static bool add_field(struct lvalue *p, struct loc loc, const char *name)
{
	struct di_member m;

	if (p->type->kind == DI_POINTER && !follow(p, loc))
		return false;
	if (p->type->kind != DI_STRUCT && p->type->kind != DI_UNION) {
		diag_error(loc, "the type %s has no members", p->type->name);
		return false;
	}
	p->loc = loc;
	if (!di_find_member(p->type, name, &m)) {
		refuse_member(p->type, loc, name, m.why);
		return false;
	}
	if (m.from && p->composite) {
		diag_error(loc, "\"%s\" is in a virtual base of %s, which is not in memory here", name, p->type->name);
		return false;
	}
	*p = lvalue_member(p, &m);
	return true;
}

// Computes the byte offset of a literal index. Returns false after diag_error(). An array of one element may have any
// number of elements.
static bool literal_offset(const struct lvalue *p, struct loc loc, const struct di_type *array, int64_t index,
			   int64_t *offset)
{
	if (__builtin_mul_overflow(index, (int64_t)p->type->size, offset)) {
		diag_error(loc, "the index %lld is out of range for elements of %llu bytes", (long long)index,
			   (unsigned long long)p->type->size);
		return false;
	}
	if (array && array->count > 1 && (index < 0 || (uint64_t)index >= array->count))
		diag_warning(loc, "the index %lld is outside of the array, which has %llu elements", (long long)index,
			     (unsigned long long)array->count);
	return true;
}

// offset: the byte offset, if the index is a literal
static struct expr *element_address(const struct lvalue *p, struct loc loc, const struct di_type *element,
				    struct expr *index, int64_t offset)
{
	struct expr *size = p->relocates ? target_element_size(loc, element) : expr_number(loc, element->size);

	if (index->kind == E_NUMBER && (!offset || size->kind == E_NUMBER))
		return target_add(loc, p->addr, offset);
	return target_binary(loc, TOK_ADD, p->addr, element->size == 1 ? index : target_binary(loc, TOK_MUL, index, size));
}

// Adds [index] to the lvalue; returns false after diag_error().
static bool add_index(struct lvalue *p, struct loc loc, struct expr *index)
{
	const struct di_type *array = p->type->kind == DI_ARRAY ? p->type : NULL;
	const char *name = p->type->name;
	struct di_type *element;
	int64_t offset = 0;

	if (p->type->kind != DI_ARRAY && p->type->kind != DI_POINTER) {
		bool by_btf = p->type->module && di_module_source(p->type->module) == DI_SOURCE_BTF;

		diag_error(loc, "the type %s is not an array or a pointer%s", p->type->name,
			   by_btf ? "; BTF describes an array of arrays as one array of all elements: [ROW * "
			   "COLUMNS + COLUMN]" : "");
		return false;
	}
	if (p->type->kind == DI_POINTER) {
		if (!follow(p, loc))
			return false;
		element = p->type;
	} else {
		element = di_target(p->type);
	}
	if (!element || !element->size) {
		diag_error(loc, "the type %s cannot be indexed: the size of its elements cannot be determined", name);
		return false;
	}
	if (p->composite && index->kind != E_NUMBER) {
		diag_error(loc, "this array is in registers: its elements are accessible by literal numbers only");
		return false;
	}
	p->type = element;
	if (index->kind == E_NUMBER && !literal_offset(p, index->loc, array, index->u.number, &offset))
		return false;
	if (p->composite)
		p->at += offset;
	else
		p->addr = element_address(p, loc, element, index, offset);
	p->loc = loc;
	p->path = (struct member_path){ 0 };
	p->member = NULL;
	return true;
}

static struct expr *address_of(const struct lvalue *p, struct loc loc)
{
	struct expr *e;

	if (!p->addr) {
		diag_error(loc, "\"&\" requires a value in memory, this one is in a register");
		return NULL;
	}
	if (p->bit_size) {
		diag_error(loc, "\"&\" cannot be applied to a bit-field");
		return NULL;
	}
	e = target_binary(p->loc, TOK_ADD, p->addr, expr_number(p->loc, 0));
	e->dtype = di_pointer_to(p->type);
	return e;
}

static bool follow_components(struct lvalue *p, const struct expr *access)
{
	for vec_each(&access->u.access.comps, c)
		if (!(c->kind == COMP_FIELD ? add_field(p, c->loc, c->name) :
					      add_index(p, c->loc, c->index)))
			return false;
	return true;
}

struct expr *target_lvalue(struct expr *base, const struct expr *access)
{
	struct lvalue p;

	if (!base->dtype && base->kind != E_TARGET) {
		diag_error(base->loc, "this variable has no location that can be assigned to");
		return NULL;
	}
	p = lvalue_of(base);
	if (access && !follow_components(&p, access))
		return NULL;
	if (access && (access->u.access.pretty || access->u.access.address_of)) {
		diag_error(access->loc, "this is a value, not a location that can be assigned to");
		return NULL;
	}
	return assignable(&p);
}

struct expr *target_access(struct session *s, struct expr *base, const struct expr *access)
{
	struct lvalue p;

	if (!base->dtype && base->kind != E_TARGET) {
		diag_error(access->loc, "this value has no members, no elements and no address%s",
			   access->u.access.pretty ? "; user_string(value) is the text at an address of a process" : "");
		return NULL;
	}
	p = lvalue_of(base);
	p.relocates = s->opt.bpf_runtime && p.type->module && !di_is_user(p.type->module);
	if (!follow_components(&p, access))
		return NULL;
	if (access->u.access.pretty)
		return target_pretty(s, &p, access->u.access.pretty == 2 ? 8 : 1);
	if (access->u.access.address_of)
		return address_of(&p, access->loc);
	return target_check_value(p.loc, p.type) ? lvalue_load(&p) : NULL;
}
