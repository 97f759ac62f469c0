// SPDX-License-Identifier: GPL-2.0-or-later
// Opens the index of a DWARF file (index.h), from the cache or newly made, and looks entries up in it. A damaged file
// counts as a cache miss.
#include "debuginfo/dwarf/cached_table.h"
#include "debuginfo/dwarf/dwarf_source.h"
#include "debuginfo/dwarf/index_format.h"
#include "debuginfo/elf/resources.h"

#include "util/numbers.h"
#include "util/progress.h"
#include "util/str.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

const uint32_t index_record_size[IX_TABLES] = {
	[IX_STRINGS] = 1,
	[IX_FILES] = 4,
	[IX_UNITS] = sizeof(struct index_unit),
	[IX_RANGES] = sizeof(struct index_range),
	[IX_FUNCTIONS] = sizeof(struct index_function),
	[IX_BY_ADDRESS] = 4,
	[IX_INLINES] = sizeof(struct index_inline),
	[IX_COPIES] = sizeof(struct index_copy),
	[IX_TYPES] = sizeof(struct index_type),
	[IX_VARIABLES] = sizeof(struct index_name),
	[IX_ENUMERATORS] = sizeof(struct index_name),
};

// ---------------------------------------------------------------- opening

static bool tables_fit(const struct index_header *h, size_t len)
{
	for (int t = 0; t < IX_TABLES; t++)
		if (h->table[t].offset % 8 || h->table[t].offset > len ||
		    h->table[t].n > (len - h->table[t].offset) / index_record_size[t])
			return false;
	return true;
}

// The bounds of the tables make lookups safe; offsets in records are checked on use.
bool index_from_bytes(struct index *ix, struct bytes b, const uint8_t identity[32])
{
	const struct index_header *h = (const void *)b.at;

	if (b.len < sizeof(*h) || memcmp(h->magic, INDEX_MAGIC, 8) || h->size != b.len ||
	    memcmp(h->identity, identity, 32) || !tables_fit(h, b.len) || !h->table[IX_STRINGS].n)
		return false;
	*ix = (struct index){ .file = b, .h = h, .strings = (const char *)b.at + h->table[IX_STRINGS].offset };
	return !ix->strings[h->table[IX_STRINGS].n - 1];
}

static bool open_cached(struct session *s, const struct cache_key *key, struct index *ix)
{
	struct bytes b = cached_table_open(s, key, ".index", INDEX_MAGIC);

	ix->mapped = b.at && index_from_bytes(ix, b, (const uint8_t *)key->hex);
	if (!ix->mapped)
		unmap(&b);
	return ix->mapped;
}

void index_unload(struct di_module *m)
{
	const struct index *ix = module_index(m);

	if (!ix)
		return;
	map_unload(ix->file, m->s->tmp_dir);
	dwarf_file_unload(m->dwarf);
}

// ---------------------------------------------------------------- making

static struct bytes lay_out(const struct index_tables *t, const uint8_t identity[32])
{
	struct index_header h = { .magic = INDEX_MAGIC, .base = t->base };
	uint64_t at = sizeof(h);
	struct bytes mapping;
	uint8_t *out;

	memcpy(h.identity, identity, 32);
	for (int i = 0; i < IX_TABLES; i++) {
		at = (at + 7) & ~7ull;
		h.table[i].offset = at;
		h.table[i].n = t->table[i].len / index_record_size[i];
		at += t->table[i].len;
	}
	h.size = at;
	mapping = map_zeroed(at);
	out = (uint8_t *)mapping.at;
	if (!out)
		die_of_memory(at);
	memcpy(out, &h, sizeof(h));
	for (int i = 0; i < IX_TABLES; i++)
		if (t->table[i].len)
			memcpy(out + h.table[i].offset, t->table[i].text, t->table[i].len);
	return mapping;
}

// ---------------------------------------------------------------- the index of a module

static void report_index(const struct di_module *m, size_t size)
{
	if (m->s->opt.verbose[2] > 1)      // -v has one line for each pass
		diag_output(str_printf("Made the index of the debuginfo %s: %zu KiB\n", m->path, size >> 10));
}

