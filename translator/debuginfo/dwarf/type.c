// SPDX-License-Identifier: GPL-2.0-or-later
// Reads types from DWARF. They are spelt as btf.c spells them, so that messages and -L are the same for both.
#include "debuginfo/dwarf/libdw_unit.h"
#include "debuginfo/dwarf/index.h"

#include "util/str.h"

#include <stdlib.h>
#include <string.h>

static const struct type_ops dwarf_type_ops;

struct dwarf_type {            // type_priv.die
	Dwarf_Die die;
	int dimension;             // an array without its first dimensions: their number
};

static bool type_of(Dwarf_Die *die, Dwarf_Die *out)
{
	return dwarf_reference(die, DW_AT_type, out);
}

static bool is_qualifier(int tag)
{
	return tag == DW_TAG_const_type || tag == DW_TAG_volatile_type || tag == DW_TAG_restrict_type ||
	       tag == DW_TAG_atomic_type;
}

// Removes typedefs and qualifiers. Returns false for void.
static bool peel(Dwarf_Die *die)
{
	for (int depth = 0; depth < 64; depth++) {
		int tag = dwarf_tag(die);

		if (tag != DW_TAG_typedef && !is_qualifier(tag))
			return tag != DW_TAG_unspecified_type;
		if (!type_of(die, die))
			return false;
	}
	return false;
}

// Returns the lower bound of a dimension: explicit, or the default of the language (1 in Fortran).
static int64_t lower_bound(Dwarf_Die *dimension)
{
	Dwarf_Attribute attr;
	Dwarf_Sword bound;
	Dwarf_Word word;
	Dwarf_Die unit;

	if (dwarf_attr(dimension, DW_AT_lower_bound, &attr) && !dwarf_formudata(&attr, &word))
		return word;
	if (!dwarf_diecu(dimension, &unit, NULL, NULL) || dwarf_default_lower_bound(dwarf_srclang(&unit), &bound))
		return 0;
	return bound;
}

// Finds the number of elements of the dimension; 0: unknown. Returns false if there is no such dimension.
static bool dimension(Dwarf_Die *array, int number, uint64_t *count)
{
	Dwarf_Attribute attr;
	Dwarf_Word word;
	Dwarf_Die child;

	if (dwarf_child(array, &child))
		return false;
	do {
		if (dwarf_tag(&child) != DW_TAG_subrange_type || number-- > 0)
			continue;
		*count = 0;
		if (dwarf_attr(&child, DW_AT_count, &attr) && !dwarf_formudata(&attr, &word))
			*count = word;
		else if (dwarf_attr(&child, DW_AT_upper_bound, &attr) && !dwarf_formudata(&attr, &word))
			*count = word - lower_bound(&child) + 1;
		return true;
	} while (!dwarf_siblingof(&child, &child));
	return false;
}

// ---------------------------------------------------------------- spelling

static char *tagged(const char *word, Dwarf_Die *die)
{
	return *dwarf_name(die) ? str_printf("%s %s", word, dwarf_name(die)) : str_printf("%s {...}", word);
}

static char *spell(Dwarf_Die *die, int depth);

static char *spell_target(Dwarf_Die *die, int depth)
{
	Dwarf_Die target;

	return type_of(die, &target) && depth < 32 ? spell(&target, depth + 1) : "void";
}

static char *spell_array(Dwarf_Die *die, int from, int depth)
{
	struct buf b = { 0 };
	uint64_t count;

	buf_puts(&b, spell_target(die, depth));
	for (int i = from; dimension(die, i, &count); i++)
		buf_printf(&b, "[%llu]", (unsigned long long)count);
	return buf_text(&b);
}

// Adds a qualifier to the spelling of a type. That of an array contains that of its elements, which may have it
// already.
static char *qualified(const char *word, char *inner)
{
	if (str_ends(inner, "*"))
		return str_printf("%s%s", inner, word);
	return str_starts(inner, word) && str_ends(inner, "]") ? inner : str_printf("%s %s", word, inner);
}

