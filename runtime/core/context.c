/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The slow paths around a handler: skipped hits, locks, the end of a handler that failed or printed, and the time
 * that handlers take. Context: any but NMI.
 *
 * A lock word consists of the writer's bit and, below it, the number of readers. A hit takes all its locks in the
 * order of its table, which is the same order for all probes, so that two hits cannot deadlock; a hit whose locks
 * time out is skipped. Hits that only add to data of each CPU write to their own context instead of the word; a writer
 * reads the contexts of all CPUs.
 */
#include "internal.h"
#include "../include/bounds.h"

#define LOCK_WRITER 0x80000000u

_Static_assert(STP_MAX_MAXACTION_INTERRUPTIBLE <= 0x7fffffff, "limits.actions is an s32");
_Static_assert(STP_MAX_TRYLOCKDELAY <= 1000, "udelay() supports less than 2 ms");

struct stp_ctx_private stp_ctx_none_ = { .closed = 1 };

/* ------------------------------------------------------------------ losses */

static u64 losses_of_a_process[STP_LOSSES_MAX];
u64 *stp_losses = losses_of_a_process;

void stp_lose(enum stp_loss reason, u64 n)
{
	__atomic_fetch_add(&stp_losses[reason], n, __ATOMIC_RELAXED);
}

void stp_skip(enum stp_loss reason)
{
	stp_lose(reason, 1);
	stp_session_skipped();
}

/* stp_append() cannot be used here: it calls stp_cut() itself. */
static char *add_text(char *at, const char *end, const char *text)
{
	while (at < end && (*at = *text)) {
		at++;
		text++;
	}
	*at = 0;
	return at;
}

/* The text is static, since strings may be cut when a handler's stack is deep; it is used by one CPU at a time. */
static __attribute__((__noinline__)) void warn_of_cut(const char *what)
{
	static char text[256];
	static u8 taken;
	const struct stp_ctx *c = stp_ctx_here();
	char *end = text + sizeof(text) - 1, *at;

	if (!stp_private((struct stp_ctx *)c)->busy || !c->probe || !c->probe->point ||
	    __atomic_exchange_n(&taken, 1, __ATOMIC_ACQUIRE)) {
		plat_message(STP_MSG_WARNING, what);
		return;
	}
	at = add_text(text, end, what);
	at = add_text(at, end, " in probe ");
	add_text(at, end, c->probe->point);
	plat_message(STP_MSG_WARNING, text);
	__atomic_store_n(&taken, 0, __ATOMIC_RELEASE);
}

void stp_cut(enum stp_loss reason, const char *what)
{
	static u8 warned[STP_LOSSES];

	stp_lose(reason, 1);
	if (!__atomic_exchange_n(&warned[reason], 1, __ATOMIC_RELAXED) && stp_session.exclusive)
		warn_of_cut(what);
}

u64 stp_lost(enum stp_loss reason)
{
	return __atomic_load_n(&stp_losses[reason], __ATOMIC_RELAXED);
}

u32 stp_loss_limit(enum stp_loss reason)
{
	const struct stp_limits *l = &stp_module.limits;

	switch (reason) {
	case STP_LOSS_LOCK:
		return l->trylock;
	case STP_LOSS_MESSAGES:
		return l->message_bytes > STP_QUEUE_MIN ? l->message_bytes : STP_QUEUE_MIN;
	case STP_LOSS_STRINGS:
	case STP_LOSS_LISTING:
		return l->string_len;
	default:
		return 0;
	}
}

u64 stp_lost_of(enum stp_loss_kind kind)
{
	static const u8 kinds[STP_LOSSES] = {
#define LOSS(name, kind, text, hint) STP_KIND_##kind,
#include "../include/losses.def"
#undef LOSS
	};
	u64 sum = 0;
	u32 i;

	for (i = 0; i < STP_LOSSES; i++)
		if (kinds[i] == kind)
			sum += stp_lost(i);
	return sum;
}

/* ------------------------------------------------------------------ skipped hits */

void stp_ctx_refused(struct stp_ctx_private *v)
{
	if (!v->closed)
		stp_skip(STP_LOSS_REENTRANT);
	/* The context belongs to a CPU that was offline at the start. */
	else if (v == &stp_ctx_none_ && __atomic_load_n(&stp_session.state, __ATOMIC_RELAXED) == STP_STATE_RUNNING)
		stp_lose(STP_LOSS_LATE_CPU, 1);
	else
		stp_lose(STP_LOSS_OUTSIDE, 1);
}

