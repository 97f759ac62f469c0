// SPDX-License-Identifier: GPL-2.0-or-later
// Maps private copies of cached tables made from debuginfo. Each begins with struct cached_table_header. A damaged
// table counts as a cache miss.
#include "debuginfo/dwarf/cached_table.h"
#include "cache/cache_file.h"
#include "debuginfo/dwarf/dwarf_source.h"
#include "debuginfo/elf/resources.h"

#include "util/str.h"

#include <string.h>
#include <unistd.h>

// ---------------------------------------------------------------- files

struct bytes cached_table_open(struct session *s, const struct cache_key *key, const char *suffix, const char magic[8])
{
	struct cache_bytes content = cache_content(s, key, suffix, map_pages);
	struct bytes b = { content.at, content.len };
	const struct cached_table_header *h = (const void *)b.at;

	if (h && (b.len < sizeof(*h) || memcmp(h->magic, magic, 8) || h->size != b.len || memcmp(h->identity, key->hex, 32)))
		unmap(&b);
	return b;
}

bool cached_table_store(struct session *s, const struct cache_key *key, const char *suffix, struct bytes b,
			const char *path)
{
	cache_put(s, key, suffix, b.at, b.len);
	return !cache_file_save(path, b.at, b.len, 0600);
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
	map = dwarf_file_map(m->dwarf);
	if (!m->build_id.len && str_starts(dwarf_file_path(m->dwarf), m->s->tmp_dir))
		cache_hash_add(h, map.at, map.len);    // a temporary object, whose path and times change with each
						       // run
	else if (!m->build_id.len)
		cache_hash_file_id(h, dwarf_file_path(m->dwarf));
	if (elf_view_open(&v, map))
		for (size_t i = 0; i < ARRAY_SIZE(sections); i++) {
			const Elf64_Shdr *s = elf_view_header(&v, sections[i]);

			cache_hash_text(h, sections[i]);
			if (s)
				cache_hash_add(h, &s->sh_size, sizeof(s->sh_size));
		}
	return cache_hash_end(h);
}
