/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Probe families that need a kernel module. The translator rejects them with --runtime=user; these are for C that was
 * translated for a kernel and compiled with this runtime by hand. */
#include "user.h"

static int refuse(void *table, u32 n)
{
	plat_message(STP_MSG_ERROR, "kernel probes require a kernel module; run the script without --runtime=user");
	return -95;
}

const struct stp_family_ops stp_function_family = { .name = "function", .start = refuse };
const struct stp_family_ops stp_tracepoint_family = { .name = "tracepoint", .start = refuse };
