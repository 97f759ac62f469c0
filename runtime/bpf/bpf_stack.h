/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Call stacks, and names of kernel addresses: part of bpf_program.h. Only the program itself has the argument
 * that bpf_get_stack() requires, so it collects the stack before a handler that uses one. The kernel formats its
 * own symbols (bpf_snprintf(), since Linux 5.13), with the function that the module calls. Calls are nested as
 * little as possible, since a program has eight frames. Context: a hit.
 */
#ifndef BPF_STACK_H
#define BPF_STACK_H

#define STP_NO_ADDRESS (~0ull)         /* value of user_address, and of user_stack[0]: the function is unknown */

/* Data that the program collects before the handler: bits of HANDLER_takes, which the translator defines. */
enum { STP_TAKES_STACK = 1, STP_TAKES_FUNCTION = 2, STP_TAKES_USER_STACK = 4 };

/* In a tracepoint, the collected stack begins with frames of the BPF program. */
#define STP_FROM_REGISTERS 0
#define STP_FROM_PROGRAM 1

#ifdef STP_USES_STACKS
STP_INLINE void bpf_take_stack(void *ctx, struct stp_slot *s, u32 takes, u32 from)
{
	s64 size;

	if (!(takes & STP_TAKES_STACK))
		return;
	size = bpf_get_stack(ctx, s->stack, sizeof(s->stack), 0);
	s->stack_frames = size > 0 ? (u32)size / 8 : 0;
	s->stack_from = from;
}
#else
#define bpf_take_stack(ctx, s, takes, from) do { } while (0)
#endif

#ifdef STP_USES_SYMBOLS
const char stp_symbol_format[] SEC(".rodata.symbol_format") = "%pS";
const char stp_function_format[] SEC(".rodata.function_format") = "%ps";

/* Returns the position of a byte, or -1. */
STP_GLOBAL_FUNCTION int bpf_position(const struct stp_text *s, u32 byte)
{
	u32 i;

	if (!s)
		return -1;
	for (i = 0; i < STP_STRLEN; i++) {
		if (bpf_byte(s, i) == (u8)byte)
			return (int)i;
		if (!bpf_byte(s, i))
			break;
	}
	return -1;
}

/* Writes "vfs_read+0x12/0x340 [kernel]", or the address if it has no name. */
STP_GLOBAL_FUNCTION int bpf_symbol(struct stp_text *to, u64 address)
{
	if (!to)
		return 0;
	if (bpf_snprintf(to->b, STP_STRLEN, stp_symbol_format, &address, sizeof(address)) > STP_STRLEN)
		bpf_lose(STP_LOSS_STRINGS);
	if (bpf_position(to, '+') >= 0 && bpf_position(to, '[') < 0)
		bpf_end_at(to, (u32)bpf_put_at(to, (u32)bpf_length(to), STP_AS_TEXT(STP_LITERAL(" [kernel]"))));
	return 0;
}
#define stp_symdata(c, to, address) ((void)bpf_symbol((struct stp_text *)(to), (u64)(address)))

/* ------------------------------------------------------------------ lists of addresses, as text */

STP_GLOBAL_FUNCTION u64 bpf_hex(const struct stp_text *list, u32 at)
{
	u64 v = 0, digit;
	u32 i;

	if (!list)
		return 0;
	for (i = 0; i < 16; i++) {
		digit = bpf_digit_of(bpf_byte(list, at + i));
		if (digit >= 16)
			break;
		v = v * 16 + digit;
	}
	return v;
}

/* Returns the position of the next blank, or of the end. */
STP_GLOBAL_FUNCTION int bpf_blank(const struct stp_text *list, u32 at)
{
	u32 i;

	if (!list)
		return 0;
	for (i = 0; i < STP_STRLEN; i++)
		if (!bpf_byte(list, at + i) || bpf_byte(list, at + i) == ' ')
			break;
	return (int)(at + i);
}

