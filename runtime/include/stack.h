/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the translator computes about a module's use of the kernel's stack, and writes into it. */
#ifndef STP_STACK_H
#define STP_STACK_H

#define STP_STACK_SECTION ".stp_stack"
#define STP_STACK_MOST 4096        /* bytes that a hit may need; the runtime's quick check sees no more */

struct stp_stack_need {
	unsigned int hit;          /* bytes from where the runtime checks what is left: runtime, handler, kernel */
	unsigned int call;         /* of these, for one call of a recursive function and all that it calls */
};

#endif
