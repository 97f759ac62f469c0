/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Floating-point numbers in programs: conversions to the bits of a double, and %g of sprintf() with the results of
 * core/format.c. Programs have neither floating-point instructions nor products of 128 bits, which libgcc computes for
 * other code. Context: a hit.
 */
#ifndef BPF_REAL_H
#define BPF_REAL_H

#ifdef STP_USES_REAL  /* compiled only if used, as bpf_text.h */

#define STP_LEADING_ZEROS(n) bpf_leading_zeros(n)
#include "../core/widen.h"

STP_GLOBAL_FUNCTION u64 bpf_double_of_float(u64 f)
{
	return (u64)stp_double_of_float(f);
}

STP_GLOBAL_FUNCTION u64 bpf_double_of_x87(u64 mantissa, u64 high)
{
	return (u64)stp_double_of_extended(mantissa, high);
}
#define stp_widen_float(f) ((s64)bpf_double_of_float((u64)(f)))
#define stp_double_of_x87(mantissa, high) ((s64)bpf_double_of_x87((u64)(mantissa), (u64)(high)))

#ifdef STP_USES_TEXT
/* m * 2^e; bit 63 of m is 1. power: the number is about the integer part of m * 2^e, times 10^power. */
struct stp_real { u64 m; s64 e, power; };

STP_INLINE u64 bpf_high_product(u64 a, u64 b)
{
	u64 low = (u32)a * (b & ~0u), cross = (a >> 32) * (b & ~0u) + (low >> 32), other = (u32)a * (b >> 32) + (u32)cross;

	return (a >> 32) * (b >> 32) + (cross >> 32) + (other >> 32);
}

/* Multiplies by a factor: sets the upper 64 bits of the product, the first of which is 1. */
STP_INLINE void bpf_real_times(struct stp_real *r, u64 factor, s64 e)
{
	u64 high = bpf_high_product(r->m, factor), low = r->m * factor;
	u32 zeros = !(high >> 63);

	r->m = zeros ? high << zeros | low >> (64 - zeros) : high;
	r->e += e + 64 - zeros;
}

/* Divides by 10 if the integer part has more digits than `low`, a power of 10, and multiplies if it has fewer; returns
 * 0 if it does neither. */
STP_GLOBAL_FUNCTION int bpf_real_step(struct stp_real *r, u64 low)
{
	if (!r)
		return 0;
	if (r->e >= 0 || (r->e > -64 && r->m >> -r->e >= 10 * low)) {
		bpf_real_times(r, 0xcccccccccccccccdull, -67);    /* 2^67 / 10 */
		r->power++;
		return 1;
	}
	if (r->e <= -64 || r->m >> -r->e < low) {
		bpf_real_times(r, 10ull << 60, -60);
		r->power--;
		return 1;
	}
	return 0;
}

/* Returns the integer part, rounded to nearest, ties to even, and without trailing zeros. */
STP_GLOBAL_FUNCTION u64 bpf_real_digits(struct stp_real *r, u32 places)
{
	u64 low = 1, n, rest;
	u32 i;

	if (!r)
		return 0;
	for (i = 1; i < 15 && i < places; i++)
		low *= 10;
	_Pragma("nounroll")
	for (i = 0; i < 350 && bpf_real_step(r, low); i++)
		;
	n = r->m >> -r->e;
	rest = r->m << (64 + r->e);
	n += rest > 1ull << 63 || (rest == 1ull << 63 && (n & 1));
	for (i = 0; i < 16 && n && n % 10 == 0; i++, r->power++)
		n /= 10;
	return n;
}

STP_GLOBAL_FUNCTION u64 bpf_power_of_ten(u32 n)
{
	u64 power = 1;
	u32 i;

	for (i = 0; i < 16 && i < n; i++)
		power *= 10;
	return power;
}

