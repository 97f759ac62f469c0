// SPDX-License-Identifier: GPL-2.0-or-later
/* A program with the same known values as the module. It prints the values that the probes may have changed. */
#include <stdio.h>
#include <string.h>
#include "zoo.h"

int zoo_open = 42;
static int zoo_hidden = 4242;
static volatile double zoo_price = 2.5;
static volatile float zoo_weight = -0.75f;
static char zoo_sign[] = "open daily";
static struct zoo_cage zoo_gate = { .width = 3, .height = 4 };
__thread int zoo_thread = 99;
static __thread long zoo_thread_hidden = -98;
static long seen;

__attribute__((noinline, noclone)) long zoo_visit(struct zoo *z, int people, unsigned char child)
{
	static int zoo_visits = 7;

	zoo_visits++;
	seen += z->number + people + child + zoo_hidden + zoo_gate.width + zoo_sign[0] + zoo_open + zoo_thread +
		zoo_thread_hidden + (long)zoo_price + (long)zoo_weight;
	__asm__ volatile("" : : : "memory");
	return people + child;
}

int main(int argc, char **argv)
{
	struct zoo *z = zoo_make();
	long r;

	if (argc > 5) {
		zoo_hidden = argc;
		zoo_gate.width = argc;
		zoo_thread = zoo_thread_hidden = argc;
		strcpy(zoo_sign, "closed");
	}
	zoo_gate.next = z->cages;
	r = zoo_visit(z, 1000, 50);
	printf("visit %ld number %d five %u minus %d\n", r, z->number, z->bits.five, z->bits.minus);
	printf("%d %d %u %u %d %llx %d %d %d\n", z->number, z->small, z->narrow, z->bits.five, z->bits.minus,
	       (unsigned long long)z->bits.wide, z->cages[1].width, zoo_hidden, z->grid[1][2]);
	return argc > 5 ? seen : 0;
}
