/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A 64-bit checksum, at a few bytes per cycle, for cached files and for the code of programs without build ID. It
 * detects damage and different builds, not forgery; any change within 8 aligned bytes is detected. The file that
 * includes it declares memcpy().
 */
#ifndef STP_CHECKSUM_H
#define STP_CHECKSUM_H

struct checksum { unsigned long long lane[4]; };  /* lanes that do not depend on each other, for
						   * instruction-level parallelism */

static inline void checksum_begin(struct checksum *c)
{
	*c = (struct checksum){ { 1, 2, 3, 4 } };
}

static inline unsigned long long checksum_mix(unsigned long long lane, unsigned long long word)
{
	lane = (lane ^ word) * 0x9e3779b97f4a7c15ull;
	return lane ^ lane >> 29;
}

/*
 * The length of each piece except the last is a multiple of 32 bytes. The lanes are variables rather than an array,
 * which -O2 would store in memory; variables save a third of the time. Bounded by len.
 */
static inline void checksum_add(struct checksum *c, const void *bytes, unsigned long len)
{
	unsigned long long l0 = c->lane[0], l1 = c->lane[1], l2 = c->lane[2], l3 = c->lane[3], word[4];
	const unsigned char *p = bytes;

	for (; len >= 32; len -= 32, p += 32) {
		memcpy(word, p, 32);
		l0 = checksum_mix(l0, word[0]);
		l1 = checksum_mix(l1, word[1]);
		l2 = checksum_mix(l2, word[2]);
		l3 = checksum_mix(l3, word[3]);
	}
	for (; len; len--)
		l0 = (l0 ^ *p++) * 0x100000001b3ull;
	*c = (struct checksum){ { l0, l1, l2, l3 } };
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
