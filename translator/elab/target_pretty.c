// SPDX-License-Identifier: GPL-2.0-or-later
// Makes one sprintf() of all leaves of a value for $x$ and $x$$.
//
//   struct {.a=1, .b={...}, .c=[...]}   array [first, ...]   anonymous {<union>={...}}
//   enum of Rust {.Some={.__0=1}}, the active variant
//   pointer 0x..   char * and char[] "text"   signed %d   unsigned %u   char 'c'   float and double 1.5   long double ?
// One $ shows one level, two show all levels; after MAX_LEAVES values the text ends with "...". After a fault the
// whole text is ERROR; but if only the text of a char * faults, its address is printed instead.
#include "elab/target.h"

#include <string.h>

#define MAX_LEAVES 32
#define MAX_VARIANTS 64

struct expr *target_print_new(struct loc loc)
{
	struct expr *e = expr_new(E_PRINT, loc);

	e->type = T_STRING;
	e->u.print.kind = PRINT_PRINTF;
	e->u.print.to_string = true;
	e->u.print.word = "sprintf";
	return e;
}

void target_print_text(struct expr *e, const char *text)
{
	struct format_piece piece = { .text = text, .len = strlen(text), .width = -1, .precision = -1 };

	vec_push(&e->u.print.format, piece);
}

void target_print_value(struct expr *e, char conv, uint8_t flags, struct expr *value)
{
	struct format_piece piece = { .conv = conv, .flags = flags, .width = -1, .precision = -1 };

	vec_push(&e->u.print.format, piece);
	vec_push(&e->u.print.args, value);
}

static void print_string(struct expr *e, struct expr *address, bool user, int max_length)
{
	struct format_piece piece = { .conv = user ? 'Q' : 'q', .width = -1, .precision = max_length };

	vec_push(&e->u.print.format, piece);
	vec_push(&e->u.print.args, address);
}

static bool visit_vector_register(struct ast_walker *w, struct expr **e)
{
	*(bool *)w->data |= (*e)->kind == E_REGISTER && (*e)->u.reg.number >= DI_VECTOR && (*e)->u.reg.number < DI_ARGUMENT;
	return true;
}

// Prints as many digits as numbers of this type store exactly; "?" if BPF programs cannot read it.
void target_print_real(struct session *s, struct expr *e, struct expr *value, const struct di_type *type)
{
	struct format_piece piece = { .conv = 'g', .width = -1, .precision = type->size == 4 ? 6 : 15 };
	bool vector = false;
	struct ast_walker w = { .expr = visit_vector_register, .data = &vector };

	ast_walk_expr(&w, &value);
	if (vector && s->opt.bpf_runtime) {
		target_print_text(e, "?");
		return;
	}
	vec_push(&e->u.print.format, piece);
	vec_push(&e->u.print.args, value);
}

struct printer {
	struct session *s;
	struct expr *e;
	int leaves;
	int nesting;               // nesting of base classes
	int variants;              // number of variants so far; those beyond the first MAX_VARIANTS are not
				   // examined
};

static bool print_lvalue(struct printer *p, const struct lvalue *lvalue, int depth);

static bool is_number(const struct di_type *t)
{
	if (t->kind == DI_FLOAT)
		return di_is_float(t) || di_is_x87(t);
	return !di_unreadable(t) && (t->size == 1 || t->size == 2 || t->size == 4 || t->size == 8);
}

static bool print_leaf(struct printer *p, const struct lvalue *lvalue)
{
	struct di_type *target;
	struct expr *value;

	if (!is_number(lvalue->type)) {
		target_print_text(p->e, "?");
		return true;
	}
	if (lvalue->composite)                   // a part of the variable may be optimised out
		diag_quiet_push();
	value = lvalue_load(lvalue);
	if (lvalue->composite && diag_quiet_pop()) {
		target_print_text(p->e, "?");
		return true;
	}
	if (!value)
		return false;
	switch (lvalue->type->kind) {
	case DI_POINTER:
		target = di_target(lvalue->type);
		if (target && target->kind == DI_CHAR)
			print_string(p->e, value, di_is_user(target->module), -1);
		else
			target_print_value(p->e, 'p', 0, value);
		break;
	case DI_FLOAT:
		target_print_real(p->s, p->e, value, lvalue->type);
		break;
	case DI_CHAR:
		target_print_text(p->e, "'");
		target_print_value(p->e, 'c', STP_FLAG_ALTERNATE, value);
		target_print_text(p->e, "'");
		break;
	default:
		target_print_value(p->e, lvalue->type->is_signed ? 'd' : 'u', 0, value);
	}
	return true;
}

static void print_name(struct printer *p, const struct di_member *m)
{
	if (*m->name) {
		target_print_text(p->e, ".");
		target_print_text(p->e, m->name);
	} else {
		target_print_text(p->e, m->type->kind == DI_UNION ? "<union>" : "<class>");
	}
	target_print_text(p->e, "=");
}

// Returns a condition that the variant is active; NULL: it is the only variant.
static struct expr *is_active(const struct lvalue *lvalue, const struct di_variant *v)
{
	struct di_member number = { .type = v->type, .offset = v->offset };
	struct lvalue at = lvalue_member(lvalue, &number);
	struct expr *e = v->type ? lvalue_load(&at) : NULL;
	int64_t mask = v->type && v->type->size < 8 ? (1ll << 8 * v->type->size) - 1 : -1;

