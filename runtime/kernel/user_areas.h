/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Mappings of the current process, for user_stack.c and mapping_cache.c. Context: any but NMI. */
#ifndef KERNEL_USER_AREAS_H
#define KERNEL_USER_AREAS_H

#include <linux/mm.h>
#include <linux/mmap_lock.h>

/* Takes the lock of the mappings. Releasing it may wake up a waiter, which takes locks of the scheduler; so the
 * lock is taken only if the interrupted code holds none of these. */
static inline bool stp_areas_begin(struct stp_ctx *c)
{
	return current->mm && stp_irqs_were_on(c) && mmap_read_trylock(current->mm);
}

static inline void stp_areas_end(void)
{
	mmap_read_unlock(current->mm);
}

#endif
