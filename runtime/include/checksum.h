/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A 64-bit checksum, at a few bytes per cycle, for cached files and for the code of programs without build ID. It
 * detects damage and different builds, not forgery; any change within 8 aligned bytes is detected. The includer
 * declares memcpy().
 */
#ifndef STP_CHECKSUM_H
#define STP_CHECKSUM_H

struct checksum { unsigned long long lane[4]; };  /* independent of each other, for instruction-level parallelism */

static inline void checksum_begin(struct checksum *c)
{
	*c = (struct checksum){ { 1, 2, 3, 4 } };
}

/* The length of each piece but the last is a multiple of 32 bytes. Ends: after len bytes. */
static inline void checksum_add(struct checksum *c, const void *bytes, unsigned long len)
{
	const unsigned char *p = bytes;
	unsigned long long word[4];
	int i;

	for (; len >= 32; len -= 32, p += 32) {
		memcpy(word, p, 32);
		for (i = 0; i < 4; i++)
			c->lane[i] = (c->lane[i] ^ word[i]) * 0x9e3779b97f4a7c15ull;
		for (i = 0; i < 4; i++)
			c->lane[i] ^= c->lane[i] >> 29;
	}
	for (; len; len--)
		c->lane[0] = (c->lane[0] ^ *p++) * 0x100000001b3ull;
}

static inline unsigned long long checksum_end(const struct checksum *c)
{
	unsigned long long sum = 0;
	int i;

	for (i = 0; i < 4; i++)
		sum = (sum ^ c->lane[i]) * 0xff51afd7ed558ccdull;
	return sum ^ sum >> 32;
}

#endif
