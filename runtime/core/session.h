/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One run of a script, from stp_module to its summary. The platform's main calls, in this order, in
 * process context, never two at once:
 *
 *	stp_session_make()       memory of maps, statistics, contexts; nothing runs yet
 *	stp_session_set()        any number: name=value
 *	stp_session_start()      begin probes, then the families arm; from here on handlers run
 *	stp_session_stop()       families disarm, then end or error probes; safe after a failed or no start
 *	stp_session_summary()    any time
 *	stp_session_free()       safe after a failed make, safe twice
 */
#ifndef CORE_SESSION_H
#define CORE_SESSION_H

#include "context.h"
#include "../include/messages.h"

enum stp_state {
	STP_STATE_NEW,           /* nothing made */
	STP_STATE_STARTING,      /* begin probes run */
	STP_STATE_RUNNING,
	STP_STATE_STOPPING,      /* exit(), or stop: no new handlers but end probes */
	STP_STATE_ERROR,         /* gave up: as STOPPING, error probes run instead of end probes */
	STP_STATE_STOPPED,
};

struct stp_session {
	u32 state;               /* enum stp_state; changed with atomics */
	s32 target;              /* the platform sets it before start: -c, -x; 0 none */
	s32 namespaces;          /* the platform sets it before start: -N, a process; 0: the initial ones */
	u32 uid;                 /* the platform sets it: of the user who runs the script */
	u64 pid_namespace, user_namespace;       /* the platform sets them before start: addresses, 0: unknown */
	s32 relay;               /* the platform sets it before start: the process that relays the output */
	s32 remote_id;           /* the platform sets it: staprun -r */
	char remote_uri[STP_REMOTE_URI_MAX];
	s32 timezone_s;          /* the platform sets it: seconds east of UTC */
	u32 errors;              /* soft errors of all CPUs, the suppressed ones included */
	u32 skipped;             /* hits skipped, for MAXSKIPPED: those by stp_skip() */
	u32 failed;              /* 1: gave up after errors, or could not start */
	u32 ncpus;               /* length of ctx[] */
	u64 deadline;            /* cycles that a handler with interrupts off may take; 0: any */
	u64 overload_interval, overload_threshold;       /* cycles */
	u64 cycles_us;           /* cycles in 1.024 us, at plat_cycles_khz() */
	u64 memory;              /* bytes that are allocated */
	u64 memory_allowed;      /* of them; 0: not decided yet, or no limit */
	u64 memory_refused;      /* `memory` with the last allocation that was refused; 0: none was */
	u64 memory_summed;       /* what stp_memory_fits() reckoned `memory` to become */
	u32 started;             /* families armed, for stop */
	struct stp_ctx_private **ctx;    /* [ncpus], NULL for CPUs not used */
	u64 unwanted;            /* arguments[0] of the handler in slices whose reader is killed; 0: none */
	struct stp_ctx_private *alone;   /* begin, end, error; its percpu data is the first CPU's */
	u8 **percpu;             /* [ncpus], NULL for CPUs not used: struct percpu of the generated C */
};
extern struct stp_session stp_session;

/*
 * How a family arms and disarms its table (generated.h: struct stp_family). Process context, may
 * sleep. start returns 0 or -errno; on failure it has disarmed what it had armed, has sent a
 * STP_MSG_ERROR text that says what failed, and stop is not called. After stop no handler of the
 * family runs any more, nor will.
 */
struct stp_family_ops {
	const char *name;
	int (*start)(void *table, u32 n);
	void (*stop)(void *table, u32 n);
	/* Bytes for calls in progress that start allocates, or has the kernel allocate. May be NULL. */
	u64 (*memory)(const void *table, u32 n);
	/* Bytes of other tables that start allocates, where they grow with the script. With STP_DEBUG the start checks that
	 * a session takes no more than twice its sum. May be NULL. */
	u64 (*tables)(const void *table, u32 n);
	/* Addresses to be found before start: those of the table's entry i, *n of them. May be NULL. */
	struct stp_site *(*sites)(void *table, u32 i, u32 *n);
	/* A module of the kernel came, and its sites have addresses, or is about to go, and they have
	 * none; while the family runs or not. May be NULL. */
	void (*module)(void *table, u32 n, const char *module, bool comes);
	/* A CPU that was there at the start went and is back. May be NULL. */
	void (*cpu_back)(void *table, u32 n, u32 cpu);
};

/* Each allocation is counted while it lives: plat_alloc() and plat_free() do so for their callers. Any context. */
bool stp_memory_granted(u64 size);
void stp_memory_return(u64 size);
/* Before anything but buffers is allocated: false, and a message was sent, when all of it is more than allowed. */
bool stp_memory_fits(void);
void stp_complain(const char *fmt, ...);       /* a STP_MSG_ERROR, with the core's formats. Process context */
int stp_session_make(void);                    /* 0, -ENOMEM, -EINVAL (foreign ABI; a message was sent) */
/* "name=value": a scalar global. 0; -ENOENT: unknown global; -EINVAL: not a number; -ERANGE: it does
 * not fit into 64 bits; -E2BIG: a string longer than MAXSTRINGLEN. Before start. */
int stp_session_set(const char *setting);
/*
 * 0: the session runs (or is STOPPING or ERROR already, as exit() or an error in a begin probe left
 * it: the families are not armed then, and STP_MSG_EXIT was sent). -errno: a family could not be
 * armed, those before it are disarmed again; call stop all the same.
 */
int stp_session_start(void);
void stp_session_stop(void);
/* Context: any. */
void stp_session_summary(struct stp_summary *s);
void stp_session_free(void);

/*
 * A handler in slices is a hit of p->before and, if that sets c->saved_return, stp_slices_taken(), stp_slices_run() and
 * stp_slices_prepare(), in this order; without p->before only stp_slices_run(). The caller is the only one that does
 * so, and no begin, end or error probe runs. Process context, may sleep, but for the hit.
 */
void stp_slices_prepare(const struct stp_probe *p);
void stp_slices_taken(const struct stp_probe *p);
void stp_slices_run(const struct stp_probe *p, u64 argument);  /* argument: c->arguments[0] */

/* Any context. exit(): no new handlers, the relay is asked to stop the session. */
void stp_session_exit(void);
/* Any context. The session gives up: a STP_MSG_ERROR text, then as exit(), with error probes. */
void stp_session_fail(const char *text);
static inline bool stp_session_running(void)
{
	return *(volatile u32 *)&stp_session.state == STP_STATE_RUNNING;
}

#endif
