/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Loads of kernel memory, for --runtime=user, which has none: the address is in the memory of the process that
 * memory.c reads.
 */
#include "user.h"

#define LOAD(bytes) u64 stp_load##bytes(struct stp_ctx *c, u64 address) { return stp_uload##bytes(c, address); }
LOAD(1) LOAD(2) LOAD(4) LOAD(8)

bool stp_load_string(struct stp_ctx *c, char *to, u64 address, u32 size)
{
	return stp_uload_string(c, to, address, size);
}
