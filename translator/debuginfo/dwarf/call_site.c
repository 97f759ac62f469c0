// SPDX-License-Identifier: GPL-2.0-or-later
// Reads the values that callers pass in a register from their call sites (DW_TAG_call_site).
// In: a function of a program, a register.
// Out: the call sites in the same unit that describe that register, by their return addresses.
//
// A return address identifies the call only if no tail call can have led to the function since: all tail calls of the
// called function must be resolved, and must not lead back to the function.
#include "debuginfo/dwarf/expression.h"

enum { MAX_DEPTH = 16, MAX_TAIL_CALLS = 64 };

// Returns the common origin of declarations, abstract instances and inlined copies.
static uint64_t root_of(Dwarf_Die die)
{
	Dwarf_Die other;

	for (int i = 0; i < 4 && (dwarf_reference(&die, DW_AT_abstract_origin, &other) ||
				  dwarf_reference(&die, DW_AT_specification, &other)); i++)
		die = other;
	return dwarf_die_id(&die);
}

static void add_calls(struct unit *u, Dwarf_Die *scope, uint64_t caller, int depth)
{
	Dwarf_Die child, origin;
	Dwarf_Attribute attr;
	Dwarf_Addr address;

	if (depth > MAX_DEPTH || dwarf_child(scope, &child))
		return;
	do {
		struct unit_call call = { .die = child, .caller = caller };
		int tag = dwarf_tag(&child);

		if (tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine)
			add_calls(u, &child, caller, depth + 1);
		if (tag != DW_TAG_call_site && tag != DW_TAG_GNU_call_site)
			continue;
		if (dwarf_reference(&child, tag == DW_TAG_call_site ? DW_AT_call_origin : DW_AT_abstract_origin, &origin))
			call.callee = root_of(origin);
		call.is_tail = dwarf_hasattr(&child, DW_AT_call_tail_call) || dwarf_hasattr(&child, DW_AT_GNU_tail_call);
		if ((dwarf_attr(&child, DW_AT_call_return_pc, &attr) || dwarf_attr(&child, DW_AT_low_pc, &attr)) &&
		    !dwarf_formaddr(&attr, &address))
			call.returns_to = address;
		vec_push(&u->calls, call);
	} while (!dwarf_siblingof(&child, &child));
}

// Collects the functions of the unit that have code, also those in namespaces and classes.
static void read_functions(struct unit *u, Dwarf_Die *scope, int depth)
{
	Dwarf_Die child;

	if (depth > MAX_DEPTH || dwarf_child(scope, &child))
		return;
	do {
		struct unit_code code = { .die = child };
		int tag = dwarf_tag(&child);

		if (tag == DW_TAG_namespace || tag == DW_TAG_structure_type || tag == DW_TAG_class_type)
			read_functions(u, &child, depth + 1);
		if (tag != DW_TAG_subprogram || !dwarf_entry(&child, &code.entry))
			continue;
		code.root = root_of(child);
		code.all_calls = dwarf_hasattr(&child, DW_AT_call_all_calls) ||
				 dwarf_hasattr(&child, DW_AT_call_all_tail_calls) ||
				 dwarf_hasattr(&child, DW_AT_GNU_all_call_sites) ||
				 dwarf_hasattr(&child, DW_AT_GNU_all_tail_call_sites);
		vec_push(&u->code, code);
		add_calls(u, &child, code.root, 0);
	} while (!dwarf_siblingof(&child, &child));
}

// Returns the code of the function if the unit has exactly one copy of it, else NULL.
static const struct unit_code *code_of(const struct unit *u, uint64_t root)
{
	const struct unit_code *found = NULL;

	for vec_each(&u->code, it) {
		if (it->root != root)
			continue;
		if (found)
			return NULL;
		found = it;
	}
	return found;
}

// Returns true if tail calls may lead back to the function, or if that cannot be determined.
static bool may_follow_itself(const struct unit *u, uint64_t root)
{
	uint64_t seen[MAX_TAIL_CALLS] = { root };
	int n = 1;

	for (int i = 0; i < n; i++) {
		const struct unit_code *code = code_of(u, seen[i]);

		if (!code || !code->all_calls)
			return true;
		for vec_each(&u->calls, call) {
			bool known = false;

			if (call->caller != seen[i] || !call->is_tail)
				continue;
			for (int k = 0; k < n; k++)
				known |= seen[k] == call->callee;
			if (!call->callee || call->callee == root || (!known && n == MAX_TAIL_CALLS))
				return true;
			if (!known)
				seen[n++] = call->callee;
		}
	}
	return false;
}

// Finds the value of the register that the call site describes, in terms of the caller's registers.
static bool value_of(Dwarf_Die *call, int number, Dwarf_Attribute *value)
{
	Dwarf_Attribute attr;
	Dwarf_Die p;
	Dwarf_Op *ops;
	size_t n;

	if (dwarf_child(call, &p))
		return false;
	do {
		int tag = dwarf_tag(&p);

		if ((tag == DW_TAG_call_site_parameter || tag == DW_TAG_GNU_call_site_parameter) &&
		    dwarf_attr(&p, DW_AT_location, &attr) && !dwarf_getlocation(&attr, &ops, &n) && n == 1 &&
		    dwarf_register(ops) == number)
			return dwarf_attr(&p, DW_AT_call_value, value) || dwarf_attr(&p, DW_AT_GNU_call_site_value, value);
	} while (!dwarf_siblingof(&p, &p));
	return false;
}

bool call_sites(struct di_module *m, Dwarf_Die *function, int number, call_values *out)
{
	uint64_t root = root_of(*function);
	const struct unit_code *code;
	uint64_t entry;
	struct unit *u;

	if (!m->is_user || !dwarf_entry(function, &entry) || !(u = dwarf_unit_of_address(m->dwarf, entry)))
		return false;
	if (!u->calls_read)
		read_functions(u, &u->die, 0);
	u->calls_read = true;
	code = code_of(u, root);
	if (!code || code->entry != entry || may_follow_itself(u, root))
		return false;
	for vec_each(&u->calls, call) {
		struct call_value v = { .returns_to = call->returns_to };

		if (call->callee != root || call->is_tail || !call->returns_to || !value_of(&call->die, number, &v.value))
			continue;
		for vec_each(&u->code, it)
			if (it->root == call->caller)
				v.caller = it->die;
		if (code_of(u, call->caller))
			vec_push(out, v);
	}
	return out->n > 0 && out->n <= MAX_CALL_SITES;
}
