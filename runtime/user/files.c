/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * procfs probes in a process: files /var/tmp/systemtap-USER/NAME/PATH, where NAME is that of the program's file.
 *
 * A file to read is a regular one with a lease (fcntl(2)): a process that opens it waits until this process has
 * written the text that the handler assigns to $value, and has released the lease. Before that, this process
 * replaces it by a new file for processes that open it later. A file to write is a FIFO, whose text runs the
 * handlers. Handlers run in the loop of main.c, which never waits here. The files of standard input are in
 * input.c.
 */
#define _GNU_SOURCE
#include "user.h"
#include "event_probes.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define TEMPORARY "/var/tmp"
#define NEW "\1"  /* used instead of the path: the file has no name yet (paths of scripts do not contain this byte) */

struct file { const struct stp_procfs *f; int fd; };

static struct file *files;
static u32 nfiles;
static struct user_text text;          /* text of the file that is being read or written */
static int home = -1, poller = -1;     /* poller: readable if a FIFO is readable */
static volatile sig_atomic_t waited_for;       /* a process waits for the release of a lease */
static char directory[300];            /* path of `home` */

/* ------------------------------------------------------------------ $value */

static struct user_text *value;        /* $value of the handler that runs */

void stp_value_get(struct stp_ctx *c, char *to, u32 size)
{
	stp_copy(to, value->at, size);
}

u32 stp_value_set(struct stp_ctx *c, const char *text, bool append)
{
	u64 len = (u64)stp_strlen(text), from = append ? value->len : 0;

	if (len >= value->size - from)
		return value->size - 1;
	memcpy(value->at + from, text, len + 1);
	value->len = (u32)(from + len);
	return 0;
}

bool user_file_run(const struct stp_probe *p, struct user_text *text)
{
	struct stp_ctx *c = user_ctx;

	if (!stp_ctx_enter(c))
		return false;
	value = text;
	stp_private(c)->outcome = STP_COMPLETE;
	c->regs = NULL;
	c->address = 0;
	event_probes_enter(p);
	stp_handler_run(c, p);
	event_probes_leave(p);
	stp_ctx_leave(c);
	return stp_private(c)->outcome == STP_COMPLETE;
}

/* ------------------------------------------------------------------ files */

/* Makes a file with this name, which replaces the previous one. Returns 0 or -errno. */
static int create_file(struct file *x)
{
	unlinkat(home, NEW, 0);
	if (!x->f->read && mkfifoat(home, NEW, 0600) < 0)
		return -errno;
	x->fd = openat(home, NEW, O_RDWR | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW | (x->f->read ? O_CREAT | O_EXCL : 0), 0600);
	if (x->fd < 0)
		return -errno;
	if ((x->f->read && fcntl(x->fd, F_SETLEASE, F_WRLCK) < 0) || fchmod(x->fd, x->f->mode) ||
	    renameat(home, NEW, home, x->f->path))
		return -errno;
	return 0;
}

static int watch(struct file *x)
{
	struct epoll_event e = { .data.u32 = (u32)(x - files), .events = EPOLLIN };

	return x->f->read || !epoll_ctl(poller, EPOLL_CTL_ADD, x->fd, &e) ? 0 : -errno;
}

/* Writes the handler's text for the processes that wait for it. */
static void answer(struct file *x)
{
	int fd = x->fd, err;
	u32 sent = 0;
	ssize_t n = 0;

	text.size = x->f->size;
	text.len = 0;
	text.at[0] = '\0';
	if (!user_file_run(x->f->read, &text))
		text.len = 0;
	for (; sent < text.len && n >= 0; sent += (u32)n)
		n = write(fd, text.at + sent, text.len - sent);
	if (n < 0)
		fprintf(stderr, "%s cannot write %s/%s: %s\n", user_warning_label, directory, x->f->path, strerror(errno));
	err = create_file(x);
	if (err) {
		close(x->fd);
		x->fd = -1;
		fprintf(stderr, "%s cannot replace %s/%s: %s; it keeps its old text\n", user_warning_label, directory,
			x->f->path, strerror(-err));
	}
	fcntl(fd, F_SETLEASE, F_UNLCK);
	close(fd);
}

static void answer_all(void)
{
	u32 i;

	waited_for = 0;
	for (i = 0; i < nfiles && !user_stop; i++)
		if (files[i].f->read && files[i].fd >= 0 && fcntl(files[i].fd, F_GETLEASE) != F_WRLCK)
			answer(&files[i]);
}

static void receive(const struct file *x)
{
	ssize_t n;
	u32 i;

	text.size = stp_module.limits.string_len;
	n = read(x->fd, text.at, text.size - 1);
	if (n <= 0)
		return;
	text.len = (u32)n;
	text.at[n] = '\0';
	for (i = 0; i < x->f->nwrites && !user_stop; i++)
		user_file_run(x->f->writes[i], &text);
}

int user_files_fd(void)
{
	return poller;
}

void user_files_serve(void)
{
	struct epoll_event list[16];
	int n = poller >= 0 ? epoll_wait(poller, list, 16, 0) : 0, i;

	if (waited_for)
		answer_all();
	for (i = 0; i < n && !user_stop; i++)
		receive(&files[list[i].data.u32]);
}

/* ------------------------------------------------------------------ the directory */

/* Opens a directory of this user, which is made if necessary. Returns a descriptor or -errno: -EPERM if other
 * users can change it. */
