/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KERNEL_USER_PATH_H
#define KERNEL_USER_PATH_H

struct path;

/* The path of a file that can't go meanwhile, at the end of text; NULL: it is too long or can't be read. Any context
 * of a process but NMI. */
const char *stp_user_path(const struct path *of, char *text, u32 size);

/* Whether the kernel's mounts are as compat.h has them; else paths end where their file system is mounted. Process. */
void stp_user_path_check(void);

#endif
