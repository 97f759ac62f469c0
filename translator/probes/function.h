// SPDX-License-Identifier: GPL-2.0-or-later
// Interface of function.c, which finds the addresses, and function_emit.c, which writes their table.
#ifndef PROBES_FUNCTION_H
#define PROBES_FUNCTION_H

#include "debuginfo/debuginfo.h"
#include "resolve/family.h"

struct function_probe {        // probe.data
	struct di_function *function;
	const char *module;        // NULL in the kernel
	bool is_return;
	bool by_symbol;            // kprobe.*: the loader finds it by its symbol, so only registers are available
	bool optional;
	bool wildcard;             // the function was found by a wildcard
	bool is_absolute;
	uint64_t absolute;         // run-time address, if is_absolute is set
	int64_t maxactive;         // 0: the kernel's default
};
void function_share(struct session *s, struct probe **probes, int n);
void function_bpf_program(struct session *s, const struct probe *p, struct cwriter *w, const char *rest);
int function_bpf_calls(const struct probe *p);
void function_emit(struct session *s, struct cwriter *w, struct probe **probes, int n);

#endif
