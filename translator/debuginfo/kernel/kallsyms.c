// SPDX-License-Identifier: GPL-2.0-or-later
// Decodes the kallsyms tables of a kernel image, the symbol table of the kernel itself: the image has no .symtab.
//
// scripts/kallsyms.c writes these arrays to .rodata; no symbol shows their addresses:
//   num_syms      u32
//   names         one record per symbol, sorted by address: length (ULEB128 of at most two bytes), then
//                 that many token indexes; the expansion is a type letter as in nm(1) and the name
//   markers       u32 [(num_syms + 255) / 256]: offset in `names` of every 256th record
//   token_table   256 terminated strings
//   token_index   u16 [256]: where each starts in token_table
//   offsets u32 [num_syms]: address minus a base; or s32 with absolute per-CPU symbols (>= 0)
//                 and base - 1 - address for the others; or (7.x) s32, address minus that of the entry
// Up to 6.3 offsets are first, since 6.4 after token_index; 6.2 added an array between markers and token_table. Each
// array is aligned to 4 or 8. The decoder finds token_index by its pattern (ascending, each entry after a zero byte of
// the table), then num_syms backwards by walking the records to a matching `markers`, then offsets at either address.
// The result is accepted only if known symbols have the addresses that the ELF section headers give.
#include "debuginfo/kernel/image.h"

#include "util/str.h"

#include <string.h>

#define NAME_MAX_LEN 1024

struct tables {
	struct bytes rodata;
	const uint8_t *token_table, *token_index, *token_end;
	const uint8_t *num_syms;   // address of the table's number of symbols
	const uint8_t *names, *names_end, *markers;
	uint32_t n;
};

static uint32_t get32(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, 4);
	return v;
}

static uint16_t get16(const uint8_t *p)
{
	uint16_t v;

	memcpy(&v, p, 2);
	return v;
}

static const uint8_t *align_up(const struct tables *t, const uint8_t *p, int to)
{
	size_t offset = p - t->rodata.at;

	return t->rodata.at + ((offset + to - 1) & ~(size_t)(to - 1));
}

// Returns true if `index` is a token_index that follows its table.
static bool token_index_at(struct tables *t, const uint8_t *index)
{
	const uint8_t *end = index, *table;
	uint32_t last = get16(index + 2 * 255);

	if (get16(index) != 0 || get16(index + 2) < 2 || get16(index + 2) > 64)
		return false;
	for (int i = 1; i < 256; i++)
		if (get16(index + 2 * i) < get16(index + 2 * (i - 1)) + 2)
			return false;
	// The table ends in zero padding after the last string's terminator.
	while (end > t->rodata.at && index - end < 8 && !end[-1])
		end--;
	while (end > t->rodata.at && end[-1])
		end--;
	if (end - t->rodata.at < last)
		return false;
	table = end - last;
	for (int i = 1; i < 256; i++)
		if (table[get16(index + 2 * i) - 1])
			return false;
	t->token_table = table;
	t->token_index = index;
	t->token_end = index + 512;
	return true;
}

static bool find_tokens(struct tables *t)
{
	for (size_t at = 0; at + 512 <= t->rodata.len; at += 4)
		if (!get16(t->rodata.at + at) && token_index_at(t, t->rodata.at + at))
			return true;
	return false;
}

// Returns the length of the record at *p and advances *p past it; -1 at the end of the section.
static int record(const struct tables *t, const uint8_t **p, const uint8_t **tokens)
{
	const uint8_t *end = t->rodata.at + t->rodata.len;
	int len;

	if (*p + 2 >= end)
		return -1;
	len = *(*p)++;
	if (len & 0x80)
		len = (len & 0x7f) | *(*p)++ << 7;
	*tokens = *p;
	if (len > end - *p)
		return -1;
	*p += len;
	return len;
}

// Expands the record to `name` (type letter first). False: not a valid symbol.
static bool expand(const struct tables *t, const uint8_t *tokens, int len, char *name)
{
	int n = 0;

	for (int i = 0; i < len; i++) {
		const char *s = (const char *)t->token_table + get16(t->token_index + 2 * tokens[i]);

		while (*s && n < NAME_MAX_LEN - 1) {
			if (*s < '!' || *s > '~')
				return false;
			name[n++] = *s++;
		}
	}
	name[n] = 0;
	return n >= 2 && strchr("aAbBdDgGiIrRsStTuUvVwWnN", name[0]);
}

// Returns true if `n` records start at `names` and are followed by their markers.
static bool names_at(struct tables *t, const uint8_t *names, uint32_t n)
{
	const uint8_t *p = names, *tokens;
	uint32_t marker[3] = { 0, 0, 0 };
	char name[NAME_MAX_LEN];
	int len;

	for (uint32_t i = 0; i < n; i++) {
		if (i % 256 == 0 && i / 256 < 3)
			marker[i / 256] = p - names;
		len = record(t, &p, &tokens);
		if (len <= 0 || (i < 64 && !expand(t, tokens, len, name)))
			return false;
		if (p > t->token_table)
			return false;
	}
	for (int align = 4; align <= 8; align += 4) {
		const uint8_t *m = align_up(t, p, align);

		if (m + 4 * ((n + 255) / 256) <= t->token_table && get32(m) == 0 &&
		    get32(m + 4) == marker[1] && get32(m + 8) == marker[2]) {
			t->names = names;
			t->names_end = p;
			t->markers = m;
			t->n = n;
			return true;
		}
	}
	return false;
}

