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

/* the factor in hashes of keys: random, so that nobody can choose keys that share a bucket */
#define STP_HASH_FACTOR stp_control.hash_factor
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
/* verified once instead of at each call */
#define STP_GLOBAL_FUNCTION __attribute__((__noinline__))

/*
 * An index below n, a power of two. The asm hides the value from the compiler, which would otherwise remove a mask
 * that it can prove to be redundant, or check another copy of the index than the one that it uses.
 */
#define STP_HIDE(v) __asm__ volatile("" : "+r"(v))
#define STP_INDEX(i, n) ({ u32 i_ = (i); __asm__ volatile("" : "+r"(i_)); i_ & ((n) - 1); })

/* values of uapi/linux/bpf.h, whose types are not included */
#define BPF_MAP_TYPE_HASH 1
#define BPF_MAP_TYPE_LRU_HASH 9
#define BPF_MAP_TYPE_ARRAY 2
#define BPF_MAP_TYPE_RINGBUF 27
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

#ifdef STP_SLEEPABLE
#define STP_READ_USER bpf_copy_from_user
#else
#define STP_READ_USER bpf_probe_read_user
#endif

#define STP_SLOT(c) ((struct stp_slot *)((char *)(c) - __builtin_offsetof(struct stp_slot, c)))
#define STP_PERCPU(c) ((u8 *)STP_SLOT(c)->percpu)
#define STP_ENTRY(c) (STP_SLOT(c)->entry)

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

/* Returns a slot that is not in use; NULL: all are in use, and the hit is counted as skipped. */
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
		if (*(volatile u32 *)&s->busy == 1) {
			s->c.actions = STP_ACTIONS_MAX;
			s->mode = 0;
			return s;
		}
		__sync_fetch_and_add(&s->busy, -1);
	}
	bpf_skip(STP_LOSS_REENTRANT);
	return NULL;
}

STP_INLINE void stp_release(struct stp_slot *s)
{
	__sync_fetch_and_add(&s->busy, -1);
}

/* Raises an error, unless one has been raised. */
STP_INLINE void bpf_error(struct stp_ctx *c, u64 code, u64 argument)
{
	if (c->error)
		return;
	c->error = (const char *)code;
	STP_SLOT(c)->error_argument = argument;
}

/* ------------------------------------------------------------------ strings */

/* A literal is a whole buffer, so that functions that are verified once may read it. The asm hides its address,
 * since clang 14 does not initialise static variables of constant arrays of arguments. */
#define STP_LITERAL(text) ({							\
	static struct stp_text literal_ SEC(".data.literals") = { text };	\
	const char *text_ = literal_.b;						\
										\
	STP_HIDE(text_);							\
	text_;									\
})
#define STP_AS_TEXT(s) ((const struct stp_text *)(s))

STP_GLOBAL_FUNCTION int bpf_copy(struct stp_text *to, const struct stp_text *from)
{
	u32 i;

	if (!to || !from)
		return 0;
	for (i = 0; i < STP_TEXT_SIZE / 8; i++) {
		u64 word = ((const u64 *)from->b)[i];

		((u64 *)to->b)[i] = word;
		if (stp_text_end(word))
			break;
	}
	return 0;
}

STP_GLOBAL_FUNCTION int bpf_length(const struct stp_text *s)
{
	u32 i, j;

	if (!s)
		return 0;
	for (i = 0; i < STP_TEXT_SIZE / 8 - 1; i++)
		if (stp_text_end(((const u64 *)s->b)[i]))
			break;
	for (j = 0; j < 7; j++) {
		u32 at = i * 8 + j;

		STP_HIDE(at);
		if (at >= STP_TEXT_SIZE || !s->b[at])
			break;
	}
	return i * 8 + j;
}

