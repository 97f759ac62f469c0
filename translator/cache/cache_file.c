// SPDX-License-Identifier: GPL-2.0-or-later
// Files of the cache: the content, then struct trailer. All are written by cache_file_write(), all are checked by
// cache_file_read(), which alone opens them: it copies the content and checks the copy, since other processes may
// truncate, change and replace a file at any time.
//
// The trailer stands at the end, so that a module that -p4 prints stays one for the kernel's module loader, which
// ignores everything after its last section.
#include "cache/cache_file.h"
#include "util/str.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "checksum.h"

struct trailer {
	char magic[8];
	uint64_t size;             // size of the content
	char key[32];              // the digits of the file's name
	char suffix[16];           // the rest of its name
	uint64_t sum;              // checksum of the content and of the members above
};

static const char magic[8] = "\0QTcache";

static struct trailer trailer_of(const struct cache_key *k, const char *suffix, uint64_t size)
{
	struct trailer t = { .size = size };

	memcpy(t.magic, magic, sizeof(t.magic));
	memcpy(t.key, k->hex, sizeof(t.key));
	memcpy(t.suffix, suffix, strnlen(suffix, sizeof(t.suffix)));
	return t;
}

static uint64_t sum_of(struct checksum *content, const struct trailer *t)
{
	struct checksum end;
	uint64_t sums[2];

	checksum_begin(&end);
	checksum_add(&end, t, offsetof(struct trailer, sum));
	sums[0] = checksum_end(content);
	sums[1] = checksum_end(&end);
	checksum_begin(&end);
	checksum_add(&end, sums, sizeof(sums));
	return checksum_end(&end);
}

// ---------------------------------------------------------------- writing

static int write_all(int fd, const void *bytes, size_t len)
{
	while (len) {
		ssize_t n = write(fd, bytes, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -EIO;
		bytes = (const char *)bytes + n;
		len -= (size_t)n;
	}
	return 0;
}

// Returns the mode of a cached file and of its copies: programs are executed.
static mode_t mode_of(const char *suffix)
{
	return strcmp(suffix, ".user") ? 0600 : 0700;
}

// Writes to a name that no other process uses, then renames it.
static int write_aside(const char *path, mode_t mode, const void *bytes, size_t len, const struct trailer *end)
{
	char *aside = str_printf("%s" CACHE_ASIDE "XXXXXX", path);
	int fd = mkostemp(aside, O_CLOEXEC), err;

	if (fd < 0)
		return -errno;
	err = write_all(fd, bytes, len);
	if (!err && end)
		err = write_all(fd, end, sizeof(*end));
	if (!err && fchmod(fd, mode) < 0)
		err = -errno;
	if (close(fd) < 0 && !err)
		err = -errno;
	if (!err && rename(aside, path) < 0)
		err = -errno;
	if (err)
		unlink(aside);
	return err;
}

int cache_file_write(const char *path, const struct cache_key *k, const char *suffix, const void *bytes, size_t len)
{
	struct trailer t = trailer_of(k, suffix, len);
	struct checksum content;

	checksum_begin(&content);
	checksum_add(&content, bytes, len);
	t.sum = sum_of(&content, &t);
	return write_aside(path, mode_of(suffix), bytes, len, &t);
}

int cache_file_save(const char *path, const void *bytes, size_t len, mode_t mode)
{
	return write_aside(path, mode, bytes, len, NULL);
}

// ---------------------------------------------------------------- reading

// Reads the content. The checksum is that of the copy, not of the file, which others may change.
static const char *read_content(int fd, uint8_t *to, uint64_t size, struct checksum *content)
{
	// A piece is still in the processor's cache when its checksum is computed.
	enum { PIECE = 1 << 16 };

	checksum_begin(content);
	for (uint64_t at = 0, wanted; at < size; at += wanted) {
		size_t have = 0;

		wanted = size - at < PIECE ? size - at : PIECE;
		while (have < wanted) {
			// read, not mapped: a file that is truncated meanwhile is an error, not a signal
			ssize_t n = pread(fd, to + at + have, wanted - have, (off_t)(at + have));

			if (n < 0 && errno == EINTR)
				continue;
			if (n <= 0)
				return n ? strerror(errno) : "it was truncated while it was read";
			have += (size_t)n;
		}
		checksum_add(content, to + at, wanted);
	}
	return NULL;
}

static const char *read_checked(int fd, const struct cache_key *k, const char *suffix, cache_allocator *allocate,
				struct cache_bytes *b)
{
	struct trailer t, want;
	struct checksum content;
	const char *why;
	struct stat st;

	if (fstat(fd, &st) < 0)
		return strerror(errno);
	if (!S_ISREG(st.st_mode))
		return "it is not a regular file";
	if (st.st_uid != geteuid())
		return str_printf("it belongs to user %d", (int)st.st_uid);
	if ((st.st_mode & 07777) != mode_of(suffix))
		return str_printf("its mode is %o", (unsigned int)st.st_mode & 07777);
	if ((size_t)st.st_size < sizeof(t) ||
	    pread(fd, &t, sizeof(t), st.st_size - (off_t)sizeof(t)) != sizeof(t) || memcmp(t.magic, magic, sizeof(magic)))
		return "its end is missing";
	want = trailer_of(k, suffix, (uint64_t)st.st_size - sizeof(t));
	if (memcmp(&t, &want, offsetof(struct trailer, sum)))
		return "its length or name is wrong";
	*b = (struct cache_bytes){ allocate(t.size), t.size };
	if (!b->at)
		return "there is not enough memory for its content";
	why = read_content(fd, b->at, t.size, &content);
	if (why)
		return why;
	return sum_of(&content, &t) == t.sum ? NULL : "its checksum is wrong";
}

struct cache_bytes cache_file_read(const char *path, const struct cache_key *k, const char *suffix,
				   cache_allocator *allocate, const char **why)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct cache_bytes b = { 0 };

	*why = NULL;
	if (fd < 0) {
		if (errno != ENOENT)
			*why = strerror(errno);
		return b;
	}
	*why = read_checked(fd, k, suffix, allocate, &b);
	close(fd);
	return *why ? (struct cache_bytes){ 0 } : b;
}

bool cache_file_copy(const char *path, const struct cache_key *k, const char *suffix, const char *copy,
		     const char **why)
{
	struct cache_bytes b = cache_file_read(path, k, suffix, mem_alloc_atomic, why);
	int err = b.at ? write_aside(copy, mode_of(suffix), b.at, b.len, NULL) : -EIO;

	if (b.at && err)
		*why = str_printf("it cannot be copied: %s", strerror(-err));
	return !err;
}
