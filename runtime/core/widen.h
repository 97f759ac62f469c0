/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Conversions of floating-point numbers to the bits of a double, by integer operations: the kernel must not use
 * floating-point instructions, and BPF programs have none. Included by core/arith.c and bpf/bpf_real.h.
 */
#ifndef STP_WIDEN_H
#define STP_WIDEN_H

/* The number of zero bits above the highest bit of a number that is not 0. */
#ifndef STP_LEADING_ZEROS
#define STP_LEADING_ZEROS(n) ((u32)__builtin_clzll(n))
#endif

static inline s64 stp_double_of_float(u64 f)
{
	u64 sign = (f >> 31 & 1) << 63, exponent = f >> 23 & 255, fraction = f & 0x7fffff;
	u32 shift;

	if (exponent == 255)               /* infinity or NaN */
		return (s64)(sign | 0x7ffull << 52 | fraction << 29);
	if (!exponent && fraction) {       /* a subnormal float is a normal double */
		shift = STP_LEADING_ZEROS(fraction) - 40;
		fraction = fraction << shift & 0x7fffff;
		return (s64)(sign | (u64)(897 - shift) << 52 | fraction << 29);
	}
	return (s64)(exponent ? sign | (exponent + 896) << 52 | fraction << 29 : sign);
}

/* Removes the low bits, 1 to 64 of them, and rounds. */
static inline u64 stp_rounded(u64 mantissa, u32 bits)
{
	u64 kept = bits < 64 ? mantissa >> bits : 0, half = 1ull << (bits - 1);
	u64 dropped = bits < 64 ? mantissa & ((half << 1) - 1) : mantissa;

	return kept + (dropped > half || (dropped == half && (kept & 1)));
}

/* The arguments are the 80 bits of an x87 number: its mantissa, and the 16 bits of sign and exponent. */
static inline s64 stp_double_of_extended(u64 mantissa, u64 high)
{
	u64 sign = (high >> 15 & 1) << 63, infinity = 0x7ffull << 52;
	s32 exponent = (s32)(high & 0x7fff) - 16383 + 1023;

	if ((high & 0x7fff) == 0x7fff)     /* infinity, or NaN whose first bit means "quiet" */
		return (s64)(sign | infinity | (mantissa << 1 ? 1ull << 51 | (mantissa << 1) >> 12 : 0));
	if (exponent >= 0x7ff)
		return (s64)(sign | infinity);
	if (exponent <= 0)                 /* a subnormal double, or 0 */
		return (s64)(sign | (exponent > -53 ? stp_rounded(mantissa, (u32)(12 - exponent)) : 0));
	/* The leading bit is omitted; a carry out of the fraction increments the exponent, up to infinity. */
	return (s64)(sign | (((u64)exponent << 52) + stp_rounded(mantissa & ~(1ull << 63), 11)));
}

#endif
