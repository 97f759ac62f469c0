// SPDX-License-Identifier: GPL-2.0-or-later
// Computes frames of functions from call frame information: the canonical frame address at an address, the end of a
// function's prologue, and the locations of parameters before that.
//
// Unoptimised code stores every parameter in memory in its prologue, and its DWARF gives that location for all of the
// function. So variables of such functions are read after the prologue, and @entry() reads parameters where the caller
// passed them.
#include "debuginfo/dwarf/frame.h"
#include "debuginfo/elf/resources.h"

#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------- call frame information

// Opens .debug_frame, or .eh_frame, which separate debuginfo files lack.
static Dwarf_CFI *table_of(struct dwarf_file *f, bool of_eh)
{
	struct elf_view v;
	struct bytes section;
	Dwarf_CFI *cfi;

	if (!of_eh) {
		if (!elf_view_open(&v, f->map) || !elf_view_section(&v, ".debug_frame", &section))
			return NULL;
		return dwarf_whole(f) ? dwarf_getcfi(dwarf_whole(f)) : NULL;
	}
	if (f->module->is_user && !f->frame_elf)
		f->frame_elf = dwarf_elf(f->module->view.file);
	cfi = dwarf_getcfi_elf(f->frame_elf ? f->frame_elf : f->elf);
	if (cfi)
		resource_add(RESOURCE_CFI, cfi, 0);
	return cfi;
}

// Caches the last frame: all variables of an address use the same one.
Dwarf_Frame *frame_at(struct di_module *m, uint64_t pc)
{
	struct dwarf_file *f = m->dwarf;
	Dwarf_Op *ops;
	size_t n;

	if (!f || (f->frame && f->frame_pc == pc))
		return f ? f->frame : NULL;
	if (!f->cfi_read)
		for (int i = 0; i < 2; i++)
			f->cfi[i] = table_of(f, i);
	f->cfi_read = true;
	resource_release(RESOURCE_FRAME, f->frame);
	f->frame = NULL;
	f->frame_pc = pc;
	for (int i = 0; i < 2 && !f->frame; i++) {
		if (!f->cfi[i] || dwarf_cfi_addrframe(f->cfi[i], pc, &f->frame)) {
			f->frame = NULL;
		} else if (dwarf_frame_cfa(f->frame, &ops, &n) || !n) {
			free(f->frame);
			f->frame = NULL;
		}
	}
	if (f->frame)
		resource_add(RESOURCE_FRAME, f->frame, 0);
	return f->frame;
}

// ---------------------------------------------------------------- the prologue

// Finds the end of the prologue.
static bool body_of(Dwarf_Die *function, uint64_t *pc)
{
	Dwarf_Addr *at;
	int n = dwarf_entry_breakpoints(function, &at);

	if (n <= 0)
		return false;
	*pc = at[0];
	free(at);
	return true;
}

bool frame_base_later(struct di_module *m, Dwarf_Die *function, uint64_t *body, int64_t *from_cfa)
{
	Dwarf_Attribute attr;
	Dwarf_Frame *frame;
	Dwarf_Op *base, *cfa;
	size_t n;

	if (!dwarf_attr_integrate(function, DW_AT_frame_base, &attr) || dwarf_getlocation(&attr, &base, &n) || n != 1 ||
	    base->atom < DW_OP_reg0 || base->atom > DW_OP_reg31 || !body_of(function, body))
		return false;
	frame = frame_at(m, *body);
	if (!frame || dwarf_frame_cfa(frame, &cfa, &n) || n != 1 || cfa->atom != DW_OP_bregx ||
	    cfa->number != base->atom - DW_OP_reg0)
		return false;
	*from_cfa = -(int64_t)cfa->number2;
	return true;
}

// Returns the number of operations of a variable's location if it is the same in the whole function, else 0.
static size_t only_location(Dwarf_Die *variable, Dwarf_Op **ops)
{
	Dwarf_Attribute attr;
	size_t n;

	if (!dwarf_attr_integrate(variable, DW_AT_location, &attr) ||
	    (attr.form != DW_FORM_exprloc && attr.form != DW_FORM_block1) || dwarf_getlocation(&attr, ops, &n))
		return 0;
	return n;
}

