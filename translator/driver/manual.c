// SPDX-License-Identifier: GPL-2.0-or-later
// Finds the manual pages to which messages refer: those of the installation, or in the build directory those that
// "make doc" made. Reads MANPATH and PATH, from which man(1) computes the directories that it searches.
#include "driver/manual.h"

#include "util/program_path.h"
#include "util/str.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// man-db searches these whatever PATH has (/etc/manpath.config, MANDATORY_MANPATH).
static const char *const always[] = { "/usr/share/man", "/usr/local/share/man" };

// Returns true if man searches the directory because PATH has a directory of programs beside it.
static bool beside_programs(const char *dir)
{
	const char *path = getenv("PATH");
	size_t len;

	for (size_t i = 0; i < ARRAY_SIZE(always); i++)
		if (!strcmp(dir, always[i]))
			return true;
	for (; path && *path; path += len + (path[len] == ':')) {
		const char *end = path + (len = strcspn(path, ":"));

		while (end > path && end[-1] != '/')
			end--;
		if (end > path && (!strcmp(dir, str_printf("%.*sshare/man", (int)(end - path), path)) ||
				   !strcmp(dir, str_printf("%.*sman", (int)(end - path), path))))
			return true;
	}
	return false;
}

// An empty entry of MANPATH stands for the directories that man searches without it.
static bool searched(const char *dir)
{
	const char *path = getenv("MANPATH");
	size_t len;

	if (!path || !*path)
		return beside_programs(dir);
	for (;; path += len + 1) {
		len = strcspn(path, ":");
		if (len ? strlen(dir) == len && !strncmp(dir, path, len) : beside_programs(dir))
			return true;
		if (!path[len])
			return false;
	}
}

const char *manual_page(const struct session *s, const char *page)
{
	char *file;

	if (!s->manual_dir || !program_path("man"))
		return NULL;
	file = str_printf("%s/man3/%s.3stap", s->manual_dir, page);
	if (access(file, R_OK)) {
		file = str_printf("%s.gz", file);      // as distributions install it
		if (access(file, R_OK))
			return NULL;
	}
	return searched(s->manual_dir) ? page : file;
}
