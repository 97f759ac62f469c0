// SPDX-License-Identifier: GPL-2.0-or-later
// The cache of compiled and of unpacked files: keys, look-up, storage.
#ifndef CACHE_H
#define CACHE_H

#include "session/session.h"

// cache.c: The cache: $SYSTEMTAP_DIR/cache or ~/.systemtap/cache, mode 0700, bounded. Any failure disables the cache,
// with one warning.
void cache_open(struct session *s);        // sets s->cache_dir, or leaves it NULL; called by main()
struct cache_hash;
// Makes a key of the data that is added to it and of the environment of compilers. format: the kind of file, and its
// version.
struct cache_hash *cache_hash_new(const char *format);
void cache_hash_add(struct cache_hash *h, const void *bytes, size_t len);
void cache_hash_text(struct cache_hash *h, const char *text);        // length included
void cache_hash_file_id(struct cache_hash *h, const char *path);     // path, size, times
// Returns the working directory.
const char *directory_here(void);
struct cache_key cache_hash_end(struct cache_hash *h);
// Returns the path of a file whose content is unchanged, or NULL. After the content follow its length and checksum
// (cache_file.c): text ends there as read by str_read_file(); mapped data must contain its own length.
char *cache_find(struct session *s, const struct cache_key *k, const char *suffix);
// Writes a file. Returns its path, or NULL if caching is off or fails.
char *cache_put(struct session *s, const struct cache_key *k, const char *suffix, const void *bytes, size_t len);
// The same with a copy of `from`, which is returned if caching is off or fails.
char *cache_add(struct session *s, const struct cache_key *k, const char *suffix, const char *from);
void cache_clean(struct session *s);
// Disables the cache for the rest of this run, since an input changed while it was read.
void cache_distrust(struct session *s);

#endif
