// SPDX-License-Identifier: GPL-2.0-or-later
// System calls that tests replace (syscalls.h). glibc has no wrappers for the module calls.
#include "syscalls.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static long result(long rc)
{
	return rc < 0 ? -errno : rc;
}

int sys_finit_module(int fd, const char *parameters)
{
	return result(syscall(SYS_finit_module, fd, parameters, 0));
}

int sys_init_module(const void *image, size_t len, const char *parameters)
{
	return result(syscall(SYS_init_module, image, len, parameters));
}

int sys_delete_module(const char *name)
{
	return result(syscall(SYS_delete_module, name, O_NONBLOCK));
}

int sys_open(const char *path, int flags)
{
	return result(open(path, flags | O_CLOEXEC, 0600));
}

int sys_mknod(const char *path, mode_t mode, dev_t dev)
{
	return result(mknod(path, mode, dev));
}

ssize_t sys_read(int fd, void *to, size_t len)
{
	return result(read(fd, to, len));
}

ssize_t sys_write(int fd, const void *from, size_t len)
{
	return result(write(fd, from, len));
}

int sys_poll(struct pollfd *fds, int n, int timeout_ms)
{
	return result(poll(fds, n, timeout_ms));
}

int sys_mmap(int fd, size_t len, void **at)
{
	*at = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	return *at == MAP_FAILED ? -errno : 0;
}
