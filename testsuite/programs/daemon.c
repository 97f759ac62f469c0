// SPDX-License-Identifier: GPL-2.0-or-later
// Measures the time between two callbacks of a timer. A step in the second one takes long, asleep in state D: the
// parent of vfork() waits for its child.
#include <stdio.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static struct timeval last;
static long late;

static void slow_work(void)
{
	pid_t child = vfork();

	if (child == 0) {
		usleep(300000);
		_exit(0);
	}
	waitpid(child, NULL, 0);
}

__attribute__((noinline)) void timer_callback(int round)
{
	struct timeval now;
	long tv_diff = 0;

	gettimeofday(&now, NULL);
	if (last.tv_sec)
		tv_diff = (now.tv_sec - last.tv_sec) * 1000 + (now.tv_usec - last.tv_usec) / 1000;
	last = now;
	if (tv_diff > 200)
		late++;
	if (round == 2)
		slow_work();
}

int main(void)
{
	for (int round = 0; round < 5; round++) {
		timer_callback(round);
		usleep(20000);
	}
	printf("late %ld\n", late);
	return 0;
}
