// SPDX-License-Identifier: GPL-2.0-or-later
// Makes calls of each class of decoding: arguments by command, sets and vectors, data that the call writes,
// structures, names for parts of a value, memory that cannot be read (run.sh compares them with strace). None does
// harm.
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timex.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "calls.h"

#define BAD ((void *)-1L)

static char text[16] = "hello", buffer[8192], nofile[] = "/no/such/file", file[] = "/tmp/classes";
static struct iovec iov[4] = { { text, 3 }, { text, 2 }, { text, 0 }, { text, 1 } };
static struct timespec ts = { 0, 1000 };
static int numbers[16], fds[2];
static fd_set set, other;
static uint64_t wide[16];
static struct timex tx;
static siginfo_t info;
static socklen_t len;

static void keys(void)
{
	static char kind[] = "user", name[] = "the name", payload[] = "pay\0load";
	long key = T(add_key, kind, name, payload, 8L, -2);

	T(keyctl, 11, key, buffer, 100L);
	T(keyctl, 6, key, buffer, 100L);
	T(keyctl, 6, key, buffer, 3L);
	T(keyctl, 17, key, buffer, 100L);
	T(keyctl, 5, key, 0x3f010a24);
	T(keyctl, 4, key, 0, 0);
	T(keyctl, 2, key, payload, 3L);
	T(keyctl, 10, -2, kind, name, 0);
	T(keyctl, 15, key, 1000);
	T(keyctl, 8, key, -4);
	T(keyctl, 3, key);
	T(keyctl, 21, key);
	T(request_key, kind, name, text, -2);
}

static void commands(void)
{
	static const char process[] = "a process";

	T(prctl, PR_SET_SECUREBITS, 0x2f);
	T(prctl, PR_GET_SECUREBITS);
	T(prctl, PR_CAPBSET_READ, CAP_SYS_ADMIN);
	T(prctl, PR_CAP_AMBIENT, PR_CAP_AMBIENT_IS_SET, CAP_NET_RAW, 0, 0);
	T(prctl, PR_SET_NAME, process);
	T(prctl, PR_GET_NAME, buffer);
	T(prctl, PR_SET_TIMERSLACK, 50000L);
	T(prctl, PR_GET_CHILD_SUBREAPER, numbers);
	T(futex, numbers, 5, 1, 2L, numbers + 1, 0x2a005003);
	T(futex, numbers, 5, 1, 2L, numbers + 1, 0x34fff001);
	T(futex, numbers, 4 | 128, 1, 2L, numbers + 1, 9);
	T(swapon, nofile, 0x8000 | 32767 | 0x20000);
	T(swapon, nofile, 0x70000);
	T(quotactl, (int)(0x800001u << 8 | 1), NULL, 0, NULL);
	T(quotactl, (int)(0x800004u << 8 | 2), nofile, 0, buffer);
	T(fcntl, 99, F_SETPIPE_SZ, 8192);
	T(fcntl, 99, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_WRITE);
	T(fcntl, 99, F_SETSIG, SIGUSR2);
	T(fcntl, 99, F_NOTIFY, DN_CREATE | DN_MULTISHOT);
	T(fcntl, 99, F_SETLEASE, F_WRLCK);
	T(fcntl, 99, F_GETOWN_EX, numbers);
	T(fcntl, 99, F_SETOWN_EX, numbers);
	T(fcntl, 99, F_SETOWN, -5);
}

