// SPDX-License-Identifier: GPL-2.0-or-later
// Makes calls that succeed, so that the data that they write can be compared with strace (run.sh).
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <mqueue.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/timex.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "calls.h"

static char buffer[8192], text[] = "hello, world\n", file[] = "/tmp/results", queue[] = "results";
static char here[] = "/proc/self/exe";
static struct stat st;
static struct statfs fs;
static int fds[2], numbers[16];
static struct rusage usage;
static struct utsname names;
static struct sysinfo info;
static struct tms ticks;
static struct timespec ts;
static struct timeval tv;
static struct timezone zone;
static struct itimerval timer;
static struct itimerspec spec;
static struct rlimit limit;
static struct epoll_event events[4];
static stack_t stack;
static uint64_t set;
static char action[64];
static long longs[16];
static struct sockaddr_in ip4 = { .sin_family = AF_INET };
static socklen_t len;
static struct sched_param param;
static struct timex tx;
static struct iovec in[2] = { { buffer, 5 }, { buffer + 100, 20 } };
static struct msghdr message = { .msg_iov = in, .msg_iovlen = 2 };
static struct mmsghdr messages[2];
static struct { long type; char text[100]; } mb = { 3, "message" };
static struct mq_attr attr = { 0, 5, 16, 0 };
static struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1, .sigev_value.sival_int = 5 };
static struct flock lock = { F_RDLCK, 0, 1, 2, 0 };
static loff_t offset;
static struct __user_cap_header_struct header = { _LINUX_CAPABILITY_VERSION_3, 0 };
static struct __user_cap_data_struct data[2];
static struct { unsigned bytes; int type; char text[128]; } handle = { 128 };
static siginfo_t child;
static int fd;

static void files(void)
{
	fd = T(openat, AT_FDCWD, file, O_RDWR | O_CREAT | O_TRUNC, 0644);
	T(write, fd, text, 13);
	T(lseek, fd, 0, 0);
	T(read, fd, buffer, 100);
	T(read, fd, buffer, 100);
	T(lseek, fd, 0, 0);
	T(readv, fd, in, 2);
	T(statfs, "/tmp", &fs);
	T(fstatfs, fd, &fs);
	T(pipe, fds);
	T(pipe2, fds, O_CLOEXEC);
	T(getcwd, buffer, 100);
	T(readlink, here, buffer, 100);
	T(readlinkat, AT_FDCWD, here, buffer, 5);
	T(fcntl, fd, F_SETLK, &lock);
	T(fcntl, fd, F_GETLK, &lock);
	T(statx, AT_FDCWD, file, 0, 0xfff, buffer);
	T(name_to_handle_at, AT_FDCWD, file, &handle, numbers, 0);
	T(open_by_handle_at, fd, &handle, O_RDONLY);
	handle.bytes = 8;
	T(open_by_handle_at, 99, &handle, O_WRONLY | O_APPEND);
	handle.bytes = 0;
	T(name_to_handle_at, AT_FDCWD, file, &handle, numbers, 0);
	T(mincore, (long)buffer & ~4095, 4096L, buffer + 4096);
	T(setxattr, file, "user.a", "val", 3L, 0);
	T(getxattr, file, "user.a", buffer, 100L);
	T(listxattr, file, buffer, 100L);
	T(pread64, fd, buffer, 5L, 3L, 0L);
	T(preadv, fd, in, 2L, 1L, 0L);
	T(preadv2, fd, in, 2L, 1L, 0L, 0);
#ifdef __i386__
	T(stat64, file, &st);
	T(fstat64, fd, &st);
	T(lstat64, "/dev/null", &st);
	T(fstatat64, AT_FDCWD, "/tmp", &st, 0);
#else
	T(newfstatat, AT_FDCWD, "/tmp", &st, 0);
#endif
	T(stat, file, &st);
	T(fstat, fd, &st);
	T(lstat, "/dev/null", &st);
}