static char *spell(Dwarf_Die *die, int depth)
{
	char *inner;

	switch (dwarf_tag(die)) {
	case DW_TAG_pointer_type:
		inner = spell_target(die, depth);
		return str_printf(str_ends(inner, "*") ? "%s*" : "%s *", inner);
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
		return str_printf("%s &", spell_target(die, depth));
	case DW_TAG_array_type:
		return spell_array(die, 0, depth);
	case DW_TAG_structure_type:
		return tagged("struct", die);
	case DW_TAG_class_type:
		return tagged("class", die);
	case DW_TAG_union_type:
		return tagged("union", die);
	case DW_TAG_enumeration_type:
		return tagged("enum", die);
	case DW_TAG_const_type:
		return qualified("const", spell_target(die, depth));
	case DW_TAG_volatile_type:
		return qualified("volatile", spell_target(die, depth));
	case DW_TAG_restrict_type:
	case DW_TAG_atomic_type:
		return spell_target(die, depth);
	case DW_TAG_subroutine_type:
		return str_printf("%s (...)", spell_target(die, depth));
	}
	return str_dup(dwarf_name(die));
}

// ---------------------------------------------------------------- types

static bool is_signed_encoding(Dwarf_Word encoding)
{
	return encoding == DW_ATE_signed || encoding == DW_ATE_signed_char;
}

// GCC encodes complex integers as DW_ATE_lo_user.
static const char *format_of(Dwarf_Word encoding, Dwarf_Word order)
{
	if (encoding == DW_ATE_complex_float || encoding == DW_ATE_imaginary_float || encoding == DW_ATE_lo_user)
		return "a complex number";
	if (encoding == DW_ATE_decimal_float || encoding == DW_ATE_packed_decimal || encoding == DW_ATE_numeric_string ||
	    encoding == DW_ATE_edited)
		return "a decimal number";
	if (encoding == DW_ATE_signed_fixed || encoding == DW_ATE_unsigned_fixed)
		return "a fixed-point number";
	if (encoding > DW_ATE_lo_user)
		return "in an unknown format";
	return order == DW_END_big ? "in big-endian byte order" : NULL;
}

static void fill_base(Dwarf_Die *die, struct di_type *out)
{
	Dwarf_Attribute attr;
	Dwarf_Word encoding = 0, order = DW_END_default;

	dwarf_formudata(dwarf_attr(die, DW_AT_encoding, &attr), &encoding);
	dwarf_formudata(dwarf_attr(die, DW_AT_endianity, &attr), &order);
	out->format = format_of(encoding, order);
	out->kind = encoding == DW_ATE_boolean ? DI_BOOL :
		    encoding == DW_ATE_float || encoding == DW_ATE_complex_float || encoding == DW_ATE_imaginary_float ||
		    encoding == DW_ATE_decimal_float ? DI_FLOAT :
		    encoding == DW_ATE_signed_char || encoding == DW_ATE_unsigned_char ? DI_CHAR : DI_INT;
	out->is_complex = encoding == DW_ATE_complex_float || encoding == DW_ATE_lo_user;
	out->is_signed = is_signed_encoding(encoding);
}

// The underlying type, which GCC, clang and C++ provide, has the sign; without one, a negative enumerator makes it
// signed. Forms of a fixed size are not negative.
static bool enum_is_signed(Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	Dwarf_Word encoding;
	Dwarf_Sword value;
	Dwarf_Die child;

	if (type_of(die, &child) && peel(&child) &&
	    !dwarf_formudata(dwarf_attr(&child, DW_AT_encoding, &attr), &encoding))
		return is_signed_encoding(encoding);
	if (dwarf_child(die, &child))
		return false;
	do {
		if (dwarf_tag(&child) == DW_TAG_enumerator && dwarf_attr(&child, DW_AT_const_value, &attr) &&
		    (dwarf_whatform(&attr) == DW_FORM_sdata || dwarf_whatform(&attr) == DW_FORM_implicit_const) &&
		    !dwarf_formsdata(&attr, &value) && value < 0)
			return true;
	} while (!dwarf_siblingof(&child, &child));
	return false;
}

static struct di_type *make(struct di_module *m, Dwarf_Die *die, int from);

static void fill_array(Dwarf_Die *die, int from, struct di_type *out)
{
	struct di_type *element;
	Dwarf_Die target;
	uint64_t count;

	out->kind = DI_ARRAY;
	dimension(die, from, &out->count);
	if (dimension(die, from + 1, &count))
		element = make(out->module, die, from + 1);
	else
		element = type_of(die, &target) ? make(out->module, &target, 0) : NULL;
	out->size = element ? element->size * out->count : 0;
}

