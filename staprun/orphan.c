// SPDX-License-Identifier: GPL-2.0-or-later
// When staprun was killed, nobody is left who may unload the module. Then stapio becomes another staprun, which
// may do for this user what the first one might, and which closes the device and the rings in becoming it.
#include "stapio.h"

#include "log.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// The environment's wish, else beside us, else where it is installed.
static void find_staprun(char *path, size_t room)
{
	const char *wish = getenv("SYSTEMTAP_STAPRUN");
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
	snprintf(path, room, "%s/staprun", self);
	if (access(path, X_OK))
		snprintf(path, room, "%s/../../bin/staprun", self);
}

void orphan_remove(const struct stapio_options *opt)
{
	struct pollfd life = { opt->life, POLLIN };
	char path[1100];

	if (poll(&life, 1, 0) <= 0)
		return;
	log_warning("staprun was killed; the module %s is removed in its place", opt->module);
	find_staprun(path, sizeof(path));
	execl(path, "staprun", "-d", opt->module, NULL);
	log_error("can't run %s: %m; staprun -d %s removes the module", path, opt->module);
}
