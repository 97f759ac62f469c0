/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of kernel addresses, for handlers of the client: a program of the object looks them up in the kernel, so
 * that they are the same as in event handlers, and this process requires neither a table of symbols nor
 * capabilities. Since Linux 5.19 processes without capabilities may run a program by its descriptor; on older
 * kernels an address has no name.
 */
#define _GNU_SOURCE
#include "any_script.h"
#include "client.h"
#include "../core/internal.h"
#include "../include/number.h"
#include "bpf_shared.h"

#include <bpf/bpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void stp_symdata(struct stp_ctx *c, char *to, u64 address);
void stp_sprint_syms(struct stp_ctx *c, char *to, const char *list);
void stp_print_syms(struct stp_ctx *c, const char *list);
void stp_print_syms_lines(struct stp_ctx *c, const char *list);

/* stp_lookup of bpf_stack.h */
static struct { u64 address; char text[]; } *lookup;
static int lookup_program = -1;

static bool names_open(void)
{
	struct bpf_program *p;

	if (lookup)
		return true;
	p = client_named_program("stp_program_lookup");
	lookup = p ? client_map_section(".bss.lookup") : NULL;
	lookup_program = p ? bpf_program__fd(p) : -1;
	return lookup;
}

const char *client_kernel_name(u64 address)
{
	static char number[24];
	LIBBPF_OPTS(bpf_test_run_opts, options);

	if (names_open()) {
		lookup->address = address;
		if (!bpf_prog_test_run_opts(lookup_program, &options))
			return lookup->text;
	}
	snprintf(number, sizeof(number), "0x%llx", (unsigned long long)address);
	return number;
}

/* Removes the first address from a list; returns false at its end. */
static bool next_address(const char **list, u64 *address)
{
	uint64_t number;

	*list += strspn(*list, " ");
	if (!**list)
		return false;
	*address = number_unsigned(list, 16, &number) == NUMBER_GOOD ? number : 0;
	*list += strcspn(*list, " ");
	return true;
}

void stp_symdata(struct stp_ctx *c, char *to, u64 address)
{
	const char *name = client_kernel_name(address);

	if (strlen(name) >= stp_module.limits.string_len)
		stp_string_cut();
	stp_copy(to, name, stp_module.limits.string_len);
}

void stp_sprint_syms(struct stp_ctx *c, char *to, const char *list)
{
	u32 size = stp_module.limits.string_len, len = 0;
	const char *name;
	u64 address;

	while (next_address(&list, &address)) {
		name = client_kernel_name(address);
		if (len + strlen(name) + 1 < size)
			memcpy(to + len, name, strlen(name));
		if (!stp_list_line(to, size, &len, strlen(name)))
			break;
	}
}

void stp_print_syms(struct stp_ctx *c, const char *list)
{
	u64 address;

	while (next_address(&list, &address))
		stp_cprintf(c, " %#llx : %s\n", address, client_kernel_name(address));
}

/* ------------------------------------------------------------------ source lines */

int source_text(char *to, u32 size, u64 address, const char *file, u32 line, char form)
{
	if (!file)
		return snprintf(to, size, "0x%llx", (unsigned long long)address);
	if (form == STP_MARK_FILE)
		return snprintf(to, size, "%s", file);
	return form == STP_MARK_LINE ? snprintf(to, size, "%u", line) : snprintf(to, size, "%s:%u", file, line);
}

/* The tables are those of the kernel for which the script was translated. */
static const char *line_of(u64 address, u32 *line)
{
	const char *file;

	return functions_same_kernel() && stp_source_line(&stp_session.exclusive->c, address, &file, line) ? file : NULL;
}

void stp_kernel_line(struct stp_ctx *c, char *to, u64 address, char form)
{
	u32 size = stp_module.limits.string_len, line = 0;
	const char *file = line_of(address, &line);

	if (source_text(to, size, address, file, line, form) >= (int)size)
		stp_string_cut();
}

void stp_print_kernel_frame(struct stp_ctx *c, u64 address, const char *name, bool is_caller)
{
	u32 line = 0;
	const char *file = line_of(address - is_caller, &line);

	if (file)
		stp_cprintf(c, " %#llx : %s at %s:%u\n", address, name, file, line);
	else
		stp_cprintf(c, " %#llx : %s\n", address, name);
}

void stp_print_syms_lines(struct stp_ctx *c, const char *list)
{
	bool is_caller = false;
	u64 address;

	for (; next_address(&list, &address); is_caller = true)
		stp_print_kernel_frame(c, address, client_kernel_name(address), is_caller);
}
