/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of source lines of code: the translator generates it from debuginfo, once per build of the code, and
 * modules embed it unchanged. A code offset is below 2^32: in a program, the offset in its file; in the
 * kernel, the offset in its text; in a kernel module, the offset in its code sections, laid out one after another.
 *
 *   struct stp_lines
 *   blocks   u32: offset in `code` of each block of STP_LINES_BLOCK code offsets, and the end of the last block
 *   files    u32: offset in `text` of the name of each file
 *   text     the names, each terminated
 *   code     per block: the state at its first offset, as file number + 1 (0: unknown) and, if known, the line
 *            number; then rows, each valid up to the next:
 *
 *     0DDDLLLL   advance by D + 1 offsets: same file, the line changes by L - 7
 *     1KKDDDDD   advance by D offsets, or by the number that follows if D is 0; then, by K:
 *                0  the same file
 *                1  the previous file, relative to its last line
 *                2  the file whose number follows, relative to line 0
 *                3  unknown; nothing follows
 *                For 0 to 2 the change of the line follows, a number with its sign in the lowest bit.
 *
 * The previous file and the file of an unknown range are initially file 0 with line 0. Numbers have 7 bits per
 * byte, lowest first; bit 7 is set in all bytes but the last. Everything else is in the machine's byte order.
 */
#ifndef STP_LINES_H
#define STP_LINES_H

#define STP_LINES_BLOCK 1024u
enum { STP_LINES_SAME, STP_LINES_BEFORE, STP_LINES_FILE, STP_LINES_NOTHING };

struct stp_lines {
	unsigned char cached[56];  /* struct cached_table_header of the translator */
	unsigned int nblocks, nfiles, text_size, code_size;
	unsigned int blocks, files, text, code;        /* offsets in bytes, relative to this struct */
};

#endif