static void about_system(void)
{
	T(getrusage, 0, &usage);
	T(uname, &names);
	T(sysinfo, &info);
	T(times, &ticks);
	T(gettimeofday, &tv, &zone);
	T(time, longs);
	T(clock_gettime, 1, &ts);
	T(clock_getres, 1, &ts);
	T(getitimer, 0, &timer);
	timer.it_value.tv_sec = 1000;
	T(setitimer, 0, &timer, &timer);
	memset(&timer, 0, sizeof(timer));
	T(setitimer, 0, &timer, &timer);
	T(getrlimit, RLIMIT_CORE, &limit);
	T(prlimit64, 0, RLIMIT_NOFILE, NULL, longs);
	T(sigaltstack, NULL, &stack);
	T(rt_sigaction, SIGUSR1, NULL, action, 8);
	T(rt_sigprocmask, 0, NULL, &set, 8);
	T(rt_sigpending, &set, 8);
	T(getresuid, numbers, numbers + 1, numbers + 2);
	T(getresgid, numbers, numbers + 1, numbers + 2);
	T(setgroups, 2, (int[]){ 5, 6 });
	T(getgroups, 16, numbers);
	T(getcpu, numbers, numbers + 1, NULL);
	T(get_robust_list, 0, longs, longs + 1);
	T(sched_getaffinity, 0, 8, longs);
	T(sched_getparam, 0, &param);
	T(sched_rr_get_interval, 0, &ts);
	T(sched_getattr, 0, buffer, 48, 0);
	T(sched_setattr, 0, buffer, 0);
	T(capget, &header, NULL);
	T(capget, &header, data);
	T(capset, &header, data);
	T(getrandom, buffer, 8L, 0);
	T(adjtimex, &tx);
	T(clock_adjtime, 0, &tx);
	tx.modes = 0x10;
	T(clock_adjtime, 99, &tx);
	T(io_setup, 5, longs);
	ts.tv_sec = 0;
	ts.tv_nsec = 1000;
	T(io_getevents, longs[0], 0L, 1L, buffer, &ts);
	T(io_destroy, longs[0]);
	T(get_mempolicy, numbers, longs, 64L, 0L, 0L);
	longs[0] = 1;
	T(set_mempolicy, 2, longs, 64L);
	T(mbind, 4096L, 4096L, 2, longs, 64L, 1);
	T(migrate_pages, 999999, 64L, longs, longs);
	T(prctl, PR_GET_NAME, buffer);
	T(prctl, PR_GET_PDEATHSIG, numbers);
	T(nanosleep, &ts, &ts);
#ifdef __i386__
	numbers[0] = -1;
	numbers[2] = 0xfffff;
	numbers[3] = 0x51;
	T(set_thread_area, numbers);
	T(get_thread_area, numbers);
#else
	T(arch_prctl, 0x1003, longs);
#endif
}

static void timers(void)
{
	fd = T(timerfd_create, 1, 0);
	spec.it_value.tv_sec = 1000;
	T(timerfd_settime, fd, 0, &spec, &spec);
	T(timerfd_gettime, fd, &spec);
	T(timer_create, 0, NULL, numbers);
	T(timer_settime, numbers[0], 0, &spec, &spec);
	T(timer_gettime, numbers[0], &spec);
	T(timer_delete, numbers[0]);
	T(timer_create, 1, &event, numbers);
	T(timer_delete, numbers[0]);
}

