// SPDX-License-Identifier: GPL-2.0-or-later
// Makes system calls whose text is as expensive as possible: long vectors, sets, strings and structures. All calls
// fail.
#define _GNU_SOURCE
#include <linux/aio_abi.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <termios.h>
#include <unistd.h>

enum { LONG = 4000 };

static char *args[LONG + 1], text[4096];
static struct iovec iov[1024];
static struct iocb iocb, *iocbs[LONG];
static struct pollfd polled[LONG];
static struct mmsghdr messages[1024];
static unsigned char bits[LONG];
static struct termios terminal;
static struct perf_event_attr attr;
static union bpf_attr bpf;

int main(void)
{
	uint64_t signals = 0x5555555555555555;
	unsigned header[2] = { 0x20080522, 0 }, caps[6] = { 0x55555555, 0x55555555, 0x55555555, 0xff, 0xff, 0xff };

	memset(text, 1, sizeof(text) - 1);
	memset(bits, 0x55, sizeof(bits));
	memset(&terminal, 0x55, sizeof(terminal));
	memset(&attr, 0x55, sizeof(attr));
	memset(&bpf, 0x55, sizeof(bpf));
	attr.size = sizeof(attr);
	iocb = (struct iocb){ .aio_lio_opcode = IOCB_CMD_PWRITEV, .aio_fildes = 99, .aio_buf = (long)iov, .aio_nbytes = 1024 };
	for (int i = 0; i < LONG; i++) {
		args[i] = text;
		iocbs[i] = &iocb;
		polled[i] = (struct pollfd){ 99, 0x5555, 0 };
	}
	for (int i = 0; i < 1024; i++) {
		iov[i] = (struct iovec){ text, 4000 };
		messages[i].msg_hdr = (struct msghdr){ .msg_iov = iov, .msg_iovlen = 1024 };
	}
	for (int i = 0; i < 3; i++) {
		writev(99, iov, 1024);
		write(99, text, sizeof(text));
		syscall(SYS_execve, "/no/such/file", args, args);
		syscall(SYS_io_submit, 1L, (long)LONG, iocbs);
		syscall(SYS_ppoll, (void *)polled, (long)LONG, bits, &signals, 8L);
		syscall(SYS_pselect6, LONG * 8L, bits, bits, bits, bits, (void *)1L);
		syscall(SYS_sendmmsg, 99, messages, 1024, 0x55555555);
		syscall(SYS_rt_sigprocmask, 99, &signals, NULL, 8L);
		syscall(SYS_capset, header, caps);
		syscall(SYS_bpf, 0L, &bpf, sizeof(bpf));
		syscall(SYS_perf_event_open, &attr, 999999, 0, -1, 0L);
		ioctl(99, TCSETS, &terminal);
		syscall(SYS_openat, 99, text, 0x55555555, 0777);
		readv(99, iov, 1024);
	}
	return 0;
}
