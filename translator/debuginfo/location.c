// SPDX-License-Identifier: GPL-2.0-or-later
// Builds locations: registers, and operations on a stack of values (struct di_location).
#include "debuginfo/module.h"

#include <string.h>

const char di_other_register[] = "it is in a register that probes cannot read, such as those of x87";

bool di_is_float(const struct di_type *t)
{
	return t->kind == DI_FLOAT && (t->size == 4 || t->size == 8) && !t->format;
}

bool di_is_x87(const struct di_type *t)
{
	int machine = t->module && t->module->arch ? t->module->arch->elf_machine : EM_NONE;

	return t->kind == DI_FLOAT && !strcmp(t->name, "long double") &&
	       ((machine == EM_X86_64 && t->size == 16) || (machine == EM_386 && t->size == 12));
}

const char *di_unreadable(const struct di_type *t)
{
	if (t->format)
		return t->format;
	return t->kind == DI_FLOAT && !di_is_float(t) && !di_is_x87(t) ? "a floating-point number that is neither a "
									 "float nor a double" : NULL;
}

struct di_location location_register(int number)
{
	struct di_location l = { .kind = DI_LOC_VALUE };

	location_add(&l, DI_OP_REG, number);
	return l;
}

void location_add(struct di_location *l, enum di_opcode code, int64_t value)
{
	struct di_op op = { .code = code, .value = value };

	vec_push(&l->ops, op);
}

void location_offset(struct di_location *l, int64_t offset)
{
	int n = l->ops.n;

	if (n >= 2 && l->ops.at[n - 1].code == DI_OP_ADD && l->ops.at[n - 2].code == DI_OP_CONST) {
		l->ops.at[n - 2].value += offset;
	} else if (offset) {
		location_add(l, DI_OP_CONST, offset);
		location_add(l, DI_OP_ADD, 0);
	}
}

struct di_location location_two_registers(int low, int high)
{
	struct di_location l = { .kind = DI_LOC_PIECES };
	struct di_piece pieces[] = { { 64, location_register(low) }, { 64, location_register(high) } };

	for (size_t i = 0; i < ARRAY_SIZE(pieces); i++)
		vec_push(&l.pieces, pieces[i]);
	return l;
}