// Returns whether the operation adds an offset to a register that points to the function's frame only after its
// prologue. clang uses the stack pointer or a callee-saved register for variables of a frame that it aligns.
static bool is_of_frame_register(const struct di_module *m, const Dwarf_Op *op)
{
	int native = op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31 ? arch_native(m->arch, op->atom - DW_OP_breg0) : -1;

	return native >= 0 && !(m->arch->call_clobbered & 1u << native);
}

// Returns whether the variable has one location for the whole function, in its own frame, where the prologue stores
// it or a pointer to it. Pointers are stored for variable-length arrays, and for classes of C++ that the caller
// copies.
static bool is_stored(const struct di_module *m, Dwarf_Die *variable, int64_t base)
{
	Dwarf_Op *ops;
	size_t n = only_location(variable, &ops);

	return (n == 1 || (n == 2 && ops[1].atom == DW_OP_deref)) &&
	       ((ops->atom == DW_OP_fbreg && base + (int64_t)ops->number < 0) || is_of_frame_register(m, ops));
}

// Returns whether the caller passes the address of its copy of the argument. clang may describe that by a location
// relative to the register.
static bool by_reference(const struct di_module *m, Dwarf_Die *parameter)
{
	Dwarf_Op *ops;
	size_t n = only_location(parameter, &ops);

	if (n == 2 && ops[1].atom == DW_OP_deref)
		return ops->atom == DW_OP_fbreg || is_of_frame_register(m, ops);
	return n == 1 && ops->atom >= DW_OP_breg0 && ops->atom <= DW_OP_breg31 && !ops->number &&
	       !is_of_frame_register(m, ops);
}

static Dwarf_Die *function_die(const struct di_function *f)
{
	const struct func_priv *p = f->priv;

	return !f->is_inline && dwarf_function(f) ? (Dwarf_Die *)p->die : NULL;
}

static bool stores_parameters(struct di_module *m, Dwarf_Die *function)
{
	uint64_t body;
	int64_t base;
	Dwarf_Die child;

	if (!frame_base_later(m, function, &body, &base))
		base = 0;
	if (dwarf_child(function, &child))
		return false;
	do
		if (dwarf_tag(&child) == DW_TAG_formal_parameter && is_stored(m, &child, base))
			return true;
	while (!dwarf_siblingof(&child, &child));
	return false;
}

uint64_t di_function_body(const struct di_function *f)
{
	Dwarf_Die *die = function_die(f);
	uint64_t body;

	if (!die || !stores_parameters(f->module, die) || !body_of(die, &body) || body <= f->address ||
	    (f->size && body >= f->address + f->size))
		return f->address;
	return body;
}

// ---------------------------------------------------------------- before it

static bool is_word(const struct di_type *t)
{
	switch (t->kind) {
	case DI_INT: case DI_BOOL: case DI_CHAR: case DI_ENUM: case DI_POINTER: return t->size <= 8;
	default: return false;
	}
}

static bool is_in_memory(const struct di_type *t)
{
	return (t->kind == DI_STRUCT || t->kind == DI_UNION) && t->size > 16;
}

// Number of words that the caller has passed so far.
struct passed { int words, floats, on_stack; };

// Returns the location of the next word. Words for which no register of their class is free are on the stack, in
// order.
static struct di_location argument_location(const struct di_module *m, struct passed *p, bool is_float)
{
	const struct arch *arch = m->arch;
	struct di_location l = { .kind = DI_LOC_ADDRESS };
	int n = 0;

	while (n < (int)ARRAY_SIZE(arch->args) && arch->args[n] >= 0)
		n++;
	if (is_float && p->floats < arch->vector_args)
		return location_register(DI_VECTOR + p->floats++);
	if (!is_float && p->words < n)
		return location_register(arch->args[p->words++]);
	location_add(&l, DI_OP_REG, arch->stack_pointer);
	location_offset(&l, arch->entry_cfa + arch->word * p->on_stack++);
	return l;
}

