// SPDX-License-Identifier: GPL-2.0-or-later
// Spins for a while, on each of two processors in turn, with a frame pointer that leads to words of the stack, which
// are no frame.
#define _GNU_SOURCE
#include <sched.h>

static void spin(void)
{
	unsigned long words[8];
	unsigned long n = 150000000;

	words[0] = (unsigned long)&words[4];
	words[1] = (unsigned long)&words[2];
	words[4] = 0;
	words[5] = (unsigned long)&words[3];
	__asm__ volatile("push %%rbp\n\tmov %1, %%rbp\n1:\tdec %0\n\tjnz 1b\n\tpop %%rbp"
			 : "+a"(n) : "d"(words), "m"(words) : "memory", "cc");
}

int main(void)
{
	cpu_set_t cpus;
	int i;

	for (i = 0; i < 2; i++) {
		CPU_ZERO(&cpus);
		CPU_SET(i, &cpus);
		sched_setaffinity(0, sizeof(cpus), &cpus);
		spin();
	}
	return 0;
}
