// SPDX-License-Identifier: GPL-2.0-or-later
// Finds the user's directory, which contains the cache and the default options.
#include "session/session.h"
#include "util/str.h"

#include <limits.h>
#include <pwd.h>
#include <stdlib.h>
#include <unistd.h>

const char *session_user_dir(void)
{
	const char *dir = getenv("SYSTEMTAP_DIR"), *home = getenv("HOME");
	char here[PATH_MAX];
	struct passwd *pw;

	if (dir && *dir)
		return *dir == '/' || !getcwd(here, sizeof(here)) ? dir : str_printf("%s/%s", here, dir);
	if (!home || !*home) {
		pw = getpwuid(geteuid());
		home = pw ? pw->pw_dir : "/";
	}
	return str_printf("%s/.systemtap", home);
}
