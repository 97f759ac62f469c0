/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Hardware watchpoints: breakpoint events of perf, on each CPU, or in each thread of the target. */
#define _GNU_SOURCE
#include "client.h"
#include "../core/internal.h"
#include "../include/number.h"
#include "../include/watchpoint_errors.h"

#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Returns the address of a symbol. Symbols of the kernel precede those of its modules. */
static u64 symbol_address(const char *wanted)
{
	FILE *f = fopen("/proc/kallsyms", "re");
	char line[1024], symbol[512], type;
	uint64_t address;
	u64 found = 0;

	while (f && !found && fgets(line, sizeof(line), f)) {
		const char *rest = line;

		if (number_unsigned(&rest, 16, &address) == NUMBER_GOOD &&
		    sscanf(rest, " %c %511s", &type, symbol) == 2 && !strcmp(symbol, wanted))
			found = address;
	}
	if (f)
		fclose(f);
	return found;
}

/* Returns the start address of the target's code, the 26th value in /proc/PID/stat; 0: unknown. */
static u64 start_of_code(void)
{
	enum { START_CODE = 26 };
	char path[64], line[1024];
	const char *rest = NULL;
	uint64_t start;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)stp_session.target);
	f = fopen(path, "re");
	if (f && fgets(line, sizeof(line), f))
		rest = strrchr(line, ')');     /* the name before it may contain spaces */
	if (f)
		fclose(f);
	for (int i = 2; rest && i < START_CODE; i++) {       /* the name is the 2nd value */
		rest = strchr(rest, ' ');
		rest = rest ? rest + 1 : NULL;
	}
	return rest && number_unsigned(&rest, 10, &start) == NUMBER_GOOD ? start : 0;
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

/* Writes to memory that is watched for this thread. Returns 0 if that is a hit, or if it cannot be tried because all
 * debug registers are in use, which start_watchpoint() reports then; -EOPNOTSUPP if nothing is hit. */
static int try_watchpoint(void)
{
	static volatile long trial;
	struct perf_event_attr a = {
		.size = sizeof(a), .type = PERF_TYPE_BREAKPOINT, .bp_addr = (uintptr_t)&trial, .bp_len = sizeof(trial),
		.bp_type = HW_BREAKPOINT_W, .exclude_kernel = 1,
	};
	int fd = (int)syscall(SYS_perf_event_open, &a, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	uint64_t hits = 0;
	bool counted;

	if (fd < 0)
		return 0;
	trial = 1;
	counted = read(fd, &hits, sizeof(hits)) == sizeof(hits);
	close(fd);
	return counted && !hits ? -EOPNOTSUPP : 0;
}

static int start_watchpoint(const struct stp_hwbkpt *w, int trial_result)
{
	struct perf_event_attr a = { .size = sizeof(a), .type = PERF_TYPE_BREAKPOINT, .sample_period = 1, .disabled = 1 };
	const char *reason;
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
	err = trial_result;
	if (!err)
		err = w->in_target ? client_event_in_target(w->probe, &a) : client_event_on_cpus(w->probe, &a);
	if (!err || w->optional)
		return 0;
	reason = stp_watchpoint_error(err);
	snprintf(text, sizeof(text), "%s%s", reason ? "; " : "", reason ? reason : "");
	errno = -err;
	return client_attached(NULL, w->probe, text);
}

static int start_watchpoints(void *table, u32 n)
{
	const struct stp_hwbkpt *w = table, *end = w + n;
	int err = 0, trial_result = n ? try_watchpoint() : 0;

	for (; w < end && !err; w++)
		err = start_watchpoint(w, trial_result);
	if (err)
		client_detach(NULL, 0);
	return err;
}

const struct stp_family_ops stp_hwbkpt_family = { "hwbkpt", start_watchpoints, client_detach };
