/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The memory of a session, which is computed as a sum before anything except its buffers is allocated. A script may
 * allocate half of the available memory, or -DSTP_MAXMEMORY: without a limit, the kernel would kill processes to
 * satisfy a module. Later allocations are counted against the same limit (stp_memory_granted()).
 */
#include "internal.h"
#include "map.h"
#include "session.h"

struct sum {
	u64 maps, foreachs, calls, tables, contexts, buffers;
	const struct stp_map *largest;
	u64 largest_bytes;
};

static u32 used_cpus(void)
{
	u32 cpu, n = 0;

	for (cpu = 0; cpu < plat_cpus(); cpu++)
		n += plat_cpu_used(cpu);
	return n;
}

static void add_maps(struct sum *s, u32 cpus)
{
	u64 bytes;
	u32 i;

	for (i = 0; i < stp_module.nmaps; i++) {
		bytes = stp_module.arrays->map_bytes(stp_module.maps[i], cpus);
		s->maps += bytes;
		if (bytes > s->largest_bytes) {
			s->largest = stp_module.maps[i];
			s->largest_bytes = bytes;
		}
	}
	for (i = 0; i < stp_module.nforeachs; i++)
		s->foreachs += stp_module.arrays->foreach_bytes(stp_module.foreachs[i]);
}

static struct sum sum_of_all(void)
{
	const struct stp_family *f = stp_module.families, *end = f + stp_module.nfamilies;
	u32 cpus = used_cpus(), i;
	struct sum s = { .buffers = stp_session.memory };

	add_maps(&s, cpus);
	for (; f < end; f++) {
		if (f->ops->memory)
			s.calls += f->ops->memory(f->table, f->n);
		if (f->ops->tables)
			s.tables += f->ops->tables(f->table, f->n);
	}
	for (i = 0; i < stp_module.nstats; i++)
		s.contexts += stp_module.stats[i]->desc.size;
	s.contexts += (cpus + 1ull) * (sizeof(struct stp_ctx_private) + stp_module.frame_size + stp_timing_size()) +
		      (u64)cpus * stp_module.percpu_size;
	return s;
}

static const char smaller_arrays[] = "give arrays a smaller size (global ";

/* Returns advice on how to reduce the largest part. */
static const char *advice(const struct sum *s)
{
	u64 max = s->maps > s->calls ? s->maps : s->calls;

	if (s->tables > max && s->tables > s->buffers)
		return "probe fewer functions, or fewer programs by process(PATH).begin, .end, .thread or .syscall";
	if (s->buffers > max)
		return "use smaller output buffers (-s MB)";
	return s->calls > s->maps ? "use a smaller .maxactive(N)" : smaller_arrays;
}

static void report_excess(const struct sum *s, u64 all, u64 allowed)
{
	bool by_user = stp_module.limits.memory_kb, arrays;
	const char *help = advice(s);
	u64 unit = by_user ? 1 << 10 : 1 << 20;

	arrays = help == smaller_arrays;
#define AMOUNT(bytes) (u32)(((bytes) + unit - 1) / unit)
	stp_complain("not enough memory for the script: it needs %u %s (arrays %u, sorting them %u, calls in progress %u, "
		     "tables of probes %u, output buffers %u, the rest %u), %s%u %s; %s%s%s%s",
		     AMOUNT(all), by_user ? "KB" : "MB",
		     AMOUNT(s->maps), AMOUNT(s->foreachs), AMOUNT(s->calls), AMOUNT(s->tables), AMOUNT(s->buffers),
		     AMOUNT(s->contexts), by_user ? "-DSTP_MAXMEMORY allows " : "half of the available memory is ",
		     AMOUNT(allowed), by_user ? "KB" : "MB", help,
		     arrays && s->largest ? s->largest->name : "", arrays ? "[N], -DMAXMAPENTRIES=N)" : "",
		     by_user ? ", or raise that limit" : ", or allow more with -DSTP_MAXMEMORY=KB");
#undef AMOUNT
}

bool stp_memory_fits(void)
{
	u64 allowed = (u64)stp_module.limits.memory_kb << 10, available = plat_memory_available(), all;
	struct sum s = sum_of_all();

	all = s.maps + s.foreachs + s.calls + s.tables + s.contexts + s.buffers;
	if (!allowed && available)
		allowed = (available + s.buffers) / 2;
	if (allowed && all > allowed) {
		report_excess(&s, all, allowed);
		return false;
	}
	stp_session.memory_summed = all;
	stp_session.memory_allowed = allowed;
	return true;
}
