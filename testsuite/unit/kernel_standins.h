/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kernel functions that ring.c and other files of runtime/kernel use, for compiling these in a process with one
 * thread, so that ordering and locks have no effect. Replaces kernel.h; include it after core_platform.h.
 */
#define KERNEL_KERNEL_H
#define PAGE_SIZE 4096ul
#define HZ 10
#define ____cacheline_aligned __attribute__((aligned(64)))
#define noinline __attribute__((noinline))
#define likely(x) (x)
#define unlikely(x) (x)
#define READ_ONCE(x) (x)
#define WRITE_ONCE(x, v) ((x) = (v))
#define smp_load_acquire(p) (*(p))
#define smp_store_release(p, v) (*(p) = (v))
#define min(a, b) ((a) < (b) ? (a) : (b))
#define max(a, b) ((a) > (b) ? (a) : (b))
#define min3(a, b, c) min(min(a, b), c)
#define max_t(t, a, b) max((t)(a), (t)(b))
#define clamp(v, low, high) min(max(v, low), high)
#define ALIGN(n, to) (((n) + (to) - 1) / (to) * (to))
#define time_after(a, b) ((long)((b) - (a)) < 0)
#define fatal_signal_pending(task) false
#define module_param_named(name, value, type, perm) extern int unused_##name
#define atomic64_read(a) ((a)->n)
#define atomic64_inc_return(a) (++(a)->n)
typedef struct { u64 n; } atomic64_t;
struct vm_area_struct { unsigned long vm_pgoff, vm_start, vm_end; };
