/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Hardware watchpoints: breakpoint events of perf, on each CPU, or in each thread of the target. */
#define _GNU_SOURCE
#include "client.h"
#include "../core/internal.h"

#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

/* Returns the address of a symbol. Symbols of the kernel precede those of its modules. */
static u64 symbol_address(const char *wanted)
{
	FILE *f = fopen("/proc/kallsyms", "re");
	unsigned long long address, found = 0;
	char line[1024], symbol[512], type;

	while (f && !found && fgets(line, sizeof(line), f))
		if (sscanf(line, "%llx %c %511s", &address, &type, symbol) == 3 && !strcmp(symbol, wanted))
			found = address;
	if (f)
		fclose(f);
	return found;
}

/* Returns the start address of the target's code, the 26th value in /proc/PID/stat; 0: unknown. */
static u64 start_of_code(void)
{
	unsigned long long start = 0;
	char path[64], line[1024], *rest = NULL;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)stp_session.target);
	f = fopen(path, "re");
	if (f && fgets(line, sizeof(line), f))
		rest = strrchr(line, ')');     /* the name before it may contain spaces */
	if (f)
		fclose(f);
	if (!rest || sscanf(rest + 1, " %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s"
			    " %*s %*s %llu", &start) != 1)
		return 0;
	return start;
}

void watchpoints_prepare(void)
{
	static bool found;         /* static, since loading may be attempted twice */
	const struct stp_family *family = client_family(&stp_hwbkpt_family);
	struct stp_hwbkpt *w = family ? family->table : NULL, *end = family ? w + family->n : NULL;

	for (; w < end && !found; w++) {
		if (w->site.symbol)
			w->site.address = symbol_address(w->site.symbol);
		else if (w->in_target && w->start_code)
			w->site.address += start_of_code() - w->start_code;
	}
	found = true;
}

static const char *reason(int err)
{
	switch (err) {
	case -ESRCH: case -ENOENT: return "; a target process is required: use -c or -x";
	case -ENOSPC: case -EBUSY: return "; all debug registers of the processor are in use";
	case -EINVAL:
		return "; the processor cannot watch this address with this length (the address must be a multiple of the "
		       "length)";
	}
	return "";
}

static int start_watchpoint(const struct stp_hwbkpt *w)
{
	struct perf_event_attr a = { .size = sizeof(a), .type = PERF_TYPE_BREAKPOINT, .sample_period = 1, .disabled = 1 };
	char text[300];
	int err;

	a.bp_addr = w->site.address;
	a.bp_len = w->length;
	a.bp_type = w->reads ? HW_BREAKPOINT_RW : HW_BREAKPOINT_W;
	if (w->site.symbol && !w->site.address) {
		snprintf(text, sizeof(text), "%s: the running kernel and its modules have no symbol of this name", w->probe->point);
		if (!w->optional)
			plat_message(STP_MSG_WARNING, text);
		return 0;
	}
	err = w->in_target ? client_event_in_target(w->probe, &a) : client_event_on_cpus(w->probe, &a);
	if (!err || w->optional)
		return 0;
	errno = -err;
	return client_attached(NULL, w->probe, reason(err));
}

static int start_watchpoints(void *table, u32 n)
{
	const struct stp_hwbkpt *w = table, *end = w + n;
	int err = 0;

	for (; w < end && !err; w++)
		err = start_watchpoint(w);
	if (err)
		client_detach(NULL, 0);
	return err;
}

const struct stp_family_ops stp_hwbkpt_family = { "hwbkpt", start_watchpoints, client_detach };
