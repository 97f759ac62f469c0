// SPDX-License-Identifier: GPL-2.0-or-later
// Files that cache.c stores: a content, followed by its length and checksum.
#ifndef CACHE_CACHE_FILE_H
#define CACHE_CACHE_FILE_H

#include "cache/cache.h"

#include <stdbool.h>
#include <sys/types.h>

#define CACHE_ASIDE ".new-"    // part of names of incomplete files

// Writes the file `path`, complete or not at all. Returns 0 or -errno.
int cache_file_write(const char *path, const struct cache_key *k, const char *suffix, const void *bytes, size_t len);
// Writes a file outside the cache, without the trailer.
int cache_file_save(const char *path, const void *bytes, size_t len, mode_t mode);
// Returns a copy of the content, in memory of `allocate`. Its address is NULL if the file belongs to another user, is
// incomplete, was written for another key, or does not match its checksum; *why is the reason, or NULL if the file
// does not exist.
struct cache_bytes cache_file_read(const char *path, const struct cache_key *k, const char *suffix,
				   cache_allocator *allocate, const char **why);
// Copies the content to a new file `copy`, which is created completely or not at all. Returns whether it was
// created.
bool cache_file_copy(const char *path, const struct cache_key *k, const char *suffix, const char *copy,
		     const char **why);

#endif
