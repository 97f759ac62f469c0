// SPDX-License-Identifier: GPL-2.0-or-later
// The files that cache.c stores: a content with its length and checksum behind it.
#ifndef BUILD_CACHE_FILE_H
#define BUILD_CACHE_FILE_H

#include "cache/cache.h"

#include <stdbool.h>
#include <sys/types.h>

#define CACHE_ASIDE ".new-"    // in names of files that are not yet written

// The file under `path`, complete, or nothing. 0 or -errno.
int cache_file_write(const char *path, const struct cache_key *k, const char *suffix, const void *bytes, size_t len);
// It is ours, complete, and the content is what was written for that key. False: *why, or NULL when it does not exist.
bool cache_file_check(const char *path, const struct cache_key *k, const char *suffix, const char **why);

// The whole file, to be unmapped by the caller; NULL: errno.
void *cache_file_map(const char *path, size_t *len);
// The content of a file, of the cache or not, under the name `path`, complete, or nothing. 0 or -errno.
int cache_file_copy(const char *path, const char *from, mode_t mode);

#endif