/* Reads the address at a position in a list, and returns the position after it; 0: the end of the list. */
STP_GLOBAL_FUNCTION int bpf_next_address(struct stp_slot *s, const struct stp_text *list, u32 at)
{
	if (!s || !list)
		return 0;
	if (bpf_byte(list, at) == ' ')
		at++;
	if (!bpf_byte(list, at))
		return 0;
	if (bpf_byte(list, at) == '0' && bpf_byte(list, at + 1) == 'x')
		at += 2;
	s->address = bpf_hex(list, at);
	return bpf_blank(list, at);
}

/* Writes a line with the name of the address that was read, at a position. Returns the position after it, or -1
 * if it does not fit. */
STP_INLINE int bpf_symbol_line(struct stp_slot *s, struct stp_text *to, u32 at)
{
	bpf_symbol(&s->symbol, s->address);
	if (at + (u32)bpf_length(&s->symbol) + 1 >= STP_STRLEN) {
		bpf_lose(STP_LOSS_LISTING);
		return -1;
	}
	at = (u32)bpf_put_at(to, at, &s->symbol);
	bpf_set_byte(to, at, '\n');
	bpf_set_byte(to, at + 1, 0);
	return (int)(at + 1);
}

#define STP_LIST_ADDRESSES (STP_STRLEN / 2)

STP_GLOBAL_FUNCTION int bpf_sprint_syms(struct stp_slot *s, struct stp_text *to, const struct stp_text *list)
{
	int from = 0, at = 0;
	u32 i;

	if (!s || !to || !list)
		return 0;
	bpf_set_byte(to, 0, 0);
	for (i = 0; i < STP_LIST_ADDRESSES; i++) {
		from = bpf_next_address(s, list, (u32)from);
		if (!from)
			break;
		at = bpf_symbol_line(s, to, (u32)at);
		if (at < 0)
			break;
	}
	return 0;
}
#define stp_sprint_syms(c, to, list)						\
	((void)bpf_sprint_syms(STP_SLOT(c), (struct stp_text *)(to), STP_AS_TEXT(list)))
#define stp_stack_text stp_sprint_syms

STP_GLOBAL_FUNCTION int bpf_print_syms(struct stp_slot *s, const struct stp_text *list, bool with_lines)
{
	int from = 0;
	u32 i;

	if (!s || !list)
		return 0;
	for (i = 0; i < STP_LIST_ADDRESSES; i++) {
		from = bpf_next_address(s, list, (u32)from);
		if (!from)
			break;
		bpf_symbol(&s->symbol, s->address);
		bpf_item(s, STP_ITEM_SYMBOL, !with_lines ? 0 : i ? STP_SYMBOL_CALLER : STP_SYMBOL_LINE, 2 + STP_TEXT_SIZE / 8);
		bpf_put(s, s->address);
		bpf_put_text(s, &s->symbol);
	}
	return 0;
}
#define stp_print_syms(c, list) ((void)bpf_print_syms(STP_SLOT(c), STP_AS_TEXT(list), false))
#define stp_print_syms_lines(c, list) ((void)bpf_print_syms(STP_SLOT(c), STP_AS_TEXT(list), true))

/* The client runs this program to look up an address in its own handlers. */
struct { u64 address; struct stp_text text; } stp_lookup SEC(".bss.lookup");
SEC("raw_tp") int stp_program_lookup(u64 *ctx)
{
	bpf_symbol(&stp_lookup.text, stp_lookup.address);
	return 0;
}

/* ------------------------------------------------------------------ the call stack */

/* Returns whether an address is in a BPF program, or in kernel code that calls it: "bpf_prog_...",
 * "bpf_trace_run1", "__bpf_trace_...", "bpf_trampoline_...". */
#define STP_WORD(a, b, c, d, e, f, g, h)					\
	((u64)(a) | (u64)(b) << 8 | (u64)(c) << 16 | (u64)(d) << 24 | (u64)(e) << 32 | (u64)(f) << 40 | (u64)(g) << 48 | \
	 (u64)(h) << 56)

