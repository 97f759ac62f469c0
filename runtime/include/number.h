/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parsers of numbers in external text: options, settings, literals, output of tools. All code uses these, so that
 * no number is truncated, wraps, or is taken from a prefix of a word.
 *
 * Context: translator, staprun, the user runtime. Nothing is allocated, errno is unchanged.
 */
#ifndef STP_NUMBER_H
#define STP_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

enum number_found { NUMBER_NONE, NUMBER_TOO_LARGE, NUMBER_GOOD };

static inline int number_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : 16;
}

/* Parses digits without a sign. Base 0: as in C, 0x is hexadecimal and 0 octal. Moves *at past the digits, also
 * if the number is too large. */
static inline enum number_found number_unsigned(const char **at, int base, uint64_t *n)
{
	const char *s = *at;
	bool good = true;

	if (!base)
		base = *s != '0' ? 10 : (s[1] | 32) == 'x' && number_digit(s[2]) < 16 ? 16 : 8;
	if (base == 16 && *s == '0' && (s[1] | 32) == 'x' && number_digit(s[2]) < 16)
		s += 2;
	if (number_digit(*s) >= base)
		return NUMBER_NONE;
	for (*n = 0; number_digit(*s) < base; s++)
		good = good && !__builtin_mul_overflow(*n, (uint64_t)base, n) &&
		       !__builtin_add_overflow(*n, (uint64_t)number_digit(*s), n);
	*at = s;
	return good ? NUMBER_GOOD : NUMBER_TOO_LARGE;
}

/* Parses an optional sign and digits, without leading blanks. */
static inline enum number_found number_signed(const char **at, int base, int64_t *n)
{
	bool minus = **at == '-';
	const char *s = *at + (minus || **at == '+');
	uint64_t size = 0;
	enum number_found found = number_unsigned(&s, base, &size);

	if (found == NUMBER_NONE)
		return NUMBER_NONE;
	*at = s;
	*n = (int64_t)(minus ? -size : size);
	return found == NUMBER_TOO_LARGE || size > (uint64_t)INT64_MAX + minus ? NUMBER_TOO_LARGE : NUMBER_GOOD;
}

/* Parses a number from min to max at *at and moves *at past it. */
static inline bool number_at(const char **at, int base, int64_t min, int64_t max, int64_t *n)
{
	return number_signed(at, base, n) == NUMBER_GOOD && *n >= min && *n <= max;
}

/* Does the same as number_at(); the number must be the whole text. */
static inline bool number_whole(const char *text, int base, int64_t min, int64_t max, int64_t *n)
{
	return number_at(&text, base, min, max, n) && !*text;
}

#endif
