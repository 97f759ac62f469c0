// SPDX-License-Identifier: GPL-2.0-or-later
// Two threads that count in separate variables, in the program and in a library; each prints their values before a
// step. With -DLIBRARY: the library. With -DLATE: the program loads it at run time.
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

long step(int by);
long sum(void);
extern __thread int shared;

#ifdef LIBRARY

__thread int before[20], shared = 5;
static __thread long hidden = 6;

__attribute__((noinline)) long step(int by)
{
	shared += by;
	hidden -= 2 * by;
	before[by]++;
	__asm__ volatile("" ::: "memory");
	return hidden;
}

long sum(void)
{
	return hidden;
}

#else

static __thread int own = 100;

#ifdef LATE
static void *library;
#define step ((long (*)(int))dlsym(library, "step"))
#define sum ((long (*)(void))dlsym(library, "sum"))
#define shared (*(int *)dlsym(library, "shared"))
#endif

static void *count(void *from)
{
	for (int by = *(int *)from; by < 20; by += 7) {
		own++;
		printf("step %d %d %ld %d\n", by, shared, sum(), own);
		fflush(stdout);
		step(by);
	}
	return NULL;
}

int main(void)
{
	int one = 1, two = 2;
	pthread_t thread;

#ifdef LATE
	library = dlopen("libthreads.so", RTLD_NOW);
#endif
	count(&one);
	pthread_create(&thread, NULL, count, &two);
	pthread_join(thread, NULL);
	return 0;
}
#endif
