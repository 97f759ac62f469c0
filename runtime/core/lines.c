/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Looks up source lines in a table as lines.h describes. Values of the table are checked before use, since its file
 * may be damaged. Context: any; at most STP_LINES_BLOCK rows are read.
 */
#include "internal.h"

struct reader {
	const u8 *at, *end;
};

static u32 read_number(struct reader *r)
{
	u32 n = 0, shift = 0;

	while (r->at < r->end && shift < 35) {
		u8 byte = *r->at++;

		n |= shift < 32 ? (u32)(byte & 0x7f) << shift : 0;
		shift += 7;
		if (!(byte & 0x80))
			break;
	}
	return n;
}

static u32 read_signed(struct reader *r)
{
	u32 n = read_number(r);

	return n & 1 ? 0 - (n >> 1) - 1 : n >> 1;
}

struct row {
	bool known;
	u32 file, line, file_before, line_before;
};

static void change_file(struct row *row, u32 file, u32 line)
{
	row->file_before = row->file;
	row->line_before = row->line;
	row->file = file;
	row->line = line;
}

/* Reads the next row if its offset is at most `code_offset`; returns false if it is larger. */
static bool read_row(struct reader *r, struct row *row, u32 *at, u32 code_offset)
{
	u8 byte = *r->at++;
	u32 kind = byte >> 5 & 3, distance = byte & 31;

	if (!(byte & 0x80)) {
		*at += (byte >> 4) + 1;
		if (*at > code_offset)
			return false;
		row->line += (byte & 15) - 7;
		row->known = true;
		return true;
	}
	*at += distance ?: read_number(r);
	if (*at > code_offset)
		return false;
	row->known = kind != STP_LINES_NOTHING;
	if (kind == STP_LINES_BEFORE)
		change_file(row, row->file_before, row->line_before);
	else if (kind == STP_LINES_FILE)
		change_file(row, read_number(r), 0);
	if (row->known)
		row->line += read_signed(r);
	return true;
}

bool stp_lines_find(const struct stp_lines *t, u32 code_offset, const char **file, u32 *line)
{
	const u8 *table = (const u8 *)t;
	const u32 *blocks = (const u32 *)(table + t->blocks), *files = (const u32 *)(table + t->files);
	u32 block = code_offset / STP_LINES_BLOCK, at = block * STP_LINES_BLOCK;
	struct row row = { 0 };
	struct reader r;

	if (block >= t->nblocks || blocks[block] > blocks[block + 1] || blocks[block + 1] > t->code_size)
		return false;
	r.at = table + t->code + blocks[block];
	r.end = table + t->code + blocks[block + 1];
	row.file = read_number(&r);
	if (row.file) {
		row.known = true;
		row.file--;
		row.line = read_number(&r);
	}
	while (r.at < r.end && read_row(&r, &row, &at, code_offset))
		;
	if (!row.known || row.file >= t->nfiles || files[row.file] >= t->text_size)
		return false;
	*file = (const char *)table + t->text + files[row.file];
	*line = row.line;
	return true;
}
