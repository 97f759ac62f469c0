// SPDX-License-Identifier: GPL-2.0-or-later
// Makes calls whose arguments point to structures with special formats (run.sh compares them with strace). None
// does harm.
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/bpf.h>
#include <linux/kexec.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>
#include "calls.h"
#if defined(__x86_64__) || defined(__i386__)
#include <asm/ldt.h>
#endif

#define BAD ((void *)-1L)

static char text[16] = "hello", buffer[4096];
static struct iovec iov[2] = { { text, 3 }, { text, 2 } };

static void aio(void)
{
	static struct iocb read = { .aio_lio_opcode = IOCB_CMD_PREAD, .aio_fildes = 99, .aio_nbytes = 5, .aio_offset = 7 };
	static struct iocb write = { .aio_data = 3, .aio_lio_opcode = IOCB_CMD_PWRITE, .aio_reqprio = 1, .aio_fildes = 99,
				     .aio_nbytes = 5, .aio_flags = IOCB_FLAG_RESFD, .aio_resfd = 98 };
	static struct iocb writev = { .aio_lio_opcode = IOCB_CMD_PWRITEV, .aio_fildes = 99, .aio_nbytes = 2 };
	static struct iocb readv = { .aio_lio_opcode = IOCB_CMD_PREADV, .aio_fildes = 99, .aio_nbytes = 2, .aio_offset = 7 };
	static struct iocb poll = { .aio_lio_opcode = IOCB_CMD_POLL, .aio_fildes = 99, .aio_buf = 5 };
	static struct iocb sync = { .aio_lio_opcode = IOCB_CMD_FSYNC, .aio_fildes = 99 };
	static struct iocb other = { .aio_lio_opcode = 77, .aio_fildes = -1, .aio_data = 5, .aio_key = 6 };
	static struct iocb *list[] = { &read, &write, &writev, &readv, &poll, &sync, &other, NULL, BAD };
	static struct timespec ts = { 0, 4 };

	read.aio_buf = write.aio_buf = (long)text;
	writev.aio_buf = readv.aio_buf = (long)iov;
	T(io_submit, 0L, 9L, list);
	T(io_submit, 0L, 1L, BAD);
	T(io_submit, 0L, 0L, list);
	T(io_submit, 0L, -1L, list);
	T(io_cancel, 0L, &write, buffer);
	T(io_cancel, 0L, NULL, NULL);
	T(io_getevents, 0L, 1L, 2L, buffer, &ts);
}

static void bpfs(void)
{
	static unsigned numbers[64];
	static unsigned long long exit_alone[1];
	static union bpf_attr a;

	for (int i = 0; i <= 35; i++)
		T(bpf, i, NULL, 0);
	for (int i = 0; i < 64; i++)
		numbers[i] = 200 + i;
	for (int i = 0; i <= 35; i++)
		if (i != 32) T(bpf, i, numbers, 144);
	for (int i = 0; i <= 31; i++)
		if (i != 18) T(bpf, i, numbers, 16);
	for (int i = 0; i <= 31; i++)
		T(bpf, i, numbers, 4);
	a.prog_type = 1, a.insn_cnt = 2, a.insns = (long)buffer, a.license = (long)text;
	T(bpf, 5, &a, 64);
	T(bpf, 5, &a, 144);
	exit_alone[0] = 0x95, a.insn_cnt = 1, a.insns = (long)exit_alone;      /* rejected: no value is returned */
	a.license = (long)"GPL", a.log_buf = (long)buffer, a.log_size = sizeof(buffer), a.log_level = 1;
	buffer[0] = 0;
	T(bpf, 5, &a, 144);
	memset(&a, 0, sizeof(a));
	a.pathname = (long)text, a.bpf_fd = 99;
	T(bpf, 6, &a, 16);
	a.raw_tracepoint.prog_fd = 99;
	T(bpf, 17, &a, 16);
	memset(&a, 0, sizeof(a));
	a.map_fd = 99, a.key = a.value = (long)text, a.flags = 1;
	T(bpf, 2, &a, 32);
	memset(&a, 0, sizeof(a));
	a.map_type = 1, a.key_size = 4, a.value_size = 8, a.max_entries = 7;
	T(bpf, 0, &a, 20);
	T(bpf, 0, &a, 16);
	T(bpf, 0, &a, 4);
	a.map_flags = 0x1001, strcpy(a.map_name, "name");
	T(bpf, 0, &a, 72);
	T(bpf, 0, &a, sizeof(a));
	T(bpf, 0, BAD, 20);
}

