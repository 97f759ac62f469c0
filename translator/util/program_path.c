// SPDX-License-Identifier: GPL-2.0-or-later
// Finds files of programs by the rules of a shell, from a name or from a whole command.
#include "util/program_path.h"
#include "util/root.h"
#include "util/spawn.h"
#include "util/str.h"

#include "command.h"

#include <string.h>
#include <sys/stat.h>

static bool is_file(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

static char *find_in_root(const char *name)
{
	const char *dirs = root_variable("PATH");
	size_t len;

	for (; dirs && *dirs; dirs += len + (dirs[len] == ':')) {
		char *path;

		len = strcspn(dirs, ":");
		path = root_path(str_printf("%.*s/%s", (int)len, dirs, name));
		if (len && is_file(path))
			return path;
	}
	return NULL;
}

char *program_path(const char *name)
{
	char *found;

	if (root_is_set())
		return *name == '/' ? root_path(name) : strchr(name, '/') ? NULL : find_in_root(name);
	found = strchr(name, '/') ? str_dup(name) : spawn_find(name);
	return found || !is_file(name) ? found : str_printf("./%s", name);
}

char *command_program(const char *command)
{
	char *first = NULL;
	wordexp_t words;

	if (stp_command_split(command, &words)) {
		first = str_dup(words.we_wordv[0]);
		wordfree(&words);
	}
	return first;
}
