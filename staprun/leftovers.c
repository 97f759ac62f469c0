// SPDX-License-Identifier: GPL-2.0-or-later
// Removes leftover modules. When staprun and stapio are both killed, no process remains to unload the module: it
// stops its session and frees its memory when its device is closed, and the next staprun of the same user unloads it
// here.
//
// The state of modules with a Quicktap device is read from sysfs. A module is a leftover if its session has ended or
// was never started, and no running staprun holds its session lock. A detached session is not a leftover.
#include "staprun.h"

#include "log.h"
#include "syscalls.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Before START, the parameter _stp_owner is the ID of the user who loaded the module; after it, the owner of the
// device node is used.
bool module_is_own(const char *name)
{
	char path[128], text[32];
	int64_t owner;
	struct stat node;

	if (!module_text("/sys/module/%s/parameters/_stp_owner", name, text, sizeof(text)))
		return false;
	if (number_at(&(const char *){ text }, 10, 0, (uid_t)-2, &owner))
		return owner == getuid();
	snprintf(path, sizeof(path), "/dev/systemtap/%s", name);
	return !lstat(path, &node) && S_ISCHR(node.st_mode) && node.st_uid == getuid();
}

// The states (runtime/kernel/control.c): "new" before START, "open" or "detached" while it runs, "ended" after it.
static bool is_in_state(const char *name, const char *state)
{
	char text[16];

	return module_text("/sys/module/%s/parameters/_stp_state", name, text, sizeof(text)) && !strcmp(text, state);
}

bool module_has_ended(const char *name)
{
	return is_in_state(name, "ended\n");
}

bool module_is_detached(const char *name)
{
	return is_in_state(name, "detached\n");
}

void module_wait_closed(const char *name)
{
	for (int tries = 0; tries < 100 && is_in_state(name, "open\n"); tries++)
		usleep(10000);
}

static bool is_leftover(const char *name)
{
	return module_has_ended(name) || is_in_state(name, "new\n");
}

// Another staprun holds the lock while it checks in remove_one() whether the module is a leftover, but not longer
// than removing a module takes.
void module_hold_session(const char *name)
{
	for (int tries = 0; module_lock_session(name, F_RDLCK) == -EAGAIN && tries < 500; tries++)
		usleep(10000);
}

static struct leftover {
	char name[MODULE_NAME_MAX];
	ino_t inode;                       // inode of its sysfs directory, which changes when the module is loaded
					   // again
} found[64];
static int n_found;

static ino_t inode_of(const char *name)
{
	char path[128];
	struct stat st;

	snprintf(path, sizeof(path), "/sys/module/%s", name);
	return stat(path, &st) ? 0 : st.st_ino;
}

// Waits for a second. Signals are blocked: one that ends the session ends the wait, remains pending, and makes this
// function return false.
static bool wait_a_second(void)
{
	const struct timespec second = { .tv_sec = 1 };
	sigset_t set;
	int sig;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sig = sigtimedwait(&set, NULL, &second);
	if (sig > 0)
		raise(sig);
	return sig < 0;
}

// No other process can load, attach to or remove a module of this name while both locks are held.
static void remove_one(const char *name, ino_t inode)
{
	bool removed;

	if (module_lock_name(name, F_WRLCK))
		return;
	removed = !module_lock_session(name, F_WRLCK) && is_leftover(name) && inode_of(name) == inode && module_is_own(name) &&
		  !sys_delete_module(name);
	module_lock_session(name, F_UNLCK);
	module_lock_name(name, F_UNLCK);
	if (removed)
		log_note(0, "staprun: removed the module %s of a session that was killed", name);
}

// A container with its own /run has its own lock file, so one second passes before a module is removed: a module that
// a staprun in the container has just loaded, or is about to unload, is in use or unloaded then. One wait serves up
// to 64 modules; the next staprun handles further ones.
void leftovers_remove(void)
{
	DIR *dir = opendir("/sys/class/misc");
	struct dirent *entry;

	while (dir && n_found < sizeof(found) / sizeof(found[0]) && (entry = readdir(dir)))
		if (module_name_is_valid(entry->d_name) && is_leftover(entry->d_name) &&
		    module_is_ours(entry->d_name) && module_is_own(entry->d_name)) {
			found[n_found].inode = inode_of(entry->d_name);
			strcpy(found[n_found++].name, entry->d_name);
		}
	if (dir)
		closedir(dir);
	for (struct leftover *m = found; m < found + n_found && (m > found || wait_a_second()); m++)
		remove_one(m->name, m->inode);
}
