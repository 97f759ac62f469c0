// SPDX-License-Identifier: GPL-2.0-or-later
// --types NAME[@MODULE]: prints the layout of a struct, union or enum. In: a type of debuginfo; MODULE as
// for @cast. Out, on standard output: members with offset and size in bytes, holes, padding; a typedef
// or a base type in one line; or the same as JSON.
//
// Members of anonymous structs and unions are printed with their offsets in the outermost type.
#include "elab/target.h"
#include "session/passes.h"
#include "util/str.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct layout {
	bool json;
	int holes;
	uint64_t lost;             // total size of its holes, in bits
};

static void print_members(struct layout *l, const struct di_type *t, uint64_t base, int depth);

static bool is_aggregate(const struct di_type *t)
{
	return t->kind == DI_STRUCT || t->kind == DI_UNION;
}

static void json_text(const char *text)
{
	struct buf b = { 0 };

	buf_json(&b, text);
	fputs(buf_text(&b), stdout);
}

// Returns a C declaration: "char name[16]" for "char[16]".
static const char *declaration(const struct di_type *t, const char *name)
{
	const char *dimensions = t->kind == DI_ARRAY ? strchr(t->name, '[') : NULL;

	if (dimensions)
		return str_printf("%.*s %s%s", (int)(dimensions - t->name), t->name, name, dimensions);
	return str_printf("%s %s", t->name, name);
}

static void indent(int depth)
{
	for (int i = 0; i < depth; i++)
		putchar('\t');
}

static void print_gap(struct layout *l, uint64_t from, uint64_t to, int depth, bool padding)
{
	uint64_t bits = to - from;

	if (!padding) {
		l->holes++;
		l->lost += bits;
	}
	if (l->json)
		return;
	indent(depth);
	if (bits % 8)
		printf("/* %s of %llu bits */\n", padding ? "padding" : "hole", (unsigned long long)bits);
	else
		printf("/* %s of %llu byte%s */\n", padding ? "padding" : "hole", (unsigned long long)bits / 8,
		       bits == 8 ? "" : "s");
}

static void print_anonymous(struct layout *l, const struct di_member *m, uint64_t base, int depth)
{
	indent(depth);
	printf("%s {\n", m->type->kind == DI_UNION ? "union" : "struct");
	print_members(l, m->type, m->from ? 0 : base + m->offset, depth + 1);
	indent(depth);
	printf("};%*s/* ", 46 - 8 * depth, "");
	if (m->from)
		printf("virtual");
	else
		printf("%5llu", (unsigned long long)(base + m->offset));
	printf(" %5llu */\n", (unsigned long long)m->type->size);
}

static void print_member(struct layout *l, const struct di_member *m, uint64_t base, int depth)
{
	const char *text = declaration(m->type, m->name);

	if (!*m->name && is_aggregate(m->type)) {
		print_anonymous(l, m, base, depth);
		return;
	}
	indent(depth);
	if (m->bit_size)
		printf("%-*s/* %5llu:%d %d bit%s */\n", 48 - 8 * depth, str_printf("%s:%d; ", text, m->bit_size),
		       (unsigned long long)(base + m->offset), m->bit_offset, m->bit_size, m->bit_size > 1 ? "s" : "");
	else
		printf("%-*s/* %5llu %5llu */\n", 48 - 8 * depth, str_printf("%s; ", text),
		       (unsigned long long)(base + m->offset), (unsigned long long)m->type->size);
}

static void json_member(struct layout *l, const struct di_member *m, uint64_t base, bool first, int depth)
{
	printf("%s{\"name\": ", first ? "" : ", ");
	json_text(m->name);
	printf(", \"type\": ");
	json_text(m->type->name);
	if (m->from)
		printf(", \"virtual\": true");
	else
		printf(", \"offset\": %llu", (unsigned long long)(base + m->offset));
	printf(", \"size\": %llu", (unsigned long long)m->type->size);
	if (m->bit_size)
		printf(", \"bit_offset\": %d, \"bit_size\": %d", m->bit_offset, m->bit_size);
	if (!*m->name && is_aggregate(m->type)) {
		printf(", \"members\": [");
		print_members(l, m->type, m->from ? 0 : base + m->offset, depth + 1);
		printf("]");
	}
	printf("}");
}

