/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Programs of perf events, functions of the kernel, packets, and system calls: part of bpf_program.h. */
#ifndef BPF_HITS_H
#define BPF_HITS_H

#include "bpf_trampoline.h"

/* Words of struct pt_regs on x86-64. */
enum { STP_WORD_BP = 4, STP_WORD_BX, STP_WORD_R11, STP_WORD_R10, STP_WORD_R9, STP_WORD_R8, STP_WORD_AX, STP_WORD_CX,
       STP_WORD_DX, STP_WORD_SI, STP_WORD_DI, STP_WORD_ORIG_AX };

/* Copies the registers that the handler reads: bit n of the mask is word n of struct pt_regs. */
STP_INLINE void bpf_registers(struct stp_slot *s, const u64 *registers, u32 mask)
{
	u32 i;

#pragma unroll
	for (i = 0; i < STP_REGISTERS; i++)
		if (mask >> i & 1)
			s->registers[i] = registers[i];
}

/*
 * Texts of probes, by the number of the probe: the text of the current probe is copied to the slot. The translator
 * writes the tables that handlers use, with rows of `size` bytes, whole words.
 */
#define STP_POINTS(kind, size, count) const char stp_points_##kind[count][size] SEC(".rodata.points_" #kind)
#define STP_POINTS_OF(kind, size, count)					\
int bpf_point_##kind(struct stp_slot *s)					\
{										\
	const u64 *row;								\
	u32 i;									\
										\
	if (!s)									\
		return 0;							\
	row = (const u64 *)stp_points_##kind[STP_INDEX(s->probe, count)];	\
	for (i = 0; i < (size) / 8; i++)					\
		((u64 *)s->point[kind].b)[i] = row[i];				\
	return 0;								\
}
#define STP_POINT_TEXT(c, kind) (bpf_point_##kind(STP_SLOT(c)), (const char *)STP_SLOT(c)->point[kind].b)
int bpf_point_STP_POINT_RESOLVED(struct stp_slot *s);
int bpf_point_STP_POINT_WRITTEN(struct stp_slot *s);
int bpf_point_STP_POINT_NAME(struct stp_slot *s);
int bpf_point_STP_POINT_FUNCTION(struct stp_slot *s);
#define stp_pp(c) STP_POINT_TEXT(c, STP_POINT_RESOLVED)
#define stp_pn(c) STP_POINT_TEXT(c, STP_POINT_WRITTEN)
#define stp_probe_name(c) STP_POINT_TEXT(c, STP_POINT_NAME)
#define stp_ppfunc(c) STP_POINT_TEXT(c, STP_POINT_FUNCTION)

/* Runs a handler in the slot of a hit, and releases it. */
#define STP_RUN(s, probe_, handler, condition, late) do {			\
	(s)->probe = (probe_);							\
	if (condition() && ((late) || handler##_lock(&(s)->c))) {		\
		handler(&(s)->c);						\
		handler##_unlock(&(s)->c);					\
	}									\
	stp_end(s);								\
} while (0)

/* Runs the function that stores the values of a probe's @entry() in the slot. Returns 0 if it cannot. */
#define STP_RUN_ENTRY(s, handler) ({						\
	int saved_ = 0;								\
										\
	if (handler##_lock(&(s)->c)) {						\
		handler(&(s)->c);						\
		handler##_unlock(&(s)->c);					\
		saved_ = !(s)->c.error;						\
	}									\
	saved_;									\
})

/* ------------------------------------------------------------------ perf events */