static void vectors(void)
{
	static struct pollfd poll[3] = { { 0, POLLIN }, { 1, POLLOUT | POLLERR }, { -1, 0 } };

	T(poll, poll, 3, 0);
	T(getgroups, -1, numbers);
	T(setgroups, -5, numbers);
	T(process_vm_readv, 1, iov, 2L, iov, 4L, 1L);
	T(process_vm_writev, 1, iov, 4L, iov, 2L, 1L);
	T(preadv2, 99, iov, 4L, -1L, -1L, 0x1f);
	T(pwritev2, 99, iov, 4L, 7L, 0L, 0x12);
	T(pselect6, -1, &set, &set, NULL, &ts, NULL);
	T(pipe2, fds, O_NONBLOCK);
	FD_SET(fds[0], &set);
	FD_SET(fds[1], &other);
	T(pselect6, 60, &set, &other, NULL, &ts, NULL);
	FD_SET(fds[0], &set);
	FD_ZERO(&other);
#ifndef __i386__
	static struct timeval tv = { 0, 1000 };

	T(select, 60, &set, &other, NULL, &tv);
#endif
	poll[0].fd = fds[0];
	poll[1].fd = fds[1];
	T(poll, poll, 2, 0);
	T(write, fds[1], text, 5L);
	T(ppoll, poll, 3, &ts, wide, 8L);
	T(tee, fds[0], 98, 5L, 1);
	T(read, fds[0], buffer, 3L);
}

static void outputs(void)
{
	long fd = T(openat, AT_FDCWD, file, O_RDWR | O_CREAT | O_TRUNC, 0600), copy, watch;
	loff_t in = 0, out = 2;

	T(pwrite64, fd, text, 5L, 0L, 0L);
	copy = T(openat, AT_FDCWD, file, O_RDWR);
	T(copy_file_range, fd, &in, copy, &out, 2L, 0);
	T(splice, fd, &in, fds[1], NULL, 1L, 2);
	T(ftruncate, fd, 3L, 0L);
	watch = T(inotify_init1, 0);
	T(inotify_add_watch, watch, "/tmp", IN_ALL_EVENTS | 0x80000000);
	T(getdents64, fd, buffer, 100L);
	T(timerfd_create, CLOCK_REALTIME, O_NONBLOCK);
	T(getpriority, PRIO_USER, 0);
	T(getrusage, 1, buffer);
	T(prlimit64, 0, RLIMIT_STACK, NULL, wide);
	T(clock_gettime, -6, &ts);
	T(clock_gettime, 0xdeadbee2, &ts);
	T(timer_gettime, 77, buffer);
	T(sched_getattr, 0, buffer, 56, 0);
	T(readlinkat, AT_FDCWD, nofile, buffer, 5L);
	T(statx, fd, "", AT_EMPTY_PATH, 1, buffer);
	T(close, fd);
}

static void ended(void)
{
	static const int signals[] = { SIGKILL, SIGABRT };
	int status;

	for (int i = 0; i < 2; i++) {
		long child = forked();

		if (!child) {
			T(kill, getpid(), signals[i]);
			for (;;)
				;
		}
		T(wait4, child, &status, 0, NULL);
	}
	T(waitid, 0, 0, &info, WEXITED | WNOHANG, NULL);
}

