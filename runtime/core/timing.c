/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stap -t and records: the time of each probe's hits; for -t, also the locks for which hits waited. Each CPU has
 * its own numbers; they are summed, and printed or recorded, after the session has stopped; with --monitor also
 * while it runs.
 * Times are in cycles of the platform, or in nanoseconds if it has no cycle counter.
 */
#include "internal.h"

/* One probe's numbers on one CPU. The mean and the sum of squared distances from it are updated at each hit
 * (Welford's method). */
struct stp_timing {
	u64 hits, min, max, sum;
	s64 mean, squares;
};

void stp_timing_add(struct stp_ctx_private *v, const struct stp_probe *p, u64 n)
{
	struct stp_timing *t = v->timing + (p - stp_module.probes);
	s64 before = (s64)n - t->mean;

	if (!t->hits || n < t->min)
		t->min = n;
	if (n > t->max)
		t->max = n;
	t->hits++;
	t->sum += n;
	t->mean += before / (s64)t->hits;
	t->squares += before * ((s64)n - t->mean);
}

void stp_timing_set(u32 probe, u64 hits, u64 sum_ns)
{
	struct stp_timing *t = stp_session.exclusive->timing + probe;
	u64 khz = plat_cycles_khz();

	t->hits = hits;
	t->sum = khz ? sum_ns / 1000000 * khz + sum_ns % 1000000 * khz / 1000000 : sum_ns;
	t->mean = hits ? (s64)(t->sum / hits) : 0;
}

u64 stp_timing_size(void)
{
	return stp_module.limits.timing ? stp_module.nprobes * sizeof(struct stp_timing) : 0;
}

/* Adds `from` to `to`, including the distance between the means. */
static void merge(struct stp_timing *to, const struct stp_timing *from)
{
	s64 apart = from->mean - to->mean, hits = (s64)(to->hits + from->hits);

	if (!from->hits)
		return;
	if (!to->hits || from->min < to->min)
		to->min = from->min;
	if (from->max > to->max)
		to->max = from->max;
	to->squares += from->squares + apart * (s64)to->hits / hits * apart * (s64)from->hits;
	to->sum += from->sum;
	to->hits = (u64)hits;
	to->mean = (s64)(to->sum / to->hits);
}

/* Returns the sum of the numbers of all CPUs. */
static struct stp_timing sum(u32 index)
{
	struct stp_timing t = stp_session.exclusive->timing[index];
	u32 cpu;

	for (cpu = 0; cpu < stp_session.ncpus; cpu++)
		if (stp_session.ctx[cpu])
			merge(&t, &stp_session.ctx[cpu]->timing[index]);
	return t;
}

static void print_probe(struct stp_ctx *c, u32 index)
{
	const struct stp_probe *p = stp_module.probes + index;
	struct stp_timing t = sum(index);

	if (!t.hits)
		return;
	stp_cprintf(c, "%s, (%s), hits: %llu, cycles: %llumin/%lluavg/%llumax, variance: %lld, from: %s, index: %u\n",
		    p->point, p->where, t.hits, t.min, t.sum / t.hits, t.max, t.squares / (s64)t.hits, p->written,
		    index);
}

/* Each lock is reported once, even if several probes take it. */
static void print_locks(struct stp_ctx *c, const struct stp_probe *p, bool *any)
{
	const struct stp_lock_use *use = p->locks, *end = use + p->nlocks + p->nlate;

	for (; use < end; use++) {
		u32 waits = __atomic_exchange_n(&use->lock->waits, 0, __ATOMIC_RELAXED);

		if (!waits)
			continue;
		if (!*any)
			stp_cprintf(c, "----- lock contention report: \n");
		*any = true;
		stp_cprintf(c, "%s, waits: %u, timeouts: %u\n", use->name, waits, use->lock->timeouts);
	}
}

/* The quotient and the remainder are multiplied separately, so that the product of several days does not overflow. */
static u64 nanoseconds(u64 cycles)
{
	u64 khz = plat_cycles_khz();

	return khz ? cycles / khz * 1000000 + cycles % khz * 1000000 / khz : cycles;
}

static void record_probe(struct stp_ctx *c, u32 index)
{
	struct stp_timing t = sum(index);

	if (t.hits)
		stp_module.records->ops->cost(c, index, t.hits, nanoseconds(t.min), nanoseconds(t.sum), nanoseconds(t.max));
}

/* Maximum number of probes whose times a hit sums over all CPUs; each takes about 100 instructions. */
#define LIVE_SUMS 4000

void stp_record_costs(struct stp_ctx *c)
{
	u32 i;

	if (!stp_module.records || !stp_session.exclusive->timing)
		return;
	if ((u64)stp_module.nprobes * stp_session.ncpus > LIVE_SUMS)
		return;
	for (i = 0; i < stp_module.nprobes; i++)
		record_probe(c, i);
}

static void print_report(struct stp_ctx *c)
{
	bool any = false;
	u32 i;

	stp_cprintf(c, "----- probe hit report: \n");
	for (i = 0; i < stp_module.nprobes; i++)
		print_probe(c, i);
	for (i = 0; i < stp_module.nprobes; i++)
		print_locks(c, stp_module.probes + i, &any);
#ifdef STP_DEBUG
	stp_cprintf(c, "----- shared lines written: %llu\n", stp_debug_shared_writes);
#endif
}

void stp_timing_report(void)
{
	struct stp_ctx *c = &stp_session.exclusive->c;
	u32 i;

	plat_exclusive_enter();
	stp_private(c)->busy = 1;
	if (stp_module.limits.timing_report)
		print_report(c);
	for (i = 0; stp_module.records && i < stp_module.nprobes; i++)
		record_probe(c, i);
	stp_handler_finish(stp_private(c));
	stp_private(c)->busy = 0;
	plat_exclusive_leave();
}
