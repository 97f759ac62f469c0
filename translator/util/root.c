// SPDX-License-Identifier: GPL-2.0-or-later
// --sysroot=DIR, --sysenv=NAME=VALUE -> paths of this host for paths of the target, and the reverse.
#include "util/root.h"
#include "util/map.h"
#include "util/str.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct {
	const char *dir;           // a real path without "/" at its end; NULL: this system
	size_t len;
	int fd;
	struct map variables;
} root;

static int open_below(int fd, const char *path)
{
	struct open_how how = { .flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT };

	return (int)syscall(SYS_openat2, fd, path, &how, sizeof(how));
}

const char *root_set(const char *dir)
{
	char real[PATH_MAX];
	int fd = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC), again;

	if (fd < 0 || !realpath(dir, real))
		return strerror(errno);
	again = open_below(fd, ".");           // before Linux 5.6, and in some containers, there is no such call
	if (again < 0)
		return str_printf("openat2() failed: %s", strerror(errno));
	close(again);
	if (root.dir)
		close(root.fd);
	root.dir = strcmp(real, "/") ? str_dup(real) : NULL;
	root.len = strlen(real);
	root.fd = fd;
	return NULL;
}

bool root_is_set(void)
{
	return root.dir != NULL;
}

bool root_set_variable(const char *setting)
{
	const char *equals = strchr(setting, '=');

	if (!equals || equals == setting)
		return false;
	map_put(&root.variables, str_ndup(setting, (size_t)(equals - setting)), (void *)(equals + 1));
	return true;
}

static bool is_below(const char *path)
{
	return !strncmp(path, root.dir, root.len) && (!path[root.len] || path[root.len] == '/');
}

// Returns a path that no file has, for a file that is missing below the root. The plain path must not be used: if
// it contains a link, it could name a file of this host.
static char *missing(const char *path)
{
	char *plain = str_printf("%s%s", root.dir, path);

	return access(plain, F_OK) ? plain : str_printf("%s (a link to a file that does not exist below "
							"--sysroot)", plain);
}

// Devices and FIFOs of the tree count as missing, since reading one may never end.
char *root_path(const char *path)
{
	char found[PATH_MAX];
	struct stat st;
	ssize_t n;
	int fd;

	if (!root.dir || *path != '/' || is_below(path))
		return str_dup(path);
	fd = open_below(root.fd, path);
	if (fd < 0)
		return missing(path);
	n = readlink(str_printf("/proc/self/fd/%d", fd), found, sizeof(found) - 1);
	if (fstat(fd, &st) || (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)))
		n = 0;
	close(fd);
	return n > 0 ? str_ndup(found, (size_t)n) : str_printf("%s%s (not a file)", root.dir, path);
}

char *root_pattern(const char *pattern)
{
	size_t fixed = strcspn(pattern, "*?[");
	struct buf b = { 0 };

	if (!root.dir || *pattern != '/' || is_below(pattern))
		return str_dup(pattern);
	while (fixed && pattern[fixed - 1] != '/')
		fixed--;
	for (const char *c = root_path(str_ndup(pattern, fixed)); *c; c++)
		buf_printf(&b, strchr("*?[\\", *c) ? "\\%c" : "%c", *c);
	buf_printf(&b, "/%s", pattern + fixed);
	return buf_text(&b);
}

const char *root_name(const char *path)
{
	if (!root.dir || !is_below(path))
		return path;
	return path[root.len] ? path + root.len : "/";
}

const char *root_variable(const char *name)
{
	const char *value = map_get(&root.variables, name);

	if (value || !root.dir)
		return value ? value : getenv(name);
	return strcmp(name, "PATH") ? NULL : "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
}
