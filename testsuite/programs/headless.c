// SPDX-License-Identifier: GPL-2.0-or-later
// Processes whose first thread exits before the process does: the other thread of one executes busybox, that of the
// other continues for a while.
#include <pthread.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int started;

static void *start_another(void *argument)
{
	started = 1;
	execl("/bin/busybox", "busybox", "true", NULL);
	return argument;
}

static void leave(void *result)
{
	syscall(SYS_exit, 0);
}

static void *stay(void *argument)
{
	char state = 0;

	started = 1;
	while (state != 'Z') {
		FILE *f = fopen("/proc/self/stat", "r");

		usleep(10000);
		if (!f || fscanf(f, "%*d %*s %c", &state) != 1)
			break;
		fclose(f);
	}
	leave(argument);
	return argument;
}

static void process(const char *name, void *(*thread)(void *), void (*then)(void *))
{
	pthread_t id;

	if (!fork()) {
		prctl(PR_SET_NAME, name);
		pthread_create(&id, NULL, thread, NULL);
		while (!started)
			usleep(1000);
		then(NULL);
		for (;;)
			pause();
	}
	wait(NULL);
}

static void nothing(void *result)
{
}

int main(void)
{
	process("starts", start_another, nothing);
	process("stays", stay, leave);
	return 0;
}
