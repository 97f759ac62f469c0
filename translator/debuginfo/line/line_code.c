// SPDX-License-Identifier: GPL-2.0-or-later
// Encodes a line table in the format of runtime/include/lines.h.
#include "debuginfo/line/line_code.h"
#include "debuginfo/dwarf/cached_table.h"
#include "debuginfo/elf/resources.h"

#include "util/diag.h"
#include "util/str.h"

#include "lines.h"

#include <string.h>

_Static_assert(sizeof(struct cached_table_header) == sizeof(((struct stp_lines *)0)->cached),
	       "the header of a cached table fits");

struct position { int file, line; };

struct coder {
	struct buf code;
	struct position now, before;
};

static void number(struct buf *b, uint32_t n)
{
	for (; n > 0x7f; n >>= 7)
		buf_putc(b, (char)(n | 0x80));
	buf_putc(b, (char)n);
}

static uint32_t with_sign(int n)
{
	return n < 0 ? ((uint32_t)-n << 1) - 1 : (uint32_t)n << 1;
}

// Appends a row that is `distance` after the last one.
static void head(struct buf *b, int kind, uint32_t distance)
{
	buf_putc(b, (char)(0x80 | kind << 5 | (distance < 32 ? distance : 0)));
	if (distance >= 32)
		number(b, distance);
}

static void add_row(struct coder *c, uint32_t distance, const struct line_row *row)
{
	int ahead = row->line - c->now.line;
	struct position now = c->now;

	if (row->file < 0) {
		head(&c->code, STP_LINES_NOTHING, distance);
		return;
	}
	if (row->file == now.file && distance <= 8 && ahead >= -7 && ahead <= 8) {
		buf_putc(&c->code, (char)((distance - 1) << 4 | (ahead + 7)));
	} else if (row->file == now.file) {
		head(&c->code, STP_LINES_SAME, distance);
		number(&c->code, with_sign(ahead));
	} else if (row->file == c->before.file) {
		head(&c->code, STP_LINES_BEFORE, distance);
		number(&c->code, with_sign(row->line - c->before.line));
		c->before = now;
	} else {
		head(&c->code, STP_LINES_FILE, distance);
		number(&c->code, row->file);
		number(&c->code, with_sign(row->line));
		c->before = now;
	}
	c->now = (struct position){ row->file, row->line };
}

static void begin_block(struct coder *c, const struct line_row *row)
{
	bool known = row && row->file >= 0;

	c->before = c->now = (struct position){ 0, 0 };
	number(&c->code, known ? row->file + 1 : 0);
	if (!known)
		return;
	number(&c->code, row->line);
	c->now = (struct position){ row->file, row->line };
}

// Encodes the blocks; `starts` receives the offset of each, and the end of the last.
static void code_rows(const struct line_table *t, struct coder *c, struct buf *starts)
{
	const struct line_rows *rows = &t->rows;
	uint64_t end = rows->n ? (uint64_t)rows->at[rows->n - 1].code_offset + 1 : 0;
	int i = 0;

	for (uint64_t block = 0; block < end; block += STP_LINES_BLOCK) {
		uint64_t at = block;

		buf_add(starts, (char *)&(uint32_t){ c->code.len }, 4);
		while (i < rows->n && rows->at[i].code_offset <= block)
			i++;
		begin_block(c, i ? &rows->at[i - 1] : NULL);
		for (; i < rows->n && rows->at[i].code_offset < block + STP_LINES_BLOCK; at = rows->at[i++].code_offset)
			add_row(c, rows->at[i].code_offset - at, &rows->at[i]);
	}
	buf_add(starts, (char *)&(uint32_t){ c->code.len }, 4);
}

struct bytes line_code(const struct line_table *t, const uint8_t identity[32])
{
	struct coder c = { .code = { 0 } };
	struct buf starts = { 0 }, files = { 0 }, text = { 0 };
	struct cached_table_header header = { .magic = LINES_MAGIC };
	struct stp_lines h = { .nfiles = t->files.n, .blocks = sizeof(h) };
	struct bytes out;

	code_rows(t, &c, &starts);
	for vec_each(&t->files, file) {
		buf_add(&files, (char *)&(uint32_t){ text.len }, 4);
		buf_add(&text, *file, strlen(*file) + 1);
	}
	h.nblocks = starts.len / 4 - 1;
	h.files = h.blocks + starts.len;
	h.text = h.files + files.len;
	h.text_size = text.len;
	h.code = h.text + text.len;
	h.code_size = c.code.len;
	out = map_zeroed(h.code + c.code.len);
	if (!out.at)
		die_of_memory(h.code + c.code.len);
	header.size = out.len;
	memcpy(header.identity, identity, sizeof(header.identity));
	memcpy(h.cached, &header, sizeof(header));
	memcpy((uint8_t *)out.at, &h, sizeof(h));
	memcpy((uint8_t *)out.at + h.blocks, buf_text(&starts), starts.len);
	memcpy((uint8_t *)out.at + h.files, buf_text(&files), files.len);
	memcpy((uint8_t *)out.at + h.text, buf_text(&text), text.len);
	memcpy((uint8_t *)out.at + h.code, buf_text(&c.code), c.code.len);
	return out;
}
