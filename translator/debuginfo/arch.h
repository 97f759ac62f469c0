// SPDX-License-Identifier: GPL-2.0-or-later
// Registers of the target architectures: DWARF numbers, offsets in the kernel's pt_regs, and the calling convention.
#ifndef DEBUGINFO_ARCH_H
#define DEBUGINFO_ARCH_H

#include <stdint.h>

struct arch {
	const char *name;              // kbuild's: "x86_64", "arm64"
	int pt_regs_offset[34];        // indexed by DWARF number; -1: not in pt_regs
	int args[8];                   // DWARF number of integer argument i; -1 ends
	int return_value;              // DWARF number
	int second_return_value;       // DWARF number of the second word of a returned struct
	const char *return_names[2];   // names of the two registers that return an integer of two words, for
				       // register(); NULL: one register returns it
	int stack_pointer;
	int frame_pointer;
	unsigned call_clobbered;       // bit n: a call may change register n
	unsigned entry_mask;           // bit n: ftrace provides register n at a function's entry even if it saves
				       // only the arguments
	int entry_cfa;                 // canonical frame address - stack pointer, at a function's entry
	int elf_machine;               // EM_* in the header of its ELF files
	int vector, vectors;           // DWARF number of the first vector register, and how many a probe can read
	int vector_args;               // number of vector registers that pass arguments, from the first one, which
				       // also returns a value
	int word;                      // bytes of a pointer
	const signed char *native;     // DWARF numbers (9, -1: none) -> the numbers of the kernel's architecture,
				       // which locations and the other fields use; NULL: they are the same
};
const struct arch *arch_find(const char *name);   // NULL: not supported

int arch_native(const struct arch *a, uint64_t number);   // -1: not a register of pt_regs
int arch_vector(const struct arch *a, uint64_t number);   // from 0; -1: not a vector register that a probe can read

#endif
