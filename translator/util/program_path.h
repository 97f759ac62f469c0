// SPDX-License-Identifier: GPL-2.0-or-later
// Files of the programs and libraries that a user names: process("NAME"), -c, -d, @var("x", "NAME").
#ifndef UTIL_PROGRAM_PATH_H
#define UTIL_PROGRAM_PATH_H

// Returns the path of a program. A name with a "/" is a path, whether the file exists or not; another name is
// searched as execvp() does, then in the current directory, where it need not be executable. NULL: not found.
char *program_path(const char *name);

// Returns the first word of a -c command, as a shell splits it. NULL: the command is more than a program and its
// arguments.
char *command_program(const char *command);
#endif
