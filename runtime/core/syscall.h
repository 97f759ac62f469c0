/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Private to syscall*.c: the text of a system call's arguments while it is being written. */
#ifndef CORE_SYSCALL_H
#define CORE_SYSCALL_H

#include "internal.h"

struct call_text {
	struct stp_sink k;
	struct stp_ctx *c;
	const struct stp_syscall *call;
	bool failed;               /* something could not be read: the text is discarded */
};

/* syscall.c */
void call_printf(struct call_text *t, const char *fmt, ...);
/* Loads a number from the process, zero-extended. Returns 0 and sets t->failed if it cannot be read. */
u64 call_load(struct call_text *t, u64 address, u32 size);
static inline s64 call_load_signed(struct call_text *t, u64 address, u32 size)
{
	u64 v = call_load(t, address, size);

	return size == 8 ? (s64)v : size == 4 ? (s64)(s32)v : size == 2 ? (s64)(s16)v : (s64)(s8)v;
}
static inline u64 call_load_long(struct call_text *t, u64 address)
{
	return call_load(t, address, t->call->long_size);
}
void call_hex(struct call_text *t, u64 v);                 /* 0, 0x1f */
void call_address(struct call_text *t, u64 address);       /* NULL, 0x7ffe... */
void call_symbols(struct call_text *t, const struct stp_symbols *s, u64 v);
void call_signal(struct call_text *t, s64 sig);
/* Writes at most `max` bytes, and "..." if there are more; terminated: up to the first 0. */
void call_bytes(struct call_text *t, u64 address, u64 n, u64 max);
void call_string(struct call_text *t, u64 address);
enum { CALL_BYTES_SHOWN = 32, CALL_ELEMENTS_SHOWN = 32 };
u64 call_value(const struct call_text *t, u32 arg);        /* value of its register, converted by its type */

/* syscall_args.c: writes the structure that argument i, of value v, points to; v is not 0. */
void call_structure(struct call_text *t, u32 i, u64 v);
void call_socket_part(struct call_text *t, u64 address, u64 len, u32 part);

#endif
