// SPDX-License-Identifier: GPL-2.0-or-later
// Uses processor time in first(); executes itself, and uses it in second(); then in a library that it opens.
#include <dlfcn.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned long sum;

static void work(void)
{
	clock_t end = clock() + CLOCKS_PER_SEC / 2;

	while (clock() < end)
		for (int i = 0; i < 5000000; i++)
			sum += i;
}

void first(void) { work(); }
void second(void) { work(); }

int main(int argc, char **argv)
{
	void (*late)(void (*)(void));
	void *library;

	if (argc == 2) {
		first();
		execl("/proc/self/exe", argv[0], argv[1], "again", (char *)0);
		return 1;
	}
	second();
	library = dlopen(argv[1], RTLD_NOW);
	late = library ? (void (*)(void (*)(void)))dlsym(library, "late") : 0;
	if (!late)
		return 1;
	late(work);
	return 0;
}
