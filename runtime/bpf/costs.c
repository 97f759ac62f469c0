/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The hits of BPF programs and their time, as counted by the kernel. It counts while a descriptor of
 * bpf_enable_stats() is open, which is only done if the output consists of records, since these contain the
 * numbers.
 */
#define _GNU_SOURCE
#include "client.h"
#include "../core/internal.h"

#include <bpf/bpf.h>
#include <stdio.h>
#include <stdlib.h>

#define UPDATE_NS 100000000ull

static bool enabled;
static const u64 **calls;              /* by the number of the probe: hits of system calls, or NULL */

void costs_enable(void)
{
	if (stp_module.records)
		enabled = bpf_enable_stats(BPF_STATS_RUN_TIME) >= 0;
}

/* Finds the variables of STP_CALL_HITS() in bpf_hits.h. */
static void find_calls(void)
{
	const char *section = client_map_section(".bss.calls");
	char name[32];
	s64 at;
	u32 i;

	calls = calloc(stp_module.nprobes, sizeof(*calls));
	for (i = 0; calls && section && i < stp_module.nprobes; i++) {
		snprintf(name, sizeof(name), "stp_calls_%u", i);
		at = client_variable_offset(".bss.calls", name);
		if (at >= 0)
			calls[i] = (const u64 *)(section + at);
	}
}

void costs_update(bool now)
{
	static u64 updated;
	struct bpf_program *p;
	u32 i;

	if (!enabled || !stp_session.exclusive->timing || (!now && user_now_ns() - updated < UPDATE_NS))
		return;
	updated = user_now_ns();
	if (!calls)
		find_calls();
	for (i = 0; i < stp_module.nprobes; i++) {
		struct bpf_prog_info info = { 0 };
		u32 size = sizeof(info);

		p = client_numbered_program(i);
		if (p && !bpf_obj_get_info_by_fd(bpf_program__fd(p), &info, &size))
			stp_timing_set(i, calls && calls[i] ? *calls[i] : info.run_cnt, info.run_time_ns);
	}
}
