// SPDX-License-Identifier: GPL-2.0-or-later
// Inlined functions and source lines. Files of clang and rustc have no .debug_aranges, so that the ranges of all
// units are read once, and the functions of a unit when one of them is first looked up.
#include "inlines.h"

#include <dwarf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct function { Dwarf_Addr low, high; Dwarf_Die die; };
struct functions { struct function *at; size_t n; bool loaded; };
struct unit { Dwarf_Die lines, die; struct functions functions; };
struct range { Dwarf_Addr low, high; size_t unit; };

struct inlines {
	struct unit *units;
	size_t nunits;
	struct range *ranges;
	size_t nranges;
};

enum { DEPTH_MAX = 200 };                  // nesting of namespaces, types and blocks

// Makes space for one more element; the size is doubled at each power of two.
static void *grow(void *at, size_t n, size_t size)
{
	if (n & (n - 1))
		return at;
	at = realloc(at, (n ? 2 * n : 1) * size);
	if (!at)
		abort();
	return at;
}

static int by_range(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	return x->low < y->low ? -1 : x->low > y->low;
}

static int by_function(const void *a, const void *b)
{
	const struct function *x = a, *y = b;

	return x->low < y->low ? -1 : x->low > y->low;
}

static void add_unit(struct inlines *in, const Dwarf_Die *lines, const Dwarf_Die *die)
{
	Dwarf_Addr base, low, high;
	ptrdiff_t next = 0;
	Dwarf_Die of = *lines;

	in->units = grow(in->units, in->nunits, sizeof(*in->units));
	in->units[in->nunits] = (struct unit){ *lines, *die, { 0 } };
	while ((next = dwarf_ranges(&of, next, &base, &low, &high)) > 0) {
		in->ranges = grow(in->ranges, in->nranges, sizeof(*in->ranges));
		in->ranges[in->nranges++] = (struct range){ low, high, in->nunits };
	}
	in->nunits++;
}

struct inlines *inlines_open(Dwarf *dw)
{
	struct inlines *in = calloc(1, sizeof(*in));
	Dwarf_CU *cu = NULL;
	Dwarf_Die die, split;
	uint8_t type;

	if (!in)
		abort();
	while (!dwarf_get_units(dw, cu, &cu, NULL, &type, &die, &split))
		if (type == DW_UT_compile || type == DW_UT_skeleton)
			add_unit(in, &die, type == DW_UT_skeleton && split.addr ? &split : &die);
	if (in->nranges)
		qsort(in->ranges, in->nranges, sizeof(*in->ranges), by_range);
	return in;
}

static void add_functions(struct functions *to, Dwarf_Die *parent, unsigned depth)
{
	Dwarf_Addr base, low, high;
	ptrdiff_t next;
	Dwarf_Die die;

	if (depth > DEPTH_MAX || dwarf_child(parent, &die))
		return;
	do {
		switch (dwarf_tag(&die)) {
		case DW_TAG_namespace: case DW_TAG_module: case DW_TAG_class_type: case DW_TAG_structure_type:
			add_functions(to, &die, depth + 1);
			break;
		case DW_TAG_subprogram:
			for (next = 0; (next = dwarf_ranges(&die, next, &base, &low, &high)) > 0; ) {
				to->at = grow(to->at, to->n, sizeof(*to->at));
				to->at[to->n++] = (struct function){ low, high, die };
			}
		}
	} while (!dwarf_siblingof(&die, &die));
}

static struct function *function_at(struct unit *u, Dwarf_Addr pc)
{
	size_t low = 0, high;

	if (!u->functions.loaded)
		add_functions(&u->functions, &u->die, 0);
	if (!u->functions.loaded && u->functions.n)
		qsort(u->functions.at, u->functions.n, sizeof(*u->functions.at), by_function);
	u->functions.loaded = true;
	for (high = u->functions.n; low < high; ) {
		size_t middle = low + (high - low) / 2;

		if (u->functions.at[middle].low <= pc)
			low = middle + 1;
		else
			high = middle;
	}
	return low && pc < u->functions.at[low - 1].high ? &u->functions.at[low - 1] : NULL;
}

static struct unit *unit_at(struct inlines *in, Dwarf_Addr pc)
{
	size_t low = 0, high = in->nranges;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (in->ranges[middle].low <= pc)
			low = middle + 1;
		else
			high = middle;
	}
	return low && pc < in->ranges[low - 1].high ? &in->units[in->ranges[low - 1].unit] : NULL;
}

static const char *string_of(Dwarf_Die *die, unsigned attribute)
{
	Dwarf_Attribute a;

	return dwarf_formstring(dwarf_attr_integrate(die, attribute, &a));
}

static const char *name_of(Dwarf_Die *die)
{
	const char *name = string_of(die, DW_AT_linkage_name);

	if (!name)
		name = string_of(die, DW_AT_MIPS_linkage_name);
	return name ? name : string_of(die, DW_AT_name);
}

static Dwarf_Word number_of(Dwarf_Die *die, unsigned attribute)
{
	Dwarf_Attribute a;
	Dwarf_Word n;

	return dwarf_formudata(dwarf_attr(die, attribute, &a), &n) ? 0 : n;
}

// The caller of an inlined function executes the line of the call.
static void set_call(struct source_frame *caller, Dwarf_Die *inlined, struct unit *u)
{
	Dwarf_Files *files;
	size_t n;

	caller->line = number_of(inlined, DW_AT_call_line);
	if (!dwarf_getsrcfiles(&u->die, &files, &n))
		caller->file = dwarf_filesrc(files, number_of(inlined, DW_AT_call_file), NULL, NULL);
}

// Finds the block or inlined function below *die that has the address, and replaces *die by it.
static bool descend(Dwarf_Die *die, Dwarf_Addr pc)
{
	Dwarf_Die child;
	int tag;

	if (dwarf_child(die, &child))
		return false;
	do {
		tag = dwarf_tag(&child);
		if ((tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine) && dwarf_haspc(&child, pc) > 0) {
			*die = child;
			return true;
		}
	} while (!dwarf_siblingof(&child, &child));
	return false;
}

unsigned inlines_at(struct inlines *in, Dwarf_Addr pc, struct source_frame *to)
{
	struct unit *u = unit_at(in, pc);
	struct function *f = u ? function_at(u, pc) : NULL;
	unsigned n = 0, depth = 0;
	Dwarf_Line *line;
	Dwarf_Die die;
	int number;

	if (!f)
		return 0;
	die = f->die;
	to[n++] = (struct source_frame){ name_of(&die) };
	while (n < INLINES_MAX && depth++ < DEPTH_MAX && descend(&die, pc)) {
		if (dwarf_tag(&die) != DW_TAG_inlined_subroutine)
			continue;
		set_call(&to[n - 1], &die, u);
		to[n++] = (struct source_frame){ name_of(&die) };
	}
	line = dwarf_getsrc_die(&u->lines, pc);
	if (line && !dwarf_lineno(line, &number) && number > 0) {
		to[n - 1].file = dwarf_linesrc(line, NULL, NULL);
		to[n - 1].line = number;
	}
	return n;
}
