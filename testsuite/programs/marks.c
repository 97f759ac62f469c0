// SPDX-License-Identifier: GPL-2.0-or-later
// Static probes with arguments of all kinds and known values, C and C++.
#include <stdio.h>
#ifdef SEMAPHORES
#define _SDT_HAS_SEMAPHORES 1
#endif
#include <sys/sdt.h>
#ifdef SEMAPHORES
__attribute__((section(".probes"))) unsigned short zoo_none_semaphore, zoo_numbers_semaphore, zoo_texts_semaphore,
	zoo_where_semaphore, zoo_many_semaphore, zoo_floats_semaphore, zoo_fractions_semaphore;
#endif

struct animal {
	int legs;
	const char *name;
};
enum size { SMALL = 1, LARGE = 5 };

static long table[4] = { 10, 20, 30, 40 };
int global = -77;
static float weight = 0.75f;
static struct animal kept[2] = { { 2, "hen" }, { 8, "spider" } };

__attribute__((noinline)) void where(struct animal *a, int i, int n)
{
	char local[32];

	snprintf(local, sizeof(local), "local %d", n);
	STAP_PROBE6(zoo, where, a->legs, table[i], global, a->name, local, kept[1].legs);
	STAP_PROBE12(zoo, many, i, i + 1, i + 2, i + 3, i + 4, i + 5, i + 6, i + 7, i + 8, i + 9, i + 10, i + 11);
}

// An asm() with a static probe.
__attribute__((noinline)) void floats(int four, long eight)
{
	__asm__ volatile(STAP_PROBE_ASM(zoo, floats, 4f@%k[four] 8f@%[eight] 4f@%[weight])
			 : : [four] "r" (four), [eight] "r" (eight), [weight] "m" (weight));
}

int main(int argc, char **argv)
{
	struct animal cow = { 4, "cow" };
	signed char small = -3;
	unsigned char byte = 200;
	short two = -300;
	unsigned short utwo = 60000;
	unsigned four = 4000000000u;
	long long eight = -5000000000ll;

	puts("literal");           // a page that no process has accessed cannot be read by a probe
	STAP_PROBE(zoo, none);
	STAP_PROBE8(zoo, numbers, small, byte, two, utwo, argc, four, eight, LARGE);
	STAP_PROBEV(zoo, texts, "literal", argv[0], &cow, 7);
	kept[1].legs += argc - 1;
	where(&cow, 2, argc);
	STAP_PROBE3(zoo, fractions, weight, argc * 1.5, argc);
	floats(0x40200000 + argc - 1, (long)0xc00a000000000000ull);      // 2.5, -3.25
#ifdef SEMAPHORES
	printf("watched %d %d\n", zoo_none_semaphore, zoo_texts_semaphore);
#else
	printf("watched - -\n");
#endif
	return 0;
}
