// SPDX-License-Identifier: GPL-2.0-or-later
// Stores tables made of debuginfo in the cache and maps them when they are read. Each begins with struct
// cached_table_header. Pages of a mapping that are not accessed take no memory. A damaged table counts as a cache miss.
#include "debuginfo/dwarf/cached_table.h"
#include "debuginfo/dwarf/dwarf_source.h"
#include "debuginfo/elf/resources.h"

#include "util/str.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

// ---------------------------------------------------------------- files

struct bytes cached_table_open(const char *path, const char magic[8], const uint8_t identity[32])
{
	struct bytes b = map_file(path);
	const struct cached_table_header *h = (const void *)b.at;

	if (h && (b.len < sizeof(*h) || memcmp(h->magic, magic, 8) || h->size > b.len || memcmp(h->identity, identity, 32)))
		unmap(&b);
	if (b.at)
		b.len = h->size;       // without the trailer that the cache appends
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

char *cached_table_store(struct session *s, const struct cache_key *key, const char *suffix, struct bytes b)
{
	char *path = cache_put(s, key, suffix, b.at, b.len);
	bool good;
	int fd;

	if (path)
		return path;
	path = str_printf("%s/%.32s%s", s->tmp_dir, key->hex, suffix);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0)
		return NULL;
	good = write_all(fd, b);
	return !close(fd) && good ? path : NULL;
}

// ---------------------------------------------------------------- keys

struct cache_key cached_table_key(const struct di_module *m, const void *format, size_t len, const char *magic)
{
	static const char *const sections[] = { ".debug_info", ".debug_abbrev", ".debug_line", ".debug_str",
						".symtab", ".text" };
	struct cache_hash *h = cache_hash_new(magic);
	struct elf_view v;
	struct bytes map;
	uint64_t split;
	int n;

	dwarf_file_splits(m->dwarf, &n, &split);
	cache_hash_add(h, &n, sizeof(n));
	cache_hash_add(h, &split, sizeof(split));
	cache_hash_text(h, dwarf_file_shared(m->dwarf) ? "shared" : "");
	cache_hash_add(h, format, len);
	cache_hash_add(h, m->build_id.at, m->build_id.len);
	if (!m->build_id.len)
		cache_hash_file_id(h, dwarf_file_path(m->dwarf));
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