static void perf(void)
{
	static struct perf_event_attr a;

	a.size = sizeof(a), a.config = 0, a.sample_period = 1000, a.disabled = 1;
	T(perf_event_open, &a, 999999, -1, -1, 0L);
	a.type = PERF_TYPE_SOFTWARE, a.config = 1, a.freq = 1, a.exclude_kernel = 1, a.exclude_hv = 1;
	T(perf_event_open, &a, 999999, -1, -1, 8L);
	a.type = PERF_TYPE_TRACEPOINT, a.config = 77, a.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID, a.read_format = 3;
	T(perf_event_open, &a, 999999, -1, 99, 0L);
	a.type = PERF_TYPE_HW_CACHE, a.config = 0x010203;
	T(perf_event_open, &a, 999999, -1, -1, 0L);
	a.type = PERF_TYPE_BREAKPOINT, a.bp_type = 3, a.bp_addr = 0x1000, a.bp_len = 4;
	T(perf_event_open, &a, 999999, -1, -1, 0L);
	a.type = PERF_TYPE_RAW, a.config = 0x1234, a.size = 64;
	T(perf_event_open, &a, 999999, -1, -1, 0L);
	a.type = 99, a.size = 0;
	T(perf_event_open, &a, 999999, -1, -1, 0L);
	a.size = 3;
	T(perf_event_open, &a, 999999, -1, -1, 0L);
	T(perf_event_open, BAD, 999999, -1, -1, 0L);
	T(perf_event_open, NULL, 999999, -1, -1, 0L);
}

static void ldt(void)
{
#if defined(__x86_64__) || defined(__i386__)
	static struct user_desc d = { .entry_number = 9000, .base_addr = 4096, .limit = 5, .seg_32bit = 1, .contents = 3 };

	T(modify_ldt, 1, &d, sizeof(d));
	T(modify_ldt, 17, &d, sizeof(d));
	T(modify_ldt, 1, &d, 4L);
	T(modify_ldt, 1, BAD, sizeof(d));
	T(modify_ldt, 0, buffer, 0L);
	T(modify_ldt, 2, buffer, 0L);
	T(modify_ldt, 99, buffer, 5L);
#endif
}

static void pages(void)
{
	static void *at[40] = { text, buffer, NULL };
	static int nodes[2] = { 0, 5 }, status[2];

	T(move_pages, 0, 2L, at, NULL, status, 2);
	T(move_pages, 0, 2L, at, nodes, status, 2);
	T(move_pages, 999999, 2L, at, nodes, status, 6);
	T(move_pages, 999999, 40L, at, NULL, NULL, 0);
	T(move_pages, 999999, 0L, at, nodes, NULL, 0);
	T(move_pages, 999999, 2L, BAD, BAD, BAD, 0);
}

static void kexecs(void)
{
	static long segments[2][4] = { { 0, 5, 4096, 8192 }, { 0, 0, 0, 0 } };

	segments[0][0] = (long)text;
	T(kexec_load, 4096L, 2L, segments, 3L << 16 | 2);
	T(kexec_load, 4096L, 99L, segments, 3L << 16 | 2);
	T(kexec_load, 4096L, 1L, BAD, 3L << 16 | 2);
	T(kexec_load, 0L, 0L, segments, 3L << 16 | 2);
}

static void clones(void)
{
	static uint64_t a[12];
	static int tids[2] = { 1, 1 };

	a[0] = 0x80000000u | CLONE_THREAD, a[4] = SIGUSR1, a[5] = (long)buffer, a[6] = 4096;
	T(clone3, a, 64L);
	T(clone3, a, 8L);
	T(clone3, a, 65L);
	T(clone3, BAD, 64L);
	a[0] = CLONE_PIDFD | CLONE_CHILD_SETTID | CLONE_PARENT_SETTID | CLONE_SETTLS | CLONE_THREAD;
	a[1] = (long)text, a[2] = (long)buffer, a[3] = (long)buffer + 8, a[7] = (long)buffer + 16;
	T(clone3, a, 64L);
	a[8] = (long)tids, a[9] = 2;
	T(clone3, a, 80L);
	a[0] = CLONE_THREAD | 0x200000000ull, a[10] = 99;
	T(clone3, a, 88L);
	a[0] = CLONE_THREAD, a[11] = 5;
	T(clone3, a, 96L);
	a[11] = 0;
	T(clone3, a, 96L);
}

