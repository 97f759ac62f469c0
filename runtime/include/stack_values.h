/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Call stacks as strings of addresses, which get names when they are printed: stack values, whose form
 * kernel/stack_values.c describes; and counts of cut strings. Context of all: a handler's.
 */
#ifndef STP_STACK_VALUES_H
#define STP_STACK_VALUES_H

/* count a string that embedded C of the tapsets truncated, and a listing that did not fit into a string */
void stp_string_cut(void);
void stp_listing_cut(void);

/* Return the frames at[0..n), innermost first, as a stack value in `to`, a string of MAXSTRINGLEN. */
void stp_kernel_stack_value(struct stp_ctx *c, char *to, const u64 *at, u32 n);
void stp_user_stack_value(struct stp_ctx *c, char *to, const u64 *at, u32 n);     /* of the current process */
/* The same for a stack that is shown as a list of addresses; of a process with names only if with_files: names that do
 * not fit are left out, not frames. */
void stp_plain_addresses(struct stp_ctx *c, char *to, const u64 *at, u32 n);
void stp_user_addresses(struct stp_ctx *c, char *to, const u64 *at, u32 n, bool with_files);
/* Writes a line for each frame of a stack value to a string of `size` bytes, as many as fit. Returns its length. */
u32 stp_stack_lines(struct stp_ctx *c, char *to, u32 size, const char *stack);
/* As stp_stack_lines(), to a string of MAXSTRINGLEN. */
void stp_stack_text(struct stp_ctx *c, char *to, const char *stack);
/* The same for its addresses, separated by spaces. */
u32 stp_stack_list(struct stp_ctx *c, char *to, u32 size, const char *stack);
void stp_stack_addresses(struct stp_ctx *c, char *to, const char *stack);

/* Returns the name of a kernel address, "vfs_read+0x12/0x340 [kernel]", in the buffer of stp_address_name(). */
char *stp_frame_name(struct stp_ctx *c, u64 address);
/* Writes the name of an address of the current process; path NULL: unknown. Returns the length of the name, which may
 * have been cut at `size`. */
struct stp_user_location;
u32 stp_user_frame_text(char *text, u32 size, u64 address, const struct stp_user_location *p);

#endif
