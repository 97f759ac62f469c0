// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Loads and stores that may fault, of kernel memory and of the current process's memory. The exception table
 * handles a fault; no function sleeps or faults pages in. Context: any but NMI.
 */
#include "kernel.h"
#include <linux/sched/mm.h>
#include <linux/uaccess.h>

/* The range of addresses for can_load(), on kernels without COMPAT_LOADS_BELOW. */
static unsigned long kernel_low __ro_after_init, kernel_span __ro_after_init;

void __init stp_deref_init(void)
{
	kernel_low = compat_kernel_low();
	kernel_span = compat_kernel_high() - STP_FOLLOW_OFFSET - kernel_low;
}

/* Returns true if compat_load8() may be called with the address, and with those up to STP_FOLLOW_OFFSET above it. False
 * for some addresses of the kernel, too, which load_slowly() loads. */
static __always_inline bool can_load(u64 address)
{
#ifdef COMPAT_LOADS_BELOW
	return likely((s64)address < (s64)COMPAT_LOADS_BELOW - STP_FOLLOW_OFFSET);
#else
	return likely(address - kernel_low < kernel_span);
#endif
}

static __always_inline bool kernel_address(u64 address, u32 size)
{
	return likely(address >= kernel_low) && likely(address <= 0 - (u64)size) &&
	       likely(!compat_kernel_hole(address));
}

/* ------------------------------------------------------------------ kernel memory */

static noinline u64 kernel_fault(struct stp_ctx *c, u64 address)
{
	c->work -= STP_WORK_FAULT;             /* as in stp_error() */
	stp_error(c, "read fault [man error::fault] at 0x%llx", address);
	return 0;
}

/* Loads what can_load() excludes, and what compat_load8() did not load. */
static noinline u64 load_slowly(struct stp_ctx *c, u64 address, u32 size)
{
	u64 v = 0;
	u32 i;

	if (!kernel_address(address, size))
		return kernel_fault(c, address);
	compat_load_begin();
	if (size == sizeof(v))
		__get_kernel_nofault(&v, (const void *)(unsigned long)address, u64, fault);
	else
		for (i = 0; i < size; i++)
			__get_kernel_nofault((u8 *)&v + i, (const void *)(unsigned long)(address + i), u8, fault);
	compat_load_end();
	return v;
fault:
	compat_load_end();
	return kernel_fault(c, address);
}

#define KERNEL_LOAD(bytes)							\
u64 stp_load##bytes(struct stp_ctx *c, u64 address)				\
{										\
	u64 v = COMPAT_FAULTED;							\
										\
	if (can_load(address)) {						\
		compat_load_begin();						\
		v = compat_load##bytes(address);				\
		compat_load_end();						\
	}									\
	return likely(v != COMPAT_FAULTED) ? v : load_slowly(c, address, bytes); \
}
KERNEL_LOAD(1)
KERNEL_LOAD(2)
KERNEL_LOAD(4)
KERNEL_LOAD(8)

/* ------------------------------------------------------------------ chains of pointers */

/* Follows all pointers again if one could not be followed. Offsets end with NO_OFFSET. */
#define NO_OFFSET (~0ull)
static noinline u64 follow_slowly(struct stp_ctx *c, u64 p, u64 o1, u64 o2, u64 o3, u64 o4)
{
	const u64 offsets[] = { o1, o2, o3, o4 };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(offsets) && offsets[i] != NO_OFFSET; i++) {
		p = load_slowly(c, p + offsets[i], 8);
		if (c->error)
			return i;
	}
	return p;
}

/* COMPAT_FAULTED is not an address of the kernel, so only the last value is compared with it. */
static __always_inline u64 follow(u64 p, u64 offset)
{
	u64 v = COMPAT_FAULTED;

	if (can_load(p)) {
		compat_load_begin();
		v = compat_load8(p + offset);
		compat_load_end();
	}
	return v;
}