static struct index *open_index(struct di_module *m)
{
	struct session *s = m->s;
	struct index *ix = NEW(struct index);
	struct index_tables tables = { 0 };
	struct cache_key key = cached_table_key(m, index_record_size, sizeof(index_record_size), INDEX_MAGIC);
	const uint8_t *identity = (const uint8_t *)key.hex;
	struct bytes made;
	bool good;

	if (open_cached(s, &key, ix))
		return ix;
	progress("making an index of the debuginfo of %s", m->name);
	good = index_build(m, &tables);
	progress_end();
	if (!good)
		return NULL;
	dwarf_file_unload_unused(m->dwarf);
	made = lay_out(&tables, identity);
	report_index(m, made.len);
	cache_put(s, &key, ".index", made.at, made.len);
	return index_from_bytes(ix, made, identity) ? ix : NULL;
}

struct index *module_index(struct di_module *m)
{
	if (!m->index_tried && m->dwarf)
		m->index = open_index(m);
	m->index_tried |= m->dwarf != NULL;
	return m->index;
}

// ---------------------------------------------------------------- records

static uint64_t count(const struct index *ix, enum index_table t)
{
	return ix->h->table[t].n;
}

static const void *record(const struct index *ix, enum index_table t, uint64_t i)
{
	return ix->file.at + ix->h->table[t].offset + i * index_record_size[t];
}

static const char *string(const struct index *ix, uint32_t at)
{
	return at < count(ix, IX_STRINGS) ? ix->strings + at : "";
}

static const char *file(const struct index *ix, uint32_t number)
{
	return number < count(ix, IX_FILES) ? string(ix, *(const uint32_t *)record(ix, IX_FILES, number)) : NULL;
}

