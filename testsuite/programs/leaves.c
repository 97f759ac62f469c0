// SPDX-License-Identifier: GPL-2.0-or-later
// Calls that end in unusual ways: 201 nested ones, of which the kernel reports 64 returns; calls that longjmp()
// leaves; calls after these with the same stack pointer, which return; a chain of tail calls.
#include <setjmp.h>

#define KEPT __attribute__((noinline, noclone))

static jmp_buf out;
volatile int sink;

KEPT int nested(int n)
{
	int r = n ? nested(n - 1) : 0;

	__asm__ volatile("" : "+r"(r));        // otherwise the call becomes a loop
	return r + 1;
}

KEPT int leaves(int n, int jump)
{
	if (jump)
		longjmp(out, 1);
	return n + sink;
}

KEPT int last(int n) { return n + sink; }
KEPT int middle(int n) { sink++; return last(n); }
KEPT int first(int n) { sink++; return middle(n); }

int main(int argc, char **argv)
{
	volatile int i;

	sink += nested(200);
	for (i = 0; i < 50; i++) {
		if (!setjmp(out))
			leaves(7, 1);
		leaves(0, 0);
	}
	sink += first(argc) + 1;
	return 0;
}
