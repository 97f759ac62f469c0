// SPDX-License-Identifier: GPL-2.0-or-later
// Makes calls with arguments that cannot be read, counts that the kernel refuses, and values without a name (run.sh
// compares them with strace). None does harm.
#define _GNU_SOURCE
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/timex.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "calls.h"

#define BAD ((void *)-1L)

static char text[16] = "hello", buffer[4096], nofile[] = "/no/such/file";
static struct iovec iov[40];
static struct pollfd fds[40];
static unsigned groups[40];
static struct sembuf sems[2] = { { 1, -1, IPC_NOWAIT }, { 2, 3, SEM_UNDO } };
static siginfo_t info;
static struct timex tx;
static struct timespec ts = { 3, 4 };
static struct mq_attr_of_kernel { long flags, maxmsg, msgsize, curmsgs, reserved[4]; } attr = { 0, 5, 16, 0 };
static struct sigevent event = { .sigev_notify = SIGEV_NONE, .sigev_value.sival_int = 5 };
static uint64_t clone_args[8] = { 0, 0, 0, 0, SIGCHLD };
static char *args[] = { "one", "two", NULL };

static void unreadable(void)
{
	T(execve, NULL, BAD, args + 2);
	T(execve, nofile, args, BAD);
	T(bind, 3, BAD, 16);
	T(connect, 3, BAD, 16);
	T(open, BAD, O_RDONLY);
	T(writev, 99, BAD, 2L);
	T(poll, BAD, 2, 0);
	T(nanosleep, BAD, NULL);
	T(rt_sigprocmask, SIG_BLOCK, BAD, NULL, 8L);
	T(write, 99, BAD, 5L);
	T(setsockopt, 99, SOL_SOCKET, SO_REUSEADDR, BAD, 4);
	T(sendto, 99, BAD, 5L, 0, BAD, 16);
	T(sendmsg, 99, BAD, 0);
	T(setgroups, 2, BAD);
	T(rt_sigaction, SIGUSR1, BAD, NULL, 8L);
	T(utimensat, AT_FDCWD, nofile, BAD, 0);
	T(epoll_ctl, 99, 1, 98, BAD);
	T(getsockname, 99, BAD, BAD);
	T(pipe, BAD);
	T(setrlimit, 7, BAD);
	T(readv, 99, BAD, 2L);
	T(capset, BAD, BAD);
	T(timer_create, 0, BAD, BAD);
	T(sched_setparam, 0, BAD);
#ifndef __i386__
	T(msgsnd, 99, BAD, 136L, 0);
	T(semop, 99, BAD, 2L);
#endif
}

static void refused(void)
{
	T(readv, 99, iov, -1L);
	T(writev, 99, iov, -1L);
	T(preadv, 99, iov, -1L, 5L, 0L);
	T(pwritev, 99, iov, 2000L, 5L, 0L);
	T(preadv2, 99, iov, -1L, 5L, 0L, 1);
	T(vmsplice, 99, iov, 2000L, 4);
	T(process_vm_readv, 1, iov, -1L, iov, 1L, 0L);
	T(process_vm_writev, 1, iov, 1L, iov, -1L, 0L);
	T(setgroups, -1, groups);
	T(writev, 99, iov, 40L);
	T(setsockopt, 99, SOL_SOCKET, SO_REUSEADDR, buffer, -1);
	T(setdomainname, text, -1);
	T(bind, 99, buffer, -1);
	T(sendto, 99, text, -1L, 0, NULL, 0);
#ifndef __i386__
	T(semop, 99, sems, 0xffffffff00000002L);
#endif
	T(setgroups, 40, groups);
}

static void codes(void)
{
	static const int signals[] = { SIGUSR1, SIGSEGV, SIGCHLD, SIGIO, SIGFPE, SIGTRAP, SIGBUS, SIGILL };
	static const int values[] = { 0, -1, -2, -3, -4, -5, -6, 0x80, 1, 2, 3, 77 };

	memset((char *)&info + 12, 1, 40);
	for (int s = 0; s < 8; s++) {
		for (int c = 0; c < 12; c++) {
			info.si_signo = signals[s];
			info.si_code = values[c];
			T(rt_sigqueueinfo, 999999, signals[s], &info);
		}
	}
	T(rt_tgsigqueueinfo, 999999, 999999, SIGUSR1, &info);
}

