/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The life of a session: memory, settings, begin probes, arming, disarming, end probes. Context: process context,
 * except where a comment says "any".
 */
#include "internal.h"
#include "map.h"

struct stp_session stp_session;

/* ------------------------------------------------------------------ memory */

static void free_context(struct stp_ctx_private *v)
{
	if (!v)
		return;
	plat_free(v->frame_base);
	plat_free(v->timing);
	plat_free(v);
}

static struct stp_ctx_private *make_context(u32 cpu, u8 *percpu, s32 near)
{
	const struct stp_limits *limits = &stp_module.limits;
	struct stp_ctx_private *v = plat_alloc(sizeof(*v), near);

	if (!v)
		return NULL;
	v->c.priv = v;
	v->c.percpu = percpu;
	v->cpu = cpu;
	v->closed = 1;
	v->c.nesting = v->nesting_max = limits->nesting + 1;    /* one more for the handler itself */
	v->actions_max = limits->actions;
	v->work_max = (u64)limits->actions * limits->work;
	v->random = 0x9e3779b97f4a7c15ull * (cpu + 1);
	v->frame_base = plat_alloc(stp_module.frame_size + 8, near);
	if (stp_timing_size())
		v->timing = plat_alloc(stp_timing_size(), near);
	v->c.frame = v->frame_base;
	v->c.frame_end = v->frame_base + stp_module.frame_size;
	if (v->frame_base && (v->timing || !stp_timing_size()))
		return v;
	free_context(v);
	return NULL;
}

static int make_contexts(void)
{
	struct stp_session *s = &stp_session;
	u32 cpus = plat_cpus(), cpu, first = cpus;

	s->ctx = plat_alloc(cpus * sizeof(s->ctx[0]), -1);
	s->percpu = plat_alloc(cpus * sizeof(s->percpu[0]), -1);
	if (!s->ctx || !s->percpu)
		return -STP_ENOMEM;
	s->ncpus = cpus;
	for (cpu = 0; cpu < cpus; cpu++) {
		if (!plat_cpu_used(cpu))
			continue;
		s->percpu[cpu] = plat_alloc(stp_module.percpu_size + 8, (s32)cpu);
		if (!s->percpu[cpu])
			return -STP_ENOMEM;
		s->ctx[cpu] = make_context(cpu, s->percpu[cpu], (s32)cpu);
		if (!s->ctx[cpu])
			return -STP_ENOMEM;
		if (first == cpus)
			first = cpu;
	}
	/* This context runs while no other does, so it shares the data of the first CPU. */
	s->exclusive = first < cpus ? make_context(first, s->percpu[first], -1) : NULL;
	if (!s->exclusive)
		return -STP_ENOMEM;
	s->exclusive->closed = 0;
	/* Only this context may be interrupted. */
	if (stp_module.limits.interruptible)
		s->exclusive->actions_max = stp_module.limits.actions_interruptible;
	s->exclusive->random ^= (u64)stp_gettimeofday_ns() | 1;
	for (cpu = 0; cpu < cpus; cpu++)
		if (s->ctx[cpu])
			s->ctx[cpu]->random ^= s->exclusive->random << 8;
	return 0;
}

void stp_complain(const char *fmt, ...)
{
	char text[512];
	struct stp_sink k = stp_sink_buffer(text, sizeof(text));
	stp_va_list ap;

	__builtin_va_start(ap, fmt);
	stp_vformat(&k, fmt, ap);
	__builtin_va_end(ap);
	stp_sink_end_text(&k);
	plat_message(STP_MSG_ERROR, text);
}

/* The message names the limit and the size that was required until then, or the array that exceeded the limit. */
static void report_no_memory(const struct stp_map *m)
{
	if (stp_session.memory_refused)
		stp_complain("the script needs %lu KB or more, %lu KB are allowed: raise -DSTP_MAXMEMORY, or make arrays smaller "
			 "(-DMAXMAPENTRIES)", (unsigned long)((stp_session.memory_refused + 1023) >> 10),
			 (unsigned long)(stp_session.memory_allowed >> 10));
	else if (m && m->data)
		stp_complain("not enough memory for the script's arrays: %s, of %u elements, takes %lu MB; give it a smaller size "
			 "(global %s[N], -DMAXMAPENTRIES=N)", m->name, m->capacity,
			 (unsigned long)(stp_module.arrays->map_bytes(m, plat_cpus()) >> 20), m->name);
	else
		stp_complain("not enough memory for the script: arrays may be too large (-DMAXMAPENTRIES), or too many");
}

