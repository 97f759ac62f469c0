// SPDX-License-Identifier: GPL-2.0-or-later
// The cache maps a key, the hash of all inputs, to the file that was made from them.
//
//   $SYSTEMTAP_DIR/cache or ~/.systemtap/cache     0700, ours
//       ab/stap_<32 digits of the key><suffix>     ab: the first two digits
//       trees/<64 digits of the key>/              a directory (cache_tree.c), and its size in .size
//       cache_mb_limit                             text, written by the user; the default is 256
//       cache_clean_interval_s                     text, written by the user; the default is 300
//       cleaned                                    its time is that of the last cleaning
//
// A file appears by rename, complete, and is never written again; its time is that of its last
// use. So two stap at once need no lock: at worst both make the same file. A file that is not as it was
// written (cache_file.c) counts as missing: the process that makes it again replaces it, and never removes what another
// process may just have written. Any failure turns the cache off with one warning and never fails the run.
#include "cache/cache_file.h"
#include "util/diag.h"
#include "util/sha256.h"

#include "../include/sys/sdt.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
	LIMIT_MB = 256,
	CLEAN_INTERVAL_S = 300,
	IN_USE_S = 60,             // a process is probably about to load a file used so recently
	ABANDONED_S = 3600,        // the writer of a partial file of this age has ended
};

// ---------------------------------------------------------------- keys

struct bytes_of { const char *at; size_t len; };

struct cache_hash {
	struct sha256_ctx sha256;
};

// Environment variables that make, compilers, assemblers and linkers read.
static const char *const variables[] = {
	"CPATH", "C_INCLUDE_PATH", "COMPILER_PATH", "GCC_EXEC_PREFIX", "LIBRARY_PATH", "LD_RUN_PATH", "LDEMULATION",
	"SOURCE_DATE_EPOCH", "ARCH", "CROSS_COMPILE", "LLVM", "LLVM_IAS", "KCFLAGS", "KAFLAGS", "KCPPFLAGS",
	"KBUILD_CFLAGS_MODULE", "KBUILD_AFLAGS_MODULE", "KBUILD_MODPOST_WARN", "CFLAGS_MODULE", "AFLAGS_MODULE",
	"LDFLAGS_MODULE", "KBUILD_EXTRA_SYMBOLS",
};

static void hash_environment(struct cache_hash *h)
{
	for (size_t i = 0; i < ARRAY_SIZE(variables); i++) {
		const char *value = getenv(variables[i]);

		cache_hash_text(h, value ? str_printf("%s=%s", variables[i], value) : "");
	}
}

const char *cache_environment(void)
{
	struct buf b = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(variables); i++)
		if (getenv(variables[i]))
			buf_printf(&b, "%s%s=%s", b.len ? ", " : "", variables[i], getenv(variables[i]));
	return buf_text(&b);
}

static int find_build_id(struct dl_phdr_info *program, size_t size, void *id)
{
	for (int i = 0; i < program->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &program->dlpi_phdr[i];
		const char *at = (const char *)(program->dlpi_addr + p->p_vaddr), *end = at + p->p_memsz;

		while (p->p_type == PT_NOTE && at + sizeof(ElfW(Nhdr)) < end) {
			const ElfW(Nhdr) *note = (const void *)at;
			const char *name = at + sizeof(*note), *text = name + ((note->n_namesz + 3) & ~3u);

			if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 && !memcmp(name, "GNU", 4))
				*(struct bytes_of *)id = (struct bytes_of){ text, note->n_descsz };
			at = text + ((note->n_descsz + 3) & ~3u);
		}
	}
	return 1;                      // the program is the first entry, libraries follow
}

// Hashes the translator itself, by its build ID, so that identical copies in other directories use the same files.
static void hash_stap(struct cache_hash *h)
{
	static struct bytes_of id;

	if (!id.at)
		dl_iterate_phdr(find_build_id, &id);
	if (id.at)
		cache_hash_add(h, id.at, id.len);
	else
		cache_hash_file_id(h, "/proc/self/exe");
}

