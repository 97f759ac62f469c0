// SPDX-License-Identifier: GPL-2.0-or-later
// Load for the soak tests, until it is killed: reads of small files, calls of a function that a script may probe,
// switches to another thread and back, sometimes a program. Usage: work CPU [MICROSECONDS OF PAUSE]
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static int there[2], back[2];

__attribute__((noinline, noipa)) int probed(const char *text, int n)
{
	return text[n % 4] + n;
}

static void *echo(void *none)
{
	char c;

	while (read(there[0], &c, 1) == 1 && write(back[1], &c, 1) == 1)
		;
	return NULL;
}

static void once(const char *self, int n)
{
	char bytes[512];
	int file = open("/proc/stat", O_RDONLY);
	ssize_t got = read(file, bytes, sizeof(bytes));

	close(file);
	bytes[0] = (char)probed("work", n);
	if (write(there[1], bytes, 1) != 1 || read(back[0], bytes, 1) != 1 || got < 0)
		exit(1);
	if (n % 64)
		return;
	if (!vfork()) {
		execl(self, self, NULL);
		_exit(1);
	}
	wait(NULL);
}

int main(int argc, char **argv)
{
	pthread_t thread;
	cpu_set_t cpus;

	if (argc < 2)          // the program that is sometimes started
		return probed("leaf", 1) == 0;
	CPU_ZERO(&cpus);
	CPU_SET(atoi(argv[1]), &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus) || pipe(there) || pipe(back) ||
	    pthread_create(&thread, NULL, echo, NULL))
		return 1;
	for (int n = 1; ; n++) {
		once(argv[0], n);
		if (argc > 2)
			usleep((useconds_t)atoi(argv[2]));
	}
}
