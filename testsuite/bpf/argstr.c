// SPDX-License-Identifier: GPL-2.0-or-later
// Makes calls whose arguments are at a fixed address, at the end of a page after which nothing is mapped.
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { PAGE = 4096 };

static char *page;

// Copies the bytes to the end of the page.
static char *at_end(const void *bytes, size_t n)
{
	return memcpy(page + PAGE - n, bytes, n);
}

int main(void)
{
	static char file[] = "/no/such/file", eight[] = "01234567", empty[] = "", long_text[301];
	static char control[] = "a\0b\1771\n", digits[] = "0123456789012345678901234567890\"2", abc[] = "abc";
	struct pollfd two[2] = { { -1, POLLOUT }, { 99, POLLIN } };
	struct iovec io[2] = { { abc, 3 }, { eight, 8 } };
	int *pipe;

	memset(long_text, 'x', sizeof(long_text) - 1);
	page = mmap((void *)0x20000000, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	memset(page, 0, PAGE);
	pipe = (int *)page;
	syscall(SYS_getppid);
	syscall(SYS_openat, AT_FDCWD, file, O_RDONLY);
	syscall(SYS_openat, -1, NULL, O_WRONLY | O_CREAT, 0640);
	syscall(SYS_openat, -1, empty, O_RDONLY);
	syscall(SYS_openat, -1, eight, O_RDONLY);
	syscall(SYS_openat, -1, long_text, O_RDONLY);
	syscall(SYS_openat, -1, at_end("at the end", 11), O_RDONLY);
	syscall(SYS_openat, -1, at_end("beyond", 6), O_RDONLY);
	syscall(SYS_openat, -1, page + PAGE, O_RDONLY);
	syscall(SYS_write, -1, control, 6);
	syscall(SYS_write, -1, digits, 33);
	syscall(SYS_write, -1, at_end("abc", 3), 4);
	syscall(SYS_poll, at_end(two, sizeof(two)), 3, 0);
	syscall(SYS_writev, -1, at_end(io, sizeof(io)), 2);
	syscall(SYS_writev, -1, at_end(io, sizeof(io)), 3);
	syscall(SYS_pipe2, pipe, O_NONBLOCK | O_CLOEXEC);
	syscall(SYS_fcntl, pipe[0], F_GETFD);
	syscall(SYS_write, pipe[1], abc, 3);
	syscall(SYS_read, pipe[0], page + 64, 10);
	syscall(SYS_read, pipe[0], page + PAGE, 10);
	syscall(SYS_read, 88, page + PAGE, 10);
	return 0;
}
