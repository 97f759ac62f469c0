/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Included before embedded C that is not marked pragma:runtime: the headers that scripts rely on without including
 * them, the runtime, and the STAP_ macros that are the same for all functions. The translator defines STP_STRLEN
 * before it, and the other macros (STAP_ARG_x, STAP_RETVALUE, STAP_RETURN) around each function; in those, stp_c is
 * the context and stp_out the label at the end.
 */
#ifndef STP_EMBEDDED_H
#define STP_EMBEDDED_H

#ifdef __KERNEL__
#include <linux/module.h>
#include <linux/kernel.h>
#include <linux/version.h>
#include <linux/string.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/cpumask.h>
#include <linux/cred.h>
#include <linux/fs.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <asm/ptrace.h>
#define STP_TYPES_GIVEN
typedef long intptr_t;
#else
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>
#define STP_TYPES_GIVEN
typedef int8_t s8;
typedef int16_t s16;
typedef int32_t s32;
typedef long long s64;
typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef unsigned long long u64;
#define num_online_cpus() ((unsigned int)sysconf(_SC_NPROCESSORS_ONLN))
#endif

#include "generated.h"

#define MAXSTRINGLEN STP_STRLEN
#define STAP_VERSION(major, minor) (((major) << 8) + (minor))
#define STP_VERSION_OF(numbers) STAP_VERSION(numbers)
#define STAP_COMPAT_VERSION STP_VERSION_OF(STP_COMPATIBLE)

/* STAPCONF_ macros that scripts test, with their value for all supported kernels. */
#define STAPCONF_DPATH_PATH 1
#define STAPCONF_LINUX_UIDGID_H 1

/* File-scope C has no stp_c: there, STP_C is the context of the handler that calls it. */
static struct stp_ctx *const stp_c __attribute__((unused)) = NULL;
#define STP_C (stp_c ? stp_c : stp_ctx_here())

/* Converts the result of a function or an expression to a number. A pointer is a compile error at its line of the
 * script. */
static inline s64 stp_long(s64 value)
{
	return value;
}

/* Formats the string result of a function; counts a truncated string if it does not fit. Context: any. */
#define STP_RESULT_PRINTF(...) do {						\
	if (snprintf(STAP_RETVALUE, STP_STRLEN, __VA_ARGS__) >= STP_STRLEN)	\
		stp_string_cut();						\
} while (0)
#define STP_RESULT_COPY(from) do {						\
	if (strscpy(STAP_RETVALUE, from, STP_STRLEN) < 0)			\
		stp_string_cut();						\
} while (0)

#ifdef __KERNEL__
/* Removes the first number from a list of addresses in hexadecimal; returns false at the end of the list, or when
 * the budget is used up. Any context. */
static inline bool stp_next_address(struct stp_ctx *c, const char **list, u64 *address)
{
	const char *from = *list;

	*list = skip_spaces(from);
	*address = simple_strtoull(*list, NULL, 16);
	if (!**list)
		return false;
	*list += strcspn(*list, " ");
	return stp_charge_text(c, 3 * (*list - from));
}
#endif

#define STAP_ERROR(...) do { stp_error(stp_c, __VA_ARGS__); goto stp_out; } while (0)
#define STAP_PRINTF(...) stp_cprintf(STP_C, __VA_ARGS__)
#define STAP_NEXT do { stp_c->next = true; goto stp_out; } while (0)
#define _stp_printf(...) stp_cprintf(STP_C, __VA_ARGS__)
#define _stp_print(text) stp_cprintf(STP_C, "%s", text)
#define _stp_print_char(character) _stp_print(((const char[]){ (char)(character), 0 }))
#define _stp_print_flush() do { } while (0)
/* Unlike STAP_ERROR(), these return: the handler ends only after the function. */
#define _stp_error(...) stp_error(STP_C, __VA_ARGS__)
#define _stp_softerror(...) stp_error(STP_C, __VA_ARGS__)
#define _stp_exit() stp_exit(STP_C)
#define _stp_target ((int)stp_target(STP_C))
#define _stp_gettimeofday_ns() stp_gettimeofday_ns()
#define _stp_dbug(function, line, ...) do {					\
	stp_cprintf(STP_C, "%s:%d: ", function, (int)(line));			\
	stp_cprintf(STP_C, __VA_ARGS__);					\
} while (0)
#define _stp_snprintf snprintf
#define _stp_vsnprintf vsnprintf
#ifdef __KERNEL__
/* NULL if handlers must not allocate: with interrupts disabled, in kernels with PREEMPT_RT. */
#define stp_may_allocate() (!IS_ENABLED(CONFIG_PREEMPT_RT) || !irqs_disabled())
#define _stp_kmalloc(size) (stp_may_allocate() ? kmalloc(size, GFP_ATOMIC | __GFP_NOWARN) : NULL)
#define _stp_kzalloc(size) (stp_may_allocate() ? kzalloc(size, GFP_ATOMIC | __GFP_NOWARN) : NULL)
#define _stp_kfree(pointer) kfree(pointer)
#else
#define _stp_kmalloc(size) malloc(size)
#define _stp_kzalloc(size) calloc(1, size)
#define _stp_kfree(pointer) free(pointer)
#endif
#define _stp_warn(...) do {							\
	char stp_warning[160];							\
	snprintf(stp_warning, sizeof(stp_warning), __VA_ARGS__);		\
	stp_warn(STP_C, stp_warning);						\
} while (0)

