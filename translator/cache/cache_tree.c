// SPDX-License-Identifier: GPL-2.0-or-later
// Directories of the cache: $SYSTEMTAP_DIR/cache/trees/KEY, unpacked packages. One appears by rename, complete, and is
// not changed again, except its time, which is that of its last use. Its file .cached has its size, so that cleaning
// does not visit its files, and a checksum of the names, types, sizes and times of these files: their contents, some
// hundred megabytes, are not read again, but a process that changes one also changes its time of change.
#include "cache/cache_file.h"
#include "util/diag.h"
#include "util/str.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "checksum.h"

#define SEAL ".cached"

static const char *unfinished;         // directory that is removed if the program dies

// ---------------------------------------------------------------- any directory

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *where)
{
	if (type == FTW_DNR)
		chmod(path, 0700);
	return remove(path), 0;
}

void cache_tree_remove(const char *path)
{
	nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

void cache_discard(const char *path)
{
	char *aside = str_printf("%s" CACHE_ASIDE "XXXXXX", path);

	if (unlink(path) == 0 || errno == ENOENT || !mkdtemp(aside))
		return;
	rename(path, aside);
	cache_tree_remove(aside);
}

int cache_directory(const char *path)
{
	struct stat st;

	if (mkdir(path, 0700) == 0)
		return 0;
	if (errno != EEXIST || lstat(path, &st) < 0)
		return -errno;
	if (S_ISDIR(st.st_mode) && st.st_uid == geteuid() &&
	    ((st.st_mode & 0700) == 0700 || chmod(path, 0700) == 0))
		return 0;
	cache_discard(path);
	return mkdir(path, 0700) == 0 || errno == EEXIST ? 0 : -errno;
}

const char *cache_read_number(const char *path)
{
	enum { DIGITS = 64 };
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) ? str_read_start(path, DIGITS, NULL) : NULL;
}

// ---------------------------------------------------------------- what a directory contains

struct contents { int64_t bytes; uint64_t sum; size_t root; };
static struct contents now;            // static, since nftw() passes no argument to its callback

// Adds one file. The sum does not depend on the order, which may be different in another run.
static int add_one(const char *path, const struct stat *st, int type, struct FTW *where)
{
	const char *name = path + now.root;
	bool directory = S_ISDIR(st->st_mode);     // the times of directories are those of the files in them
	int64_t state[] = {
		st->st_mode, directory ? 0 : st->st_size,
		directory ? 0 : st->st_mtim.tv_sec, directory ? 0 : st->st_mtim.tv_nsec,
		directory ? 0 : st->st_ctim.tv_sec, directory ? 0 : st->st_ctim.tv_nsec,
		st->st_uid, (int64_t)strlen(name),
	};
	struct checksum c;

	if (!strcmp(name, "/" SEAL))
		return 0;
	now.bytes += st->st_blocks * 512;
	checksum_begin(&c);
	checksum_add(&c, state, sizeof(state));
	checksum_add(&c, name, strlen(name));
	now.sum += checksum_end(&c);
	return 0;
}

// Returns the text of .cached: the size, a blank, and the checksum.
static char *contents_of(const char *path)
{
	now = (struct contents){ .root = strlen(path) };
	if (nftw(path, add_one, 16, FTW_PHYS))
		return NULL;
	return str_printf("%lld %016llx\n", (long long)now.bytes, (unsigned long long)now.sum);
}

static const char *seal_of(const char *path)
{
	return cache_read_number(str_printf("%s/" SEAL, path));
}

int64_t cache_tree_bytes(const char *path)
{
	const char *text = seal_of(path);
	int64_t bytes;

	return text && number_at(&text, 10, 0, INT64_MAX, &bytes) ? bytes : 0;
}

// Returns NULL, or why the file or directory at this path cannot be used.
static const char *why_changed(const char *path, const struct stat *st)
{
	const char *recorded, *contents;

	if (!S_ISDIR(st->st_mode))
		return "it is not a directory";
	if (st->st_uid != geteuid())
		return str_printf("it belongs to user %d", (int)st->st_uid);
	recorded = seal_of(path);
	contents = recorded ? contents_of(path) : NULL;
	return contents && !strcmp(contents, recorded) ? NULL : "a file in it was changed";
}

