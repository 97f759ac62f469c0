// SPDX-License-Identifier: GPL-2.0-or-later
// Paths of archives: names of entries, and targets of links, as paths below the destination directory. Both are
// untrusted input. The fuzzer of archives is linked with this file alone.
#include "target/archive.h"

#include <string.h>

// Appends the components of a path. up: ".." removes the last component; otherwise it is rejected.
static bool append(char *out, unsigned long size, const char *path, bool up)
{
	size_t len = strlen(out);

	while (*path) {
		size_t n = strcspn(path, "/");

		if (n == 2 && path[0] == '.' && path[1] == '.') {
			char *slash = strrchr(out, '/');

			if (!up || !len)
				return false;
			len = slash ? (size_t)(slash - out) : 0;
			out[len] = '\0';
		} else if (n && !(n == 1 && *path == '.')) {
			if (len + n + 2 > size || memchr(path, '\n', n))
				return false;
			if (len)
				out[len++] = '/';
			memcpy(out + len, path, n);
			len += n;
			out[len] = '\0';
		}
		path += n + (path[n] == '/');
	}
	return true;
}

bool archive_entry_path(char *out, unsigned long size, const char *name)
{
	*out = '\0';
	return append(out, size, name, false) && *out;
}

bool archive_link_path(char *out, unsigned long size, const char *dir, const char *target)
{
	*out = '\0';
	if (!*target)
		return false;
	if (*target != '/' && !append(out, size, dir, false))
		return false;
	return append(out, size, target, true);
}
