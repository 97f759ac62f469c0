/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The memory of arrays: the layout of an element, the tables, and the data of each CPU. Context: process context,
 * before begin probes or after the last handler.
 */
#include "map.h"
#include "../include/bounds.h"

static void lay_out(const struct stp_map *m, struct stp_map_data *d)
{
	u64 string_cell = stp_round_up(stp_module.limits.string_len, 8), at = sizeof(struct stp_elem);
	u32 i;

	for (i = 0; i < m->nkeys; i++) {
		d->key_offset[i] = (u32)at;
		at += m->keys[i] == STP_LONG ? 8 : string_cell;
	}
	d->value_offset = (u32)at;
	at += m->value == STP_LONG ? 8 : m->value == STP_STRING ? string_cell : stp_round_up(m->stat.size, 8);
	d->elem_size = at;
	d->reciprocal = ~0ull / (at / sizeof(u64)) + 1;
}

static bool has_sums(const struct stp_map *m, u32 cpus)
{
	return m->percpu && m->value == STP_LONG && (u64)cpus * m->capacity <= STP_SUMS_MAX;
}

static s32 buckets_order(const struct stp_map *m)
{
	s32 order = 1;

	while (order < 31 && 1u << order < m->capacity)
		order++;
	order += stp_module.limits.hash_bias;
	return order < 1 ? 1 : order > 31 ? 31 : order;
}

u64 stp_map_bytes(const struct stp_map *m, u32 cpus)
{
	struct stp_map_data d;
	u64 table;

	lay_out(m, &d);
	table = d.elem_size * m->capacity + (sizeof(d.main.buckets[0]) << buckets_order(m));
	if (has_sums(m, cpus))
		return table + cpus * (sizeof(struct stp_sums) + m->capacity * sizeof(u64));
	return (m->percpu && m->value == STP_STATS ? cpus + 1 : 1) * table;
}

static int make_table(const struct stp_map *m, struct stp_table *t, s32 cpu)
{
	u64 pool = m->data->elem_size * m->capacity;
	s32 order = buckets_order(m);

	if (pool > 1ull << 32)                 /* positions have 32 bits */
		return -STP_ENOMEM;
	t->shift = 64 - order;
	t->buckets = plat_alloc(sizeof(t->buckets[0]) << order, cpu);
	t->pool = plat_alloc(pool, cpu);
	return t->buckets && t->pool ? 0 : -STP_ENOMEM;
}

static void free_table(struct stp_table *t)
{
	plat_free(t->buckets);
	plat_free(t->pool);
}

static int make_cpu_tables(struct stp_map *m)
{
	struct stp_map_data *d = m->data;
	u32 cpu;
	int err = 0;

	d->ncpus = plat_cpus();
	d->cpu = plat_alloc(d->ncpus * sizeof(d->cpu[0]), -1);
	if (!d->cpu) {
		d->ncpus = 0;
		return -STP_ENOMEM;
	}
	for (cpu = 0; cpu < d->ncpus && !err; cpu++) {
		/* The session has already chosen the CPUs that are in ctx[]. */
		if (!stp_session.ctx[cpu])
			continue;
		d->cpu[cpu] = plat_alloc(sizeof(*d->cpu[cpu]), (s32)cpu);
		err = d->cpu[cpu] ? make_table(m, d->cpu[cpu], (s32)cpu) : -STP_ENOMEM;
	}
	return err;
}

static u32 used_cpus(void)
{
	u32 cpu, n = 0;

	for (cpu = 0; cpu < plat_cpus(); cpu++)
		n += stp_session.ctx[cpu] != NULL;
	return n;
}

static int make_sums(struct stp_map *m)
{
	struct stp_map_data *d = m->data;
	u32 cpu;

	d->ncpus = plat_cpus();
	d->sums = plat_alloc(d->ncpus * sizeof(d->sums[0]), -1);
	if (!d->sums) {
		d->ncpus = 0;
		return -STP_ENOMEM;
	}
	for (cpu = 0; cpu < d->ncpus; cpu++) {
		if (!stp_session.ctx[cpu])
			continue;
		d->sums[cpu] = plat_alloc(sizeof(*d->sums[cpu]) + m->capacity * sizeof(d->sums[cpu]->at[0]), (s32)cpu);
		if (!d->sums[cpu])
			return -STP_ENOMEM;
	}
	return 0;
}

int stp_map_make(struct stp_map *m)
{
	int err;

	if (!stp_key_factor)
		stp_key_factor = plat_random() | 1;
	m->data = plat_alloc(sizeof(*m->data), -1);
	if (!m->data)
		return -STP_ENOMEM;
	lay_out(m, m->data);
	err = make_table(m, &m->data->main, -1);
	if (!err && m->percpu && has_sums(m, used_cpus()))
		return make_sums(m);
	if (!err && m->percpu && m->value == STP_STATS)
		err = make_cpu_tables(m);
	return err;
}

void stp_map_free(struct stp_map *m)
{
	struct stp_map_data *d = m->data;
	u32 cpu;

	if (!d)
		return;
	for (cpu = 0; cpu < d->ncpus; cpu++) {
		if (d->sums)
			plat_free(d->sums[cpu]);
		if (!d->cpu || !d->cpu[cpu])
			continue;
		free_table(d->cpu[cpu]);
		plat_free(d->cpu[cpu]);
	}
	plat_free(d->sums);
	plat_free(d->cpu);
	free_table(&d->main);
	plat_free(d);
	m->data = NULL;
}