static void parts(void)
{
	T(ioprio_set, 1, 999999, 4 << 11 | 7);
	T(ioprio_set, 1, 999999, 2 << 13 | 7);
	T(ioprio_set, 2, 999999, 3 << 13);
	T(kexec_load, 0L, 0L, NULL, 3L << 16 | 1);
	T(kexec_load, 0L, 99L, NULL, 0L);
	tx.modes = ADJ_STATUS | ADJ_FREQUENCY;
	tx.status = STA_UNSYNC | STA_PLL;
	T(clock_adjtime, 99, &tx);
	T(memfd_create, nofile, 0x54000004);
	T(mq_open, nofile, O_RDWR | O_CREAT | 3, 0600, &attr);
	T(open, nofile, 3 | O_NONBLOCK);
	T(timer_create, 99, &event, NULL);
	T(mq_notify, 99, &event);
	T(mq_getsetattr, 99, &attr, NULL);
	T(semget, 7, 1, 03777);
	T(clone3, clone_args, 4096L);
	T(swapon, nofile, 0x8005);
	T(socket, AF_UNIX, SOCK_STREAM, 5);
	T(socket, AF_INET, SOCK_STREAM | SOCK_NONBLOCK, IPPROTO_UDP);
	T(socketpair, AF_INET, SOCK_DGRAM, IPPROTO_UDP, NULL);
#ifdef __i386__
	T(mmap2, 4096L, 8192L, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | 21 << 26, 99, 16L);
#else
	T(mmap, 4096L, 8192L, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | 21 << 26, 99, 65536L);
	T(mmap, 4096L, 8192L, PROT_READ, MAP_SHARED | MAP_HUGETLB | 30 << 26, 99, 65536L);
	T(shmget, 7, 4096L, 04600 | 21 << 26);
#endif
}

static void unnamed(void)
{
	T(sched_get_priority_max, -1);
	T(sched_setscheduler, 999999, 0x40000001, NULL);
	T(personality, 0x0006000);
	T(execveat, 99, nofile, args, args + 2, 0xfffff);
	T(statx, 99, nofile, 0xfffff, 0xfffff, NULL);
	T(dup3, 99, 98, 0x3fffff);
	T(pipe2, NULL, 0x3fffff);
	T(sendto, 99, text, 5L, 0x7fffffff, NULL, 0);
	T(fanotify_init, 0xffff, 0x3fffff);
	T(fanotify_mark, 99, 0xffff, 0x3bL, 0L, 98, nofile);
	T(pkey_alloc, 0L, 7L);
	T(flock, 99, 0xff);
	T(utimensat, AT_FDCWD, nofile, NULL, 0xffff);
	T(linkat, 99, nofile, 98, nofile, 0xffff);
	T(unlinkat, 99, nofile, 0xffff);
	T(name_to_handle_at, 99, nofile, NULL, NULL, 0xffff);
	T(faccessat2, 99, nofile, 7, 0xffff);
	T(fchownat, 99, nofile, 1, 2, 0xffff);
	T(membarrier, 999, 1);
	T(membarrier, 128, 1);
	T(ioctl, 99, 0xc018aa3f, buffer);
	T(ioctl, 99, 0x800454cf, buffer);
	T(ioctl, 99, 0x5413, buffer);
	T(ioctl, 99, 0x1234, buffer);
	T(kcmp, 999999, 999998, 77, 1L, 2L);
	T(openat, 99, nofile, 0x3fffff, 07777);
	for (int i = 1; i < 1 << 24; i <<= 1)
		T(openat, 99, nofile, i, 0600);
	T(fallocate, 99, 0xff, 1L, 2L, 3L, 4L);
	T(splice, 99, NULL, 98, NULL, 1L, 0xff);
	T(inotify_add_watch, 99, nofile, 0xffffffff);
	T(epoll_create1, 0x3fffff);
	T(close_range, 98, 97, 0xff);
	T(setns, 99, 0xffffff);
	T(unshare, 0x1);
	T(mremap, 4096L, 4096L, 8192L, 0xf, 4096L);
	T(mlockall, 0xf);
	T(madvise, 1L, 4096L, 77);
	T(waitid, 77, 999999, NULL, 0x7f, NULL);
	T(fcntl, 99, 77, 5L);
	T(fcntl, 99, F_SETFL, 0x3fffff);
	T(fcntl, 99, F_SETLEASE, 1L);
	T(getrandom, buffer, 5L, 0xff);
	T(umount2, nofile, 0xff);
	T(mount, nofile, nofile, text, -1L, text);
}

