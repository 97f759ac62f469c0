/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Mappings of the current process, for user_stack.c and mapping_cache.c. */
#ifndef KERNEL_USER_AREAS_H
#define KERNEL_USER_AREAS_H

#include "kernel.h"

/* The families whose handlers read mappings call start once and stop once. May sleep. */
void stp_areas_start(void);
void stp_areas_stop(void);

/* Takes the lock of the mappings for reading. Returns false if the lock is not free or the task has no mappings.
 * Context: a handler, in any context but NMI. */
bool stp_areas_begin(struct stp_ctx *c);
void stp_areas_end(struct stp_ctx *c);

#endif
