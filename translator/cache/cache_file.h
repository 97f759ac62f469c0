// SPDX-License-Identifier: GPL-2.0-or-later
// Files that cache.c stores: a content, followed by its length and checksum; directories of the cache.
#ifndef CACHE_CACHE_FILE_H
#define CACHE_CACHE_FILE_H

#include "cache/cache.h"

#include <stdbool.h>
#include <stdint.h>
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

// cache_tree.c: Makes a directory of the cache, or makes an existing one accessible; replaces anything else at this
// path. Returns 0 or -errno.
int cache_directory(const char *path);
// Removes a file, or a directory with all files in it, which other processes see completely or not at all.
void cache_discard(const char *path);
void cache_tree_remove(const char *path);      // removes the directory and all files in it; used by cleaning
int64_t cache_tree_bytes(const char *path);    // returns its size on disk as recorded when it was made, or 0
// Returns the start of a small text file, or NULL. Does not wait for a FIFO or a device.
const char *cache_read_number(const char *path);

#endif