/*
 * Writes n hexadecimal digits of a number. It has no branches, since the verifier would follow both for each digit.
 */
STP_GLOBAL_FUNCTION int bpf_is_tracer(u64 address)
{
	u64 name[2] = { };

	bpf_snprintf((char *)name, sizeof(name), stp_function_format, &address, sizeof(address));
	return name[0] == STP_WORD('b', 'p', 'f', '_', 'p', 'r', 'o', 'g') ||
	       name[0] == STP_WORD('b', 'p', 'f', '_', 't', 'r', 'a', 'c') ||
	       name[0] == STP_WORD('_', '_', 'b', 'p', 'f', '_', 't', 'r') ||
	       name[0] == STP_WORD('b', 'p', 'f', '_', 't', 'r', 'a', 'm');
}

/* Writes n digits of a number. No branch: the verifier would follow both for each digit. */
STP_INLINE void bpf_put_hex(struct stp_text *to, u32 at, u64 v, u32 n)
{
	u32 i, digit;

	for (i = 0; i < 16; i++) {
		if (i >= n)
			break;
		digit = (u32)(v >> 4 * (n - 1 - i)) & 15;
		bpf_set_byte(to, at + i, (u8)('0' + digit + (digit + 6) / 16 * ('a' - '9' - 1)));
	}
}

/* Appends an address to a list; returns its new length, or -1 if it does not fit. */
STP_GLOBAL_FUNCTION int bpf_list_address(struct stp_text *to, u32 at, u64 address)
{
	u64 rest = address >> 4;
	u32 digits = 1, i;

	if (!to)
		return -1;
	for (i = 0; i < 15 && rest; i++, rest >>= 4)
		digits++;
	if (at + !!at + 2 + digits >= STP_STRLEN) {
		bpf_lose(STP_LOSS_LISTING);
		return -1;
	}
	if (at)
		bpf_set_byte(to, at++, ' ');
	bpf_set_byte(to, at, '0');
	bpf_set_byte(to, at + 1, 'x');
	bpf_put_hex(to, at + 2, address, digits);
	bpf_set_byte(to, at + 2 + digits, 0);
	return (int)(at + 2 + digits);
}

/* ------------------------------------------------------------------ texts that the client completes */

STP_GLOBAL_FUNCTION int bpf_mark(struct stp_text *to, u64 space, u32 form)
{
	if (!to)
		return 0;
	bpf_set_byte(to, 0, STP_MARK);
	bpf_set_byte(to, 1, (u8)form);
	bpf_put_hex(to, 2, (u32)stp_control.hash_factor, 8);
	bpf_put_hex(to, 10, space, 16);
	bpf_set_byte(to, STP_MARK_HEAD - 1, ' ');
	bpf_set_byte(to, STP_MARK_HEAD, 0);
	return 0;
}

/* form: STP_MARK_FILE_LINE and the like */
STP_INLINE void bpf_kernel_line(struct stp_text *to, u64 address, u32 form)
{
	bpf_mark(to, 0, form + STP_MARK_KERNEL);
	bpf_list_address(to, STP_MARK_HEAD, address);
}
#define stp_kernel_line(c, to, address, form) bpf_kernel_line((struct stp_text *)(to), (u64)(address), form)

#ifdef STP_USES_STACKS
/* Returns the index of the first frame of the probed code. */
STP_GLOBAL_FUNCTION int bpf_first_frame(struct stp_slot *s)
{
	int first = 0;
	u32 i;

	if (!s || s->stack_from != STP_FROM_PROGRAM)
		return 0;
	for (i = 0; i < STP_TRACER_FRAMES; i++)
		if (bpf_is_tracer(s->stack[i]))
			first = (int)i + 1;
	return first;
}

/* Returns a frame; 0 is the innermost one. Returns 0 beyond the end. In registers, the instruction pointer is
 * after the instruction of the probe. */