STP_GLOBAL_FUNCTION int bpf_append(struct stp_text *to, const struct stp_text *from)
{
	u32 n, i, at, k;

	if (!to || !from)
		return 0;
	n = bpf_length(to);
	for (i = 0; i < STP_STRLEN; i++) {
		at = n + i;
		k = i;
		STP_HIDE(at);
		STP_HIDE(k);
		if (k >= STP_STRLEN)
			break;
		if (at >= STP_STRLEN - 1) {
			to->b[STP_STRLEN - 1] = 0;
			if (from->b[k])
				bpf_lose(STP_LOSS_STRINGS);
			break;
		}
		to->b[at] = from->b[k];
		if (!from->b[k])
			break;
	}
	return 0;
}

/* Compares words. In the first word that differs, compares the bytes up to the terminator in their order. */
STP_GLOBAL_FUNCTION int bpf_compare(const struct stp_text *a, const struct stp_text *b)
{
	u32 i, j;

	if (!a || !b)
		return 0;
	for (i = 0; i < STP_TEXT_SIZE / 8; i++) {
		u64 x = ((const u64 *)a->b)[i], y = ((const u64 *)b->b)[i];

		if (x == y && !stp_text_end(x))
			continue;
		for (j = 0; j < 8; j++) {
			u8 p = (u8)(x >> 8 * j), q = (u8)(y >> 8 * j);

			if (p != q)
				return p < q ? -1 : 1;
			if (!p)
				return 0;
		}
	}
	return 0;
}

STP_GLOBAL_FUNCTION u64 bpf_hash_text(u64 h, const struct stp_text *s)
{
	u32 i;

	if (!s)
		return 0;
	for (i = 0; i < STP_TEXT_SIZE / 8; i++) {
		u64 word = ((const u64 *)s->b)[i], zero = stp_text_end(word);

		if (zero)
			return stp_table_mix(h ^ (word & ((zero & -zero) - 1)));
		h = stp_table_mix(h ^ word);
	}
	return h;
}

#define stp_copy(to, from, size) ((void)bpf_copy((struct stp_text *)(to), STP_AS_TEXT(from)))
#define stp_append(to, from, size) ((void)bpf_append((struct stp_text *)(to), STP_AS_TEXT(from)))
#define stp_compare(a, b) bpf_compare(STP_AS_TEXT(a), STP_AS_TEXT(b))
#define stp_strlen(s) ((s64)bpf_length(STP_AS_TEXT(s)))
#define stp_cell_string(cell) ({ const char *s_ = (cell); s_ ? s_ : STP_LITERAL(""); })

#define STP_NAMES(table, width) static const char table[][width] SEC(".rodata.names") __attribute__((__aligned__(8)))
#define stp_copy_name(to, table, n) bpf_copy_row((struct stp_text *)(to), (const u64 *)(table), n,	\
						 sizeof(table) / sizeof((table)[0]), sizeof((table)[0]) / 8)
STP_INLINE void bpf_copy_row(struct stp_text *to, const u64 *rows, u32 n, u32 count, u32 words)
{
	u32 i;

	STP_HIDE(n);
	if (n >= count)
		return;
#pragma unroll
	for (i = 0; i < words && i < STP_TEXT_SIZE / 8; i++)
		((u64 *)to->b)[i] = rows[n * words + i];
	if (words * 8 > STP_STRLEN && to->b[STP_STRLEN - 1]) {
		to->b[STP_STRLEN - 1] = 0;
		bpf_lose(STP_LOSS_STRINGS);
	}
}

/* String variables of nested functions follow one another in the slot. */
STP_INLINE void *bpf_frame_enter(struct stp_ctx *c, u32 size)
{
	u32 at = STP_SLOT(c)->frame_at;

	STP_HIDE(at);
	if (at > STP_FRAMES_SIZE - size) {
		bpf_error(c, STP_BPF_NESTING, 0);
		return NULL;
	}
	STP_SLOT(c)->frame_at = at + size;
	return &STP_SLOT(c)->frames[at];
}
#define stp_frame_enter(c, size) bpf_frame_enter(c, size)
#define stp_frame_leave(c, size) ((void)(STP_SLOT(c)->frame_at -= (size)))

/* ------------------------------------------------------------------ output */

#include "bpf_records.h"

/* puts: statements that append the arguments to the record of s_, up to `words` words including the item's head.
 * The client finds the format by the line. */
