// SPDX-License-Identifier: GPL-2.0-or-later
// --sysroot=DIR: the root directory of the system that a script is for, the target. Its files lie below DIR; scripts,
// messages and modules name them without DIR.
#ifndef UTIL_ROOT_H
#define UTIL_ROOT_H

#include <stdbool.h>

// Returns the reason why the directory cannot be the root, or NULL. "/" is this system, which is the default.
const char *root_set(const char *dir);
bool root_is_set(void);
// Sets a variable of the target's environment from "NAME=VALUE". Returns false if the text has another form.
bool root_set_variable(const char *setting);

// Returns the path on this host of a file that has this absolute path on the target. Links are followed below the root,
// as the target does. Relative paths, paths of this host below DIR, and all paths without a root are returned as they
// are. The file need not exist.
char *root_path(const char *path);
// Returns a pattern for glob() on this host, of files that match an absolute pattern on the target.
char *root_pattern(const char *pattern);
// Returns the target's path of a file of this host; the path itself if the file is not below the root.
const char *root_name(const char *path);
// Returns the value of a variable in the target's environment, or NULL; without a root, in the environment of this
// process. PATH has a default.
const char *root_variable(const char *name);

#endif
