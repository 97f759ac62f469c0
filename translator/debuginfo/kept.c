// SPDX-License-Identifier: GPL-2.0-or-later
// Tables made of debuginfo, in the cache: each begins with its kind, a sum of all that follows, its size and
// what it was made of (struct kept_header).
//
// They are mapped, and the sum is checked when one is opened by reading it in pieces, so that what isn't
// looked at doesn't count as our memory. Whatever is wrong with one, it is none.
#include "debuginfo/kept.h"

#include "util/str.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// ---------------------------------------------------------------- sums

enum { SUMMED_FROM = offsetof(struct kept_header, size) };

// Four lanes, for they don't wait for each other. Pieces but the last are multiples of 32.
struct sum { uint64_t lane[4]; };

static void sum_add(struct sum *s, const uint8_t *p, size_t len)
{
	uint64_t word[4];

	for (; len >= 32; len -= 32, p += 32) {
		memcpy(word, p, 32);
		for (int i = 0; i < 4; i++)
			s->lane[i] = (s->lane[i] ^ word[i]) * 0x9e3779b97f4a7c15ull;
		for (int i = 0; i < 4; i++)
			s->lane[i] ^= s->lane[i] >> 29;
	}
	for (; len; len--)
		s->lane[0] = (s->lane[0] ^ *p++) * 0x100000001b3ull;
}

static uint64_t sum_end(const struct sum *s)
{
	uint64_t sum = 0;

	for (int i = 0; i < 4; i++)
		sum = (sum ^ s->lane[i]) * 0xff51afd7ed558ccdull;
	return sum ^ sum >> 32;
}

static uint64_t sum_of_bytes(struct bytes b)
{
	struct sum s = { { 1, 2, 3, 4 } };

	sum_add(&s, b.at + SUMMED_FROM, b.len - SUMMED_FROM);
	return sum_end(&s);
}

static bool sum_of_file(int fd, uint64_t *out)
{
	static uint8_t piece[1 << 16];
	struct sum s = { { 1, 2, 3, 4 } };
	off_t at = SUMMED_FROM;
	ssize_t n;

	while ((n = pread(fd, piece, sizeof(piece), at)) > 0) {
		sum_add(&s, piece, n);
		at += n;
	}
	*out = sum_end(&s);
	return n == 0;
}

void kept_seal(struct bytes b)
{
	((struct kept_header *)b.at)->sum = sum_of_bytes(b);
}

// ---------------------------------------------------------------- files

struct bytes kept_open(const char *path, const char magic[8], const uint8_t identity[32])
{
	const struct kept_header *h;
	struct bytes b = { NULL, 0 };
	uint64_t sum;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool good;

	if (fd < 0)
		return b;
	good = sum_of_file(fd, &sum);
	close(fd);
	if (good)
		b = map_file(path);
	h = (const void *)b.at;
	if (h && (b.len < sizeof(*h) || memcmp(h->magic, magic, 8) || h->sum != sum || h->size != b.len ||
		  memcmp(h->identity, identity, 32)))
		unmap(&b);
	return b;
}

static bool write_all(int fd, struct bytes b)
{
	while (b.len) {
		ssize_t n = write(fd, b.at, b.len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		b.at += n;
		b.len -= n;
	}
	return true;
}

// Aside, then by rename: there is never half a table under its name.
char *kept_store(struct session *s, const struct cache_key *key, const char *suffix, struct bytes b)
{
	char *aside = str_printf("%s/%.32s%s.part.%d", s->cache_dir ? s->cache_dir : s->tmp_dir, key->hex, suffix,
				 (int)getpid());
	int fd = open(aside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	char *path = NULL;
	bool good;

	if (fd < 0)
		return NULL;
	good = write_all(fd, b);
	if (!close(fd) && good)
		path = cache_add(s, key, suffix, aside);
	if (!path || strcmp(path, aside))
		unlink(aside);
	return path;
}

// ---------------------------------------------------------------- keys

// Of the build, and of what a debuginfo file of this build may have more or less of.
struct cache_key kept_key(const struct di_module *m, const void *format, size_t len, const char *magic)
{
	static const char *const sections[] = { ".debug_info", ".debug_abbrev", ".debug_line", ".debug_str",
						".symtab", ".text" };
	struct cache_hash *h = cache_hash_new();
	struct elf_view v;
	struct bytes map;
	uint64_t split;
	int n;

	dwarf_file_splits(m->dwarf, &n, &split);
	cache_hash_text(h, magic);
	cache_hash_add(h, &n, sizeof(n));
	cache_hash_add(h, &split, sizeof(split));
	cache_hash_text(h, dwarf_file_shared(m->dwarf) ? "shared" : "");
	cache_hash_add(h, format, len);
	cache_hash_add(h, m->build_id.at, m->build_id.len);
	if (!m->build_id.len)
		cache_hash_file_id(h, m->path);
	map = dwarf_file_map(m->dwarf);
	if (elf_view_open(&v, map))
		for (size_t i = 0; i < ARRAY_SIZE(sections); i++) {
			const Elf64_Shdr *s = elf_view_header(&v, sections[i]);

			cache_hash_text(h, sections[i]);
			if (s)
				cache_hash_add(h, &s->sh_size, sizeof(s->sh_size));
		}
	return cache_hash_end(h);
}