#define STP_PRINTF(c, f, n, words, puts, ...) do {				\
	struct stp_slot *s_ = STP_SLOT(c);					\
										\
	bpf_item(s_, STP_ITEM_PRINT, __LINE__, words);				\
	puts									\
} while (0)
#define stp_print(c, text, n) bpf_item(STP_SLOT(c), STP_ITEM_PRINT, __LINE__, 1)

/* ------------------------------------------------------------------ errors, the end of a handler */

/* Appends the error of the slot to its record. After MAXERRORS, further hits are ignored. */
STP_GLOBAL_FUNCTION int bpf_report(struct stp_slot *s)
{
	u32 i, n;

	if (!s)
		return 0;
	bpf_item(s, STP_ITEM_ERROR, s->where, 4 + STP_BPF_CALLERS + STP_TEXT_SIZE / 8);
	bpf_put(s, (u64)s->c.error);
	bpf_put(s, s->error_argument);
	n = s->ncallers;
	bpf_put(s, n);
	if ((u64)s->c.error == STP_BPF_TEXT)
		bpf_put_text(s, &s->error_text);
#pragma unroll
	for (i = 0; i < STP_BPF_CALLERS; i++)
		if (i < n)
			bpf_put(s, s->callers[i]);
	__sync_fetch_and_add(&stp_control.errors, 1);
	if (stp_control.errors > stp_control.errors_allowed)
		stp_control.open = 0;
	return 0;
}

STP_INLINE void bpf_end_error(struct stp_slot *s)
{
	if ((u64)s->c.error != STP_BPF_ABORT)  /* abort() is not reported */
		bpf_report(s);
	s->c.error = NULL;
	s->c.fatal = false;
	s->where = s->ncallers = 0;
}

#ifdef STP_USES_CALL_TEXTS
STP_INLINE void bpf_forget_call(u32 probe);
#endif

STP_INLINE void stp_end(struct stp_slot *s)
{
	bool sent;

#ifdef STP_USES_CALL_TEXTS
	if (s->call_when == STP_AT_RETURN)
		bpf_forget_call(s->probe);
	s->call_when = 0;
#endif
	if (STP_UNLIKELY(s->c.error))
		bpf_end_error(s);
	sent = s->record_len != 0;
	if (sent)
		bpf_send(s);
	s->frame_at = 0;
	s->c.next = false;
	stp_release(s);        /* also orders the record before the next access */
	if (sent && STP_UNLIKELY(*(volatile u32 *)&stp_control.waiting))
		bpf_wake(0);
}

STP_INLINE void bpf_where(struct stp_ctx *c, u32 line)
{
	struct stp_slot *s = STP_SLOT(c);
	u32 n = s->ncallers;

	STP_HIDE(n);
	if (!s->where)
		s->where = line;
	else if (n < STP_BPF_CALLERS && s->where != line) {
		s->callers[n] = line;
		s->ncallers = n + 1;
	}
}
#undef STP_CHECK
#define STP_CHECK(c, location, label) do {					\
	if (STP_UNLIKELY((c)->error)) {						\
		bpf_where(c, __LINE__);						\
		goto label;							\
	}									\
} while (0)
/* A literal, or "%s" and a text. */
#define stp_error(...) STP_ERROR_OF(__VA_ARGS__, STP_ERROR_FORMAT, STP_ERROR_LITERAL)(__VA_ARGS__)
#define STP_ERROR_OF(c, format, text, function, ...) function
#define STP_ERROR_LITERAL(c, text) bpf_error_text(c, STP_LITERAL(text))
#define STP_ERROR_FORMAT(c, format, text) do {					\
	_Static_assert(sizeof(format) == sizeof("%s"), "formats of errors are for the client");	\
	bpf_error_text(c, text);						\
} while (0)
STP_INLINE void bpf_error_text(struct stp_ctx *c, const char *text)
{
	if (c->error)
		return;
	bpf_copy(&STP_SLOT(c)->error_text, STP_AS_TEXT(text));
#if STP_STRLEN > STP_ERROR_TEXT
	if (bpf_length(&STP_SLOT(c)->error_text) >= STP_ERROR_TEXT) {
		STP_SLOT(c)->error_text.b[STP_ERROR_TEXT - 1] = 0;
		bpf_lose(STP_LOSS_TEXTS);
	}
#endif
	bpf_error(c, STP_BPF_TEXT, 0);
}
STP_INLINE void bpf_exit(void)
{
	stp_control.exited = 1;
	stp_control.open = 0;
}
#define stp_exit(c) bpf_exit()

