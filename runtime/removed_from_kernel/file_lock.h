/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Until 6.2, locks were declared with files. Since 6.9 most members of a struct file_lock are in a struct
 * file_lock_core inside it: C that uses the type can still use their older names.
 */
#ifndef REMOVED_FILE_LOCK_H
#define REMOVED_FILE_LOCK_H
#include "stp_config.h"
#include <linux/fs.h>
#if __has_include(<linux/filelock.h>)
#include <linux/filelock.h>
#endif
#ifdef HAVE_FILE_LOCK_CORE
struct stp_file_lock {
	union {
		struct file_lock_core c;
		struct {
			struct file_lock_core *fl_blocker;
			struct list_head fl_list;
			struct hlist_node fl_link;
			struct list_head fl_blocked_requests;
			struct list_head fl_blocked_member;
			fl_owner_t fl_owner;
			unsigned int fl_flags;
			unsigned char fl_type;
			pid_t fl_pid;
			int fl_link_cpu;
			wait_queue_head_t fl_wait;
			struct file *fl_file;
		};
	};
	loff_t fl_start;
	loff_t fl_end;
};
#define STP_SAME(old, now) static_assert(offsetof(struct stp_file_lock, old) == offsetof(struct file_lock, now))
STP_SAME(fl_list, c.flc_list);
STP_SAME(fl_owner, c.flc_owner);
STP_SAME(fl_flags, c.flc_flags);
STP_SAME(fl_type, c.flc_type);
STP_SAME(fl_pid, c.flc_pid);
STP_SAME(fl_file, c.flc_file);
STP_SAME(fl_start, fl_start);
STP_SAME(fl_end, fl_end);
#define file_lock stp_file_lock
#endif
#endif
