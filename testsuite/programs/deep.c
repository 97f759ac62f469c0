// SPDX-License-Identifier: GPL-2.0-or-later
// Calls through a library, the C library and a signal handler, without frame pointers. In the innermost function
// the program prints the call stack that it unwinds itself. With -DLIBRARY: the library.
#include <alloca.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <unwind.h>

#define KEPT __attribute__((noinline, noclone))
// Prevents the last call from becoming a jump.
#define AFTERWARDS() __asm__ volatile("" ::: "memory")

long through_library(long (*call)(long), long n);
void sorted_by(int (*order)(const void *, const void *));

#ifdef LIBRARY

KEPT static long inner(long (*call)(long), long n)
{
	long v = call(n + 1);

	AFTERWARDS();
	return v + n;
}

long through_library(long (*call)(long), long n)
{
	long v = inner(call, n * 2);

	AFTERWARDS();
	return v + 1;
}

void sorted_by(int (*order)(const void *, const void *))
{
	int two[] = { 2, 1 };

	qsort(two, 2, sizeof(two[0]), order);
	AFTERWARDS();
}

#else

static _Unwind_Reason_Code note(struct _Unwind_Context *c, void *more)
{
	// glibc's call stack ends at the start of a thread.
	if (_Unwind_GetIP(c))
		printf(" 0x%lx", (unsigned long)_Unwind_GetIP(c));
	return _URC_NO_REASON;
}

KEPT long leaf(long n)
{
	printf("own %ld", n);
	_Unwind_Backtrace(note, NULL);
	puts("");
	fflush(stdout);
	AFTERWARDS();
	return n;
}

// Its frame is aligned, and its size is unknown.
KEPT static long aligned(long n)
{
	char wide[64] __attribute__((aligned(64))), *more = alloca(n % 100 + 20);

	memset(wide, n, sizeof(wide));
	memset(more, 1, n % 100 + 20);
	__asm__ volatile("" :: "r"(wide), "r"(more) : "memory");
	n = leaf(n + more[2]);
	AFTERWARDS();
	return n + wide[n % 64];
}

KEPT static int compare(const void *a, const void *b)
{
	long n = leaf(*(const int *)a * 10);

	AFTERWARDS();
	return n - *(const int *)b;
}

KEPT static void on_signal(int number)
{
	leaf(number + 1000);
	AFTERWARDS();
}

KEPT static long middle(long n)
{
	long kept[8] = { n, n + 1 }, v;

	__asm__ volatile("" :: "r"(kept) : "memory");
	v = through_library(aligned, n);
	AFTERWARDS();
	return v + kept[1];
}

int main(void)
{
	char *text = NULL;
	size_t size;
	FILE *f;

	middle(7);
	sorted_by(compare);
	signal(SIGUSR1, on_signal);
	raise(SIGUSR1);
	f = open_memstream(&text, &size);      // the library calls itself through this stream
	fprintf(f, "%ld", middle(100));
	fclose(f);
	return 0;
}
#endif