/* Writes a digit, after a point if `point`: that of this power of 10, 0 if the power is not of the number. */
STP_GLOBAL_FUNCTION int bpf_put_real_digit(struct stp_text *to, u32 at, u64 digits, s32 power, u32 point)
{
	u64 unit;

	if (!to)
		return 0;
	if (point) {
		if (at < STP_TEXT_MAX)
			bpf_set_byte(to, at, '.');
		at++;
	}
	unit = bpf_power_of_ten((u32)power);
	if (power < 0 || !unit)
		digits = 0;
	else
		digits = digits / unit % 10;
	if (at < STP_TEXT_MAX)
		bpf_set_byte(to, at, (u8)('0' + digits));
	return (int)(at + 1);
}

/* Writes n digits, `zeros` of them before those of the number, with a point after the digit of that index. */
STP_GLOBAL_FUNCTION int bpf_put_real_digits(struct stp_text *to, u32 at, u64 digits, u32 zeros, u32 point_and_n)
{
	u32 len = (u32)bpf_digits(digits, 10), i;

	if (!to)
		return 0;
	_Pragma("nounroll")
	for (i = 0; i < 32 && i < (point_and_n & 255); i++)
		at = (u32)bpf_put_real_digit(to, at, digits, (s32)(len + zeros - 1 - i), (point_and_n >> 8) + 1 == i);
	return (int)at;
}

STP_GLOBAL_FUNCTION int bpf_put_exponent(struct stp_text *to, u32 at, s64 exponent)
{
	if (!to)
		return 0;
	if (at < STP_TEXT_MAX)
		bpf_set_byte(to, at, 'e');
	return bpf_put_number(to, at + 1, (u64)exponent, bpf_spec('d', STP_FLAG_PLUS, -1, 2));
}

/* Writes a number, neither 0 nor infinite, as real_text() of core/format.c does. */
STP_GLOBAL_FUNCTION int bpf_put_finite(struct stp_text *to, u32 at, u64 bits, u32 places)
{
	u64 fraction = bits & ((1ull << 52) - 1), exponent = bits >> 52 & 0x7ff, digits;
	struct stp_real r = { };
	s64 point;
	u32 n, zeros;

	if (!to)
		return 0;
	fraction |= exponent ? 1ull << 52 : 0;
	zeros = bpf_leading_zeros(fraction);
	r.m = fraction << zeros;
	r.e = (s64)(exponent ? exponent : 1) - 1075 - zeros;
	digits = bpf_real_digits(&r, places);
	n = (u32)bpf_digits(digits, 10);
	point = r.power + n - 1;
	if (point < -4 || point >= places) {
		at = (u32)bpf_put_real_digits(to, at, digits, 0, n);
		return bpf_put_exponent(to, at, point);
	}
	if (point < 0)
		return bpf_put_real_digits(to, at, digits, (u32)-point, n + (u32)-point);
	return bpf_put_real_digits(to, at, digits, 0, (u32)point << 8 | (n > point ? n : (u32)point + 1));
}

STP_GLOBAL_FUNCTION int bpf_put_real(struct stp_text *to, u32 at, u64 bits, u32 places)
{
	if (!to)
		return 0;
	places = places > 15 ? 15 : places;
	if (bits >> 63) {
		if (at < STP_TEXT_MAX)
			bpf_set_byte(to, at, '-');
		at++;
		bits &= ~0ull >> 1;
	}
	if (bits > 0x7ffull << 52)
		return bpf_put_at(to, at, STP_AS_TEXT(STP_LITERAL("nan")));
	if (bits == 0x7ffull << 52)
		return bpf_put_at(to, at, STP_AS_TEXT(STP_LITERAL("inf")));
	return bits ? bpf_put_finite(to, at, bits, places) : bpf_put_number(to, at, 0, bpf_spec('d', 0, -1, -1));
}

/* The translator makes this conversion, with a precision and without a width. */
#define STP_TEXT_REAL(conv, flags, width, precision, v)				\
	at_ = (u32)bpf_put_real(to_, at_, (u64)(v), precision)
#endif
#endif

#endif
