/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Families that a process can't arm. The translator refuses them first; this is for programs that
 * were made for a kernel by hand. */
#include "user.h"

static int refuse(void *table, u32 n)
{
	plat_message(STP_MSG_ERROR, "probes in the kernel need a module: not available with --runtime=user");
	return -95;
}

const struct stp_family_ops stp_function_family = { .name = "function", .start = refuse };
const struct stp_family_ops stp_tracepoint_family = { .name = "tracepoint", .start = refuse };
