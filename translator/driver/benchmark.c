// SPDX-License-Identifier: GPL-2.0-or-later
// stap --benchmark-sdt: measures the cost of static probes, probed or not. Threads execute markers with 0 to 5
// arguments in turn; the time for a round of these is printed. It is a target for scripts as well.
#include "driver/benchmark.h"

#include "../include/sys/sdt.h"

#include <pthread.h>
#include <stdio.h>
#include <time.h>

static unsigned long rounds;
static volatile double fp1 = 1.5;          // read by scripts with floating-point arguments
static volatile float fp2 = 2.25f;

static __attribute__((noinline)) void *sdt_benchmark_thread(void *unused)
{
	for (unsigned long i = 0; i < rounds; i++) {
		STAP_PROBE(stap, benchmark0);
		STAP_PROBE1(stap, benchmark1, i);
		STAP_PROBE2(stap, benchmark2, i, &i);
		STAP_PROBE3(stap, benchmark3, i, &i, 3);
		STAP_PROBE4(stap, benchmark4, i, &i, 3, 4);
		STAP_PROBE5(stap, benchmark5, i, &i, 3, 4, (int)(fp1 + fp2));
	}
	return unused;
}

static double seconds(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

int benchmark_sdt(unsigned long loops, unsigned long threads)
{
	double real, cpu;
	pthread_t id[BENCHMARK_THREADS_MAX];
	unsigned long n = 0;

	rounds = loops;
	real = seconds(CLOCK_MONOTONIC);
	cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
	while (n < threads && n < BENCHMARK_THREADS_MAX && !pthread_create(&id[n], NULL, sdt_benchmark_thread, NULL))
		n++;
	for (unsigned long i = 0; i < n; i++)
		pthread_join(id[i], NULL);
	real = seconds(CLOCK_MONOTONIC) - real;
	cpu = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
	printf("%lu threads, %lu rounds of 6 markers each: %.3f s real, %.3f s of CPU time, %.1f ns per "
	       "marker\n", n, loops,
	       real, cpu, n && loops ? cpu * 1e9 / (6.0 * n * loops) : 0.0);
	return n == threads ? 0 : 1;
}
