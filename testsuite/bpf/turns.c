// SPDX-License-Identifier: GPL-2.0-or-later
// Two threads on different processors, if there are two, take turns in calling one_turn(), with 0 to COUNT - 1:
// turns COUNT
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

static volatile long turn, count;

__attribute__((noinline)) void one_turn(long n)
{
	__asm__ volatile("" :: "r"(n));
}

static void *take_turns(void *argument)
{
	long me = (long)argument;
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((int)me, &set);
	sched_setaffinity(0, sizeof(set), &set);       // fails if there is one processor
	while (turn < count) {
		if (turn % 2 != me) {
			sched_yield();
			continue;
		}
		one_turn(turn);
		turn = turn + 1;
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t other;

	count = argc > 1 ? atol(argv[1]) : 2;
	if (pthread_create(&other, NULL, take_turns, (void *)1))
		return 1;
	take_turns(NULL);
	pthread_join(other, NULL);
	return 0;
}
