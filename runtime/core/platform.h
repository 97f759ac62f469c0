/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a platform (runtime/kernel, runtime/user, the unit tests) gives the core.
 *
 * Next to the functions below a platform defines, as generated.h declares them: stp_load*,
 * stp_uload*, stp_load_string, stp_uload_string; stp_pid ... stp_egid, stp_cpu, stp_execname,
 * stp_current_task, stp_gettimeofday_ns, stp_ktime_ns, stp_probefunc, stp_probemod; and the
 * stp_*_family of its probes. All else that generated.h declares is the core's; that includes
 * begin, end and error probes, stp_target, stp_timezone_s, stp_exit, stp_warn, stp_system, stp_random.
 *
 * A file that has kernel headers too includes them first and defines STP_TYPES_GIVEN before it
 * includes this one: s8..u64, bool and NULL are then the kernel's.
 */
#ifndef CORE_PLATFORM_H
#define CORE_PLATFORM_H

#include "../include/generated.h"
#include "debug.h"

struct stp_ctx_private;

/* The compiler's own memory functions: libc's or the kernel's, whichever is linked. */
#define plat_memcpy(to, from, n) __builtin_memcpy((to), (from), (n))
#define plat_memmove(to, from, n) __builtin_memmove((to), (from), (n))
#define plat_memset(to, c, n) __builtin_memset((to), (c), (n))
#define plat_memcmp(a, b, n) __builtin_memcmp((a), (b), (n))

/* ------------------------------------------------------------------ memory: may sleep, start and stop only */

/* Zeroed, aligned to 64 bytes. cpu: near that CPU; -1 anywhere. NULL: none left. */
void *plat_alloc(u64 size, s32 cpu);
void plat_free(void *p);                       /* NULL is allowed */
u64 plat_memory_available(void);               /* bytes that can be had without harm to others; 0: unknown */

/* ------------------------------------------------------------------ CPUs */

u32 plat_cpus(void);                           /* highest CPU number + 1 */
bool plat_cpu_used(u32 cpu);                   /* gets a context: online when the session is made */
/*
 * From now on c is the context of the hits on this CPU. Called for every CPU number: with the
 * session's contexts, with &stp_ctx_none (never enters) for CPUs that are not used, and again with
 * &stp_ctx_none for all before the contexts are freed. May sleep.
 */
void plat_ctx_set(u32 cpu, struct stp_ctx *c);
/* Any context: that of the hits on this CPU, where one may be under way; NULL: none can be. */
struct stp_ctx *plat_ctx_here(void);
/* Any context: the lowest stack pointer with which a script function may go on here: below it are
 * the bytes that the runtime's functions need. */
u64 plat_stack_low(void);
void plat_pause(u32 us);                       /* any context: busy-wait; 0: cpu_relax */
u64 plat_cycles(void);                         /* any context: a counter for overload; 0: none */
u64 plat_random(void);                         /* may sleep */
u64 plat_cycles_khz(void);                     /* how fast it counts; 0: not known */
/* Around what the begin/end/error context prints at its end: other records wait for it, so that it does not wait. */
void plat_preempt_off(void);
void plat_preempt_on(void);
/* The begin/end/error context has worked for long: others may run. May sleep. */
void plat_breathe(void);
/* The begin/end/error context is about to run handlers, or done. May sleep. A platform that needs
 * preemption off (its functions look at the current CPU or task) does that here. */
void plat_alone_enter(void);
void plat_alone_leave(void);
/* All contexts but that of begin, end and error are closed: until no handler runs that was entered before. */
void plat_handlers_wait(void);

/* ------------------------------------------------------------------ output */

/* The longest record, and what one print call may ask for. */
#define PLAT_RECORD_MAX 8192

/*
 * Makes room for at least `want` (1 .. PLAT_RECORD_MAX) bytes at v->out. Context: the handler's.
 *   no record open (v->out_start is NULL): opens one;
 *   one is open: gives it more room (it may be moved), or commits what it has and opens another.
 * Sets out_start (the record's first byte), out (where the next byte goes), out_end. When there is
 * no room: commits or drops what was open, counts the lost record, sets all three to NULL and
 * returns false; the core then drops what the handler prints until it ends.
 */
bool plat_record_room(struct stp_ctx_private *v, u32 want);
/* Ends the record: bytes out_start .. out. The core sets the three to NULL afterwards. */
void plat_record_commit(struct stp_ctx_private *v);

/* ------------------------------------------------------------------ messages */

/* STP_MSG_ERROR, _WARNING, _SYSTEM with a terminated text without newline, or STP_MSG_EXIT with
 * NULL (may come more than once). Any context; must not sleep; may drop (and count) when full. */
void plat_message(u32 type, const char *text);

#endif
