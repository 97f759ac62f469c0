/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Vector registers of the probed program. The kernel saves them when it switches tasks or uses them itself, and
 * marks the task; until then they are in the CPU.
 */
#include "kernel.h"
#include "compat.h"

#ifdef CONFIG_X86_64
#define EACH(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15)
#define READ(n) case n: asm volatile("movq %%xmm" #n ", %0" : "=r"(value)); break;
#else
#define EACH(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15) \
	X(16) X(17) X(18) X(19) X(20) X(21) X(22) X(23) X(24) X(25) X(26) X(27) X(28) X(29) X(30) X(31)
#define READ(n) case n: asm volatile(".arch_extension fp\n\tfmov %0, d" #n : "=r"(value)); break;
#endif

static u64 read_register(u32 n)
{
	u64 value = 0;

	switch (n) {
	EACH(READ)
	}
	return value;
}

#ifdef CONFIG_X86_64
static DEFINE_PER_CPU(struct fxregs_state, x87_copy) __aligned(16);
#endif

/*
 * Context: that of stp_vector_register(). Reads st(0) from the CPU by FXSAVE, which changes no register and no
 * flag; FST would.
 */
s64 stp_x87_top(void)
{
#ifdef CONFIG_X86_64
	const struct fxregs_state *state;
	unsigned long flags;
	s64 value = 0;
	u64 parts[2];

	local_irq_save(flags);
	if (compat_vectors_are_saved()) {
		state = compat_saved_x87();
	} else {
		asm volatile("fxsaveq %0" : "=m"(*this_cpu_ptr(&x87_copy)));
		state = this_cpu_ptr(&x87_copy);
	}
	if (state) {
		memcpy(parts, state->st_space, sizeof(parts));
		value = stp_double_of_x87(parts[0], parts[1]);
	}
	local_irq_restore(flags);
	return value;
#else
	return 0;
#endif
}

/* Context: the current task's. Interrupts are disabled, since they may use the registers after saving them. */
u64 stp_vector_register(u32 n)
{
	unsigned long flags;
	u64 value;

	local_irq_save(flags);
	value = compat_vectors_are_saved() ? compat_saved_vector(n) : read_register(n);
	local_irq_restore(flags);
	return value;
}