static void fill_type(struct dwarf_type *d, struct di_type *out)
{
	int size = dwarf_bytesize(&d->die);

	out->size = size > 0 ? size : 0;
	out->is_declared = dwarf_hasattr(&d->die, DW_AT_declaration);
	switch (dwarf_tag(&d->die)) {
	case DW_TAG_base_type:
		fill_base(&d->die, out);
		break;
	case DW_TAG_enumeration_type:
		out->kind = DI_ENUM;
		out->is_signed = enum_is_signed(&d->die);
		break;
	case DW_TAG_pointer_type: case DW_TAG_reference_type: case DW_TAG_rvalue_reference_type:
		out->kind = DI_POINTER;
		out->size = out->module->arch->word;
		break;
	case DW_TAG_array_type:
		fill_array(&d->die, d->dimension, out);
		break;
	case DW_TAG_structure_type: case DW_TAG_class_type:
		out->kind = DI_STRUCT;
		break;
	case DW_TAG_union_type:
		out->kind = DI_UNION;
		break;
	case DW_TAG_subroutine_type:
		out->kind = DI_FUNCTION;
		break;
	default:
		out->kind = DI_VOID;
	}
}

static struct di_type *make(struct di_module *m, Dwarf_Die *die, int from)
{
	char *key = str_printf("%llx.%d", (unsigned long long)dwarf_die_id(die), from);
	struct di_type *type = map_get(&m->dwarf->types, key);
	struct dwarf_type *d;
	struct type_priv *p;

	if (type)
		return type;
	d = NEW(struct dwarf_type);
	d->die = *die;
	d->dimension = from;
	if (!dwarf_follow_signature(&d->die) || !peel(&d->die))
		return NULL;
	p = NEW(struct type_priv);
	p->ops = &dwarf_type_ops;
	p->die = d;
	p->identity = d->die.addr;
	type = NEW(struct di_type);
	type->module = m;
	type->name = from ? spell_array(die, from, 0) : spell(die, 0);
	type->priv = p;
	map_put(&m->dwarf->types, key, type);
	fill_type(d, type);
	return type;
}

struct di_type *dwarf_make_type(struct di_module *m, Dwarf_Die *die)
{
	return make(m, die, 0);
}

static struct dwarf_type *dwarf_type(const struct di_type *t)
{
	return (struct dwarf_type *)((const struct type_priv *)t->priv)->die;
}

static struct di_type *target(const struct di_type *t)
{
	struct dwarf_type *d = dwarf_type(t);
	Dwarf_Die die;
	uint64_t count;

	if (t->kind == DI_ARRAY && dimension(&d->die, d->dimension + 1, &count))
		return make(t->module, &d->die, d->dimension + 1);
	return type_of(&d->die, &die) ? make(t->module, &die, 0) : NULL;
}

// ---------------------------------------------------------------- members

static bool constant(Dwarf_Die *die, unsigned name, Dwarf_Word *out)
{
	Dwarf_Attribute attr;
	Dwarf_Op *ops;
	size_t n;

	if (!dwarf_attr(die, name, &attr))
		return false;
	if (!dwarf_formudata(&attr, out))
		return true;
	// In DWARF 2, the offset of a member is an expression.
	if (dwarf_getlocation(&attr, &ops, &n) || n != 1 || ops->atom != DW_OP_plus_uconst)
		return false;
	*out = ops->number;
	return true;
}

static void set_offset(const struct di_type *t, Dwarf_Die *die, struct member_ref *ref)
{
	Dwarf_Word bytes = 0, bits = 0, size = 0, from_msb;
	Dwarf_Attribute attr;
	Dwarf_Die type;

	if (!constant(die, DW_AT_data_member_location, &bytes) && dwarf_attr(die, DW_AT_data_member_location, &attr)) {
		struct di_location *moving = NEW(struct di_location);

		*moving = loc_of_member(t->module, &attr);
		ref->moving = moving;
	}
	ref->bit = bytes * 8;
	if (!constant(die, DW_AT_bit_size, &bits))
		return;
	ref->bit_size = bits;
	if (constant(die, DW_AT_data_bit_offset, &from_msb)) {
		ref->bit = from_msb;
	} else if (constant(die, DW_AT_bit_offset, &from_msb)) {
		// in DWARF 3 it is counted from the most significant bit of the storage unit
		if (!constant(die, DW_AT_byte_size, &size) && type_of(die, &type) && peel(&type))
			size = dwarf_bytesize(&type);
		ref->bit += size * 8 - from_msb - bits;
	}
}

// A static member is a member in DWARF 4, and a variable in DWARF 5.
static bool is_static(Dwarf_Die *member)
{
	return dwarf_tag(member) == DW_TAG_variable || dwarf_hasattr(member, DW_AT_external) ||
	       dwarf_hasattr(member, DW_AT_declaration);
}

static bool is_vtable(Dwarf_Die *member)
{
	return str_starts(dwarf_name(member), "_vptr");
}

