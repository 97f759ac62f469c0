/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KERNEL_USER_VDSO_H
#define KERNEL_USER_VDSO_H

#include "kernel.h"

/* Finds the symbol at an offset of the vDSO at `base` in the current process; writes its name to `name`. */
bool stp_vdso_symbol(struct stp_ctx *c, u64 base, u64 offset, struct stp_usym *s, char *name, u32 size);

#endif
