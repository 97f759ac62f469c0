// SPDX-License-Identifier: GPL-2.0-or-later
// Pointers that lead nowhere, at several depths.
#include <stdio.h>

struct pair {
	int a, b;
	struct pair *next;
	const char *text;
};

__attribute__((noinline)) int look(struct pair *p, const char *text, int n)
{
	struct pair *volatile local = p;

	__asm__ volatile("" :: "r"(text), "r"(local) : "memory");
	return n + 1;
}

int main(void)
{
	struct pair good = { 1, 2, &good, "good" }, half = { 3, 4, (struct pair *)8, (const char *)24 };
	int n = look(&good, "all", 1);

	n = look(&half, "half", n);
	n = look((struct pair *)16, (const char *)24, n);
	printf("%d\n", n);
	return 0;
}
