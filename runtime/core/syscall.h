/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Private to syscall*.c: the state while the text of a system call's arguments is written. */
#ifndef CORE_SYSCALL_H
#define CORE_SYSCALL_H

#include "internal.h"

struct call_text {
	struct stp_sink k;
	char *share;               /* the end for a long argument, so that there is space for later ones */
	struct stp_ctx *c;
	const struct stp_syscall *call;
	u32 long_size;             /* sizeof(long) in the process: 8 or 4 */
	/* row of the call's command; NULL: the call has no commands, or an unknown one */
	const struct stp_syscall_command *command;
	bool failed;               /* something could not be read, so the text is discarded */
	bool unread;               /* a load failed since this was cleared */
	bool saving;  /* at the entry: marks replace data that the call will write (syscall.c), which is read at
		       * the return */
	bool has_before;           /* `before` is set: the value at the entry of an argument that the call changes */
	u64 before;
};

/* syscall_text.c */
void call_printf(struct call_text *t, const char *fmt, ...);
/* These write most of the text, at a fraction of the cost of call_printf(). */
void call_put(struct call_text *t, const char *text);
void call_put_bytes(struct call_text *t, const char *text, u64 n);
void call_decimal(struct call_text *t, s64 v);
void call_unsigned(struct call_text *t, u64 v);
void call_hex_number(struct call_text *t, u64 v);          /* writes 0x0, 0x1f */
/* Loads a number from the process, zero-extended. Returns 0 and sets t->failed if it cannot be read. */
u64 call_load(struct call_text *t, u64 address, u32 size);
static inline s64 call_load_signed(struct call_text *t, u64 address, u32 size)
{
	u64 v = call_load(t, address, size);

	return size == 8 ? (s64)v : size == 4 ? (s64)(s32)v : size == 2 ? (s64)(s16)v : (s64)(s8)v;
}
static inline u64 call_load_long(struct call_text *t, u64 address)
{
	return call_load(t, address, t->long_size);
}
void call_hex(struct call_text *t, u64 v);                 /* writes 0, 0x1f */
void call_pair(struct call_text *t, const char *before, u64 a, u64 b);     /* writes 0x1, 0x2 */
void call_dev(struct call_text *t, u64 v);
void call_address(struct call_text *t, u64 address);       /* writes NULL, 0x7ffe... */
void call_symbols(struct call_text *t, const struct stp_symbols *s, u64 v);
const char *call_symbol(const struct stp_symbols *s, u64 v);      /* NULL: the number has no name */
void call_signal(struct call_text *t, s64 sig);
/* Writes at most `max` bytes, and "..." if there are more. terminated: stops at the first 0. */
void call_bytes(struct call_text *t, u64 address, u64 n, u64 max);
void call_string(struct call_text *t, u64 address);
/* Writes a list like ["ls", "-l"]; for envp, the number of strings. */
void call_strings(struct call_text *t, u64 address, bool count_only);
void call_hex_bytes(struct call_text *t, u64 address, u64 n, u64 max);
enum { CALL_BYTES_SHOWN = 32, CALL_ELEMENTS_SHOWN = 32 };
/* In a set of symbols: bits 26 to 31 are the logarithm of the size of huge pages. */
#define CALL_HUGE_PAGES 0xfc000000ull
/* syscall.c */
u32 call_nargs(const struct call_text *t);
const struct stp_syscall_arg *call_arg(const struct call_text *t, u32 i);
u64 call_value(const struct call_text *t, u32 arg);        /* value of the argument's register, converted to its
							    * type */
u64 call_with(const struct call_text *t, const struct stp_syscall_arg *a);   /* value of the argument to which
									      * a->with refers; or 0 */
/* Returns true if the call has returned without an error, so that data that it wrote can be read. */
bool call_returned(const struct call_text *t);

struct array {
	u64 n;                     /* number of elements */
	u64 i;                     /* index of the next element */
	char *last;                /* start of the text of the last element */
};
/*
 * Begins the next element of an array, or ends its text. Of a long array only the first elements are written, so
 * that there is space for later arguments. It ends at the first element that cannot be read; if that is element
 * 0, t->failed remains set. for (a = (struct array){ n }; call_element(t, &a); ) writes element a.i - 1.
 */
bool call_element(struct call_text *t, struct array *a);   /* syscall_args.c */
/* syscall_args.c: the name of the word at an offset in struct user of <sys/user.h>: registers, then members. */
void call_register(struct call_text *t, u64 at);

/* syscall_structs.c: writes a structure that consists of fields only; returns false for another type. */
bool call_fields(struct call_text *t, u32 type, u64 address);
/* syscall_sized.c: writes a structure whose members depend on a command, a size or flags; returns false for
 * another type. */
bool call_sized(struct call_text *t, const struct stp_syscall_arg *a, u64 v, u64 with);
/*
 * syscall_out.c: writes a string that the call stores in a buffer of n bytes: at the entry the address of the
 * buffer; at the return its content, even if the call failed. stp_syscall_save() saves CALL_MARK_WRITTEN, the size,
 * CALL_MARK_WRITTEN, the address, CALL_MARK_END, with decimal numbers.
 */
enum { CALL_MARK_END = 7, CALL_MARK_WRITTEN, CALL_MARK_CLONED, CALL_MARK_UNREAD };  /* 1 to 6 are marks of arguments */
void call_written(struct call_text *t, u64 address, u64 n);
/* Writes the string for a mark at `text`; nothing if the mark is truncated. Returns the text after the mark. */
const char *call_saved_written(struct call_text *t, const char *text);
/* syscall_sized.c: does the same for the numbers that clone3() writes: CALL_MARK_CLONED, the flags,
 * CALL_MARK_CLONED, the address of the file descriptor, CALL_MARK_CLONED, the address of the thread ID,
 * CALL_MARK_END. */
const char *call_saved_cloned(struct call_text *t, const char *text);
u64 call_mark_number(const char **text);                   /* reads a decimal number; an empty one is 0 */
/* syscall_out.c: writes data that is set by the kernel, not by the caller; returns false for another type. */
bool call_out(struct call_text *t, const struct stp_syscall_arg *a, u64 v, u64 with);

void call_tls(struct call_text *t, u64 v);                 /* writes the TLS of a new thread: an address, or an
							    * x86 segment */
void call_segment(struct call_text *t, u64 address);       /* syscall_out.c */
void call_mode(struct call_text *t, u64 mode);             /* syscall_out.c: a mode with the type of the file */
void call_ethernet(struct call_text *t, u64 v);            /* syscall_out.c: an Ethernet protocol, in network order */
/* Writes address and length of each element; if `bytes` is not 0, the data, at most that number of bytes,
 * instead of the address. */
void call_iovec(struct call_text *t, u64 address, u64 n, u64 bytes);
void call_poll(struct call_text *t, u64 events);
/* syscall_args.c: writes the structure at the address v of argument i; v is not 0. */
void call_structure(struct call_text *t, u32 i, u64 v);
/* For an argument that the call writes, at the entry: loads its number at that time, which argstr of the return
 * shows before the new one, as in [128 => 16]; or the length of the caller's buffer. Returns false if its type
 * has neither. */
bool call_before(struct call_text *t, const struct stp_syscall_arg *a, u64 v, u64 *before);
/* Returns true if the argument is written also at the entry and when the call fails. */
bool call_shown_always(const struct call_text *t, u8 type);
void call_status(struct call_text *t, u64 status);         /* writes the status of a child, as from wait() */
void call_socket_part(struct call_text *t, u64 address, u64 len, u32 part);

#endif
