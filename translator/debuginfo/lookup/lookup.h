// SPDX-License-Identifier: GPL-2.0-or-later
// Functions of a module, as found in its index, its BTF or its symbols (function_search.c).
#ifndef DEBUGINFO_LOOKUP_H
#define DEBUGINFO_LOOKUP_H

#include "debuginfo/dwarf/index.h"

struct di_function *function_of_hit(struct di_module *m, const struct index_hit *hit);
uint32_t function_btf(const struct di_function *f);   // its prototype in BTF; 0: none

// demangle.c: the name of a C++ or Rust function, "ns::Box" and "area", by its symbol. NULL: it is not one, or it is in
// DWARF.
struct plain_name {
	const char *whole, *scope, *function;
};
// True at the word "operator" of a name such as "ns::Box::operator+", not in "cooperator".
bool name_is_operator(const char *text, const char *at);
const struct plain_name *plain_name_of(struct di_module *m, const char *symbol);

#endif
