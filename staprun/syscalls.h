// SPDX-License-Identifier: GPL-2.0-or-later
// System calls of staprun and stapio that tests replace: testsuite/staprun/fake_kernel.c is linked instead of
// syscalls.c. All return -errno on failure, else the result of the call.
#ifndef SYSCALLS_H
#define SYSCALLS_H

#include <poll.h>
#include <stddef.h>
#include <sys/types.h>

int sys_finit_module(int fd, const char *parameters);
int sys_init_module(const void *image, size_t len, const char *parameters);
int sys_delete_module(const char *name);   // does not wait: returns -EAGAIN or -EBUSY while the module is in use

int sys_open(const char *path, int flags); // opens files of /proc, /sys, /dev; adds O_CLOEXEC
int sys_mknod(const char *path, mode_t mode, dev_t dev);

ssize_t sys_read(int fd, void *to, size_t len);
ssize_t sys_write(int fd, const void *from, size_t len);
int sys_poll(struct pollfd *fds, int n, int timeout_ms);
int sys_mmap(int fd, size_t len, void **at);   // maps it shared, readable and writable, from offset 0

#endif
