// SPDX-License-Identifier: GPL-2.0-or-later
// Events whose number is known: events THREADS CALLS. Each thread calls work() CALLS times, which makes a system
// call that other code rarely makes. Prints the number of calls of all threads.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static int calls;

__attribute__((noinline, noclone)) int work(int n)
{
	int rc = syscall(SYS_sched_get_priority_max, n);

	__asm__ volatile("" : "+r"(rc));       // prevents a tail call, which would have no return
	return rc;
}

static void *thread(void *unused)
{
	for (int i = 0; i < calls; i++)
		work(1);
	return NULL;
}

int main(int argc, char **argv)
{
	int n = argc > 2 ? atoi(argv[1]) : 1;
	pthread_t threads[64];

	calls = argc > 2 ? atoi(argv[2]) : 1;
	for (int i = 0; i < n && i < 64; i++)
		pthread_create(&threads[i], NULL, thread, NULL);
	for (int i = 0; i < n && i < 64; i++)
		pthread_join(threads[i], NULL);
	printf("calls %d\n", n * calls);
	return 0;
}