// Changes the location of a pointer to the location of the memory to which it points.
static struct di_location pointed_to(const struct di_module *m, struct di_location l)
{
	struct di_op load = { .code = DI_OP_LOAD, .size = m->arch->word };

	if (l.kind == DI_LOC_ADDRESS)
		vec_push(&l.ops, load);
	l.kind = DI_LOC_ADDRESS;
	return l;
}

// On i386 all arguments are on the stack, after the address of a returned struct, if there is one.
static bool stack_parameter(const struct di_function *f, Dwarf_Die *function, const char *name, struct di_variable *out)
{
	struct di_type *returned = dwarf_return_type(f), *t;
	int at = f->module->arch->entry_cfa;
	Dwarf_Die child, type;

	if (dwarf_child(function, &child))
		return false;
	if (returned && (returned->kind == DI_STRUCT || returned->kind == DI_UNION))
		at += f->module->arch->word;
	do {
		if (dwarf_tag(&child) != DW_TAG_formal_parameter || !dwarf_reference(&child, DW_AT_type, &type))
			continue;
		t = dwarf_make_type(f->module, &type);
		if (!t)
			return false;
		if (!strcmp(dwarf_name(&child), name)) {
			*out = (struct di_variable){ .name = dwarf_name(&child), .type = t, .is_param = true };
			out->loc.kind = DI_LOC_ADDRESS;
			location_add(&out->loc, DI_OP_REG, f->module->arch->stack_pointer);
			location_offset(&out->loc, at);
			if (by_reference(f->module, &child))
				out->loc = pointed_to(f->module, out->loc);
			return true;
		}
		at += by_reference(f->module, &child) ? f->module->arch->word : (t->size + 3) & ~3ull;
	} while (!dwarf_siblingof(&child, &child));
	return false;
}

// Parameters after a struct or a floating-point number of more than 8 bytes are not located.
bool di_entry_parameter(const struct di_function *f, const char *name, struct di_variable *out)
{
	Dwarf_Die *die = function_die(f), child, type;
	struct di_type *returned = die ? dwarf_return_type(f) : NULL;
	bool aggregate = returned && (returned->kind == DI_STRUCT || returned->kind == DI_UNION);
	struct passed passed = { .words = aggregate && is_in_memory(returned) };

	if (die && f->module->arch->elf_machine == EM_386)
		return stack_parameter(f, die, name, out);
	if (!die || dwarf_child(die, &child))
		return false;
	if (aggregate && !passed.words && frame_returns(f->module, returned) == RETURNS_UNKNOWN)
		return false;      // possibly returned through a pointer that is passed before the first parameter
	do {
		struct di_location location;
		struct di_type *t;

		if (dwarf_tag(&child) != DW_TAG_formal_parameter || !dwarf_reference(&child, DW_AT_type, &type))
			continue;
		t = dwarf_make_type(f->module, &type);
		if (!t || (!is_word(t) && !di_is_float(t) && !by_reference(f->module, &child)))
			return false;
		location = argument_location(f->module, &passed, di_is_float(t));
		if (by_reference(f->module, &child))
			location = pointed_to(f->module, location);
		if (!strcmp(dwarf_name(&child), name)) {
			*out = (struct di_variable){ .name = dwarf_name(&child), .type = t, .is_param = true, .loc = location };
			return true;
		}
	} while (!dwarf_siblingof(&child, &child));
	return false;
}

bool frame_is_unset(const struct di_function *f, Dwarf_Die *variable, struct di_variable *v)
{
	Dwarf_Die *die = f->pc && v->loc.kind == DI_LOC_ADDRESS ? function_die(f) : NULL;
	struct di_variable given;
	uint64_t body, entry;
	int64_t base;

	if (!die || !dwarf_entry(die, &entry) || !body_of(die, &body) || f->pc < entry || f->pc >= body)
		return false;
	if (!frame_base_later(f->module, die, &body, &base))
		base = 0;
	if (f->pc >= body || !is_stored(f->module, variable, base))
		return false;
	if (v->is_param && f->pc == entry && di_entry_parameter(f, v->name, &given)) {
		v->loc = given.loc;
		return true;
	}
	v->loc = (struct di_location){ .kind = DI_LOC_NONE };
	v->loc.why = v->is_param ? "the function's first instructions have not stored it yet" : "it is not set yet";
	return true;
}