/* Appends a text to the record, for an action of the client. */
STP_INLINE void bpf_put_message(struct stp_ctx *c, u32 kind, const char *text)
{
	struct stp_slot *s = STP_SLOT(c);

	bpf_item(s, kind, 0, 1 + STP_TEXT_SIZE / 8);
	bpf_put_text(s, STP_AS_TEXT(text));
}
#define stp_log(c, text) bpf_put_message(c, STP_ITEM_LOG, text)
#define stp_warn(c, text) bpf_put_message(c, STP_ITEM_WARNING, text)
#define stp_switch_file(c) bpf_item(STP_SLOT(c), STP_ITEM_SWITCH, 0, 1)
#define stp_speculation_lost() bpf_lose(STP_LOSS_SPECULATED)
STP_INLINE s64 bpf_random(s64 below)
{
	u64 high = bpf_get_prandom_u32();

	return below > 0 ? (s64)((high << 32 | bpf_get_prandom_u32()) % (u64)below) : 0;
}
#define stp_random(c, below) bpf_random(below)

/* Raises an error that no catch handles. */
STP_INLINE void bpf_fatal(struct stp_ctx *c, u64 code)
{
	if (!c->fatal) {
		c->error = NULL;
		STP_SLOT(c)->where = STP_SLOT(c)->ncallers = 0;
		bpf_error(c, code, 0);
	}
	c->fatal = true;
}
/* The text is empty: that of abort(). */
#define stp_fatal(c, text) bpf_fatal(c, STP_BPF_ABORT)

#include "bpf_arith.h"

/* ------------------------------------------------------------------ static variables */

/* Addresses in the kernel, which the client fills in; 0: unknown. */
#define STP_STATICS(n) const volatile u64 stp_statics[n] SEC(".rodata.statics") = { 0 }
STP_INLINE u64 bpf_static(struct stp_ctx *c, const volatile u64 *at)
{
	u64 address = *at;

	if (!address)
		bpf_error(c, STP_BPF_STATIC, 0);
	return address;
}
#define stp_static(c, at) ((s64)bpf_static(c, at))
/* Returns the address of a variable of the probed program, from its link address. */
#define STP_NO_BIAS (~0ull)
STP_INLINE s64 bpf_user_static(struct stp_ctx *c, u64 address)
{
	if (STP_SLOT(c)->bias == STP_NO_BIAS)
		bpf_error(c, STP_BPF_FUNCTION, 0);
	return (s64)(STP_SLOT(c)->bias + address);
}
#define stp_user_static(c, address) bpf_user_static(c, address)

/* ------------------------------------------------------------------ memory and registers */

#define stp_reg(c, offset) (STP_SLOT(c)->registers[(offset) / 8])
#define stp_any_reg(c, offset) stp_reg(c, offset)
/* Returns word n of struct pt_regs. */
STP_INLINE s64 bpf_any_regs(struct stp_ctx *c, u64 n)
{
	STP_HIDE(n);
	return n < STP_REGISTERS ? (s64)STP_SLOT(c)->registers[n] : 0;
}
#define stp_any_regs(c, n) bpf_any_regs(c, (u64)(n))

/*
 * Loads a number from kernel memory by the cast of an address to a pointer (Linux 6.2), which is many times faster than
 * the helper. The kernel gives 0 for an address that it cannot read, so the helper reads such a number again. A type
 * that begins with 8 bytes is the one to cast to.
 */
