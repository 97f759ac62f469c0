// SPDX-License-Identifier: GPL-2.0-or-later
// Opens, checks, loads and unloads a module, and opens the device that it creates.
//
// The file is opened once and read into memory (image.c), so that the checked bytes are the loaded bytes.
#include "staprun.h"

#include "log.h"
#include "syscalls.h"

#include "../include/sys/sdt.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#define MODULE_FILE_MAX (256u << 20)
#define CERTIFICATES "/etc/systemtap/staprun"
#define SIGNATURE_MAX 8192

bool module_name_is_valid(const char *name)
{
	size_t len = strspn(name, NAME_CHARACTERS);

	return len > 0 && len < MODULE_NAME_MAX && !name[len];
}

// --- the file ---

// Opens NAME in the administrator's directory, in which only root can have created files.
static int open_installed(const char *name)
{
	struct utsname kernel;
	char path[256];
	int dir, fd;

	uname(&kernel);
	snprintf(path, sizeof(path), "/lib/modules/%s/systemtap", kernel.release);
	dir = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (dir < 0) {
		fd = -errno;
		log_error("cannot open %s for the module \"%s\": %m", path, name);
		return fd;
	}
	if (!is_root_only(dir)) {
		log_error("%s must be owned by root, and writable only by root", path);
		close(dir);
		return -EPERM;
	}
	snprintf(path, sizeof(path), "%s.ko", name);
	fd = openat(dir, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0) {
		fd = -errno;
		log_error("cannot open the module %s in /lib/modules/%s/systemtap: %m", path, kernel.release);
	} else if (!is_root_only(fd)) {
		log_error("/lib/modules/%s/systemtap/%s must be owned by root, and writable only by root",
			  kernel.release, path);
		close(fd);
		fd = -EPERM;
	}
	close(dir);
	return fd;
}

// Returns whether the argument is the name of an installed module; names of modules contain no dot.
static bool is_installed(const char *argument)
{
	return !argument[strcspn(argument, "/.")];
}

static int open_path(const char *path)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static int open_file(const char *argument)
{
	int fd;

	if (is_installed(argument)) {
		if (!module_name_is_valid(argument)) {
			log_error("invalid module name \"%s\"", argument);
			return -EINVAL;
		}
		return open_installed(argument);
	}
	fd = open_path(argument);
	if (fd < 0)
		log_error("cannot open the module %s: %s", argument, strerror(-fd));
	return fd;
}

static int read_file(struct module *m, const char *argument)
{
	struct stat st;
	ssize_t n;

	if (fstat(m->fd, &st) || !S_ISREG(st.st_mode) || st.st_size > MODULE_FILE_MAX) {
		log_error("%s is not a kernel module", argument);
		return -EINVAL;
	}
	m->image = malloc(st.st_size + 1);
	if (!m->image) {
		log_error("no memory for %s", argument);
		return -ENOMEM;
	}
	while (m->len < st.st_size) {
		n = read(m->fd, m->image + m->len, st.st_size - m->len);
		if (n <= 0) {
			log_error("cannot read %s: %s", argument, n ? strerror(errno) : "it was truncated");
			return -EIO;
		}
		m->len += n;
	}
	return 0;
}

// --- rights ---

// Returns the rights that are required to load the module, from the --privilege that it was built with.
static enum rights rights_wanted(const struct module *m)
{
	const char *level = image_modinfo(m, "stap_privilege");

	if (level && !strcmp(level, "stapusr"))
		return RIGHTS_USER;
	return level && !strcmp(level, "stapsys") ? RIGHTS_SYSTEM : RIGHTS_ALL;
}

// Checks the signature, the file FILE.ko.sgn.
static int check_signature(struct module *m, int sgn_fd, const char *argument)
{
	unsigned char sgn[SIGNATURE_MAX];
	ssize_t len = read(sgn_fd, sgn, sizeof(sgn));
	struct signed_bytes s = { m->image, m->len, sgn, len > 0 && len < sizeof(sgn) ? len : 0 };
	int rc = signature_check(CERTIFICATES, &s);

	if (rc == -EKEYREJECTED)
		log_refusal("the signature %s.sgn matches no valid certificate in %s: the module was modified,"
			    " or is from an untrusted signer", argument, CERTIFICATES);
	return rc;
}

