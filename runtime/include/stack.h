/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the translator computes about a module's use of the kernel's stack, and writes into it. */
#ifndef STP_STACK_H
#define STP_STACK_H

#define STP_STACK_SECTION ".stp_stack"
#define STP_STACK_USUAL 4096       /* `most` where a task has 16 KB; kernels that look for faults have larger stacks */

struct stp_stack_need {
	unsigned int most;         /* bytes that a hit may need, from the runtime; its quick check sees no more */
	unsigned int hit;          /* bytes from where the runtime checks what is left: runtime, handler, kernel */
	unsigned int call;         /* of these, for one call of a recursive function and all that it calls */
};

#endif