const volatile u32 stp_casts SEC(".rodata.casts") = 0;         /* set by the client */
extern void *bpf_rdonly_cast(const void *address, u32 type) __weak __ksym;
struct bpf_perf_event_value { u64 counter; };
#define STP_CAST(type, address) (*(const volatile type *)bpf_rdonly_cast((void *)(address),	\
				 __builtin_btf_type_id(*(struct bpf_perf_event_value *)0, 1)))

#define BPF_LOAD(name, type, read, code, quick)					\
STP_INLINE u64 name(struct stp_ctx *c, u64 address)				\
{										\
	type v = 0;								\
										\
	if ((quick) && stp_casts) {						\
		v = STP_CAST(type, address);					\
		if (v)								\
			return v;						\
	}									\
	if (!read(&v, sizeof(v), (void *)address))				\
		return v;							\
	bpf_error(c, code, address);						\
	return 0;								\
}
#include "bpf_members.h"
BPF_LOAD(bpf_load1, u8, bpf_probe_read_kernel, STP_BPF_FAULT, true)
BPF_LOAD(bpf_load2, u16, bpf_probe_read_kernel, STP_BPF_FAULT, true)
BPF_LOAD(bpf_load4, u32, bpf_probe_read_kernel, STP_BPF_FAULT, true)
BPF_LOAD(bpf_load8, u64, bpf_probe_read_kernel, STP_BPF_FAULT, true)
BPF_LOAD(bpf_uload1, u8, STP_READ_USER, STP_BPF_USER_FAULT, false)
BPF_LOAD(bpf_uload2, u16, STP_READ_USER, STP_BPF_USER_FAULT, false)
BPF_LOAD(bpf_uload4, u32, STP_READ_USER, STP_BPF_USER_FAULT, false)
BPF_LOAD(bpf_uload8, u64, STP_READ_USER, STP_BPF_USER_FAULT, false)
#define stp_load1 bpf_load1
#define stp_load2 bpf_load2
#define stp_load4 bpf_load4
#define stp_load8 bpf_load8
#define stp_uload1 bpf_uload1
#define stp_uload2 bpf_uload2
#define stp_uload4 bpf_uload4
#define stp_uload8 bpf_uload8
/* If a return probe has replaced the return address, no call site is found, and the value is not available. */
#define stp_return_load4 stp_uload4
#define stp_return_load8 stp_uload8

/* A string that fills the buffer may be truncated: the next byte shows whether it ends there. */
STP_INLINE bool bpf_load_string(struct stp_ctx *c, char *to, u64 address, u32 size, bool user)
{
	char next = 0;
	s64 n;

	if (!__builtin_constant_p(size)) {
		u64 bounded = size;

		STP_HIDE(bounded);     /* so that the bound is known of the whole register that is passed */
		if (bounded > STP_STRLEN)
			bounded = STP_STRLEN;
		size = bounded;
	}
	n = user ? bpf_probe_read_user_str(to, size, (void *)address) :
		bpf_probe_read_kernel_str(to, size, (void *)address);
#ifdef STP_SLEEPABLE
	/* the page is not in memory: load it */
	if (n < 0 && user && !bpf_copy_from_user(&next, 1, (void *)address))
		n = bpf_probe_read_user_str(to, size, (void *)address);
#endif
	if (n < 0) {
		*to = 0;
		bpf_error(c, user ? STP_BPF_USER_FAULT : STP_BPF_FAULT, address);
		return false;
	}
	if (n == size && size == STP_STRLEN) {
		if (user)
			bpf_probe_read_user(&next, 1, (void *)(address + size - 1));
		else
			bpf_probe_read_kernel(&next, 1, (void *)(address + size - 1));
		if (next)
			bpf_lose(STP_LOSS_STRINGS);
	}
	return true;
}
#define stp_load_string(c, to, address, size) bpf_load_string(c, to, address, size, false)
#define stp_uload_string(c, to, address, size) bpf_load_string(c, to, address, size, true)

/* ------------------------------------------------------------------ loops, arrays: see bpf_table.h */

