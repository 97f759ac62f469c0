// SPDX-License-Identifier: GPL-2.0-or-later
// The programs and libraries that the call stacks of a session are in, with their build IDs.
#ifndef FILES_H
#define FILES_H

#include "../runtime/user/code_file.h"
#include "stream.h"

struct recorded_file {
	struct build_id id;
	int64_t bias;                      // difference between the addresses of its symbols and their offsets in the file
	char id_text[2 * sizeof(((struct build_id *)0)->bytes) + 1];        // hexadecimal
};

// Adds a file to the table at *files, which is NULL if it is empty.
void files_add(void **files, struct text path, uint64_t end, struct text id, int64_t bias);
// Returns the file of a path that was mapped up to `end`, NULL if the session does not describe it. It is valid until
// files_free().
const struct recorded_file *files_find(void *files, struct text path, uint64_t end);
void files_free(void **files);

// Writes a build ID in hexadecimal digits.
void files_print_id(char *to, const struct build_id *id);

#endif
