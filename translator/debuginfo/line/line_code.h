// SPDX-License-Identifier: GPL-2.0-or-later
// Shared by line_table.c and line_code.c: the line table as rows, and its encoding in modules
// (runtime/include/lines.h).
#ifndef DEBUGINFO_LINE_CODE_H
#define DEBUGINFO_LINE_CODE_H

#include "debuginfo/module.h"

#define LINES_MAGIC "QTlines1"

struct line_row {              // applies from its code offset up to that of the next row
	uint32_t code_offset;
	int file, line;            // file -1: both are unknown
	int order;                 // order in which rows were read
};
struct line_table {
	struct line_rows { struct line_row *at; int n, capacity; } rows;   // a VEC, sorted by code_offset
	VEC(const char *) files;
};

// line_table.c: reads the rows of all units, sorted; requires DWARF. `out` must be empty.
void line_table_read(struct di_module *m, struct line_table *out);
// Encodes the rows into new pages. identity: for struct cached_table_header.
struct bytes line_code(const struct line_table *t, const uint8_t identity[32]);

#endif