#define STP_ON_PERF(mask, number, handler, condition, late)			\
SEC("perf_event") int stp_program_##number(u64 *ctx)				\
{										\
	struct stp_slot *s = stp_claim();					\
										\
	if (!s)									\
		return 0;							\
	bpf_registers(s, ctx, mask);						\
	s->mode = STP_MODE_REGISTERS | bpf_mode(ctx[STP_WORD_CS]);		\
	s->c.address = ctx[STP_REGISTER_PC];					\
	STP_TAKE_STACKS(ctx, s, handler##_takes, STP_FROM_REGISTERS);		\
	STP_RUN(s, number, handler, condition, late);				\
	return 0;								\
}

/* ------------------------------------------------------------------ functions and statements of the kernel */

/* One program may serve several probes that have a handler: then the cookie of the hit is the number of the
 * probe. The client sets the constant to 0 if the kernel does not support cookies. */
const volatile u32 stp_cookies SEC(".rodata.cookies") = 0;

/* Returns whether a function begins with ENDBR, or with an instruction by which the kernel replaces it (is_endbr()). */
STP_INLINE bool bpf_is_endbr(u32 code)
{
	return code == 0xfa1e0ff3 || code == 0xfb1e0ff3 || code == 0x001f0f66 || code == 0xd6401f0f;
}

/* Returns the address of a probe of the function's entry, which is after ENDBR. Context: a return probe or a
 * trampoline. */
STP_INLINE u64 bpf_function_address(u64 *ctx)
{
	u64 address = bpf_get_func_ip(ctx);
	u32 code = 0;

	bpf_probe_read_kernel(&code, sizeof(code), (void *)address);
	return address + (bpf_is_endbr(code) ? 4 : 0);
}

/*
 * A value for each program of a function: 0: it is attached by a kprobe, whose context is struct pt_regs; else by a
 * trampoline (fentry or fexit), whose context is the function's arguments. The client sets the values before it loads
 * the programs, so the verifier removes the other half. They are read where they are used: the verifier does not
 * follow a 32-bit value that the compiler stores on the stack.
 */
const volatile u32 stp_trampolines[STP_TRAMPOLINES] SEC(".rodata.trampolines") = { 0 };
#define STP_TRAMPOLINE(number) ((number) < STP_TRAMPOLINES ? stp_trampolines[(number) % STP_TRAMPOLINES] : 0)

/* The kernel stores a narrow argument without its upper bytes. */
STP_INLINE void bpf_argument(struct stp_slot *s, const u64 *ctx, u32 how, u32 i, u32 word)
{
	volatile u64 *to = &s->registers[word];

	*to = ctx[i];
	switch (STP_TRAMPOLINE_WIDTH(how, i)) {
	case STP_WIDTH_4: *to = (u32)*to; break;
	case STP_WIDTH_2: *to = (u16)*to; break;
	case STP_WIDTH_1: *to = (u8)*to; break;
	}
}

/* Copies the arguments in the registers of the mask, to where bpf_registers() puts them. */
STP_INLINE void bpf_arguments(struct stp_slot *s, const u64 *ctx, u32 how, u32 mask)
{
	const u8 words[] = STP_ARGUMENT_WORDS;
	u32 i;

#pragma unroll
	for (i = 0; i < 6; i++)
		if (mask >> words[i] & 1)
			bpf_argument(s, ctx, how, i, words[i]);
}

/* The registers at the entry, and the address of the function if the handler uses it. */
STP_INLINE void bpf_enter_function(struct stp_slot *s, u64 *ctx, u32 how, u32 mask, u32 takes)
{
	if (how) {
		bpf_arguments(s, ctx, how, mask);
		s->c.address = takes & STP_TAKES_FUNCTION ? bpf_function_address(ctx) : 0;
		__asm__ volatile("" ::: "memory");     /* keeps the loads from the two kinds of context apart */
		return;
	}
	bpf_registers(s, ctx, mask);
	s->mode = STP_MODE_REGISTERS;
	/* the instruction pointer of a kprobe is after the first byte; that of ftrace is inside the function */
	s->c.address = ctx[STP_REGISTER_PC] - 1;
}

/* The registers at the return: by a trampoline, only the result. */
STP_INLINE void bpf_leave_function(struct stp_slot *s, u64 *ctx, u32 how, u32 mask, u32 takes)
{
	u64 result = 0;

	if (how) {
		bpf_get_func_ret(ctx, &result);
		s->registers[STP_WORD_AX] = s->c.saved_return = result;
		__asm__ volatile("" ::: "memory");
	} else {
		bpf_registers(s, ctx, mask);
		s->mode = STP_MODE_REGISTERS;
		s->c.saved_return = ctx[STP_REGISTER_RESULT];
	}
	s->c.address = takes & STP_TAKES_FUNCTION ? bpf_function_address(ctx) : 0;
}

#define STP_ON_FUNCTION(is_return_, shared_, mask, number, handler, condition, late)	\
SEC("kprobe") int stp_program_##number(u64 *ctx)				\
{										\
	struct stp_slot *s = stp_claim();					\
										\
	if (!s)									\
		return 0;							\
	if (is_return_)								\
		bpf_leave_function(s, ctx, STP_TRAMPOLINE(number), mask, handler##_takes);	\
	else									\
		bpf_enter_function(s, ctx, STP_TRAMPOLINE(number), mask, handler##_takes);	\
	STP_TAKE_STACKS(ctx, s, handler##_takes, STP_FROM_REGISTERS);		\
	STP_RUN(s, (shared_) && stp_cookies ? (u32)bpf_get_attach_cookie(ctx) : number, handler, condition, late);	\
	return 0;								\
}

/* ------------------------------------------------------------------ packets at hooks of netfilter */

struct nf_hook_state___packet { u8 hook; void *in, *out; } STP_KERNEL_TYPE;
enum { STP_PACKET_HOOK, STP_PACKET, STP_PACKET_IN, STP_PACKET_OUT, STP_PACKET_VERDICT };   /* arguments */
#define STP_NF_ACCEPT 1

/* ctx: struct bpf_nf_ctx, whose members are struct nf_hook_state * and struct sk_buff * */
STP_INLINE void bpf_packet_arguments(struct stp_slot *s, const u64 *ctx)
{
	struct nf_hook_state___packet *state = (void *)ctx[0];
	void *in = NULL, *out = NULL;
	u8 hook = 0;

	STP_KERNEL_READ(hook, state->hook);
	STP_KERNEL_READ(in, state->in);
	STP_KERNEL_READ(out, state->out);
	s->c.arguments[STP_PACKET_HOOK] = hook;
	s->c.arguments[STP_PACKET] = ctx[1];
	s->c.arguments[STP_PACKET_IN] = (u64)in;
	s->c.arguments[STP_PACKET_OUT] = (u64)out;
	s->c.arguments[STP_PACKET_VERDICT] = STP_NF_ACCEPT;
}

/* The kernel may run the program with preemption enabled, see stp_preempt_off. */
#define STP_ON_NETFILTER(number, handler, condition, late)			\
SEC("netfilter") int stp_program_##number(u64 *ctx)				\
{										\
	struct stp_slot *s = stp_claim();					\
										\
	if (!s)									\
		return STP_NF_ACCEPT;						\
	bpf_packet_arguments(s, ctx);						\
	s->c.address = s->user_address = 0;					\
	s->probe = number;							\
	STP_RUN_UNPREEMPTED(s, handler, condition, late);			\
	return STP_NF_ACCEPT;							\
}

/* ------------------------------------------------------------------ system calls */

/*
 * calls_N(), which the translator writes, maps a system call's number to STP_CALL() or to 0. It is not inlined, since
 * the verifier would follow the rest of the program once for each of its values. Numbers of 32-bit processes begin at
 * STP_CALL_COMPAT; each call that they make through socketcall() or ipc() has a number above those.
 */
#define STP_CALL_SOCKETCALL 102
#define STP_CALL_IPC 117
#define STP_CALL_SOCKETCALL_FIRST 1000
#define STP_CALL_IPC_FIRST 1100
#define STP_CALL(row, probe, signed_longs, address)				\
	((u64)(row) | (u64)((probe) + 1) << 16 | (u64)(signed_longs) << 48 | (u64)(address) << 56)
#define STP_CALL_ROW(call) ((u32)(call) & 0xffff)
#define STP_CALL_PROBE(call) ((u32)((call) >> 16) - 1)
#define STP_CALL_SIGNED(call) ((u32)((call) >> 48) & 0xff)
#define STP_CALL_ADDRESS(call) ((call) >> 56 != 0)

struct thread_info___call { u32 status; } __attribute__((preserve_access_index));
struct task_struct___call { struct thread_info___call thread_info; } __attribute__((preserve_access_index));
#define STP_TS_COMPAT 2

/* Returns whether the call uses the 32-bit interface. */
STP_INLINE bool bpf_is_compat(void)
{
	struct task_struct___call *task = (void *)bpf_get_current_task();
	u32 status = 0;

	bpf_probe_read_kernel(&status, sizeof(status), &task->thread_info.status);
	return status & STP_TS_COMPAT;
}

/* Names of calls: each program has a table, from which they are copied to the slot. */
struct stp_call_names { char name[32], kernel_name[32], plain[32]; u64 flags; };
#define STP_CALL_NAMES(number, size)						\
	const struct stp_call_names call_names_##number[size] SEC(".rodata.call_names_" #number)

STP_INLINE void bpf_copy_name(struct stp_text *to, const char *name)
{
	u32 i;

#pragma unroll
	for (i = 0; i < 4; i++)
		((u64 *)to->b)[i] = ((const u64 *)name)[i];
}

#define STP_CALL_NAMES_OF(number, size)						\
STP_INLINE void bpf_names_##number(struct stp_slot *s, u32 row)			\
{										\
	const struct stp_call_names *n = &call_names_##number[STP_INDEX(row, size)];	\
										\
	bpf_copy_name(&s->call_kernel_name, n->kernel_name);			\
	bpf_copy_name(&s->call_name, (u32)s->c.arguments[STP_INDEX((u32)n->flags, 8)] ? n->name : n->plain);	\
}
STP_INLINE void bpf_no_names(struct stp_slot *s, u32 row)
{
}
#define stp_syscall_name(c) (STP_SLOT(c)->call_name.b)
#define stp_syscall_kernel_name(c) (STP_SLOT(c)->call_kernel_name.b)

/*
 * Threads whose last such call was execveat(): if it succeeds, the number at its return is that of execve().
 * Several programs may handle the same return.
 */
STP_INLINE bool bpf_no_executions(u32 number)
{
	return false;
}
STP_INLINE u32 bpf_no_execution(u32 number, u32 compat, s64 result)
{
	return number;
}
#define STP_EXECUTIONS								\
struct {									\
	__uint(type, BPF_MAP_TYPE_LRU_HASH);					\
	__uint(max_entries, 1024);						\
	__type(key, u64);							\
	__type(value, u32);							\
} stp_executions SEC(".maps");							\
STP_INLINE bool bpf_executions(u32 number)					\
{										\
	return number == 59 || number == 11;					\
}										\
STP_INLINE bool bpf_is_execution(u32 number, u32 compat, u32 wide, u32 narrow)	\
{										\
	return number == (compat ? narrow : wide);				\
}										\
STP_INLINE u32 bpf_execution(u32 number, u32 compat, s64 result)		\
{										\
	u64 thread = bpf_get_current_task();				\
	u32 *found;								\
										\
	if (!bpf_is_execution(number, compat, 59, 11) && !bpf_is_execution(number, compat, 322, 358))	\
		return number;							\
	found = bpf_map_lookup_elem(&stp_executions, &thread);			\
	if (!found)								\
		return number;							\
	return result ? number : compat ? 358 : 322;				\
}										\
SEC("raw_tp") int stp_program_executions(u64 *ctx)				\
{										\
	u64 thread = bpf_get_current_task();				\
	u32 number = ctx[1], one = 1;						\
										\
	if (number != 59 && number != 11 && number != 322 && number != 358)	\
		return 0;							\
	if (!bpf_is_execution(number, bpf_is_compat(), 322, 358))		\
		bpf_map_delete_elem(&stp_executions, &thread);			\
	else if (bpf_map_update_elem(&stp_executions, &thread, &one, 0))	\
		bpf_lose(STP_LOSS_ENTRIES);					\
	return 0;								\
}

STP_INLINE void bpf_call_registers(struct stp_slot *s, u64 regs, bool compat)
{
	u64 *r = s->registers, *a = s->c.arguments;

	bpf_probe_read_kernel(r, sizeof(s->registers), (const void *)regs);
	if (compat) {
		a[0] = (u32)r[STP_WORD_BX], a[1] = (u32)r[STP_WORD_CX], a[2] = (u32)r[STP_WORD_DX];
		a[3] = (u32)r[STP_WORD_SI], a[4] = (u32)r[STP_WORD_DI], a[5] = (u32)r[STP_WORD_BP];
		return;
	}
	a[0] = r[STP_WORD_DI], a[1] = r[STP_WORD_SI], a[2] = r[STP_WORD_DX];
	a[3] = r[STP_WORD_R10], a[4] = r[STP_WORD_R8], a[5] = r[STP_WORD_R9];
}

/* Returns a 32-bit word of the process's memory; 0 if it cannot be read. */
STP_INLINE u32 bpf_call_word(u64 address)
{
	u32 v = 0;

	bpf_probe_read_user(&v, sizeof(v), (void *)address);
	return v;
}

/* Puts the arguments of ipc(), which are call, first, second, third, ptr, fifth, into the order of the call. */
STP_INLINE void bpf_order_ipc(u64 *a, u32 call, bool is_new)
{
	u64 first = a[1], second = a[2], third = a[3], ptr = a[4], fifth = a[5];

	a[0] = first, a[1] = second, a[2] = third, a[3] = ptr, a[4] = fifth;
	switch (call) {
	case 1: a[1] = ptr, a[2] = second; break;                          /* semop */
	case 3: a[3] = bpf_call_word(ptr); break;                          /* semctl */
	case 4: a[1] = ptr, a[2] = second, a[3] = fifth; break;            /* semtimedop */
	case 11: a[1] = ptr, a[2] = second, a[3] = third; break;           /* msgsnd */
	case 12:                                                           /* msgrcv */
		a[1] = is_new ? ptr : bpf_call_word(ptr);
		a[2] = second;
		a[3] = is_new ? fifth : bpf_call_word(ptr + 4);
		a[4] = third;
		break;
	case 14: case 24: a[2] = ptr; break;                               /* msgctl, shmctl */
	case 21: a[1] = ptr, a[2] = second; break;                         /* shmat */
	case 22: a[0] = ptr; break;                                        /* shmdt */
	}
}

/* Decodes socketcall() and ipc(): returns the number of the call, and loads its arguments. A global function, so
 * that it is verified once. */
STP_GLOBAL_FUNCTION int bpf_split(struct stp_slot *s, u32 number)
{
	u64 *a, from;
	u32 call, i;

	if (!s)
		return number;
	a = s->c.arguments;
	from = a[1];
	call = (u32)a[0];
	if (number == STP_CALL_IPC && (call & 0xffff) <= 24) {
		bpf_order_ipc(a, call & 0xffff, call >> 16);
		return STP_CALL_IPC_FIRST + (call & 0xffff);
	}
	if (number != STP_CALL_SOCKETCALL || call < 1 || call > 20)
		return number;
#pragma unroll
	for (i = 0; i < 6; i++)
		a[i] = bpf_call_word(from + 4 * i);    /* the call may have fewer than six arguments */
	return STP_CALL_SOCKETCALL_FIRST + call;
}

/* Returns the number that bpf_split() would return. */
STP_INLINE u32 bpf_split_number(u64 regs, u32 number)
{
	u64 first = 0;
	u32 call;

	bpf_probe_read_kernel(&first, sizeof(first), (const u64 *)regs + STP_WORD_BX);
	call = (u32)first;
	if (number == STP_CALL_IPC && (call & 0xffff) <= 24)
		return STP_CALL_IPC_FIRST + (call & 0xffff);
	return number == STP_CALL_SOCKETCALL && call >= 1 && call <= 20 ? STP_CALL_SOCKETCALL_FIRST + call : number;
}

STP_INLINE bool bpf_is_split(u32 number, bool compat)
{
	return compat && (number == STP_CALL_SOCKETCALL || number == STP_CALL_IPC);
}

STP_INLINE void bpf_sign_extend(u64 *a, u32 mask)
{
	u32 i;

#pragma unroll
	for (i = 0; i < 6; i++)
		if (mask >> i & 1)
			a[i] = (s64)(s32)a[i];
}

/* Converts the result in a 32-bit process: an address above 2 GB is positive, an error negative. */
STP_INLINE s64 bpf_compat_result(s64 result, bool is_address)
{
	return is_address && (u32)result < (u32)-4095 ? (s64)(u32)result : (s64)(s32)result;
}

/* Returns the number of the call. At the return of a call, it is read from the saved registers. */
STP_INLINE u32 bpf_call_number(const u64 *ctx, bool is_return)
{
	u64 number = ctx[1];

	if (is_return)
		bpf_probe_read_kernel(&number, sizeof(number), (const u64 *)ctx[0] + STP_WORD_ORIG_AX);
	return (u32)number < STP_CALL_COMPAT ? (u32)number : STP_CALL_COMPAT - 1;
}

/*
 * Prepare the values of @entry() at a return: there are none, or they are arguments, which are still in the
 * registers.
 */
STP_INLINE bool bpf_enters(struct stp_slot *s)
{
	return true;
}
#define STP_LATE_ENTRIES(number)						\
STP_INLINE bool enters_##number(struct stp_slot *s)				\
{										\
	entries_##number(s);							\
	return true;								\
}

/*
 * With records, counts the hits of a program: it runs at all system calls, and costs.c reads the variable instead of
 * the kernel's number of runs.
 */
#ifdef STP_EVENT_TIMES
#define STP_CALL_HITS(number_) u64 stp_calls_##number_ SEC(".bss.calls");
#define STP_COUNT_CALL(number_) __sync_fetch_and_add(&stp_calls_##number_, 1)
#else
#define STP_CALL_HITS(number_)
#define STP_COUNT_CALL(number_)
#endif

/* ctx: struct pt_regs *, then the number or the result */
#define STP_ON_SYSCALL(is_return_, reads_, splits_, compat_, execution_, names_, enters_, number_,	\
		       handler, condition, late)				\
STP_CALL_HITS(number_)								\
SEC("raw_tp") int stp_program_##number_(u64 *ctx)				\
{										\
	u64 number = bpf_call_number(ctx, is_return_);				\
	u64 call = calls_##number_(number), narrow = (compat_) ? calls_##number_(STP_CALL_COMPAT + number) : 0;	\
	struct stp_slot *s;							\
	u32 compat, executed;							\
										\
	if (!call && !narrow && !((splits_) && bpf_is_split(number, true)) && !execution_##s(number))	\
		return 0;							\
	compat = bpf_is_compat() ? STP_CALL_COMPAT : 0;				\
	call = compat ? narrow : call;						\
	executed = (is_return_) ? execution_(number, compat, (s64)ctx[1]) : number;	\
	if (executed != number) {						\
		number = executed;						\
		call = calls_##number_(compat + number);			\
	}									\
	if (!call && !((splits_) && bpf_is_split(number, compat)))		\
		return 0;							\
	s = stp_claim();							\
	if (!s)									\
		return 0;							\
	if ((reads_) || (splits_))						\
		bpf_call_registers(s, ctx[0], compat);				\
	s->c.arguments[STP_SYSCALL_NUMBER] = number;				\
	s->call_number = compat + number;					\
	s->mode = STP_MODE_USER | STP_MODE_CALL | STP_MODE_REGISTERS | (compat ? STP_MODE_32BIT : 0);	\
	if ((splits_) && bpf_is_split(number, compat)) {			\
		s->call_number = compat + bpf_split(s, number);			\
		call = calls_##number_(s->call_number);				\
		if (!call) {							\
			stp_release(s);						\
			return 0;						\
		}								\
	}									\
	if ((reads_) && compat)							\
		bpf_sign_extend(s->c.arguments, STP_CALL_SIGNED(call));		\
	if (is_return_)								\
		s->c.arguments[STP_SYSCALL_RESULT] = s->c.saved_return =	\
			compat ? bpf_compat_result(ctx[1], STP_CALL_ADDRESS(call)) : ctx[1];	\
	s->c.address = 0;							\
	if (handler##_takes & STP_TAKES_FUNCTION)				\
		bpf_probe_read_kernel(&s->user_address, 8, (const u64 *)ctx[0] + STP_REGISTER_PC);	\
	STP_TAKE_STACKS(ctx, s, handler##_takes, STP_FROM_PROGRAM);		\
	names_(s, STP_CALL_ROW(call));						\
	s->probe = STP_CALL_PROBE(call);					\
	if (!enters_(s)) {							\
		stp_end(s);							\
		return 0;							\
	}									\
	STP_COUNT_CALL(number_);						\
	STP_RUN(s, STP_CALL_PROBE(call), handler, condition, late);		\
	return 0;								\
}

/*
 * Returns false for exit(), exit_group(), rt_sigreturn() and sigreturn(): they do not return, or their return does
 * not have their number.
 */
STP_INLINE bool bpf_call_returns(u32 number, u32 compat)
{
	return compat ? number != 1 && number != 252 && number != 173 && number != 119 :
			number != 60 && number != 231 && number != 15;
}

/*
 * The program at the entry, which saves values for the program at the return. skip_: called without a slot; save_:
 * saves, and ends the hit.
 */
#define STP_ON_SYSCALL_ENTRY(splits_, compat_, names_, skip_, save_, number_)	\
SEC("raw_tp") int stp_entry_##number_(u64 *ctx)					\
{										\
	u64 number = bpf_call_number(ctx, false);				\
	u64 call = calls_##number_(number), narrow = (compat_) ? calls_##number_(STP_CALL_COMPAT + number) : 0;	\
	struct stp_slot *s;							\
	u32 compat, at;								\
										\
	if (!call && !narrow && !((splits_) && bpf_is_split(number, true)))	\
		return 0;							\
	compat = bpf_is_compat() ? STP_CALL_COMPAT : 0;				\
	at = compat + number;							\
	if ((splits_) && bpf_is_split(number, compat)) {			\
		at = compat + bpf_split_number(ctx[0], number);			\
		call = calls_##number_(at);					\
	} else									\
		call = compat ? narrow : call;					\
	if (!call || !bpf_call_returns(number, compat))				\
		return 0;							\
	s = stp_claim();							\
	if (!s) {								\
		if (stp_control.open)      /* until then nothing has been saved */	\
			skip_(STP_CALL_PROBE(call));				\
		return 0;							\
	}									\
	bpf_call_registers(s, ctx[0], compat);					\
	s->c.arguments[STP_SYSCALL_NUMBER] = number;				\
	s->call_number = at;							\
	s->mode = STP_MODE_USER | STP_MODE_CALL | STP_MODE_REGISTERS | (compat ? STP_MODE_32BIT : 0);	\
	if ((splits_) && bpf_is_split(number, compat))				\
		bpf_split(s, number);						\
	if (compat)								\
		bpf_sign_extend(s->c.arguments, STP_CALL_SIGNED(call));		\
	s->c.address = 0;							\
	names_(s, STP_CALL_ROW(call));						\
	s->probe = STP_CALL_PROBE(call);					\
	save_(s);								\
	return 0;								\
}

#endif
