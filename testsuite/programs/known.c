// SPDX-License-Identifier: GPL-2.0-or-later
// Functions with known arguments, called a known number of times in a known order; the calls are printed, for tests
// that compare them with the hits of probes.
#include <stdio.h>

struct point {
	int x, y;
	const char *name;
	struct point *next;
};

int total = 7;
static int calls;

#define KEPT __attribute__((noinline, noclone))

KEPT long add(int a, long b)
{
	long sum = a + b;

	calls++;
	__asm__ volatile("" : "+r"(sum));
	return sum;
}

KEPT int walk(struct point *p, const char *what, int n)
{
	int sum = 0;

	for (; p; p = p->next)
		sum += p->x * n;
	__asm__ volatile("" : "+r"(sum));
	total += sum;
	printf("walk %s %d\n", what, sum);
	return sum;
}

KEPT int fib(int n)
{
	int before, last;

	if (n < 2)
		return n;
	before = fib(n - 1);
	last = fib(n - 2);
	__asm__ volatile("" : "+r"(last));     // otherwise the call becomes a loop
	return before + last;
}

int main(int argc, char **argv)
{
	struct point b = { 3, 4, "second", NULL }, a = { 1, 2, "first", &b };

	printf("add %ld\n", add(argc + 39, 2000000000000L));
	walk(&a, "hello there", 10);
	printf("fib %d\n", fib(5));
	printf("calls %d total %d\n", calls, total);
	return 0;
}
