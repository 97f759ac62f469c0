// SPDX-License-Identifier: GPL-2.0-or-later
// Makes very many different system calls, with arguments that differ in their formats; most of them fail, and none
// does harm. strace and a script trace them, and their outputs are compared (run.sh). All data is at fixed
// addresses and was accessed before, so that both read the same.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/futex.h>
#include <linux/netlink.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>
#include <utime.h>
#include "calls.h"

static char nofile[] = "/no/such/file", nodir[] = "/no/such/dir/x", text[] = "hello, world\n";
static char odd[] = "a\"b\\c\n\t\1" "8\2" "9\1" "2\377z";
static char longer[] = "more than thirty-two characters are cut off here", attr[] = "user.attr", buffer[4096];
static char fs[] = "nofs", options[] = "some=option", empty[] = "";
static struct iovec out[2] = { { text, 5 }, { odd, 4 } }, in[2] = { { buffer, 10 }, { buffer + 100, 20 } };
static struct sockaddr_in ip4 = { .sin_family = AF_INET };
static struct sockaddr_in6 ip6 = { .sin6_family = AF_INET6, .sin6_addr.s6_addr = { [0] = 0x20, [1] = 1, [15] = 1 } };
static struct sockaddr_un un = { .sun_family = AF_UNIX, .sun_path = "/tmp/nosocket" };
static struct sockaddr_nl nl = { .nl_family = AF_NETLINK };
static struct timespec nanos = { 0, 1000 }, stamp = { 1234567890, 500 }, bad_time = { 3, 2000000000 };
static struct timespec stamps[2] = { { 1, 2 }, { 0, UTIME_OMIT } };
static struct timeval micros = { 0, 10 }, times2[2] = { { 1, 2 }, { 3, 4 } };
static struct itimerval interval = { { 1, 2 }, { 1000, 4 } };
static struct itimerspec spec = { { 1, 2 }, { 1000, 4 } };
static struct utimbuf modified = { 5, 6 };
static struct rlimit limit = { 65536, RLIM_INFINITY };
static uint64_t limit64[2] = { 2000, ~0ull };
static uint64_t set64 = 1 << (SIGINT - 1) | 1 << (SIGUSR1 - 1) | 1ull << 35, all64 = ~0ull & ~(1ull << (SIGTERM - 1));
static struct {
	long handler, flags, restorer;
	uint64_t mask;
} action = { 1, SA_RESTART | SA_NODEFER, 0, 1 << (SIGINT - 1) };
static struct pollfd fds[2] = { { 0, POLLIN | POLLPRI }, { -1, POLLOUT } };
static struct epoll_event event = { EPOLLIN | EPOLLET, { .u64 = 77 } };
static fd_set set;
static struct sembuf sems[1] = { { 1, -1, IPC_NOWAIT } };
static struct sched_param param = { 7 };
static struct msghdr message = { .msg_name = &ip4, .msg_namelen = sizeof(ip4), .msg_iov = out, .msg_iovlen = 2 };
static stack_t stack = { buffer, 0, 4096 };
static int one = 1, numbers[4];
static unsigned groups[2] = { 5, 6 };
static loff_t position = 7;
static struct timezone zone = { 60, 0 };

static void touch_all(void)
{
	touch_program();
	ip4.sin_port = ip6.sin6_port = htons(9);
	ip4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	un.sun_family = AF_UNIX;
	FD_SET(0, &set);
	FD_SET(5, &set);
	buffer[0] = 0;
}