static bool each_child(const struct di_type *t, Dwarf_Die *of, const struct di_variant *variant, member_fn fn,
		       void *data);

// Visits the variant parts of Rust enums: a discriminant, often in bytes that members share, selects the member
// that is present. A member without a value is present for all other values.
static bool each_variant(const struct di_type *t, Dwarf_Die *part, member_fn fn, void *data)
{
	struct member_ref number = { 0 };
	struct di_variant which = { 0 };
	Dwarf_Die child, die, type;
	Dwarf_Attribute attr;
	Dwarf_Word value;

	if (dwarf_attr(part, DW_AT_discr, &attr) && dwarf_formref_die(&attr, &die) && type_of(&die, &type)) {
		set_offset(t, &die, &number);
		which.type = make(t->module, &type, 0);
		which.offset = number.bit / 8;
	}
	if (dwarf_child(part, &child))
		return false;
	do {
		struct di_variant *one = NEW(struct di_variant);

		*one = which;
		one->has_value = constant(&child, DW_AT_discr_value, &value);
		one->value = one->has_value ? value : 0;
		// Several values, or a value of more than 64 bits, are not supported.
		if (dwarf_tag(&child) == DW_TAG_variant && !dwarf_hasattr(&child, DW_AT_discr_list) &&
		    one->has_value == dwarf_hasattr(&child, DW_AT_discr_value) && each_child(t, &child, one, fn, data))
			return true;
	} while (!dwarf_siblingof(&child, &child));
	return false;
}

static bool each_child(const struct di_type *t, Dwarf_Die *of, const struct di_variant *variant, member_fn fn,
		       void *data)
{
	Dwarf_Die child;

	if (dwarf_child(of, &child))
		return false;
	do {
		struct member_ref ref = { .name = dwarf_name(&child), .die = &child, .variant = variant };

		if (dwarf_tag(&child) == DW_TAG_variant_part && !variant && each_variant(t, &child, fn, data))
			return true;
		// Members of a base class are members of the class, like those of an anonymous struct.
		if (dwarf_tag(&child) == DW_TAG_inheritance)
			ref = (struct member_ref){ .name = "", .die = &child, .is_base = true };
		else if ((dwarf_tag(&child) == DW_TAG_member && !is_vtable(&child)) || dwarf_tag(&child) == DW_TAG_variable)
			ref.is_static = is_static(&child);
		else
			continue;
		set_offset(t, &child, &ref);
		if (fn(data, &ref))
			return true;
	} while (!dwarf_siblingof(&child, &child));
	return false;
}

static bool each_member(const struct di_type *t, member_fn fn, void *data)
{
	return each_child(t, &dwarf_type(t)->die, NULL, fn, data);
}

static struct di_type *member_type(const struct di_type *t, const struct member_ref *m)
{
	Dwarf_Die type;

	return type_of((Dwarf_Die *)m->die, &type) ? make(t->module, &type, 0) : NULL;
}

// GCC stores numbers that are not negative in forms of a fixed size, the smallest that has their bits: 200 in one byte.
// dwarf_formsdata() extends its highest bit, dwarf_formudata() does not, and returns all bits of a negative number. A
// number that its type cannot have is converted to the type.
static bool enumerator_value(Dwarf_Die *type, Dwarf_Die *die, int64_t *out)
{
	int size = dwarf_bytesize(type), unused;
	Dwarf_Attribute attr;
	Dwarf_Word word;

	if (!dwarf_attr(die, DW_AT_const_value, &attr) || dwarf_formudata(&attr, &word))
		return false;
	unused = size > 0 && size < 8 && enum_is_signed(type) ? 64 - 8 * size : 0;
	*out = (int64_t)(word << unused) >> unused;
	return true;
}

static void enumerators(Dwarf_Die *die, di_enumerators *out)
{
	struct di_enumerator e;
	Dwarf_Die child;

	if (dwarf_child(die, &child))
		return;
	do {
		if (dwarf_tag(&child) != DW_TAG_enumerator || !enumerator_value(die, &child, &e.value))
			continue;
		e.name = str_dup(dwarf_name(&child));
		vec_push(out, e);
	} while (!dwarf_siblingof(&child, &child));
}

static void each_enumerator(const struct di_type *t, di_enumerators *out)
{
	enumerators(&dwarf_type(t)->die, out);
}

static const struct type_ops dwarf_type_ops = { target, each_member, member_type, each_enumerator };

// ---------------------------------------------------------------- by name

