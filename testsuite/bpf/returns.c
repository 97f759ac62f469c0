// SPDX-License-Identifier: GPL-2.0-or-later
// Calls functions whose results follow from their arguments: returns MODE THREADS COUNT
//   recursion  each thread calls work(10, its letter) COUNT times
//   deep       the same with work(100)
//   jumps      each call of two leaves by longjmp(), from depth 0 to 3
//   reads      each thread reads 1 to 64 bytes from /dev/zero, COUNT times
//   exits      COUNT threads, one after the other, end within their first call
//   forks      COUNT children return from calls that their parent has begun
//   exec       executes this program within a call, as "main THREADS COUNT"
//   main       the first thread makes COUNT calls
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static long count, depth = 10;
static char **arguments;
static __thread jmp_buf back;

__attribute__((noinline)) long leave(const char *how)
{
	__asm__ volatile("" :: "r"(how) : "memory");
	if (!strcmp(how, "jump"))
		longjmp(back, 1);
	if (!strcmp(how, "exit"))
		pthread_exit(NULL);
	if (!strcmp(how, "exec")) {
		arguments[1] = "main";
		execv(arguments[0], arguments);
	}
	return strcmp(how, "fork") ? 0 : fork();
}

// Returns 3 * n + 1000 * (the number of the letter) + 1, or does not return.
__attribute__((noinline)) long work(long n, const char *letter, const char *how)
{
	__asm__ volatile("" :: "r"(letter), "r"(how) : "memory");
	if (n)
		return work(n - 1, letter, how) + 3;
	if (how)
		leave(how);
	return 1000 * (letter[0] - 'a') + 1;
}

static void *recursion(void *number)
{
	char letter[] = { (char)('a' + (long)number), 0 };

	for (long i = 0; i < count; i++)
		work(depth, letter, NULL);
	return NULL;
}

static void *jumps(void *number)
{
	char letter[] = { (char)('a' + (long)number), 0 };

	for (volatile long i = 0; i < count; i++)
		if (!setjmp(back))
			work(i % 4, letter, i % 2 ? "jump" : NULL);
	return NULL;
}

static void *reads(void *number)
{
	char buffer[64];
	int zero = open("/dev/zero", O_RDONLY);

	for (long i = 0; i < count; i++)
		if (read(zero, buffer, (size_t)(i % 64 + 1)) < 0)
			abort();
	return NULL;
}

static void *exits(void *number)
{
	work(2, "a", "exit");
	return NULL;
}

static void forks(void)
{
	pid_t parent = getpid();

	for (long i = 0; i < count; i++) {
		work(2, "a", "fork");
		if (getpid() != parent)
			_exit(0);
		wait(NULL);
	}
}

static void run(long threads, void *(*function)(void *number))
{
	pthread_t all[26];

	for (long i = 0; i < threads; i++)
		pthread_create(&all[i], NULL, function, (void *)i);
	for (long i = 0; i < threads; i++)
		pthread_join(all[i], NULL);
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	long threads = argc > 2 ? atol(argv[2]) : 1;

	arguments = argv;
	count = argc > 3 ? atol(argv[3]) : 1;
	depth = !strcmp(mode, "deep") ? 100 : 10;
	if (threads > 26)
		return 2;
	if (!strcmp(mode, "exec"))
		return (int)work(2, "a", "exec");
	for (long i = 0; !strcmp(mode, "main") && i < count; i++)
		work(2, "b", NULL);
	if (!strcmp(mode, "forks"))
		forks();
	for (long i = 0; !strcmp(mode, "exits") && i < count; i++)
		run(1, exits);
	if (!strcmp(mode, "recursion") || !strcmp(mode, "deep"))
		run(threads, recursion);
	if (!strcmp(mode, "reads"))
		run(threads, reads);
	if (!strcmp(mode, "jumps"))
		run(threads, jumps);
	return 0;
}