static void sockets(void)
{
	int a = T(socket, AF_INET, SOCK_STREAM, 0), b, c;

	T(socketpair, AF_UNIX, SOCK_STREAM, 0, fds);
	ip4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	T(bind, a, &ip4, 16);
	T(listen, a, 5);
	len = 16;
	T(getsockname, a, &ip4, &len);
	b = T(socket, AF_INET, SOCK_STREAM, IPPROTO_TCP);
	T(connect, b, &ip4, 16);
	len = 128;
	c = T(accept4, a, buffer, &len, 0);
	len = 16;
	T(getpeername, c, &ip4, &len);
	T(sendto, b, text, 13L, 0, NULL, 0);
	len = 16;
	T(recvfrom, c, buffer, 5L, 0, buffer + 200, &len);
	message.msg_name = buffer + 300;
	message.msg_namelen = 16;
	T(recvmsg, c, &message, 0);
	message.msg_name = NULL;
	message.msg_namelen = 0;
	T(sendmsg, b, &message, MSG_DONTWAIT);
	T(sendto, b, "\0" "8\0" "7\0" "9", 6L, MSG_DONTWAIT, NULL, 0);     // the next byte is a digit, which
									   // changes the escape
	len = 4;
	T(getsockopt, a, SOL_SOCKET, SO_RCVBUF, numbers, &len);
	len = 100;
	T(getsockopt, a, SOL_SOCKET, SO_TYPE, numbers, &len);
	len = 8;
	T(getsockopt, a, SOL_SOCKET, SO_LINGER, numbers, &len);
	T(setsockopt, a, SOL_SOCKET, SO_LINGER, numbers, 8);
	len = 4;
	T(getsockopt, a, IPPROTO_TCP, 1, numbers, &len);
	T(setsockopt, a, IPPROTO_TCP, 1, numbers, 4);
	T(setsockopt, a, 0, 2, numbers, 4);
	fd = T(epoll_create1, 0);
	T(epoll_ctl, fd, EPOLL_CTL_ADD, fds[1], events);
	T(epoll_wait, fd, events, 4, 0);
	T(epoll_pwait, fd, events, 4, 0, &set, 8L);
	T(ioctl, fds[0], FIONREAD, numbers);
	T(ioctl, fds[0], FIONBIO, numbers);
	T(ioctl, fds[0], 0x1234, 0x10L);
	messages[0].msg_hdr.msg_iov = in;
	messages[0].msg_hdr.msg_iovlen = 1;
	T(write, fds[0], "abcdef", 6L);
	T(recvmmsg, fds[1], messages, 2, MSG_DONTWAIT, NULL);
	messages[1] = messages[0];
	T(sendmmsg, fds[0], messages, 2, 0);
	fd = T(openat, AT_FDCWD, file, O_RDWR);
	offset = 3;
	T(sendfile, fds[0], fd, &offset, 4L);
	T(sendfile, fds[0], fd, &offset, 4L);
}

static void ipc(void)
{
	int id = T(msgget, IPC_PRIVATE, IPC_CREAT | 0600);

	T(msgsnd, id, &mb, 7L, 0);
	T(msgrcv, id, &mb, 100L, 0L, 0);
	T(msgctl, id, IPC_STAT, buffer);
	T(msgctl, id, IPC_SET, buffer);
	T(msgctl, id, IPC_RMID, NULL);
	id = T(semget, IPC_PRIVATE, 2, 0600);
	T(semctl, id, 0, SETVAL, 5L);
	T(semctl, id, 0, GETVAL, 0L);
	T(semctl, id, 0, GETALL, buffer);
	T(semctl, id, 0, IPC_STAT, buffer);
	T(semctl, id, 0, IPC_SET, buffer);
	T(semctl, id, 0, IPC_RMID, 0L);
	id = T(shmget, IPC_PRIVATE, 4096L, 0600);
	T(shmctl, id, IPC_STAT, buffer);
	T(shmctl, id, IPC_SET, buffer);
	T(shmat, id, NULL, 0);
	T(shmctl, id, IPC_RMID, NULL);
	id = T(mq_open, queue, O_RDWR | O_CREAT, 0600, &attr);
	T(mq_timedsend, id, text, 5L, 3, NULL);
	T(mq_timedreceive, id, buffer, 16L, numbers, NULL);
	T(mq_getsetattr, id, NULL, &attr);
	T(mq_getsetattr, id, &attr, NULL);
	T(mq_notify, id, &event);
	T(mq_unlink, queue);
}

