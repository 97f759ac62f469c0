/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of system calls by number, of the interface that the current process uses: for syscall_name() and
 * syscall_num(). Part of bpf_program.h. Context: a hit.
 */
#ifndef BPF_CALL_NAMES_H
#define BPF_CALL_NAMES_H

#include "syscall_names.h"

#define STP_NAMED_CALLS 512            /* a power of two above all numbers */
union bpf_call_text { char name[32]; u64 words[4]; };
#define STP_NAMED_CALL(number, text) [number] = { .name = text },
const union bpf_call_text stp_call_names_64[STP_NAMED_CALLS] SEC(".rodata.call_names_64") = {
	SYSCALL_NAMES_X86_64(STP_NAMED_CALL)
};
const union bpf_call_text stp_call_names_32[STP_NAMED_CALLS] SEC(".rodata.call_names_32") = {
	SYSCALL_NAMES_I386(STP_NAMED_CALL)
};

/* Copies a name; returns 0 if there is none. */
STP_GLOBAL_FUNCTION int bpf_call_name(struct stp_text *to, u64 number)
{
	const union bpf_call_text *table = bpf_is_compat() ? stp_call_names_32 : stp_call_names_64;
	u32 i;

	if (!to || number >= STP_NAMED_CALLS)
		return 0;
#pragma unroll
	for (i = 0; i < 4; i++)
		((u64 *)to->b)[i] = table[STP_INDEX((u32)number, STP_NAMED_CALLS)].words[i];
	return to->b[0] != 0;
}
#define stp_call_name(c, to, number) do {					\
	if (!bpf_call_name((struct stp_text *)(to), (u64)(number)))		\
		bpf_end_at((struct stp_text *)(to), (u32)bpf_put_number((struct stp_text *)(to), 0, (u64)(number),	\
			   bpf_spec('d', 0, -1, -1)));				\
} while (0)

/* All words are compared at once: after each branch, the verifier would follow the rest of the loop once more. */
STP_GLOBAL_FUNCTION int bpf_call_number_of(const struct stp_text *name)
{
	const union bpf_call_text *table = bpf_is_compat() ? stp_call_names_32 : stp_call_names_64;
	u64 wanted[4] = { }, end = 0;
	u32 i;

	if (!name || !name->b[0])
		return -1;
#pragma unroll
	for (i = 0; i < 4; i++) {
		if (end)
			break;
		wanted[i] = ((const u64 *)name->b)[i];
		end = stp_text_end(wanted[i]);
		wanted[i] &= end ? (end & -end) - 1 : ~0ull;
	}
	if (!end)
		return -1;
	for (i = 0; i < STP_NAMED_CALLS; i++) {
		const u64 *row = table[i].words;
		u64 differs = (row[0] ^ wanted[0]) | (row[1] ^ wanted[1]) | (row[2] ^ wanted[2]) | (row[3] ^ wanted[3]);

		STP_HIDE(differs);
		if (!differs)
			return (int)i;
	}
	return -1;
}
#define stp_call_number(c, name) ((s64)bpf_call_number_of(STP_AS_TEXT(name)))

#endif
