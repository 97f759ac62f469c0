/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions about the current task, which is this process: timers, begin and end probes run in it. */
#define _GNU_SOURCE
#include "user.h"

#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

s64 stp_pid(struct stp_ctx *c)
{
	return getpid();
}

s64 stp_tid(struct stp_ctx *c)
{
	return syscall(SYS_gettid);
}

/* All handlers run in one thread, so it need not distinguish calls. */
s64 stp_thread_start(struct stp_ctx *c)
{
	return 0;
}

s64 stp_ppid(struct stp_ctx *c)
{
	return getppid();
}

s64 stp_pgrp(struct stp_ctx *c)
{
	return getpgrp();
}

s64 stp_sid(struct stp_ctx *c)
{
	return getsid(0);
}

s64 stp_uid(struct stp_ctx *c)
{
	return getuid();
}

s64 stp_euid(struct stp_ctx *c)
{
	return geteuid();
}

bool plat_process_is_readable(void)
{
	return true;
}

s64 stp_gid(struct stp_ctx *c)
{
	return getgid();
}

s64 stp_egid(struct stp_ctx *c)
{
	return getegid();
}

s64 stp_cpu(struct stp_ctx *c)
{
	return sched_getcpu();
}

const char *stp_execname(struct stp_ctx *c)
{
	static char name[16];

	prctl(PR_GET_NAME, name);
	if (stp_module.limits.string_len < sizeof(name))
		name[stp_module.limits.string_len - 1] = '\0';
	return name;
}

const char *stp_hostname(struct stp_ctx *c)
{
	static char name[65];
	u32 size = stp_module.limits.string_len < sizeof(name) ? stp_module.limits.string_len : sizeof(name);

	if (gethostname(name, size))
		name[0] = '\0';
	name[size - 1] = '\0';
	return name;
}

u64 stp_current_task(struct stp_ctx *c)
{
	return 0;
}

bool stp_task_is_32bit(void)
{
	return false;      /* only 64-bit programs are supported */
}

static s64 clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (s64)t.tv_sec * 1000000000 + t.tv_nsec;
}

s64 stp_gettimeofday_ns(void)
{
	return clock_ns(CLOCK_REALTIME);
}

s64 stp_ktime_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

void stp_probefunc(struct stp_ctx *c, char *to, u32 size)
{
	*to = 0;
}

void stp_probemod(struct stp_ctx *c, char *to, u32 size)
{
	*to = 0;
}

/* --follow is rejected: this process is not notified of child processes of others. */
s64 stp_followed(struct stp_ctx *c, s64 pid)
{
	return pid == stp_session.target;
}
