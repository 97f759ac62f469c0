/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Operations on strings by words of eight bytes. A word holds the first byte in its lowest bits. Loading a word may
 * read up to seven bytes after a terminator, but never from another page, so that it cannot fault.
 */
#ifndef CORE_STRING_WORDS_H
#define CORE_STRING_WORDS_H

#include "platform.h"

struct stp_unaligned { u64 word; } __attribute__((packed, may_alias));

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define STP_WORD(w) (w)
#else
#define STP_WORD(w) __builtin_bswap64(w)
#endif

static inline u64 stp_word_bytes(const char *s)
{
	u64 w = 0;
	u32 i;

	for (i = 0; i < 8; i++) {
		w |= (u64)(u8)s[i] << (8 * i);
		if (!s[i])
			break;
	}
	return w;
}

/* The address sanitizer would report reads beyond the terminator. */
__attribute__((no_sanitize("address")))
static inline u64 stp_word_load(const char *s)
{
	if (STP_UNLIKELY(((u64)s & 4095) > 4088))
		return stp_word_bytes(s);
	return STP_WORD(((const struct stp_unaligned *)s)->word);
}

static inline void stp_word_store(char *to, u64 w)
{
	((struct stp_unaligned *)to)->word = STP_WORD(w);
}

/* Returns a word whose lowest set bit is the highest bit of the first zero byte; 0 if no byte is zero. */
static inline u64 stp_word_zero(u64 w)
{
	return (w - 0x0101010101010101ull) & ~w & 0x8080808080808080ull;
}

/* Converts a result of stp_word_zero() to a mask of the bytes before the zero byte. */
static inline u64 stp_word_before(u64 zero)
{
	return (zero & (0 - zero)) - 1;
}

/* Converts a result of stp_word_zero() to the number of bytes before the zero byte. */
static inline u32 stp_word_length(u64 zero)
{
	return (u32)__builtin_ctzll(zero) / 8;
}

/* Compares as strcmp() does. *words: the number of words that were compared. */
static inline s32 stp_word_compare(const char *a, const char *b, u32 *words)
{
	u64 x, y, zero, differ;
	u32 n, shift;

	for (n = 1;; a += 8, b += 8, n++) {
		x = stp_word_load(a);
		y = stp_word_load(b);
		zero = stp_word_zero(x);
		differ = x ^ y;
		if (zero)
			differ &= stp_word_before(zero) << 1 | 1;
		if (zero || differ)
			break;
	}
	*words = n;
	if (!differ)
		return 0;
	shift = (u32)__builtin_ctzll(differ) & ~7u;
	return (s32)(x >> shift & 255) - (s32)(y >> shift & 255);
}

#endif