// Returns whether the directory can be used; if not, *why is the reason, or NULL if it does not exist.
static bool check_tree(const char *path, const char **why)
{
	struct stat st;

	*why = NULL;
	if (lstat(path, &st) == 0)
		*why = why_changed(path, &st);
	else if (errno == ENOENT)
		return false;
	else
		*why = strerror(errno);
	return !*why;
}

// ---------------------------------------------------------------- trees

char *cache_tree(struct session *s, const struct cache_key *k)
{
	char *path = s->cache_dir && !s->opt.poison_cache ? str_printf("%s/trees/%s", s->cache_dir, k->hex) : NULL;
	const char *why;

	if (!path)
		return NULL;
	if (check_tree(path, &why)) {
		utimensat(AT_FDCWD, path, NULL, AT_SYMLINK_NOFOLLOW);
		return path;
	}
	if (why && diag_options.verbose)
		diag_output(str_printf("The directory %s of the cache is rebuilt: %s\n", path, why));
	return NULL;
}

static void remove_unfinished(void)
{
	if (unfinished)
		cache_tree_remove(unfinished);
	unfinished = NULL;
}

// Returns a new directory in `parent`, or NULL.
static char *begin(const char *parent, const struct cache_key *k)
{
	char *path = str_printf("%s/%.32s" CACHE_ASIDE "XXXXXX", parent, k->hex);
	static bool hooked;

	if (!mkdtemp(path))
		return NULL;
	unfinished = path;
	if (!hooked)
		die_at_exit(remove_unfinished);
	hooked = true;
	return path;
}

// Renames a finished directory to its final path in the cache. Returns 0 or -errno. A valid directory of another
// process, which was faster, stays there.
static int finish(const struct session *s, const char *path, const char *final)
{
	const char *contents = contents_of(path), *why;
	int err = contents ? cache_file_save(str_printf("%s/" SEAL, path), contents, strlen(contents), 0600) : -EIO;

	if (err)
		return err;
	if (s->opt.poison_cache || (!check_tree(final, &why) && why))
		cache_discard(final);
	if (rename(path, final) == 0) {
		unfinished = NULL;
		return 0;
	}
	err = -errno;
	if (!check_tree(final, &why))
		return err;
	remove_unfinished();
	return 0;
}

struct filling {
	cache_tree_filler *fill;
	const char *path;
	void *arg;
};

static void fill_one(void *arg)
{
	const struct filling *f = arg;

	f->fill(f->path, f->arg);
}

// Returns NULL, or why the directory could not be made in the cache.
static const char *make_in_cache(const struct session *s, const struct cache_key *k, const char *final,
				 cache_tree_filler *fill, void *arg)
{
	char *parent = str_printf("%s/trees", s->cache_dir);
	int err = cache_directory(parent);
	struct filling f = { fill, err ? NULL : begin(parent, k), arg };
	const char *why;

	if (!f.path)
		return strerror(err ? -err : errno);
	why = die_caught(fill_one, &f);
	if (!why) {
		err = finish(s, f.path, final);
		why = err ? strerror(-err) : NULL;
	}
	if (why)
		remove_unfinished();
	return why;
}

char *cache_tree_make(struct session *s, const struct cache_key *k, cache_tree_filler *fill, void *arg)
{
	char *path = s->cache_dir ? str_printf("%s/trees/%s", s->cache_dir, k->hex) : NULL;
	const char *why = path ? make_in_cache(s, k, path, fill, arg) : NULL;

	if (path && !why)
		return path;
	path = begin(s->tmp_dir, k);
	if (!path)
		die("cannot create a directory in %s: %s", s->tmp_dir, strerror(errno));
	fill(path, arg);
	unfinished = NULL;             // removed with s->tmp_dir
	if (why)                       // the cache is unusable: the same succeeded in s->tmp_dir
		cache_disable(s, why);
	return path;
}
