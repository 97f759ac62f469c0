// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The path of a mapped file, as the process would name it: the same as d_path(), without its locks. A handler may
 * interrupt a holder of these locks, in the middle of a rename or a mount, and would deadlock. Concurrent changes
 * may result in a mixture of the old and the new path, and any load may fault.
 */
#include "kernel.h"
#include <linux/dcache.h>
#include <linux/fs_struct.h>
#include <linux/mount.h>
#include <linux/namei.h>
#include <linux/path.h>
#include "user_path.h"

#define STEPS_MAX 256                  /* maximum number of names in a path, and of mounts */

static bool mounts_known;

struct tail {                          /* a text that grows towards lower addresses */
	char *start, *at;
};

static bool put_before(struct tail *t, const void *from, u32 len)
{
	if (t->at - t->start < len || copy_from_kernel_nofault(t->at - len, from, len))
		return false;
	t->at -= len;
	return true;
}

static bool put_name(struct tail *t, const struct dentry *d)
{
	const unsigned char *name;
	u32 len;

	return !get_kernel_nofault(name, &d->d_name.name) && !get_kernel_nofault(len, &d->d_name.len) &&
	       put_before(t, name, len) && put_before(t, "/", 1);
}

/* Changes the path from the root of a mount to its mount point. Returns false if it is not mounted or cannot be
 * read. */
static bool leave_mount(struct path *at)
{
	struct compat_mount *m = compat_mount_of(at->mnt), *parent;

	if (!mounts_known || get_kernel_nofault(parent, &m->parent) || parent == m ||
	    get_kernel_nofault(at->dentry, &m->mountpoint))
		return false;
	at->mnt = compat_vfsmount_of(parent);
	return true;
}

/* Returns true for a file without a path, such as shared memory, for which only the name is printed. */
static bool has_no_path(const struct path *p)
{
	return p->dentry->d_op && p->dentry->d_op->d_dname && p->dentry != p->mnt->mnt_root;
}

const char *stp_user_path(const struct path *of, char *text, u32 size)
{
	const struct path root = current->fs ? current->fs->root : (struct path){};
	struct tail t = { text, text + size - 1 };
	struct dentry *top, *up;
	struct path at = *of;
	u32 step;

	*t.at = '\0';
	if ((has_no_path(of) || d_unlinked(of->dentry)) && !put_before(&t, " (deleted)", 10))
		return NULL;
	if (has_no_path(of))
		return put_name(&t, of->dentry) ? t.at : NULL;
	for (step = 0; step < STEPS_MAX && !path_equal(&at, &root); step++) {
		if (get_kernel_nofault(top, &at.mnt->mnt_root) || get_kernel_nofault(up, &at.dentry->d_parent))
			return NULL;
		if (at.dentry == top) {
			if (!leave_mount(&at))
				break;
			continue;
		}
		if (up == at.dentry)
			break;
		if (!put_name(&t, at.dentry))
			return NULL;
		at.dentry = up;
	}
	return *t.at || put_before(&t, "/", 1) ? t.at : NULL;
}

/* Checks that /proc is mounted on a directory of that name in the parent file system. Bounded wait: the path is in
 * memory. */
void stp_user_path_check(void)
{
	struct dentry *on, *top;
	struct super_block *below, *of;
	struct compat_mount *up;
	const unsigned char *name;
	struct path proc;
	char text[5] = "";

	mounts_known = false;
	if (kern_path("/proc", LOOKUP_FOLLOW, &proc))
		return;
	if (proc.dentry == proc.mnt->mnt_root && !get_kernel_nofault(up, &compat_mount_of(proc.mnt)->parent) &&
	    !get_kernel_nofault(on, &compat_mount_of(proc.mnt)->mountpoint) &&
	    !get_kernel_nofault(name, &on->d_name.name) && !copy_from_kernel_nofault(text, name, sizeof(text)) &&
	    !get_kernel_nofault(below, &on->d_sb) && !get_kernel_nofault(top, &compat_vfsmount_of(up)->mnt_root) &&
	    !get_kernel_nofault(of, &top->d_sb))
		mounts_known = !memcmp(text, "proc", sizeof(text)) && of == below;
	path_put(&proc);
}