static bool find_names(struct tables *t)
{
	const uint8_t *start = t->rodata.at;

	// Searches backwards and takes the first match; the names are a few megabytes long.
	for (const uint8_t *p = align_up(t, t->token_table, 4) - 8; p >= start; p -= 4) {
		uint32_t n = get32(p);

		if (n < 1024 || n > (t->token_table - p))
			continue;
		for (int align = 4; align <= 8; align += 4)
			if (names_at(t, align_up(t, p + 4, align), n)) {
				t->num_syms = p;
				return true;
			}
	}
	return false;
}

// ---------------------------------------------------------------- addresses

// One encoding of the offsets.
struct scheme {
	const uint8_t *offsets;
	enum { FROM_BASE, PERCPU_OR_BASE, FROM_ENTRY, SCHEMES } kind;
	uint64_t base;             // FROM_ENTRY: address of `offsets`
};

static uint64_t address(const struct scheme *s, uint32_t i)
{
	uint32_t x = get32(s->offsets + 4ull * i);

	switch (s->kind) {
	case FROM_BASE:
		return s->base + x;
	case FROM_ENTRY:
		return s->base + 4ull * i + (int64_t)(int32_t)x;
	default:
		return (int32_t)x >= 0 ? x : s->base - 1 - (int64_t)(int32_t)x;
	}
}

static int anchor_named(const struct anchor *anchors, int n, const char *name)
{
	for (int i = 0; i < n; i++)
		if (!strcmp(anchors[i].name, name))
			return i;
	return -1;
}

// Computes the base from the first anchor. At least one more anchor must agree, none may differ, and addresses must
// ascend.
static bool scheme_fits(struct scheme *s, const uint32_t *index, const struct anchor *anchors, int nanchors,
			uint32_t n)
{
	int good = 0;

	for (int i = 0; i < nanchors; i++) {
		if (index[i] == UINT32_MAX)
			continue;
		if (!good) {
			s->base = 0;
			s->base = anchors[i].address - address(s, index[i]);
			if (address(s, index[i]) != anchors[i].address)
				return false;
		}
		if (address(s, index[i]) != anchors[i].address)
			return false;
		good++;
	}
	if (good < 2)
		return false;
	for (uint32_t i = 1; i < n; i++)
		if (address(s, i) < address(s, i - 1))
			return false;
	return true;
}

static bool offsets_at(const struct tables *t, const uint8_t *offsets, struct scheme *s, const uint32_t *index,
		       const struct anchor *anchors, int nanchors)
{
	if (offsets < t->rodata.at || offsets + 4ull * t->n > t->rodata.at + t->rodata.len)
		return false;
	s->offsets = offsets;
	for (s->kind = 0; s->kind < SCHEMES; s->kind++)
		if (scheme_fits(s, index, anchors, nanchors, t->n))
			return true;
	return false;
}

static bool find_offsets(const struct tables *t, struct scheme *s, const uint32_t *index,
			 const struct anchor *anchors, int nanchors)
{
	size_t size = 4ull * t->n;

	// The offsets follow token_index; relative_base may precede or follow them.
	for (int pad = 0; pad <= 16; pad += 4)
		if (offsets_at(t, t->token_end + pad, s, index, anchors, nanchors))
			return true;
	// The offsets may also end before relative_base and num_syms.
	for (int pad = 0; pad <= 24; pad += 4)
		if ((size_t)(t->num_syms - t->rodata.at) >= size + pad &&
		    offsets_at(t, t->num_syms - size - pad, s, index, anchors, nanchors))
			return true;
	return false;
}

static void find_anchors(const struct tables *t, uint32_t *index, const struct anchor *anchors, int nanchors)
{
	const uint8_t *p = t->names, *tokens = NULL;
	char name[NAME_MAX_LEN];

	for (int i = 0; i < nanchors; i++)
		index[i] = UINT32_MAX;
	for (uint32_t i = 0; i < t->n; i++) {
		int len = record(t, &p, &tokens), a;

		if (expand(t, tokens, len, name) && (a = anchor_named(anchors, nanchors, name + 1)) >= 0)
			index[a] = i;
	}
}

bool kallsyms_decode(struct bytes rodata, const struct anchor *anchors, int nanchors, uint64_t text,
		     uint64_t text_end, struct buf *entries, struct buf *strings)
{
	struct tables t = { .rodata = rodata };
	struct scheme s = { 0 };
	uint32_t index[16];
	const uint8_t *p, *tokens = NULL;
	char name[NAME_MAX_LEN];

	if (nanchors > 16 || !find_tokens(&t) || !find_names(&t))
		return false;
	find_anchors(&t, index, anchors, nanchors);
	if (!find_offsets(&t, &s, index, anchors, nanchors))
		return false;
	p = t.names;
	for (uint32_t i = 0; i < t.n; i++) {
		int len = record(&t, &p, &tokens);
		struct symbol_entry e = { .address = address(&s, i) };

		if (e.address < text || e.address >= text_end || !expand(&t, tokens, len, name) ||
		    !strchr("tTwW", name[0]))
			continue;
		e.name = strings->len;
		e.flags = name[0] != 't';
		buf_add(entries, (const char *)&e, sizeof(e));
		buf_add(strings, name + 1, strlen(name + 1) + 1);
	}
	return entries->len > 0;
}
