/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables in their compact form: every probe has its own point, and a family gets the table and runs that it expands. */
#include "core_platform.h"

static void first(struct stp_ctx *c) { }
static void second(struct stp_ctx *c) { }

static const char points[] = "a\0*\0bc\0\0\0b*\0def\0def\0";
static struct stp_probe probes[5];
static const struct stp_probe_run probe_runs[] = {
	{ 3, { .point = points, .handler = first } },
	{ 1, { .point = points + 12, .handler = second } },
};

static int table, runs, calls;
static void expand(void *t, const void *r, u32 n) { calls += t == &table && r == &runs && n == 7; }
static const struct stp_family_ops wild = { .name = "wild", .expand = expand }, plain = { .name = "plain" };
static const struct stp_family families[] = {
	{ .ops = &plain, .table = &table, .n = 1 }, { .ops = &wild, .table = &table, .n = 9, .runs = &runs, .nruns = 7 },
};

const struct stp_module stp_module = {
	.abi = STP_GENERATED_ABI, .limits = LIMITS, .families = families, .nfamilies = 2,
	.probes = probes, .nprobes = 4, .expanded = probes, .probe_runs = probe_runs, .nprobe_runs = 2,
};

static bool is(u32 i, const char *point, const char *written, void (*handler)(struct stp_ctx *c))
{
	return !strcmp(probes[i].point, point) && !strcmp(probes[i].written, written) && probes[i].handler == handler;
}

int main(void)
{
	stp_rows_expand();
	verdict(is(0, "a", "*", first) && is(1, "bc", "*", first) && is(2, "", "b*", first),
		"each probe of a run has its own point, and what was written for it");
	verdict(is(3, "def", "def", second), "a run begins with its own row");
	verdict(!probes[4].point, "nothing is written after the last run");
	verdict(calls == 1, "a family with runs expands them once, others are not asked");
	return finish();
}
