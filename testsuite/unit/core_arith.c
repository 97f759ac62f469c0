/* SPDX-License-Identifier: GPL-2.0-or-later */
/* runtime/core/arith.c: long doubles as doubles, against the processor. */
#include "core_platform.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct stp_module stp_module = { .abi = STP_GENERATED_ABI, .limits = LIMITS };
static int bad;

static void check(u64 mantissa, u64 high)
{
	u64 parts[2] = { mantissa, high }, want, got = (u64)stp_double_of_x87(mantissa, high);
	long double wide;
	double value;

	memcpy(&wide, parts, sizeof(wide));
	value = (double)wide;
	memcpy(&want, &value, sizeof(want));
	if (got == want)
		return;
	printf("# %#llx %#llx: %#llx instead of %#llx\n", (unsigned long long)mantissa, (unsigned long long)high,
	       (unsigned long long)got, (unsigned long long)want);
	bad++;
}

static u64 random64(void)
{
	return (u64)random() << 62 ^ (u64)random() << 31 ^ (u64)random();
}

int main(void)
{
	static const u64 edges[] = { 0, 1, 0x3ff, 0x400, 0x401, 0x7ff, 0x800, 0xc00, 0xbff, ~0ull >> 1, (~0ull >> 1) - 0x3ff,
		(~0ull >> 1) - 0x400, 1ull << 62, 3ull << 61 };
	u64 leading = 1ull << 63;

	for (u32 exponent = 15300; exponent < 17500; exponent++)
		for (u32 i = 0; i < sizeof(edges) / sizeof(*edges); i++)
			check(leading | edges[i], exponent | (i & 1) << 15);
	for (int i = 0; i < 300000; i++)
		check(leading | random64() << (random() % 64), 15300 + (u64)random() % 2200);
	check(0, 0);
	check(0, 0x8000);
	check(leading, 0x7fff);
	check(leading, 0xffff);
	check(leading | 1ull << 62, 0x7fff);
	check(leading | 1ull << 62 | 0x12345678, 0xffff);
	check(leading, 0x7ffe);
	check(leading, 1);
	check(1, 0);                       /* subnormal */
	same_number("a long double becomes the nearest double", bad, 0);
	return finish();
}
