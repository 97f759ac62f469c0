// SPDX-License-Identifier: GPL-2.0-or-later
// The table of architectures: offsets in struct pt_regs (uapi asm/ptrace.h), DWARF register numbers and the registers
// of integer arguments (the psABIs).
#include "debuginfo/arch.h"

#include "util/mem.h"

#include <elf.h>
#include <string.h>

static const struct arch arches[] = {
	{
		.name = "x86_64",
		.elf_machine = EM_X86_64,
		.pt_regs_offset = {
			[0] = 80,      // rax
			[1] = 96,      // rdx
			[2] = 88,      // rcx
			[3] = 40,      // rbx
			[4] = 104,     // rsi
			[5] = 112,     // rdi
			[6] = 32,      // rbp
			[7] = 152,     // rsp
			[8] = 72, [9] = 64, [10] = 56, [11] = 48,   // r8 to r11
			[12] = 24, [13] = 16, [14] = 8, [15] = 0,   // r12 to r15
			[16] = 128,    // the register of the return address, rip
			[17 ... 33] = -1,
		},
		.args = { 5, 4, 1, 2, 8, 9, -1 },
		.return_value = 0,
		.second_return_value = 1,
		.return_names = { "rax", "rdx" },
		.stack_pointer = 7,
		.frame_pointer = 6,
		.entry_mask = 1u << 5 | 1u << 4 | 1u << 1 | 1u << 2 | 1u << 8 | 1u << 9 | 1u << 7,
		.call_clobbered = 1u << 0 | 1u << 1 | 1u << 2 | 1u << 4 | 1u << 5 | 0xfu << 8,
		.entry_cfa = 8,
		.vector = 17,          // xmm0
		.vectors = 16,
		.vector_args = 8,
		.word = 8,
	},
	{
		// 32-bit programs on x86-64: all arguments are on the stack.
		.name = "i386",
		.elf_machine = EM_386,
		.native = (const signed char[9]){ 0, 2, 1, 3, 7, 6, 4, 5, 16 },  // native numbers 0 to 8 are eax
										 // ecx edx ebx esp ebp esi edi eip
		.pt_regs_offset = {
			[0] = 80, [1] = 96, [2] = 88, [3] = 40, [4] = 104, [5] = 112, [6] = 32, [7] = 152,
			[8 ... 15] = -1, [16] = 128, [17 ... 33] = -1,
		},
		.args = { -1 },
		.return_value = 0,
		.second_return_value = 1,
		.stack_pointer = 7,
		.frame_pointer = 6,
		.entry_mask = 1u << 7,
		.call_clobbered = 1u << 0 | 1u << 1 | 1u << 2,
		.entry_cfa = 4,
		.vector = 21,          // xmm0; functions return floating point in the x87 register st(0)
		.vectors = 8,
		.word = 4,
	},
	{
		.name = "arm64",
		.elf_machine = EM_AARCH64,
		.pt_regs_offset = {
			[0] = 0, [1] = 8, [2] = 16, [3] = 24, [4] = 32, [5] = 40, [6] = 48, [7] = 56,
			[8] = 64, [9] = 72, [10] = 80, [11] = 88, [12] = 96, [13] = 104, [14] = 112,
			[15] = 120, [16] = 128, [17] = 136, [18] = 144, [19] = 152, [20] = 160,
			[21] = 168, [22] = 176, [23] = 184, [24] = 192, [25] = 200, [26] = 208,
			[27] = 216, [28] = 224, [29] = 232, [30] = 240,
			[31] = 248,    // sp
			[32] = 256,    // pc
			[33] = -1,
		},
		.args = { 0, 1, 2, 3, 4, 5, 6, 7 },
		.return_value = 0,
		.second_return_value = 1,
		.return_names = { "x0", "x1" },
		.stack_pointer = 31,
		.frame_pointer = 29,
		.entry_mask = 0x1ffu | 1u << 29 | 1u << 30 | 1u << 31,
		.call_clobbered = 0x7ffffu,
		.entry_cfa = 0,
		.vector = 64,          // v0
		.vectors = 32,
		.vector_args = 8,
		.word = 8,
	},
};

const struct arch *arch_find(const char *name)
{
	for (const struct arch *a = arches; a < END(arches); a++)
		if (!strcmp(a->name, name))
			return a;
	return NULL;
}

int arch_native(const struct arch *a, uint64_t number)
{
	if (a->native && number >= 9)
		return -1;
	if (number >= ARRAY_SIZE(a->pt_regs_offset))
		return -1;
	number = a->native ? a->native[number] : number;
	return a->pt_regs_offset[number] < 0 ? -1 : (int)number;
}

int arch_vector(const struct arch *a, uint64_t number)
{
	return number >= (uint64_t)a->vector && number < (uint64_t)(a->vector + a->vectors) ? (int)number - a->vector : -1;
}
