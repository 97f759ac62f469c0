/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files of programs and libraries. They are opened by path when the script starts, in the file system of the
 * process that starts it: /proc/PID/root/... leads into a container. A file of another build than the one that the
 * translator read is rejected.
 */
#include "kernel.h"
#include <linux/cred.h>
#include <linux/dcache.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/namei.h>
#include <linux/path.h>
#include <linux/sched/signal.h>

#include "checksum.h"

#define ID_MAX 64                  /* bytes of the build ID or checksum that are compared */

static char other_build[ID_MAX * 4 + 120]; /* result of the last compare_id(), for the message */

/*
 * Writes the checksum of the code of a program without build ID to `bytes`. Returns its length; 0: the file is
 * shorter than that. Bounded wait: ends after p->summed bytes of the file, or at a signal that kills the loader. Under
 * control.lock.
 */
static u32 sum_code(const struct stp_program *p, struct file *file, char *bytes)
{
	static u8 piece[4096];
	loff_t at = p->id_offset, end = at + p->summed;
	struct checksum c;
	u64 sum;

	checksum_begin(&c);
	while (at < end) {
		size_t n = min_t(u64, end - at, sizeof(piece));

		if (fatal_signal_pending(current) || kernel_read(file, piece, n, &at) != n)
			return 0;
		checksum_add(&c, piece, n);
		cond_resched();
	}
	sum = checksum_end(&c);
	memcpy(bytes, &sum, sizeof(sum));
	return sizeof(sum);
}

/* Bounded wait: ends after the operation of the file system, under control.lock alone; on a network file system or
 * FUSE it can be killed. */
static int compare_id(const struct stp_program *p, const struct path *path)
{
	struct file *file = dentry_open(path, O_RDONLY | O_LARGEFILE, current_cred());
	u32 len = min_t(u32, p->id_len, ID_MAX);
	loff_t at = p->id_offset;
	char bytes[ID_MAX];
	int err = 0;

	if (IS_ERR(file))
		return PTR_ERR(file);
	if (p->summed)
		len = sum_code(p, file, bytes);
	else if (kernel_read(file, bytes, len, &at) != len)
		len = 0;
	if (!len || memcmp(bytes, p->id, len))
		err = -ESTALE;
	fput(file);
	if (err && len && !p->summed)
		snprintf(other_build, sizeof(other_build), "the file is of another build (%*phN) than the one that the "
			 "script was translated for (%*phN)", len, bytes, len, p->id);
	else if (err)
		snprintf(other_build, sizeof(other_build), "the file is of another build than the one that the script "
			 "was translated for");
	return err;
}

/*
 * In a union mount, `real` is the inode of the lower file, determined when the file is opened: d_real_inode() may
 * sleep, and hits compare pointers. A file that is copied up later has another inode, but a running program cannot
 * be written.
 */
struct opened {
	struct path path;
	struct inode *real;
};

/* Bounded wait: as in compare_id(). */
static int open_path(struct stp_program *p, struct path *path)
{
	int err = kern_path(p->path, LOOKUP_FOLLOW, path);

	if (err)
		return err;
	err = d_is_reg(path->dentry) ? 0 : -EACCES;
	if (!err && p->id_len)
		err = compare_id(p, path);
	if (err)
		path_put(path);
	return err;
}

struct inode *stp_program_open(struct stp_program *p, int *err)
{
	struct opened *o = p->state;

	if (!o) {
		o = plat_alloc(sizeof(*o), -1);
		*err = o ? open_path(p, &o->path) : -ENOMEM;
		if (*err) {
			plat_free(o);
			return NULL;
		}
		o->real = d_real_inode(o->path.dentry);
		p->state = o;
	}
	p->users++;
	return o->real;
}

void stp_program_close(struct stp_program *p)
{
	if (--p->users)
		return;
	path_put(&((struct opened *)p->state)->path);
	plat_free(p->state);
	p->state = NULL;
}

/* A process refers to the file in the union mount, to which the path leads, instead of the lower file. */
bool stp_program_is(const struct stp_program *p, const struct file *file)
{
	const struct opened *o = p->state;

	return file && (file_inode(file) == d_inode(o->path.dentry) || file_inode(file) == o->real);
}

bool stp_program_runs(const struct stp_program *p, struct mm_struct *mm)
{
	bool yes;

	rcu_read_lock();
	yes = mm && stp_program_is(p, rcu_dereference(mm->exe_file));
	rcu_read_unlock();
	return yes;
}

const char *stp_program_reason(int err)
{
	switch (err) {
	case -ENOENT: case -ENOTDIR: return "no such file";
	case -ESTALE: return other_build;
	case -EACCES: return "permission denied";
	case -ENOMEM: return "no memory";
	}
	return NULL;
}
