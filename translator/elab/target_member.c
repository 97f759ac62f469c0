// SPDX-License-Identifier: GPL-2.0-or-later
// Members of types of the kernel with --runtime=bpf: libbpf finds them in the running kernel, so that programs run on
// other kernels than the one that they are translated for.
//
// In: an lvalue and a member of its type. Out: the member's address, as the address of the nearest struct or union with
// a tag plus an E_OFFSET. Members of anonymous types are reached by a path from there. If that is not possible, the
// offset is a number, in an E_OFFSET without a member.
#include "elab/target.h"

#include <string.h>

static struct expr *offset_expr(struct loc loc, const struct kernel_member *member, int64_t value)
{
	struct expr *e = expr_new(E_OFFSET, loc);

	e->type = T_LONG;
	e->u.offset.member = member;
	e->u.offset.value = value;
	return e;
}

// Returns the spelling of a struct or union that has a tag, without qualifiers; or NULL.
static const char *tagged_name(const struct di_type *t)
{
	const char *name = t->name;

	if (t->kind != DI_STRUCT && t->kind != DI_UNION)
		return NULL;
	for (bool again = true; again;) {
		again = str_starts(name, "const ") || str_starts(name, "volatile ");
		name += again ? strcspn(name, " ") + 1 : 0;
	}
	if ((!str_starts(name, "struct ") && !str_starts(name, "union ")) || strchr(name, '{'))
		return NULL;
	return name;
}

// Returns the declaration of a member in C. libbpf compares only the kinds of types with those in the kernel, not
// names and sizes.
static const char *declare(const struct di_type *t, const char *name)
{
	switch (t->kind) {
	case DI_POINTER: return str_printf("void *%s;", name);
	case DI_FLOAT:   return str_printf("float %s;", name);
	case DI_ENUM:    return str_printf("enum { stp_enumerator_%s } %s;", name, name);
	case DI_STRUCT:  case DI_UNION: return str_printf("struct { char c; } %s;", name);
	case DI_ARRAY:   return di_target(t) ? declare(di_target(t), str_printf("%s[1]", name)) : NULL;
	case DI_INT: case DI_BOOL: case DI_CHAR: return str_printf("int %s;", name);
	default:         return NULL;
	}
}

static const struct kernel_member *member_of(const struct member_path *at, const struct di_type *t)
{
	struct kernel_member *made = NEW(struct kernel_member);
	const char *declaration = declare(t, at->last);

	if (!declaration)
		return NULL;
	made->type = at->type;
	made->path = at->path;
	made->declaration = str_printf("%s%s%s", at->before, declaration, at->after);
	return made;
}

void target_relocate_member(struct lvalue *to, const struct lvalue *p, const struct di_member *m)
{
	struct member_path at = p->path;
	const char *type = tagged_name(p->type);

	if (type)
		at = (struct member_path){ .type = type, .base = p->addr, .before = "", .after = "" };
	if (!at.type) {
		to->addr = target_binary(p->loc, TOK_ADD, p->addr, offset_expr(p->loc, NULL, m->offset));
		return;
	}
	if (at.path && *m->name) {
		at.before = str_printf("%sstruct { ", at.before);
		at.after = str_printf(" } %s;%s", at.last, at.after);
	}
	if (*m->name) {
		at.path = at.path ? str_printf("%s.%s", at.path, m->name) : m->name;
		at.last = m->name;
	}
	at.offset += m->offset;
	to->path = at;
	to->member = *m->name && !m->by_parts ? member_of(&at, m->type) : NULL;
	to->addr = !*m->name ? p->addr : target_binary(p->loc, TOK_ADD, at.base, offset_expr(p->loc, to->member, at.offset));
}

struct expr *target_element_size(struct loc loc, const struct di_type *element)
{
	const char *type = tagged_name(element);
	struct kernel_member *made;

	if (!type_is_aggregate(element))
		return expr_number(loc, element->size);
	if (!type)
		return offset_expr(loc, NULL, element->size);
	made = NEW(struct kernel_member);
	made->type = type;
	return offset_expr(loc, made, element->size);
}
