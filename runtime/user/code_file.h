/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the program or library that code was in. Shared by stap-report, stapio and the user runtime. */
#ifndef CODE_FILE_H
#define CODE_FILE_H

#include <stdbool.h>
#include <stdint.h>

struct build_id { unsigned char bytes[64]; unsigned len; };        /* len 0: unknown */

struct code_file {
	const char *path;
	uint64_t end;                      /* offset up to which it was mapped, a multiple of the page size; 0: unknown */
	struct build_id id;                /* if it is known, files of other builds are not opened */
	bool differs;                      /* result: a file of this path is another build, */
	struct build_id other;             /* which has this build ID */
};

/*
 * Opens the regular file that has the build ID; if that is unknown, the one that was mapped up to `end`, since files of
 * other builds rarely end there. If the path of this process leads to another file, or to none, the root directories of
 * other processes are searched. Returns a descriptor, or -1.
 */
int code_file_open(struct code_file *wanted);
/* Opens such a file of the tree below the directory only. */
int code_file_open_below(const char *directory, struct code_file *wanted);
/* Reads the build ID of an open file; returns false if it has none. */
bool code_file_build_id(int fd, struct build_id *id);
/* Reads the build ID from a file that contains notes only, such as /sys/kernel/notes. */
bool code_file_read_notes(const char *path, struct build_id *id);
/*
 * Finds the build ID of the file that was mapped up to `end`. *bias: the difference between addresses of symbols and
 * their offsets in the file; 0 if `end` is 0. Returns false if the file is not found or has no build ID.
 */
bool code_file_identify(const char *path, uint64_t end, struct build_id *id, int64_t *bias);

#endif