static void children(void)
{
	int status, pid = forked();

	if (!pid)
		T(exit_group, 3);
	T(wait4, pid, &status, 0, &usage);
	pid = forked();
	if (!pid)
		T(exit_group, 4);
	T(waitid, P_PID, pid, &child, WEXITED, &usage);
	set = 1 << (SIGUSR1 - 1);
	T(rt_sigprocmask, SIG_BLOCK, &set, NULL, 8L);
	T(kill, getpid(), SIGUSR1);
	ts.tv_sec = 1;
	T(rt_sigtimedwait, &set, &child, &ts, 8L);
	T(rt_sigqueueinfo, 999999, SIGUSR1, &child);
}

// Results that have a meaning besides the number.
static void meanings(void)
{
	int seals = T(memfd_create, "sealed", 2), priority = T(ioprio_get, 1, 0);

	fd = T(openat, AT_FDCWD, file, O_RDWR | O_APPEND | O_CLOEXEC);
	T(fcntl, fd, F_GETFD);
	T(fcntl, fd, F_SETFD, 0);
	T(fcntl, fd, F_GETFD);
	T(fcntl, fd, F_GETFL);
	T(fcntl, fd, F_GETLEASE);
	T(fcntl, fd, F_SETSIG, SIGUSR1);
	T(fcntl, fd, F_GETSIG);
	T(fcntl, fd, F_SETSIG, 0);
	T(fcntl, fd, F_GETSIG);
	T(fcntl, fd, F_SETOWN, getpid());
	T(fcntl, fd, F_GETOWN);
	T(fcntl, fd, F_DUPFD, 100);
	T(fcntl, fd, F_GETPIPE_SZ);
	fd = T(openat, AT_FDCWD, "/proc/self/exe", O_RDONLY);
	T(fcntl, fd, F_SETLEASE, F_RDLCK);
	T(fcntl, fd, F_GETLEASE);
	T(fcntl, seals, F_GET_SEALS);
	T(fcntl, seals, F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK);
	T(fcntl, seals, F_GET_SEALS);
	T(personality, 0xffffffff);
	T(personality, 0x0240000);
	T(personality, 0xffffffff);
	T(personality, 0);
	T(membarrier, 0, 0);
	T(membarrier, 1, 0);
	T(sched_getscheduler, 0);
	T(sched_setscheduler, 0, SCHED_BATCH, &param);
	T(sched_getscheduler, 0);
	T(ioprio_set, 1, 0, 2 << 13 | 4);
	T(ioprio_get, 1, 0);
	T(ioprio_set, 1, 0, priority);
	T(prctl, PR_GET_DUMPABLE);
	T(prctl, PR_MCE_KILL_GET, 0L, 0L, 0L, 0L);
	T(prctl, 52, 0L);
	T(prctl, 52, 2L);
	T(prctl, PR_SET_SECUREBITS, 0x2f);
	T(prctl, PR_GET_SECUREBITS);
	T(umask, 027);
	T(umask, 022);
	T(getpriority, 0, 0);
#ifdef __aarch64__
	T(prctl, 51);
	T(prctl, 50, 32L | 1 << 17);
	T(prctl, 51);
	T(prctl, 56, 0L, 0L, 0L, 0L);
	T(prctl, 55, 1L, 0L, 0L, 0L);
	T(prctl, 56, 0L, 0L, 0L, 0L);
	T(prctl, 61, 0L, 0L, 0L, 0L);
#endif
}

int main(void)
{
	touch_program();
	memset(buffer, 0, sizeof(buffer));
	T(chdir, "/begin");
	files();
	about_system();
	timers();
	sockets();
	ipc();
	children();
	meanings();
	T(chdir, "/end");
	return 0;
}