/* Converts limits in units of time to cycles of the platform. */
#define MACHINE_PASSES  16384          /* a typical processor needs one nanosecond for each */
#define MACHINE_SLOWEST 64
#define MACHINE_EMULATED 3             /* a machine that is slower by more than this factor is assumed to be
				        * emulated; */
#define MACHINE_SHARED  4              /* its limit is also multiplied by this, because of other work on its host */

/* A call with a load and a store, which are slow in an emulator. */
static __attribute__((__noinline__)) void pass(volatile u64 *x)
{
	*x = *x * 0x9e3779b97f4a7c15ull + 1;
}

static u64 time_passes(void)
{
	u64 from = plat_cycles(), x = 1;
	u32 i;

	for (i = 0; i < MACHINE_PASSES; i++)
		pass(&x);
	return plat_cycles() - from;
}

/* Returns the factor by which a handler may take longer than on a typical processor. */
static u64 slowness(u64 khz)
{
	u64 n = time_passes(), usual = MACHINE_PASSES * khz / 1000000, again = time_passes();

	n = (n < again ? n : again) / (usual ? usual : 1);
	n = n < 1 ? 1 : n > MACHINE_SLOWEST ? MACHINE_SLOWEST : n;
	return n >= MACHINE_EMULATED ? n * MACHINE_SHARED : n;
}

static void set_times(void)
{
	u64 khz = plat_cycles_khz();

	khz = khz ? khz : 1000000;
	stp_session.deadline = stp_module.limits.deadline_ms * khz * slowness(khz);
	stp_session.overload_interval = stp_module.limits.overload_interval * khz / 1000000;
	stp_session.overload_threshold = stp_module.limits.overload_threshold * khz / 1000000;
	stp_session.cycles_us = khz * 1024 / 1000000;
}

static int make_data(const struct stp_map **map)
{
	u32 i;
	int err;

	for (i = 0; i < stp_module.nmaps; i++) {
		*map = stp_module.maps[i];
		err = stp_module.arrays->map_make(stp_module.maps[i]);
		if (err)
			return err;
	}
	*map = NULL;
	for (i = 0; i < stp_module.nforeachs; i++) {
		err = stp_module.arrays->foreach_make(stp_module.foreachs[i]);
		if (err)
			return err;
	}
	for (i = 0; i < stp_module.nstats; i++) {
		stp_module.stats[i]->merged = plat_alloc(stp_module.stats[i]->desc.size, -1);
		if (!stp_module.stats[i]->merged)
			return -STP_ENOMEM;
	}
	return 0;
}

bool stp_memory_granted(u64 size)
{
	u64 allowed = stp_session.memory_allowed, all = __atomic_add_fetch(&stp_session.memory, size, __ATOMIC_RELAXED);

	if (!allowed || all <= allowed)
		return true;
	stp_session.memory_refused = all;
	stp_memory_return(size);
	return false;
}

void stp_memory_return(u64 size)
{
	__atomic_sub_fetch(&stp_session.memory, size, __ATOMIC_RELAXED);
}

int stp_session_make(void)
{
	const struct stp_map *map = NULL;
	u32 cpu;
	int err;

	if (stp_module.abi != STP_GENERATED_ABI) {
		plat_message(STP_MSG_ERROR, "the script was translated for another version of the runtime; translate it again");
		return -STP_EINVAL;
	}
	set_times();
	if (!stp_memory_fits())
		return -STP_ENOMEM;
	err = make_contexts();
	if (!err)
		err = make_data(&map);
	if (err) {
		report_no_memory(map);
		return err;
	}
	stp_debug_lock_order();
	for (cpu = 0; cpu < stp_session.ncpus; cpu++)
		plat_ctx_set(cpu, stp_session.ctx[cpu] ? &stp_session.ctx[cpu]->c : &stp_ctx_none);
	return 0;
}

void stp_session_free(void)
{
	struct stp_session *s = &stp_session;
	u32 i;

	for (i = 0; i < s->ncpus; i++)
		plat_ctx_set(i, &stp_ctx_none);
	for (i = 0; i < stp_module.nstats; i++) {
		plat_free(stp_module.stats[i]->merged);
		stp_module.stats[i]->merged = NULL;
	}
	for (i = 0; i < stp_module.nforeachs; i++)
		stp_module.arrays->foreach_free(stp_module.foreachs[i]);
	for (i = 0; i < stp_module.nmaps; i++)
		stp_debug_map(stp_module.maps[i]);
	for (i = 0; i < stp_module.nmaps; i++)
		stp_module.arrays->map_free(stp_module.maps[i]);
	free_context(s->exclusive);
	for (i = 0; i < s->ncpus; i++) {
		free_context(s->ctx[i]);
		plat_free(s->percpu[i]);
	}
	plat_free(s->ctx);
	plat_free(s->percpu);
	s->exclusive = NULL;
	s->ctx = NULL;
	s->percpu = NULL;
	s->ncpus = 0;
}