#include "bpf_loops.h"
#include "bpf_text.h"
#include "bpf_real.h"
#ifdef STP_USES_REGISTERS
#include "bpf_registers.h"
#endif
#ifdef STP_USES_MEMORY
#include "bpf_memory.h"
#endif
#include "bpf_stat.h"
#ifdef STP_USES_HIST_TEXT
#include "bpf_hist.h"
#endif

#define STP_MAP_GET(c, m, ...) bpf_map_get(c, m, __VA_ARGS__)
#define STP_MAP_DELETE(c, m, ...) bpf_map_delete(c, m, __VA_ARGS__)
#define stp_pmap_put(c, m, ...) stp_map_put(c, m, __VA_ARGS__)
#define stp_cell_long(cell) ({ const s64 *n_ = (cell); n_ ? *n_ : 0; })

/* ------------------------------------------------------------------ work */

/* The verifier limits the work of a handler, so only statements of loops are counted. */
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

/* 100 tries take about 0.1 us, and all rounds of all waits as long as the module waits: MAXTRYLOCK x TRYLOCKDELAY. The
 * verifier would reject one loop of that many passes, but verifies three nested functions separately. Programs hold a
 * lock for microseconds; the client may be interrupted while it holds one. */
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

	for (i = 0; i < STP_LOCK_ROUNDS; i++)
		if (bpf_lock_tries(number))
			return 1;
	return 0;
}