/* Calls that write IDs of processes and descriptors. */
static void spawns(void)
{
	static const long flags[] = { CLONE_PARENT_SETTID | SIGCHLD, CLONE_PIDFD | SIGCHLD, SIGCHLD };
	static void *at[] = { buffer, NULL, BAD };
	static const uint64_t flags3[] = { 0, CLONE_PIDFD, CLONE_PIDFD | CLONE_PARENT_SETTID, CLONE_PARENT_SETTID };
	static uint64_t a[8];

	for (int i = 0; i < 9; i++) {
		if (!T(clone, flags[i % 3], 0L, at[i / 3], 0L, 0L))
			_exit(0);
		T(wait4, -1L, NULL, 0L, NULL);
	}
	a[1] = (long)buffer, a[4] = SIGCHLD;
	for (int i = 0; i < 4; i++) {
		a[0] = flags3[i];
		a[3] = i == 3 ? 0 : (long)buffer + 8;
		if (!T(clone3, a, 64L))
			_exit(0);
		T(wait4, -1L, NULL, 0L, NULL);
	}
}

static void registers(void)
{
#ifdef __x86_64__
	for (long i = 0; i < 240; i += sizeof(long))
		T(ptrace, 3, 999999L, i, buffer);
	T(ptrace, 6, 999999L, 8L, 5L);
	T(ptrace, 3, 999999L, 5L, buffer);
	T(ptrace, 3, 999999L, 240L, buffer);
	T(ptrace, 3, 999999L, 280L, buffer);
	T(ptrace, 3, 999999L, 284L, buffer);
	T(ptrace, 3, 999999L, 848L, buffer);
	T(ptrace, 3, 999999L, 856L, buffer);
	T(ptrace, 3, 999999L, 99999L, buffer);
#endif
}

static void quotas(void)
{
	static char q[256];

	for (int i = 1; i <= 9; i++)
		T(quotactl, (0x5800 | i) << 8, "/nodev", 5, q);
	q[0] = 1, q[1] = 1, q[2] = 5, q[8] = 9, q[16] = 7;
	T(quotactl, 0x580300 << 0 | 0, "/nodev", 5, q);
	T(quotactl, 0x580400 | 1, "/nodev", -1, q);
	T(quotactl, 0x580400 | 1, "/nodev", 3, BAD);
	int fd = open("/", O_RDONLY);
	for (int i = 1; i <= 9; i++) {
		T(quotactl_fd, fd, (0x5800 | i) << 8, 0, q);
		T(quotactl_fd, fd, (0x800000 | i) << 8, 0, q);
	}
	q[0] = 1;
	T(quotactl_fd, fd, 0x580800, 0, q);
	close(fd);
}

static void terminals(void)
{
	static struct termios t = { .c_iflag = ICRNL | IXON, .c_oflag = OPOST | ONLCR, .c_cflag = B38400 | CS8 | CREAD,
				    .c_lflag = ISIG | ICANON | ECHO, .c_cc = { 3, 28, 127, 21, 4, 0, 1 } };
	static struct winsize w = { 24, 80, 1, 2 };
	int terminal = T(openat, AT_FDCWD, "/dev/ptmx", O_RDWR);

	for (int i = 0x5401; i <= 0x5460; i++)
		if (i != 0x541f && (i < 0x5438 || i > 0x5440)) T(ioctl, 99, i, 0L);
	for (int i = 0x5401; i <= 0x5405; i++)
		T(ioctl, 99, i, &t);
	t.c_cc[6] = 1;
	T(ioctl, terminal, TCGETS, &t);
	T(ioctl, terminal, TIOCGWINSZ, &w);
	T(ioctl, 99, TIOCSWINSZ, &w);
	T(ioctl, 99, TIOCSWINSZ, BAD);
	T(ioctl, 99, TCSETS, BAD);
	T(ioctl, 99, 0x402c542b, &t);
	T(ioctl, 99, 0x802c542a, &t);
}

int main(void)
{
	touch_program();
	T(chdir, "/begin");
	aio();
	bpfs();
	perf();
	ldt();
	pages();
	kexecs();
	clones();
	spawns();
	registers();
	quotas();
	terminals();
	T(chdir, "/end");
	return 0;
}
