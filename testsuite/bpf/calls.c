// SPDX-License-Identifier: GPL-2.0-or-later
// Calls getppid() a known number of times: calls THREADS COUNT
// With "compat", it makes COUNT calls as a 32-bit process does; with "execveat", it runs /bin/true by execveat().
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static long count;

__attribute__((noinline)) long one_call(long n, const char *text)
{
	__asm__ volatile("" :: "r"(text));
	return syscall(SYS_getppid) + n;
}

static void *many(void *argument)
{
	for (long i = 0; i < count; i++)
		one_call(i, i % 3 ? "other" : "third");
	return NULL;
}

static void compat_calls(void)
{
	for (long i = 0; i < count; i++) {
		long result = 64;      // getppid

		__asm__ volatile("int $0x80" : "+a"(result) :: "memory", "r8", "r9", "r10", "r11");
	}
}

int main(int argc, char **argv)
{
	int threads = argc > 1 ? atoi(argv[1]) : 1;
	pthread_t *all = calloc((size_t)threads, sizeof(*all));

	count = argc > 2 ? atol(argv[2]) : 1;
	if (argc > 1 && !strcmp(argv[1], "compat")) {
		compat_calls();
		return 0;
	}
	if (argc > 1 && !strcmp(argv[1], "execveat"))
		return (int)syscall(SYS_execveat, open("/bin/true", O_RDONLY), "", argv, NULL, 0x1000 /* AT_EMPTY_PATH */);
	for (int i = 0; i < threads; i++)
		pthread_create(&all[i], NULL, many, NULL);
	for (int i = 0; i < threads; i++)
		pthread_join(all[i], NULL);
	return 0;
}
