// SPDX-License-Identifier: GPL-2.0-or-later
// Finds the file of a program or library that a script or an option names: process("NAME"), @var("x", "NAME"), -c, -d.
#include "session/session.h"

#include "util/program_path.h"
#include "util/str.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static char *real_path(const char *path)
{
	char real[PATH_MAX];

	return path && realpath(path, real) ? str_dup(real) : NULL;
}

// Returns the file if its last component is `name`.
static char *called(const char *path, const char *name)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash && !strcmp(slash + 1, name) ? real_path(path) : NULL;
}

char *session_program(const struct session *s, const char *name)
{
	char *found = real_path(program_path(name));

	if (!found && s->opt.command)
		found = called(command_program(s->opt.command), name);
	for (int i = 0; !found && i < s->opt.objects.n; i++)
		found = called(s->opt.objects.at[i], name);
	return found;
}
