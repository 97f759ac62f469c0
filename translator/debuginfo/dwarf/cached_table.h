// SPDX-License-Identifier: GPL-2.0-or-later
// Cached tables made from debuginfo.
#ifndef DEBUGINFO_CACHED_TABLE_H
#define DEBUGINFO_CACHED_TABLE_H

#include "cache/cache.h"
#include "debuginfo/module.h"

struct cached_table_header {
	char magic[8];
	uint64_t unused;
	uint64_t size;             // size of the file
	uint8_t identity[32];      // the first digits of the key
};

// Makes a key from the build-id, the sections that separate debuginfo files of one build may lack, and the table's
// format.
struct cache_key cached_table_key(const struct di_module *m, const void *format, size_t len, const char *magic);
// Maps a private copy. Empty: not in the cache, or the file has another format.
struct bytes cached_table_open(struct session *s, const struct cache_key *key, const char *suffix, const char magic[8]);

// Adds a table to the cache, and writes it to `path`. Returns whether `path` was written.
bool cached_table_store(struct session *s, const struct cache_key *key, const char *suffix, struct bytes b,
			const char *path);

#endif