// Returns the number of the first record of a table, sorted by name, whose name is not less than the first `len`
// bytes of the text.
static uint64_t first_named(const struct index *ix, enum index_table t, const char *text, size_t len)
{
	uint64_t low = 0, high = count(ix, t);

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (strncmp(string(ix, *(const uint32_t *)record(ix, t, middle)), text, len) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool is_named(const struct index *ix, enum index_table t, uint64_t i, const char *text, size_t len)
{
	return i < count(ix, t) && !strncmp(string(ix, *(const uint32_t *)record(ix, t, i)), text, len);
}

// Returns the length of the literal prefix of a pattern, by which the index is searched.
static size_t fixed_part(const char *pattern)
{
	size_t len = strcspn(pattern, "*?[\\.");

	return pattern[len] == '.' && !len ? strlen(pattern) : len;
}

// ---------------------------------------------------------------- functions

// Compares the end of the path, after a "/", with a glob.
static bool path_matches(const char *path, const char *pattern)
{
	size_t len = strlen(path), tail;

	while (str_starts(pattern, "./"))      // the path as it was passed to the compiler
		pattern += 2;
	tail = strlen(pattern);
	if (str_is_glob(pattern))
		return !fnmatch(pattern, path, 0) || !fnmatch(str_printf("*/%s", pattern), path, 0);
	return len >= tail && !strcmp(path + len - tail, pattern) &&
	       (len == tail || path[len - tail - 1] == '/' || *pattern == '/');
}

// Returns whether the file matches, and caches the answer in a byte for each file: 0 not tested, 1 no, 2 yes.
static bool file_fits(const struct index *ix, const struct index_query *q, uint8_t *known, uint32_t number)
{
	const char *path = file(ix, number);

	if (!q->file)
		return true;
	if (!path)
		return false;
	if (!known[number])
		known[number] = 1 + path_matches(path, q->file);
	return known[number] == 2;
}

static struct index_hit hit_of(const struct index *ix, const struct index_function *f)
{
	return (struct index_hit){
		.name = string(ix, f->name),
		.symbol = string(ix, f->symbol),
		.file = f->line ? file(ix, f->file) : NULL,
		.line = f->line,
		.address = ix->h->base + f->address,
		.size = f->size,
		.die = f->die,
		.is_alias = f->flags & INDEX_ALIAS,
		.kprobe = f->flags & INDEX_NO_SECTION ? DI_KPROBE_NO_SECTION :
			  f->flags & INDEX_BLOCKLISTED ? DI_KPROBE_BLOCKLISTED :
			  f->flags & INDEX_ALLOWED ? DI_KPROBE_ALLOWED : DI_KPROBE_UNKNOWN,
	};
}

void index_each_function(const struct index *ix, const struct index_query *q, index_fn fn, void *data)
{
	size_t len = fixed_part(q->name);
	uint64_t i = first_named(ix, IX_FUNCTIONS, q->name, len);
	uint8_t *known = q->file ? mem_alloc_atomic(count(ix, IX_FILES) + 1) : NULL;

	for (; is_named(ix, IX_FUNCTIONS, i, q->name, len); i++) {
		const struct index_function *f = record(ix, IX_FUNCTIONS, i);
		struct index_hit hit = hit_of(ix, f);

		if (!q->file || (f->line && file_fits(ix, q, known, f->file)))
			fn(data, &hit);
	}
}

static void each_copy(const struct index *ix, const struct index_inline *f, bool once, index_fn fn, void *data)
{
	struct index_hit hit = { .name = string(ix, f->name), .symbol = string(ix, f->name),
				 .file = file(ix, f->file), .line = f->line, .is_inline = true };
	uint64_t end = (uint64_t)f->first + f->n;

	for (uint64_t i = f->first; i < end && i < count(ix, IX_COPIES); i++) {
		const struct index_copy *c = record(ix, IX_COPIES, i);

		hit.address = ix->h->base + c->address;
		hit.die = c->die;
		fn(data, &hit);
		if (once)
			return;
	}
}

void index_each_inline(const struct index *ix, const struct index_query *q, bool once, index_fn fn, void *data)
{
	size_t len = fixed_part(q->name);
	uint64_t i = first_named(ix, IX_INLINES, q->name, len);
	uint8_t *known = q->file ? mem_alloc_atomic(count(ix, IX_FILES) + 1) : NULL;

	for (; is_named(ix, IX_INLINES, i, q->name, len); i++) {
		const struct index_inline *f = record(ix, IX_INLINES, i);

		if (file_fits(ix, q, known, f->file))
			each_copy(ix, f, once, fn, data);
	}
}

static const struct index_function *nth_by_address(const struct index *ix, uint64_t i)
{
	uint32_t number = *(const uint32_t *)record(ix, IX_BY_ADDRESS, i);

	return number < count(ix, IX_FUNCTIONS) ? record(ix, IX_FUNCTIONS, number) : NULL;
}

bool index_function_at(const struct index *ix, uint64_t address, struct index_hit *out)
{
	uint64_t low = 0, high = count(ix, IX_BY_ADDRESS), start;
	const struct index_function *f, *best = NULL;

	while (low < high) {               // finds the first function above the address
		uint64_t middle = low + (high - low) / 2;

		f = nth_by_address(ix, middle);
		if (f && ix->h->base + f->address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || !(best = nth_by_address(ix, low - 1)))
		return false;
	start = best->address;
	// If an address has several functions, prefers the one with a name in DWARF.
	for (uint64_t i = low - 1; i-- && (f = nth_by_address(ix, i)) && f->address == start && (best->flags & INDEX_ALIAS);)
		best = f;
	*out = hit_of(ix, best);
	return !best->size || address - out->address < best->size;
}

// Lines of file i are lines[first[i]] to lines[first[i + 1] - 1]; they are sorted when they are first searched.
struct index_lines {
	struct numbers files;      // the address of a path: the number of the file + 1
	uint32_t *lines, *first;
	bool *sorted;
};

typedef void (*begin_fn)(struct index_lines *l, uint32_t file, uint32_t line);

static void count_line(struct index_lines *l, uint32_t file, uint32_t line)
{
	l->first[file + 2]++;
}

static void add_line(struct index_lines *l, uint32_t file, uint32_t line)
{
	l->lines[l->first[file + 1]++] = line;
}

static void each_begin(const struct index *ix, begin_fn fn, struct index_lines *l)
{
	uint64_t files = count(ix, IX_FILES);

	for (uint64_t i = 0; i < count(ix, IX_FUNCTIONS); i++) {
		const struct index_function *f = record(ix, IX_FUNCTIONS, i);

		if (f->file < files)
			fn(l, f->file, f->line);
	}
	for (uint64_t i = 0; i < count(ix, IX_INLINES); i++) {
		const struct index_inline *f = record(ix, IX_INLINES, i);

		if (f->file < files)
			fn(l, f->file, f->line);
	}
}

struct index_lines *index_lines(const struct index *ix)
{
	uint32_t files = (uint32_t)count(ix, IX_FILES);
	struct index_lines *l = NEW(struct index_lines);

	l->first = NEW_ARRAY(uint32_t, files + 2);
	l->sorted = NEW_ARRAY(bool, files + 1);
	for (uint32_t i = 0; i < files; i++)
		*numbers_at(&l->files, (uintptr_t)file(ix, i)) = i + 1;
	each_begin(ix, count_line, l);
	for (uint32_t i = 2; i < files + 2; i++)
		l->first[i] += l->first[i - 1];
	l->lines = NEW_ARRAY(uint32_t, l->first[files + 1] + 1);
	each_begin(ix, add_line, l);           // moves first[i + 1] from the first line of file i to its end
	return l;
}

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

int index_next_function(struct index_lines *l, const char *path, uint32_t line)
{
	uint32_t number = path ? *numbers_at(&l->files, (uintptr_t)path) : 0, low, high, end;

	if (!number)
		return 0x7fffffff;
	low = l->first[number - 1];
	high = end = l->first[number];
	if (!l->sorted[number - 1])
		qsort(l->lines + low, end - low, sizeof(*l->lines), by_number);
	l->sorted[number - 1] = true;
	while (low < high) {                   // finds the first line above
		uint32_t middle = low + (high - low) / 2;

		if (l->lines[middle] <= line)
			low = middle + 1;
		else
			high = middle;
	}
	return low < end && l->lines[low] < 0x7fffffff ? (int)l->lines[low] : 0x7fffffff;
}

// ---------------------------------------------------------------- units, types, variables

bool index_unit_of_address(const struct index *ix, uint64_t address, uint64_t *header)
{
	uint64_t low = 0, high = count(ix, IX_RANGES), at = address - ix->h->base;
	const struct index_range *r;

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		r = record(ix, IX_RANGES, middle);
		if (r->start <= at)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return false;
	r = record(ix, IX_RANGES, low - 1);
	if (at - r->start >= r->size || r->unit >= count(ix, IX_UNITS))
		return false;
	*header = ((const struct index_unit *)record(ix, IX_UNITS, r->unit))->header;
	return true;
}

static const struct index_unit *unit_of_die(const struct index *ix, uint32_t die)
{
	uint64_t low = 0, high = count(ix, IX_UNITS);

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (((const struct index_unit *)record(ix, IX_UNITS, middle))->die <= die)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? record(ix, IX_UNITS, low - 1) : NULL;
}

bool index_unit_of_die(const struct index *ix, uint32_t die, uint64_t *header)
{
	const struct index_unit *u = unit_of_die(ix, die);

	if (u)
		*header = u->header;
	return u;
}

uint32_t index_find_type(const struct index *ix, const char *name, const int *tags)
{
	size_t len = strlen(name) + 1;
	uint64_t i = first_named(ix, IX_TYPES, name, len);

	for (; is_named(ix, IX_TYPES, i, name, len); i++) {
		const struct index_type *t = record(ix, IX_TYPES, i);

		for (const int *tag = tags; *tag; tag++)
			if (t->tag == (uint32_t)*tag)
				return t->die;
	}
	return 0;
}

uint32_t index_find_enumerator(const struct index *ix, const char *name)
{
	size_t len = strlen(name) + 1;
	uint64_t i = first_named(ix, IX_ENUMERATORS, name, len);

	return is_named(ix, IX_ENUMERATORS, i, name, len) ?
	       ((const struct index_name *)record(ix, IX_ENUMERATORS, i))->die : 0;
}

void index_each_variable(const struct index *ix, const char *name, index_fn fn, void *data)
{
	size_t len = strlen(name) + 1;
	uint64_t i = first_named(ix, IX_VARIABLES, name, len);

	for (; is_named(ix, IX_VARIABLES, i, name, len); i++) {
		const struct index_name *v = record(ix, IX_VARIABLES, i);
		const struct index_unit *u = unit_of_die(ix, v->die);
		struct index_hit hit = { .name = string(ix, v->name), .die = v->die,
					 .file = u ? string(ix, u->name) : NULL };

		fn(data, &hit);
	}
}

void index_each_name(const struct index *ix, enum index_table t, void (*fn)(void *data, const char *name), void *data)
{
	for (uint64_t i = 0; i < count(ix, t); i++)
		fn(data, string(ix, *(const uint32_t *)record(ix, t, i)));
}