static void files(void)
{
	T(openat, AT_FDCWD, nofile, O_RDONLY | O_CLOEXEC);
	T(openat, 99, nodir, O_RDWR | O_CREAT | O_TRUNC | O_NOFOLLOW, 0640);
	T(open, nofile, O_WRONLY | O_APPEND | O_SYNC | O_NONBLOCK);
	T(open, nodir, O_CREAT | O_EXCL | O_RDWR, 04755);
	T(openat, AT_FDCWD, "/tmp", O_TMPFILE | O_RDWR, 0600);
	T(creat, nodir, 0);
	T(read, 99, buffer, 100);
	T(write, 99, text, sizeof(text) - 1);
	T(write, 99, longer, sizeof(longer) - 1);
	T(write, 99, odd, sizeof(odd));
	T(pread64, 99, buffer, 10, (loff_t)12345);
	T(pwrite64, 99, text, 4, (loff_t)-3);
	T(readv, 99, in, 2);
	T(writev, 99, out, 2);
	T(lseek, 99, -10L, SEEK_END);
	T(lseek, 99, 10L, SEEK_DATA);
	T(close, 99);
	T(dup, 99);
	T(dup2, 99, 98);
	T(dup3, 99, 98, O_CLOEXEC);
	T(fcntl, 99, F_DUPFD, 5);
	T(fcntl, 99, F_GETFL);
	T(fcntl, 99, F_SETFL, O_APPEND | O_NONBLOCK);
	T(fcntl, 99, F_SETFD, FD_CLOEXEC);
	T(fcntl, 99, F_GETFD);
	T(flock, 99, LOCK_EX | LOCK_NB);
	T(fsync, 99);
	T(fdatasync, 99);
	T(syncfs, 99);
	T(truncate, nofile, 4096L);
	T(ftruncate, 99, 8192L);
	T(access, nofile, R_OK | X_OK);
	T(access, nofile, F_OK);
	T(faccessat, AT_FDCWD, nofile, W_OK);
	T(faccessat2, AT_FDCWD, nofile, R_OK, AT_EACCESS);
	T(chmod, nofile, 0755);
	T(fchmod, 99, 01777);
	T(fchmodat, AT_FDCWD, nofile, 0);
	T(chown, nofile, 1000, -1);
	T(fchown, 99, 1, 2);
	T(lchown, nofile, -1, 7);
	T(fchownat, AT_FDCWD, nofile, 3, 4, AT_SYMLINK_NOFOLLOW);
	T(mkdir, nodir, 0711);
	T(mkdirat, AT_FDCWD, nodir, 0700);
	T(rmdir, nodir);
	T(mknod, nodir, S_IFIFO | 0600, 0);
	T(mknodat, AT_FDCWD, nodir, S_IFCHR | 0600, 0x501);
	T(link, nofile, nodir);
	T(linkat, AT_FDCWD, nofile, 99, nodir, AT_SYMLINK_FOLLOW);
	T(symlink, text, nodir);
	T(symlinkat, odd, AT_FDCWD, nodir);
	T(unlink, nofile);
	T(unlinkat, AT_FDCWD, nodir, AT_REMOVEDIR);
	T(rename, nofile, nodir);
	T(renameat, AT_FDCWD, nofile, 99, nodir);
	T(renameat2, AT_FDCWD, nofile, 99, nodir, 1);
	T(readlink, nofile, buffer, 100);
	T(readlinkat, AT_FDCWD, nofile, buffer, 100);
	T(chdir, nodir);
	T(fchdir, 99);
	T(chroot, nodir);
}

