// SPDX-License-Identifier: GPL-2.0-or-later
// A program whose threads are always in a short system call, nanosleep(), so that some calls begin and end while a
// session is armed. Usage: naps THREADS MILLISECONDS. Ends by a signal.
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static struct timespec pause_of;

static void *naps(void *none)
{
	for (;;)
		nanosleep(&pause_of, NULL);
	return none;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	pause_of.tv_nsec = atoi(argv[2]) * 1000000l;
	for (int i = 0; i < atoi(argv[1]); i++)
		pthread_create(&thread, NULL, naps, NULL);
	for (;;)
		pause();
	return argc;
}
