/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Until 5.10: returns the file of a descriptor, or NULL; called under rcu_read_lock(). No reference is taken. */
#include "stp_config.h"
#include <linux/fdtable.h>
#ifndef HAVE_FCHECK_FILES
static inline struct file *fcheck_files(struct files_struct *files, unsigned int fd)
{
	return files_lookup_fd_raw(files, fd);
}
#endif
