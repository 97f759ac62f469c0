// SPDX-License-Identifier: GPL-2.0-or-later
// Makes the module's functions run for a second, so that a kprobe becomes a jump, and uses processor time of its
// own; alternately on two processors, one of which has the timers.
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>

volatile long spent;

__attribute__((noinline)) int caller(int fd)
{
	long i;

	for (i = 0; i < 300000; i++)
		spent++;
	return write(fd, "1000", 4) == 4;
}

int main(void)
{
	int fd = open("/sys/module/nested_calls/parameters/go", O_WRONLY), i;
	struct timespec pause = { .tv_nsec = 5000000 };
	cpu_set_t cpus;

	for (i = 0; i < 100; i++) {
		CPU_ZERO(&cpus);
		CPU_SET(i & 1, &cpus);
		sched_setaffinity(0, sizeof(cpus), &cpus);
		if (!caller(fd))
			return 1;
		nanosleep(&pause, NULL);
	}
	return 0;
}
