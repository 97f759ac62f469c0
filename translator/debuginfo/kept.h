// SPDX-License-Identifier: GPL-2.0-or-later
// Tables made of debuginfo, in the cache.
#ifndef DEBUGINFO_KEPT_H
#define DEBUGINFO_KEPT_H

#include "build/build.h"
#include "debuginfo/module.h"

struct kept_header {
	char magic[8];
	uint64_t unused;
	uint64_t size;             // of the whole
	uint8_t identity[32];      // the key's first digits
};

// Of the DWARF file's build, of what a file of this build may have more or less of, and of the tables' format.
struct cache_key kept_key(const struct di_module *m, const void *format, size_t len, const char *magic);
// A file that cache_find() or kept_store() returned. Empty: it is of another kind.
struct bytes kept_open(const char *path, const char magic[8], const uint8_t identity[32]);
// The path: in the cache, else a temporary file. NULL: it can't be written.
char *kept_store(struct session *s, const struct cache_key *key, const char *suffix, struct bytes b);

#endif
