// SPDX-License-Identifier: GPL-2.0-or-later
// Events whose number is known: sampled THREADS ROUNDS. In each round a thread writes a variable and moves to the
// other one of two processors. Prints the number of rounds of all threads.
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>

volatile int watched = 1;            // initialised, so that the kernel does not clear it
static int rounds;
static pthread_barrier_t begin;

static void move_to(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		exit(1);
}

static void *thread(void *unused)
{
	pthread_barrier_wait(&begin);
	for (int i = 0; i < rounds; i++) {
		watched = i;
		move_to(!(i & 1));
	}
	return NULL;
}

int main(int argc, char **argv)
{
	int n = argc > 2 ? atoi(argv[1]) : 0;
	pthread_t threads[64];

	rounds = argc > 2 ? atoi(argv[2]) : 0;
	move_to(0);
	prctl(PR_SET_NAME, "pinned");          // from here on, all moves are counted
	pthread_barrier_init(&begin, NULL, n);
	for (int i = 0; i < n && i < 64; i++)
		pthread_create(&threads[i], NULL, thread, NULL);
	for (int i = 0; i < n && i < 64; i++)
		pthread_join(threads[i], NULL);
	printf("rounds %d\n", n * rounds);
	return 0;
}
