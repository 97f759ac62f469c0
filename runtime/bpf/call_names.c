/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of system calls by number, for handlers of the client, which is a 64-bit process: see bpf_call_names.h. */
#define _GNU_SOURCE
#include "client.h"
#include "../core/internal.h"
#include "../include/syscall_names.h"

#include <stdio.h>
#include <string.h>

#define NAMED(number, name) [number] = name,
static const char *const names[] = { SYSCALL_NAMES_X86_64(NAMED) };

s64 stp_call_number(struct stp_ctx *c, const char *name);
void stp_call_name(struct stp_ctx *c, char *to, s64 number);

s64 stp_call_number(struct stp_ctx *c, const char *name)
{
	s64 i;

	for (i = 0; i < (s64)(sizeof(names) / sizeof(names[0])); i++)
		if (names[i] && !strcmp(names[i], name))
			return i;
	return -1;
}

void stp_call_name(struct stp_ctx *c, char *to, s64 number)
{
	char text[24];

	snprintf(text, sizeof(text), "%lld", number);
	stp_copy(to, (u64)number < sizeof(names) / sizeof(names[0]) && names[number] ? names[number] : text,
		 stp_module.limits.string_len);
}
