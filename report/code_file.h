// SPDX-License-Identifier: GPL-2.0-or-later
// Finds the program or library that code was in.
#ifndef CODE_FILE_H
#define CODE_FILE_H

#include <stdint.h>

// Opens the regular file of the path that was mapped up to the offset `end` (0: unknown), a multiple of the page size.
// Files of other builds rarely end there. If the path of this process leads to another file, or to none, the
// root directories of other processes are searched. Returns a descriptor, or -1.
int code_file_open(const char *path, uint64_t end);
// From now on, files may be truncated while they are mapped.
void code_file_survive_truncation(void);

#endif