	if (!e)
		return NULL;
	e = target_binary(lvalue->loc, TOK_AND, e, expr_number(lvalue->loc, mask));
	return target_binary(lvalue->loc, TOK_EQ, e, expr_number(lvalue->loc, v->value & mask));
}

// Prints the active variant, or "?" if the debuginfo identifies none.
static bool print_variants(struct printer *p, const struct lvalue *lvalue, const di_members *members, int depth)
{
	struct expr *text = expr_string(lvalue->loc, "?"), *choice;

	for (int other = 1; other >= 0; other--)
		for vec_each(members, m) {
			struct printer one = { p->s, target_print_new(lvalue->loc), p->leaves, p->nesting, p->variants + 1 };
			struct lvalue inner = lvalue_member(lvalue, m);

			if (!m->variant || m->variant->has_value == other)
				continue;
			print_name(&one, m);
			if (!print_lvalue(&one, &inner, p->variants < MAX_VARIANTS ? depth : 0))
				return false;
			p->variants = one.variants;
			choice = expr_new(E_COND, lvalue->loc);
			choice->u.cond.c = other ? NULL : is_active(lvalue, m->variant);
			choice->u.cond.a = one.e;
			choice->u.cond.b = text;
			text = choice->u.cond.c ? choice : one.e;
		}
	target_print_value(p->e, 's', 0, text);
	return true;
}

// Members of base classes are printed before a class's own members, at the same level.
static bool print_members(struct printer *p, const struct lvalue *lvalue, int depth, bool *some)
{
	di_members members = { 0 };
	int variants = 0;

	di_each_member(lvalue->type, &members);
	for vec_each(&members, m) {
		struct lvalue inner = lvalue_member(lvalue, m);

		if (m->variant && variants++)
			continue;
		if (m->is_base) {
			if (p->nesting++ < 16 && !print_members(p, &inner, depth, some))
				return false;
			continue;
		}
		target_print_text(p->e, *some ? ", " : "");
		*some = true;
		if (p->leaves >= MAX_LEAVES) {
			target_print_text(p->e, "...");
			p->e->u.print.in_part = true;
			break;
		}
		if (!m->variant)
			print_name(p, m);
		if (!(m->variant ? print_variants(p, lvalue, &members, depth) : print_lvalue(p, &inner, depth)))
			return false;
	}
	return true;
}

static bool print_struct(struct printer *p, const struct lvalue *lvalue, int depth)
{
	bool some = false;

	target_print_text(p->e, "{");
	if (!print_members(p, lvalue, depth, &some))
		return false;
	target_print_text(p->e, "}");
	return true;
}

static bool is_text(const struct lvalue *lvalue)
{
	struct di_type *element = lvalue->type->kind == DI_ARRAY ? di_target(lvalue->type) : NULL;

	return element && element->kind == DI_CHAR && lvalue->addr;
}

static bool print_array(struct printer *p, const struct lvalue *lvalue, int depth)
{
	struct lvalue first = *lvalue;

	first.type = di_target(lvalue->type);
	first.path = (struct member_path){ 0 };
	first.member = NULL;
	target_print_text(p->e, "[");
	if (first.type && first.type->size && lvalue->type->count) {
		if (!print_lvalue(p, &first, depth))
			return false;
		if (lvalue->type->count > 1)
			target_print_text(p->e, ", ...");
	}
	target_print_text(p->e, "]");
	return true;
}

static bool print_lvalue(struct printer *p, const struct lvalue *lvalue, int depth)
{
	enum di_kind kind = lvalue->type->kind;

	if (kind == DI_STRUCT || kind == DI_UNION) {
		if (depth > 0)
			return print_struct(p, lvalue, depth - 1);
		target_print_text(p->e, "{...}");
		return true;
	}
	if (is_text(lvalue)) {
		p->leaves++;
		print_string(p->e, lvalue->addr, di_is_user(lvalue->type->module),
				    lvalue->type->count ? (int)lvalue->type->count : -1);
		return true;
	}
	if (kind == DI_ARRAY) {
		if (depth > 0)
			return print_array(p, lvalue, depth - 1);
		target_print_text(p->e, "[...]");
		return true;
	}
	p->leaves++;
	return print_leaf(p, lvalue);
}

// A pointer to a struct is printed as the struct, which is more useful than the address.
struct expr *target_pretty(struct session *s, const struct lvalue *p, int depth)
{
	struct printer printer = { .s = s, .e = target_print_new(p->loc) };
	struct di_type *target = p->type->kind == DI_POINTER ? di_target(p->type) : NULL;
	struct lvalue lvalue = *p;

	printer.e->u.print.on_fault = "ERROR";
	if (target && (target->kind == DI_STRUCT || target->kind == DI_UNION)) {
		struct expr *pointer = lvalue_load(p);

		if (!pointer)
			return NULL;
		lvalue = (struct lvalue){ .loc = p->loc, .addr = pointer, .type = target, .relocates = p->relocates };
	}
	return print_lvalue(&printer, &lvalue, depth) ? printer.e : NULL;
}
