// SPDX-License-Identifier: GPL-2.0-or-later
// Functions transformed by the optimiser: a clone for a constant, a clone without a parameter, a function whose
// beginning is inlined and whose remaining part is not, unlikely code in another section; calls through several of
// them.
#include <stdio.h>
#include <stdlib.h>

#define APART __attribute__((noinline))
volatile int sink;

// It is called only with a constant: scaled.constprop.0
static APART int scaled(int n, int by)
{
	for (int i = 0; i < by; i++)
		sink += n;
	return sink;
}

// It has an unused parameter: lean.isra.0
static APART int lean(int n, int unread)
{
	sink += n;
	return scaled(n, 3);
}

// Its beginning is inlined at the call; the remaining part is checked.part.0.
static int checked(int n)
{
	if (__builtin_expect(n <= 0, 1))
		return 0;
	sink += n;
	for (int i = 0; i < n; i++)
		printf("%d ", lean(i, 8));
	puts("");
	return scaled(n, 3);
}

// The code for an invalid value is in rare.cold.
APART int rare(int n)
{
	if (n > 100) {
		fprintf(stderr, "%d is too many\n", n);
		abort();
	}
	return checked(n) + lean(n, 9);
}

int main(int argc, char **argv)
{
	return (rare(argc) + rare(argc + 1) + checked(argc - 1) + checked(2 * argc)) & 0;
}
