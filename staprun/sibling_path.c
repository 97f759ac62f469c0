// SPDX-License-Identifier: GPL-2.0-or-later
// Where the other program is: staprun runs stapio, and stapio another staprun. In: what the environment wishes.
#include "staprun.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void beside_find(char *path, size_t room, const char *variable, const char *name, const char *installed)
{
	const char *wish = secure_getenv(variable);    // NULL when we run set-user-id
	char self[1024];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	char *slash;

	if (wish) {
		snprintf(path, room, "%s", wish);
		return;
	}
	self[n < 0 ? 0 : n] = 0;
	slash = strrchr(self, '/');
	if (slash)
		*slash = 0;
	snprintf(path, room, "%s/%s", self, name);
	if (access(path, X_OK))
		snprintf(path, room, "%s/%s", self, installed);
}
