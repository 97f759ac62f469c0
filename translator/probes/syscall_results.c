// SPDX-License-Identifier: GPL-2.0-or-later
// The meaning of system calls' results, syscall_results.def, as generated C.
#include "emit/emit.h"
#include "probes/syscall.h"
#include "util/str.h"

#include <string.h>

enum { ANY = -1 };

static const struct result {
	const char *call;
	int64_t command;           // or ANY
	const char *form, *meaning, *before;
} results[] = {
#define RESULT(call, command, form, meaning, before) { #call, command, form, meaning, before },
#include "probes/syscall_results.def"
#undef RESULT
};

static bool is_of(const struct result *r, const struct syscall_row *row)
{
	return !strcmp(r->call, row->name) || (!strcmp(r->call, "fcntl") && !strcmp(row->name, "fcntl64"));
}

bool syscall_has_meanings(const struct syscall_probe *d)
{
	for vec_each(&d->rows, row)
		for (const struct result *r = results; r < END(results); r++)
			if (is_of(r, *row))
				return true;
	return false;
}

struct syscall_args syscall_meanings(const struct syscall_row *row)
{
	struct syscall_args args = { 0 };

	for (const struct result *r = results; r < END(results); r++)
		if (is_of(r, row))
			syscall_parse_args(r->meaning, 0, &args);
	return args;
}

int syscall_emit_meanings(struct cwriter *lines, const struct syscall_row *row)
{
	struct syscall_args args = syscall_meanings(row);
	int n = 0;

	for (const struct result *r = results; r < END(results); r++) {
		const struct syscall_arg *a;

		if (!is_of(r, row))
			continue;
		a = &args.at[n++];
		cw_line(lines, "{ %lld, %d, %d, %s, { STP_ARG_%s%s } },", (long long)r->command, r->command == ANY,
			*r->form == 'x', emit_c_string(r->before), a->type->name,
			*a->set ? str_printf(", .symbols = &stp_symbols_%s", a->set) : "");
	}
	return n;
}
