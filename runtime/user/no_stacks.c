/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions for handlers without call stacks: with --runtime=user, and of the probes that run here with --merge. */
#include "user.h"

/* No string is a stack value here: handlers have no call stacks. */
const char *plat_stack_line(struct stp_ctx *c, const char *stack, u32 *at, u64 *address)
{
	return NULL;
}

bool plat_stack_address(const char *stack, u32 *at, u64 *address)
{
	return false;
}