struct cache_hash *cache_hash_new(const char *format)
{
	struct cache_hash *h = NEW(struct cache_hash);

	sha256_init(&h->sha256);
	cache_hash_text(h, format);
	hash_stap(h);
	hash_environment(h);
	return h;
}

void cache_hash_add(struct cache_hash *h, const void *bytes, size_t len)
{
	sha256_update(&h->sha256, len, bytes);
}

void cache_hash_text(struct cache_hash *h, const char *text)
{
	size_t len = strlen(text);

	cache_hash_add(h, &len, sizeof(len));
	cache_hash_add(h, text, len);
}

void cache_hash_file_id(struct cache_hash *h, const char *path)
{
	struct stat st;
	int64_t id[6] = { -1, -1, -1, -1, -1, -1 };    // the values for a missing file

	if (stat(path, &st) == 0) {
		id[0] = st.st_size;
		id[1] = st.st_mtim.tv_sec;
		id[2] = st.st_mtim.tv_nsec;
		id[3] = st.st_ctim.tv_sec;     // unlike the other times, a writer cannot set it back
		id[4] = st.st_ctim.tv_nsec;
		id[5] = (int64_t)st.st_ino;
	}
	cache_hash_text(h, path);
	cache_hash_add(h, id, sizeof(id));
}

const char *directory_here(void)
{
	char *path = getcwd(NULL, 0), *copy = str_dup(path ? path : ".");

	free(path);
	return copy;
}

struct cache_key cache_hash_end(struct cache_hash *h)
{
	struct cache_key k;
	uint8_t digest[SHA256_DIGEST_SIZE];

	sha256_finish(&h->sha256, digest);
	for (int i = 0; i < 32; i++)
		snprintf(k.hex + 2 * i, 3, "%02x", digest[i]);
	return k;
}

// ---------------------------------------------------------------- the directory

void cache_disable(struct session *s, const char *why)
{
	diag_warning((struct loc){ 0 }, "cache %s disabled: %s; set SYSTEMTAP_DIR to a writable directory of your own",
		     s->cache_dir, why);
	s->cache_dir = NULL;
}

// Returns NULL, or why the directory cannot be used. Makes a missing directory.
static const char *check_dir(const char *path)
{
	struct stat st;

	if (mkdir(path, 0700) < 0 && errno != EEXIST)
		return strerror(errno);
	if (stat(path, &st) < 0)
		return strerror(errno);
	if (!S_ISDIR(st.st_mode))
		return str_printf("%s is not a directory", path);
	// Any user who can write there could choose what is loaded into the kernel.
	if (st.st_uid != geteuid())
		return str_printf("%s belongs to user %d", path, (int)st.st_uid);
	return NULL;
}

void cache_open(struct session *s)
{
	const char *dir = session_user_dir(), *why;
	struct stat st;

	if (s->opt.disable_cache)
		return;
	s->cache_dir = str_printf("%s/cache", dir);
	why = check_dir(dir);
	if (!why)
		why = check_dir(s->cache_dir);
	if (!why && stat(s->cache_dir, &st) == 0 && (st.st_mode & 077) && chmod(s->cache_dir, 0700) < 0)
		why = strerror(errno);
	if (!why && access(s->cache_dir, R_OK | W_OK | X_OK) < 0)
		why = strerror(errno);
	if (why)
		cache_disable(s, why);
}

// ---------------------------------------------------------------- cleaning

struct cached {
	char *path;
	off_t bytes;
	time_t used;
	bool tree;                 // the entry is a directory, with all files in it
};
typedef VEC(struct cached) cached_files;

static int by_use(const void *a, const void *b)
{
	const struct cached *x = a, *y = b;

	return x->used < y->used ? -1 : x->used > y->used;
}

