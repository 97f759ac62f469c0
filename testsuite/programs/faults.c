// SPDX-License-Identifier: GPL-2.0-or-later
// Invalid pointers: the pointer itself, at a member, or from the middle of its target.
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

struct pair {
	int a, b;
	struct pair *next;
	const char *text;
};

__attribute__((noinline)) int look(struct pair *p, const char *text, int n)
{
	__asm__ volatile("" :: "r"(text), "r"(p) : "memory");
	return n + 1;
}

int main(void)
{
	static char good_text[] = "good", whole[] = "whole";
	struct pair good = { 1, 2, &good, good_text }, half = { 3, 4, (struct pair *)8, (const char *)24 };
	char *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct pair *edge = (struct pair *)(pages + 4096 - 8);
	int n = strlen(good_text) + strlen(whole) - 8;

	edge->a = 5;
	edge->b = 6;
	mprotect(pages + 4096, 4096, PROT_NONE);     // nothing else is mapped there: the kernel maps a page for uprobes
	n = look(&good, whole, n);
	n = look(&half, whole, n);
	n = look((struct pair *)16, (const char *)24, n);
	n = look(edge, whole, n);
	printf("%d\n", n);
	return 0;
}
