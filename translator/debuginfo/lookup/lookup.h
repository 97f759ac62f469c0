// SPDX-License-Identifier: GPL-2.0-or-later
// Functions of a module, as found in its index, its BTF or its symbols (function_search.c).
#ifndef DEBUGINFO_LOOKUP_H
#define DEBUGINFO_LOOKUP_H

#include "debuginfo/dwarf/index.h"

struct di_function *function_of_hit(struct di_module *m, const struct index_hit *hit);
uint32_t function_btf(const struct di_function *f);   // BTF id of its prototype; 0: none

// demangle.c: returns the name of a C++ or Rust function, "ns::Box" and "area", from its symbol. NULL: it is not
// such a function, or it is in DWARF.
struct plain_name {
	const char *whole, *scope, *function;
};
// Returns true at the word "operator" of a name such as "ns::Box::operator+", but not in "cooperator".
bool name_is_operator(const char *text, const char *at);
const struct plain_name *plain_name_of(struct di_module *m, const char *symbol);

#endif
