/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the numbers of records.h from bytes that may be damaged. Shared by report and runtime/merge. */
#ifndef STP_LEB128_H
#define STP_LEB128_H

/* Moves *at after the number. Returns false if it does not end before `end`, or has more than 64 bits; then *n is 0. */
static inline _Bool stp_leb128_read(const unsigned char **at, const unsigned char *end, unsigned long long *n)
{
	unsigned int shift;

	for (*n = 0, shift = 0; shift < 64 && *at < end; shift += 7) {
		unsigned char byte = *(*at)++;

		*n |= (unsigned long long)(byte & 127) << shift;
		if (byte < 128)
			return 1;
	}
	*n = 0;
	return 0;
}

/* Returns the signed number that is stored as n: see records.h. */
static inline long long stp_leb128_signed(unsigned long long n)
{
	return (long long)(n >> 1 ^ (0 - (n & 1)));
}

#endif