/* The type of CONTEXT. Assigning last_error is the older form of STAP_ERROR. */
struct stp_embedded_context {
	const char *probe_point, *probe_name;
	struct pt_regs *kregs, *uregs;
	int user_mode_p;
	int locked;                /* whether the handler holds locks of globals */
	const char *last_error;
};

static inline struct stp_embedded_context stp_embedded_context(struct stp_ctx *c)
{
	struct stp_embedded_context view = {
		.probe_point = stp_pp(c), .probe_name = stp_pn(c), .kregs = (struct pt_regs *)c->regs,
		.locked = stp_locks_held(c),
	};

#ifdef __KERNEL__
	view.user_mode_p = view.kregs && user_mode(view.kregs);
	view.uregs = view.user_mode_p ? view.kregs : NULL;
#endif
	return view;
}

/* strlcpy(), which many scripts use, is exported by only some kernels and libraries. */
static inline size_t stp_strlcpy(char *to, const char *from, size_t size)
{
	size_t len = strlen(from), n = len < size ? len : size - 1;

	if (size) {
		memcpy(to, from, n);
		to[n] = '\0';
	}
	return len;
}
#undef strlcpy
#define strlcpy stp_strlcpy

#ifdef __KERNEL__
/*
 * Load from an address that may be invalid; u: of the current process, k: of the kernel. On a fault,
 * CATCH_DEREF_FAULT() is the label at which the function releases its resources; without it the function ends.
 */
#define STP_COPY(copy, to, from, n) ({						\
	if (copy((to), (void *)(unsigned long)(from), (n))) {			\
		stp_error(STP_C, "read fault [man error::fault] at 0x%llx", (u64)(unsigned long)(from)); \
		goto stp_fault;							\
	}									\
	(void)0;								\
})
#define STP_READ(copy, pointer) ({						\
	union { typeof(*(pointer)) value; char bytes[sizeof(*(pointer))]; } stp_read; /* without the const that the
										       * type may have */ \
	STP_COPY(copy, stp_read.bytes, (pointer), sizeof(stp_read));		\
	stp_read.value;								\
})
#define STP_OR_FAULT(done) ({							\
	typeof(done) stp_result = (done);					\
	if (STP_C->error)							\
		goto stp_fault;							\
	stp_result;								\
})
#define kread(pointer) STP_READ(copy_from_kernel_nofault, pointer)
#define uread(pointer) STP_READ(copy_from_user_nofault, pointer)

/* Unsigned loads of 1, 2, 4 or 8 bytes. */
#define STP_LOAD(load, size, address)						\
	STP_OR_FAULT((size) == 1 ? load##1(STP_C, (unsigned long)(address)) :	\
		     (size) == 2 ? load##2(STP_C, (unsigned long)(address)) :	\
		     (size) == 4 ? load##4(STP_C, (unsigned long)(address)) :	\
				   load##8(STP_C, (unsigned long)(address)))
#define STP_STORE(store, size, address, value) do {				\
	if ((size) == 1)							\
		store##1(STP_C, (unsigned long)(address), (s64)(value));	\
	else if ((size) == 2)							\
		store##2(STP_C, (unsigned long)(address), (s64)(value));	\
	else if ((size) == 4)							\
		store##4(STP_C, (unsigned long)(address), (s64)(value));	\
	else									\
		store##8(STP_C, (unsigned long)(address), (s64)(value));	\
	if (STP_C->error)							\
		goto stp_fault;							\
} while (0)
#define kderef(size, address) STP_LOAD(stp_load, size, address)
#define uderef(size, address) STP_LOAD(stp_uload, size, address)
#define deref(size, address) kderef(size, address)
#define store_kderef(size, address, value) STP_STORE(stp_store, size, address, value)
#define store_uderef(size, address, value) STP_STORE(stp_ustore, size, address, value)
#define store_deref(size, address, value) store_kderef(size, address, value)
#define kwrite(pointer, value) store_kderef(sizeof(*(pointer)), pointer, value)
#define uwrite(pointer, value) store_uderef(sizeof(*(pointer)), pointer, value)

/* kderef_string() copies up to a zero byte or size bytes; kderef_buffer() copies size bytes. */
#define kderef_string(to, address, size) STP_OR_FAULT(stp_load_string(STP_C, to, (unsigned long)(address), size))
#define uderef_string(to, address, size) STP_OR_FAULT(stp_uload_string(STP_C, to, (unsigned long)(address), size))
#define deref_string(to, address, size) kderef_string(to, address, size)
/* Copies bytes; if `to` is NULL, only checks that they can be read. */
static inline long stp_bytes(long (*copy)(void *, const void *, size_t), void *to, const void *from, size_t size)
{
	char unused[64];

	for (; !to && size > sizeof(unused); from += sizeof(unused), size -= sizeof(unused))
		if (copy(unused, from, sizeof(unused)))
			return -EFAULT;
	return copy(to ? to : unused, from, size);
}
static inline long stp_user_bytes(void *to, const void *from, size_t size)
{
	return copy_from_user_nofault(to, (const void __user *)from, size);
}
#define stp_kernel_copy(to, from, size) stp_bytes(copy_from_kernel_nofault, to, from, size)
#define stp_user_copy(to, from, size) stp_bytes(stp_user_bytes, to, from, size)
#define kderef_buffer(to, address, size) STP_COPY(stp_kernel_copy, to, address, size)
#define uderef_buffer(to, address, size) STP_COPY(stp_user_copy, to, address, size)
#define deref_buffer(to, address, size) kderef_buffer(to, address, size)

#define CATCH_DEREF_FAULT() stp_fault: __attribute__((unused))
#endif

#endif
