/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files below /proc/systemtap/MODULE. A read at offset 0 runs the handler; later reads of the same open file
 * continue with its text. Every write runs the handler with the written text.
 *
 * An open file holds no reference to the module: removing the files waits for processes in one of the functions
 * below, and closes open files.
 */
#include "kernel.h"
#include <linux/cred.h>
#include <linux/fs.h>
#include <linux/mutex.h>
#include <linux/namei.h>
#include <linux/proc_fs.h>
#include <linux/uaccess.h>

#define DIRECTORY "systemtap"

/* The text of an open file. c->arguments[0] of a handler points to it. */
struct procfs_text {
	struct mutex lock;         /* serialises reads and writes of the open file */
	u32 size, len;             /* size includes the terminator */
	char *at;
};

/* "systemtap/MODULE"; "" while the directory does not exist. */
static char directory[sizeof(DIRECTORY) + MODULE_NAME_LEN + 1];

/* ------------------------------------------------------------------ functions for handlers */

static struct procfs_text *text_of(const struct stp_ctx *c)
{
	return (struct procfs_text *)(unsigned long)c->arguments[0];
}

void stp_value_get(struct stp_ctx *c, char *to, u32 size)
{
	stp_copy(to, text_of(c)->at, size);
}

u32 stp_value_set(struct stp_ctx *c, const char *text, bool append)
{
	struct procfs_text *t = text_of(c);
	u64 len = stp_strlen(text), from = append ? t->len : 0;

	if (len >= t->size - from)
		return t->size - 1;
	plat_memcpy(t->at + from, text, len + 1);
	t->len = from + len;
	return 0;
}

/* Context: process. Returns -EAGAIN if the handler was skipped, -EIO if it failed. */
static int run(const struct stp_probe *p, struct procfs_text *t)
{
	unsigned long flags;
	struct stp_ctx *c;
	int err;

	if (p->in_slices)
		return stp_slices_request(p, (unsigned long)t);     /* not a hit: stp_slices_request() counts it */
	if (!stp_hit_begin(&c, &flags))
		return -EAGAIN;
	stp_private(c)->outcome = STP_COMPLETE;
	c->regs = NULL;
	c->address = 0;
	c->arguments[0] = (unsigned long)t;
	stp_handler_run(c, p);
	err = stp_outcome_error(stp_private(c)->outcome);
	stp_hit_end(c, flags);
	return err;
}

/* ------------------------------------------------------------------ file operations */

_Static_assert(STP_MAX_STP_PROCFS_BUFSIZE < 1 << 30, "plat_alloc() takes less than 2 GB");

static u32 text_size(const struct stp_procfs *f)
{
	return max(f->size, stp_module.limits.string_len);
}

static int procfs_open(struct inode *inode, struct file *file)
{
	const struct stp_procfs *f = compat_pde_data(inode);
	struct procfs_text *t;
	u32 size = text_size(f);

	t = plat_alloc(sizeof(*t) + size, -1);
	if (!t)
		return -ENOMEM;
	mutex_init(&t->lock);
	t->size = size;
	t->at = (char *)(t + 1);
	file->private_data = t;
	return 0;
}

static int procfs_release(struct inode *inode, struct file *file)
{
	plat_free(file->private_data);
	return 0;
}

/* Bounded wait: a waiting process can be killed while its own memory is faulted in, the only operation that takes
 * time. */
static ssize_t procfs_read(struct file *file, char __user *to, size_t count, loff_t *at)
{
	const struct stp_procfs *f = compat_pde_data(file_inode(file));
	struct procfs_text *t = file->private_data;
	ssize_t n = 0;

	if (!f->read)
		return -EINVAL;            /* not a hit: no probe */
	if (mutex_lock_killable(&t->lock))
		return -EINTR;             /* not a hit: the reader was killed */
	if (*at == 0) {
		t->len = 0;
		t->at[0] = '\0';
		t->size = f->size;
		n = run(f->read, t);
	}
	if (!n)
		n = simple_read_from_buffer(to, count, at, t->at, t->len);
	mutex_unlock(&t->lock);
	return n;
}

/* Bounded wait: a waiting process can be killed while its own memory is faulted in, the only operation that takes
 * time. */
static ssize_t write_text(const struct stp_procfs *f, struct procfs_text *t, const char __user *from, size_t count)
{
	int err, failed = 0;
	u32 i;

	t->size = stp_module.limits.string_len;
	count = min_t(size_t, count, t->size - 1);
	if (copy_from_user(t->at, from, count))
		return -EFAULT;            /* not a hit: nothing was written */
	t->len = count;
	t->at[count] = '\0';
	/* If a later handler is skipped, the error is not EAGAIN, since the process would write again and so run
	 * the first handlers twice. */
	for (i = 0; i < f->nwrites; i++) {
		err = run(f->writes[i], t);
		if (err == -EAGAIN && !i)
			return err;        /* not a hit: run() has counted it */
		if (err)
			failed = -EIO;
	}
	return failed ?: count;
}

/* Accepts as many bytes as fit into a string; the writer continues with the remaining ones. Bounded wait: as
 * procfs_read(). */
static ssize_t procfs_write(struct file *file, const char __user *from, size_t count, loff_t *at)
{
	const struct stp_procfs *f = compat_pde_data(file_inode(file));
	struct procfs_text *t = file->private_data;
	ssize_t n;

	if (!f->nwrites)
		return -EINVAL;            /* not a hit: no probe */
	if (mutex_lock_killable(&t->lock))
		return -EINTR;             /* not a hit: the writer was killed */
	n = write_text(f, t, from, count);
	mutex_unlock(&t->lock);
	return n;
}