/* ------------------------------------------------------------------ state: any context */

static bool change_state(u32 from, u32 to)
{
	return __atomic_compare_exchange_n(&stp_session.state, &from, to, false,
					   __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
}

static u32 state(void)
{
	return __atomic_load_n(&stp_session.state, __ATOMIC_RELAXED);
}

static void set_gates(u8 closed)
{
	u32 cpu;

	for (cpu = 0; cpu < stp_session.ncpus; cpu++)
		if (stp_session.ctx[cpu])
			__atomic_store_n(&stp_session.ctx[cpu]->closed, closed, __ATOMIC_SEQ_CST);
}

void stp_session_close(void)
{
	set_gates(1);
}

void stp_session_exit(void)
{
	if (!change_state(STP_STATE_RUNNING, STP_STATE_STOPPING) &&
	    !change_state(STP_STATE_STARTING, STP_STATE_STOPPING))
		return;
	stp_session_close();
	plat_message(STP_MSG_EXIT, NULL);
}

void stp_session_fail(const char *text)
{
	if (!change_state(STP_STATE_RUNNING, STP_STATE_ERROR) &&
	    !change_state(STP_STATE_STARTING, STP_STATE_ERROR) &&
	    !change_state(STP_STATE_STOPPING, STP_STATE_ERROR))
		return;
	stp_session.failed = 1;
	stp_session_close();
	if (text)
		plat_message(STP_MSG_ERROR, text);
	plat_message(STP_MSG_EXIT, NULL);
}

void stp_session_skipped(void)
{
	if (__atomic_add_fetch(&stp_session.skipped, 1, __ATOMIC_RELAXED) > stp_module.limits.skipped)
		stp_session_fail("Skipped too many probes, check MAXSKIPPED or try again with stap -t for more details.");
}

void stp_exit(struct stp_ctx *c)
{
	stp_session_exit();
}

/* ------------------------------------------------------------------ settings */

/* Returns 16 for a character that is not a digit. */
static u64 digit_of(char c)
{
	u8 letter = (u8)((c | 32) - 'a');

	if (c >= '0' && c <= '9')
		return (u64)(c - '0');
	return letter < 6 ? letter + 10u : 16;
}

/* Parses a decimal, hexadecimal (0x) or octal (0) number with a sign. Hexadecimal numbers may be addresses, so
 * they may use all 64 bits. */
static int parse_long(const char *s, s64 *n)
{
	u64 v = 0, base = 10, digit, max;
	bool minus = *s == '-', large = false;

	if (*s == '-' || *s == '+')
		s++;
	if (*s == '0' && (s[1] == 'x' || s[1] == 'X')) {
		base = 16;
		s += 2;
	} else if (*s == '0' && s[1]) {
		base = 8;
		s++;
	}
	if (!*s)
		return -STP_EINVAL;
	max = minus ? 1ull << 63 : base == 16 ? ~0ull : ~0ull >> 1;
	for (; *s; s++) {
		digit = digit_of(*s);
		if (digit >= base)
			return -STP_EINVAL;
		large |= v > (max - digit) / base;
		v = v * base + digit;
	}
	if (large)
		return -STP_ERANGE;
	*n = (s64)(minus ? 0 - v : v);
	return 0;
}

static const struct stp_global *find_global(const char *setting, u64 len)
{
	u32 i;

	for (i = 0; i < stp_module.nglobals; i++) {
		const char *name = stp_module.globals[i].name;

		if ((u64)stp_strlen(name) == len && !plat_memcmp(name, setting, len))
			return &stp_module.globals[i];
	}
	return NULL;
}

int stp_session_set(const char *setting)
{
	const struct stp_global *g;
	u64 len = 0;

	while (setting[len] && setting[len] != '=')
		len++;
	if (!setting[len])
		return -STP_EINVAL;
	g = find_global(setting, len);
	if (!g)
		return -STP_ENOENT;
	if (g->type == STP_LONG)
		return parse_long(setting + len + 1, g->cell);
	if (stp_strlen(setting + len + 1) >= stp_module.limits.string_len)
		return -STP_E2BIG;
	stp_copy(g->cell, setting + len + 1, stp_module.limits.string_len);
	return 0;
}

/* ------------------------------------------------------------------ begin, end, error */

/* These families arm nothing; the session finds their tables by the address of their ops. */
const struct stp_family_ops stp_begin_family = { .name = "begin" };
const struct stp_family_ops stp_end_family = { .name = "end" };
const struct stp_family_ops stp_error_family = { .name = "error" };

/* Number of hit budgets that a handler in slices, whose work is otherwise unlimited, may use after the session
 * has ended: some tenths of a second. */
#define WORK_AFTER_EXIT 100
#define ACTIONS_UNLIMITED (1LL << 62)

static void run_exclusive(const struct stp_probe *p)
{
	struct stp_ctx *c = &stp_session.exclusive->c;
	u64 from = plat_cycles();
	bool hit = !p->condition;

	plat_exclusive_enter();
	stp_private(c)->busy = 1;
	c->regs = NULL;
	c->address = 0;
	c->actions = p->unlimited ? ACTIONS_UNLIMITED : stp_private(c)->actions_max;
	c->stack_low = plat_stack_low();
	stp_private(c)->work_left = WORK_AFTER_EXIT * stp_private(c)->work_max;
	c->probe = p;
	hit = hit || p->condition();
	if (hit)
		p->handler(c);
	plat_preempt_off();
	stp_handler_finish(stp_private(c));
	plat_preempt_on();
	if (stp_private(c)->timing && hit && stp_probe_number(p))
		stp_timing_add(stp_private(c), p, plat_cycles() - from);
	stp_private(c)->busy = 0;
	plat_exclusive_leave();
}

enum stp_outcome stp_slices_run(const struct stp_probe *p, u64 argument)
{
	stp_session.exclusive->c.arguments[0] = argument;
	stp_session.exclusive->outcome = STP_COMPLETE;
	run_exclusive(p);
	return stp_session.exclusive->outcome;
}

/*
 * Returns the context of the handler that runs on this CPU. If this CPU's context and that of begin and end
 * handlers are both in use, the former is returned, since it interrupted the latter.
 */
struct stp_ctx *stp_ctx_here(void)
{
	struct stp_ctx *c = plat_ctx_here();

	return c && stp_private(c)->busy ? c : &stp_session.exclusive->c;
}

/* Runs the probes of a family while the session is in state `in`. */
static void run_family(const struct stp_family_ops *ops, u32 in)
{
	const struct stp_family *f = stp_module.families, *end = f + stp_module.nfamilies;
	const struct stp_begin *b;
	u32 i;

	for (; f < end; f++) {
		if (f->ops != ops)
			continue;
		b = f->table;
		for (i = 0; i < f->n && state() == in; i++)
			run_exclusive(b[i].probe);
	}
}

/* ------------------------------------------------------------------ start and stop */

/* Called after the gates were closed. */
static void stop_families(void)
{
	const struct stp_family *f;

	if (stp_session.started)
		/* afterwards the order of families does not matter; bounded: gates are closed */
		plat_handlers_wait();
	while (stp_session.started) {
		f = &stp_module.families[--stp_session.started];
		if (f->ops->stop)
			f->ops->stop(f->table, f->n);
	}
}

static int start_families(void)
{
	const struct stp_family *f;
	int err = 0;

	while (stp_session.started < stp_module.nfamilies) {
		f = &stp_module.families[stp_session.started];
		if (f->ops->start)
			err = f->ops->start(f->table, f->n);
		if (err)
			break;
		stp_session.started++;
		if (plat_killed())         /* checked here, since arming the previous families may have taken long */
			return -STP_EINTR;
	}
	return err;
}

int stp_session_start(void)
{
	int err;

	if (!change_state(STP_STATE_NEW, STP_STATE_STARTING))
		return -STP_EINVAL;
	if (stp_module.records)
		run_exclusive(&stp_module.records->ops->describe);
	run_family(&stp_begin_family, STP_STATE_STARTING);
	if (state() != STP_STATE_STARTING)
		return 0;
	err = start_families();
	STP_CHECK_THAT(stp_session.memory <= 2 * stp_session.memory_summed);
	if (err) {
		stop_families();
		if (err == -STP_EINTR)
			stp_session_exit();        /* killed: begin probes have run, so end probes run, too */
		else
			stp_session_fail(NULL);
		return err;
	}
	/* The state changes before the gates open, since hits count losses only while the session is running,
	 * and since frequent hits can delay this thread as soon as a gate is open. If a hit ends the session
	 * meanwhile, the gates that were opened since are closed again. */
	change_state(STP_STATE_STARTING, STP_STATE_RUNNING);
	set_gates(0);
	if (__atomic_load_n(&stp_session.state, __ATOMIC_SEQ_CST) != STP_STATE_RUNNING)
		stp_session_close();
	return 0;
}

void stp_session_stop(void)
{
	if (change_state(STP_STATE_NEW, STP_STATE_STOPPED) || state() == STP_STATE_STOPPED)
		return;
	change_state(STP_STATE_STARTING, STP_STATE_STOPPING);
	change_state(STP_STATE_RUNNING, STP_STATE_STOPPING);
	stp_session_close();
	stop_families();
	run_family(&stp_end_family, STP_STATE_STOPPING);
	run_family(&stp_error_family, STP_STATE_ERROR);        /* error probes also run after an error in an end probe */
	if (stp_module.records && stp_module.records->ops->values.handler)
		run_exclusive(&stp_module.records->ops->values);
	if (stp_session.exclusive->timing)
		stp_timing_report();
	__atomic_store_n(&stp_session.state, STP_STATE_STOPPED, __ATOMIC_SEQ_CST);
}

void stp_session_summary(struct stp_summary *sum)
{
	sum->errors = stp_session.errors;
	sum->skipped = stp_lost_of(STP_KIND_SKIPPED);
	sum->rc = stp_session.failed || (stp_session.errors && !stp_module.limits.suppress_errors);
}

/* ------------------------------------------------------------------ session data for scripts */

s64 stp_target(struct stp_ctx *c)
{
	return stp_session.target_unknown ? -1 : stp_session.target;
}

/* Returns whether the process belongs to the user: the user could read its memory by other means, too, so it is
 * not a set-user-ID program. */
bool stp_own_process(void)
{
	return (u32)stp_uid(NULL) == stp_session.uid && (u32)stp_euid(NULL) == stp_session.uid &&
	       (!stp_session.uid || plat_process_is_readable());
}

s64 stp_is_users_process(struct stp_ctx *c)
{
	return !stp_session.uid || stp_own_process();
}

s64 stp_relay_pid(struct stp_ctx *c)
{
	return stp_session.relay;
}

u64 stp_pid_namespace(struct stp_ctx *c)
{
	return stp_session.pid_namespace;
}

u64 stp_user_namespace(struct stp_ctx *c)
{
	return stp_session.user_namespace;
}

s64 stp_remote_id(struct stp_ctx *c)
{
	return stp_session.remote_id;
}

const char *stp_remote_uri(struct stp_ctx *c)
{
	return stp_session.remote_uri;
}

s64 stp_timezone_s(struct stp_ctx *c)
{
	return stp_session.timezone_s;
}

const char *stp_pp(struct stp_ctx *c)
{
	return c->probe->point;
}

const char *stp_pn(struct stp_ctx *c)
{
	return c->probe->written;
}

static void charge_cpus(struct stp_ctx *c)
{
	if (c)
		stp_charge(c, (u64)stp_session.ncpus * STP_WORK_CPU);
}

s64 stp_adder_read(struct stp_ctx *c, u32 offset, s64 base)
{
	u64 sum = (u64)base;
	u32 cpu;

	charge_cpus(c);
	for (cpu = 0; cpu < stp_session.ncpus; cpu++)
		if (stp_session.percpu[cpu])
			sum += *(volatile u64 *)(stp_session.percpu[cpu] + offset);
	return (s64)sum;
}

const union stp_val *stp_adders_read(struct stp_ctx *c, const struct stp_adder *adders, u32 n)
{
	union stp_val *values = stp_private(c)->adders;
	u32 i;

	for (i = 0; i < n; i++)
		values[i].n = stp_adder_read(c, adders[i].offset, *adders[i].base);
	return values;
}

void stp_adder_clear(struct stp_ctx *c, u32 offset)
{
	u32 cpu;

	charge_cpus(c);
	for (cpu = 0; cpu < stp_session.ncpus; cpu++)
		if (stp_session.percpu[cpu])
			*(volatile s64 *)(stp_session.percpu[cpu] + offset) = 0;
}

/* xorshift64*, with one state per context. */
s64 stp_random(struct stp_ctx *c, s64 below)
{
	u64 *x = &stp_private(c)->random;

	*x ^= *x >> 12;
	*x ^= *x << 25;
	*x ^= *x >> 27;
	if (below <= 0)
		return 0;
	return (s64)((*x * 0x2545f4914f6cdd1dull >> 1) % (u64)below);
}