static void more_files(void)
{
	T(umask, 022);
	T(getcwd, buffer, 2);
	T(statx, AT_FDCWD, nofile, AT_SYMLINK_NOFOLLOW, 0x7ff, buffer);
	T(statfs, nofile, buffer);
	T(fstatfs, 99, buffer);
	T(utime, nofile, &modified);
	T(utimes, nofile, times2);
	T(futimesat, AT_FDCWD, nofile, times2);
	T(utimensat, AT_FDCWD, nofile, stamps, AT_SYMLINK_NOFOLLOW);
	T(getdents64, 99, buffer, 100);
	T(fallocate, 99, 3, (loff_t)10, (loff_t)20);
	T(fadvise64, 99, (loff_t)1, 2L, 4);
	T(readahead, 99, (loff_t)1, 2L);
	T(sync_file_range, 99, (loff_t)1, (loff_t)2, 3);
	T(sendfile, 99, 98, NULL, 10);
	T(copy_file_range, 99, &position, 98, NULL, 10L, 0);
	T(splice, 99, NULL, 98, NULL, 10L, 3);
	T(tee, 99, 98, 10L, 2);
	T(vmsplice, 99, out, 2L, 4);
	T(setxattr, nofile, attr, text, 5L, XATTR_CREATE);
	T(lsetxattr, nofile, attr, text, 5L, 0);
	T(fsetxattr, 99, attr, text, 5L, XATTR_REPLACE);
	T(getxattr, nofile, attr, buffer, 100L);
	T(lgetxattr, nofile, attr, buffer, 100L);
	T(fgetxattr, 99, attr, buffer, 100L);
	T(listxattr, nofile, buffer, 100L);
	T(llistxattr, nofile, buffer, 100L);
	T(flistxattr, 99, buffer, 100L);
	T(removexattr, nofile, attr);
	T(lremovexattr, nofile, attr);
	T(fremovexattr, 99, attr);
	T(inotify_init1, IN_CLOEXEC | IN_NONBLOCK | 0x100);
	T(inotify_add_watch, 99, nofile, IN_MODIFY | IN_CREATE | IN_ONLYDIR);
	T(inotify_rm_watch, 99, 4);
	T(mount, empty, nodir, fs, MS_RDONLY | MS_NOSUID | MS_RELATIME, options);
	T(umount2, nodir, MNT_DETACH);
	T(pivot_root, nodir, nodir);
	T(swapon, nofile, 0);
	T(swapoff, nofile);
	T(acct, nofile);
	T(name_to_handle_at, AT_FDCWD, nofile, NULL, buffer, 0x400);
	T(ioctl, 99, 0x5401, buffer);
	T(ioctl, 99, 0x5421, &one);
	T(close_range, 90, 91, 4);
	T(openat2, AT_FDCWD, nofile, buffer + 512, 24L);
}

static void memory(void)
{
	T(mprotect, 4096L, 4096L, PROT_READ | PROT_WRITE);
	T(munmap, 1L, 4096L);
	T(brk, 0L);
	T(mremap, 4096L, 4096L, 8192L, 1, 0L);
	T(msync, 4096L, 4096L, MS_SYNC);
	T(madvise, 4096L, 4096L, MADV_DONTNEED);
	T(mincore, 4096L, 4096L, buffer);
	T(mlock, 4096L, 4096L);
	T(mlock2, 4096L, 4096L, 1);
	T(munlock, 4096L, 4096L);
	T(mlockall, 128);
	T(munlockall);
	T(remap_file_pages, 4096L, 4096L, 0L, 0L, 0L);
	T(shmget, 0x1234, 4096L, 0600);
	T(shmget, IPC_PRIVATE, 0L, IPC_CREAT | 0600);
	T(shmdt, 1L);
	T(memfd_create, fs, 0xff00);
	T(pkey_mprotect, 4096L, 4096L, PROT_READ, 99);
	T(pkey_free, 99);
	T(process_vm_readv, -1, in, 2L, in, 1L, 0L);
	T(process_vm_writev, -1, out, 2L, in, 1L, 0L);
}

