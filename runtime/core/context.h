/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Entry and exit of a handler. A platform delivers a hit like this, with preemption off:
 *
 *	c = this CPU's context;                  (the one of plat_ctx_set())
 *	if (!stp_ctx_enter(c))                   (in use, or the session is not running: counted)
 *		return;
 *	c->regs = ...; c->address = ...;         (as its family defines)
 *	stp_handler_run(c, probe);               (any number of probes, one after the other)
 *	stp_ctx_leave(c);
 *
 * These invariants hold between two handlers, so that entering needs no initialisation: c->error, c->error_location and
 * v->out_start are NULL, v->ncallers is 0, c->fatal and v->out_lost false, c->frame and c->nesting at their initial
 * values. Code that violates one (an error, a print) sets `v->dirty` or c->error, and stp_handler_finish() restores
 * it.
 */
#ifndef CORE_CONTEXT_H
#define CORE_CONTEXT_H

#include "platform.h"
#include "../include/messages.h"

#define STP_ERROR_SIZE 512                     /* size of the text of a soft error */
#define STP_CALLERS 4                          /* number of callers of the function with the error that its
					        * message names */
/*
 * Hits that are timed for the overload check: all that have a budget, and each 127th of the others. The number is
 * prime, so that probes that are hit in turn are sampled equally. The time of unsampled hits is small: each of them
 * executes less than 20,000 instructions (emit_work.c), and an interval with fewer than 8 samples had fewer than
 * 1,016 of them, less than a hundredth of a second.
 */
#define STP_SAMPLE 127

/* States whether a handler's results are complete. */
enum stp_outcome { STP_COMPLETE, STP_SKIPPED, STP_FAILED };

struct stp_ctx_private {
	struct stp_ctx c;                      /* first member, so that pointers to both can be converted */
	union {
		struct {
			u8 busy;               /* a handler runs: written by this CPU only */
			u8 closed;             /* no new handlers may start: written by any CPU */
		};
		u16 gate;                      /* both of the above, to be tested at once */
	};
	bool dirty;                            /* a record is open or was lost */
	bool locked;                           /* the handler holds its late locks */
	u8 adding;                             /* the handler holds locks in STP_ADDING: read by other CPUs */
	bool out_lost;                         /* the rest of this handler's output is dropped */
	/* worst outcome since the platform reset it; only for handlers for whose result a process waits */
	u8 outcome;
	u32 cpu;                               /* index of this CPU's tables in percpu maps */
	/* number of handlers and of @entry() evaluations until the next one is timed; below 0: this one is */
	s32 sample_in, sample_entry_in;
	s32 adds_in;                           /* hits of probes with adds_only whose time is not charged yet */
	s32 nesting_max;
	s64 actions_max;
	/* units that a hit may use; units left, not counting those in c->work */
	u64 work_max, work_left;
	u64 looked_at, time_used;              /* in cycles: time of the last check, time that the hit has used */
	char *out_start, *out, *out_end;       /* the open record; see plat_record_space() */
	u32 text;                              /* in records: offset of the open text from out_start */
	u64 event_ns;                          /* time of day and CPU of the open record's event; 0: now, on this CPU */
	u32 event_cpu;
	char *frame_base;
	char execname[16];                     /* buffer of stp_execname(), if it requires a copy */
	char hostname[65];                     /* result of stp_hostname() */
	u64 random;                            /* state of stp_random(), not 0 */
	/* overload check, current interval: cycles at its start, cycles of hits that are always timed */
	u64 cycles_from, cycles_used;
	u64 cycles_sampled, cycles_max;        /* cycles of sampled hits, of the longest sampled hit */
	u32 samples;
	u32 errors;                            /* number of soft errors reported */
	struct stp_timing *timing;             /* stap -t: array of nprobes; else NULL */
	void *plat;                            /* private to the platform: its ring */
	unsigned long irq_flags;               /* private to the platform: interrupt flag before the hit */
	u32 ncallers;
	const char *callers[STP_CALLERS];      /* callers of the function with the error, innermost first */
	char error_text[STP_ERROR_SIZE];
	/* Buffers that would be large on a kernel stack: the name of an address, the addresses of a call stack. */
	char name_text[STP_NAME_TEXT];
	u64 addresses[STP_ADDRESSES];
	union stp_val adders[STP_ADDERS];      /* result of stp_adders_read() */
};

/* Returns 1 + the index of a probe of the script, 0 for others. */
static inline u32 stp_probe_number(const struct stp_probe *p)
{
	u64 number = (u64)(p - stp_module.probes);

	return number < stp_module.nprobes ? (u32)number + 1 : 0;
}

extern struct stp_ctx_private stp_ctx_none_;   /* a context that is always closed */
#define stp_ctx_none (stp_ctx_none_.c)

static inline struct stp_ctx_private *stp_private(struct stp_ctx *c)
{
	return (struct stp_ctx_private *)c;
}

#define STP_BARRIER() __asm__ volatile("" ::: "memory")

/* ------------------------------------------------------------------ slow paths (context.c) */

