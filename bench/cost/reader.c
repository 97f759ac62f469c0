// SPDX-License-Identifier: GPL-2.0-or-later
// Repeatedly reads one byte of /dev/zero and prints the nanoseconds per read of the fastest round. If the emulator's
// clock counts instructions (-icount shift=0), the number is instructions.
#include <fcntl.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 10, READS = 1000 };

static long long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

__attribute__((noinline)) void probed(void)
{
	__asm__ volatile("nop");
}

int main(int argc, char **argv)
{
	int fd = open("/dev/zero", O_RDONLY);
	long long best = -1;
	char c;

	if (fd < 0)
		return 1;
	for (int round = 0; round < ROUNDS; round++) {
		long long from = now(), took;

		for (int i = 0; i < READS; i++) {
			probed();
			if (read(fd, &c, 1) != 1)
				return 1;
		}
		took = (now() - from) / READS;
		if (best < 0 || took < best)
			best = took;
	}
	printf("cost %s %lld\n", argc > 1 ? argv[1] : "-", best);
	return 0;
}
