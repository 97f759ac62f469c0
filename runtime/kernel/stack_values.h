/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes call stacks as strings of addresses: the frames of such a string, one after the other (stack_values.c). */
#ifndef KERNEL_STACK_VALUES_H
#define KERNEL_STACK_VALUES_H

#include "kernel.h"

struct stp_stack_writer {
	struct stp_ctx *c;
	char *to;                          /* a string of MAXSTRINGLEN */
	u32 len, npaths;
	u32 paths[6];                      /* positions of the paths in it */
	bool full;                         /* the rest was cut, and counted */
};

/* Appends a function of a program; `symbol` remains while the module is loaded. Returns false if it cannot be written
 * in the short form: then it has to be a line. */
bool stp_stack_put_symbol(struct stp_stack_writer *w, const char *path, const struct stp_usym *symbol, u64 offset);
/* A frame as a line: its text is written to the returned space of *size bytes, if there is any, then its length,
 * which may be greater, is passed to stp_stack_put_line(). */
char *stp_stack_line_space(struct stp_stack_writer *w, u32 *size);
void stp_stack_put_line(struct stp_stack_writer *w, u64 len);

#endif
