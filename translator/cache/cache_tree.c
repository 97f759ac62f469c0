// SPDX-License-Identifier: GPL-2.0-or-later
// Directories of the cache: $SYSTEMTAP_DIR/cache/trees/KEY, unpacked packages. One appears by rename, complete, and is
// not changed again, except its time, which is that of its last use. Its size is in the file KEY.size beside it, so
// that cleaning does not visit its files.
#include "cache/cache_file.h"
#include "util/diag.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *unfinished;         // directory that is removed if the program dies
static int64_t sum;                    // static, since nftw() passes no argument to its callback

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *where)
{
	return remove(path), 0;
}

void cache_tree_remove(const char *path)
{
	nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	unlink(str_printf("%s.size", path));
}

static void remove_unfinished(void)
{
	if (unfinished)
		cache_tree_remove(unfinished);
}

char *cache_tree(struct session *s, const struct cache_key *k)
{
	char *path = s->cache_dir && !s->opt.poison_cache ? str_printf("%s/trees/%s", s->cache_dir, k->hex) : NULL;

	return path && !utimensat(AT_FDCWD, path, NULL, AT_SYMLINK_NOFOLLOW) ? path : NULL;
}

char *cache_tree_begin(struct session *s, const struct cache_key *k)
{
	static bool hooked;
	char *parent = s->cache_dir ? str_printf("%s/trees", s->cache_dir) : s->tmp_dir;
	char *path = str_printf("%s/%.32s" CACHE_ASIDE "XXXXXX", parent, k->hex);

	if (s->cache_dir && mkdir(parent, 0700) < 0 && errno != EEXIST)
		die("cannot create %s: %s", parent, strerror(errno));
	if (!mkdtemp(path))
		die("cannot create a directory in %s: %s", parent, strerror(errno));
	unfinished = path;
	if (!hooked)
		die_at_exit(remove_unfinished);
	hooked = true;
	return path;
}

static int add_size(const char *path, const struct stat *st, int type, struct FTW *where)
{
	sum += st->st_blocks * 512;
	return 0;
}

char *cache_tree_end(struct session *s, const struct cache_key *k, char *path)
{
	char *final = s->cache_dir ? str_printf("%s/trees/%s", s->cache_dir, k->hex) : NULL, *text;

	unfinished = NULL;
	if (!final)
		return path;
	sum = 0;
	nftw(path, add_size, 16, FTW_PHYS);
	text = str_printf("%lld\n", (long long)sum);
	cache_file_save(str_printf("%s.size", final), text, strlen(text), 0600);
	if (s->opt.poison_cache)
		cache_tree_remove(final);
	if (!rename(path, final))
		return final;
	// Another process was faster.
	if (errno == EEXIST || errno == ENOTEMPTY) {
		cache_tree_remove(path);
		return final;
	}
	die("cannot rename %s to %s: %s", path, final, strerror(errno));
}
