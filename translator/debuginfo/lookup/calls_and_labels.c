// SPDX-License-Identifier: GPL-2.0-or-later
// Finds the labels of a function and the functions that it calls, from the DIEs below it.
#include "debuginfo/dwarf/libdw_unit.h"
#include "debuginfo/lookup/lookup.h"

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
	struct die_search d = { .die = dwarf_die_id(copy) };

	index_each_inline(s->f->module->index, &q, false, is_die, &d);
	for vec_each(s->out, known)
		if ((*known)->is_inline && ((const struct func_priv *)(*known)->priv)->die_offset == d.die)
			return;
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

// Appends the functions that may be called. Of static functions, only those in the caller's unit are (clones).
// Other matches do no harm: each probe is limited to the return addresses of the call sites.
static void callees_of(const struct di_function *f, Dwarf_Die *origin, di_functions *out)
{
	di_functions found = { 0 };
	uint64_t entry;
	bool known = dwarf_entry(origin, &entry);

	di_find_functions(f->module, dwarf_name(origin), NULL, DI_INLINES_NONE, &found);
	for vec_each(&found, it)
		if (known ? (*it)->address == entry : found.n == 1 || same_unit(f, *it))
			vec_push(out, *it);
}

static bool returns_to(const struct di_returns *returns, uint64_t address)
{
	for vec_each(&returns->at, known)
		if (*known == address)
			return true;
	return false;
}

static void add_callee(const struct call_search *s, struct di_function *callee, const struct di_returns *back)
{
	struct di_returns *returns = NULL;

	for vec_each(s->out, known)
		if ((*known)->address == callee->address && (*known)->returns)
			returns = (struct di_returns *)(*known)->returns;
	if (!returns) {
		callee->returns = returns = NEW(struct di_returns);
		vec_push(s->out, callee);
	}
	for vec_each(&back->at, address)
		if (!returns_to(returns, *address))
			vec_push(&returns->at, *address);
}

static void search_calls(const struct call_search *s, Dwarf_Die *scope, int depth);

// A partially inlined function (.part.0) continues its original, so its calls count as calls of the function.
static void add_call(const struct call_search *s, Dwarf_Die *origin, const struct di_returns *back, int depth)
{
	di_functions callees = { 0 };

	callees_of(s->f, origin, &callees);
	for vec_each(&callees, it) {
		bool rest = symbol_is_part((*it)->symbol) && !strcmp((*it)->name, s->f->name);
		struct call_search in_rest = { *it, s->name, s->out };

		if (!rest && !fnmatch(s->name, (*it)->name, 0))
			add_callee(s, *it, back);
		if (!rest || (*it)->address == s->f->address || !dwarf_function(*it))
			continue;
		(*it)->returns = back;
		search_calls(&in_rest, (Dwarf_Die *)((const struct func_priv *)(*it)->priv)->die, depth + 1);
	}
}

// Returns the return address of a call site: DW_AT_call_return_pc of DWARF 5, DW_AT_low_pc of older GCC. A tail call
// returns to the caller of the function, if that is known.
static struct di_returns *returns_of(const struct di_function *f, Dwarf_Die *call)
{
	struct di_returns *back = NEW(struct di_returns);
	Dwarf_Attribute attr;
	Dwarf_Addr address;

	if (dwarf_hasattr(call, DW_AT_call_tail_call) || dwarf_hasattr(call, DW_AT_GNU_tail_call)) {
		if (f->returns)
			*back = *f->returns;
	} else if ((dwarf_attr(call, DW_AT_call_return_pc, &attr) || dwarf_attr(call, DW_AT_low_pc, &attr)) &&
		   !dwarf_formaddr(&attr, &address)) {
		vec_push(&back->at, address);
	}
	return back;
}

static void search_calls(const struct call_search *s, Dwarf_Die *scope, int depth)
{
	Dwarf_Die child, origin;

	if (depth > DEPTH_MAX || dwarf_child(scope, &child))
		return;
	do {
		int tag = dwarf_tag(&child);

		if (tag == DW_TAG_lexical_block)
			search_calls(s, &child, depth + 1);
		if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_call_site && tag != DW_TAG_GNU_call_site)
			continue;
		if (!dwarf_reference(&child, tag == DW_TAG_call_site ? DW_AT_call_origin : DW_AT_abstract_origin,
				     &origin))
			continue;
		if (tag != DW_TAG_inlined_subroutine)
			add_call(s, &origin, returns_of(s->f, &child), depth);
		else if (!fnmatch(s->name, dwarf_name(&origin), 0))
			add_copy(s, &child, dwarf_name(&origin));
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
	struct di_op load = { .code = DI_OP_LOAD, .size = m->arch->word };
	struct di_location l;

	if (!m->arch->entry_cfa)
		return location_register(30);       // arm64: the link register
	l = location_register(m->arch->stack_pointer);
	location_offset(&l, m->arch->entry_cfa - m->arch->word);
	vec_push(&l.ops, load);
	return l;
}
