/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One run of a script, from stp_module to its summary. The platform's main program calls, in this order, in process
 * context, one at a time:
 *
 *	stp_session_make()       allocates maps, statistics and contexts; nothing runs yet
 *	stp_session_set()        any number of times: name=value
 *	stp_session_start()      runs begin probes, then arms the families; handlers run from here on
 *	stp_session_stop()       disarms the families, runs end or error probes; safe after a failed or missing start
 *	stp_session_summary()    any time
 *	stp_session_free()       safe after a failed make, safe to call twice
 */
#ifndef CORE_SESSION_H
#define CORE_SESSION_H

#include "context.h"
#include "../include/messages.h"

enum stp_state {
	STP_STATE_NEW,           /* initial state */
	STP_STATE_STARTING,      /* begin probes run */
	STP_STATE_RUNNING,
	STP_STATE_STOPPING,      /* after exit() or stop: no new handlers except end probes */
	STP_STATE_ERROR,         /* the session has failed: as STOPPING, but error probes run instead of end probes */
	STP_STATE_STOPPED,
};

struct stp_session {
	u32 state;               /* enum stp_state; changed with atomics */
	s32 target;              /* set by the platform before start: process ID of -c, -x; 0: none */
	bool target_unknown;     /* IDs of handlers are of another PID namespace than `target`: target() is -1 */
	s32 namespaces;          /* set by the platform before start: -N, a process ID; 0: the initial namespaces */
	u32 uid;                 /* set by the platform: the user who runs the script */
	u64 pid_namespace, user_namespace;       /* set by the platform before start: addresses of namespaces, 0:
						  * unknown */
	s32 relay;               /* set by the platform before start: process ID of the process that relays the
				  * output */
	s32 remote_id;           /* set by the platform: number of staprun -r */
	char remote_uri[STP_REMOTE_URI_MAX];
	s32 timezone_s;          /* set by the platform: seconds east of UTC */
	u32 errors;              /* soft errors of all CPUs, including suppressed ones */
	u32 skipped;             /* hits counted by stp_skip(), for MAXSKIPPED */
	u32 failed;              /* 1: ended after errors, or failed to start */
	u32 ncpus;               /* length of ctx[] */
	u64 deadline;            /* cycles that a handler with interrupts disabled may take; 0: no limit */
	u64 overload_interval, overload_threshold;       /* in cycles */
	u64 cycles_us;           /* cycles in 1.024 us, at plat_cycles_khz() */
	u64 memory;              /* bytes allocated */
	u64 memory_allowed;      /* limit of `memory`; 0: not determined yet, or no limit */
	u64 memory_refused;      /* value of `memory` if the last refused allocation had succeeded; 0: none was
				  * refused */
	u64 memory_summed;       /* final value of `memory` that stp_memory_fits() computed */
	u32 started;             /* number of families that are armed, which stop disarms */
	struct stp_ctx_private **ctx;    /* [ncpus], NULL for CPUs that are not used */
	u64 unwanted;            /* arguments[0] of a handler in slices that must end, since its reader was
				  * killed; or 0 */
	struct stp_ctx_private *exclusive;   /* context of begin, end, error; it uses the first CPU's percpu data */
	u8 **percpu;             /* [ncpus], NULL for CPUs that are not used: struct percpu of the generated C */
};
extern struct stp_session stp_session;

/*
 * Arms and disarms the table of a family (generated.h: struct stp_family). Process context, may sleep. start
 * returns 0 or -errno; on failure it has disarmed everything that it had armed and has sent a STP_MSG_ERROR that
 * names the cause, and stop is not called. After stop no handler of the family runs.
 */
struct stp_family_ops {
	const char *name;
	int (*start)(void *table, u32 n);
	void (*stop)(void *table, u32 n);
	/* Returns the bytes for calls in progress that start allocates, or makes the kernel allocate. May be NULL. */
	u64 (*memory)(const void *table, u32 n);
	/* Returns the bytes of other tables that start allocates, if they grow with the script. With STP_DEBUG,
	 * start checks that a session allocates at most twice its sum. May be NULL. */
	u64 (*tables)(const void *table, u32 n);
	/* Returns the sites of the table's entry i, *n of them, whose addresses are resolved before start. May be
	 * NULL. */
	struct stp_site *(*sites)(void *table, u32 i, u32 *n);
	/* Called when a kernel module was loaded (then its sites have addresses) or is about to be unloaded
	 * (then they have none), also while the family does not run. The name is "" for sites that any module
	 * may have. May be NULL. */
	void (*module)(void *table, u32 n, const char *module, bool comes);
	/* Fills the table from its compact form (expand_tables.c). NULL if the generated C never has one. */
	void (*expand)(void *table, const void *runs, u32 nruns);
	/* Called when a CPU has come online, also one that was offline at the start and has no context. May be NULL. */
	void (*cpu_back)(void *table, u32 n, u32 cpu);
};

/* Fills the tables that are in a compact form. Called first, in process context. */
void stp_rows_expand(void);

/* Adds an allocation to the sum until it is freed; plat_alloc() and plat_free() do so for their callers. Any
 * context. */
bool stp_memory_granted(u64 size);
void stp_memory_return(u64 size);
/* Called when only buffers are allocated: returns false, after a message, if the sum of all allocations exceeds the
 * limit. */
bool stp_memory_fits(void);
/* sends a STP_MSG_ERROR, with formats of stp_vformat(). Process context */
void stp_complain(const char *fmt, ...);
int stp_session_make(void);                    /* 0, -ENOMEM, -EINVAL (foreign ABI; a message was sent) */
/* Sets a scalar global by "name=value", before start. Returns 0; -ENOENT: unknown global; -EINVAL: not a number;
 * -ERANGE: it does not fit into 64 bits; -E2BIG: the string is longer than MAXSTRINGLEN. */
int stp_session_set(const char *setting);
/*
 * Returns 0 if the session runs (or is STOPPING or ERROR already, after exit() or an error in a begin probe: then
 * the families are not armed, and STP_MSG_EXIT was sent). -errno: a family could not be armed, and those before it
 * are disarmed again; the caller calls stop nevertheless.
 */
int stp_session_start(void);
void stp_session_stop(void);
/* Context: any. */
void stp_session_summary(struct stp_summary *s);
void stp_session_free(void);

/*
 * To run a handler in slices, the platform delivers a hit of p->before and, if that sets c->saved_return, calls
 * stp_slices_run() and stp_slices_prepare(), in this order; if p->before is NULL, it calls only stp_slices_run(). One
 * thread does so, while no begin, end or error probe runs. Process context, may sleep, except in the hit.
 */
void stp_slices_prepare(const struct stp_probe *p);
enum stp_outcome stp_slices_run(const struct stp_probe *p, u64 argument);      /* argument: c->arguments[0] */

/* Any context. Implements exit(): no new handlers start, and the relay is requested to stop the session. */
void stp_session_exit(void);
/* Any context. Ends the session after an error: sends a STP_MSG_ERROR, then ends it as exit() does, with error
 * probes. */
void stp_session_fail(const char *text);
static inline bool stp_session_running(void)
{
	return *(volatile u32 *)&stp_session.state == STP_STATE_RUNNING;
}

#endif
