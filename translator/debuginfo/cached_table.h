// SPDX-License-Identifier: GPL-2.0-or-later
// Tables made of debuginfo, in the cache.
#ifndef DEBUGINFO_CACHED_TABLE_H
#define DEBUGINFO_CACHED_TABLE_H

#include "build/build.h"
#include "debuginfo/module.h"

struct cached_table_header {
	char magic[8];
	uint64_t unused;
	uint64_t size;             // of the whole
	uint8_t identity[32];      // the key's first digits
};

// Of the DWARF file's build, of what a file of this build may have more or less of, and of the tables' format.
struct cache_key cached_table_key(const struct di_module *m, const void *format, size_t len, const char *magic);
// A file that cache_find() or cached_table_store() returned. Empty: it is of another kind.
struct bytes cached_table_open(const char *path, const char magic[8], const uint8_t identity[32]);
// The path: in the cache, else a temporary file. NULL: it can't be written.
char *cached_table_store(struct session *s, const struct cache_key *key, const char *suffix, struct bytes b);

#endif
