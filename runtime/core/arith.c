/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Division, the only operation that can fail (the others wrap around: -fwrapv), and floating-point numbers. */
#include "internal.h"
#include "widen.h"

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
	stp_error(c, "the variable is not available here: save its value in a probe of the entry of the function");
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

s64 stp_widen_float(u64 f)
{
	return stp_double_of_float(f);
}

s64 stp_double_of_x87(u64 mantissa, u64 high)
{
	return stp_double_of_extended(mantissa, high);
}