void stp_ctx_skip_stack(struct stp_ctx *c)
{
	struct stp_ctx_private *v = stp_private(c);

	if (v->closed)
		stp_ctx_refused(v);
	else
		stp_skip(STP_LOSS_STACK);
}

#define SPIN_TRIES_MIN 8           /* minimum number of tries, even after the timeout: the host may have
				    * preempted this CPU */
#define SPIN_TRIES     1000        /* if there is no clock */
#define SPIN_TRIES_MAX 1000000     /* if the clock does not advance */

bool stp_spin(struct stp_spin *s, u32 ms)
{
	u64 now = plat_cycles(), khz = plat_cycles_khz();

	if (!s->tries++)
		s->from = now;
	if (s->tries > SPIN_TRIES_MIN && khz && now - s->from >= ms * khz)
		return false;
	if (s->tries > (khz ? SPIN_TRIES_MAX : SPIN_TRIES))
		return false;
	plat_pause(0);     /* bounded: once */
	return true;
}

static inline bool try_lock(struct stp_lock *l, u32 mode)
{
	u32 old = 0;

	stp_debug_shared(1);
	if (mode & STP_WRITE)
		return __atomic_compare_exchange_n(&l->word, &old, LOCK_WRITER, false,
						   __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
	if (!(__atomic_fetch_add(&l->word, 1, __ATOMIC_ACQUIRE) & LOCK_WRITER))
		return true;
	__atomic_fetch_sub(&l->word, 1, __ATOMIC_RELAXED);
	return false;
}

static inline void unlock(struct stp_lock *l, u32 mode)
{
	stp_debug_shared(1);
	/* An atomic subtraction, because readers may have incremented the word temporarily. */
	__atomic_fetch_sub(&l->word, mode & STP_WRITE ? LOCK_WRITER : 1, __ATOMIC_RELEASE);
}

#define TIMED_OUT (~0u)

/* Returns the hit's number of waits so far, or TIMED_OUT: MAXTRYLOCK limits the sum over all its locks. */
static __attribute__((__noinline__)) u32 wait_lock(struct stp_lock *l, u32 mode, u32 waits)
{
	const struct stp_limits *limits = &stp_module.limits;

	stp_debug_shared(1);
	__atomic_fetch_add(&l->waits, 1, __ATOMIC_RELAXED);
	while (waits++ < limits->trylock) {
		plat_pause(limits->trylock_delay_us);  /* bounded: MAXTRYLOCK times per hit, TRYLOCKDELAY each */
		if (try_lock(l, mode))
			return waits;
	}
	__atomic_fetch_add(&l->timeouts, 1, __ATOMIC_RELAXED);
	return TIMED_OUT;
}

/*
 * Waits until no CPU adds to the data that `l` protects; meanwhile begin_adding() refuses new additions. Returns as
 * wait_lock().
 */
static __attribute__((__noinline__)) u32 wait_adders(struct stp_lock *l, u32 waits)
{
	const struct stp_limits *limits = &stp_module.limits;
	u32 cpu, before = waits;

	for (cpu = 0; cpu < stp_session.ncpus; cpu++) {
		struct stp_ctx_private *other = stp_session.ctx[cpu];

		while (other && __atomic_load_n(&other->adding, __ATOMIC_SEQ_CST)) {
			if (waits++ >= limits->trylock) {
				__atomic_fetch_add(&l->timeouts, 1, __ATOMIC_RELAXED);
				unlock(l, STP_WRITE);
				return TIMED_OUT;
			}
			plat_pause(limits->trylock_delay_us);  /* bounded: MAXTRYLOCK times per hit, TRYLOCKDELAY each */
		}
	}
	if (waits != before)
		__atomic_fetch_add(&l->waits, 1, __ATOMIC_RELAXED);
	return waits;
}

/*
 * Announces that this CPU adds to data of each CPU. Returns false if one of the locks is held for writing. Either this
 * CPU sees the writer's bit, or the writer sees `adding`: both are written before the other is read.
 */
static inline bool begin_adding(struct stp_ctx_private *v, const struct stp_lock_use *use,
				const struct stp_lock_use *end)
{
	__atomic_store_n(&v->adding, 1, __ATOMIC_SEQ_CST);
	for (; use < end; use++)
		if (use->mode == STP_ADDING && STP_UNLIKELY(__atomic_load_n(&use->lock->word, __ATOMIC_SEQ_CST))) {
			stp_debug_shared(1);
			__atomic_fetch_add(&use->lock->waits, 1, __ATOMIC_RELAXED);
			__atomic_store_n(&v->adding, 0, __ATOMIC_RELEASE);
			return false;
		}
	return true;
}

static inline void release(struct stp_ctx_private *v, const struct stp_lock_use *use, const struct stp_lock_use *end)
{
	for (; use < end; use++) {
		if (use->mode == STP_ADDING) {
			__atomic_store_n(&v->adding, 0, __ATOMIC_RELEASE);
			continue;
		}
		stp_debug_unlocked(use, v->cpu);
		unlock(use->lock, use->mode);
	}
}

/* Takes one lock in another mode than STP_ADDING. Returns as wait_lock(). */
static inline u32 take_one(const struct stp_lock_use *use, u32 waits)
{
	if (STP_UNLIKELY(!try_lock(use->lock, use->mode)))
		waits = wait_lock(use->lock, use->mode, waits);
	if (use->lock->added && waits != TIMED_OUT)
		waits = wait_adders(use->lock, waits);
	return waits;
}

static __attribute__((__noinline__)) bool timed_out(struct stp_ctx_private *v, const struct stp_lock_use *locks,
						    const struct stp_lock_use *held)
{
	release(v, locks, held);
	stp_skip(STP_LOSS_LOCK);
	stp_outcome_note(v, STP_SKIPPED);
	return false;
}

/*
 * A hit announces that it adds after it has taken its other locks: it then waits for nothing, so that a writer that
 * waits for it continues soon. While the hit waits for a writer, it holds no lock, since the writer may wait for
 * one of them.
 */
static inline bool take(struct stp_ctx_private *v, const struct stp_lock_use *locks, u32 n)
{
	const struct stp_lock_use *use, *end = locks + n;
	u32 waits = 0;
	bool adds;

	for (;;) {
		for (use = locks, adds = false; use < end; use++) {
			if (use->mode == STP_ADDING) {
				adds = true;
				continue;
			}
			waits = take_one(use, waits);
			if (STP_UNLIKELY(waits == TIMED_OUT))
				return timed_out(v, locks, use);
			stp_debug_locked(use, v->cpu);
		}
		if (!adds || STP_LIKELY(begin_adding(v, locks, end)))
			return true;
		release(v, locks, end);
		if (waits++ >= stp_module.limits.trylock)
			return timed_out(v, locks, locks);
		plat_pause(stp_module.limits.trylock_delay_us);  /* bounded: MAXTRYLOCK times per hit, as above */
	}
}

bool stp_locks_take(struct stp_ctx_private *v, const struct stp_probe *p)
{
	return take(v, p->locks, p->nlocks);
}

void stp_locks_release(struct stp_ctx_private *v, const struct stp_probe *p)
{
	release(v, p->locks, p->locks + p->nlocks);
}

void stp_handler_finish(struct stp_ctx_private *v)
{
	stp_debug_record(v);
	if (v->dirty) {
		if (v->out_start)
			plat_record_commit(v);
		v->out_start = v->out = v->out_end = NULL;
		v->out_lost = v->dirty = false;
	}
	if (v->c.error)
		stp_error_report(v);
}

/*
 * Adds a hit that took n cycles, and the time of its delivery by the kernel, to the overload statistics. That time
 * is a constant of each kind of probe, in nanoseconds of a typical processor. It is significant only if handlers
 * take less: at 100 ns, the threshold is 5 million hits per second. Each sampled hit counts STP_SAMPLE times;
 * the longest of them is ignored, because it was probably interrupted, for instance by the host of a virtual
 * machine.
 */
static bool begin_account(struct stp_ctx_private *v, u64 now)
{
	if (stp_module.limits.no_overload || !stp_module.limits.overload_interval)
		return false;
	if (!v->cycles_from || now - v->cycles_from > stp_session.overload_interval) {
		v->cycles_from = now;
		v->cycles_used = v->cycles_sampled = v->cycles_max = 0;
		v->samples = 0;
	}
	return true;
}

static void end_account(const struct stp_ctx_private *v)
{
	u64 n = v->cycles_used;

	if (v->samples >= 8)
		n += (v->cycles_sampled - v->cycles_max) * STP_SAMPLE;
	if (n > stp_session.overload_threshold)
		stp_session_fail("probe overhead exceeded threshold");
}

static void account(struct stp_ctx_private *v, const struct stp_probe *p, u64 now, u64 n)
{
	if (!begin_account(v, now))
		return;
	n += p->arrival_ns * stp_session.cycles_us >> 10;
	if (p->needs_actions) {
		v->cycles_used += n;
	} else {
		v->cycles_sampled += n;
		if (n > v->cycles_max)
			v->cycles_max = n;
		v->samples++;
	}
	end_account(v);
}

void stp_adds_charge(struct stp_ctx_private *v, const struct stp_probe *p)
{
	u64 now = plat_cycles();

	v->adds_in = STP_ADDS_SAMPLE - 1;
	if (!now || !begin_account(v, now))
		return;
	v->cycles_used += STP_ADDS_SAMPLE * ((p->arrival_ns + STP_ADDS_NS) * stp_session.cycles_us >> 10);
	end_account(v);
}

/* ------------------------------------------------------------------ the budget of work */

/*
 * The budget is granted in slices. Between slices the time is checked, and handlers of begin, end and error let
 * other tasks run. The time since the last check counts only up to a limit, so that a hit that the host of a
 * virtual machine interrupted does not count as a long one.
 */
#define SLICE 32768

static void start_work(struct stp_ctx_private *v, u64 now)
{
	u64 slice = v->work_max < SLICE ? v->work_max : SLICE;

	v->c.actions = v->actions_max;
	v->c.work = (s64)slice;
	v->work_left = v->work_max - slice;
	v->looked_at = now;
	v->time_used = 0;
}

static bool late(struct stp_ctx_private *v)
{
	u64 limit = stp_session.deadline, now, n;

	if (!limit)
		return false;
	now = plat_cycles();
	n = now - v->looked_at;
	v->looked_at = now;
	v->time_used += n < limit / 4 ? n : limit / 4;
	return v->time_used >= limit;
}

/* Returns the limit that a message suggests: twice the current one, or the maximum. */
static s64 raised(s64 limit, s64 max)
{
	return 2 * limit < max ? 2 * limit : max;
}

/*
 * Handlers of begin, end and error have no limit while their process lives. Handlers in slices must not delay the
 * end of a session: after their allowance (run_exclusive()) they end like after abort() and are counted, so that
 * end probes can run. The same applies to handlers whose process was killed: it exits when they have ended.
 */
static bool yield_cpu(struct stp_ctx_private *v, u64 need)
{
	u64 unwanted = __atomic_load_n(&stp_session.unwanted, __ATOMIC_RELAXED);
	bool in_slices = v->c.probe && v->c.probe->in_slices;
	bool reader_killed = in_slices && unwanted && v->c.arguments[0] == unwanted;
	bool ends = reader_killed || plat_killed() || (in_slices && !stp_session_running());

	plat_yield();
	v->c.work = SLICE;
	if (!ends)
		return true;
	need += SLICE;
	if (reader_killed || need > v->work_left) {
		stp_lose(STP_LOSS_UNFINISHED, 1);
		stp_outcome_note(v, STP_FAILED);
		stp_fatal(&v->c, "");
		if (!in_slices)
			stp_session_exit();
		return false;
	}
	v->work_left -= need;
	return true;
}

/* Ends a handler of --monitor, as abort() does: a large array must not end the script that it shows. */
static bool skips_display(struct stp_ctx *c)
{
	if (!c->probe->displays)
		return false;
	stp_lose(STP_LOSS_UNSHOWN, 1);
	stp_fatal(c, "");
	return true;
}

bool stp_charge_more(struct stp_ctx *c)
{
	struct stp_ctx_private *v = stp_private(c);
	u64 need = 0 - (u64)c->work;

	if (c->fatal && c->error)
		return false;
	if (v == stp_session.exclusive)
		return yield_cpu(v, need);
	if (!c->probe || !c->probe->needs_actions || c->probe->unlimited) {
		c->work = SLICE;
		return true;
	}
	if (need > v->work_left && skips_display(c))
		return false;
	if (need > v->work_left) {
		stp_fatal_format(c, "too much work for one hit: more than %llu instructions with interrupts off; "
				 "do less in one hit, or raise the limit (-DMAXACTION=%lld)", v->work_max,
				 raised(stp_module.limits.actions, STP_MAX_MAXACTION));
		return false;
	}
	v->work_left -= need;
	need = v->work_left < SLICE ? v->work_left : SLICE;
	v->work_left -= need;
	c->work = (s64)need;
	if (!late(v))
		return true;
	if (skips_display(c))
		return false;
	stp_fatal_format(c, "a hit took longer than %u ms with interrupts off; do less in one hit, or raise the limit "
			 "(-DMAXHANDLERTIME=%lld)", stp_module.limits.deadline_ms,
			 raised(stp_module.limits.deadline_ms, STP_MAX_MAXHANDLERTIME));
	return false;
}

_Static_assert(STP_MAX_MAXBACKTRACE + 28 <= STP_ADDRESSES, "backtrace() also collects frames of the runtime");
u64 *stp_addresses(struct stp_ctx *c)
{
	return stp_private(c)->addresses;
}

bool stp_lock(struct stp_ctx *c)
{
	struct stp_ctx_private *v = stp_private(c);

	v->locked = take(v, c->probe->locks, c->probe->nlate);
	return v->locked;
}

void stp_unlock(struct stp_ctx *c)
{
	struct stp_ctx_private *v = stp_private(c);

	release(v, c->probe->locks, c->probe->locks + c->probe->nlate);
	v->locked = false;
}

bool stp_locks_held(const struct stp_ctx *c)
{
	return c->probe && (c->probe->nlocks || stp_private((struct stp_ctx *)c)->locked);
}

void stp_finish(struct stp_ctx *c)
{
	struct stp_ctx_private *v = stp_private(c);

	if (!v->locked)
		return;
	if (c->error || v->dirty)
		stp_handler_finish(v);
	stp_unlock(c);
}

bool stp_entry_run(struct stp_ctx *c, const struct stp_probe *p, void (*entry)(struct stp_ctx *c))
{
	struct stp_ctx_private *v = stp_private(c);
	bool done, timed = --v->sample_entry_in < 0 || p->needs_actions;
	u64 from = 0, now;

	c->probe = p;
	if (STP_UNLIKELY(timed)) {
		if (v->sample_entry_in < 0)
			v->sample_entry_in = STP_SAMPLE - 1;
		from = plat_cycles();
		if (p->needs_actions)
			start_work(v, from);
		if (p->needs_actions)
			c->stack_low = plat_stack_low();
	}
	if (p->nentry && STP_UNLIKELY(!take(v, p->entry_locks, p->nentry)))
		return false;
	entry(c);
	done = !c->error;
	if (STP_UNLIKELY(c->error || v->dirty))
		stp_handler_finish(v);
	release(v, p->entry_locks, p->entry_locks + p->nentry);
	if (STP_UNLIKELY(timed) && from) {
		now = plat_cycles();
		account(v, p, now, now - from);
	}
	return done;
}

bool stp_handler_body(struct stp_ctx *c, const struct stp_probe *p)
{
	struct stp_ctx_private *v = stp_private(c);
	bool hit;

	c->probe = p;
	if (p->nlocks && STP_UNLIKELY(!take(v, p->locks, p->nlocks)))
		return true;
	hit = STP_LIKELY(!p->condition) || p->condition();
	if (STP_LIKELY(hit))
		p->handler(c);
	if (STP_UNLIKELY(c->error || v->dirty))
		stp_handler_finish(v);
	release(v, p->locks, p->locks + p->nlocks);
	return hit;
}

void stp_handler_timed(struct stp_ctx *c, const struct stp_probe *p)
{
	struct stp_ctx_private *v = stp_private(c);
	u64 from, to;
	bool hit;

	/* After an overload, further handlers of the same event do not run, since there may be thousands. */
	if (STP_UNLIKELY(v->closed) && stp_session.failed) {
		stp_lose(STP_LOSS_OUTSIDE, 1);
		stp_outcome_note(v, STP_SKIPPED);
		return;
	}
	from = plat_cycles();
	if (v->sample_in < 0)
		v->sample_in = STP_SAMPLE - 1;
	if (p->needs_actions)
		start_work(v, from);
	if (p->needs_actions)
		c->stack_low = plat_stack_low();
	hit = stp_handler_body(c, p);
	to = plat_cycles();
	if (STP_UNLIKELY(v->timing) && hit)
		stp_timing_add(v, p, to - from);
	if (from)
		account(v, p, to, to - from);
}
