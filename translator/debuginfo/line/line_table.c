// SPDX-License-Identifier: GPL-2.0-or-later
// Makes the line table of a program, of the kernel or of a kernel module, for scripts that print the line of an
// address: merges the line tables of all units into one, sorted by code offset, with equal neighbours joined, and
// stores it in the cache as encoded by line_code.c.
//
// A code offset is a file offset in a program; an offset into .text in the kernel; in a kernel module, an offset into
// its code sections laid out one after the other.
#include "debuginfo/dwarf/cached_table.h"
#include "debuginfo/dwarf/libdw_unit.h"
#include "debuginfo/elf/resources.h"
#include "debuginfo/line/line_code.h"

#include "util/progress.h"
#include "util/str.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { UNITS_A_HANDLE = 256 };         // libdw frees parsed data only with the handle

struct table {
	struct di_module *m;
	struct line_table *out;
	di_code code;
	struct map numbers;        // file name -> its number + 1
	int order;
};

// ---------------------------------------------------------------- code offsets

static bool is_loaded_code(const struct elf_view *v, const Elf64_Shdr *s)
{
	const char *name = elf_view_name(v, s);

	return (s->sh_flags & SHF_EXECINSTR) && (s->sh_flags & SHF_ALLOC) && !str_starts(name, ".exit.") &&
	       !str_starts(name, ".altinstr");
}

static void add_code(di_code *out, const Elf64_Shdr *s)
{
	const struct di_code_part *last = out->n ? &out->at[out->n - 1] : NULL;
	uint64_t code_offset = last ? (last->code_offset + last->size + 15) & ~15ull : 0;

	if (s && s->sh_size && code_offset + s->sh_size <= UINT32_MAX)
		vec_push(out, ((struct di_code_part){ s->sh_addr, s->sh_size, code_offset }));
}

void di_module_code(const struct di_module *m, di_code *out)
{
	struct elf_view v;

	out->n = 0;
	if (!m->dwarf || m->program || !elf_view_open(&v, dwarf_file_map(m->dwarf)))
		return;
	if (!m->base_module)
		add_code(out, elf_view_header(&v, ".text"));
	for (int i = 1; m->base_module && i < v.n; i++)
		if (is_loaded_code(&v, &v.sections[i]))
			add_code(out, &v.sections[i]);
}

// end: the address is that of a row after the last instruction
static bool code_offset_of(const struct table *t, uint64_t address, bool end, uint64_t *code_offset)
{
	if (t->m->program)
		return di_program_offset(t->m, address, code_offset) && *code_offset <= UINT32_MAX;
	for vec_each(&t->code, part)
		if (address - part->address < part->size + end) {
			*code_offset = part->code_offset + (address - part->address);
			return true;
		}
	return false;
}

// ---------------------------------------------------------------- rows

static int file_number(struct table *t, Dwarf_Die *unit, const char *path)
{
	uintptr_t number;

	if (!t->m->program)
		path = dwarf_source_path(unit, path);
	number = (uintptr_t)map_get(&t->numbers, path);
	if (!number) {
		path = str_dup(path);
		vec_push(&t->out->files, path);
		number = t->out->files.n;
		map_put(&t->numbers, path, (void *)number);
	}
	return number - 1;
}

// Caches numbers of recent files by the address of the name in libdw's memory: neighbouring rows alternate between few
// files.
static int file_of(struct table *t, Dwarf_Die *unit, const char *path)
{
	static struct { const char *path; int number; } known[64];
	size_t slot = ((uintptr_t)path >> 3) % ARRAY_SIZE(known);

	if (!unit) {                       // a new handle: addresses of names may be reused
		memset(known, 0, sizeof(known));
		return -1;
	}
	if (known[slot].path != path) {
		known[slot].number = file_number(t, unit, path);
		known[slot].path = path;
	}
	return known[slot].number;
}

// libdw sorts the end of a sequence before rows of the same address, which belong to the next sequence, or to an empty
// one without information.
static bool is_after_end(Dwarf_Die *unit, Dwarf_Lines *lines, size_t i)
{
	Dwarf_Line *line = dwarf_onesrcline(lines, i), *before = i ? dwarf_onesrcline(lines, i - 1) : NULL;
	Dwarf_Addr address, end;
	bool is_end;

	return before && !dwarf_lineendsequence(before, &is_end) && is_end && !dwarf_lineaddr(before, &end) &&
	       !dwarf_lineaddr(line, &address) && address == end && dwarf_haspc(unit, address) == 0;
}

