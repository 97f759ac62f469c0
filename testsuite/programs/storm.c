// SPDX-License-Identifier: GPL-2.0-or-later
// Processes that start and exit as fast as possible. storm N: N times a child that starts two children and exits
// before them. The first of these has eight threads, of which the last one to exit executes this program again; the
// second executes it after vfork, and exits with running threads. Each time probed() is called twelve times. Ends
// after all of them.
// storm: one call. storm wait: two calls of lasts(), each until something is typed.
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS 8

static char *self;
static int left = THREADS;

__attribute__((noinline, noipa)) int probed(int n)
{
	return n + 1;
}

__attribute__((noinline, noipa)) int lasts(int n)
{
	char c;

	return read(0, &c, 1) == 1 ? n + 1 : 0;
}

static void *short_thread(void *n)
{
	probed((int)(long)n);
	if (__atomic_sub_fetch(&left, 1, __ATOMIC_SEQ_CST) == 0)
		execl(self, self, NULL);
	return NULL;
}

static void *endless_thread(void *none)
{
	volatile bool never = false;

	while (!never)
		;
	return NULL;
}

static void threads(void *(*f)(void *), int n)
{
	pthread_t t;

	for (long i = 0; i < n; i++)
		if (pthread_create(&t, NULL, f, (void *)i))
			exit(1);
}

static void child(void)
{
	if (!fork()) {
		threads(short_thread, THREADS);
		for (;;)
			pause();
	}
	if (!fork()) {
		threads(endless_thread, 2);
		if (!vfork()) {
			execl(self, self, NULL);
			_exit(1);
		}
		probed(1);
		_exit(0);
	}
	probed(2);
	_exit(0);
}

int main(int argc, char **argv)
{
	int all_gone[2];
	char c;

	self = argv[0];
	if (argc < 2)
		return probed(0) != 1;
	if (!strcmp(argv[1], "wait")) {
		for (int i = 1; i < 3; i++)
			printf("%d\n", lasts(i));
		return 0;
	}
	if (pipe(all_gone))
		return 1;
	for (int n = atoi(argv[1]); n > 0; n--) {
		if (!fork())
			child();
		wait(NULL);
	}
	close(all_gone[1]);
	return read(all_gone[0], &c, 1) != 0;
}
