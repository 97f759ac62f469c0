/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions that a platform (runtime/kernel, runtime/user, the unit tests) provides to the core.
 *
 * Besides the functions below a platform defines, as declared in generated.h: stp_load*, stp_uload*,
 * stp_load_string, stp_uload_string; stp_pid ... stp_egid, stp_cpu, stp_execname, stp_current_task,
 * stp_gettimeofday_ns, stp_ktime_ns, stp_probefunc, stp_probemod; and the stp_*_family of its probes. The core
 * defines the rest of generated.h, including begin, end and error probes, stp_target, stp_timezone_s, stp_exit,
 * stp_warn, stp_system, stp_random.
 *
 * A file that also includes kernel headers includes them first and defines STP_TYPES_GIVEN before it includes this
 * one: s8..u64, bool and NULL are then those of the kernel.
 */
#ifndef CORE_PLATFORM_H
#define CORE_PLATFORM_H

#include "../include/generated.h"
#include "debug.h"

struct stp_ctx_private;

/* The compiler's built-in memory functions, which call libc's or the kernel's. */
#define plat_memcpy(to, from, n) __builtin_memcpy((to), (from), (n))
#define plat_memmove(to, from, n) __builtin_memmove((to), (from), (n))
#define plat_memset(to, c, n) __builtin_memset((to), (c), (n))
#define plat_memcmp(a, b, n) __builtin_memcmp((a), (b), (n))

/* ------------------------------------------------------------------ memory: may sleep, start and stop only */

/* Returns zeroed memory aligned to 64 bytes, on the node of this CPU (-1: on any); NULL: out of memory. */
void *plat_alloc(u64 size, s32 cpu);
void plat_free(void *p);                       /* NULL is allowed */
/* bytes that can be allocated without reclaiming memory of others; 0: unknown */
u64 plat_memory_available(void);

/* ------------------------------------------------------------------ CPUs */

u32 plat_cpus(void);                           /* returns the highest CPU number + 1 */
/* returns true if the CPU gets a context: it is online when the session is made */
bool plat_cpu_used(u32 cpu);
/*
 * Makes c the context of hits on this CPU. Called for every CPU number: with the session's contexts, with
 * &stp_ctx_none (which is always closed) for CPUs that are not used, and again with &stp_ctx_none for all before
 * the contexts are freed. May sleep.
 */
void plat_ctx_set(u32 cpu, struct stp_ctx *c);
/* Any context: returns the context of hits on this CPU if one may be in progress, else NULL. */
struct stp_ctx *plat_ctx_here(void);
/* Any context: returns the lowest stack pointer with which a script function may continue. The stack below it is
 * reserved for functions of the runtime. */
u64 plat_stack_low(void);
void plat_pause(u32 us);                       /* any context: busy-waits; 0: cpu_relax */
u64 plat_cycles(void);                         /* any context: a counter for the overload check; 0: not available */
u64 plat_random(void);                         /* may sleep */
u64 plat_cycles_khz(void);                     /* returns the frequency of that counter; 0: unknown */
/* Surround the output of the begin/end/error context at its end, so that it is not preempted while other records
 * wait for it. */
void plat_preempt_off(void);
void plat_preempt_on(void);
/* Called when the begin/end/error context has run for a long time: lets other tasks run. May sleep. */
void plat_yield(void);
/* Returns true if the process that runs the begin/end/error context was killed or exits: no process waits for
 * its handlers, and it cannot be killed again. */
bool plat_killed(void);
/* Called before and after handlers run in the begin/end/error context. May sleep. A platform whose functions
 * require disabled preemption (since they use the current CPU or task) disables it here. */
void plat_exclusive_enter(void);
void plat_exclusive_leave(void);
/* Called when all contexts except that of begin, end and error are closed: waits until all handlers that were
 * entered before have ended. */
void plat_handlers_wait(void);
/* Returns true if other processes with the IDs of the current process may read its memory (ptrace()). */
bool plat_process_is_readable(void);

/* ------------------------------------------------------------------ output */

/* The longest record, and the largest size that one print call requests. */
#define PLAT_RECORD_MAX 8192

/*
 * Makes space for at least `want` (1 .. PLAT_RECORD_MAX) bytes at v->out. Context: the handler's.
 * If no record is open (v->out_start is NULL), it opens one; otherwise it extends the record, which may move, or
 * commits it and opens another. Sets out_start (the record's first byte), out (the next byte to write), out_end. If
 * there is not enough space, it commits or drops the open record, counts the lost one, sets all three to NULL and
 * returns false; the core then drops the rest of the handler's output.
 */
bool plat_record_space(struct stp_ctx_private *v, u32 want);
/* Commits the record: bytes out_start .. out. The core sets the three to NULL afterwards. */
void plat_record_commit(struct stp_ctx_private *v);

/* Returns the name and the address of the next frame of a stack value (stack_values.h). The name is in a buffer of the
 * context; *at, which starts at 0, is the position in the value. NULL: the end of the value, or the budget is used up.
 * Context: the handler's. */
const char *plat_stack_line(struct stp_ctx *c, const char *stack, u32 *at, u64 *address);
/* Returns only the address of the next frame; false at the end of the value. Context: any. */
bool plat_stack_address(const char *stack, u32 *at, u64 *address);

/* ------------------------------------------------------------------ messages */

/* Sends STP_MSG_ERROR, _WARNING or _SYSTEM with a terminated text without newline, or STP_MSG_EXIT with NULL
 * (perhaps more than once). Any context; must not sleep; may drop the message, and counts it, when the queue is
 * full. */
void plat_message(u32 type, const char *text);

#endif
