// SPDX-License-Identifier: GPL-2.0-or-later
// From generated C to a running module: what the passes 4 and 5 share, and what passes 1 and 2 ask
// of the target kernel.
#ifndef BUILD_H
#define BUILD_H

#include "session.h"

// What the target kernel has, read from its build tree and image. (kernel.c)
struct kernel {
	const char *release;       // "6.1.0-56-cloud-amd64"
	const char *base_version;  // "6.1.0"
	const char *arch;          // kbuild's: "x86_64", "arm64"
	const char *build_tree;    // /lib/modules/REL/build, or NULL when there is none
	const char *image;         // /boot/vmlinuz-REL or a vmlinux beside the build tree, or NULL
	struct map config;         // CONFIG_X -> "y", "m", "123", "text"; loaded at first kernel_config()
	struct map exports;        // Module.symvers: symbol -> CRC text; loaded at first kernel_exports()
};
struct kernel *kernel_open(struct session *s);
// NULL when unset.
const char *kernel_config(struct kernel *k, const char *name);
bool kernel_exports(struct kernel *k, const char *symbol);
// Dies with advice (which package) when there is no build tree.
void kernel_need_build_tree(const struct kernel *k);

// The cache: $SYSTEMTAP_DIR/cache or ~/.systemtap/cache, mode 0700, bounded. Everything that fails
// here means "no cache", with a warning once. (cache.c)
void cache_open(struct session *s);        // sets s->cache_dir, or leaves it NULL; called by main()
struct cache_key { char hex[65]; };
struct cache_hash;
struct cache_hash *cache_hash_new(void);
void cache_hash_add(struct cache_hash *h, const void *bytes, size_t len);
void cache_hash_text(struct cache_hash *h, const char *text);        // length included
void cache_hash_file_id(struct cache_hash *h, const char *path);     // path, size, mtime
struct cache_key cache_hash_end(struct cache_hash *h);
char *cache_find(struct session *s, const struct cache_key *k, const char *suffix); // path or NULL
// Moves file `from` in under the key (rename within the cache's file system, else copy aside and
// rename). Returns its path, or `from` itself when caching is off or fails.
char *cache_add(struct session *s, const struct cache_key *k, const char *suffix, const char *from);
void cache_clean(struct session *s);

// vm.c: the newest kernel in /boot that has an image; dies with advice when there is none.
const char *vm_default_release(void);

#endif