static void processes(void)
{
	T(getpid);
	T(gettid);
	T(getppid);
	T(getpgrp);
	T(getpgid, 0);
	T(getsid, 0);
	T(setpgid, -1, 5);
	T(setsid);
	T(getuid);
	T(geteuid);
	T(getgid);
	T(getegid);
	T(setuid, 0);
	T(setgid, 0);
	T(setreuid, -1, 0);
	T(setregid, 0, -1);
	T(setresuid, -1, -1, -1);
	T(setresgid, 0, 0, 0);
	T(getresuid, buffer, buffer + 4, buffer + 8);
	T(setfsuid, 0);
	T(setfsgid, 0);
	T(getgroups, 0, NULL);
	T(setgroups, 2, groups);
	T(kill, -999999, SIGUSR1);
	T(kill, 999999, 0);
	T(tkill, 999999, SIGTERM);
	T(tgkill, 999999, 999999, 34);
	T(wait4, 999999, NULL, WNOHANG | WUNTRACED, NULL);
	T(waitid, P_PID, 999999, NULL, WEXITED | WNOWAIT, NULL);
	T(execve, nofile, (char *[]){ nofile, text, NULL }, (char *[]){ attr, NULL });
	T(getpriority, PRIO_PROCESS, 0);
	T(setpriority, PRIO_USER, 999999, 5);
	T(sched_yield);
	T(sched_getscheduler, 0);
	T(sched_setscheduler, 999999, SCHED_FIFO, &param);
	T(sched_setparam, 999999, &param);
	T(sched_get_priority_max, SCHED_RR);
	T(sched_get_priority_min, SCHED_BATCH);
	T(sched_setaffinity, 999999, 8, &one);
	T(sched_getaffinity, 999999, 8, buffer);
	T(getrlimit, RLIMIT_NOFILE, NULL);
	T(setrlimit, 99, &limit);
	T(prlimit64, 999999, RLIMIT_STACK, limit64, NULL);
	T(getrusage, RUSAGE_CHILDREN, NULL);
	T(personality, 0xffffffff);
	T(prctl, PR_GET_DUMPABLE, 0L, 0L, 0L, 0L);
	T(unshare, 0);
	T(setns, 99, CLONE_NEWNET);
	T(pidfd_open, 999999, 0);
	T(pidfd_send_signal, 99, SIGTERM, NULL, 0);
	T(pidfd_getfd, 99, 1, 0);
	T(ioprio_get, 1, 0);
	T(kcmp, 999999, 1, 0, 1L, 2L);
	T(capget, NULL, NULL);
	T(ptrace, 16L, 999999L, 0L, 0L);
	T(set_tid_address, buffer);
	T(get_robust_list, 999999, buffer, buffer + 8);
	T(getcpu, NULL, NULL, NULL);
	T(uname, NULL);
	T(sysinfo, NULL);
	T(times, NULL);
	T(sethostname, buffer, 65);
	T(syslog, 10, NULL, 0);
	T(reboot, 1, 2, 3, NULL);
	T(delete_module, fs, O_NONBLOCK);
	T(init_module, NULL, 0L, options);
	T(finit_module, 99, options, 1);
	T(quotactl, 0x80000700, nofile, 5, NULL);
	T(bpf, 999, NULL, 0);
	T(perf_event_open, NULL, 0, -1, -1, 8L);
	T(seccomp, 99, 0, NULL);
	T(membarrier, 0, 0);
	T(getrandom, buffer, 0L, 1);
	T(add_key, fs, attr, text, 5L, -3);
	T(request_key, fs, attr, NULL, 0);
}

static void signals(void)
{
	T(rt_sigaction, SIGUSR2, &action, NULL, 8L);
	T(rt_sigaction, SIGUSR2, NULL, NULL, 8L);
	T(rt_sigprocmask, SIG_BLOCK, &set64, NULL, 8L);
	T(rt_sigprocmask, SIG_SETMASK, &all64, NULL, 8L);
	T(rt_sigprocmask, SIG_SETMASK, buffer + 64, NULL, 8L);
	T(rt_sigpending, NULL, 8L);
	T(rt_sigtimedwait, &set64, NULL, &nanos, 8L);
	T(rt_sigsuspend, NULL, 5L);
	T(sigaltstack, &stack, NULL);
	T(alarm, 0);
	T(signalfd4, 99, &set64, 8L, 02000000);
	T(eventfd2, 5, 0x100);
	T(timerfd_create, CLOCK_BOOTTIME, 0x100);
	T(timerfd_settime, 99, TFD_TIMER_ABSTIME, &spec, NULL);
	T(timerfd_gettime, 99, NULL);
	T(setitimer, ITIMER_VIRTUAL, &interval, NULL);
	T(getitimer, ITIMER_PROF, NULL);
	T(nanosleep, &nanos, NULL);
	T(clock_nanosleep, CLOCK_MONOTONIC, 0, &nanos, NULL);
	T(clock_gettime, CLOCK_REALTIME_COARSE, NULL);
	T(clock_getres, CLOCK_MONOTONIC_RAW, NULL);
	T(clock_settime, CLOCK_MONOTONIC, &stamp);
	T(timer_create, 99, NULL, NULL);
	T(timer_settime, 99, 1, &spec, NULL);
	T(timer_delete, 99);
	T(timer_getoverrun, 99);
	T(settimeofday, NULL, NULL);
	T(futex, &one, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, 2, NULL);
	T(futex, &one, FUTEX_WAKE, 3);
	T(futex, &one, FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME, 2, &bad_time, NULL, 5);
	T(futex, &one, FUTEX_REQUEUE, 1, 2L, &numbers);
	T(set_robust_list, NULL, 5L);
}