// Calls that exist only in 32-bit processes.
static void narrow(void)
{
#ifdef __i386__
	static long socket_args[6] = { AF_INET, SOCK_DGRAM, 0 }, msgrcv_args[2] = { (long)buffer, -7 }, value = 5;

	T(socketcall, 1, socket_args);
	T(socketcall, 2, socket_args);
	T(ipc, 3, 99, 1, 16, &value);
	T(ipc, 3, 99, 1, 0x102, &value);
	T(ipc, 1, 99, 2, 0, sems);
	T(ipc, 4, 99, 2, 0, sems, &ts);
	T(ipc, 11, 99, 5, IPC_NOWAIT, buffer);
	T(ipc, 12, 99, 5, IPC_NOWAIT, msgrcv_args, 3);
	T(ipc, 1 << 16 | 12, 99, 5, IPC_NOWAIT, buffer, 3);
	T(ipc, 14, 99, 0x100, 0, buffer);
	T(ipc, 21, 99, 0, &value, NULL);
	T(ipc, 24, 99, 0, 0, buffer);
	T(timer_settime64, 99, 0, clone_args, NULL);
	T(timerfd_settime64, 99, 0, clone_args, NULL);
	T(clock_settime64, 99, clone_args);
	T(mq_timedsend_time64, 99, text, 5, 3, clone_args);
	T(mq_timedreceive_time64, 99, buffer, 5, NULL, clone_args);
	T(utimensat_time64, AT_FDCWD, nofile, clone_args, 0);
	T(futex_time64, &value, 0, 7, clone_args, NULL, 0);
	T(clock_adjtime64, 99, &tx);
	T(truncate64, nofile, 1, 2);
	T(chown, nofile, 1, -1);
	T(mmap2, 0L, 8192L, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0L);
	T(chown32, nofile, 70000, -1);
	T(fchown32, 99, 70000, -1);
	T(lchown32, nofile, 70000, -1);
	T(_llseek, 99, 1, 2, clone_args, SEEK_SET);
	T(_newselect, 0, NULL, NULL, NULL, (long[2]){ 0, 5 });
	T(sendfile64, 99, 98, clone_args, 5);
	T(uname, buffer);
	T(olduname, -1L);
	T(oldolduname, -1L);
	T(fcntl64, 99, F_GETFL);
	T(fcntl64, 99, F_SETFL, O_APPEND);
	T(fcntl64, 99, F_DUPFD, 7);
	T(ugetrlimit, 77, buffer);
	T(getuid32);
	T(geteuid32);
	T(getgid32);
	T(getegid32);
	T(setuid32, 0);
	T(setgid32, 0);
	T(setreuid32, -1, -1);
	T(setregid32, -1, -1);
	T(setgroups32, 2, groups);
	T(setresuid32, -1, -1, -1);
	T(setresgid32, -1, -1, -1);
	T(getresuid32, groups, groups + 1, groups + 2);
	T(getresgid32, groups, groups + 1, groups + 2);
	T(setfsuid32, -1);
	T(setfsgid32, -1);
#endif
}

// Values that are smaller than their register, and arguments that depend on others.
static void widths(void)
{
	static char path[] = "/no/such/directory/file";
	static union { uint32_t half[2]; uint64_t whole; } offset = { { 5, 7 } };

	T(mkdirat, AT_FDCWD, path, 0xffffffffL);
	T(mknodat, AT_FDCWD, path, 0x1000180L, 0L);
	T(fchmod, 99, 010000700L);
	T(umask, 02000022L);
	T(fchown, 99, -2, 0x80000000L);
	T(fchownat, AT_FDCWD, path, 65534, -1, 0);
	T(setfsuid, -2);
	T(setfsgid, 100000);
	T(sendfile, 98, 99, &offset, 10L);
	T(kcmp, 999999, 999998, 5, 98L, 99L);
	T(kcmp, 999999, 999998, 0, 98L, 99L);
	T(kcmp, 999999, 999998, 99, 98L, 99L);
	T(membarrier, 99, 6, 7);
	memset(buffer, 0xff, 64);
	T(rt_sigpending, buffer, 1L);
	for (int i = 0; i < 23; i++)
		T(io_uring_register, 99, i, NULL, 0);
	T(move_mount, 99, BAD, 98, BAD, 0x177);
	T(ioctl, 99, 1L, buffer);
	T(ioctl, 99, 2L, buffer);
	fds[0] = (struct pollfd){ 3, 0x1002 };
	T(poll, fds, 1, 0);
}

// Calls that exist only on arm64, and values with another meaning there.
static void of_arm64(void)
{
#ifdef __aarch64__
	static long regset[2] = { (long)buffer, 64 };

	T(mmap, 4096L, 8192L, PROT_READ | 0x10 | 0x20, MAP_PRIVATE | MAP_ANONYMOUS | 0x40, 99, 0L);
	T(mprotect, 4096L, 4096L, PROT_EXEC | 0x10);
	for (long i = 0x400; i < 0x40e; i++)
		T(ptrace, 0x4204, 999999L, i, regset);
	T(ptrace, 33, 999999L, buffer, regset);
	T(ptrace, 34, 999999L, buffer, regset);
	T(ptrace, 12, 999999L, buffer, regset);
	T(prctl, 50, 64L | 1 << 17 | 1 << 18);
	T(prctl, 54, 9L, 0L, 0L, 0L);
	T(prctl, 54, 0x15L, 1L, 2L, 3L);
	T(prctl, 55, 1L | 2, 0L, 0L, 0L);
	T(prctl, 55, 4L | 0x7fff8, 0L, 0L, 0L);
	T(prctl, 56, 0L, 0L, 0L, 0L);
	T(prctl, 60, 3L, 1L, 0L, 0L);
	T(prctl, 61, 0L, 0L, 0L, 0L);
	T(prctl, 63, 64L | 1 << 17 | 1 << 18);
	T(kexec_load, 0L, 99L, NULL, 183L << 16);
	T(clone, CLONE_THREAD | CLONE_SETTLS | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID, 4096L, buffer, buffer + 8,
	  buffer + 16);
#endif
}

int main(void)
{
	touch_program();
	for (int i = 0; i < 40; i++) {
		iov[i] = (struct iovec){ text, (size_t)i % 5 };
		groups[i] = i;
	}
	T(chdir, "/begin");
	unreadable();
	refused();
	codes();
	parts();
	unnamed();
	narrow();
	widths();
	of_arm64();
	T(chdir, "/end");
	return 0;
}
