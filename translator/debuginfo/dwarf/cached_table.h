// SPDX-License-Identifier: GPL-2.0-or-later
// Tables made of debuginfo, stored in the cache.
#ifndef DEBUGINFO_CACHED_TABLE_H
#define DEBUGINFO_CACHED_TABLE_H

#include "cache/cache.h"
#include "debuginfo/module.h"

struct cached_table_header {
	char magic[8];
	uint64_t unused;
	uint64_t size;             // of the file
	uint8_t identity[32];      // the first digits of the key
};

// The key is made of the build-id, of the sections that separate debuginfo files of one build may lack, and of the
// table's format.
struct cache_key cached_table_key(const struct di_module *m, const void *format, size_t len, const char *magic);
// Maps a file that cache_find() or cached_table_store() returned. Empty: another kind of file, or damaged.
struct bytes cached_table_open(const char *path, const char magic[8], const uint8_t identity[32]);
// Returns the path in the cache, else of a temporary file. NULL: it cannot be written.
char *cached_table_store(struct session *s, const struct cache_key *key, const char *suffix, struct bytes b);

#endif
