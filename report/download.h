// SPDX-License-Identifier: GPL-2.0-or-later
// Files of builds that are not on this host, from the servers in DEBUGINFOD_URLS.
#ifndef DOWNLOAD_H
#define DOWNLOAD_H

#include "../runtime/user/code_file.h"

// Returns a descriptor of the debuginfo of a build or, if the servers have none, of the program or library itself; -1:
// neither is there. `name` is that of the file, for messages.
int download_build(const struct build_id *id, const char *name);

#endif
