/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The module's use of the kernel stack, which the translator computes and writes into it. */
#ifndef STP_STACK_H
#define STP_STACK_H

#define STP_STACK_SECTION ".stp_stack"
#define STP_STACK_USUAL 4096       /* `limit` for a task with 16 KB of stack; kernels with sanitizers have larger
				    * stacks */

struct stp_stack_need {
	/* bytes that a hit may need, counted from the runtime; the quick check compares only with this */
	unsigned int limit;
	unsigned int hit;          /* bytes from the runtime's check of the stack on: runtime, handler, kernel */
	unsigned int call;         /* bytes of one call of a recursive function, including everything that it calls */
};

#endif