// A module that was modified after signing is rejected for all users. Users without RIGHTS_ALL need a signature.
static int check_rights(struct module *m, const char *argument, enum rights rights)
{
	char path[4096];
	int fd, rc;

	if (is_installed(argument))
		return 0;
	snprintf(path, sizeof(path), "%s.sgn", argument);
	fd = open_path(path);
	if (fd < 0 && rights == RIGHTS_ALL)
		return 0;
	if (fd < 0) {
		log_refusal("%s is not signed (%s: %s); members of stapusr and stapsys may load signed modules,"
			    " and, by NAME without a path, those in /lib/modules/RELEASE/systemtap",
			    argument, path, strerror(-fd));
		return -EPERM;
	}
	rc = check_signature(m, fd, argument);
	close(fd);
	if (rc == -ENOENT && rights == RIGHTS_ALL)
		return 0;
	if (rc == -ENOENT)
		log_refusal("cannot check the signature of %s: the administrator has not installed certificates in "
			    CERTIFICATES, argument);
	if (!rc && rights_wanted(m) > rights) {
		log_refusal("%s requires more privileges than you have; build the script with stap --privilege=%s",
			    argument, rights == RIGHTS_USER ? "stapusr" : "stapsys");
		rc = -EPERM;
	}
	m->use_image = true;               // the file may have changed meanwhile
	return rc;
}

// Opens files with the user's rights only: a set-user-ID program must not read other users' files.
int module_open(struct module *m, const char *argument, enum rights rights)
{
	int rc;

	m->path = argument;
	m->fd = open_file(argument);
	if (m->fd < 0)
		return m->fd;
	rc = read_file(m, argument);
	if (!rc)
		rc = bundle_is(m) ? bundle_open(m, argument, rights) : check_rights(m, argument, rights);
	return rc || m->is_program ? rc : image_read(m, argument);
}

// --- loading ---

bool module_text(const char *format, const char *name, char *to, size_t size)
{
	char path[128];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), format, name);
	fd = sys_open(path, O_RDONLY);
	n = fd < 0 ? fd : sys_read(fd, to, size - 1);
	to[n > 0 ? n : 0] = 0;
	if (fd >= 0)
		close(fd);
	return n > 0;
}

#define SESSIONS (1ll << 40)               // file offset of session locks; name locks begin at 0

// Locks the byte at the hash of `name` in a file of root. Returns 0, -EAGAIN if another staprun has locked it, or the
// error of opening or locking the file. The file stays open: only the first call requires root's rights. The kernel
// releases the locks when staprun exits.
static int lock_byte(const char *name, long long space, short type)
{
	static int file = -1;
	struct flock lock = { .l_type = type, .l_whence = SEEK_SET, .l_len = 1 };

	if (file < 0)
		file = sys_open("/run/staprun.lock", O_RDWR | O_CREAT | O_NOFOLLOW);
	if (file < 0)
		return file;
	for (const char *c = name; *c; c++)
		lock.l_start = (lock.l_start * 31 + *c) & (SESSIONS - 1);
	lock.l_start += space;
	return fcntl(file, F_OFD_SETLK, &lock) ? -errno : 0;
}

// Modules are identified by name. A staprun that loads a module, or checks and removes one, holds the lock of its
// name (F_WRLCK, then F_UNLCK). Others wait for the lock for 10 seconds: removing a module that is in use is tried
// for 4 seconds, and the kernel waits for running handlers.
int module_lock_name(const char *name, short type)
{
	int rc, tries = 0;

	while ((rc = lock_byte(name, 0, type)) == -EAGAIN && tries++ < 500)
		usleep(20000);
	if (!rc || rc == -ENOENT || rc == -EROFS || rc == -EACCES)  // no /run, or not set-user-ID
		return 0;
	log_error("cannot lock the name %s in /run/staprun.lock: %s", name,
		  rc == -EAGAIN ? "another staprun is loading or removing it; try again later" : strerror(-rc));
	return -ENOLCK;
}

int module_lock_session(const char *name, short type)
{
	return lock_byte(name, SESSIONS, type);
}

int module_load(struct module *m, const char *parameters)
{
	char fips[4];                      // in FIPS mode a kernel loads only certified modules, unless overridden
	bool refused = !secure_getenv("STAP_FIPS_OVERRIDE") &&
		       module_text("/proc/sys/crypto/%s", "fips_enabled", fips, sizeof(fips)) && *fips == '1';
	int rc = refused ? -EOPNOTSUPP : module_lock_name(m->name, F_WRLCK);

	if (rc)
		return rc;
	module_lock_session(m->name, F_RDLCK);     // without the lock, leftovers.c does not remove the module
	STAP_PROBE1(staprun, insert__module, m->path);
	rc = m->use_image ? sys_init_module(m->image, m->len, parameters) : sys_finit_module(m->fd, parameters);
	close(m->fd);                      // with a small RLIMIT_NOFILE, unloading needs the descriptor
	m->fd = -1;
	module_lock_name(m->name, F_UNLCK);
	return rc;
}

void module_close(struct module *m)
{
	close(m->fd);
	free(m->image);
	*m = (struct module){ .fd = -1 };
}

// The user owns the node after the script has started. If staprun was killed before, _stp_owner has the user ID.
static bool is_users(const char *name)
{
	char path[128], text[32];

	snprintf(path, sizeof(path), "/dev/systemtap/%s", name);
	return access(path, W_OK) == 0 || (module_text("/sys/module/%s/parameters/_stp_owner", name, text, sizeof(text)) &&
					   number_at(&(const char *){ text }, 10, getuid(), getuid(), &(int64_t){ 0 }));
}

