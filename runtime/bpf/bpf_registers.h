/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of the registers of x86-64, for register(): the word of struct pt_regs and the size in bits. Part of
 * bpf_program.h.
 */
#ifndef BPF_REGISTERS_H
#define BPF_REGISTERS_H

struct bpf_register { char name[8]; u8 word, bits, unused[6]; };       /* a name of 8 bytes is not terminated */
const struct bpf_register stp_register_names[] SEC(".rodata.registers") = {
	{ "rax", 10, 64 }, { "eax", 10, 32 }, { "ax", 10, 16 }, { "rbx", 5, 64 }, { "ebx", 5, 32 },
	{ "bx", 5, 16 }, { "rcx", 11, 64 }, { "ecx", 11, 32 }, { "cx", 11, 16 }, { "rdx", 12, 64 },
	{ "edx", 12, 32 }, { "dx", 12, 16 }, { "rsi", 13, 64 }, { "esi", 13, 32 }, { "si", 13, 16 },
	{ "rdi", 14, 64 }, { "edi", 14, 32 }, { "di", 14, 16 }, { "rbp", 4, 64 }, { "ebp", 4, 32 },
	{ "bp", 4, 16 }, { "rsp", 19, 64 }, { "esp", 19, 32 }, { "sp", 19, 16 }, { "rip", 16, 64 },
	{ "eip", 16, 32 }, { "ip", 16, 16 }, { "al", 10, 8 }, { "bl", 5, 8 }, { "cl", 11, 8 }, { "dl", 12, 8 },
	{ "sil", 13, 8 }, { "dil", 14, 8 }, { "bpl", 4, 8 }, { "spl", 19, 8 }, { "r8", 9, 64 },
	{ "r8d", 9, 32 }, { "r8w", 9, 16 }, { "r8b", 9, 8 }, { "r9", 8, 64 }, { "r9d", 8, 32 },
	{ "r9w", 8, 16 }, { "r9b", 8, 8 }, { "r10", 7, 64 }, { "r10d", 7, 32 }, { "r10w", 7, 16 },
	{ "r10b", 7, 8 }, { "r11", 6, 64 }, { "r11d", 6, 32 }, { "r11w", 6, 16 }, { "r11b", 6, 8 },
	{ "r12", 3, 64 }, { "r12d", 3, 32 }, { "r12w", 3, 16 }, { "r12b", 3, 8 }, { "r13", 2, 64 },
	{ "r13d", 2, 32 }, { "r13w", 2, 16 }, { "r13b", 2, 8 }, { "r14", 1, 64 }, { "r14d", 1, 32 },
	{ "r14w", 1, 16 }, { "r14b", 1, 8 }, { "r15", 0, 64 }, { "r15d", 0, 32 }, { "r15w", 0, 16 },
	{ "r15b", 0, 8 }, { "rflags", 18, 64 }, { "eflags", 18, 32 }, { "flags", 18, 16 },
	{ "orig_rax", 15, 64 }, { "orig_eax", 15, 32 }, { "orig_ax", 15, 16 }, { "xcs", 17, 16 },
	{ "xss", 20, 16 },
};

/* Returns the word + 256 * the size, or -1. The name is the first word of the text, without what follows its end. */
STP_GLOBAL_FUNCTION int bpf_register_code(const struct stp_text *name)
{
	u64 word, end;
	u32 i;

	if (!name)
		return -1;
	word = *(const u64 *)name->b;
	end = stp_text_end(word);
	if (end)
		word &= (end & -end) - 1;
	else if (name->b[8])
		return -1;
	for (i = 0; i < sizeof(stp_register_names) / sizeof(stp_register_names[0]); i++)
		if (*(const volatile u64 *)stp_register_names[i].name == word)
			return stp_register_names[i].word | stp_register_names[i].bits << 8;
	return -1;
}
#define stp_register_code(name) ((s64)bpf_register_code(STP_AS_TEXT(name)))

#endif