static void waiting(void)
{
	T(poll, fds, 2, 0);
	T(ppoll, fds, 2, &nanos, &set64, 8L);
	T(pselect6, 6, NULL, &set, NULL, &nanos, NULL);
	T(epoll_create, -5);
	T(epoll_create1, 0x100);
	T(epoll_ctl, 99, EPOLL_CTL_ADD, 98, &event);
	T(epoll_wait, 99, buffer, 5, 0);
	T(epoll_pwait, 99, buffer, 5, 0, &set64, 8L);
	T(io_setup, 0, NULL);
	T(io_destroy, 0L);
	T(io_submit, 0L, 0L, NULL);
	T(pipe2, NULL, O_CLOEXEC | 0x100);
	T(pipe, NULL);
}

static void sockets(void)
{
	T(socket, AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 99);
	T(socket, AF_NETLINK, SOCK_RAW, 99);
	T(socketpair, AF_UNIX, SOCK_DGRAM, 0, NULL);
	T(bind, 99, &ip4, sizeof(ip4));
	T(bind, 99, &nl, sizeof(nl));
	T(connect, 99, &ip6, sizeof(ip6));
	T(connect, 99, &un, sizeof(un));
	T(listen, 99, 5);
	T(accept4, 99, NULL, NULL, SOCK_NONBLOCK);
	T(getsockname, 99, NULL, NULL);
	T(getpeername, 99, NULL, NULL);
	T(sendto, 99, text, 5L, MSG_DONTWAIT | MSG_NOSIGNAL, &ip4, sizeof(ip4));
	T(sendto, 99, text, 5L, 0, NULL, 0);
	T(recvfrom, 99, buffer, 100L, MSG_PEEK, NULL, NULL);
	T(sendmsg, 99, &message, MSG_MORE);
	T(recvmsg, 99, &message, 0);
	T(setsockopt, 99, SOL_SOCKET, SO_REUSEADDR, &one, 4);
	T(getsockopt, 99, SOL_SOCKET, SO_ERROR, NULL, NULL);
	T(shutdown, 99, SHUT_RDWR);
	T(semget, 0x4321, 3, 0600);
	T(msgget, 0x4321, 0600);
#ifndef __i386__
	T(accept, 99, NULL, NULL);
	T(semop, 99, sems, 1L);
	T(semtimedop, 99, sems, 1L, &nanos);
	T(semctl, 99, 1, IPC_RMID, 0L);
	T(msgsnd, 99, buffer, 5L, IPC_NOWAIT);
	T(msgrcv, 99, buffer, 5L, 3L, IPC_NOWAIT);
	T(msgctl, 99, IPC_RMID, NULL);
	T(shmat, 99, NULL, SHM_RDONLY);
	T(shmctl, 99, IPC_RMID, NULL);
	T(mmap, 4096L, 8192L, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, 99, 0L);
	T(select, 6, &set, NULL, NULL, &micros);
	T(newfstatat, AT_FDCWD, nofile, buffer, AT_SYMLINK_NOFOLLOW);
	T(stat, nofile, buffer);
	T(lstat, nofile, buffer);
	T(fstat, 99, buffer);
	T(preadv, 99, in, 2L, 5L, 0L);
	T(pwritev, 99, out, 2L, 5L, 0L);
	T(arch_prctl, 0x1003, NULL);
#endif
	T(mq_open, fs, O_RDONLY);
	T(mq_unlink, fs);
}

static void children(void)
{
	int status, pid = forked();

	if (!pid) {
		T(getpid);
		T(exit_group, 3);
	}
	T(wait4, pid, &status, 0, NULL);
}

int main(void)
{
	touch_all();
	T(chdir, "/begin");
	files();
	more_files();
	memory();
	processes();
	signals();
	waiting();
	sockets();
	children();
	T(chdir, "/end");
	return 0;
}
