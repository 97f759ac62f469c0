// SPDX-License-Identifier: GPL-2.0-or-later
// As reader.c, with a process on each of the first N CPUs at the same time. Prints the cost of a read for all CPUs
// together, in instructions if the emulator's clock counts those of all CPUs. A process that has finished sleeps,
// since the instructions of a busy loop would be counted. Usage: readers NAME N
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 5, READS = 5000, MAX = 16 };

static struct { int ready, rounds; long long from, to[MAX]; } *shared;
static int done[2], again[2];

static long long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void run(int cpu, int cpus, int round)
{
	int fd = open("/dev/zero", O_RDONLY);
	char c;

	// The last process to arrive starts the clock.
	if (__atomic_add_fetch(&shared->ready, 1, __ATOMIC_SEQ_CST) == cpus) {
		shared->from = now();
		__atomic_store_n(&shared->rounds, round, __ATOMIC_SEQ_CST);
	}
	while (__atomic_load_n(&shared->rounds, __ATOMIC_SEQ_CST) < round)
		;
	for (int i = 0; i < READS; i++)
		if (read(fd, &c, 1) != 1)
			exit(1);
	shared->to[cpu] = now();
	close(fd);
}

static void child(int cpu, int cpus)
{
	cpu_set_t set;
	char c = 0;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		exit(1);
	for (int round = 1; round <= ROUNDS; round++) {
		run(cpu, cpus, round);
		if (write(done[1], &c, 1) != 1 || read(again[0], &c, 1) != 1)
			exit(1);
	}
	exit(0);
}

// Prints the cost of a round when all processes have finished.
static long long round_cost(int cpus)
{
	long long last = 0;
	char c;

	for (int i = 0; i < cpus; i++)
		if (read(done[0], &c, 1) != 1)
			exit(1);
	for (int i = 0; i < cpus; i++)
		last = shared->to[i] > last ? shared->to[i] : last;
	return (last - shared->from) / ((long long)READS * cpus);
}

int main(int argc, char **argv)
{
	int cpus = argc > 2 ? atoi(argv[2]) : 1;
	long long best = -1;
	char bytes[MAX] = "";

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (cpus < 1 || cpus > MAX || shared == MAP_FAILED || pipe(done) || pipe(again))
		return 1;
	for (int cpu = 0; cpu < cpus; cpu++)
		if (!fork())
			child(cpu, cpus);
	for (int round = 0; round < ROUNDS; round++) {
		long long cost = round_cost(cpus);

		best = best < 0 || cost < best ? cost : best;
		shared->ready = 0;
		if (write(again[1], bytes, cpus) != cpus)
			return 1;
	}
	while (wait(NULL) > 0)
		;
	printf("cost %s %lld\n", argv[1], best);
	return 0;
}