// Returns the DWARF tags of a kind, terminated by 0.
static const int *tags_of(enum di_kind kind)
{
	static const int structs[] = { DW_TAG_structure_type, DW_TAG_class_type, 0 };
	static const int unions[] = { DW_TAG_union_type, 0 }, enums[] = { DW_TAG_enumeration_type, 0 };
	static const int others[] = { DW_TAG_typedef, DW_TAG_base_type, 0 };

	return kind == DI_STRUCT ? structs : kind == DI_UNION ? unions : kind == DI_ENUM ? enums : others;
}

static bool tag_fits(int tag, enum di_kind kind)
{
	const int *t = tags_of(kind);

	while (*t && *t != tag)
		t++;
	return *t;
}

static bool find_in_unit(Dwarf_Die *unit, enum di_kind kind, const char *name, Dwarf_Die *out)
{
	if (dwarf_child(unit, out))
		return false;
	do {
		if (tag_fits(dwarf_tag(out), kind) && !strcmp(dwarf_name(out), name) &&
		    !dwarf_hasattr(out, DW_AT_declaration))
			return true;
	} while (!dwarf_siblingof(out, out));
	return false;
}

// Returns the file to scan: the index does not contain types that dwz moved to a supplementary file.
static Dwarf *to_be_scanned(struct di_module *m)
{
	return module_index(m) && !dwarf_file_shared(m->dwarf) ? NULL : dwarf_whole(m->dwarf);
}

// Searches the units that are already open (of probed functions), then the index, then every unit.
struct di_type *dwarf_find_type(struct di_module *m, enum di_kind kind, const char *name)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die unit, die, *indexed;
	uint32_t die_offset;
	Dwarf *whole;

	for vec_each(&m->dwarf->units, u)
		if (find_in_unit(&(*u)->die, kind, name, &die))
			return make(m, &die, 0);
	die_offset = module_index(m) ? index_find_type(m->index, name, tags_of(kind)) : 0;
	indexed = die_offset ? dwarf_die_at(m, die_offset) : NULL;
	if (indexed)
		return make(m, indexed, 0);
	whole = to_be_scanned(m);
	while (whole && !dwarf_get_units(whole, cu, &cu, NULL, NULL, &unit, NULL))
		if (find_in_unit(&unit, kind, name, &die))
			return make(m, &die, 0);
	return NULL;
}

static bool enumerator_of(Dwarf_Die *type, const char *name, int64_t *value)
{
	Dwarf_Die child;

	if (dwarf_child(type, &child))
		return false;
	do
		if (!strcmp(dwarf_name(&child), name))
			return enumerator_value(type, &child, value);
	while (!dwarf_siblingof(&child, &child));
	return false;
}

// nested: searches structs and classes, too: in C++ they may contain enums.
static bool enumerator_below(Dwarf_Die *parent, const char *name, bool nested, int depth, int64_t *value)
{
	Dwarf_Die die;

	if (depth > SPACES_MAX || dwarf_child(parent, &die))
		return false;
	do {
		int tag = dwarf_tag(&die);

		if (tag == DW_TAG_enumeration_type ? enumerator_of(&die, name, value) :
		    (tag == DW_TAG_namespace || tag == DW_TAG_module || (nested && dwarf_is_struct(tag))) &&
		    enumerator_below(&die, name, nested, depth + 1, value))
			return true;
	} while (!dwarf_siblingof(&die, &die));
	return false;
}

bool dwarf_scope_enumerator(Dwarf_Die *scope, const char *name, int64_t *value)
{
	return enumerator_below(scope, name, false, 0, value);
}

static bool enumerator_in_unit(Dwarf_Die *unit, const char *name, int64_t *value)
{
	return enumerator_below(unit, name, !dwarf_is_c(unit), 0, value);
}

bool dwarf_find_enumerator(struct di_module *m, const char *name, int64_t *value)
{
	Dwarf *whole;
	Dwarf_CU *cu = NULL;
	Dwarf_Die unit, *type;
	uint32_t die_offset = module_index(m) ? index_find_enumerator(m->index, name) : 0;

	if (!die_offset && !to_be_scanned(m))
		return false;
	for vec_each(&m->dwarf->units, u)
		if (enumerator_in_unit(&(*u)->die, name, value))
			return true;
	type = die_offset ? dwarf_die_at(m, die_offset) : NULL;
	if (type && enumerator_of(type, name, value))
		return true;
	whole = to_be_scanned(m);
	while (whole && !dwarf_get_units(whole, cu, &cu, NULL, NULL, &unit, NULL))
		if (enumerator_in_unit(&unit, name, value))
			return true;
	return false;
}
