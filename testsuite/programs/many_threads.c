// SPDX-License-Identifier: GPL-2.0-or-later
// Threads that write to a variable. many_threads N: N threads, each of which writes once after SIGUSR1.
// many_threads 0:
// four threads that start one thread after the other, each of which writes its number once; without end.
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

volatile long watched;
static int gate[2];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *once(void *number)
{
	char c;

	if (!number && read(gate[0], &c, 1) != 1)
		exit(1);
	pthread_mutex_lock(&lock);             // the handler of the write reads the number
	watched = (long)number;
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void *starts(void *base)
{
	pthread_t t;

	for (long i = 1;; i++) {
		if (pthread_create(&t, NULL, once, (void *)((long)base + i)))
			exit(1);
		pthread_join(t, NULL);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 0, signal;
	pthread_t t[2048];
	pthread_attr_t small;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 32768);
	for (long i = 1; n == 0 && i < 4; i++)
		pthread_create(&t[i], NULL, starts, (void *)(i * 1000000));
	if (n == 0)
		starts((void *)4000000);
	if (pipe(gate))
		return 1;
	for (int i = 0; i < n && i < 2048; i++)
		if (pthread_create(&t[i], &small, once, NULL))
			return 1;
	puts("started");
	fflush(stdout);
	sigwait(&set, &signal);
	for (int i = 0; i < n && i < 2048; i++)
		if (write(gate[1], "x", 1) != 1)
			return 1;
	for (int i = 0; i < n && i < 2048; i++)
		pthread_join(t[i], NULL);
	return 0;
}