static void structures(void)
{
	static struct sock_filter filter[] = { { 6, 0, 0, 0x7fff0000 } };
	static struct sock_fprog program = { 1, filter };
	static struct {
		uint32_t size, policy;
		uint64_t flags;
		int32_t nice;
		uint32_t priority;
		uint64_t times[3];
		uint32_t util[2];
	} sched = { 48, 6, 1, 0, 0, { 1000, 2000, 3000 }, { 5, 6 } };
	static struct { uint64_t flags, mode, resolve; } how = { O_RDONLY | O_CLOEXEC, 0, 0xc };
	static struct { uint64_t val, addr; uint32_t flags, reserved; } waitv[2] = { { 1, 0, 2, 0 }, { 2, 0, 0x82, 0 } };
	static struct { uint64_t set, clear, propagation, ns; } mount = { 1, 2, 1 << 18, 0 };
	static struct { uint64_t fs, net; } rules = { 0x1fff, 1 };
	static struct { uint64_t allowed; int32_t fd; } __attribute__((packed)) beneath = { 3, 98 };

	T(seccomp, 1, 0xff00, &program);
	T(seccomp, 2, 0, buffer);
	T(prctl, PR_SET_SECCOMP, 2, BAD);
	T(sched_setattr, 999999, &sched, 0);
	sched.policy = 2;
	sched.size = 56;
	sched.flags = 0x60;
	T(sched_setattr, 999999, &sched, 0);
	sched.size = 48;
	T(sched_setattr, 999999, &sched, 1);
	T(openat2, AT_FDCWD, "/proc/self/exe", &how, 24L);
	T(openat2, AT_FDCWD, nofile, &how, 8L);
	T(openat2, AT_FDCWD, nofile, BAD, 24L);
	T(futex_waitv, waitv, 2, 5, NULL, 1);
	T(mount_setattr, -100, nofile, 0x8000, &mount, 32L);
	T(landlock_create_ruleset, &rules, 8L, 0);
	T(landlock_create_ruleset, NULL, 0L, 1);
	T(landlock_add_rule, 99, 1, &beneath, 0);
	T(process_madvise, 99, iov, 2L, 20, 0);
	T(move_mount, -100, nofile, 98, text, 0x77);
	T(fsconfig, 99, 2, text, buffer, 3);
	T(fsconfig, 99, 3, text, nofile, -100);
	T(fsconfig, 99, 5, text, NULL, 7);
	T(fsconfig, 99, 6, NULL, NULL, 0);
	T(fsopen, text, 1);
	T(fsconfig, 99, 1, text, buffer, 0);
	T(fsmount, 99, 1, 0x81);
	T(fspick, -100, nofile, 0xf);
	T(open_tree, -100, nofile, 0x88001);
	T(set_robust_list, wide, 24L);
}

static void parts(void)
{
	T(clone, CLONE_THREAD | CLONE_SETTLS | SIGUSR1, 0L, buffer, buffer + 8, buffer + 16);
	T(clone, CLONE_THREAD | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID, 4096L, buffer, buffer + 8, buffer + 16);
	T(clone, CLONE_NEWUSER | CLONE_FS | CLONE_CHILD_SETTID, 4096L, buffer, buffer + 8, buffer + 16);
	info.si_signo = SIGUSR2;
	info.si_code = -1;
	T(rt_tgsigqueueinfo, 999999, 999999, SIGUSR2, &info);
	info.si_signo = SIGCHLD;
	info.si_code = 1;
	T(rt_sigqueueinfo, 999999, SIGCHLD, &info);
	T(ioprio_set, 3, 999999, 1 << 13 | 3);
	T(ioprio_set, 9, 999999, 5 << 13 | 3);
	T(ioprio_get, 2, 999999);
	T(kexec_load, 4096L, 0L, NULL, 62L << 16);
#ifndef __i386__
	T(kexec_file_load, 99, 98, 5L, text, 7L);
#endif
	T(memfd_create, text, 0x78000004);
	T(personality, ADDR_NO_RANDOMIZE | PER_LINUX32);
	T(personality, 0);
	tx.modes = ADJ_SETOFFSET | ADJ_NANO;
	T(clock_adjtime, 5, &tx);
	tx.modes = 0x8001;
	T(clock_adjtime, 99, &tx);
	T(setns, 99, CLONE_NEWUSER | CLONE_NEWPID);
	T(open, nofile, O_PATH | O_DIRECTORY);
	T(openat, 99, nofile, O_DSYNC | O_DIRECT | O_NOATIME | O_LARGEFILE);
	T(madvise, 4096L, 4096L, MADV_HUGEPAGE);
	T(mprotect, 4096L, 4096L, PROT_EXEC | PROT_GROWSDOWN);
	T(renameat2, -100, nofile, -100, nofile, 6);
	T(mknod, nofile, S_IFBLK | 0644, 0x800);
	T(mount, nofile, nofile, text, MS_BIND | MS_REC, text);
	T(mount, nofile, nofile, NULL, MS_REMOUNT | MS_NOATIME, "size=1");
	T(mount, nofile, nofile, text, MS_MOVE | 0xc0ed0000, text);
	T(umount2, nofile, 0xe);
}

