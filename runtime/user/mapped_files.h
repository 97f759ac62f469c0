/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the files that the call stacks in records are in. Shared by stapio and the user runtime. */
#ifndef MAPPED_FILES_H
#define MAPPED_FILES_H

#include <stddef.h>

/*
 * Calls `emit` with the payload of a frame STP_FRAME_FILE (include/records.h) for each file in the items of a record
 * that has a build ID. Each file is looked up once, when it first occurs.
 */
void mapped_files_find(const void *items, size_t len, void (*emit)(const void *payload, size_t len));
/* Stores the build ID of a module that is about to be unloaded. `text` is "NAME BUILD_ID". */
void mapped_files_unloaded(const char *text);

#endif