static void list_dir(const char *dir, cached_files *files)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	struct stat st;

	if (!d)
		return;
	while ((e = readdir(d))) {
		struct cached c = { .path = str_printf("%s/%s", dir, e->d_name) };

		if (lstat(c.path, &st) < 0 || !S_ISREG(st.st_mode))
			continue;
		c.bytes = (off_t)st.st_blocks * 512;
		c.used = st.st_mtime;
		vec_push(files, c);
	}
	closedir(d);
}

static void list_trees(const char *dir, cached_files *files)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	struct stat st;

	while (d && (e = readdir(d))) {
		struct cached c = { .path = str_printf("%s/%s", dir, e->d_name), .tree = true };

		if (*e->d_name == '.' || lstat(c.path, &st) < 0 || !S_ISDIR(st.st_mode))
			continue;
		c.bytes = (off_t)cache_tree_bytes(c.path);
		c.used = st.st_mtime;
		vec_push(files, c);
	}
	if (d)
		closedir(d);
}

static void list_cache(const char *cache, cached_files *files)
{
	DIR *d = opendir(cache);
	struct dirent *e;

	if (!d)
		return;
	while ((e = readdir(d)))
		if (strlen(e->d_name) == 2 && strspn(e->d_name, "0123456789abcdef") == 2)
			list_dir(str_printf("%s/%s", cache, e->d_name), files);
	closedir(d);
	list_trees(str_printf("%s/trees", cache), files);
}

// Returns a number that the user may have written into a file of the cache.
static int64_t setting(const struct session *s, const char *name, int64_t otherwise)
{
	const char *text = cache_read_number(str_printf("%s/%s", s->cache_dir, name));
	int64_t value;

	text = text ? text + strspn(text, " \t") : "";
	return number_at(&text, 10, 0, INT64_MAX, &value) ? value : otherwise;
}

static void remove_cached(const struct cached *c)
{
	STAP_PROBE1(stap, cache__clean, c->path);
	if (c->tree)
		cache_tree_remove(c->path);
	else
		unlink(c->path);
}

// Sets the time of the last cleaning. Only a regular file is opened, since open() of a FIFO would block.
static void note_cleaning(const struct session *s)
{
	const char *path = str_printf("%s/cleaned", s->cache_dir);
	struct stat st;
	int fd;

	if (lstat(path, &st) == 0 && (!S_ISREG(st.st_mode) || access(path, W_OK) < 0))
		cache_discard(path);
	fd = open(path, O_WRONLY | O_CREAT | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd >= 0) {
		futimens(fd, NULL);
		close(fd);
	}
}

void cache_clean(struct session *s)
{
	cached_files files = { 0 };
	int64_t limit, sum = 0;
	time_t now = time(NULL);

	if (!s->cache_dir)
		return;
	limit = setting(s, "cache_mb_limit", LIMIT_MB) * 1024 * 1024;
	note_cleaning(s);
	list_cache(s->cache_dir, &files);
	for (int i = 0; i < files.n; i++) {
		if (strstr(files.at[i].path, CACHE_ASIDE) && files.at[i].used < now - ABANDONED_S) {
			remove_cached(&files.at[i]);
			files.at[i].bytes = 0;
		}
		sum += files.at[i].bytes;
	}
	if (sum > limit)
		qsort(files.at, (size_t)files.n, sizeof(files.at[0]), by_use);
	for (int i = 0; i < files.n && sum > limit; i++) {
		if (files.at[i].used > now - IN_USE_S)
			break;
		remove_cached(&files.at[i]);
		sum -= files.at[i].bytes;
	}
}

static void clean_if_due(struct session *s)
{
	struct stat st;
	time_t age;

	if (lstat(str_printf("%s/cleaned", s->cache_dir), &st) == 0 && S_ISREG(st.st_mode)) {
		age = time(NULL) - st.st_mtime;
		if (age >= 0 && age < setting(s, "cache_clean_interval_s", CLEAN_INTERVAL_S))
			return;
	}
	cache_clean(s);
}