// Only the last of several rows with the same address is valid, so it overwrites them. A row with the same line as
// the previous one is dropped.
static void add_row(struct table *t, Dwarf_Die *unit, Dwarf_Lines *lines, size_t i)
{
	struct line_row row = { .file = -1, .order = t->order++ }, *last;
	Dwarf_Line *line = dwarf_onesrcline(lines, i);
	Dwarf_Addr address;
	uint64_t code_offset;
	const char *path;
	bool end;
	int n = t->out->rows.n;

	if (dwarf_lineaddr(line, &address) || dwarf_lineendsequence(line, &end) ||
	    !code_offset_of(t, address, end, &code_offset) || is_after_end(unit, lines, i))
		return;
	row.code_offset = code_offset;
	path = end ? NULL : dwarf_linesrc(line, NULL, NULL);
	if (path && !dwarf_lineno(line, &row.line) && row.line)
		row.file = file_of(t, unit, path);
	last = n && i ? &t->out->rows.at[n - 1] : NULL;
	if (last && last->code_offset == row.code_offset && !end)
		*last = row;
	else if (!last || last->file != row.file || last->line != row.line)
		vec_push(&t->out->rows, row);
}

static void add_unit(struct table *t, Dwarf_Die *unit)
{
	Dwarf_Lines *lines;
	size_t n;

	if (dwarf_getsrclines(unit, &lines, &n))
		return;
	file_of(t, NULL, NULL);
	for (size_t i = 0; i < n; i++)
		add_row(t, unit, lines, i);
}

// Reads a number of units from `offset` on. Returns the offset of the next unit; 0 at the end.
static uint64_t add_units(struct table *t, uint64_t offset)
{
	Dwarf *d = dwarf_handle_at(t->m->dwarf, offset);
	Dwarf_Off next;
	Dwarf_Die unit;
	size_t header;
	bool more = d;

	for (int i = 0; more && i < UNITS_A_HANDLE; i++, offset = next) {
		more = !dwarf_nextcu(d, offset, &next, &header, NULL, NULL, NULL);
		if (more && dwarf_offdie(d, offset + header, &unit))
			add_unit(t, &unit);
	}
	dwarf_end(d);
	return more ? offset : 0;
}

static int by_code_offset(const void *a, const void *b)
{
	const struct line_row *x = a, *y = b;

	if (x->code_offset != y->code_offset)
		return x->code_offset < y->code_offset ? -1 : 1;
	return x->order < y->order ? -1 : 1;
}

// Removes rows: of several rows with one address the last is valid, except the end of a sequence.
static void compact(struct line_rows *rows)
{
	int n = 0;

	for (int i = 0; i < rows->n; i++) {
		const struct line_row *row = &rows->at[i], *last = n ? &rows->at[n - 1] : NULL;

		if (last && last->code_offset == row->code_offset && row->file < 0)
			continue;
		if (last && last->code_offset == row->code_offset)
			last = --n ? &rows->at[n - 1] : NULL;
		if (!last || last->file != row->file || last->line != row->line)
			rows->at[n++] = *row;
	}
	rows->n = n;
}

void line_table_read(struct di_module *m, struct line_table *out)
{
	struct table t = { .m = m, .out = out };
	uint64_t at = 0, next;

	di_module_code(m, &t.code);
	while ((next = add_units(&t, at)) > at)
		at = next;
	if (out->rows.n)
		qsort(out->rows.at, out->rows.n, sizeof(out->rows.at[0]), by_code_offset);
	compact(&out->rows);
}

// ---------------------------------------------------------------- the table

static bool make(struct di_module *m, const struct cache_key *key, const char *path, size_t *size)
{
	struct line_table table = { 0 };
	struct bytes made;

	progress("making a table of the source lines of %s", m->name);
	line_table_read(m, &table);
	progress_end();
	if (!table.rows.n)
		return false;
	made = line_code(&table, (const uint8_t *)key->hex);
	*size = made.len;
	if (m->s->opt.verbose[2])
		diag_output(str_printf("Made the table of the lines of %s: %d rows, %zu KiB\n", m->name, table.rows.n,
				       made.len >> 10));
	return cached_table_store(m->s, key, ".lines", made, path);
}

const char *di_lines(struct di_module *m, size_t *size)
{
	struct cache_key key;
	struct stat st;
	char *path;

	if (!m->dwarf)
		return NULL;
	key = cached_table_key(m, "", 0, LINES_MAGIC);
	path = cache_file(m->s, &key, ".lines");
	if (path && stat(path, &st) == 0) {
		*size = (size_t)st.st_size;
		return path;
	}
	path = str_printf("%s/stap_%.32s.lines", m->s->tmp_dir, key.hex);
	return make(m, &key, path, size) ? path : NULL;
}
