/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Call stacks as strings of addresses, for which names are looked up when they are printed: stack values, whose
 * form is described in kernel/stack_values.c; and counts of truncated strings. Context of all functions: a
 * handler's.
 */
#ifndef STP_STACK_VALUES_H
#define STP_STACK_VALUES_H

/* count a string that embedded C of the tapsets truncated, and a listing that did not fit into a string */
void stp_string_cut(void);
void stp_listing_cut(void);

/* Return the frames at[0..n), innermost first, as a stack value in `to`, a string of MAXSTRINGLEN. */
void stp_kernel_stack_value(struct stp_ctx *c, char *to, const u64 *at, u32 n);
void stp_user_stack_value(struct stp_ctx *c, char *to, const u64 *at, u32 n);     /* frames of the current process */
/* Return a stack value that is printed as a list of addresses. It holds files only if with_files, and only those
 * that fit: all frames are kept, even if their names do not fit. */
void stp_plain_addresses(struct stp_ctx *c, char *to, const u64 *at, u32 n);
void stp_user_addresses(struct stp_ctx *c, char *to, const u64 *at, u32 n, bool with_files);
/* Writes a line for each frame of a stack value to a string of `size` bytes, as many lines as fit. Returns its
 * length. */
u32 stp_stack_lines(struct stp_ctx *c, char *to, u32 size, const char *stack);
/* Does the same as stp_stack_lines(), to a string of MAXSTRINGLEN. */
void stp_stack_text(struct stp_ctx *c, char *to, const char *stack);
/* Prints a line with the address and the name of each frame. */
void stp_print_stack(struct stp_ctx *c, const char *stack);
/* Does the same as stp_stack_lines() with the frames' addresses, separated by spaces. */
u32 stp_stack_list(struct stp_ctx *c, char *to, u32 size, const char *stack);
void stp_stack_addresses(struct stp_ctx *c, char *to, const char *stack);

/* Returns the name of a kernel address, "vfs_read+0x12/0x340 [kernel]", in the buffer of stp_address_name(). */
char *stp_frame_name(struct stp_ctx *c, u64 address);
/* Writes the name of an address of the current process; path NULL: unknown. Returns the length of the name,
 * which may have been truncated to `size`. */
struct stp_user_location;
u32 stp_user_frame_text(char *text, u32 size, u64 address, const struct stp_user_location *p);

#endif
