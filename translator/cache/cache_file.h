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
// The same outside the cache, without the trailer.
int cache_file_save(const char *path, const void *bytes, size_t len, mode_t mode);
// Copies the content to `to`, a descriptor that only this process writes, and returns its length. -1: the file is not
// ours, incomplete, or what was copied is not the content that was written for that key; *why is the reason, or NULL
// if the file does not exist. `to` then has part of it.
int64_t cache_file_read(const char *path, const struct cache_key *k, const char *suffix, int to, const char **why);
// The same with a new file `copy`, which appears complete or not at all. Returns whether it did.
bool cache_file_copy(const char *path, const struct cache_key *k, const char *suffix, const char *copy,
		     const char **why);

#endif
