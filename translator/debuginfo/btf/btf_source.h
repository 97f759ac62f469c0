// SPDX-License-Identifier: GPL-2.0-or-later
// Functions, types and tracepoints of BTF, over libbpf.
#ifndef DEBUGINFO_BTF_SOURCE_H
#define DEBUGINFO_BTF_SOURCE_H

#include "debuginfo/module.h"

struct btf_source *btf_open(struct di_module *m, struct bytes raw);   // NULL: damaged
uint32_t btf_find_function(struct btf_source *b, const char *name);   // 0: none
void btf_each_function(struct btf_source *b, void (*fn)(void *data, const char *name, uint32_t id), void *data);
bool btf_parameter(struct btf_source *b, uint32_t func, const char *name, struct di_variable *out);
void btf_parameter_names(struct btf_source *b, uint32_t func, name_list *out);
struct di_type *btf_return_type(struct btf_source *b, uint32_t func); // NULL: void
struct di_type *btf_find_type(struct btf_source *b, enum di_kind kind, const char *name);
void btf_each_name(struct btf_source *b, bool enumerators, void (*fn)(void *data, const char *name), void *data);
bool btf_find_enumerator_value(struct btf_source *b, const char *name, int64_t *value);
// Tracepoints are identified by the BTF id of their prototype.
void btf_each_tracepoint(struct btf_source *b, void (*fn)(void *data, const char *name, uint32_t id), void *data);
uint32_t btf_find_tracepoint(struct btf_source *b, const char *name); // 0: none
void btf_tracepoint_arguments(struct btf_source *b, uint32_t id, struct di_tracepoint *t); // finds them by t->name

#endif
