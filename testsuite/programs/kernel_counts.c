// SPDX-License-Identifier: GPL-2.0-or-later
// Events that the kernel counts, too: kernel_counts THREADS ROUNDS. Between from() and to(), pages are accessed for
// the first time and the process yields its CPU. Prints the minimum and the maximum of the kernel's own counts:
// read inside and around the two calls, since the process may be interrupted between them and the counting. Then
// THREADS threads write to a variable ROUNDS times each.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

volatile long watched;
static int rounds;

__attribute__((noinline, noclone)) void from(void) { __asm__ volatile(""); }
__attribute__((noinline, noclone)) void to(void) { __asm__ volatile(""); }

static void *thread(void *unused)
{
	for (int i = 1; i <= rounds; i++)
		watched = i;
	return NULL;
}

static void touch(volatile char *pages, int n)
{
	for (int i = 0; i < n; i++) {
		pages[i * 4096] = 1;
		if (i % 8 == 0)
			usleep(100);
	}
}

static long events(const struct rusage *from, const struct rusage *to)
{
	return to->ru_minflt + to->ru_nvcsw + to->ru_nivcsw - from->ru_minflt - from->ru_nvcsw - from->ru_nivcsw;
}

int main(int argc, char **argv)
{
	int n = argc > 2 ? atoi(argv[1]) : 1;
	struct rusage at[4];
	pthread_t threads[64];
	char *pages = mmap(NULL, 4096 * 1024, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	rounds = argc > 2 ? atoi(argv[2]) : 1;
	madvise(pages, 4096 * 1024, MADV_NOHUGEPAGE);
	touch(pages, 1);
	to();
	getrusage(RUSAGE_SELF, &at[0]);
	from();
	getrusage(RUSAGE_SELF, &at[1]);
	touch(pages + 4096, 800);
	getrusage(RUSAGE_SELF, &at[2]);
	to();
	getrusage(RUSAGE_SELF, &at[3]);
	printf("counted %ld %ld\n", events(&at[1], &at[2]), events(&at[0], &at[3]));
	for (int i = 0; i < n && i < 64; i++)
		pthread_create(&threads[i], NULL, thread, NULL);
	for (int i = 0; i < n && i < 64; i++)
		pthread_join(threads[i], NULL);
	printf("writes %d\n", n * rounds);
	return 0;
}
