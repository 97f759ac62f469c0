/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KERNEL_USER_PATH_H
#define KERNEL_USER_PATH_H

struct path;

/* Writes the path of a file, which the caller protects from being freed, to the end of text; returns NULL if it
 * is too long or cannot be read. Any context of a process but NMI. */
const char *stp_user_path(const struct path *of, char *text, u32 size);

/* Checks that the kernel's struct mount has the layout of compat.h; otherwise paths begin at the mount point of
 * their file system. Process context. */
void stp_user_path_check(void);

#endif