STP_GLOBAL_FUNCTION u64 bpf_frame(struct stp_slot *s, u32 first, u32 n)
{
	u32 at = first + n;
	u64 address;

	STP_HIDE(at);
	if (!s || at >= s->stack_frames || at >= STP_STACK_FRAMES)
		return 0;
	address = s->stack[at];
	if (!at && s->stack_from == STP_FROM_REGISTERS && address - s->c.address < 16)
		return s->c.address;
	return address;
}

STP_GLOBAL_FUNCTION int bpf_backtrace(struct stp_slot *s, struct stp_text *to)
{
	u32 i, first;
	int at = 0;
	u64 address;

	if (!s || !to)
		return 0;
	bpf_set_byte(to, 0, 0);
	first = (u32)bpf_first_frame(s);
	for (i = 0; i < STP_MAXBACKTRACE; i++) {
		address = bpf_frame(s, first, i);
		if (!address)
			return 0;
		at = bpf_list_address(to, (u32)at, address);
		if (at < 0)
			return 0;
	}
	if (bpf_frame(s, first, STP_MAXBACKTRACE))
		bpf_lose(STP_LOSS_FRAMES);
	return 0;
}
#define stp_backtrace(c, to) ((void)bpf_backtrace(STP_SLOT(c), (struct stp_text *)(to)))

STP_INLINE s64 bpf_stack(struct stp_slot *s, s64 n)
{
	return n >= STP_MAXBACKTRACE ? 0 : (s64)bpf_frame(s, (u32)bpf_first_frame(s), n < 0 ? 0 : (u32)n);
}
#define stp_stack(c, n) bpf_stack(STP_SLOT(c), n)
#endif

/* ------------------------------------------------------------------ the function */

/* Writes the name of the function at the address of the probe; "" if it has none. */
STP_GLOBAL_FUNCTION int bpf_function_name(struct stp_slot *s, struct stp_text *to)
{
	u64 address = s ? s->c.address : 0;
	int blank;

	if (!to)
		return 0;
	if (bpf_snprintf(to->b, STP_STRLEN, stp_function_format, &address, sizeof(address)) > STP_STRLEN)
		bpf_lose(STP_LOSS_STRINGS);
	blank = bpf_position(to, ' ');         /* the name of the module follows */
	if (blank >= 0)
		bpf_set_byte(to, (u32)blank, 0);
	if (bpf_byte(to, 0) == '0' && bpf_byte(to, 1) == 'x')
		bpf_set_byte(to, 0, 0);
	return 0;
}

/* The client looks up the name of a hit in user code. */
#ifdef STP_USES_USER_STACKS
#define STP_IN_USER_CODE(c) ((STP_SLOT(c)->mode & (STP_MODE_USER | STP_MODE_CALL)) == STP_MODE_USER)
#else
#define STP_IN_USER_CODE(c) false
#define bpf_mark_one(s, to, address, form) do { } while (0)
#endif
/* Probes of system calls have no address. */
#define stp_probefunc(c, to, size) do {						\
	if (STP_IN_USER_CODE(c))						\
		bpf_mark_one(STP_SLOT(c), (struct stp_text *)(to), (u64)bpf_address(c), STP_MARK_NAME);	\
	else if ((c)->address)							\
		bpf_function_name(STP_SLOT(c), (struct stp_text *)(to));	\
	else									\
		stp_copy(to, stp_ppfunc(c), size);				\
} while (0)
#endif

STP_INLINE s64 bpf_address(struct stp_ctx *c)
{
	u64 address = c->address ? c->address : STP_SLOT(c)->user_address;

	if (address != STP_NO_ADDRESS)
		return (s64)address;
	bpf_error(c, STP_BPF_FUNCTION, 0);
	return 0;
}
#define stp_address(c) bpf_address(c)

#include "bpf_user_stack.h"
#define STP_TAKE_STACKS(ctx, s, takes, from) do {				\
	bpf_take_stack(ctx, s, takes, from);					\
	bpf_take_user_stack(ctx, s, takes);					\
} while (0)

#endif
