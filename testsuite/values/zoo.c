// SPDX-License-Identifier: GPL-2.0-or-later
// Variables of many kinds, for the comparison with gdb (values.py).
#include <stdint.h>
#include <stdlib.h>
#include <stdbool.h>
#include <string.h>

#define NOINLINE __attribute__((noinline))

enum colour { RED = -5, GREEN = 7, BLUE = 100000 };
enum wide { WIDE = 0x7fffffffffffffff, LOW = -1 };
typedef unsigned char byte;
struct inner { short s; byte b; signed char c; };
struct bits {
	int a:3; unsigned b:5; int c:17; unsigned long d:33; long e:31; bool f:1; enum colour g:20; signed char h:7;
	unsigned:0; unsigned short i:9; long j:64;
};
struct __attribute__((packed)) packed {
	char c; int a:30; int b:20; unsigned d:14; long e:40; unsigned long f:60; long g:63; unsigned h:1; long i:20;
};
struct __attribute__((packed, aligned(2))) odd { char c; uint64_t wide; int a:7, b:18; short s; float f; };
union both { int i; unsigned u; double d; unsigned char bytes[8]; struct { unsigned low:12, high:20; }; };
struct all {
	char c; signed char sc; unsigned char uc; short s; unsigned short us; int i; unsigned u; long l; unsigned long ul;
	bool t; enum colour e; enum wide w; float f; double d; void *p; struct inner in; struct inner *to; union both both;
	int array[5]; short grid[2][3]; struct inner many[2];
	struct { int hidden; union { long deep; char ch; }; };
	int (*call)(int);
};

static int twice(int n) { return n * 2; }
static struct inner target = { -300, 200, -7 };
static struct all all = {
	'c', -100, 200, -30000, 60000, -2000000000, 4000000000u, -5000000000000l, 0xfedcba9876543210ul, true, BLUE, WIDE,
	1.5f, -2.25, &target, { -1, 2, -3 }, &target, { .d = 3.14 }, { 1, -2, 3, -4, 5 }, { { 1, 2, 3 }, { -4, -5, -6 } },
	{ { 10, 20, 30 }, { -10, 250, -30 } }, { 77, { -88 } }, twice,
};
static struct bits bits = { -3, 21, -54321, 0x1fedcba98, -1000000000, true, RED, -60, 400, -1234567890123 };
static struct packed packed = { 'x', -12345678, -345678, 0x2abc, -99999999999, 0xabcdef012345678, -4000000000000000000,
				1, -500000 };
static struct odd odd = { 'o', 0x1122334455667788, -50, 100000, -2, -0.5f };
volatile long sink;
static __thread long of_thread = 4711;

NOINLINE long scalars(char c, unsigned char uc, short s, unsigned short us, int i, unsigned u, long l, unsigned long ul,
		      bool t, enum colour e)
{
	long sum = c + uc;

	sum += s + us;
	sink = sum;
	sum += i + u + l;
	sum ^= ul;
	sink = sum + t + e;
	return sum;
}

NOINLINE double floats(float f, double d, int n, float g)
{
	double sum = f + d;
	float half = n / 2.0f;

	sink = sum;
	sum += half * g;
	sink = sum;
	return sum;
}

struct mixed { int i; float f; };

NOINLINE long narrow_floats(struct mixed by_value, int image)
{
	struct mixed made = { by_value.i + 1, 2.5f };
	union { int i; float f; } as_float = { .i = image };
	float constant = -3.25f, moved = as_float.f;

	sink = made.i;
	sink = as_float.i;
	__asm__ volatile("nop" : : "r"(by_value), "r"(image));
	return image;
}

static NOINLINE long same_arguments(float f, double d, long n)
{
	sink = n + f + d;
	return sink;
}

NOINLINE long records(struct all *a, struct bits *b, struct packed *p, struct odd *o)
{
	long sum = a->array[1] + b->c;

	sink = sum;
	sum += p->e + o->b;
	sink = sum;
	return sum + a->call(3);
}

NOINLINE long by_value(struct inner in, struct bits b, union both u, struct odd o, struct packed p)
{
	struct inner mine = { in.s + 1, in.b, in.c };
	struct odd local = o;

	sink = mine.s + b.a;
	local.b += 3;
	sink = local.b + p.a + u.i;
	return mine.b + local.wide;
}