u64 stp_follow2(struct stp_ctx *c, u64 p, u64 o1, u64 o2)
{
	u64 v = follow(follow(p, o1), o2);

	return likely(v != COMPAT_FAULTED) ? v : follow_slowly(c, p, o1, o2, NO_OFFSET, NO_OFFSET);
}

u64 stp_follow3(struct stp_ctx *c, u64 p, u64 o1, u64 o2, u64 o3)
{
	u64 v = follow(follow(follow(p, o1), o2), o3);

	return likely(v != COMPAT_FAULTED) ? v : follow_slowly(c, p, o1, o2, o3, NO_OFFSET);
}

u64 stp_follow4(struct stp_ctx *c, u64 p, u64 o1, u64 o2, u64 o3, u64 o4)
{
	u64 v = follow(follow(follow(follow(p, o1), o2), o3), o4);

	return likely(v != COMPAT_FAULTED) ? v : follow_slowly(c, p, o1, o2, o3, o4);
}

static noinline void kernel_store_fault(struct stp_ctx *c, u64 address)
{
	c->work -= STP_WORK_FAULT;
	stp_error(c, "kernel write fault [man error::fault] at 0x%llx", address);
}

#define KERNEL_STORE(bits, bytes)						\
void stp_store##bytes(struct stp_ctx *c, u64 address, s64 v)			\
{										\
	u##bits n = (u##bits)v;							\
										\
	if (!kernel_address(address, bytes))					\
		goto refused;							\
	compat_load_begin();							\
	__put_kernel_nofault((void *)(unsigned long)address, &n, u##bits, fault); \
	compat_load_end();							\
	return;									\
fault:										\
	compat_load_end();							\
refused:									\
	kernel_store_fault(c, address);						\
}
KERNEL_STORE(8, 1)
KERNEL_STORE(16, 2)
KERNEL_STORE(32, 4)
KERNEL_STORE(64, 8)

/* ------------------------------------------------------------------ variables by name */

u64 stp_static_unknown(struct stp_ctx *c, const struct stp_site *s)
{
	if (s->module)
		stp_error(c, "cannot determine the address of %s: the module %s was not loaded when the script started",
			  s->symbol, s->module);
	else
		stp_error(c, "cannot determine the address of %s: the symbol was not found", s->symbol);
	return 0;
}

u64 stp_percpu_offset(struct stp_ctx *c)
{
	return per_cpu_offset(raw_smp_processor_id());
}

/* Returns the current value of the register, with which the process will continue: the kernel does not change it. */
u64 stp_thread_pointer(struct stp_ctx *c)
{
	return compat_thread_pointer();
}

/* ------------------------------------------------------------------ user memory */

static noinline u64 user_fault(struct stp_ctx *c, u64 address)
{
	c->work -= STP_WORK_FAULT;
	stp_error(c, "user read fault [man error::fault] at 0x%llx", address);
	return 0;
}

/* A kernel thread has no user memory; the mappings that are active while it runs belong to another process. */
static __always_inline bool user_address(u64 address, u32 size)
{
	return likely(current->mm) &&
	       likely(compat_user_range(address, size));
}

#define USER_LOAD(bits, bytes)							\
u64 stp_uload##bytes(struct stp_ctx *c, u64 address)				\
{										\
	const u##bits __user *from = (const void __user *)(unsigned long)address; \
	u##bits v;								\
										\
	if (!user_address(address, bytes))					\
		return user_fault(c, address);					\
	pagefault_disable();							\
	if (!user_read_access_begin(from, bytes))				\
		goto denied;							\
	unsafe_get_user(v, from, fault);					\
	user_read_access_end();							\
	pagefault_enable();							\
	return v;								\
fault:										\
	user_read_access_end();							\
denied:										\
	pagefault_enable();							\
	return user_fault(c, address);						\
}
USER_LOAD(8, 1)
USER_LOAD(16, 2)
USER_LOAD(32, 4)
USER_LOAD(64, 8)

#define USER_STORE(bits, bytes)							\
void stp_ustore##bytes(struct stp_ctx *c, u64 address, s64 v)			\
{										\
	u##bits __user *to = (void __user *)(unsigned long)address;		\
										\
	if (!user_address(address, bytes))					\
		goto refused;							\
	pagefault_disable();							\
	if (!user_write_access_begin(to, bytes))				\
		goto denied;							\
	unsafe_put_user((u##bits)v, to, fault);					\
	user_write_access_end();						\
	pagefault_enable();							\
	return;									\
fault:										\
	user_write_access_end();						\
denied:										\
	pagefault_enable();							\
refused:									\
	c->work -= STP_WORK_FAULT;						\
	stp_error(c, "user write fault [man error::fault] at 0x%llx", address);	\
}
USER_STORE(8, 1)
USER_STORE(16, 2)
USER_STORE(32, 4)
USER_STORE(64, 8)

/* ------------------------------------------------------------------ strings */
/*
 * Copies bytes up to an 8-byte boundary, then words (an aligned word never extends into a page beyond the string),
 * then the remaining bytes. The loops differ only in how they load.
 */

static __always_inline bool has_zero(u64 word)
{
	return (word - 0x0101010101010101ull) & ~word & 0x8080808080808080ull;
}

/* The string filled its buffer and is longer. It is counted only if the buffer has the size of a string variable. */
static __always_inline void note_cut(bool cut, u32 size)
{
	if (unlikely(cut) && size == stp_module.limits.string_len)
		stp_cut(STP_LOSS_STRINGS, "a string was cut at MAXSTRINGLEN");
}

bool stp_load_string(struct stp_ctx *c, char *to, u64 address, u32 size)
{
	bool cut = false;
	u32 i = 0;
	u64 word;
	char next;

	to[0] = '\0';
	compat_load_begin();
	while (i < size - 1) {
		u64 from = address + i;

		if (!kernel_address(from, 1))
			goto fault;
		if (!(from & 7) && size - 1 - i >= 8) {
			__get_kernel_nofault(&word, (const void *)(unsigned long)from, u64, fault);
			memcpy(to + i, &word, 8);
			if (!has_zero(word)) {
				i += 8;
				continue;
			}
			goto done;
		}
		__get_kernel_nofault(&to[i], (const void *)(unsigned long)from, char, fault);
		if (!to[i])
			goto done;
		i++;
	}
	to[i] = '\0';
	cut = true;
	if (kernel_address(address + i, 1)) {
		__get_kernel_nofault(&next, (const void *)(unsigned long)(address + i), char, done);
		cut = next;
	}
done:
	compat_load_end();
	note_cut(cut, size);
	return true;
fault:
	compat_load_end();
	to[0] = '\0';
	kernel_fault(c, address + i);
	return false;
}

bool stp_uload_string(struct stp_ctx *c, char *to, u64 address, u32 size)
{
	const char __user *from = (const char __user *)(unsigned long)address;
	bool cut = false;
	u32 i = 0;
	u64 word;
	char next;

	to[0] = '\0';
	if (!user_address(address, 1))
		goto denied;
	pagefault_disable();
	/* memory beyond the end of user space faults like any unmapped memory */
	if (!user_read_access_begin(from, 1))
		goto refused;
	while (i < size - 1) {
		if (!((address + i) & 7) && size - 1 - i >= 8) {
			unsafe_get_user(word, (const u64 __user *)(from + i), fault);
			*(u64 *)(to + i) = word;
			if (!has_zero(word)) {
				i += 8;
				continue;
			}
			goto done;
		}
		unsafe_get_user(to[i], from + i, fault);
		if (!to[i])
			goto done;
		i++;
	}
	to[i] = '\0';
	cut = true;
	unsafe_get_user(next, from + i, done);
	cut = next;
done:
	user_read_access_end();
	pagefault_enable();
	note_cut(cut, size);
	return true;
fault:
	user_read_access_end();
refused:
	pagefault_enable();
denied:
	to[0] = '\0';
	user_fault(c, address + i);
	return false;
}