void stp_ctx_refused(struct stp_ctx_private *v);       /* counts a hit on a context that is in use or closed */
/* Counts a hit that the platform itself skips before it enters the context, because the stack is too low. */
void stp_ctx_skip_stack(struct stp_ctx *c);
bool stp_locks_take(struct stp_ctx_private *v, const struct stp_probe *p);
void stp_locks_release(struct stp_ctx_private *v, const struct stp_probe *p);
void stp_handler_finish(struct stp_ctx_private *v);    /* commits the record, reports the error */
/* Evaluates @entry() expressions with their locks. Returns false after an error, which was reported, or a lock
 * timeout: the call is then not recorded. */
bool stp_entry_run(struct stp_ctx *c, const struct stp_probe *p, void (*entry)(struct stp_ctx *c));
/*
 * Charges the time of STP_ADDS_SAMPLE hits of probes with adds_only to the overload statistics. It is estimated,
 * since their handlers consist of few instructions. The number is prime, like STP_SAMPLE. The context is not in
 * use, and interrupts are off.
 */
#define STP_ADDS_SAMPLE 257
#define STP_ADDS_NS     20
void stp_adds_charge(struct stp_ctx_private *v, const struct stp_probe *p);
/* Runs the handler without budget and timing. Returns false if its condition is false. */
bool stp_handler_body(struct stp_ctx *c, const struct stp_probe *p);
void stp_handler_timed(struct stp_ctx *c, const struct stp_probe *p);  /* runs a handler with loops, or a sampled
								        * hit */

/* ------------------------------------------------------------------ losses (context.c) */

/* One counter per reason. The platform may set it to its own array before the session is made. */
extern u64 *stp_losses;
/* Counts n events, records or values that are lost or incomplete. Context: any, NMI included. */
void stp_lose(enum stp_loss reason, u64 n);
/* Counts a hit that the runtime skips, also for MAXSKIPPED. Context: any but NMI. */
void stp_skip(enum stp_loss reason);
/* Records that the handler was skipped or has failed. */
static inline void stp_outcome_note(struct stp_ctx_private *v, enum stp_outcome outcome)
{
	if (v->outcome < outcome)
		v->outcome = outcome;
}

/* Counts a value that is stored or printed truncated, and warns once per reason: "WHAT in probe POINT". Context:
 * any but NMI. */
void stp_cut(enum stp_loss reason, const char *what);
u64 stp_lost(enum stp_loss reason);                    /* returns the number so far */
u32 stp_loss_limit(enum stp_loss reason);              /* returns the value of %u in its hint */
u64 stp_lost_of(enum stp_loss_kind kind);              /* returns the sum of the reasons of this kind */

/* ------------------------------------------------------------------ stap -t (timing.c) */

u64 stp_timing_size(void);                             /* returns the size of a context's table; 0: no timing */
void stp_timing_add(struct stp_ctx_private *v, const struct stp_probe *p, u64 n);
/* Sets numbers of a probe that the platform has counted itself: its hits, and their total time. */
void stp_timing_set(u32 probe, u64 hits, u64 sum_ns);
void stp_timing_report(void);                          /* process context, after all handlers have ended */

/* ------------------------------------------------------------------ the fast path */

static inline bool stp_ctx_enter(struct stp_ctx *c)
{
	struct stp_ctx_private *v = stp_private(c);

	STP_BARRIER();     /* cheaper by one instruction than a volatile read */
	if (STP_UNLIKELY(v->gate)) {
		stp_ctx_refused(v);
		return false;
	}
	v->busy = 1;
	STP_BARRIER();
	stp_debug_idle(v);
	return true;
}

static inline void stp_ctx_leave(struct stp_ctx *c)
{
	stp_debug_idle(stp_private(c));
	STP_BARRIER();
	stp_private(c)->busy = 0;
}

/* Runs one probe's handler in an entered context. Context: any but NMI, preemption disabled. */
static inline void stp_handler_run(struct stp_ctx *c, const struct stp_probe *p)
{
	struct stp_ctx_private *v = stp_private(c);

	if (STP_UNLIKELY(--v->sample_in < 0) || p->needs_actions) {
		stp_handler_timed(c, p);
		return;
	}
	if (p->nlocks) {
		stp_handler_body(c, p);
		return;
	}
	c->probe = p;
	if (STP_LIKELY(!p->condition) || p->condition())
		p->handler(c);
	if (STP_UNLIKELY(c->error || v->dirty))
		stp_handler_finish(v);
}

/* ------------------------------------------------------------------ waits with interrupts off */

/*
 * A wait for another CPU that is bounded by time instead of by a number of tries. In a virtual machine a pause may
 * yield the CPU for a time slice (100 ms in QEMU with one thread for all CPUs), so that 100,000 tries may take a
 * millisecond or hours. The initial value is {}; any context. stp_spin() pauses once and returns false after `ms`
 * milliseconds and a minimum of tries. Each caller states the condition, and the
 * behaviour after a timeout.
 */
#define STP_MERGE_WAIT_MS 200
struct stp_spin {
	u64 from;                /* plat_cycles() at the first try */
	u32 tries;
};
bool stp_spin(struct stp_spin *s, u32 ms);

#endif
