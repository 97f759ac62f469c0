// SPDX-License-Identifier: GPL-2.0-or-later
// Threads of many processes call probed(); some are in nested PID namespaces. Some processes exit, or execute
// another program in a thread, during calls that therefore never return. Prints the number of calls that returned.
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static long *completed;
// The first calls of the four threads of a process wait for each other, so that they overlap on a slow machine, too.
static pthread_barrier_t first_calls;

__attribute__((noinline)) long probed(long n)
{
	if (n < 0)
		for (;;)
			pause();
	if (n % 100 == 0)
		pthread_barrier_wait(&first_calls);
	usleep(n % 7 * 500);
	return n + 1;
}

static void *returns(void *n)
{
	for (long i = 0; i < 10; i++)
		if (probed((long)n * 100 + i) == (long)n * 100 + i + 1)
			__atomic_add_fetch(completed, 1, __ATOMIC_SEQ_CST);
	return NULL;
}

static void *remains(void *n)
{
	return (void *)probed(-1);
}

static void *executes(void *n)
{
	usleep(10000);
	execl("/bin/busybox", "busybox", "true", NULL);
	_exit(1);
}

static void run(long i)
{
	pthread_t t[4];

	pthread_barrier_init(&first_calls, NULL, 4);
	for (int j = 0; j < 4; j++)
		pthread_create(&t[j], NULL, i % 4 < 2 ? returns : j == 3 && i % 4 == 3 ? executes : remains, (void *)(i * 4 + j));
	if (i % 4 == 2) {
		usleep(10000);
		_exit(0);
	}
	for (int j = 0; j < 4; j++)
		pthread_join(t[j], NULL);
	_exit(0);
}

int main(void)
{
	setbuf(stdout, NULL);
	completed = mmap(NULL, sizeof(*completed), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	for (long i = 0; i < 60; i++)
		if (!fork()) {
			for (int depth = i % 3; depth; depth--) {
				if (!unshare(CLONE_NEWPID) && fork()) {
					wait(NULL);
					_exit(0);
				}
			}
			run(i);
		}
	while (wait(NULL) > 0)
		;
	printf("completed %ld\n", *completed);
	return 0;
}
