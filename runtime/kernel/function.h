/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the two halves of the function family offer each other: probe_function.c (the family, the
 * entries of functions, places inside) and function_return.c. All of it: process context, one at
 * a time.
 */
#ifndef KERNEL_FUNCTION_H
#define KERNEL_FUNCTION_H

#include "kernel.h"

/* Of both halves, since the family started. */
struct stp_function_totals {
	u32 armed, failed;                 /* places */
	u64 missed;                        /* hits of places that are disarmed since */
};
extern struct stp_function_totals stp_function_totals;

/* ------------------------------------------------------------------ probe_function.c */

/* Warns that the place can't be probed, unless that is no error; err: 0 or negative. */
void stp_function_cannot(const struct stp_function *f, const struct stp_site *s, int err);

/*
 * Adds the addresses [from, to) to the filter of ops, and notes in ok[] which of them ftrace
 * knows: all are tried at once, and where that fails, each half.
 */
struct ftrace_ops;
void stp_ftrace_filter(struct ftrace_ops *ops, unsigned long *ips, bool *ok, u32 from, u32 to);

/* ------------------------------------------------------------------ function_return.c */

/* In this order; remove also after a failure. Room for the returns of so many places: */
int stp_returns_prepare(u32 nsites);           /* 0 or -ENOMEM */
void stp_returns_add(const struct stp_function *f);
void stp_returns_arm(void);
void stp_returns_remove(void);

#endif
