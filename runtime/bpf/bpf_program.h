/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * generated.h for BPF programs: the same names, as inline functions and macros that clang compiles for the verifier.
 *
 * The context is in the slot that a hit claims (bpf_shared.h), never on the stack. No pointer is stored there and read
 * back: the verifier would take it for a number. An error is a number in place of the pointer to its text.
 */
#ifndef BPF_PROGRAM_H
#define BPF_PROGRAM_H

#include "generated.h"
#include "messages.h"
#include "bpf_shared.h"

typedef u8 __u8;
typedef u16 __u16;
typedef u32 __u32;
typedef u64 __u64;
typedef s16 __s16;
typedef s32 __s32;
typedef s64 __s64;
typedef u16 __be16;
typedef u32 __be32;
typedef u32 __wsum;
#include <bpf/bpf_helpers.h>

#define STP_INLINE static __attribute__((__always_inline__)) inline
/* verified once, whatever calls it */
#define STP_GLOBAL_FUNCTION __attribute__((__noinline__))

/*
 * An index below n, a power of two. The asm hides the value: otherwise the compiler drops a mask that it can prove, and
 * checks another copy of the index than the one that it uses.
 */
#define STP_INDEX(i, n) ({ u32 i_ = (i); __asm__ volatile("" : "+r"(i_)); i_ & ((n) - 1); })

/* of uapi/linux/bpf.h, whose types are not included */
#define BPF_MAP_TYPE_ARRAY 2
#define BPF_F_MMAPABLE (1u << 10)

/* The client sets the number of slots before it loads the object. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, STP_SLOTS_PER_CPU);
	__type(key, u32);
	__type(value, struct stp_slot);
} stp_slots SEC(".maps");

struct stp_control stp_control SEC(".bss.control");
char stp_licence[] SEC("license") = "GPL";

#define STP_SLOT(c) ((struct stp_slot *)((char *)(c) - __builtin_offsetof(struct stp_slot, c)))
#define STP_PERCPU(c) ((u8 *)STP_SLOT(c)->percpu)

/* ------------------------------------------------------------------ hits */

STP_INLINE void bpf_lose(enum stp_loss reason)
{
	__sync_fetch_and_add(&stp_control.losses[reason], 1);
}

STP_INLINE void bpf_skip(enum stp_loss reason)
{
	bpf_lose(reason);
	__sync_fetch_and_add(&stp_control.skipped, 1);
}

/* Returns a slot that nothing else uses; NULL: the hit is counted as skipped. */
STP_INLINE struct stp_slot *stp_claim(void)
{
	u32 first = bpf_get_smp_processor_id() * STP_SLOTS_PER_CPU, k, at;
	struct stp_slot *s;

	if (!stp_control.open) {
		bpf_lose(STP_LOSS_OUTSIDE);
		return NULL;
	}
#pragma unroll
	for (k = 0; k < STP_SLOTS_PER_CPU; k++) {
		at = first + k;
		s = bpf_map_lookup_elem(&stp_slots, &at);
		if (!s) {
			bpf_lose(STP_LOSS_LATE_CPU);
			return NULL;
		}
		__sync_fetch_and_add(&s->busy, 1);
		if (*(volatile u32 *)&s->busy == 1)
			return s;
		__sync_fetch_and_add(&s->busy, -1);
	}
	bpf_skip(STP_LOSS_REENTRANT);
	return NULL;
}

STP_INLINE void stp_release(struct stp_slot *s)
{
	__sync_fetch_and_add(&s->busy, -1);
}

STP_INLINE bool stp_always(void)
{
	return true;
}