// ---------------------------------------------------------------- structs that are returned

// Only C's calling conventions are implemented. Classes of C++ qualify only if DWARF says that they are passed like
// C structs; other languages have their own conventions.
static bool is_passed_as_in_c(const struct di_type *t)
{
	const struct type_priv *p = t->priv;
	Dwarf_Die unit, *die = (Dwarf_Die *)p->die;
	Dwarf_Attribute attr;
	Dwarf_Word convention;

	if (!die || !dwarf_diecu(die, &unit, NULL, NULL))
		return !die;               // BTF describes the kernel, which is C
	switch (dwarf_srclang(&unit)) {
	case DW_LANG_C: case DW_LANG_C89: case DW_LANG_C99: case DW_LANG_C11:
		return true;
	case DW_LANG_C_plus_plus: case DW_LANG_C_plus_plus_03: case DW_LANG_C_plus_plus_11: case DW_LANG_C_plus_plus_14:
		return dwarf_attr(die, DW_AT_calling_convention, &attr) && !dwarf_formudata(&attr, &convention) &&
		       convention == DW_CC_pass_by_value;
	}
	return false;
}

// For each word of a struct of at most 16 bytes: whether it contains an integer or a pointer, and whether it
// contains a floating-point number.
struct words { bool integer[2], real[2]; };

static bool mark_word(bool *words, const struct di_type *t, uint64_t at)
{
	if (!t->size || t->size > 8 || at % t->size || at >= 16)
		return false;
	words[at / 8] = true;
	return true;
}

// Returns false if a member is packed, or has a type that is not supported.
static bool mark_words(const struct di_type *t, uint64_t at, int depth, struct words *out)
{
	di_members members = { 0 };
	struct di_type *element;

	switch (t->kind) {
	case DI_INT: case DI_BOOL: case DI_CHAR: case DI_ENUM: case DI_POINTER:
		return mark_word(out->integer, t, at);
	case DI_FLOAT:
		return di_is_float(t) && mark_word(out->real, t, at);
	case DI_ARRAY:
		element = di_target(t);
		for (uint64_t i = 0; element && depth < 4 && element->size && i < t->size; i += element->size)
			if (!mark_words(element, at + i, depth + 1, out))
				return false;
		return depth < 4 && element;
	case DI_STRUCT: case DI_UNION:
		if (depth < 4)
			di_each_member(t, &members);
		for vec_each(&members, m)
			if (m->bit_size) {
				out->integer[(at + m->offset) / 8 & 1] = true;
				out->integer[(at + m->offset + (m->bit_offset + m->bit_size - 1) / 8) / 8 & 1] = true;
			} else if (!mark_words(m->type, at + m->offset, depth + 1, out)) {
				return false;
			}
		return depth < 4;
	default:
		return false;
	}
}

bool frame_is_in_vector(const struct di_module *m, const struct di_type *t, int word)
{
	struct words words = { 0 };

	return m->is_user && mark_words(t, 0, 0, &words) && words.real[word] && !words.integer[word];
}

enum returns frame_returns(const struct di_module *m, const struct di_type *t)
{
	bool x86 = m->arch->elf_machine == EM_X86_64;
	struct words words = { 0 };

	if (!t->size || (m->is_user && !is_passed_as_in_c(t)))
		return RETURNS_UNKNOWN;
	if (is_in_memory(t) || m->arch->elf_machine == EM_386)
		return x86 || m->arch->elf_machine == EM_386 ? RETURN_LOCATION : RETURNS_UNKNOWN;
	if (m->is_user && (!mark_words(t, 0, 0, &words) || (!x86 && (words.real[0] || words.real[1]))))
		return RETURNS_UNKNOWN;
	return RETURNS_WORDS;
}
