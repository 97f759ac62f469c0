// SPDX-License-Identifier: GPL-2.0-or-later
// Uses 4 ms of processor time, called by a function of a library, in a child process if there is an argument.
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned long sum;

void late(void (*work)(void));             // a function of the library

static void work(void)
{
	while (clock() < CLOCKS_PER_SEC / 250)
		for (int i = 0; i < 200000; i++)
			sum += i;
}

int main(int argc, char **argv)
{
	if (argc > 1 && fork())
		return wait(NULL) < 0;
	late(work);
	return 0;
}