// Without RIGHTS_ALL, removes only modules of the user. The name's lock is held between the check and the removal.
static int unload(const char *name, enum rights rights, int timeout_ms)
{
	char path[128];
	int rc = module_lock_name(name, F_WRLCK);

	if (rc)
		return rc;
	snprintf(path, sizeof(path), "/sys/module/%s", name);
	if (rights != RIGHTS_ALL && !is_users(name))
		rc = access(path, F_OK) ? -ENOENT : -EACCES;
	for (int pause_ms = 1, waited_ms = 0; !rc || rc == -EBUSY || rc == -EAGAIN; pause_ms *= 2) {
		STAP_PROBE1(staprun, remove__module, name);
		rc = sys_delete_module(name);
		if (!rc || waited_ms > timeout_ms)
			break;
		usleep(pause_ms * 1000);
		waited_ms += pause_ms;
	}
	module_lock_name(name, F_UNLCK);           // released before messages are printed, which may block
	if (rc == -ENOENT)
		log_error("module %s is not loaded", name);
	else if (rc == -EACCES)
		log_error("%s was not loaded by staprun, or belongs to another user", name);
	else if (rc == -EBUSY || rc == -EAGAIN)
		log_error("module %s is in use: a process has its device open; remove it later with staprun -d %s", name, name);
	else if (rc)
		log_error("cannot remove the module %s: %s", name, strerror(-rc));
	return rc;
}

int module_unload(const char *name, enum rights rights)
{
	return unload(name, rights, 2000);
}

// A module of Quicktap has a misc device of the same name, whose node is in /dev/systemtap.
bool module_is_ours(const char *name)
{
	char text[512], want[128];

	snprintf(want, sizeof(want), "DEVNAME=systemtap/%s\n", name);
	return module_text("/sys/class/misc/%s/uevent", name, text, sizeof(text)) && strstr(text, want);
}

static int remove_all(enum rights rights)
{
	DIR *dir = opendir("/sys/class/misc");
	struct dirent *entry;
	int rc = 0;

	while (dir && (entry = readdir(dir))) {
		const char *name = entry->d_name;

		if (!module_name_is_valid(name) || !module_is_ours(name) || (rights != RIGHTS_ALL && !is_users(name)))
			continue;
		if (unload(name, rights, 0))
			rc = -EBUSY;
		else
			log_note(1, "staprun: removed %s", name);
	}
	if (!dir) {
		rc = -errno;
		log_error("cannot list /sys/class/misc: %m");
	} else {
		closedir(dir);
	}
	return rc;
}

int module_remove(const char *name, enum rights rights)
{
	char path[128];

	if (!strcmp(name, "*"))
		return remove_all(rights);
	snprintf(path, sizeof(path), "/sys/module/%s", name);
	if (!module_is_ours(name) && access(path, F_OK) == 0) {
		log_error("%s was not loaded by staprun; remove it with rmmod", name);
		return -EPERM;
	}
	return module_unload(name, rights);
}

// --- its device ---

// If /dev lacks the node (in a container), creates one in a private directory, with the numbers from sysfs.
static int open_by_number(const char *name)
{
	char text[32], dir[] = "/dev/.staprun-XXXXXX", node[64];
	const char *at = text;
	int64_t major, minor;
	int fd, rc;

	if (!module_text("/sys/class/misc/%s/dev", name, text, sizeof(text)) &&
	    !module_text("/sys/class/misc/systemtap!%s/dev", name, text, sizeof(text)))
		return -ENOENT;
	if (!number_at(&at, 10, 0, INT32_MAX, &major) || *at++ != ':' || !number_at(&at, 10, 0, INT32_MAX, &minor))
		return -ENODEV;
	if (!mkdtemp(dir))
		return -errno;
	snprintf(node, sizeof(node), "%s/device", dir);
	rc = sys_mknod(node, S_IFCHR | 0600, makedev(major, minor));
	fd = rc ? rc : sys_open(node, O_RDWR);
	unlink(node);
	rmdir(dir);
	return fd;
}

int module_open_device(const char *name)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "/dev/systemtap/%s", name);
	fd = sys_open(path, O_RDWR);
	if (fd == -ENOENT)
		fd = open_by_number(name);
	if (fd == -EBUSY)
		log_error("another staprun is attached to %s", name);
	else if (fd == -ENOENT)
		log_error("module %s is not loaded, or was not loaded by staprun", name);
	else if (fd == -ENOMEM)
		log_error("not enough memory for the buffers of %s; use smaller buffers (-b, stap -s)", name);
	else if (fd == -EACCES || fd == -EPERM)
		log_error("only its owner and root can open %s", path);
	else if (fd < 0)
		log_error("cannot open the device of the module %s: %s", name, strerror(-fd));
	return fd;
}
