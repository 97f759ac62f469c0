// SPDX-License-Identifier: GPL-2.0-or-later
// Waits for the given file, then starts a thread, a child that executes busybox, and a child that is a copy.
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void *run(void *argument)
{
	getppid();
	return argument;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	while (argc > 1 && access(argv[1], F_OK))
		usleep(100000);
	pthread_create(&thread, NULL, run, NULL);
	pthread_join(thread, NULL);
	if (!fork()) {
		execl("/bin/busybox", "busybox", "true", NULL);
		_exit(1);
	}
	wait(NULL);
	if (!fork())
		_exit(3);
	wait(NULL);
	return 0;
}
