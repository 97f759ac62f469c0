/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes call stacks as strings of addresses: the frames of such a string, one after the other (stack_values.c). */
#ifndef KERNEL_STACK_VALUES_H
#define KERNEL_STACK_VALUES_H

#include "kernel.h"

struct stp_stack_writer {
	struct stp_ctx *c;
	char *to;                          /* a string of MAXSTRINGLEN */
	u32 len, nmappings;
	u64 starts[6];                     /* addresses of the mappings that the string contains */
	u16 positions[6];                  /* positions of the mappings in the string */
	bool is_list;                      /* printed as addresses: these are kept if the names do not fit */
	u32 after;                         /* if is_list: number of frames after the current one */
	bool full;                         /* the remaining frames were truncated */
};

/* Returns the number of addresses at[0..n) that fit into a string as a list; counts a cut listing if not all do. */
u32 stp_stack_listed(const u64 *at, u32 n);
/* Appends an address that belongs to no file, of the kernel or of a process. */
void stp_stack_put_address(struct stp_stack_writer *w, u64 address);
/* Returns the position of the mapping that starts at this address, or -1 if the string does not contain it. */
int stp_stack_mapping(const struct stp_stack_writer *w, u64 start);
/* Appends a mapping, and returns its position, or -1 if it does not fit. `object` must remain while the module is
 * loaded, or is NULL. */
int stp_stack_put_mapping(struct stp_stack_writer *w, u64 start, u64 base, u64 size, const struct stp_object *object,
			  const char *path);
/* Appends an address in the mapping at a position. Returns false if it does not fit. */
bool stp_stack_put_file_address(struct stp_stack_writer *w, int mapping, u64 address);
/* Write a frame as a line: the caller writes its text to the returned space of *size bytes, if there is any,
 * then passes its length, which may be greater, to stp_stack_put_line(). */
char *stp_stack_line_space(struct stp_stack_writer *w, u32 *size);
void stp_stack_put_line(struct stp_stack_writer *w, u64 address, u64 len);

#endif
