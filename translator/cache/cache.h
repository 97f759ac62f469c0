// SPDX-License-Identifier: GPL-2.0-or-later
// The cache of compiled and of unpacked files: keys, look-up, storage.
#ifndef CACHE_H
#define CACHE_H

#include "session/session.h"

// cache.c: The cache: $SYSTEMTAP_DIR/cache or ~/.systemtap/cache, mode 0700, bounded. Any failure disables the cache,
// with one warning.
void cache_open(struct session *s);        // sets s->cache_dir, or leaves it NULL; called by main()
struct cache_hash;
// Makes a key of the data that is added to it and of the environment variables that compilers read. format: the
// kind of file, and its version.
struct cache_hash *cache_hash_new(const char *format);
void cache_hash_add(struct cache_hash *h, const void *bytes, size_t len);
void cache_hash_text(struct cache_hash *h, const char *text);        // adds the text and its length
void cache_hash_file_id(struct cache_hash *h, const char *path);     // adds the file's path, size and times
// Returns the variables that influence compilers and make, as "NAME=VALUE"; all keys include them.
const char *cache_environment(void);
// Returns the working directory.
const char *directory_here(void);
struct cache_key cache_hash_end(struct cache_hash *h);
// These three return NULL if the file is missing or damaged. Each returns a private copy of the content, which
// was checked after it was made: nothing else reads files of the cache.
char *cache_text(struct session *s, const struct cache_key *k, const char *suffix, size_t *len);   // len may be NULL
char *cache_file(struct session *s, const struct cache_key *k, const char *suffix);   // returns its path, in s->tmp_dir
// cache_content() returns the content in memory of `allocate`, which takes a length in bytes and may return NULL.
typedef void *cache_allocator(size_t len);
struct cache_bytes { void *at; size_t len; };
struct cache_bytes cache_content(struct session *s, const struct cache_key *k, const char *suffix,
				 cache_allocator *allocate);
// Returns the path in the cache, to be printed, or NULL if caching is off.
char *cache_path(const struct session *s, const struct cache_key *k, const char *suffix);
// Writes a file. Returns its path, or NULL if caching is off or fails.
char *cache_put(struct session *s, const struct cache_key *k, const char *suffix, const void *bytes, size_t len);
// Adds a copy of the file `from`, which the caller continues to use, since another process may replace the file of
// the cache.
char *cache_add(struct session *s, const struct cache_key *k, const char *suffix, const char *from);
void cache_clean(struct session *s);
// cache_tree.c: directories. cache_tree() returns the path of the directory with this key, or NULL if it is missing or
// any file in it was changed; then cache_tree_make() replaces it.
char *cache_tree(struct session *s, const struct cache_key *k);
// Makes a directory: calls fill(path, arg) with an empty one, and returns its final path. If fill() ends in die(),
// since the cache may be full, fill() is called with a directory in s->tmp_dir; if that succeeds, the cache is
// disabled.
typedef void cache_tree_filler(const char *path, void *arg);
char *cache_tree_make(struct session *s, const struct cache_key *k, cache_tree_filler *fill, void *arg);
// Disables the cache for the rest of this run, with a warning.
void cache_disable(struct session *s, const char *why);
// Disables the cache for the rest of this run, since an input changed while it was read.
void cache_distrust(struct session *s);

#endif
