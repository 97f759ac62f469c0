// SPDX-License-Identifier: GPL-2.0-or-later
// Source lines of a whole program, for scripts that ask for the line of an address: its units' line
// tables -> one table, sorted by place in the file, neighbours of one line made one.
#include "debuginfo/dw.h"

#include "util/str.h"

#include <stdlib.h>
#include <string.h>

struct table {
	struct di_module *m;
	di_line_rows *rows;
	di_names *files;
	struct map numbers;        // name of a file -> its number + 1
	const char *last;          // the one asked for last, and its number
	int last_number;
};

static int file_number(struct table *t, const char *path)
{
	uintptr_t number;

	if (path == t->last)
		return t->last_number;
	number = (uintptr_t)map_get(&t->numbers, path);
	if (!number) {
		path = str_dup(path);
		vec_push(t->files, path);
		number = t->files->n;
		map_put(&t->numbers, path, (void *)number);
	}
	t->last = path;
	t->last_number = number - 1;
	return t->last_number;
}

static void add_row(struct table *t, Dwarf_Line *line)
{
	struct di_line_row row = { .file = -1 };
	Dwarf_Addr address;
	const char *path;
	bool end;

	if (dwarf_lineaddr(line, &address) || dwarf_lineendsequence(line, &end) ||
	    !di_program_offset(t->m, address, &row.offset))
		return;
	path = end ? NULL : dwarf_linesrc(line, NULL, NULL);
	if (path && !dwarf_lineno(line, &row.line) && row.line)
		row.file = file_number(t, path);
	row.order = t->rows->n;
	vec_push(t->rows, row);
}

static int by_offset(const void *a, const void *b)
{
	const struct di_line_row *x = a, *y = b;

	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	return x->order < y->order ? -1 : 1;
}

// Of several rows of one place the last counts, but not the end of what comes before.
static void compact(di_line_rows *rows)
{
	int n = 0;

	for (int i = 0; i < rows->n; i++) {
		const struct di_line_row *row = &rows->at[i], *last = n ? &rows->at[n - 1] : NULL;

		if (last && last->offset == row->offset && row->file < 0)
			continue;
		if (last && last->offset == row->offset)
			last = --n ? &rows->at[n - 1] : NULL;
		if (!last || last->file != row->file || last->line != row->line)
			rows->at[n++] = *row;
	}
	rows->n = n;
}

void di_program_lines(struct di_module *m, di_line_rows *rows, di_names *files)
{
	struct table t = { .m = m, .rows = rows, .files = files };
	Dwarf *dwarf = m->dwarf ? dwarf_whole(m->dwarf) : NULL;
	Dwarf_Off next, at = 0;
	size_t header;

	for (; dwarf && dwarf_nextcu(dwarf, at, &next, &header, NULL, NULL, NULL) == 0; at = next) {
		Dwarf_Lines *lines;
		Dwarf_Die unit;
		size_t n;

		if (!dwarf_offdie(dwarf, at + header, &unit) || dwarf_getsrclines(&unit, &lines, &n))
			continue;
		for (size_t i = 0; i < n; i++)
			add_row(&t, dwarf_onesrcline(lines, i));
	}
	if (rows->n)
		qsort(rows->at, rows->n, sizeof(rows->at[0]), by_offset);
	compact(rows);
}
