// SPDX-License-Identifier: GPL-2.0-or-later
// Alternately on two processors: loops for a while with a frame pointer to stack words that are not a frame; then
// in system calls that change mappings, during which probes cannot look them up. Before each of these, and at the
// end, it calls sched_setaffinity().
#define _GNU_SOURCE
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

enum { SIZE = 4 << 20 };

// Makes words[1] and words[5] look like return addresses: in words[2] a call instruction (e8) seems to end.
static void fill(unsigned long *words)
{
	words[0] = (unsigned long)&words[4];
	words[1] = (unsigned long)&words[3];
	words[2] = 0xe8000000;
	words[4] = 0;
	words[5] = (unsigned long)&words[3];
}

static void spin(void)
{
	unsigned long words[8], n = 150000000;

	fill(words);
	__asm__ volatile("push %%rbp\n\tmov %1, %%rbp\n1:\tdec %0\n\tjnz 1b\n\tpop %%rbp"
			 : "+a"(n) : "d"(words), "m"(words) : "memory", "cc");
}

static void change(char *area)
{
	unsigned long words[8], n = 1000, protection = PROT_READ | PROT_WRITE;

	fill(words);
	__asm__ volatile("push %%rbp\n\tmov %2, %%rbp\n"
			 "1:\tmov %5, %%eax\n\txor $2, %%edx\n\tsyscall\n\tdec %0\n\tjnz 1b\n\tpop %%rbp"
			 : "+b"(n), "+d"(protection) : "r"(words), "D"(area), "S"((unsigned long)SIZE), "i"(SYS_mprotect), "m"(words)
			 : "rax", "rcx", "r11", "memory", "cc");
}

int main(void)
{
	char *area = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	cpu_set_t cpus;
	int i;

	memset(area, 1, SIZE);
	for (i = 0; i < 2; i++) {
		CPU_ZERO(&cpus);
		CPU_SET(i, &cpus);
		sched_setaffinity(0, sizeof(cpus), &cpus);
		spin();
		sched_setaffinity(0, sizeof(cpus), &cpus);
		change(area);
	}
	sched_setaffinity(0, sizeof(cpus), &cpus);
	return 0;
}
