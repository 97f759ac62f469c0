// SPDX-License-Identifier: GPL-2.0-or-later
// Makes calls whose arguments depend on a command (run.sh compares them with strace). None does harm.
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>
#include "calls.h"

static char name[16] = "name", text[16] = "hello", buffer[4096], dq[256];
static int one = 1;
static struct iovec iov[2] = { { text, 3 }, { text, 2 } };
static long regset[2] = { (long)buffer, 64 };
static uint64_t attr[8] = { 1, 2, 3 }, set64 = 512;
static struct timespec ts = { 3, 4 };

static void keys(void)
{
	for (int i = 0; i <= 31; i++)
		T(keyctl, i, 55L, name, 5L, 7L);
	T(keyctl, 0, -3, 1);
	T(keyctl, 5, 55, 0x3f3f0000);
	T(keyctl, 14, 0);
	T(keyctl, 14, 3);
	T(keyctl, 14, 99);
	T(keyctl, 1, name);
	T(keyctl, 1, NULL);
	T(keyctl, 19, 55, 3, ENOKEY, 66);
	T(keyctl, 12, 55, text, 3, 66);
	T(keyctl, 20, 55, iov, 2, 66);
	T(keyctl, 10, 55, name, text, 66);
	T(keyctl, 2, 55, text, 5);
	T(keyctl, 4, 55, -1, 5);
	T(keyctl, 29, 55, name, text);
	T(keyctl, 99, 1, 2, 3, 4);
}

static void prctls(void)
{
	for (int i = 1; i <= 64; i++)
		if (i!=15&&i!=22&&i!=4&&i!=1&&i!=35) T(prctl, i, 0L, 0L, 0L, 0L);
	T(prctl, 1, SIGHUP);
	T(prctl, 1, 0);
	T(prctl, 15, name);
	T(prctl, 23, 0L);
	T(prctl, 23, 7L, 1L, 2L, 3L);
	T(prctl, 24, 77L);
	T(prctl, 0x59616d61, -1L, 0, 0, 0);
	T(prctl, 0x59616d61, 1L);
	T(prctl, 28, 0x3L);
	T(prctl, 26, 1);
	T(prctl, 25, &one);
	T(prctl, 33, 1, 1, 0, 0);
	T(prctl, 33, 0, 0, 0, 0);
	T(prctl, 33, 1, 0, 0, 0);
	T(prctl, 33, 1, 2, 0, 0);
	T(prctl, 35, 6, 4096L, 0, 0);
	T(prctl, 35, 12, &one, 3, 4);
	T(prctl, 37, &one);
	T(prctl, 40, buffer);
	T(prctl, 6, 2);
	T(prctl, 10, 2);
	T(prctl, 12, 2);
	T(prctl, 20, 1);
	T(prctl, 14, 1);
	T(prctl, 2, &one);
	T(prctl, 4, 1);
	T(prctl, 4, 5);
	T(prctl, 8, 1);
	T(prctl, 22, 2, 0x1234);
	T(prctl, 29, 5);
	T(prctl, 36, 1);
	T(prctl, 38, 1, 0, 0, 0);
	T(prctl, 41, 1, 0, 0, 0);
	T(prctl, 47, 2, 5, 0, 0);
	T(prctl, 47, 4, 0, 0, 0);
	T(prctl, 52, 0, 0, 0, 0);
	T(prctl, 53, 0, 2, 0, 0);
	T(prctl, 0x53564d41, 0, 4096L, 4096L, name);
	T(prctl, 9999, 1L, 2L, 3L, 4L);
	T(prctl, 5, &one);
	T(prctl, 9, &one);
	T(prctl, 11, &one);
	T(prctl, 19, &one);
	T(prctl, 55, 1, 0, 0, 0);
	T(prctl, 62, 1, 0, 0, 0);
}

static void ptraces(void)
{
	for (int i = 0; i < 40; i++)
		if (i) T(ptrace, i, 999999L, buffer, 5L);
	for (int i = 0x4200; i < 0x4212; i++)
		T(ptrace, i, 999999L, buffer, 5L);
	T(ptrace, 0x4200, 999999L, 0L, 0x58);
	T(ptrace, 7, 999999L, 0L, SIGUSR1);
	T(ptrace, 7, 999999L, 0L, 0L);
	T(ptrace, 0x4204, 999999L, 1L, regset);
	T(ptrace, 0x4205, 999999L, 1L, regset);
	T(ptrace, 0x4206, 999999L, 0L, 3L);
	T(ptrace, 0x4209, 999999L, attr, buffer);
	T(ptrace, 30, 999999L, buffer, 0x1003);
	T(ptrace, 0x4203, 999999L, 0L, buffer);
	T(ptrace, 0x420b, 999999L, 8L, &set64);
	T(ptrace, 3, 999999L, 16L, buffer);
	T(ptrace, 6, 999999L, 16L, 5L);
	T(ptrace, 17, 999999L, 0L, SIGTERM);
}

static void quotas(void)
{
	static const unsigned qc[] = {
		0x800001, 0x800002, 0x800003, 0x800004, 0x800005, 0x800006, 0x800007, 0x800008, 0x800009,
		0x5801, 0x5802, 0x5803, 0x5804, 0x5805, 0x5806, 0x5807, 0x5808,
	};

	for (int i = 0; i < 17; i++)
		T(quotactl, (int)((unsigned)qc[i]<<8), "/nodev", 5, dq);
	T(quotactl, (int)(0x800002u<<8|1), "/nodev", 2, text);
	T(quotactl, (int)(0x800007u<<8|2), "/nodev", -1, dq);
	T(quotactl, 0x1234, "/nodev", -1, dq);
	T(quotactl, (int)(0x800001u<<8), NULL, 0, NULL);
}

static void others(void)
{
	T(futex, &one, 5, 1, 2L, &one, 0x10002001|3<<24);
	T(futex, &one, 5|128, 1, 2L, &one, 0xf1fff001u);
	T(futex, &one, 11, 1, &ts, &one, 5);
	T(futex, &one, 11, 1, NULL, 0L, 0);
	T(futex, &one, -1, 1, &ts, &one, 5);
	T(futex, &one, 9, 1, &ts, NULL, -1);
	T(futex, &one, 10, 1, NULL, NULL, -1);
	T(futex, &one, 4, 1, 2L, &one, 3);
	T(futex, &one, 12, 1, 2L, &one, 3);
	T(futex, &one, 6, 1, &ts);
	T(futex, &one, 7);
	T(futex, &one, 8);
	T(futex, &one, 13, 1, &ts);
	T(futex, &one, 3, 1, 2L, &one);
	T(futex, &one, 1, 1);
	T(futex, &one, 0, 7, &ts);
	T(futex, &one, 2, 1);
	T(futex, &one, 77, 1, &ts, &one, 5);
	T(sysfs, 1, "proc");
	T(sysfs, 2, 0, buffer);
	T(sysfs, 3);
	T(sysfs, 9, 1, 2);
	T(swapon, "/nofile", 0x8000|1);
	T(swapon, "/nofile", 0x8000);
	T(swapon, "/nofile", 0x18007);
	T(swapon, "/nofile", 0x10000);
}

int main(void)
{
	touch_program();
	T(chdir, "/begin");
	keys();
	prctls();
	ptraces();
	quotas();
	others();
	T(chdir, "/end");
	return 0;
}
