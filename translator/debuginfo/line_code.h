// SPDX-License-Identifier: GPL-2.0-or-later
// The source lines of code as rows, and as the table that modules carry (runtime/include/lines.h).
#ifndef DEBUGINFO_LINE_CODE_H
#define DEBUGINFO_LINE_CODE_H

#include "debuginfo/module.h"

#define LINES_MAGIC "QTlines1"

struct line_row {              // good from its place up to that of the next
	uint32_t place;
	int file, line;            // file -1: nothing is known there
	int order;                 // in which they were read
};
struct line_table {
	struct line_rows { struct line_row *at; int n, room; } rows;   // a VEC, by place
	VEC(const char *) files;
};

// line_table.c: of all units, sorted; of a module that has DWARF. `out` begins empty.
void line_table_read(struct di_module *m, struct line_table *out);
// In pages of its own. identity: of struct cached_table_header.
struct bytes line_code(const struct line_table *t, const uint8_t identity[32]);

#endif
