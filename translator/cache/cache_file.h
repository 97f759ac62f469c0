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
// Returns whether the file is ours, complete, and has the content that was written for that key. If not, *why is the
// reason, or NULL if it does not exist.
bool cache_file_check(const char *path, const struct cache_key *k, const char *suffix, const char **why);

// Maps the whole file, to be unmapped by the caller; returns NULL and sets errno on failure.
void *cache_file_map(const char *path, size_t *len);
// Copies the content of a file, of the cache or not, to `path`, complete or not at all. Returns 0 or -errno.
int cache_file_copy(const char *path, const char *from, mode_t mode);

#endif
