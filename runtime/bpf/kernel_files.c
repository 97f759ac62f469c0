/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Opens files of the kernel's file systems, also of those that are not mounted. */
#define _GNU_SOURCE
#include "client.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/mount.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Opens a file system without mounting it for other processes. Requires CAP_SYS_ADMIN. Returns -1 on failure. */
static int open_unmounted(const char *type)
{
	int fs = (int)syscall(SYS_fsopen, type, FSOPEN_CLOEXEC), dir = -1;

	if (fs < 0)
		return -1;
	if (!syscall(SYS_fsconfig, fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0))
		dir = (int)syscall(SYS_fsmount, fs, FSMOUNT_CLOEXEC, 0);
	close(fs);
	return dir;
}

int kernel_file_open(const char *type, const char *mounted_at, const char *name)
{
	char path[PATH_MAX];
	int fd, dir;

	snprintf(path, sizeof(path), "%s/%s", mounted_at, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0)
		return fd;
	dir = open_unmounted(type);
	if (dir < 0)
		return -1;
	fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
	close(dir);
	return fd;
}