static inline __attribute__((always_inline)) long inlined(long x, const int *array, int n)
{
	long found = -1;

	for (int i = 0; i < n; i++) {
		long here = array[i] * x;

		sink = here;
		if (here > 10)
			found = here;
	}
	return found;
}

NOINLINE long loops(int n, long factor)
{
	int array[8];
	long total = 0;

	for (int i = 0; i < 8; i++)
		array[i] = i * n - 3;
	total += inlined(factor, array, 4);
	sink = total;
	{
		int n = 12;
		long total = factor * n;

		sink = total;
		array[3] = total;
	}
	total += inlined(factor + 1, array + 4, 3);
	return total + array[3];
}

NOINLINE unsigned long computes(unsigned long a, unsigned long b, long c, unsigned d, int e)
{
	unsigned long quotient = a / b, rest = a % b, shifted = a >> (d & 31), left = a << 3;
	long s_quotient = c / (long)b, s_rest = c % (long)b, s_shifted = c >> (d & 31);
	unsigned d_quotient = d / (unsigned)b, d_less = d < (unsigned)e;
	int less = a < b, s_less = c < e, negative = -e, not = ~e, absolute = e < 0 ? -e : e;
	short narrow = (short)(c >> 3);
	byte small = (byte)(a >> 5);

	__asm__ volatile("nop" : : "r"(a), "r"(b), "r"(c), "r"(d), "r"(e) : "memory");
	sink = a;
	__asm__ volatile("nop" : : "r"(a), "r"(b), "r"(c), "r"(d), "r"(e) : "memory");
	return a + b + c + d + e;
}

NOINLINE long later(int n, long unused, long kept)
{
	long result;

	sink = n;
	result = scalars(n, n + 1, n, n, -n, n, kept, kept, n & 1, GREEN);
	sink = result;
	return result + kept;
}

NOINLINE long dynamic(int n)
{
	int vla[n + 1];
	static long calls;

	for (int i = 0; i <= n; i++)
		vla[i] = i * i;
	calls++;
	of_thread += n;
	sink = vla[n];
	return vla[n] + calls + of_thread;
}

NOINLINE long many(long a, long b, long c, long d, long e, long f, long g, short h, char i, struct inner j)
{
	sink = a + g;
	return b + c + d + e + f + g + h + i + j.s;
}

NOINLINE long divides(long a, long b)
{
	long unused = a / b;

	sink = a;
	return a + b;
}

__attribute__((cold, noinline)) static void seldom(long *at)
{
	sink = at[0]++;
}

/* gcc moves the unlikely part to another section: the function has ranges, and no lowest address. */
NOINLINE long with_cold_part(long a, long b)
{
	long on_stack[8] = { a, b };

	sink = b;
	if (__builtin_expect(a == 7, 0)) {
		seldom(on_stack);
		seldom(on_stack + 1);
	}
	__asm__ volatile("" : : "r" (on_stack) : "rdi", "rsi", "memory");
	sink = on_stack[1];
	return on_stack[0] + on_stack[1];
}

int main(int argc, char **argv)
{
	double d = argc * 1.25;
	long sum = 0;

	for (int round = 1; round < 3; round++) {
		sum += scalars('a' + round, 200 + round, -5 * round, 50000, -round, 3000000000u, -7l * round, ~0ul - round,
			       round & 1, round & 1 ? RED : BLUE);
		sum += (long)floats(1.5f * round, d, round, 0.1f);
		sum += narrow_floats((struct mixed){ round, 1.5f * round }, 0x3fc00000 + round);
		sum += same_arguments(0.1f, 0.2, round) + same_arguments(0.1f, 0.2, -round);
		sum += records(&all, &bits, &packed, &odd);
		sum += by_value(target, bits, all.both, odd, packed);
		sum += loops(round, 3);
		sum += computes(0xf000000000000000ul + round, 7 * round, -1000000007l * round, 4000000000u, -12 * round);
		sum += later(round, 3, -4);
		sum += dynamic(round * 2);
		sum += with_cold_part(round, 9);
		sum += many(1, 2, 3, 4, 5, 6, 7 * round, -8, 'i', target);
#ifdef __OPTIMIZE__
		sum += divides(round, round - 1);
#endif
	}
	return sum == 42;
}