static void print_members(struct layout *l, const struct di_type *t, uint64_t base, int depth)
{
	di_members members = { 0 };
	uint64_t end = 0;
	bool moving = false;       // a virtual base was found, which may be in any gap

	if (depth < 16)            // limited, since damaged debuginfo may contain a struct that contains itself
		di_each_member(t, &members);
	for vec_each(&members, m) {
		uint64_t from = 8 * m->offset + (m->bit_size ? m->bit_offset : 0);

		if (t->kind == DI_STRUCT && from > end && depth < 20)
			print_gap(l, end, from, depth, false);
		moving |= m->from != NULL;
		if (moving)
			from = end;
		if (l->json)
			json_member(l, m, base, m == members.at, depth);
		else
			print_member(l, m, base, depth);
		if (m->from)
			continue;
		from = 8 * m->offset + (m->bit_size ? m->bit_offset : 0);
		from += m->bit_size ? (uint64_t)m->bit_size : 8 * m->type->size;
		end = from > end ? from : end;
	}
	if (t->kind == DI_STRUCT && members.n && !moving && 8 * t->size > end)
		print_gap(l, end, 8 * t->size, depth, true);
}

static void print_enum(const struct layout *l, const struct di_type *t)
{
	di_enumerators all = { 0 };

	di_each_enumerator(t, &all);
	for vec_each(&all, e) {
		if (!l->json) {
			printf("\t%s = %lld,\n", e->name, (long long)e->value);
			continue;
		}
		printf("%s{\"name\": ", e == all.at ? "" : ", ");
		json_text(e->name);
		printf(", \"value\": %lld}", (long long)e->value);
	}
}

static const char *keyword(const struct di_type *t)
{
	if (t->kind == DI_STRUCT)
		return str_starts(t->name, "class ") ? "class" : "struct";
	return t->kind == DI_UNION ? "union" : "enum";
}

static void print_json(struct layout *l, const struct di_type *t)
{
	printf("{\"name\": ");
	json_text(t->name);
	printf(", \"size\": %llu, \"source\": ", (unsigned long long)t->size);
	json_text(di_module_source_text(t->module));
	if (is_aggregate(t)) {
		printf(", \"members\": [");
		print_members(l, t, 0, 0);
		printf("], \"holes\": %d, \"hole_bits\": %llu", l->holes, (unsigned long long)l->lost);
	} else if (t->kind == DI_ENUM) {
		printf(", \"enumerators\": [");
		print_enum(l, t);
		printf("]");
	}
	printf("}\n");
}

static void print_text(struct layout *l, const struct di_type *t)
{
	printf("/* %s */\n", di_module_source_text(t->module));
	if (!is_aggregate(t) && t->kind != DI_ENUM) {
		printf("%s; /* %llu bytes%s */\n", t->name, (unsigned long long)t->size, t->is_signed ? ", signed" : "");
		return;
	}
	printf("%s%s {\n", str_starts(t->name, keyword(t)) ? "" : str_printf("/* %s */ ", keyword(t)), t->name);
	if (t->kind == DI_ENUM)
		print_enum(l, t);
	else
		print_members(l, t, 0, 1);
	printf("}; /* %llu bytes", (unsigned long long)t->size);
	if (l->holes)
		printf(", %d hole%s, %llu bits in "
		       "total", l->holes, l->holes > 1 ? "s" : "", (unsigned long long)l->lost);
	printf(" */\n");
}

int layout_run(struct session *s)
{
	const char *name = s->opt.types, *at = strchr(name, '@');
	struct target_where where = { .s = s };
	struct layout l = { .json = s->opt.json };
	struct di_type *t;

	t = target_find_type(&where, (struct loc){ 0 }, "--types", at ? str_ndup(name, at - name) : name,
			     at ? at + 1 : NULL);
	if (!t)
		return EXIT_FAILURE;
	if (l.json)
		print_json(&l, t);
	else
		print_text(&l, t);
	return EXIT_SUCCESS;
}
