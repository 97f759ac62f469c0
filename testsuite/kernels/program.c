// SPDX-License-Identifier: GPL-2.0-or-later
// A program to be probed: calls nested three levels deep, a static probe, a structure, strings.
#include <stdio.h>
#include <string.h>
#include "sys/sdt.h"

struct pair {
	int a, b;
	const char *name;
};

static int total = 5;

__attribute__((noinline)) int leaf(struct pair *p, int n, const char *word)
{
	STAP_PROBE2(program, mark, n, word);
	total += p->a * n;
	return total + (int)strlen(word);
}

__attribute__((noinline)) int middle(struct pair *p, int n)
{
	return leaf(p, n + 1, "word") + 1;
}

int main(void)
{
	struct pair p = { 3, 4, "name" };
	int sum = 0;

	for (int i = 0; i < 3; i++)
		sum += middle(&p, i);
	printf("%d\n", sum);
	return 0;
}
