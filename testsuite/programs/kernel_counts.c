// SPDX-License-Identifier: GPL-2.0-or-later
// Events that the kernel counts, too: kernel_counts THREADS ROUNDS. Between from() and to() pages are touched for the
// first time and the process gives up its CPU; prints the kernel's own counts. Then THREADS threads write to a variable
// ROUNDS times each.
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

int main(int argc, char **argv)
{
	int n = argc > 2 ? atoi(argv[1]) : 1;
	struct rusage before, after;
	pthread_t threads[64];
	char *pages = mmap(NULL, 4096 * 1024, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	rounds = argc > 2 ? atoi(argv[2]) : 1;
	madvise(pages, 4096 * 1024, MADV_NOHUGEPAGE);
	touch(pages, 1);
	to();
	getrusage(RUSAGE_SELF, &after);
	from();
	getrusage(RUSAGE_SELF, &before);
	touch(pages + 4096, 800);
	getrusage(RUSAGE_SELF, &after);
	to();
	printf("faults %ld switches %ld\n", after.ru_minflt - before.ru_minflt,
	       after.ru_nvcsw + after.ru_nivcsw - before.ru_nvcsw - before.ru_nivcsw);
	for (int i = 0; i < n && i < 64; i++)
		pthread_create(&threads[i], NULL, thread, NULL);
	for (int i = 0; i < n && i < 64; i++)
		pthread_join(threads[i], NULL);
	printf("writes %d\n", n * rounds);
	return 0;
}
