// SPDX-License-Identifier: GPL-2.0-or-later
// Lists the directories that may have separate debuginfo: $SYSTEMTAP_DEBUGINFO_PATH, else the default ones; with
// --sysroot those of the target.
#include "debuginfo/module.h"
#include "util/root.h"
#include "util/str.h"

#include <stdlib.h>
#include <string.h>

void di_debug_directories(di_names *out)
{
	const char *list = getenv("SYSTEMTAP_DEBUGINFO_PATH");
	bool usual = list == NULL;
	size_t len;

	for (list = usual ? "+:.debug:/usr/lib/debug:build" : list; *list; list += len + (list[len] == ':')) {
		const char *dir;

		len = strcspn(list, ":");
		if (!len)
			continue;
		dir = str_ndup(list, len);
		dir += *dir == '-' || *dir == '+';     // in older versions this selects whether checksums are
						       // compared
		vec_push(out, usual ? root_path(dir) : dir);
	}
}