/* One program for each probe; handlers are shared. ctx: what the kernel passes, for `arguments` of the tracepoint. */
#define STP_ON_TRACEPOINT(arguments_, number, handler, condition, late)	\
SEC("raw_tp") int stp_program_##number(u64 *ctx)				\
{										\
	struct stp_slot *s = stp_claim();					\
	u32 i;									\
										\
	if (!s)									\
		return 0;							\
	_Pragma("unroll")							\
	for (i = 0; i < (arguments_); i++)					\
		s->c.arguments[i] = ctx[i];					\
	s->probe = number;							\
	if (condition() && ((late) || handler##_lock(&s->c))) {			\
		handler(&s->c);							\
		handler##_unlock(&s->c);					\
	}									\
	stp_release(s);								\
	return 0;								\
}

/* ------------------------------------------------------------------ work */

/* The verifier bounds what a handler does, so that only statements of loops are counted. */
#undef STP_WORK
#define STP_WORK(c, n, where, label) do { } while (0)

/* ------------------------------------------------------------------ globals and their locks */

#define STP_SHARED_NUMBER(name, value) s64 name SEC(".bss.globals")
#define STP_SHARED_STRING(name, value) char name[STP_STRLEN] SEC(".bss.globals")
#define STP_LOCK(name, number) enum { name = number }

STP_INLINE bool bpf_try_lock(u32 *word)
{
	__sync_fetch_and_add(word, 1);
	if (*(volatile u32 *)word == 1)
		return true;
	__sync_fetch_and_add(word, -1);
	return false;
}

/* 100 x 100 x 100 tries take about as long as the module's 100 pauses of 10 us. One loop of so many passes would be
 * refused, three nested functions are verified separately. Holders are not interrupted by another hit that waits for
 * them for longer, since they hold a lock for microseconds. */
STP_GLOBAL_FUNCTION int bpf_lock_tries(u32 number)
{
	u32 i;

	for (i = 0; i < 100; i++)
		if (!*(volatile u32 *)&stp_control.locks[STP_INDEX(number, STP_LOCK_WORDS)] &&
		    bpf_try_lock(&stp_control.locks[STP_INDEX(number, STP_LOCK_WORDS)]))
			return 1;
	return 0;
}

STP_GLOBAL_FUNCTION int bpf_lock_rounds(u32 number)
{
	u32 i;

	for (i = 0; i < 100; i++)
		if (bpf_lock_tries(number))
			return 1;
	return 0;
}

STP_GLOBAL_FUNCTION int bpf_lock_wait(u32 number)
{
	u32 i;

	for (i = 0; i < 100; i++)
		if (bpf_lock_rounds(number))
			return 1;
	return 0;
}

STP_INLINE bool bpf_lock(struct stp_ctx *c, u32 number)
{
	if (!bpf_try_lock(&stp_control.locks[number]) && !bpf_lock_wait(number)) {
		bpf_skip(STP_LOSS_LOCK);
		return false;
	}
	STP_SLOT(c)->held |= 1ull << number;
	return true;
}

STP_INLINE void bpf_unlock(struct stp_ctx *c, u32 number)
{
	if (!(STP_SLOT(c)->held >> number & 1))
		return;
	STP_SLOT(c)->held &= ~(1ull << number);
	__sync_fetch_and_add(&stp_control.locks[number], -1);
}

/* Takes all locks of a handler. After a timeout it holds none of them and returns false. */
#define STP_LOCKS_OF(handler, take, ...)					\
STP_INLINE void handler##_unlock(struct stp_ctx *c) { __VA_ARGS__; }		\
STP_INLINE bool handler##_lock(struct stp_ctx *c)				\
{										\
	if (take)								\
		return true;							\
	handler##_unlock(c);							\
	return false;								\
}
#define stp_lock_of(handler, c) handler##_lock(c)
#define stp_unlock_of(handler, c) handler##_unlock(c)
#define stp_finish_of(handler, c) handler##_unlock(c)

/* ------------------------------------------------------------------ the current task */

#define stp_pid(c) ((s64)(bpf_get_current_pid_tgid() >> 32))
#define stp_tid(c) ((s64)(u32)bpf_get_current_pid_tgid())
#define stp_uid(c) ((s64)(u32)bpf_get_current_uid_gid())
#define stp_gid(c) ((s64)(bpf_get_current_uid_gid() >> 32))
#define stp_cpu(c) ((s64)bpf_get_smp_processor_id())
#define stp_target(c) (stp_control.target)
#define stp_ktime_ns(c) ((s64)bpf_ktime_get_ns())
#define stp_current_task(c) ((u64)bpf_get_current_task())

/* ------------------------------------------------------------------ statistics */

/* As stp_log_bucket(), in shifts: BPF does not count leading zeros. */
STP_INLINE u32 bpf_log_bucket(s64 v)
{
	u64 u = v < 0 ? 0 - (u64)v : (u64)v;
	u32 n = 0;

	if (!u)
		return 64;
#pragma unroll
	for (u32 bits = 32; bits; bits /= 2) {
		if (u >> bits) {
			n += bits;
			u >>= bits;
		}
	}
	return v > 0 ? 65 + n : 63 - n;
}

STP_INLINE u32 bpf_linear_bucket(const struct stp_stat_desc *d, s64 v)
{
	u64 n;

	if (v < d->low) {
		bpf_lose(STP_LOSS_HISTOGRAM);
		return 0;
	}
	n = ((u64)v - (u64)d->low) / (u64)d->step + 1;
	if (n < d->buckets - 1)
		return (u32)n;
	bpf_lose(STP_LOSS_HISTOGRAM);
	return d->buckets - 1;
}

/* Adds v. Values of the descriptor are constants, so that only what the script reads is compiled. */
STP_INLINE void bpf_stat_add(struct stp_stat *s, const struct stp_stat_desc *d, s64 v)
{
	u32 at;

	if (d->ops & (STP_MIN | STP_MAX)) {
		if (!s->count || v < s->min)
			s->min = v;
		if (!s->count || v > s->max)
			s->max = v;
	}
	s->count++;
	s->sum += v;
	if (!(d->ops & (STP_HIST_LOG | STP_HIST_LINEAR)))
		return;
	at = d->ops & STP_HIST_LOG ? bpf_log_bucket(v) : bpf_linear_bucket(d, v);
	__asm__ volatile("" : "+r"(at));
	if (at < d->buckets)
		s->hist[at]++;
}
#define stp_stat_add bpf_stat_add

#endif
