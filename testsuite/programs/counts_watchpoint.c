// SPDX-License-Identifier: GPL-2.0-or-later
// Exits with status 0 if the kernel counts the hits of a watchpoint on a variable of this program.
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

static volatile long watched;

int main(void)
{
	struct perf_event_attr a = {
		.type = PERF_TYPE_BREAKPOINT, .size = sizeof(a), .bp_type = HW_BREAKPOINT_W,
		.bp_addr = (uintptr_t)&watched, .bp_len = HW_BREAKPOINT_LEN_8, .exclude_kernel = 1,
	};
	int fd = (int)syscall(SYS_perf_event_open, &a, 0, -1, -1, 0);
	uint64_t hits = 0;

	watched = 1;
	watched = 2;
	return fd < 0 || read(fd, &hits, sizeof(hits)) != sizeof(hits) || hits != 2;
}
