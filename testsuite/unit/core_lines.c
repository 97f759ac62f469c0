/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Source lines in a table: every kind of row, blocks, and tables with invalid content. */
#include "core_platform.h"
#include <stddef.h>

const struct stp_module stp_module = { .abi = STP_GENERATED_ABI, .limits = LIMITS };

static struct { struct stp_lines h; u32 blocks[4], files[3]; char text[16]; u8 code[64]; } *t;

/* Builds a table with two files and three blocks; `code` is the content of the first block. */
static void table(const u8 *code, u32 size)
{
	free(t);
	t = calloc(1, sizeof(*t));
	t->h = (struct stp_lines){
		.nblocks = 3, .nfiles = 3, .text_size = 9, .code_size = size + 3,
		.blocks = offsetof(typeof(*t), blocks), .files = offsetof(typeof(*t), files),
		.text = offsetof(typeof(*t), text), .code = offsetof(typeof(*t), code),
	};
	memcpy(t->text, "a\0b/c\0d", 8);
	t->files[1] = 2;
	t->files[2] = 6;
	memcpy(t->code, code, size);
	memcpy(t->code + size, "\2\7", 3);             /* block 1: line 7 of file 1; block 2: unknown */
	memcpy(t->blocks, (u32[]){ 0, size, size + 2, size + 3 }, 16);
}

static const char *at(u32 place)
{
	static char text[40];
	const char *file;
	u32 line;

	if (!stp_lines_find(&t->h, place, &file, &line))
		return "none";
	snprintf(text, sizeof(text), "%s:%u", file, line);
	return text;
}

#define ROWS(...) table((const u8[]){ __VA_ARGS__ }, sizeof((const u8[]){ __VA_ARGS__ }))

static void kinds_of_rows(void)
{
	ROWS(1, 0xc8, 1,               /* file 0, line 200 */
	     0x70 | 15,                /* after 8: line 208 */
	     0x00 | 0,                 /* after 1: line 201 */
	     0x80 | 3, 0x81, 2,        /* after 3: line 72 */
	     0xc0 | 2, 2, 100,         /* after 2: file 2, line 50 */
	     0xa0 | 1, 8,              /* after 1: file 0, line 76 */
	     0xa0 | 1, 1,              /* after 1: file 2, line 49 */
	     0xe0, 0x80, 1,            /* after 128: unknown */
	     0x10 | 7);                /* after 2: line 49 again */
	same_text("what is in force where a block begins", at(0), "a:200");
	same_text("is so up to the first row", at(7), "a:200");
	same_text("some places and lines on", at(8), "a:208");
	same_text("back by some lines", at(9), "a:201");
	same_text("back by many", at(12), "a:72");
	same_text("another file", at(14), "d:50");
	same_text("the one before it", at(15), "a:76");
	same_text("and this one again", at(16), "d:49");
	same_text("a row far on counts only from there", at(143), "d:49");
	same_text("nothing is known", at(144), "none");
	same_text("up to the next row", at(145), "none");
	same_text("which counts from the last line", at(146), "d:49");
	same_text("up to the block's end", at(1023), "d:49");
	same_text("the next block has its own", at(1024), "b/c:7");
	same_text("nothing is known in a whole block", at(2048), "none");
	same_text("nor after the last", at(3 * 1024), "none");
	same_text("nor at the last place there is", at(~0u), "none");
}

static void nonsense(void)
{
	ROWS(9, 1);
	same_text("a file that isn't there", at(0), "none");
	ROWS(1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff);
	same_text("a number without end ends somewhere", at(9) ? "somewhere" : "", "somewhere");
	ROWS(1, 5, 0xc0 | 1);
	same_text("a row that is cut off", at(1), "a:0");
	ROWS(1, 5);
	t->blocks[1] = 1000;
	same_text("a block that isn't there", at(0), "none");
	t->blocks[1] = 0;
	t->blocks[0] = 1;
	same_text("a block that ends before it begins", at(0), "none");
	ROWS(3, 5);
	t->files[2] = 1000;
	same_text("a name that isn't there", at(0), "none");
}

int main(void)
{
	session_renew();
	kinds_of_rows();
	nonsense();
	free(t);
	return finish();
}
