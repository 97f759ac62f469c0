/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stap -DSTP_DEBUG builds a runtime that checks its invariants. A violation is reported by plat_broken(), which
 * fails a test; nothing is repaired. In other builds the checks generate no code.
 */
#ifndef CORE_DEBUG_H
#define CORE_DEBUG_H

struct stp_ctx_private;
struct stp_lock_use;
struct stp_map;

#ifdef STP_DEBUG
/* Defined by the platform, for any context: warns (WARN) in a module, and ends a process. */
void plat_broken(const char *what, const char *file, int line);
/* Defined by the platform: true if the context, which is in use, belongs to this CPU and interrupts are off. */
bool plat_owns(const struct stp_ctx_private *v);

#define STP_CHECK_THAT(x) \
	do { if (STP_UNLIKELY(!(x))) plat_broken(#x, __FILE__, __LINE__); } while (0)

/* debug.c: check a context between two handlers and while one runs, locks when they are taken and released, the
 * order of all locks, and a whole array. */
void stp_debug_idle(const struct stp_ctx_private *v);
void stp_debug_record(const struct stp_ctx_private *v);
void stp_debug_locked(const struct stp_lock_use *use, u32 cpu);
void stp_debug_unlocked(const struct stp_lock_use *use, u32 cpu);
void stp_debug_lock_order(void);
void stp_debug_map(const struct stp_map *m);
/* Counts writes of the runtime to memory that other CPUs write to, for bench/contention: stap -t prints the sum. */
extern u64 stp_debug_shared_writes;
#define stp_debug_shared(n) __atomic_fetch_add(&stp_debug_shared_writes, n, __ATOMIC_RELAXED)
#else
#define STP_CHECK_THAT(x) do { } while (0)
#define stp_debug_idle(v) do { } while (0)
#define stp_debug_record(v) do { } while (0)
#define stp_debug_locked(use, cpu) do { } while (0)
#define stp_debug_unlocked(use, cpu) do { } while (0)
#define stp_debug_lock_order() do { } while (0)
#define stp_debug_map(m) do { } while (0)
#define stp_debug_shared(n) do { } while (0)
#endif

#endif
