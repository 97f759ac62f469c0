/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Division, the only operation that can fail (the others wrap around: -fwrapv), and floating-point numbers. */
#include "internal.h"

s64 stp_div(struct stp_ctx *c, s64 a, s64 b)
{
	if (STP_UNLIKELY(b == 0)) {
		stp_error(c, "division by 0");
		return 0;
	}
	if (STP_UNLIKELY(b == -1))      /* the processor traps on LLONG_MIN / -1 */
		return (s64)(0 - (u64)a);
	return a / b;
}

s64 stp_mod(struct stp_ctx *c, s64 a, s64 b)
{
	if (STP_UNLIKELY(b == 0)) {
		stp_error(c, "division by 0");
		return 0;
	}
	if (STP_UNLIKELY(b == -1))
		return 0;
	return a % b;
}

/* If the location of a variable that the compiler removed divides by 0, the program would not have computed the
 * variable either. */
static bool divides_location(struct stp_ctx *c, u64 b)
{
	if (STP_LIKELY(b != 0))
		return true;
	stp_error(c, "the variable is not available here: its location expression divides by 0");
	return false;
}

s64 stp_location_div(struct stp_ctx *c, s64 a, s64 b)
{
	return divides_location(c, (u64)b) ? stp_div(c, a, b) : 0;
}

s64 stp_location_mod(struct stp_ctx *c, s64 a, s64 b)
{
	return divides_location(c, (u64)b) ? stp_mod(c, a, b) : 0;
}

s64 stp_location_udiv(struct stp_ctx *c, u64 a, u64 b)
{
	return divides_location(c, b) ? (s64)(a / b) : 0;
}

s64 stp_location_umod(struct stp_ctx *c, u64 a, u64 b)
{
	return divides_location(c, b) ? (s64)(a % b) : 0;
}

s64 stp_location_absent(struct stp_ctx *c)
{
	stp_error(c, "the variable is not available at this return: save its value in a probe of the entry");
	return 0;
}

s64 stp_scaled(u64 count, u64 enabled, u64 running)
{
	if (!running || running >= enabled)
		return (s64)count;
	while (enabled >> 32) {            /* reduced, so that the product of a remainder and a time fits into 64
					    * bits */
		enabled >>= 1;
		running >>= 1;
	}
	if (!running)
		running = 1;
	return (s64)(count / running * enabled + count % running * enabled / running);
}

/* Floating-point numbers are converted by integer operations, since the kernel must not use floating-point
 * instructions. */
s64 stp_widen_float(u64 f)
{
	u64 sign = (f >> 31 & 1) << 63, exponent = f >> 23 & 255, fraction = f & 0x7fffff;
	u32 shift;

	if (exponent == 255)               /* infinity or NaN */
		return (s64)(sign | 0x7ffull << 52 | fraction << 29);
	if (!exponent && fraction) {       /* a subnormal float is a normal double */
		shift = (u32)__builtin_clzll(fraction) - 40;
		fraction = fraction << shift & 0x7fffff;
		return (s64)(sign | (u64)(897 - shift) << 52 | fraction << 29);
	}
	return (s64)(exponent ? sign | (exponent + 896) << 52 | fraction << 29 : sign);
}

/* Removes the low bits, 1 to 64 of them, and rounds. */
static u64 rounded(u64 mantissa, u32 bits)
{
	u64 kept = bits < 64 ? mantissa >> bits : 0, half = 1ull << (bits - 1);
	u64 dropped = bits < 64 ? mantissa & ((half << 1) - 1) : mantissa;

	return kept + (dropped > half || (dropped == half && (kept & 1)));
}

s64 stp_double_of_x87(u64 mantissa, u64 high)
{
	u64 sign = (high >> 15 & 1) << 63, infinity = 0x7ffull << 52;
	s32 exponent = (s32)(high & 0x7fff) - 16383 + 1023;

	if ((high & 0x7fff) == 0x7fff)     /* infinity, or NaN whose first bit means "quiet" */
		return (s64)(sign | infinity | (mantissa << 1 ? 1ull << 51 | (mantissa << 1) >> 12 : 0));
	if (exponent >= 0x7ff)
		return (s64)(sign | infinity);
	if (exponent <= 0)                 /* a subnormal double, or 0 */
		return (s64)(sign | (exponent > -53 ? rounded(mantissa, (u32)(12 - exponent)) : 0));
	/* The leading bit is omitted; a carry out of the fraction increments the exponent, up to infinity. */
	return (s64)(sign | (((u64)exponent << 52) + rounded(mantissa & ~(1ull << 63), 11)));
}
