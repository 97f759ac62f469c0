// SPDX-License-Identifier: GPL-2.0-or-later
// Files of the cache: the content, then struct trailer. All are written by cache_file_write(), all are checked by
// cache_file_check().
//
// The trailer stands at the end, so that an ELF file stays one for ld, exec() and the kernel's module loader, which
// look at nothing behind its last section, and a table can be mapped. It begins with a zero byte: text read with
// str_read_file() ends before it.
#include "cache/cache_file.h"
#include "util/str.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "checksum.h"

struct trailer {
	char magic[8];
	uint64_t size;             // of the content
	char key[32];              // the digits of the file's name
	char suffix[16];           // the rest of its name
	uint64_t sum;              // of the content, then of all above
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

// Writes to a name that no other process uses, then renames it.
static int write_aside(const char *path, mode_t mode, const void *bytes, size_t len, const void *end, size_t end_len)
{
	char *aside = str_printf("%s" CACHE_ASIDE "XXXXXX", path);
	int fd = mkostemp(aside, O_CLOEXEC), err;

	if (fd < 0)
		return -errno;
	err = write_all(fd, bytes, len);
	if (!err)
		err = write_all(fd, end, end_len);
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

// Programs are run from the cache.
static mode_t mode_of(const char *suffix)
{
	return strcmp(suffix, ".user") ? 0600 : 0700;
}

int cache_file_write(const char *path, const struct cache_key *k, const char *suffix, const void *bytes, size_t len)
{
	struct trailer t = trailer_of(k, suffix, len);
	struct checksum content;

	checksum_begin(&content);
	checksum_add(&content, bytes, len);
	t.sum = sum_of(&content, &t);
	return write_aside(path, mode_of(suffix), bytes, len, &t, sizeof(t));
}

// ---------------------------------------------------------------- checking

static bool sum_content(int fd, uint64_t size, struct checksum *content)
{
	// read, not mapped, so that it does not count as memory of the translator
	static uint8_t piece[1 << 16];
	uint64_t at = 0;

	checksum_begin(content);
	while (at < size) {
		size_t wanted = size - at < sizeof(piece) ? (size_t)(size - at) : sizeof(piece), have = 0;

		while (have < wanted) {
			ssize_t n = pread(fd, piece + have, wanted - have, (off_t)(at + have));

			if (n < 0 && errno == EINTR)
				continue;
			if (n <= 0)
				return false;
			have += (size_t)n;
		}
		checksum_add(content, piece, wanted);
		at += wanted;
	}
	return true;
}

static const char *check(int fd, const struct cache_key *k, const char *suffix)
{
	struct trailer t, want;
	struct checksum content;
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
	if (!sum_content(fd, t.size, &content))
		return "it cannot be read";
	return sum_of(&content, &t) == t.sum ? NULL : "its checksum is wrong";
}

bool cache_file_check(const char *path, const struct cache_key *k, const char *suffix, const char **why)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

	*why = NULL;
	if (fd < 0) {
		if (errno != ENOENT)
			*why = strerror(errno);
		return false;
	}
	*why = check(fd, k, suffix);
	close(fd);
	return !*why;
}

// ---------------------------------------------------------------- files as they were added

void *cache_file_map(const char *path, size_t *len)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	void *at = MAP_FAILED;
	struct stat st;

	if (fd < 0)
		return NULL;
	if (fstat(fd, &st) == 0) {
		*len = (size_t)st.st_size;
		at = mmap(NULL, *len ? *len : 1, PROT_READ, MAP_PRIVATE, fd, 0);
	}
	close(fd);
	return at == MAP_FAILED ? NULL : at;
}

int cache_file_copy(const char *path, const char *from, mode_t mode)
{
	size_t len, content;
	char *at = cache_file_map(from, &len);
	struct trailer t;
	int err;

	if (!at)
		return -errno;
	content = len;
	if (len >= sizeof(t)) {
		memcpy(&t, at + len - sizeof(t), sizeof(t));
		if (!memcmp(t.magic, magic, sizeof(magic)) && t.size == len - sizeof(t))
			content = (size_t)t.size;
	}
	err = write_aside(path, mode, at, content, NULL, 0);
	munmap(at, len ? len : 1);
	return err;
}
