/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For carriers whose handlers have no call stacks: --runtime=user, and the host that stap runs on with --merge. */
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
