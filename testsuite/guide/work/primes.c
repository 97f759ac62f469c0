// SPDX-License-Identifier: GPL-2.0-or-later
// Counts primes by division and by a sieve, and sorts numbers: the workload of a flame graph.
#include <string.h>

enum { N = 60000 };

static char composite[N];
static unsigned numbers[N];

__attribute__((noinline)) static int divides(unsigned n)
{
	for (unsigned i = 3; i * i <= n; i += 2)
		if (n % i == 0)
			return 1;
	return n % 2 == 0;
}

__attribute__((noinline)) static unsigned by_division(void)
{
	unsigned count = 0;

	for (unsigned n = 3; n < N; n++)
		count += !divides(n);
	return count;
}

__attribute__((noinline)) static unsigned by_sieve(void)
{
	unsigned count = 0;

	memset(composite, 0, sizeof(composite));
	for (unsigned n = 2; n < N; n++) {
		count += !composite[n];
		for (unsigned k = 2 * n; !composite[n] && k < N; k += n)
			composite[k] = 1;
	}
	return count;
}

__attribute__((noinline)) static void insert(unsigned from, unsigned step)
{
	for (; from >= step && numbers[from - step] > numbers[from]; from -= step) {
		unsigned swapped = numbers[from];

		numbers[from] = numbers[from - step];
		numbers[from - step] = swapped;
	}
}

__attribute__((noinline)) static unsigned sorted(void)
{
	for (unsigned i = 0; i < N; i++)
		numbers[i] = i * 2654435761u;
	for (unsigned step = N / 2; step; step /= 2)
		for (unsigned i = step; i < N; i++)
			insert(i, step);
	return numbers[0];
}

int main(void)
{
	unsigned sum = 0;

	for (int i = 0; i < 12; i++)
		sum += by_division() + by_sieve() + by_sieve() + sorted();
	return sum == 1;
}
