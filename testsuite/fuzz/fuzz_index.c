// SPDX-License-Identifier: GPL-2.0-or-later
// The index of debuginfo: an input is its tables, under a header whose checksum is not checked. Every search ends,
// whatever the records contain, and returns terminated names.
#include "debuginfo/dwarf/index_format.h"
#include "debuginfo/elf/resources.h"
#include "fuzz.h"
#include "util/str.h"

#include <dwarf.h>
#include <string.h>

enum { HITS_MAX = 20000 };

static int hits;

static void see(void *data, const struct index_hit *h)
{
	// A table of copies that all inlined functions share takes long to read, but reading it ends.
	if (hits++ < HITS_MAX)
		(void)(strlen(h->name) + strlen(h->symbol ? h->symbol : "") + strlen(h->file ? h->file : ""));
}

static void search(const struct index *ix, const char *name, const char *file)
{
	static const int tags[] = { DW_TAG_structure_type, DW_TAG_typedef, 0 };
	struct index_query q = { .name = name, .file = file };
	struct index_lines *lines = index_lines(ix);
	struct index_hit h;
	uint64_t header;

	index_each_function(ix, &q, see, NULL);
	index_each_inline(ix, &q, true, see, NULL);
	index_each_variable(ix, name, see, NULL);
	index_find_type(ix, name, tags);
	index_find_enumerator(ix, name);
	for (uint64_t at = 0; at < 64; at += 7) {
		if (index_function_at(ix, ix->h->base + at, &h))
			index_next_function(lines, h.file, h.line);
		index_unit_of_address(ix, ix->h->base + at, &header);
		index_unit_of_die(ix, at, &header);
	}
}

// The first bytes are the numbers of records in the tables; the remaining ones are the tables.
void fuzz_one(const char *text, size_t len)
{
	static const uint8_t identity[32];
	struct index_header *h = mem_alloc_atomic(sizeof(*h) + len + 8 * IX_TABLES + 8);
	uint8_t *at = (uint8_t *)(h + 1);
	size_t used = IX_TABLES;
	struct index ix;

	if (len < IX_TABLES)
		return;
	memcpy(h->magic, INDEX_MAGIC, 8);
	for (int t = 0; t < IX_TABLES; t++) {
		size_t n = (uint8_t)text[t], size = n * index_record_size[t];

		if (size > len - used)
			n = (len - used) / index_record_size[t], size = n * index_record_size[t];
		h->table[t].offset = at - (uint8_t *)h;
		h->table[t].n = n;
		memcpy(at, text + used, size);
		used += size;
		at += (size + 7) & ~7ull;
	}
	h->size = at - (uint8_t *)h;
	if (len > 20 && text[1] & 1)       // a header with wrong sizes
		h->table[(uint8_t)text[2] % IX_TABLES].n ^= (uint64_t)(uint8_t)text[3] << (text[4] & 63);
	if (!index_from_bytes(&ix, (struct bytes){ (uint8_t *)h, h->size }, identity))
		return;
	hits = 0;
	search(&ix, "*", NULL);
	search(&ix, "*", "*.c");
	search(&ix, "a", "b");
	search(&ix, "a*", NULL);
}
