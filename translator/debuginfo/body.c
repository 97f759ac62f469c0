// SPDX-License-Identifier: GPL-2.0-or-later
// What is in a function's code: labels, calls.
#include "debuginfo/dw.h"

#include "util/str.h"

#include <fnmatch.h>
#include <string.h>

#define DEPTH_MAX 64

struct label_search {
	const struct di_function *f;
	const char *label;
	di_functions *out;
};

static void add_label(const struct label_search *s, Dwarf_Die *die)
{
	struct { struct di_function f; struct func_priv priv; } *both;
	Dwarf_Addr address;

	if (fnmatch(s->label, dwarf_name(die), 0) || dwarf_lowpc(die, &address))
		return;
	both = NEW(typeof(*both));
	both->f = *s->f;
	both->priv = *(const struct func_priv *)s->f->priv;
	both->f.priv = &both->priv;
	both->f.address = both->f.pc = address;
	both->priv.own_scope = true;
	both->f.label = str_dup(dwarf_name(die));
	vec_push(s->out, &both->f);
}

static void search_labels(const struct label_search *s, Dwarf_Die *scope, int depth)
{
	Dwarf_Die child;

	if (depth > DEPTH_MAX || dwarf_child(scope, &child))
		return;
	do {
		int tag = dwarf_tag(&child);

		if (tag == DW_TAG_label)
			add_label(s, &child);
		if (tag == DW_TAG_lexical_block)
			search_labels(s, &child, depth + 1);
	} while (!dwarf_siblingof(&child, &child));
}

void di_find_labels(const struct di_function *f, const char *label, di_functions *out)
{
	struct label_search s = { f, label, out };

	if (dwarf_function(f))
		search_labels(&s, (Dwarf_Die *)((const struct func_priv *)f->priv)->die, 0);
}

// ---------------------------------------------------------------- calls

struct call_search {
	const struct di_function *f;
	const char *name;
	di_functions *out;
};

struct die_search { uint32_t die; struct index_hit hit; bool found; };

static void is_die(void *data, const struct index_hit *hit)
{
	struct die_search *s = data;

	if (hit->die != s->die)
		return;
	s->hit = *hit;
	s->found = true;
}

static void add_copy(const struct call_search *s, Dwarf_Die *copy, const char *name)
{
	struct index_query q = { .name = name };
	struct die_search d = { .die = dwarf_dieoffset(copy) };

	index_each_inline(s->f->module->index, &q, false, is_die, &d);
	if (d.found)
		vec_push(s->out, function_of_hit(s->f->module, &d.hit));
}

static bool same_unit(const struct di_function *a, const struct di_function *b)
{
	const struct index *ix = a->module->index;
	uint64_t x, y;

	return index_unit_of_die(ix, ((const struct func_priv *)a->priv)->die_offset, &x) &&
	       index_unit_of_die(ix, ((const struct func_priv *)b->priv)->die_offset, &y) && x == y;
}

// The function that is called. Static ones of one name: that of the caller's unit.
static struct di_function *callee_of(const struct di_function *f, Dwarf_Die *origin)
{
	di_functions found = { 0 };
	struct di_function *local = NULL;
	uint64_t entry;
	bool known = dwarf_entry(origin, &entry);

	di_find_functions(f->module, dwarf_name(origin), NULL, DI_INLINES_NONE, &found);
	for vec_each(&found, it) {
		if (known ? (*it)->address == entry : found.n == 1)
			return *it;
		if (!known && same_unit(f, *it))
			local = *it;
	}
	return local;
}

static void add_call(const struct call_search *s, Dwarf_Die *origin, uint64_t back)
{
	struct di_function *callee = callee_of(s->f, origin);
	struct di_returns *returns;

	if (!callee)
		return;
	for vec_each(s->out, known)
		if ((*known)->address == callee->address && (*known)->returns) {
			vec_push(&((struct di_returns *)(*known)->returns)->at, back);
			return;
		}
	returns = NEW(struct di_returns);
	vec_push(&returns->at, back);
	callee->returns = returns;
	vec_push(s->out, callee);
}

// Where a call comes back to: of DWARF 5, and of GCC before that. A jump at the end doesn't come back.
static bool return_address(Dwarf_Die *call, uint64_t *out)
{
	Dwarf_Attribute attr;
	Dwarf_Addr address;

	if (dwarf_hasattr(call, DW_AT_call_tail_call) || dwarf_hasattr(call, DW_AT_GNU_tail_call))
		return false;
	if (!dwarf_attr(call, DW_AT_call_return_pc, &attr) && !dwarf_attr(call, DW_AT_low_pc, &attr))
		return false;
	if (dwarf_formaddr(&attr, &address))
		return false;
	*out = address;
	return true;
}

static void search_calls(const struct call_search *s, Dwarf_Die *scope, int depth)
{
	Dwarf_Die child, origin;
	uint64_t back;

	if (depth > DEPTH_MAX || dwarf_child(scope, &child))
		return;
	do {
		int tag = dwarf_tag(&child);

		if (tag == DW_TAG_lexical_block)
			search_calls(s, &child, depth + 1);
		if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_call_site && tag != DW_TAG_GNU_call_site)
			continue;
		if (!dwarf_reference(&child, tag == DW_TAG_call_site ? DW_AT_call_origin : DW_AT_abstract_origin,
				     &origin) || fnmatch(s->name, dwarf_name(&origin), 0))
			continue;
		if (tag == DW_TAG_inlined_subroutine)
			add_copy(s, &child, dwarf_name(&origin));
		else if (return_address(&child, &back))
			add_call(s, &origin, back);
	} while (!dwarf_siblingof(&child, &child));
}

void di_find_callees(const struct di_function *f, const char *name, di_functions *out)
{
	struct call_search s = { f, name, out };

	if (module_index(f->module) && dwarf_function(f))
		search_calls(&s, (Dwarf_Die *)((const struct func_priv *)f->priv)->die, 0);
}

struct di_location di_return_address(const struct di_module *m)
{
	struct di_op load = { .code = DI_OP_LOAD, .size = 8 };
	struct di_location l;

	if (!m->arch->entry_cfa)
		return location_register(30);       // of arm64: the link register
	l = location_register(m->arch->stack_pointer);
	location_offset(&l, m->arch->entry_cfa - 8);
	vec_push(&l.ops, load);
	return l;
}
