// SPDX-License-Identifier: GPL-2.0-or-later
// The programs, libraries and kernel modules that the call stacks of a session are in, with their build IDs. Those of
// the hosts of --merge may differ.
#ifndef FILES_H
#define FILES_H

#include "../runtime/user/code_file.h"
#include "stream.h"

struct recorded_file {
	struct build_id id;
	int64_t bias;                      // difference between the addresses of its symbols and their offsets in the file
	bool differs;                      // hosts have several builds, and this is one of them
	bool reported;                     // used by callers of files_find()
	char id_text[2 * sizeof(((struct build_id *)0)->bytes) + 1];        // hexadecimal
};

// A path on a host, which is empty if it is not known, as for values of globals to which several hosts have added.
struct file_place { struct text host, path; uint64_t end; };

// Adds a file to the table at *files, which is NULL if it is empty. Returns true if this is the second build of a path,
// so that frames that were looked up without a host may be wrong.
bool files_add(void **files, const struct file_place *p, struct text id, int64_t bias);
// Returns the file of a path that was mapped up to `end`, NULL if the session does not describe it. It is valid until
// files_free().
struct recorded_file *files_find(void *files, const struct file_place *p);
void files_free(void **files);

// Writes a build ID in hexadecimal digits.
void files_print_id(char *to, const struct build_id *id);

#endif