static const struct proc_ops operations = {
	.proc_open = procfs_open,
	.proc_release = procfs_release,
	.proc_read = procfs_read,
	.proc_write = procfs_write,
	.proc_lseek = default_llseek,
};

/* ------------------------------------------------------------------ creation of the files */

/* Bounded wait: paths in /proc are looked up in memory. */
static bool exists(const char *path)
{
	struct path found;

	if (kern_path(path, 0, &found))
		return false;
	path_put(&found);
	return true;
}

/*
 * /proc/systemtap is never removed: another module may be about to use it. If two modules create it at the same time,
 * the kernel warns about the second proc_mkdir(), so that each holds the lock of an inode that no other code locks
 * (modules have no lock in common). In another PID namespace that is another inode; a module whose creation fails
 * there looks the path up again. For lockdep, the lock belongs to the class of a parent directory: the path is looked
 * up under it, which locks the directory. The kernel never locks that inode while it holds the directory's lock, since
 * nothing in /proc can be unlinked or renamed. Bounded wait: the holder of the lock looks up paths in memory, and
 * creates a directory.
 */
static int make_shared_directory(void)
{
	struct path version;
	bool made;

	if (kern_path("/proc/version", 0, &version))
		return -ENOENT;
	inode_lock_nested(d_inode(version.dentry), I_MUTEX_PARENT);
	made = exists("/proc/" DIRECTORY) || proc_mkdir(DIRECTORY, NULL) || exists("/proc/" DIRECTORY);
	inode_unlock(d_inode(version.dentry));
	path_put(&version);
	return made ? 0 : -ENOMEM;
}

static int make_directory(void)
{
	int err = make_shared_directory();

	if (err)
		return err;
	snprintf(directory, sizeof(directory), DIRECTORY "/%s", THIS_MODULE->name);
	if (proc_mkdir(directory, NULL))
		return 0;
	directory[0] = '\0';
	return -ENOMEM;
}

/* Returns true if an earlier file's path begins with these len bytes, followed by `next`: '/' if the file is in
 * that directory; 0 if it is the same path. */
static bool is_made(const struct stp_procfs *files, u32 n, const char *path, u32 len, char next)
{
	u32 i;

	for (i = 0; i < n; i++)
		if (!strncmp(files[i].path, path, len) && files[i].path[len] == next)
			return true;
	return false;
}

static int make_file(struct stp_procfs *files, u32 n)
{
	struct stp_procfs *f = &files[n];
	char path[256];
	const char *slash;
	struct proc_dir_entry *entry;

	/* Avoids warnings of the kernel about a name that is both a file and a directory, and about a file that
	 * exists. */
	if (is_made(files, n, f->path, strlen(f->path), '/') || is_made(files, n, f->path, strlen(f->path), 0))
		return -EEXIST;
	for (slash = strchr(f->path, '/'); slash; slash = strchr(slash + 1, '/')) {
		u32 len = slash - f->path;

		if (is_made(files, n, f->path, len, '/'))
			continue;
		if (is_made(files, n, f->path, len, 0))
			return -EEXIST;
		snprintf(path, sizeof(path), "%s/%.*s", directory, (int)len, f->path);
		if (!proc_mkdir(path, NULL))
			return -ENOMEM;
	}
	snprintf(path, sizeof(path), "%s/%s", directory, f->path);
	entry = proc_create_data(path, f->mode, NULL, &operations, f);
	if (!entry)
		return -ENOMEM;
	proc_set_user(entry, current_uid(), current_gid());
	return 0;
}

/* Bounded wait: ends after the reads and writes in progress. A process that waits for pages of its own buffer (of FUSE,
 * for instance) delays this until they arrive, or until it is killed. */
static void procfs_stop(void *table, u32 n)
{
	if (directory[0])
		remove_proc_subtree(directory, NULL);
	directory[0] = '\0';
	stp_slices_stop();
}

/* file: NULL for the directory of the module */
static void report_failure(const struct stp_procfs *file, int err)
{
	const char *why = err == -ENOMEM ? "no memory" : err == -ENOENT ? "is /proc mounted?" :
			  err == -EEXIST ? "another file or directory has this name" : NULL;
	char text[400], number[24];

	snprintf(number, sizeof(number), "error %d", err);
	snprintf(text, sizeof(text), "cannot create /proc/" DIRECTORY "/%s%s%s: %s", THIS_MODULE->name, file ? "/" : "",
		 file ? file->path : "", why ?: number);
	plat_message(STP_MSG_ERROR, text);
}

static int procfs_start(void *table, u32 n)
{
	struct stp_procfs *files = table;
	int err = stp_slices_start();
	u32 i;

	if (err) {
		plat_message(STP_MSG_ERROR, "no memory for procfs probes");
		return err;
	}
	err = make_directory();
	for (i = 0; i < n && !err; i++)
		err = make_file(files, i);
	if (!err)
		return 0;
	procfs_stop(table, n);
	report_failure(i ? &files[i - 1] : NULL, err);
	return err;
}

const struct stp_family_ops stp_procfs_family = {
	.name = "procfs",
	.start = procfs_start,
	.stop = procfs_stop,
};
