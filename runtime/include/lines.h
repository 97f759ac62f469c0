/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The source lines of code: a table that the translator makes of debuginfo, once a build of the code,
 * and modules carry as it is. Places are numbers below 2^32: offsets in a program's file; in the kernel
 * offsets into its text; in one of its modules such in its sections of code, laid one behind another.
 *
 *   struct stp_lines
 *   blocks   u32: where in `code` each block of STP_LINES_BLOCK places begins, and the end of the last
 *   files    u32: where in `text` the name of each file is
 *   text     the names, each terminated
 *   code     of a block: what is in force at its first place, as the number of the file + 1, 0 where nothing is
 *            known, and the number of the line if something is; then rows, each good up to the next:
 *
 *     0DDDLLLL   D + 1 places on: a line of the same file, L - 7 from the last one
 *     1KKDDDDD   D places on, as many as a number says that follows if D is 0; then, by K:
 *                0  a line of the same file
 *                1  a line of the file before this one, counted from its last line there
 *                2  a line of the file whose number follows, counted from 0
 *                3  nothing is known there, and nothing follows
 *                how far the line is from where it is counted from, a number with its sign in its lowest bit
 *
 *   The file before is file 0 and its line 0 at first, and so is the file where nothing is known. Numbers:
 *   7 bits a byte, the lowest first, bit 7 set in all but the last. All else in the machine's order.
 */
#ifndef STP_LINES_H
#define STP_LINES_H

#define STP_LINES_BLOCK 1024u
enum { STP_LINES_SAME, STP_LINES_BEFORE, STP_LINES_FILE, STP_LINES_NOTHING };

struct stp_lines {
	unsigned char cached[56];  /* struct cached_table_header of the translator */
	unsigned int nblocks, nfiles, text_size, code_size;
	unsigned int blocks, files, text, code;        /* from here, bytes */
};

#endif
