// SPDX-License-Identifier: GPL-2.0-or-later
// Finds the path of the other program: staprun runs stapio, and stapio another staprun. An environment variable has
// precedence.
#include "staprun.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void sibling_path(char *path, size_t size, const char *variable, const char *name, const char *installed)
{
	const char *chosen = secure_getenv(variable);  // NULL when staprun runs set-user-ID
	char self[1024];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	char *slash;

	if (chosen) {
		snprintf(path, size, "%s", chosen);
		return;
	}
	self[n < 0 ? 0 : n] = 0;
	slash = strrchr(self, '/');
	if (slash)
		*slash = 0;
	snprintf(path, size, "%s/%s", self, name);
	if (access(path, X_OK))
		snprintf(path, size, "%s/%s", self, installed);
}
