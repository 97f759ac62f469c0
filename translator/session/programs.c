// SPDX-License-Identifier: GPL-2.0-or-later
// Finds the file of a program or library that a script or an option names: process("NAME"), @var("x", "NAME"), -c, -d.
#include "session/session.h"

#include "util/program_path.h"
#include "util/map.h"
#include "util/root.h"
#include "util/str.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// Returns the path on this host of a path of the target, with links resolved.
static char *real_path(const char *path)
{
	char real[PATH_MAX];

	return path && realpath(root_path(path), real) ? str_dup(real) : NULL;
}

// Returns the file if the last component of its path is `name`.
static char *called(const char *path, const char *name)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash && !strcmp(slash + 1, name) ? real_path(path) : NULL;
}

// Returns the file of that name beside the script, since a script can be started from any directory.
static char *beside_script(const struct session *s, const char *name)
{
	const char *script = s->opt.script_file, *slash = script && !strchr(name, '/') ? strrchr(script, '/') : NULL;
	char *path = slash ? str_printf("%.*s/%s", (int)(slash - script), script, name) : NULL;
	struct stat st;

	return path && !stat(path, &st) && S_ISREG(st.st_mode) ? real_path(path) : NULL;
}

char *session_program(const struct session *s, const char *name)
{
	char *found = real_path(program_path(name));

	if (!found && s->opt.command)
		found = called(command_program(s->opt.command), name);
	for (int i = 0; !found && i < s->opt.objects.n; i++)
		found = called(s->opt.objects.at[i], name);
	return found ? found : beside_script(s, name);
}

// Returns the path, or the path below /proc/PID/root if the process sees another file there.
static const char *path_of_mapped(const char *process, const char *path)
{
	const char *inside = str_printf("%s/root%s", process, path);
	struct stat ours, st;

	if (stat(inside, &st) || (!stat(path, &ours) && ours.st_dev == st.st_dev && ours.st_ino == st.st_ino))
		return path;
	return inside;
}

void session_mapped_files(const char *process, name_list *paths)
{
	char *text = str_read_file(str_printf("%s/maps", process), NULL), *save = NULL;
	struct map known = { 0 };

	for (char *line = text ? strtok_r(text, "\n", &save) : NULL; line; line = strtok_r(NULL, "\n", &save)) {
		const char *path = strchr(line, '/');

		if (!path || !strstr(line, " r-xp ") || map_get(&known, path))
			continue;
		map_put(&known, path, (void *)path);
		vec_push(paths, path_of_mapped(process, path));
	}
}