STP_GLOBAL_FUNCTION int bpf_lock_wait(u32 number)
{
	u32 i;

	for (i = 0; i < STP_LOCK_WAITS; i++)
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

#define stp_cpu(c) ((s64)bpf_get_smp_processor_id())
#define stp_target(c) (stp_control.target)
#define stp_relay_pid(c) (stp_control.client)
#define stp_timezone_s(c) (stp_control.timezone)
#define stp_ktime_ns() ((s64)bpf_ktime_get_ns())
#define stp_jiffies(c) ((s64)bpf_jiffies64())
#define stp_gettimeofday_ns() (stp_ktime_ns() + stp_control.clock_offset)
#define stp_current_task(c) ((u64)bpf_get_current_task())
#include "bpf_task.h"
#include "bpf_stack.h"

/* ------------------------------------------------------------------ programs */

STP_INLINE bool stp_always(void)
{
	return true;
}

/* At the hit, the kernel's registers are those of the process. */
#ifdef STP_SLEEPABLE
#define STP_UPROBE_SECTION "uprobe.s"
#else
#define STP_UPROBE_SECTION "uprobe"
#endif
#define STP_REGISTER_RESULT 10         /* rax */
#define STP_REGISTER_PC 16             /* rip */
#define STP_WORD_CS 17
#define STP_WORD_SP 19
#define STP_USER32_CS 0x23             /* code segment of processes that run 32-bit code */

#define stp_user_mode(c) ((STP_SLOT(c)->mode & STP_MODE_USER) != 0)
#define stp_has_regs(c) ((STP_SLOT(c)->mode & STP_MODE_REGISTERS) != 0)
#define stp_is_32bit(c) ((STP_SLOT(c)->mode & STP_MODE_32BIT) != 0)
#define stp_in_syscall(c) ((STP_SLOT(c)->mode & STP_MODE_CALL) != 0)
STP_INLINE u32 bpf_mode(u64 cs)
{
	return !(cs & 3) ? 0 : cs == STP_USER32_CS ? STP_MODE_USER | STP_MODE_32BIT : STP_MODE_USER;
}

/* Returns the result of a function of a program: an int, or in a 32-bit process a long, is the lower half of the
 * register. */
STP_INLINE u64 bpf_user_result(const u64 *ctx)
{
	u64 result = ctx[STP_REGISTER_RESULT];

	return ctx[STP_WORD_CS] == STP_USER32_CS ? (u64)(s64)(s32)result : result;
}

/* At a return, finds the function's address and the bias of its program, if the handler uses them (Linux 6.6). */
STP_INLINE void bpf_find_function(u64 *ctx, struct stp_slot *s, u32 takes, u64 link)
{
	if (!(takes & STP_TAKES_FUNCTION))
		return;
	s->c.address = bpf_get_func_ip(ctx);
	s->user_address = s->c.address ? 0 : STP_NO_ADDRESS;
	s->bias = s->c.address ? s->c.address - link : STP_NO_BIAS;
}
/* link_: the link address of the probe point. */
#define STP_ON_UPROBE(is_return_, link_, number, handler, condition, late)	\
SEC(STP_UPROBE_SECTION) int stp_program_##number(u64 *ctx)			\
{										\
	struct stp_slot *s = stp_claim();					\
	u32 i;									\
										\
	if (!s)									\
		return 0;							\
	_Pragma("unroll")							\
	for (i = 0; i < STP_REGISTERS; i++)					\
		s->registers[i] = ctx[i];					\
	if (is_return_)								\
		s->c.saved_return = bpf_user_result(ctx);			\
	s->mode = STP_MODE_REGISTERS | bpf_mode(ctx[STP_WORD_CS]);		\
	s->c.address = ctx[STP_REGISTER_PC];					\
	s->bias = s->c.address - (link_);					\
	if (is_return_)								\
		bpf_find_function(ctx, s, handler##_takes, link_);		\
	s->stack_frames = 0;   /* the hit has no kernel stack */			\
	if (is_return_)								\
		bpf_take_returned_stack(ctx, s, handler##_takes);		\
	else									\
		bpf_take_user_stack(ctx, s, handler##_takes);			\
	s->probe = number;							\
	if (condition() && ((late) || handler##_lock(&s->c))) {			\
		handler(&s->c);							\
		handler##_unlock(&s->c);					\
	}									\
	stp_end(s);								\
	return 0;								\
}

/*
 * A handler of kernel code is not preempted, if the kernel supports that: otherwise a hit that waits for a lock
 * whose holder does not run would be skipped. The client sets the constant to 0 if the kernel does not load
 * programs that use it.
 */
extern void bpf_preempt_disable(void) __weak __ksym;
extern void bpf_preempt_enable(void) __weak __ksym;
const volatile u32 stp_preempt_off SEC(".rodata.options") = 0;
#define STP_RUN_UNPREEMPTED(s, handler, condition, late) do {			\
	if (stp_preempt_off)							\
		bpf_preempt_disable();						\
	if (condition() && ((late) || handler##_lock(&(s)->c))) {		\
		handler(&(s)->c);						\
		handler##_unlock(&(s)->c);					\
	}									\
	if (stp_preempt_off)							\
		bpf_preempt_enable();						\
	stp_end(s);								\
} while (0)

/* One program for each probe; handlers are shared. ctx: the arguments that the kernel passes, from which those
 * that the handler reads are copied. */
#define STP_ON_ARGUMENTS(section, arguments_, number, handler, condition, late)	\
SEC(section) int stp_program_##number(u64 *ctx)				\
{										\
	struct stp_slot *s = stp_claim();					\
	u32 i;									\
										\
	if (!s)									\
		return 0;							\
	_Pragma("unroll")							\
	for (i = 0; i < (arguments_); i++)					\
		s->c.arguments[i] = ctx[i];					\
	s->c.address = s->user_address = 0;					\
	s->probe = number;							\
	STP_TAKE_STACKS(ctx, s, handler##_takes, STP_FROM_PROGRAM);		\
	STP_RUN_UNPREEMPTED(s, handler, condition, late);			\
	return 0;								\
}
#define STP_ON_TRACEPOINT(...) STP_ON_ARGUMENTS("raw_tp", __VA_ARGS__)
/* The result 0 leaves the decision to the other security modules. */
#define STP_ON_LSM(hook, ...) STP_ON_ARGUMENTS("lsm/" hook, __VA_ARGS__)

#include "bpf_hits.h"
#ifdef STP_USES_CALL_NAMES
#include "bpf_call_names.h"
#endif
#ifdef STP_USES_CALL_TEXTS
#include "bpf_call_text.h"
#endif
#ifdef STP_USES_CALLS
#include "bpf_calls.h"
#endif
#ifdef STP_USES_KERNEL_MEMORY
#include "bpf_kernel_memory.h"
#endif

#endif