static void unreadable(void)
{
	static struct mmsghdr { struct msghdr h; unsigned n; } *messages;

	messages = (void *)(buffer + 1024);
	memset(messages, 0, sizeof(*messages));
	messages->h.msg_iov = iov;
	messages->h.msg_iovlen = 1;
	T(sendmmsg, 99, messages, 1, 0);
	T(sendmmsg, 99, BAD, 2, 0);
	T(sigaltstack, BAD, NULL);
	T(prlimit64, 0, RLIMIT_CPU, BAD, NULL);
	T(ppoll, BAD, 1, NULL, NULL, 8L);
	T(pselect6, 5, BAD, NULL, NULL, NULL, NULL);
	T(mkdir, BAD, 0700);
	T(rename, nofile, BAD);
	T(symlink, BAD, nofile);
	T(setxattr, nofile, BAD, text, 3L, 0);
	T(setxattr, nofile, text, BAD, 3L, 0);
	T(add_key, BAD, text, text, 3L, 1);
	T(keyctl, 1, BAD);
	T(prctl, PR_SET_NAME, BAD);
	T(settimeofday, BAD, NULL);
	T(setitimer, 0, BAD, NULL);
	T(sched_setattr, 0, BAD, 0);
	T(mq_open, BAD, 0);
	T(init_module, BAD, 5L, BAD);
	T(clock_nanosleep, 1, 1, BAD, NULL);
	T(copy_file_range, 99, BAD, 98, BAD, 1L, 0);
}

static void sockets(void)
{
	static struct { long s, us; } wait = { 1, 5 };
	static struct { int on, seconds; } linger = { 1, 3 };
	static int hops = 9;
	long a = T(socket, AF_INET6, SOCK_STREAM, IPPROTO_TCP), pair[2];

	T(setsockopt, a, SOL_SOCKET, SO_RCVTIMEO, &wait, 16);
	T(setsockopt, a, SOL_SOCKET, SO_LINGER, &linger, 8);
	T(setsockopt, a, IPPROTO_IPV6, 16, &hops, 4);
	T(setsockopt, a, IPPROTO_IPV6, 26, &hops, 4);
	T(setsockopt, a, IPPROTO_TCP, 13, "reno", 4);
	T(setsockopt, a, SOL_SOCKET, SO_BINDTODEVICE, "lo", 2);
	len = 4;
	T(getsockopt, a, IPPROTO_IPV6, 26, numbers, &len);
	T(socketpair, AF_UNIX, SOCK_STREAM, 0, numbers);
	pair[0] = numbers[0];
	len = 12;
	T(getsockopt, pair[0], SOL_SOCKET, SO_PEERCRED, buffer, &len);
	len = 16;
	T(getsockopt, pair[0], SOL_SOCKET, SO_TYPE, buffer, &len);
	T(shutdown, pair[0], 5);
	T(socket, AF_PACKET, SOCK_RAW, 0x300);
	T(socket, AF_PACKET, SOCK_DGRAM, 0xdd86);
	T(socket, AF_INET, SOCK_RAW, IPPROTO_ICMP);
	T(socket, 77, 99, 5);
	T(ioctl, a, 0x8912, BAD);
	T(ioctl, 99, 0x5451);
	T(epoll_ctl, 99, EPOLL_CTL_MOD, 98, &(struct epoll_event){ EPOLLIN | EPOLLEXCLUSIVE | EPOLLRDHUP, { .u32 = 5 } });
	T(epoll_ctl, 99, EPOLL_CTL_DEL, 98, wide);
	T(epoll_ctl, 99, 77, 98, wide);
}

int main(void)
{
	touch_program();
	T(chdir, "/begin");
	keys();
	commands();
	vectors();
	outputs();
	ended();
	structures();
	parts();
	unreadable();
	sockets();
	T(chdir, "/end");
	return 0;
}
