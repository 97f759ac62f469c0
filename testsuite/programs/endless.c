// SPDX-License-Identifier: GPL-2.0-or-later
// Events with numbers, without end: endless THREADS. Each thread counts its calls of work(), which passes the
// number to a system call that other code rarely makes.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

__attribute__((noinline, noclone)) int work(int n)
{
	int rc = syscall(SYS_sched_get_priority_max, n);

	__asm__ volatile("" : "+r"(rc));       // prevents a tail call, which would have no return
	return rc;
}

static void *thread(void *unused)
{
	for (int i = 1;; i++)
		work(i);
	return NULL;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 1;
	pthread_t other;

	while (--n > 0)
		pthread_create(&other, NULL, thread, NULL);
	thread(NULL);
	return 0;
}
