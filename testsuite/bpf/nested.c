// SPDX-License-Identifier: GPL-2.0-or-later
// Calls functions within functions, compiled with frame pointers: nested COUNT
#include <stdlib.h>
#include <unistd.h>

volatile long sum;

__attribute__((noinline)) void inner(long n)
{
	sum += n;
	if (!n)
		getppid();
	sum++;
}

__attribute__((noinline)) void middle(long n)
{
	inner(n);
	sum++;
}

__attribute__((noinline)) void outer(long n)
{
	middle(n);
	sum++;
}

int main(int argc, char **argv)
{
	long count = argc > 1 ? atol(argv[1]) : 1;

	for (long i = 0; i < count; i++)
		outer(i);
	return 0;
}
