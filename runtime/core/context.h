/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Entering and leaving a handler. How a platform delivers a hit, with preemption off:
 *
 *	c = this CPU's context;                  (the one of plat_ctx_set())
 *	if (!stp_ctx_enter(c))                   (busy or the session not running: counted)
 *		return;
 *	c->regs = ...; c->address = ...;         (what its family provides)
 *	stp_handler_run(c, probe);               (any number of probes, one after the other)
 *	stp_ctx_leave(c);
 *
 * Between two handlers these hold, so that entering costs nothing: c->error, c->near and
 * v->out_start are NULL, v->ncallers is 0, c->fatal and v->out_lost false, c->frame and c->nesting at
 * their start. Who breaks one (an error, a print) makes `v->dirty` true or c->error non-NULL, and finishing mends them.
 */
#ifndef CORE_CONTEXT_H
#define CORE_CONTEXT_H

#include "platform.h"
#include "../include/messages.h"

#define STP_ERROR_SIZE 512                     /* of a soft error's text */
#define STP_CALLERS 4                          /* calls around the place of an error that it names */
/*
 * Hits timed against overload: all that have a budget, each 17th of the others. A prime number, so that each of probes
 * that are hit in turn has its share. What is not timed of those others cannot be much: each does work of less than
 * 20,000 instructions (emit_work.c), and below 8 samples there were fewer than 136 of them in the interval.
 */
#define STP_SAMPLE 17

struct stp_ctx_private {
	struct stp_ctx c;                      /* first: the same address */
	union {
		struct {
			u8 busy;               /* a handler runs: written by this CPU only */
			u8 closed;             /* no new ones: written by anybody */
		};
		u16 gate;                      /* both, to look at once */
	};
	bool dirty;                            /* a record is open or was lost */
	bool locked;                           /* the handler holds its late locks */
	bool out_lost;                         /* the rest of what this handler prints goes nowhere */
	u32 cpu;                               /* whose tables: index of percpu maps */
	s32 sample_in, sample_entry_in;        /* handlers, and @entry() parts, until one is timed; below 0: now */
	s32 nesting_max;
	s64 actions_max;
	u64 work_max, work_left;               /* units of a hit; what is left beside c->work */
	u64 looked_at, time_used;              /* cycles: of the last look, of this hit */
	char *out_start, *out, *out_end;       /* the open record; see plat_record_room() */
	char *frame_base;
	char execname[16];                     /* what stp_execname() gave last, where it needs a copy */
	u64 random;                            /* state of stp_random(), not 0 */
	u64 cycles_from, cycles_used;          /* overload, of the current interval: measured hits, */
	u64 cycles_sampled, cycles_max;        /* sampled hits, the longest of them */
	u32 samples;
	u32 errors;                            /* soft errors reported */
	struct stp_timing *timing;             /* stap -t: [nprobes]; else NULL */
	void *plat;                            /* the platform's own: its ring */
	unsigned long irq_flags;               /* the platform's: whether interrupts were on before the hit */
	u32 ncallers;
	const char *callers[STP_CALLERS];      /* of the function with the error, the innermost first */
	char error_text[STP_ERROR_SIZE];
	/* What would be large on a kernel stack: the name of an address, and the addresses of a call stack. */
	char name_text[STP_NAME_TEXT];
	u64 addresses[STP_ADDRESSES];
};

extern struct stp_ctx_private stp_ctx_none_;   /* always closed */
#define stp_ctx_none (stp_ctx_none_.c)

static inline struct stp_ctx_private *stp_private(struct stp_ctx *c)
{
	return (struct stp_ctx_private *)c;
}

#define STP_BARRIER() __asm__ volatile("" ::: "memory")

/* ------------------------------------------------------------------ slow paths (context.c) */

void stp_ctx_refused(struct stp_ctx_private *v);       /* counts a hit while busy, or closed */
/* A hit that the platform itself must skip, the context not entered: stack too low. */
void stp_ctx_skip_stack(struct stp_ctx *c);
bool stp_locks_take(struct stp_ctx_private *v, const struct stp_probe *p);
void stp_locks_release(struct stp_ctx_private *v, const struct stp_probe *p);
void stp_handler_finish(struct stp_ctx_private *v);    /* commits the record, reports the error */
/* What @entry() wants, its locks taken. False: an error, which was told, or a lock took too long: the call is to be
 * forgotten. */
bool stp_entry_run(struct stp_ctx *c, const struct stp_probe *p, void (*entry)(struct stp_ctx *c));
void stp_handler_body(struct stp_ctx *c, const struct stp_probe *p);   /* all but budget and timing */
void stp_handler_timed(struct stp_ctx *c, const struct stp_probe *p);  /* with loops, or a sample */

/* ------------------------------------------------------------------ losses (context.c) */

/* One counter a reason; the platform may have them elsewhere, before the session is made. */
extern u64 *stp_losses;
/* Counts n events, records or values that are not handled, or not as a whole. Context: any, NMI included. */
void stp_lose(enum stp_loss reason, u64 n);
/* The same of one hit that the runtime refuses to handle: counts for MAXSKIPPED, too. Context: any but NMI. */
void stp_skip(enum stp_loss reason);
/* Counts one thing that is kept or printed in part, and warns once a reason: "WHAT in probe POINT". Context: any but
 * NMI. */
void stp_cut(enum stp_loss reason, const char *what);
u64 stp_lost(enum stp_loss reason);                    /* so far */
u32 stp_loss_limit(enum stp_loss reason);              /* for %u in its hint */
u64 stp_lost_of(enum stp_loss_kind kind);              /* the sum of its reasons */

/* ------------------------------------------------------------------ stap -t (timing.c) */

u64 stp_timing_size(void);                             /* of a context's table; 0: no timing */
void stp_timing_add(struct stp_ctx_private *v, const struct stp_probe *p, u64 n);
void stp_timing_report(void);                          /* process context, all handlers have ended */

/* ------------------------------------------------------------------ the fast path */

static inline bool stp_ctx_enter(struct stp_ctx *c)
{
	struct stp_ctx_private *v = stp_private(c);

	STP_BARRIER();     /* not a volatile read, which would cost an instruction more */
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

/* Runs one probe's handler in an entered context. Context: any but NMI, preemption off. */
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
 * A wait for another CPU that is bounded by time, not by tries: in a virtual machine a pause may give the CPU away
 * for a time slice (100 ms in QEMU with one thread for all CPUs), so 100,000 tries take a millisecond, or hours.
 * Starts as {}; any context. stp_spin() pauses once; false: `ms` milliseconds and some tries were in vain. Every such
 * wait states who it waits for, and what is done when it ends.
 */
#define STP_MERGE_WAIT_MS 200
struct stp_spin {
	u64 from;                /* plat_cycles() at the first try */
	u32 tries;
};
bool stp_spin(struct stp_spin *s, u32 ms);

#endif
