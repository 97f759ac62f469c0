// SPDX-License-Identifier: GPL-2.0-or-later
// Enumerators of every size and sign, which the program prints, and numbers in formats that probes do not read.
#include <stdio.h>

#define ENUMS(E) E(RED, -5) E(GREEN, 127) E(BLUE, 128) E(WHITE, 200) E(GREY, 40000) E(BLACK, 3000000000)
#define SMALL(E) E(LEAST, -128) E(MOST, 127) E(NONE, 0)
#define INTS(E) E(FIRST, -1) E(BYTE, 255) E(WORD, 65535) E(LAST, 2000000000)
#define UNSIGNED(E) E(ONE, 1) E(EIGHT, 200) E(SIXTEEN, 40000) E(THIRTY_TWO, 4000000000)
#define LONGS(E) E(HALF, 0x8000000000000000) E(WHOLE, 0xffffffffffffffff) E(LITTLE, 200)

#define NAMED(name, value) name = value,
enum colours { ENUMS(NAMED) };
enum __attribute__((packed)) small { SMALL(NAMED) };
enum ints { INTS(NAMED) };
enum unsigned_ints { UNSIGNED(NAMED) };
enum longs { LONGS(NAMED) };

struct formats {
#ifndef __clang__
	struct __attribute__((scalar_storage_order("big-endian"))) { int wide; short narrow; unsigned low:12, high:20; } big;
	_Decimal64 decimal;
	_Complex int pair;
#endif
	_Complex float complex_float;
	int usual;
};

__attribute__((noinline)) int look(struct formats *f, enum colours c, enum small s, enum ints i, enum unsigned_ints u,
				    enum longs l)
{
	return f->usual + c + s + i + u + l;
}

int main(void)
{
	struct formats f = { .usual = 7 };

#define PRINTED(name, value) printf(#name " %lld\n", (long long)name);
	ENUMS(PRINTED)
	SMALL(PRINTED)
	INTS(PRINTED)
	UNSIGNED(PRINTED)
	LONGS(PRINTED)
	return look(&f, WHITE, LEAST, BYTE, EIGHT, WHOLE) == 0;
}