static int open_directory(int at, const char *name)
{
	struct stat st;
	int fd;

	if (mkdirat(at, name, 0755) < 0 && errno != EEXIST)
		return -errno;
	fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) || st.st_uid != geteuid() || st.st_mode & 022) {
		close(fd);
		return -EPERM;
	}
	return fd;
}

/* Removes the files of a process that was killed. */
static void remove_contents(int at)
{
	int copy = openat(at, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = copy < 0 ? NULL : fdopendir(copy);
	struct dirent *e;
	int below;

	while (d && (e = readdir(d))) {
		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..") || !unlinkat(at, e->d_name, 0))
			continue;
		below = openat(at, e->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (below >= 0)
			remove_contents(below);
		close(below);
		unlinkat(at, e->d_name, AT_REMOVEDIR);
	}
	if (d)
		closedir(d);
}

/* Locks a directory, which the process that used it may remove at the same time. */
static bool lock_directory(int fd)
{
	struct stat st;

	return !flock(fd, LOCK_EX | LOCK_NB) && !fstat(fd, &st) && st.st_nlink;
}

/* Sets `home` to a directory that no other process uses: NAME, otherwise NAME_PID. Returns 0 or -errno. */
static int open_home(int users, const char *user)
{
	char name[128];
	int try;

	for (try = 0; try < 2; try++) {
		snprintf(name, sizeof(name), try ? "%.100s_%d" : "%.100s", user_program_name, (int)getpid());
		home = open_directory(users, name);
		if (home < 0)
			return home;
		if (lock_directory(home)) {
			remove_contents(home);
			snprintf(directory, sizeof(directory), TEMPORARY "/systemtap-%s/%s", user, name);
			return 0;
		}
		close(home);
	}
	home = -1;
	return -EBUSY;
}

static int make_home(void)
{
	const struct passwd *p = getpwuid(geteuid());
	char user[64], name[80];
	int temporary = open(TEMPORARY, O_RDONLY | O_DIRECTORY | O_CLOEXEC), users, err;

	strcpy(directory, TEMPORARY);
	if (temporary < 0)
		return -errno;
	if (p)
		snprintf(user, sizeof(user), "%s", p->pw_name);
	else
		snprintf(user, sizeof(user), "%u", geteuid());
	snprintf(name, sizeof(name), "systemtap-%s", user);
	snprintf(directory, sizeof(directory), TEMPORARY "/%s", name);
	users = open_directory(temporary, name);
	close(temporary);
	if (users < 0)
		return users;
	err = open_home(users, user);
	close(users);
	return err;
}

/* Makes the directories in the path. Their permissions are those of `home`. */
static void make_parents(const char *path)
{
	char part[256];
	const char *end;

	for (end = strchr(path, '/'); end; end = strchr(end + 1, '/')) {
		snprintf(part, sizeof(part), "%.*s", (int)(end - path), path);
		mkdirat(home, part, 0755);
	}
}

/* ------------------------------------------------------------------ start and stop */

static void stop(void *table, u32 n)
{
	u32 i;

	user_input_stop();
	if (home >= 0) {
		remove_contents(home);
		rmdir(directory);
		close(home);
	}
	for (i = 0; i < nfiles; i++)
		close(files[i].fd);
	close(poller);
	free(files);
	free(text.at);
	files = NULL;
	text.at = NULL;
	nfiles = 0;
	home = poller = -1;
}

static int fail(int err, const char *path)
{
	char message[600];

	snprintf(message, sizeof(message), "cannot make %s%s%s: %s", directory, path ? "/" : "", path ? path : "",
		 err == -EPERM ? "it belongs to another user, or others can write to it; remove it" :
		 err == -EINVAL ? "its file system does not support leases" : strerror(-err));
	plat_message(STP_MSG_ERROR, message);
	return err;
}

static void on_wait(int signal)
{
	waited_for = 1;
}

/* Like other signals, the signal that requests the release of a lease is delivered only in the ppoll() of main.c. */
static int prepare(void)
{
	struct sigaction action = { .sa_handler = on_wait };
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGIO);
	sigprocmask(SIG_BLOCK, &set, NULL);
	sigaction(SIGIO, &action, NULL);
	poller = epoll_create1(EPOLL_CLOEXEC);
	return poller < 0 ? -errno : make_home();
}

static int make_file(const struct stp_procfs *f)
{
	struct file *x = &files[nfiles++];
	int err;

	*x = (struct file){ .f = f, .fd = -1 };
	make_parents(f->path);
	err = create_file(x);
	if (!err)
		err = watch(x);
	return err ? fail(err, f->path) : 0;
}

static int start(void *table, u32 n)
{
	const struct stp_procfs *all = table;
	u32 size = stp_module.limits.string_len, i, nothers = 0;
	int err = 0;

	for (i = 0; i < n; i++) {
		nothers += !user_input_start(&all[i]);
		size = all[i].size > size ? all[i].size : size;
	}
	if (!nothers)
		return 0;
	files = calloc(nothers, sizeof(*files));
	text.at = malloc(size);
	if (!files || !text.at)
		err = -ENOMEM;
	if (!err)
		err = prepare();
	if (err)
		fail(err, NULL);
	for (i = 0; i < n && !err; i++)
		if (!user_input_is(&all[i]))
			err = make_file(&all[i]);
	if (err)
		stop(table, n);
	return err;
}

const struct stp_family_ops stp_procfs_family = { "procfs", start, stop };
