// SPDX-License-Identifier: GPL-2.0-or-later
// Calls getppid() a known number of times: calls THREADS COUNT
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static long count;

__attribute__((noinline)) long one_call(long n, const char *text)
{
	__asm__ volatile("" :: "r"(text));
	return syscall(SYS_getppid) + n;
}

static void *many(void *argument)
{
	for (long i = 0; i < count; i++)
		one_call(i, i % 3 ? "other" : "third");
	return NULL;
}

int main(int argc, char **argv)
{
	int threads = argc > 1 ? atoi(argv[1]) : 1;
	pthread_t *all = calloc((size_t)threads, sizeof(*all));

	count = argc > 2 ? atol(argv[2]) : 1;
	for (int i = 0; i < threads; i++)
		pthread_create(&all[i], NULL, many, NULL);
	for (int i = 0; i < threads; i++)
		pthread_join(all[i], NULL);
	return 0;
}
