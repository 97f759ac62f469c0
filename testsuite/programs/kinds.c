// SPDX-License-Identifier: GPL-2.0-or-later
// Values of every kind in every kind of location, written by the program to the file in the first argument, for
// tests that compare the values that a probe reads, with any compiler options.
#include <stdio.h>
#include <string.h>

#ifdef __clang__
#define KEPT __attribute__((noinline))
#else
#define KEPT __attribute__((noinline, noclone))
#endif
#define HERE(v) __asm__ volatile("" : "+r"(v) :: "memory")
#define HELD(v) __asm__ volatile("nop" :: "r"(v) : "memory")

struct pair { int first; long long second; };
struct bits { unsigned low : 3; int middle : 5; unsigned long long wide : 33; unsigned char rest : 7; };
struct large { char name[20]; short grid[2][3]; union { unsigned number; unsigned char bytes[4]; }; };
enum mood { GLAD = 1, SAD = -4, WILD = 1000 };
typedef enum mood mood_t;

long long open_count = -70000000000LL;
static int hidden = 12;
static struct pair pairs[3] = { { 1, -2 }, { 3, -4 }, { 5, -6 } };
const char *const words[] = { "one", "two", "three" };
__thread int thread_open = 77;
static __thread long long thread_hidden = -78;
static FILE *out;
static const char *me;
static int (*chosen)(int);

static union { double d; unsigned long long u; } image;
static unsigned long long bits_of(double d) { image.d = d; return image.u; }

// More parameters than registers, of all sizes; a structure in two registers, another in memory.
KEPT long long many(char c, unsigned char u, short s, unsigned short w, int i, unsigned n, long long l,
		    unsigned long long b, struct pair pair, struct large large, _Bool yes, mood_t mood)
{
	fprintf(out, "%s many %d %u %d %u %d %u %lld %llu\n", me, c, u, s, w, i, n, l, b);
	fprintf(out, "%s passed %d %lld %s %d %u %d %d\n", me, pair.first, pair.second, large.name, large.grid[1][2],
		large.number, yes, mood);
	return c + u + s + w + i + n + l + b + pair.second + large.grid[1][2] + yes + mood;
}

KEPT double weigh(float f, double d, int n)
{
	fprintf(out, "%s weigh %llx %llx %d\n", me, bits_of(f), bits_of(d), n);
	return f + d * n;
}

KEPT int twice(int n)
{
	HERE(n);
	return 2 * n;
}

KEPT int look(struct bits *b, struct large *l, char **texts, struct pair (*table)[2], int n)
{
	int last = l->bytes[3];

	fprintf(out, "%s look %u %d %llu %u\n", me, b->low, b->middle, (unsigned long long)b->wide, b->rest);
	fprintf(out, "%s text %s %s %c %d %lld\n", me, l->name, texts[1], texts[2][1], l->grid[1][0],
		table[1][1].second);
	fprintf(out, "%s static %lld %d %d %lld %s %d %lld\n", me, open_count, hidden, pairs[n].first, pairs[2].second,
		words[n], thread_open, thread_hidden);
	HERE(last);
	return last;
}

// Variables inside constructs: of a loop, of an inner block, of an inlined copy.
static inline __attribute__((always_inline)) long long inlined(long long of, int by)
{
	long long product = of * by;

	HERE(product);
	fprintf(out, "%s inlined %lld %d %lld\n", me, of, by, product);
	HELD(of); HELD(by); HELD(product);    // HERE: inlined
	return product;
}

KEPT long long middle(struct pair *p, int n)
{
	long long sum = 0;

	HERE(n);
	for (int i = 0; i < n; i++) {
		struct pair *one = p + i;
		long long square = (long long)one->first * one->first;

		HERE(square);
		sum += square;
		HERE(sum);
		fprintf(out, "%s middle %d %lld %lld %lld\n", me, i, square, sum, one->second);
		HELD(one); HELD(square); HELD(sum); HELD(i);    // HERE: middle
	}
	sum += inlined(sum, n);
	return sum;
}

// A structure of which only its pieces remain.
KEPT long long pieces(long long a, int b)
{
	struct pair kept = { b * 3, a + 5 };
	struct { int x, y; } small = { b + 1, b + 2 };

	HERE(kept.first);
	HERE(kept.second);
	HERE(small.x);
	HERE(small.y);
	fprintf(out, "%s pieces %d %lld %d %d\n", me, kept.first, kept.second, small.x, small.y);
	HELD(kept.first); HELD(kept.second); HELD(small.x); HELD(small.y);    // HERE: pieces
	return kept.first + kept.second;
}

KEPT struct pair *returned(int n)
{
	HERE(n);
	return &pairs[n];
}

int main(int argc, char **argv)
{
	struct bits bits = { 5, -9, 0x123456789ULL, 99 };
	struct large large = { "a name", { { 1, 2, 3 }, { -4, 5, -6 } }, { 0x81020304 } };
	struct pair table[2][2] = { { { 1, 1 }, { 2, 2 } }, { { 3, 3 }, { 4, 1LL << 40 } } };
	struct pair *one;
	char *texts[] = { "x", "the text", "third" };
	volatile float f = 1.5f;
	volatile double d = -2.25;
	long long l;
	double weight;
	int n = argc - 1;

	open_count -= n;
	thread_hidden -= n;
	thread_open += n;
	me = strrchr(argv[0], '/') + 1;
	out = fopen(argv[1], "a");
	chosen = twice;
	l = many('q', 200, -3000, 60000, -2000000000, 4000000000U, -5000000000000LL, 0xfedcba9876543210ULL,
		 (struct pair){ n, 1LL << 50 }, large, 1, WILD);
	fprintf(out, "%s many= %lld\n", me, l);
	weight = weigh(f, d, n + 2);
	fprintf(out, "%s weigh= %llx\n", me, bits_of(weight));
	n = look(&bits, &large, texts, table, n);
	fprintf(out, "%s look= %d\n", me, n);
	hidden += chosen(n);
	l = middle(pairs, 3);
	fprintf(out, "%s middle= %lld %d\n", me, l, hidden);
	pieces(l, argc);
	one = returned(2);
	fprintf(out, "%s returned= %d %lld\n", me, one->first, one->second);
	return fclose(out) != 0;
}
