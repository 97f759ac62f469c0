/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Contexts of which only some members are set, on the stack of the caller: for handlers and entry functions that
 * read only these. Included by generated.h, after struct stp_ctx; also used by the runtime.
 */
#ifndef STP_PART_CONTEXT_H
#define STP_PART_CONTEXT_H

/* Attributes of a function with such a context, and of that variable. Nothing reads the members that are not set,
 * and nothing writes beyond it, so it needs neither zeros nor a check of the stack. */
#if __has_attribute(__no_stack_protector__)
#define STP_PART_FRAME __attribute__((__no_stack_protector__))
#else
#define STP_PART_FRAME
#endif
#if __has_attribute(__uninitialized__)
#define STP_PART_UNSET __attribute__((__uninitialized__))
#else
#define STP_PART_UNSET
#endif
/* With STP_DEBUG, a read of a member that is not set has a value that is recognised. */
#ifdef STP_DEBUG
#define STP_PART_POISON(c) __builtin_memset(&(c), 0xa5, sizeof(c))
#else
#define STP_PART_POISON(c) ((void)0)
#endif

/*
 * Defines NAME_free(), which runs the entry function NAME without the CPU's context, with interrupts unchanged: for
 * entry functions that use only regs and entry and cannot fail. It returns 0. Context: any but NMI. `work` is more
 * than a function without loops can charge; `error` is checked.
 */
#define STP_ENTRY_FREE(name)							\
static STP_PART_FRAME int name##_free(const void *regs, s64 *entry)		\
{										\
	struct stp_ctx c STP_PART_UNSET;					\
	STP_PART_POISON(c);							\
	c.regs = regs;								\
	c.entry = entry;							\
	c.error = (void *)0;							\
	c.work = 1 << 30;							\
	name(&c);								\
	return 0;								\
}

#endif