// ---------------------------------------------------------------- files

// Returns whether a file is a finished module or program, not an intermediate one.
static bool is_module(const char *suffix)
{
	return !strcmp(suffix, ".ko") || !strcmp(suffix, ".user");
}

void cache_distrust(struct session *s)
{
	if (diag_options.verbose && s->cache_dir)
		diag_output("Nothing is cached: a file changed while it was compiled\n");
	s->cache_dir = NULL;
}

char *cache_path(const struct session *s, const struct cache_key *k, const char *suffix)
{
	return s->cache_dir ? str_printf("%s/%.2s/stap_%.32s%s", s->cache_dir, k->hex, k->hex, suffix) : NULL;
}

// Returns the path to read, or NULL if the cache is not used.
static char *readable(const struct session *s, const struct cache_key *k, const char *suffix)
{
	return s->opt.poison_cache ? NULL : cache_path(s, k, suffix);
}

static void report_damage(const char *path, const char *why)
{
	if (why && diag_options.verbose)
		diag_output(str_printf("The cache file %s is rebuilt: %s\n", path, why));
}

struct cache_bytes cache_content(struct session *s, const struct cache_key *k, const char *suffix,
				 cache_allocator *allocate)
{
	char *path = readable(s, k, suffix);
	struct cache_bytes b = { 0 };
	const char *why;

	if (!path)
		return b;
	b = cache_file_read(path, k, suffix, allocate, &why);
	if (b.at)
		utimensat(AT_FDCWD, path, NULL, 0);
	else
		report_damage(path, why);
	return b;
}

static void *text_memory(size_t len)
{
	char *text = mem_alloc_atomic(len + 1);

	text[len] = '\0';
	return text;
}

char *cache_text(struct session *s, const struct cache_key *k, const char *suffix, size_t *len)
{
	struct cache_bytes b = cache_content(s, k, suffix, text_memory);

	if (len)
		*len = b.len;
	return b.at;
}

char *cache_file(struct session *s, const struct cache_key *k, const char *suffix)
{
	char *path = readable(s, k, suffix), *copy;
	const char *why;

	if (!path)
		return NULL;
	copy = str_printf("%s/stap_%.32s%s", s->tmp_dir, k->hex, suffix);
	if (!cache_file_copy(path, k, suffix, copy, &why)) {
		report_damage(path, why);
		return NULL;
	}
	utimensat(AT_FDCWD, path, NULL, 0);
	if (is_module(suffix))
		STAP_PROBE1(stap, cache__get, path);
	return copy;
}

char *cache_put(struct session *s, const struct cache_key *k, const char *suffix, const void *bytes, size_t len)
{
	struct stat st;
	char *path;
	int err;

	if (!s->cache_dir)
		return NULL;
	clean_if_due(s);
	path = cache_path(s, k, suffix);
	err = cache_directory(str_printf("%s/%.2s", s->cache_dir, k->hex));
	if (!err && lstat(path, &st) == 0 && S_ISDIR(st.st_mode))       // rename() does not replace it
		cache_discard(path);
	if (!err)
		err = cache_file_write(path, k, suffix, bytes, len);
	if (!err)
		return path;
	cache_disable(s, strerror(-err));
	return NULL;
}

char *cache_add(struct session *s, const struct cache_key *k, const char *suffix, const char *from)
{
	char *path, *bytes;
	size_t len;

	if (!s->cache_dir)
		return NULL;
	bytes = str_read_file(from, &len);
	if (!bytes)
		die("cannot read %s: %s; is the file system full?", from, strerror(errno));
	path = cache_put(s, k, suffix, bytes, len);
	if (!path)
		return NULL;
	if (is_module(suffix))
		STAP_PROBE2(stap, cache__add__mod, from, path);
	else
		STAP_PROBE2(stap, cache__add__src, from, path);
	return path;
}
