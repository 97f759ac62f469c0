/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Capabilities of the client. It loads programs with the capabilities that it was started with, attaches them with
 * CAP_BPF and CAP_PERFMON, and drops all afterwards. Some kernels require CAP_SYS_ADMIN for perf events (Debian's,
 * with kernel.perf_event_paranoid 3), for probes of programs, or for both (before 5.8): it becomes effective when
 * an event is refused. Commands of -c and system() run with the privileges of the user who started the client: all
 * capabilities if that is root.
 */
#define _GNU_SOURCE
#include "client.h"
#include "../core/internal.h"

#include <errno.h>
#include <linux/capability.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef CAP_PERFMON
#define CAP_PERFMON 38
#define CAP_BPF 39
#endif

/* Drops all capabilities except `kept`, and makes those in `raised` effective. */
static bool keep_only(u64 kept, u64 raised)
{
	struct __user_cap_header_struct head = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct data[2];
	u32 i;

	if (syscall(SYS_capget, &head, data))
		return false;
	for (i = 0; i < 2; i++) {
		data[i].permitted &= (u32)(kept >> 32 * i);
		data[i].effective = data[i].permitted & (u32)(raised >> 32 * i);
		data[i].inheritable = 0;
	}
	return !syscall(SYS_capset, &head, data);
}

/* Returns the number of the kernel's last capability. */
static u32 last_capability(void)
{
	FILE *f = fopen("/proc/sys/kernel/cap_last_cap", "re");
	u32 last = CAP_BPF;

	if (f && fscanf(f, "%u", &last) != 1)
		last = CAP_BPF;
	if (f)
		fclose(f);
	return last;
}

bool privileges_for_attaching(bool programs)
{
	u64 raised = last_capability() < CAP_BPF ? 1ull << CAP_SYS_ADMIN : 1ull << CAP_BPF | 1ull << CAP_PERFMON;

	if (programs)
		raised |= 1ull << CAP_DAC_READ_SEARCH;     /* required for directories that only their owner can
							    * search */
	return keep_only(raised | 1ull << CAP_SYS_ADMIN, raised);
}

int privileges_perf_event(struct perf_event_attr *a, int pid, int cpu)
{
	int fd = (int)syscall(SYS_perf_event_open, a, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0 && (errno == EACCES || errno == EPERM) && privileges_raise())
		fd = (int)syscall(SYS_perf_event_open, a, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	return fd;
}

bool privileges_raise(void)
{
	return keep_only(~0ull, ~0ull);
}

bool privileges_to_read_maps(void)
{
	return keep_only(1ull << CAP_SYS_PTRACE, 1ull << CAP_SYS_PTRACE);
}

bool privileges_none(void)
{
	return keep_only(0, 0);
}

bool lockdown_is_confidential(void)
{
	FILE *f = fopen("/sys/kernel/security/lockdown", "re");
	char text[128] = "", command[4096] = "";

	if (f && !fgets(text, sizeof(text), f))
		*text = 0;
	if (f) {
		fclose(f);
		return strstr(text, "[confidentiality]");
	}
	/* securityfs is not mounted: read the kernel's command line */
	f = fopen("/proc/cmdline", "re");
	if (f && !fgets(command, sizeof(command), f))
		*command = 0;
	if (f)
		fclose(f);
	return strstr(command, "lockdown=confidentiality");
}
